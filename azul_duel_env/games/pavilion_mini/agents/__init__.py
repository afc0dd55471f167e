"""The agents that know the rules of Azul Summer Pavilion Mini."""
