"""Whole games of Azul Summer Pavilion Mini on the core and on the naive twin, compared at every step.

The twin asks for discards and tiles of the supply also where there is one choice, and the core goes on by itself there: what leaves no
choice is carried out on the twin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mini import game_of
from naive_pavilion import NaivePavilion

from azul_duel_env.game import Position
from azul_duel_env.games.pavilion_mini.actions import DISCARD_TILE, PAY_WILDS, PLACE_TILE, action_name, decode
from azul_duel_env.games.pavilion_mini.components import COLOURS, EMPTY, SPACE_NUMBER, STAR_SIZE, STARS
from azul_duel_env.games.pavilion_mini.state import FIRST, STAGES

PARTS = ("pay", "bonus", "discard")


def twin_name(action: int) -> str:
    """Return what the twin calls an action."""
    block, indices = decode(action)
    if block != "place":
        return action_name(action)
    star, position = divmod(indices[0], STAR_SIZE)
    return f"place {STARS[star]} {position + 1} {COLOURS[indices[1]]}"


def piles(rows: Any) -> Any:
    """Return counts of colours as the twin has them: only those that are there."""
    rows = np.asarray(rows)
    if rows.ndim > 1:
        return [piles(row) for row in rows]
    return {colour: int(n) for colour, n in zip(COLOURS, rows, strict=True) if n}


def differences(state: Any, twin: NaivePavilion) -> list[str]:
    """Return what the core and the twin see differently where a player decides or the game is over."""
    found = []
    facts = twin.facts()
    boards = [
        {(STARS[space // STAR_SIZE], space % STAR_SIZE + 1): COLOURS[colour] for space, colour in enumerate(board) if colour != EMPTY}
        for board in state.boards
    ]  # fmt: skip
    left = [facts["hands"][seat] or facts["corners"][seat] for seat in range(len(boards))]
    same = {
        "round": int(state.round_number),
        "wild": COLOURS[state.wild_order[state.round_number - 1]],
        "first_player": int(state.first_player),
        "scores": state.scores.tolist(),
        "bag": piles(state.bag),
        "deposit": piles(state.deposit),
        "supply": piles(state.supply),
        "factories": piles(state.factories),
        "centre": piles(state.centre),
        "boards": boards,
        "token": None if state.token < 0 else int(state.token),
    }
    for name, value in same.items():
        if value != facts[name]:
            found.append(f"{name}: core {value}, twin {facts[name]}")
    if piles(state.hands) != left:
        found.append(f"hands: core {piles(state.hands)}, twin {left}")
    passing = STAGES[state.stage] == "discard"  # the twin notes that somebody has passed when nothing is left to throw
    if not passing and state.passed.astype(bool).tolist() != facts["passed"]:
        found.append(f"passed: core {state.passed.tolist()}, twin {facts['passed']}")
    return found


def catch_up(twin: NaivePavilion) -> None:
    """Let the twin carry out all parts of turns that leave no choice."""
    while not twin.over and twin.due() is None:
        legal = twin.legal()
        [*names] = legal
        is_part = twin.facts()["decision"] in PARTS or all(name.startswith("discard") for name in names)
        if len(names) != 1 or not is_part:
            return
        twin.do(names[0])


def follow_chance(position: Position, twin: NaivePavilion, rng: np.random.Generator) -> None:
    """Compare the draw that is due and its odds, and let the same outcome happen on both."""
    due = twin.due()
    assert due is not None, "the core has a draw due, the twin has none"
    kind, weights = due
    state = position.states[0]
    is_first = state.chance == FIRST
    assert kind == ("first" if is_first else "tile")
    outcomes, odds = zip(*position.chance_outcomes(), strict=True)
    names = {outcome: outcome if is_first else COLOURS[outcome] for outcome in outcomes}
    total = sum(weights.values())
    assert {names[outcome]: p for outcome, p in zip(outcomes, odds, strict=True)} == {
        outcome: weight / total for outcome, weight in weights.items()
    }
    facts = twin.facts()
    for pile in ("bag", "deposit", "supply", "factories"):
        assert piles(state[pile]) == facts[pile], f"{pile} before a draw"
    outcome = int(rng.choice(outcomes, p=odds))
    position.apply_chance(outcome)
    twin.draw(names[outcome])


def choose(position: Position, rng: np.random.Generator, policy: str) -> int:
    """Choose at random; "sensible" prefers to place, and there what costs least; most throws nothing."""
    legal = position.legal_actions()
    if policy == "random":
        return int(rng.choice(legal))
    state = position.states[0]
    places = [a for a in legal if PLACE_TILE <= a < PAY_WILDS]
    if places:
        cost = {a: SPACE_NUMBER[state.grey, (a - int(PLACE_TILE)) // 6] + rng.random() for a in places}
        return int(min(places, key=cost.__getitem__))
    return int(rng.choice([a for a in legal if a < DISCARD_TILE] or legal))


def play(num_players: int, seed: int, policy: str, **options: Any) -> int:
    """Play a game on both; return the number of decisions.

    Raises:
        AssertionError: they differ.
    """
    rng = np.random.default_rng(seed)
    position = game_of(num_players).new(seed, explicit_chance=True, **options)
    twin = NaivePavilion(
        num_players,
        grey=options["board"] == "grey",
        wild_order=options["wild_order"],
        keep=options["keep"],
        first_player=options.get("first_player"),
    )
    decisions = 0
    while True:
        while position.states[0].chance:
            catch_up(twin)
            follow_chance(position, twin, rng)
        catch_up(twin)
        if position.over:
            break
        legal = position.legal_actions()
        assert twin.player == position.player, f"{twin.player} decides, not {position.player}"
        names = {twin_name(action) for action in legal}
        assert names == twin.legal(), sorted(names ^ twin.legal())
        assert not (found := differences(position.states[0], twin)), "\n".join(found)
        action = choose(position, rng, policy)
        position.step(action)
        twin.do(twin_name(action))
        decisions += 1
    assert twin.over
    assert position.scores == tuple(twin.facts()["scores"])
    assert set(position.winners) == twin.winners
    assert list(position.ranks) == twin.ranks
    return decisions
