"""The game of each number of players: the same rules, tables and words, and kernels of its own."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np

from azul_duel_env.game import Abstraction, Display, Events, Game, Rules, ScoreBreakdown, Text
from azul_duel_env.games.pavilion_mini import actions, bounds, chance, engine, names, notation, observation
from azul_duel_env.games.pavilion_mini.state import OPTIONS, STATES, initial_states

PACKAGE = "azul_duel_env.games.pavilion_mini"
HOMES = {2: f"{PACKAGE}:GAME", 3: f"{PACKAGE}:GAME_OF_THREE", 4: f"{PACKAGE}:GAME_OF_FOUR"}
KERNELS = {2: f"{PACKAGE}.kernels.two", 3: f"{PACKAGE}.kernels.three", 4: f"{PACKAGE}.kernels.four"}
LADDERS = Path(__file__).parent / "data"

TEXT = Text(
    action_name=actions.action_name,
    parse_action=actions.parse_action,
    outcome_name=names.outcome_name,
    parse_outcome=names.parse_outcome,
    write=notation.write,
    read=notation.read,
    board=notation.board,
    decision_name=names.decision_name,
    unflatten=observation.unflatten,
)


def _none(*_: object, **__: object) -> list[object]:
    return []


def game_for(num_players: int) -> Game:
    """Return the game for so many players."""
    kernels = KERNELS[num_players]
    entries = import_module(f"{kernels}.entries")
    return Game(
        home=HOMES[num_players],
        id=notation.HEADER,
        title="Azul Summer Pavilion Mini",
        num_players=num_players,
        num_actions=actions.NUM_ACTIONS,
        observation_size=observation.OBSERVATION_SIZES[num_players],
        max_legal=actions.MAX_LEGAL,
        max_outcomes=chance.max_outcomes(num_players),
        max_decisions=engine.MAX_DECISIONS,
        max_draws=chance.max_draws(num_players),
        max_points=bounds.MOST_POINTS,
        state=STATES[num_players],
        options=OPTIONS[num_players],
        rules=Rules.of(
            entries,
            initial_states=initial_states,
            drawn_in_vain=lambda *_: 0,
            check=lambda *_: [],
            unsound_rows=lambda _: np.zeros(0, np.int64),
        ),
        text=TEXT,
        display=Display(
            picture=_none,
            describe=lambda action, *_: actions.action_name(action),
            question=lambda _: "?",
            describe_event=_none,
        ),
        abstraction=Abstraction.of(entries, import_module(f"{kernels}.abstraction").WholeActions),
        events=Events(kinds={}, events_of_setup=_none, events_of=_none, events_of_outcome=_none),
        breakdown=ScoreBreakdown(
            sources={}, start=0, bonuses=(), carry_out=_none, bonus_points=_none, bonuses_in_play=_none
        ),
        kernels=kernels,
        observation_blocks=observation.BLOCKS[num_players],
        ladder_agents=("random", "greedy", "mcts:50", "mcts:200"),
        ladder=LADDERS / f"ladder_{num_players}.json",
        variants=HOMES,
    )
