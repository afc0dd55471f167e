"""The game of each number of players: the same rules, tables and words, and kernels of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np

from azul_duel_env.game import Abstraction, Display, Events, Game, Rules, ScoreBreakdown, Text
from azul_duel_env.games.pavilion_mini import (
    actions,
    bounds,
    chance,
    choices,
    engine,
    events,
    form,
    names,
    notation,
    observation,
    score_breakdown,
    words,
)
from azul_duel_env.games.pavilion_mini.abstraction import ABSTRACTIONS
from azul_duel_env.games.pavilion_mini.components import START_SCORE
from azul_duel_env.games.pavilion_mini.drawing.picture import event_journey, journey, picture
from azul_duel_env.games.pavilion_mini.guide import GUIDE
from azul_duel_env.games.pavilion_mini.state import OPTIONS, STATES, initial_states

PACKAGE = "azul_duel_env.games.pavilion_mini"
HOMES = {2: f"{PACKAGE}:GAME", 3: f"{PACKAGE}:GAME_OF_THREE", 4: f"{PACKAGE}:GAME_OF_FOUR"}
KERNELS = {2: f"{PACKAGE}.kernels.two", 3: f"{PACKAGE}.kernels.three", 4: f"{PACKAGE}.kernels.four"}
DATA = Path(__file__).parent / "data"
NETWORKS = {2: DATA / "network_2.npz"}
LADDER_AGENTS = ("random", "greedy", "mcts:50", "mcts:200")

EVENTS = Events(
    kinds=events.EVENT_KINDS,
    moments_of_setup=events.moments_of_setup,
    moments_of=events.moments_of,
    moments_of_outcome=events.moments_of_outcome,
)
BREAKDOWN = ScoreBreakdown(
    sources=score_breakdown.SOURCES,
    start=START_SCORE,
    bonuses=score_breakdown.BONUSES,
    carry_out=score_breakdown.carry_out_booked,
    bonus_points=score_breakdown.bonus_points,
    bonuses_in_play=score_breakdown.bonuses_in_play,
)


def _text_for(num_players: int, check: Callable[[np.ndarray], list[str]]) -> Text:
    """Return the words of the game for so many players."""
    return Text(
        action_name=actions.action_name,
        parse_action=actions.parse_action,
        outcome_name=names.outcome_name,
        parse_outcome=names.parse_outcome,
        write=notation.write,
        read=partial(notation.read, num_players=num_players, check=check),
        board=notation.board,
        decision_name=names.decision_name,
        unflatten=observation.unflatten,
    )


def game_for(num_players: int) -> Game:
    """Return the game for so many players."""
    kernels = KERNELS[num_players]
    entries = import_module(f"{kernels}.entries")
    soundness = import_module(f"{kernels}.soundness")
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
            check=soundness.check,
            unsound_rows=soundness.unsound_rows,
        ),
        text=_text_for(num_players, soundness.check),
        display=Display(
            picture=picture,
            describe=words.describe,
            question=words.question,
            parts=choices.pickable_parts,
            journey=journey,
            event_journey=event_journey,
            round_name=words.round_name,
            board_colours=choices.BOARD_COLOURS,
            options=form.FORM,
            describe_event=words.describe_event,
            guide=GUIDE,
        ),
        abstraction=Abstraction.of(entries, ABSTRACTIONS[num_players]),
        events=EVENTS,
        breakdown=BREAKDOWN,
        kernels=kernels,
        observation_blocks=observation.BLOCKS[num_players],
        ladder_agents=LADDER_AGENTS
        + (("network", "network+mcts:50", "network+mcts:200") if num_players in NETWORKS else ()),
        ladder=DATA / f"ladder_{num_players}.json",
        network=NETWORKS.get(num_players),
        adviser="network+mcts:400" if num_players in NETWORKS else "mcts:400",
        rounded_blocks=observation.ROUNDED,
        variants=HOMES,
    )
