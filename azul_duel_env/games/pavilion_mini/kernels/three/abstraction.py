"""The sub-decisions for three players, as templates take them; ``azul_duel_env.kernels.abstraction`` says what each name is."""

from azul_duel_env.games.pavilion_mini.abstraction import (
    ABSTRACTION,
    MAX_ASKED,
    abstract_for,
    asks_all,
    game_action_for,
    list_abstract,
    num_abstract_for,
    policy_action,
    quick_policy_action,
    solve_decision,
    write_abstract_mask,
    write_abstract_observation,
)

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
