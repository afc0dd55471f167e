"""The rules of Azul Duel, as templates take them; ``azul_duel_env.kernels.rules`` says what each is."""

from azul_duel_env.games.duel.abstraction import (
    ABSTRACTION,
    ASKED,
    ILLEGAL,
    SOLVED,
    abstract_for,
    asks_all,
    by_policy,
    by_rule_of_thumb,
    game_action_for,
    list_abstract,
    write_abstract_mask,
    write_abstract_observation,
)
from azul_duel_env.games.duel.actions import MAX_LEGAL, NUM_ACTIONS
from azul_duel_env.games.duel.components import NUM_PLAYERS
from azul_duel_env.games.duel.engine import carry_out, let_chance_draw, list_legal, playout, rank, round_number, settle
from azul_duel_env.games.duel.knowledge import resample_state
from azul_duel_env.games.duel.solver import most_points as solve_decision

__all__ = [
    "ABSTRACTION",
    "ASKED",
    "ILLEGAL",
    "MAX_LEGAL",
    "NUM_ACTIONS",
    "NUM_PLAYERS",
    "SOLVED",
    "abstract_for",
    "asks_all",
    "by_policy",
    "by_rule_of_thumb",
    "carry_out",
    "game_action_for",
    "let_chance_draw",
    "list_abstract",
    "list_legal",
    "playout",
    "rank",
    "resample_state",
    "round_number",
    "settle",
    "solve_decision",
    "write_abstract_mask",
    "write_abstract_observation",
]
