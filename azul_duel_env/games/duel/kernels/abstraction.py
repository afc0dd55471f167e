"""The sub-decisions of Azul Duel, as templates take them; ``azul_duel_env.kernels.abstraction`` says what each name is."""

from azul_duel_env.games.duel.abstraction import (
    ABSTRACTION,
    MAX_ASKED,
    abstract_for,
    asks_all,
    game_action_for,
    list_abstract,
    num_abstract_for,
    policy_action,
    quick_policy_action,
    write_abstract_mask,
    write_abstract_observation,
)
from azul_duel_env.games.duel.solver import most_points as solve_decision

__all__ = [
    "ABSTRACTION",
    "MAX_ASKED",
    "abstract_for",
    "asks_all",
    "game_action_for",
    "list_abstract",
    "num_abstract_for",
    "policy_action",
    "quick_policy_action",
    "solve_decision",
    "write_abstract_mask",
    "write_abstract_observation",
]
