"""States with something changed at random, for tests that ask whether each is refused or sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walks import choose, games

from azul_duel_env.games.duel.state import STATE

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from azul_duel_env.game import Position

FIELDS = [name for name in STATE.names if name != "rng"]  # whatever bits the generator holds are good
TILES = ("bag", "tower", "suns", "large_moon", "broken")
CHIPS = ("chips_unseen", "chips_up", "chips_down")
EXTREMES = (-128, -2, -1, 0, 1, 2, 3, 5, 6, 12, 13, 17, 18, 71, 72, 127)
WIDE_EXTREMES = (-32768, -1, 0, 1, 400, 507, 508, 512, 513, 699, 700, 32767)


def some_positions(count: int, every: int = 7, first_seed: int = 0) -> list[Position]:
    """Return copies of positions of random games of all kinds, draws that are due included."""
    found: list[Position] = []
    for explicit_chance in (False, True):
        wanted = count if explicit_chance else count // 2
        for position, rng, policy in games(first_seed, explicit_chance=explicit_chance):
            at = 0
            while len(found) < wanted:
                if at % every == 0:
                    found.append(position.copy())
                if position.over:
                    break
                if position.chance_is_due:
                    position.draw_chance()
                else:
                    position.step(choose(position, rng, policy))
                at += 1
            if len(found) >= wanted:
                break
    return found


def mutations(count: int, rng: random.Random, pool: list[Position]) -> Iterator[Position]:
    """Yield copies of positions with one or two things changed."""
    for _ in range(count):
        position = rng.choice(pool).copy()
        for _ in range(rng.choice((1, 1, 2))):
            rng.choice(CHANGES)(position.states, rng, pool)
        yield position


def set_number(states, rng, _pool):
    """Set one number to something: in its range, beside it or far from it."""
    numbers = states[rng.choice(FIELDS)].reshape(-1)
    numbers[rng.randrange(len(numbers))] = rng.choice(EXTREMES if numbers.itemsize == 1 else WIDE_EXTREMES)


def nudge_number(states, rng, _pool):
    """Change one number by a little; what overflows wraps."""
    numbers = states[rng.choice(FIELDS)].reshape(-1)
    at = rng.randrange(len(numbers))
    numbers[at : at + 1] += numbers.dtype.type(rng.choice((-2, -1, 1, 2)))


def swap_numbers(states, rng, _pool):
    """Swap two numbers of a field."""
    numbers = states[rng.choice(FIELDS)].reshape(-1)
    one, two = rng.randrange(len(numbers)), rng.randrange(len(numbers))
    numbers[one], numbers[two] = numbers[two], numbers[one]


def move_one(states, rng, _pool):
    """Move a tile or a chip from one place to another, so that none is lost."""
    names, kinds = rng.choice(((TILES, 5), (CHIPS, 10)))
    kind = rng.randrange(kinds)
    places = [numbers[kind:] for name in names for numbers in states[name].reshape(-1, kinds)]
    held = [numbers for numbers in places if numbers[0] > 0]
    if held:
        rng.choice(held)[0] -= 1
        rng.choice(places)[0] += 1


def take_field(states, rng, pool):
    """Take a whole field from another position."""
    name = rng.choice(FIELDS)
    states[name] = rng.choice(pool).states[name]


CHANGES = (set_number, nudge_number, swap_numbers, move_one, move_one, take_field)
