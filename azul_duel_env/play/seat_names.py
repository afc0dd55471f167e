"""What those who play are called on the table: specs short enough for a line of a picture, a table or a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from azul_duel_env.game import YOU, distinct
from azul_duel_env.play.new_game import HUMAN

MOST_LETTERS = 28
"""Of a name on the table."""


def names_of_seats(seats: Sequence[str]) -> tuple[str, ...]:
    """Return what each seat is called on the table.

    Args:
        seats: ``"human"`` or the spec of an agent, for each seat. The only person is called You.
    """
    alone = list(seats).count(HUMAN) == 1
    people = [YOU if alone else f"Player {number}" for number in range(1, len(seats) + 1)]
    return distinct([who if spec == HUMAN else short_name(spec) for spec, who in zip(seats, people, strict=True)])


def short_name(spec: str) -> str:
    """Return the spec of an agent in at most 28 letters, such as ``network:…/model.npz``: of a path the file's name stays."""
    if len(spec) <= MOST_LETTERS:
        return spec
    head, colon, path = spec.rpartition(":")
    file = PurePath(path).name
    if file != path:
        spec = f"{head}{colon}…/{file}"
    if len(spec) <= MOST_LETTERS:
        return spec
    end = MOST_LETTERS // 2
    return f"{spec[: MOST_LETTERS - end - 1]}…{spec[-end:]}"
