"""Positions as text for tests: a sound position in which a test replaces the lines that matter to it.

``board(TILING, "row 4: ..KK  .y .w  .b .k  -- --", "tower: B2")`` reads ``TILING`` with another row 4 and another tower. Of a line
``a | b``, a part for each player, ``row 4: a`` replaces that of player 0 and ``row 4 of player 1: b`` that of player 1. Left out,
``bag`` holds all remaining tiles, and ``stack`` is always filled in: it holds all remaining dome tiles. Every draw is explicit.
"""

from __future__ import annotations

import re

from azul_duel_env.game import Position
from azul_duel_env.games.duel import GAME, state

HEAD = """
options: zero_point_draw=free special_counts_as_colour=yes explicit_chance=yes scoring_tiles=3
decisions: 50
first player: 0
first-player tile: large
scoring: rows columns diagonals
tower: -
scores: 20 20
broken: - | -
chips up: - | -
chips down: - | -
"""

TURN = f"""{HEAD}
round: 2
stage: turn
active: 0
small-1: sun BBTR, moon -, chip down
small-2: sun TTYK, moon -, chip down
small-3: sun RRRR, moon -, chip down
small-4: sun -, moon KRY, chip down
large: sun BTRYK, moon -
display: *K/RB YB/K* YR/WB
row 1:      .  .y .k  .w .b  .k .*   |        .  -- --  .t .r  -- --
row 2:     ..  .t .*  .t .k  .t .r   |       ..  -- --  .b .w  -- --
row 3:    ...  -- --  -- --  -- --   |      ...  .k .y  -- --  -- --
row 4:   ....  -- --  -- --  -- --   |     ....  .r .w  -- --  -- --
row 5:  .....  -- --  -- --  -- --   |    .....  -- --  -- --  .t .y
row 6: ......  -- --  -- --  -- --   |   ......  -- --  -- --  .w .k
tokens: 2 2
chips taken: 0 0
"""
"""Round 2, early in phase 1: player 0 takes a turn."""

LAST_CHIP = f"""{HEAD}
stage: turn
active: 1
small-1: sun -, moon -, chip B
small-2: sun -, moon -, chip -
small-3: sun -, moon -, chip -
small-4: sun -, moon -, chip -
large: sun -, moon -
display: - - -
tokens: 0 0
chips taken: 2 1
"""
END_PHASE_1 = "D small-1"

TILING = f"""{LAST_CHIP}
round: 2
row 1:      .  .y .k  .w .b  .k .*   |        .  -- --  .t .r  -- --
row 2:     ..  .t .*  .t .k  .t .r   |       ..  -- --  .b .w  -- --
row 3:    ...  .r .t  .r .w  -- --   |      ...  .k .y  .y .r  -- --
row 4:   ....  .y .w  .b .k  -- --   |     ....  .r .w  .w .b  -- --
row 5:  .....  -- --  -- --  -- --   |    .....  -- --  .t .b  .t .y
row 6: ......  -- --  -- --  -- --   |   ......  -- --  .w .y  .w .k
"""
"""Round 2: player 1 takes the last bonus chip (``END_PHASE_1``), and phase 2 begins with player 0."""

SHORTAGE = f"""{LAST_CHIP}
round: 3
row 1:      .  Tw Bb  Tt Rr  -- --   |        .  Yy Rr  Tt Kk  -- --
row 2:     ..  Tt Kk  Bb Tw  -- --   |       ..  Yw Bb  Rr Yw  -- --
row 3:    YYY  Kk Yy  Tt Yy  -- --   |      RRR  Rr Tt  Tt Bb  -- --
row 4:   BBBB  Rr Tw  Tw Kk  -- --   |     KKKK  Yy Yw  Bw Yy  -- --
row 5:  .....  Yy Kk  Kk **  ** Kk   |    .....  Rr Rw  Yy Bb  Tt Rr
row 6: ......  Tt **  Tt Rr  Rr Bb   |   ......  Bb Kk  Kk **  Bb **
"""
"""Round 3: after ``END_PHASE_1`` nothing can be placed, all lines wait, and no tile is left to refill the factories."""

SPECIAL_DOME = (
    "Yy Kk  Kk **  ** Kk",
    "Tt **  Tt Rr  Rr Bb",
    "Yy Bb  Tt Rr  Yy **",
    "Kk **  Bb **  Kk Rr",
    "Bb Kk  ** Tt  ** Yy",
    "** Tt  Yy Bb  Bb Rr",
)
WILD_DOME = (
    "Tw Rr  Yy Rr  Kk Bb",
    "Yy Kk  Tw Bb  Bw Rr",
    "Yy Kk  Tt Bw  Tw Rr",
    "Tt Bw  Rr Yy  Kk Tt",
    "Kk Tt  Yy Rw  Bb Tt",
    "Bb Kw  Bb Tt  Yw Rr",
)
"""Domes of nine special and of nine wild dome tiles, all spaces filled."""
NO_TILES = "...... " * 6
ALL_TILES = "XXXXXX " * 6


def dome(player: int, picture: str, lines: str = "", filled: tuple[str, ...] = ()) -> list[str]:
    """Return the rows of a player for ``board``.

    Args:
        player: 0 has nine special dome tiles, 1 nine wild ones, unless ``filled`` says otherwise.
        picture: ``X`` for each space with a tile, ``.`` for each without, row by row.
        lines: what lies on pattern lines, such as ``2:.K 4:..BB``.
        filled: six rows with all spaces filled.
    """
    on_line = dict(word.split(":") for word in lines.split())
    rows = []
    for n, (marks, row) in enumerate(
        zip(picture.split(), filled or (SPECIAL_DOME, WILD_DOME)[player], strict=True), start=1
    ):
        spaces = [space if mark == "X" else "." + space[1] for mark, space in zip(marks, row.split(), strict=True)]
        rows.append(f"row {n} of player {player}: {on_line.get(str(n), '.' * n)}  {' '.join(spaces)}")
    return rows


