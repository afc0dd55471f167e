"""The rules, as templates take them; ``azul_duel_env.kernels.rules`` says what each is."""

from azul_duel_env.games.pavilion_mini.actions import MAX_LEGAL, NUM_ACTIONS
from azul_duel_env.games.pavilion_mini.chance import draw_outcome, num_outcomes, outcome_weight, place_outcome
from azul_duel_env.games.pavilion_mini.engine import (
    carry_out,
    first_player,
    let_chance_draw,
    list_legal,
    resample_state,
    round_number,
    settle,
)
from azul_duel_env.games.pavilion_mini.observation import OBSERVATION_SIZES, write_observation
from azul_duel_env.games.pavilion_mini.scoring import rank

from . import NUM_PLAYERS

OBSERVATION_SIZE = OBSERVATION_SIZES[NUM_PLAYERS]

__all__ = [
    "MAX_LEGAL",
    "NUM_ACTIONS",
    "NUM_PLAYERS",
    "OBSERVATION_SIZE",
    "carry_out",
    "draw_outcome",
    "first_player",
    "let_chance_draw",
    "list_legal",
    "num_outcomes",
    "outcome_weight",
    "place_outcome",
    "rank",
    "resample_state",
    "round_number",
    "settle",
    "write_observation",
]
