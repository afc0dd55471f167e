"""The drawing of a state: ``picture`` puts its parts together."""
