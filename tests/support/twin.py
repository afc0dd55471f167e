"""Play the core and the naive twin side by side, chance made explicit, and compare all they say."""

from __future__ import annotations

import numpy as np
from naive_duel import NaiveDuel

from azul_duel_env.game import Position
from azul_duel_env.games.duel import GAME, Options, chance, components, state

CHANCE_NAMES = {
    state.STACK_TOP: "top",
    state.FRONT: "front",
    state.SCORING: "scoring",
    state.TILE: "tile",
    state.CHIP: "chip",
    state.FIRST: "first",
}


def _none(value: int) -> int | None:
    return None if value < 0 else int(value)


def core_dict(states: np.ndarray) -> dict:
    """Say a state of the core in the twin's words."""
    s = states[0]
    chips = {components.NO_CHIP: None, components.FACE_DOWN: "down"}
    put_back = [int(tile) for tile in s.put_back if tile >= 0]
    top = s.top_kind if s.stack_unseen else (components.KIND_OF[put_back[0]] if put_back else -1)
    return {
        "round": int(s.round_number),
        "first_player": int(s.first_player),
        "first_player_tile": "factory" if s.first_player_tile < 0 else int(s.first_player_tile),
        "scores": s.scores.tolist(),
        "scoring": np.flatnonzero(s.scoring).tolist(),
        "bag": s.bag.tolist(),
        "tower": s.tower.tolist(),
        "suns": s.suns.tolist(),
        "moons": [[int(c) for c in moon if c >= 0] for moon in s.moons],
        "large_moon": s.large_moon.tolist(),
        "chips": [chips.get(int(chip), int(chip)) for chip in s.factory_chips],
        "display": [_none(tile) for tile in s.display],
        "stack": int(s.stack_unseen) + len(put_back),
        "put_back": put_back,
        "top_kind": _none(top),
        "hand": [_none(tile) for tile in s.hand[: s.hand_size]],
        "kept": _none(s.kept),
        "lines": [[[_none(s.line_colours[p, n]), int(s.lines[p, n])] for n in range(6)] for p in (0, 1)],
        "domes": [[None if lay < 0 else [int(lay) // 4, int(lay) % 4] for lay in dome] for dome in s.domes],
        "tiles": [[[_none(tile) for tile in row] for row in dome] for dome in s.tiles],
        "broken": s.broken.tolist(),
        "tokens": s.tokens.tolist(),
        "chips_up": s.chips_up.tolist(),
        "chips_down": s.chips_down.tolist(),
        "chips_taken": s.chips_taken.tolist(),
    }


def differences(states: np.ndarray, twin: NaiveDuel) -> list[str]:
    """Compare two states at a decision or at the end; where the twin puts off what the core does at once, look past that."""
    core, naive = core_dict(states), twin.to_dict()
    if naive["kept"] is not None:
        naive["hand"].remove(naive["kept"])
    if core["round"] == components.NUM_ROUNDS:  # D33: no token is used in round 5; the twin hands them out all the same
        core["tokens"] = naive["tokens"]
    if core["round"] == 0:  # the opening placements: round 1 has not begun
        core["round"], core["tokens"] = 1, naive["tokens"]
    if states[0].stage in (state.COLUMN, state.PAYING):
        clear_placed_lines(core["lines"], naive)
    return [f"{key}: core {core[key]}, twin {naive[key]}" for key in core if core[key] != naive[key]]


def clear_placed_lines(lines: list, naive: dict) -> None:
    """Put the rest of lines whose tile was placed into the twin's tower: it does so only after the sixth line (D67)."""
    for core_board, naive_board in zip(lines, naive["lines"], strict=True):
        for n, (colour, count) in enumerate(naive_board):
            if core_board[n] == [None, 0] and colour is not None:
                naive["tower"][colour] += count
                naive_board[n] = [None, 0]


def play(seed: int, options: Options, policy: str) -> int:
    """Play one random game on both; return the number of decisions.

    Raises:
        AssertionError: they disagree on what is due, on odds, legal actions, state, scores or winner.
    """
    rng = np.random.default_rng(seed)
    twin = NaiveDuel(
        options.scoring_tiles, options.zero_point_draw, options.special_counts_as_colour, options.chip_payments
    )
    position = Position(GAME, GAME.new_states([seed], options))
    decisions = 0
    while not position.over:
        if position.chance_is_due:
            follow_chance(position, twin, rng)
            continue
        legal = position.legal_actions().tolist()
        assert twin.player == position.player, f"{twin.player} decides, not {position.player}"
        assert set(legal) == twin.legal_actions(), sorted(set(legal) ^ twin.legal_actions())
        assert not (found := differences(position.states, twin)), "\n".join(found)
        action = choose(legal, rng, policy)
        position.step(action)
        twin.step(action)
        decisions += 1
    assert twin.over
    assert not (found := differences(position.states, twin)), "\n".join(found)
    assert _none(position.winner) == twin.winner
    return decisions


def follow_chance(position: Position, twin: NaiveDuel, rng: np.random.Generator) -> None:
    """Compare the draw that is due and its odds, and let the same outcome happen on both."""
    due = twin.chance()
    assert due is not None, "the core has a draw due, the twin has none"
    name, weights = due
    outcomes, odds = zip(*position.chance_outcomes(), strict=True)
    total = sum(weights.values())
    assert name == CHANCE_NAMES[int(position.states[0].chance)]
    assert dict(zip(outcomes, odds, strict=True)) == {outcome: weight / total for outcome, weight in weights.items()}
    outcome = int(rng.choice(outcomes, p=odds))
    position.apply_chance(outcome)
    twin.apply_chance(outcome)


def choose(legal: list[int], rng: np.random.Generator, policy: str) -> int:
    """Choose at random; "fill" prefers pattern lines, chips and placing to breaking and declining, "draw" prefers to draw."""
    from azul_duel_env.games.duel.actions import CHIP_DECLINE, DOME_DRAW, MOON

    if policy == "draw" and DOME_DRAW in legal and rng.random() < 0.8:
        return DOME_DRAW
    if policy != "random":
        wanted = [a for a in legal if not ((a < MOON + 35 and a % 7 == 6) or a == CHIP_DECLINE)]
        legal = wanted or legal
    return int(rng.choice(legal))


assert chance.NUM_OUTCOMES[state.TILE] == components.NUM_COLOURS
