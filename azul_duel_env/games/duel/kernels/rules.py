"""The rules of Azul Duel, as templates take them; ``azul_duel_env.kernels.rules`` says what each is."""

from azul_duel_env.games.duel.actions import MAX_LEGAL, NUM_ACTIONS
from azul_duel_env.games.duel.components import NUM_PLAYERS
from azul_duel_env.games.duel.engine import (
    carry_out,
    first_player,
    let_chance_draw,
    list_legal,
    num_outcomes,
    outcome_weight,
    rank,
    round_number,
    settle,
)
from azul_duel_env.games.duel.engine import draw_chance as draw_outcome
from azul_duel_env.games.duel.engine import place_due_outcome as place_outcome
from azul_duel_env.games.duel.knowledge import resample_state
from azul_duel_env.games.duel.observation import OBSERVATION_SIZE, write_observation

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
