"""Games as text files: configuration, seed, every action and every draw in words; they replay exactly.

    ID game
    options: {}
    seed: 7
    player 0: greedy
    player 1: random

    * NAME OF A DRAW
    0: NAME OF AN ACTION

A line ``*`` says what was drawn, ``0:``, ``1:`` and so on what a player did. Replay takes the draws from the file, so that a game played at
a table can be written down as well: then ``seed`` is ``none``. It goes through the same states as the game, but for the generator, which
does not move, and ``explicit_chance``. Draws that went back, where the rules draw anew, may be written down, and are passed over.
Empty lines, lines that begin with ``#``, and what follows `` #`` after a draw or an action don't count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from azul_duel_env.game import NOBODY, Game, Position, States
from azul_duel_env.games import GAMES, find_game
from azul_duel_env.system.reading import MOST_DIGITS, json_from

TITLE = " game"
DRAWN = "*"
HUMAN = "human"
"""The name of a person at the table; all others have the spec of an agent."""
MOST_BYTES = 256 * 1024
"""A game file has about 8 KiB; a longer file is none."""
LONGEST_EVENT = 200  # characters; names of draws and actions are shorter
LONGEST_MESSAGE = 500
SHOWN = 80  # characters of a line in a message


class RecordError(ValueError):
    """A text that is no game; the message names the line and what was expected."""


@dataclass(frozen=True)
class Ply:
    """Something that happened: a draw (player -1) or an action, and its name."""

    player: int
    number: int
    name: str

    def apply(self, position: Position) -> None:
        """Let it happen.

        Raises:
            ValueError: it is not possible there; nothing has changed.
        """
        if self.player == NOBODY:
            position.apply_chance(self.number)
        else:
            position.step(self.number)


@dataclass(frozen=True)
class Record:
    """A game, finished or not.

    Attributes:
        game: the game.
        options: its configuration, without ``explicit_chance`` and ``num_players``.
        seed: what its generator started from, or None for a game whose draws came from elsewhere.
        plies: draws and actions in order.
        players: a name for each seat, or none.
    """

    game: Game
    options: dict[str, Any]
    seed: int | None
    plies: tuple[Ply, ...]
    players: tuple[str, ...] = field(default=())

    def positions(self) -> Iterator[tuple[Position, Ply | None]]:
        """Yield each position (a fresh copy) with the ply that leads on from it; the last one with None."""
        position = self.start()
        for ply in self.plies:
            yield position.copy(), ply
            ply.apply(position)
        yield position.copy(), None

    def start(self) -> Position:
        """Return the position at the first draw or decision, with explicit chance."""
        states = self.initial_states()
        self.game.rules.advance_to_decision(states, 0)
        return Position(self.game, states)

    def initial_states(self) -> States:
        """Return the state before anything has happened (shape (1,)), with explicit chance."""
        options = self.game.make_options(**self.options, explicit_chance=True)
        return self.game.rules.initial_states([0 if self.seed is None else self.seed], options)

    def write(self) -> str:
        """Return the game as text.

        Raises:
            ValueError: a player's name has several lines.
        """
        if any(len(name.splitlines()) > 1 for name in self.players):
            raise ValueError(f"a player's name must be one line: {self.players}")
        head = [self.game.id + TITLE, f"options: {json.dumps({**self.game.players_option, **self.options})}"]
        head.append(f"seed: {'none' if self.seed is None else self.seed}")
        head += [f"player {seat}: {name}" for seat, name in enumerate(self.players)]
        lines = [f"{DRAWN if ply.player < 0 else f'{ply.player}:'} {ply.name}" for ply in self.plies]
        return "\n".join([*head, "", *lines]) + "\n"


def record_game(
    game: Game, seed: int, actions: Sequence[int], options: dict[str, Any] | None = None, players: Sequence[str] = ()
) -> Record:
    """Return the record of a game that was played from a seed, with the draws that its generator gave.

    Raises:
        ValueError: an action is not legal where it stands, or left when the game is over.
    """
    position = game.new(seed, **(options or {}), explicit_chance=True)
    plies: list[Ply] = []
    waiting = list(reversed(actions))
    while not position.over and (position.chance_is_due or waiting):
        if position.chance_is_due:
            chance = position.chance
            outcome = position.draw_chance()
            plies.append(Ply(-1, outcome, game.text.outcome_name(chance, outcome)))
        else:
            player, action = position.player, int(waiting.pop())
            position.step(action)
            plies.append(Ply(player, action, game.text.action_name(action)))
    if waiting:
        raise ValueError(f"the game is over, and {len(waiting)} actions are left")
    return Record(game, _plain(options or {}), seed, tuple(plies), tuple(players))


def _plain(options: dict[str, Any]) -> dict[str, Any]:
    """Return options as JSON will give them back; the number of players is the game's."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in options.items()
        if name != "num_players"
    }


def read_record(text: str) -> Record:
    """Return the game written as text, having played it through.

    Raises:
        RecordError: (a ValueError) the text is no game, or something in it can't happen; the message names the line.
    """
    lines = _lines_of(text)
    head = [(number, line) for number, line in lines[1:] if not _is_event(line)]
    record = _read_head(_game_named(lines), head)
    position = _start_of(record, head)
    plies: list[Ply] = []
    for number, line in lines[1:]:
        if not _is_event(line):
            continue
        if in_vain := _drawn_in_vain(position, line):
            del plies[-in_vain:]
            position = _after(record, plies)
        else:
            plies.append(_read_ply(position, number, line))
    return replace(record, plies=tuple(plies))


