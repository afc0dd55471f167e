"""A game of three players, to test that shared code knows no game: the rules are in ``rules``, all else that a game must write is here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from azul_duel_env.game import (
    Abstraction,
    Display,
    Event,
    EventKind,
    Events,
    Game,
    Moment,
    Rules,
    ScoreBreakdown,
    Text,
    copy_of,
)
from azul_duel_env.jit.rng import keys_from_seeds
from azul_duel_env.view.picture import Picture, Piece
from toy_game import rules
from toy_game.kernels import abstraction, entries

ACTIONS = ("take", "give")
OUTCOMES = ("one", "two", "three")


@dataclass(frozen=True)
class Options:
    """The configuration."""

    explicit_chance: bool = False


def initial_states(seeds, options):
    states = np.zeros(len(seeds), rules.STATE)
    states["rng"], states["explicit_chance"] = keys_from_seeds(seeds), options.explicit_chance
    return states


def check(states, i):
    return [] if 0 <= states["decisions"][i] <= rules.MAX_DECISIONS else ["decisions"]


def unsound_rows(states):
    if states.dtype != rules.STATE:
        raise ValueError("expected states of dice")
    return np.array([i for i in range(len(states)) if check(states, i)], np.int64)


def write(states, i):
    return f"toy/dice-v0 {states[i : i + 1].tobytes().hex()}\n"


def read(text):
    return np.frombuffer(bytes.fromhex(text.split()[1]), rules.STATE).copy()


def board(states, i):
    return f"die {states['die'][i]}, points {states['scores'][i].tolist()}"


def decision_name(states, i):
    return "roll" if states["chance"][i] else "over" if states["player"][i] < 0 else "take or give"


def picture(state, **_):
    """Return the points as text."""
    text = f'<text x="10" y="60">{board(np.array([state], rules.STATE), 0)}</text>'
    return Picture(400, 100, "dice", "", {}, (Piece((0, 0, 400, 100), text),))


class Actions(abstraction.WholeActions):
    """Actions, asked as they are."""

    def action_name(self, action):
        return ACTIONS[action]


@dataclass(frozen=True, kw_only=True)
class Taken(Event):
    """A player takes the points of the die."""

    kind: ClassVar[str] = "taken"


@dataclass(frozen=True, kw_only=True)
class Given(Event):
    """A player gets the points of the die of another."""

    kind: ClassVar[str] = "given"


@dataclass(frozen=True, kw_only=True)
class Rolled(Event):
    """The die is rolled."""

    kind: ClassVar[str] = "rolled"
    die: int


EVENT_KINDS = {
    "taken": EventKind("a player takes the points of the die", {}, source="taken"),
    "given": EventKind("a player gets the points of the die of another", {}, source="given"),
    "rolled": EventKind("the die is rolled", {"die": "1 to 3"}),
}


def rolled(states):
    return [Rolled(die=int(states["die"][0]))] if states["die"][0] else []


def moments_after(step, states, i, *args):
    """Return what a step of the rules does to a copy of a state: all at once."""
    after = copy_of(states[i : i + 1])
    if step(after, 0, *args) is False:
        raise ValueError(f"{args} is not possible")
    decides, gained = states["player"][i], after["scores"][0] - states["scores"][i]
    scored = [(Taken if p == decides else Given)(player=p, points=n) for p, n in enumerate(gained.tolist()) if n]
    return iter([Moment(tuple(scored), after), Moment(tuple(rolled(after)), after)])


def describe_event(event, names=("a", "b", "c"), seat=None):
    return f"the die shows {event.die}" if event.kind == "rolled" else f"{names[event.player]} gets {event.points}"


def carry_out_booked(states, i, action, book):
    player, points = int(states["player"][i]), int(states["die"][i])
    GAME.rules.try_action(states, i, action)
    book[(player + action) % rules.NUM_PLAYERS, action] += points


GAME = Game(
    home="toy_game:GAME",
    id="toy/dice-v0",
    title="Dice",
    num_players=rules.NUM_PLAYERS,
    num_actions=rules.NUM_ACTIONS,
    observation_size=rules.OBSERVATION_SIZE,
    max_legal=rules.MAX_LEGAL,
    max_outcomes=rules.SIDES,
    max_decisions=rules.MAX_DECISIONS,
    max_draws=rules.MAX_DECISIONS,
    max_points=rules.SIDES * rules.MAX_DECISIONS,
    state=rules.STATE,
    options=Options,
    rules=Rules.of(
        entries, initial_states=initial_states, drawn_in_vain=lambda *_: 0, check=check, unsound_rows=unsound_rows
    ),
    text=Text(
        action_name=ACTIONS.__getitem__,
        parse_action=ACTIONS.index,
        outcome_name=lambda _, outcome: OUTCOMES[outcome],
        parse_outcome=lambda _, text: OUTCOMES.index(text),
        write=write,
        read=read,
        board=board,
        decision_name=decision_name,
        unflatten=lambda observation: {"points": observation[..., : rules.NUM_PLAYERS]},
    ),
    display=Display(
        picture=picture,
        describe=lambda action, *_: ACTIONS[action],
        question=lambda _: "Take the points, or give them away?",
        describe_event=describe_event,
    ),
    abstraction=Abstraction.of(entries, Actions),
    events=Events(
        kinds=EVENT_KINDS,
        moments_of_setup=partial(moments_after, entries.advance_to_decision),
        moments_of=partial(moments_after, entries.try_action),
        moments_of_outcome=partial(moments_after, entries.try_outcome),
    ),
    breakdown=ScoreBreakdown(
        sources={"taken": "taken", "given": "given by others"},
        start=0,
        bonuses=(),
        carry_out=carry_out_booked,
        bonus_points=lambda *_: None,
        bonuses_in_play=lambda *_: np.zeros(0, bool),
    ),
    kernels="toy_game.kernels",
    observation_blocks=(),
)