def merged(base: str, *lines: str) -> dict[str, str]:
    """Return the named lines of a position text with some replaced, the last of each name being the one that counts."""
    fields: dict[str, str] = {}
    for line in [*base.splitlines(), *lines]:
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            continue
        of_player = re.fullmatch(r"(row \d) of player (\d)", name)
        if of_player or (name.startswith("row ") and "|" not in value):
            name, player = (of_player[1], int(of_player[2])) if of_player else (name, 0)
            halves = fields.get(name, "|").split("|")
            halves[player] = f" {value} "
            value = "|".join(halves)
        fields[name] = value
    return fields


def stack(fields: dict[str, str]) -> str:
    """Return the line ``stack`` for all dome tiles that lie nowhere else; a special one is on top as long as there is one."""
    domes = " ".join(value for name, value in fields.items() if name.startswith("row "))
    elsewhere = " ".join(fields.get(name, "") for name in ("display", "put back", "kept"))
    special = 9 - len(re.findall(r"[.*]\*", domes)) - sum("*" in tile for tile in elsewhere.split())
    wild = 9 - len(re.findall(r"[.A-Z]w", domes)) - sum("W" in tile for tile in elsewhere.split())
    return f"{special + wild} unseen" + (f", {'special' if special else 'wild'} on top" if special + wild else "")


def board(base: str, *lines: str) -> Position:
    """Return the position ``base`` with some lines replaced or added."""
    fields = merged(base, *lines)
    fields = {"stack": stack(fields)} | fields
    return GAME.read_position("\n".join([GAME.id, *(f"{name}: {value}" for name, value in fields.items())]))


LAST_TURN = "\n".join(
    f"{name}: {value}" for name, value in merged(LAST_CHIP, "round: 5", *dome(0, NO_TILES), *dome(1, NO_TILES)).items()
)
"""Round 5: player 1 takes the last bonus chip, and the last phase 2 begins. The domes are those of ``dome``."""


def play(position: Position, *names: str) -> Position:
    """Carry out decisions and draws by name, and return the position. ``...`` lets chance draw until a player decides."""
    for name in names:
        if name == "...":
            while position.chance_is_due:
                position.draw_chance()
        elif position.chance_is_due:
            position.apply_chance(GAME.text.parse_outcome(int(position.states[0].chance), name))
        else:
            position.step(GAME.text.parse_action(name))
    return position


def until(position: Position, chance: str) -> Position:
    """Let chance draw until a draw of this kind is due, and return the position."""
    while state.CHANCES[position.states[0].chance] != chance:
        position.draw_chance()
    return position


def tiling(*lines: str) -> Position:
    """Return ``TILING`` with some lines replaced, at the beginning of phase 2."""
    return play(board(TILING, *lines), END_PHASE_1)


def shortage(*lines: str) -> Position:
    """Return ``SHORTAGE`` with some lines replaced, when the display has been refilled."""
    position = play(board(SHORTAGE, *lines), END_PHASE_1)
    while state.CHANCES[position.states[0].chance] in ("stack top", "dome tile"):
        position.draw_chance()
    return position


FRONT_SIDES = ("rows", "columns", "diagonals", "wild_spaces")
BACK_SIDES = ("five_colours", "border", "corners", "empty_special_spaces")


def points(condition: str, *lines: str, player: int = 0) -> int:
    """Return what one scoring tile gives a player in ``LAST_TURN``: the difference between the scores with it and without."""
    sides = FRONT_SIDES if condition in FRONT_SIDES else BACK_SIDES
    three = [side for side in sides if side != condition]
    scores = []
    for conditions in (three, [*three, condition]):
        options = next((row for row in lines if row.startswith("options")), merged(HEAD)["options"])
        options = options.replace("scoring_tiles=3", f"scoring_tiles={len(conditions)}").removeprefix("options:")
        scoring = f"scoring: {' '.join(conditions)}"
        position = board(LAST_TURN, *lines, "scores: 100 100", scoring, f"options: {options}")
        scores.append(play(position, END_PHASE_1).scores[player])
    return scores[1] - scores[0]


def legal(position: Position, start: str = "") -> set[str]:
    """Return the names of the legal actions that begin this way."""
    return {name for _, name in position.named_actions() if name.startswith(start)}


def odds(position: Position) -> dict[str, float]:
    """Return the outcomes of the draw that is due, by name, with their probabilities."""
    chance = int(position.states[0].chance)
    return {GAME.text.outcome_name(chance, outcome): p for outcome, p in position.chance_outcomes()}


def line(position: Position, name: str, player: int | None = None) -> str:
    """Return a named line of a position's text, or one player's part of it; each space is one."""
    values = [row.partition(":")[2] for row in position.to_text().splitlines() if row.startswith(name + ":")]
    value = values[0] if values else "-"
    return " ".join((value if player is None else value.split("|")[player]).split())


def view(position: Position, player: int, *names: str) -> list[list[float]]:
    """Return named blocks of what a player observes, as flat lists."""
    views = GAME.text.unflatten(position.observe(player))
    return [views[name].ravel().tolist() for name in names]


def same_view(first: Position, second: Position, player: int) -> bool:
    """Return whether a player observes the same in two positions."""
    return first.observe(player).tobytes() == second.observe(player).tobytes()