def game_of(text: str) -> Game:
    """Return the game that a game file is of, for its number of players; nothing is played.

    Raises:
        RecordError: the text is no game; the message names the line.
    """
    lines = _lines_of(text)
    return _read_head(_game_named(lines), [(number, line) for number, line in lines[1:] if not _is_event(line)]).game


def _lines_of(text: str) -> list[tuple[int, str]]:
    """Return the lines that say something, with their numbers."""
    lines = [(number, _without_comment(line.strip())) for number, line in enumerate(text.splitlines(), 1)]
    return [(number, line) for number, line in lines if line]


def _game_named(lines: list[tuple[int, str]]) -> Game:
    """Return the game that the first line names, for the usual number of players."""
    known = [game_id + TITLE for game_id in GAMES]
    if not lines or lines[0][1] not in known:
        found = lines[0][1] if lines else ""
        raise RecordError(f"line 1: expected {' or '.join(map(repr, known))}, not {found!r:.{SHOWN}}")
    return find_game(lines[0][1].removesuffix(TITLE))


def _drawn_in_vain(position: Position, line: str) -> int:
    """Return how many of the last draws went back together with the one that a line names; 0 if it is no such draw."""
    if not line.startswith(DRAWN) or not position.chance_is_due:
        return 0
    try:
        outcome = position.game.text.parse_outcome(position.chance, line.removeprefix(DRAWN).strip())
    except ValueError:  # reported when the line is read
        return 0
    return position.game.rules.drawn_in_vain(position.states, 0, outcome)


def _after(record: Record, plies: Sequence[Ply]) -> Position:
    """Return the position after some plies."""
    position = record.start()
    for ply in plies:
        ply.apply(position)
    return position


def _without_comment(line: str) -> str:
    """Return a line without its comment; a player's name may hold a number sign."""
    return "" if line.startswith("#") else line.split(" #")[0].strip() if _is_event(line) else line


def _start_of(record: Record, head: list[tuple[int, str]]) -> Position:
    try:
        return record.start()
    except (TypeError, ValueError) as error:
        number = next((number for number, line in head if line.startswith("options")), 1)
        raise RecordError(f"line {number}: {error!s:.{LONGEST_MESSAGE}}") from None


def _is_event(line: str) -> bool:
    return line.startswith(DRAWN) or re.match(r"[0-9]+:", line) is not None


def _read_head(game: Game, head: list[tuple[int, str]]) -> Record:
    """Read options, seed and players: a game before its first ply."""
    given = _fields_of(game, head)
    for name in ("options", "seed"):
        if name not in given:
            raise RecordError(f"the line '{name}: ...' is missing")
    options = _read_options(*given["options"])
    try:
        game = game.of(options)
    except ValueError as error:
        raise RecordError(f"line {given['options'][0]}: {error}") from None
    names = [f"player {seat}" for seat in range(game.num_players)]
    for name in given:
        if name.startswith("player") and name not in names:
            raise RecordError(f"line {given[name][0]}: there are players 0 to {len(names) - 1}, not {name!r}")
    players = tuple(given[name][1] for name in names if name in given)
    return Record(game, _plain(options), _read_seed(*given["seed"]), (), players)


def _fields_of(game: Game, head: list[tuple[int, str]]) -> dict[str, tuple[int, str]]:
    """Return the lines before the plies by name: their numbers and values."""
    known = ("options", "seed", *(f"player {seat}" for seat in range(max(game.player_counts))))
    given: dict[str, tuple[int, str]] = {}
    for number, line in head:
        name, _, value = line.partition(":")
        if name not in known:
            what = "options, seed, player, '* draw' or '0: action'"
            raise RecordError(f"line {number}: expected {what}, not {line!r:.{SHOWN}}")
        if name in given:
            raise RecordError(f"line {number}: {name!r} stands twice")
        given[name] = (number, value.strip())
    return given


def _read_seed(number: int, value: str) -> int | None:
    if value != "none" and not re.fullmatch(f"[0-9]{{1,{MOST_DIGITS}}}", value):
        what = f"a seed of at least 0 and at most {MOST_DIGITS} digits, or none"
        raise RecordError(f"line {number}: expected {what}, not {value!r:.{SHOWN}}")
    return None if value == "none" else int(value)


def _read_options(number: int, value: str) -> dict[str, Any]:
    try:
        options = json_from(value)
    except ValueError as error:
        what = "JSON such as {}"
        raise RecordError(f"line {number}: options must be {what}, not {value!r:.{SHOWN}}: {error}") from None
    if not isinstance(options, dict) or "explicit_chance" in options:
        what = "a JSON object, without explicit_chance"
        raise RecordError(f"line {number}: options must be {what}, not {value!r:.{SHOWN}}")
    return options


def _read_ply(position: Position, number: int, line: str) -> Ply:
    """Read one draw or action and let it happen."""
    game = position.game
    if len(line) > LONGEST_EVENT:
        raise RecordError(f"line {number}: expected a draw or an action, not {line!r:.{SHOWN}}")
    try:
        if line.startswith(DRAWN):
            name = line.removeprefix(DRAWN).strip()
            if not position.chance_is_due:
                raise ValueError(f"nothing is drawn here: {game.text.decision_name(position.states, 0)}")
            ply = Ply(-1, game.text.parse_outcome(position.chance, name), name)
        else:
            player, name = map(str.strip, line.split(":", 1))
            if str(position.player) not in (player, "-1"):
                raise ValueError(f"player {position.player} decides here, not player {player:.{SHOWN}}")
            if player not in map(str, range(game.num_players)):
                raise ValueError(f"players are 0 to {game.num_players - 1}, not {player:.{SHOWN}}")
            ply = Ply(int(player), game.text.parse_action(name), name)
        ply.apply(position)
    except ValueError as error:
        raise RecordError(f"line {number}: {error}") from None
    return ply
