"""The agents that know the rules of Azul Duel."""
