"""Azul Duel as a reinforcement-learning environment: exact rules, compiled, native in the libraries of the field.

``azul_duel_env.duel_v0.env()`` is the PettingZoo AEC environment; ``azul_duel_env.duel.GAME`` is the rules core.
"""

__version__ = "0.1.0"
