"""Games as data: every decision of many games, in Parquet files, and a reader that makes observations again.

A folder has files ``games-FIRST.parquet``, each with some games in their order, one row a decision:

================  ===========================  =========================================================================================
``game``          int32                        number of the game in the dataset, from 0
``seed``          int64                        its seed
``agent``         string, as a dictionary      spec of the agent that decided
``player``        int8                         its seat
``action``        int16                        what it chose
``legal_count``   int16                        how many actions were legal
``state``         fixed-size binary            the state before, a record of ``game.state``. It holds all, its generator and what is hidden
                                               too: learn from observations
``scores``        list<int16>[players]         points of each seat at the end
``ranks``         list<int8>[players]          place of each seat at the end, from 1; equal seats share one
``returns``       list<float32>[players]       what the end is worth for each seat, see ``Game.returns``
================  ===========================  =========================================================================================

The schema's metadata has, as JSON under ``azul_duel_env``: the format and the version of this package, the game's id, ``num_players``
where it has several, the agents, the seed, the options, a digest of the state's dtype, and the numbers of the games in the file,
``[first, end)``. Reading and writing need the extra ``dataset`` (pyarrow).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.arena.ladder import settings_of_run
from azul_duel_env.arena.match import Fixture, fixtures_of_match, line_ups, play_fixtures
from azul_duel_env.arena.result import GameResult
from azul_duel_env.arena.results_file import package_version
from azul_duel_env.envs.observation_dtype import as_bytes, observation_dtype_of
from azul_duel_env.game import Game, States, copy_of
from azul_duel_env.games import find_game
from azul_duel_env.system.files import replaced
from azul_duel_env.system.signals import deferred

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = "azul_duel_env dataset 1"
KEY = b"azul_duel_env"
GAMES_A_FILE = 200


@dataclass(frozen=True)
class Trajectory:
    """A finished game, decision by decision.

    Attributes:
        number: of the game in its dataset.
        result: how it ended.
        states: (T + 1,) records: before each decision, and the end.
        players: int8 (T,): who decided.
        legal_counts: int16 (T,): how many actions were legal.
        returns: float32 (players,): what the end is worth for each.
        ranks: the place of each seat.
    """

    number: int
    result: GameResult
    states: States
    players: NDArray[np.int8]
    legal_counts: NDArray[np.int16]
    returns: NDArray[np.float32]
    ranks: tuple[int, ...]

    @classmethod
    def of(cls, game: Game, number: int, result: GameResult, options: Mapping[str, Any]) -> Trajectory:
        """Play a game that is known by its seed and actions again."""
        position, states, counts = game.new(result.seed, **options), [], []
        for action in result.actions:
            while position.chance_is_due:
                position.draw_chance()
            states.append(copy_of(position.states))
            counts.append(len(position.legal_actions()))
            position.step(action)
        while position.chance_is_due:
            position.draw_chance()
        records = np.concatenate([*states, position.states])
        return cls(
            number,
            result,
            records,
            records["player"][:-1].astype(np.int8),
            np.array(counts, np.int16),
            np.array(position.returns, np.float32),
            position.ranks,
        )


@dataclass(frozen=True)
class DatasetPlan:
    """Which games a dataset has.

    Attributes:
        agents: specs; every line-up of them plays as in a tournament, an agent that is alone against itself.
        games: of each line-up, a multiple of the seats. More games of the same seed go on with those played.
        seed: decides all.
        options: the configuration of the game.
    """

    agents: Sequence[str]
    games: int
    seed: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, game: Game) -> dict[str, Any]:
        """Return what decides the games, and what tells how they are written, in JSON's types.

        Raises:
            OSError: a saved model can't be read.
        """
        settings = settings_of_run(game, "dataset", self.agents, self.seed, self.options)
        return {"format": FORMAT, "version": package_version(), "state": digest_of_state(game), **settings}

    def fixtures(self, game: Game) -> list[Fixture]:
        """Return the games, in their order.

        Raises:
            ValueError: no agent, one twice, a negative seed, or another number of games.
        """
        matches = line_ups(sorted(self.agents), game.num_players)
        return list(
            chain.from_iterable(zip(*(fixtures_of_match(one, self.games, self.seed) for one in matches), strict=True))
        )


def digest_of_state(game: Game) -> str:
    """Return what tells the layout of a game's states from others."""
    return sha256(repr(game.state.descr).encode()).hexdigest()[:16]


class Writer(Protocol):
    """What keeps games; ``done`` is how many are there."""

    done: int

    def add(self, trajectory: Trajectory) -> None:
        """Take a game, the one of number ``done`` or a later one."""

    def flush(self) -> None:
        """Keep for good what was taken."""


def play_dataset(
    game: Game, plan: DatasetPlan, writer: Writer, jobs: int = 1, backend: str = "joblib"
) -> Iterator[GameResult]:
    """Play what a dataset lacks; each finished game is taken by the writer, then yielded. However this ends, they are kept.

    Raises:
        ValueError: see ``play_fixtures``, before anything is played.
    """
    fixtures = plan.fixtures(game)
    numbers = iter(range(writer.done, len(fixtures)))  # a lost game is passed over
    options = dict(plan.options)
    coming = play_fixtures(game, fixtures[writer.done :], options, jobs, backend, keep_actions=True)

    def played() -> Iterator[GameResult]:
        try:
            for result in coming:
                number = next(one for one in numbers if fixtures[one] == (result.agents, result.seed))
                with deferred():
                    writer.add(Trajectory.of(game, number, result, options))
                yield result
        finally:
            with deferred():
                writer.flush()

    return played()


def check_settings(place: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Check that games are those of the same settings.

    Raises:
        ValueError: they are not; the message names what differs.
    """
    differing = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
    if differing:
        differences = "; ".join(f"{name} {found.get(name)!r}, not {wanted.get(name)!r}" for name in differing)
        raise ValueError(f"{place} holds games with {differences}: go on with the same settings, or choose another")


# Parquet --------------------------------------------------------------------------------------
def schema_of(game: Game) -> pa.Schema:
    """Return the Arrow schema of a game's decisions, without metadata; see the module."""
    import pyarrow as pa

    def per_seat(kind: Any) -> Any:
        return pa.list_(kind, game.num_players)

    return pa.schema(
        [
            ("game", pa.int32()),
            ("seed", pa.int64()),
            ("agent", pa.dictionary(pa.int32(), pa.string())),
            ("player", pa.int8()),
            ("action", pa.int16()),
            ("legal_count", pa.int16()),
            ("state", pa.binary(game.state.itemsize)),
            ("scores", per_seat(pa.int16())),
            ("ranks", per_seat(pa.int8())),
            ("returns", per_seat(pa.float32())),
        ]
    )


class ParquetWriter:
    """Writes games into a folder; those that are there count as done.

    Args:
        folder: it exists.
        game: the game.
        settings: of the plan.
        games_a_file: how many a file has at most.

    Raises:
        ValueError: the folder has games of other settings, or a file that holds something else.

    Attributes:
        done: how many games are there.
    """

    def __init__(self, folder: Path, game: Game, settings: Mapping[str, Any], games_a_file: int = GAMES_A_FILE) -> None:
        self._folder, self._settings, self._most = folder, dict(settings), games_a_file
        self._schema = schema_of(game)
        self._waiting: list[Trajectory] = []
        self.done = 0
        for file in files_of(folder):
            header = header_of(file)
            first, end = header.pop("games")
            check_settings(file, header, settings)
            if first != self.done:
                raise ValueError(f"{folder} lacks games {self.done} to {first - 1}: choose another folder")
            self.done = end
        self._first = self.done

    def add(self, trajectory: Trajectory) -> None:
        """Take a game; it is kept with the next full file, or by ``flush``."""
        self._waiting.append(trajectory)
        self.done = trajectory.number + 1
        if len(self._waiting) == self._most:
            self.flush()

    def flush(self) -> None:
        """Write a file with the games that were taken since the last one."""
        import pyarrow.parquet as pq

        if not self._waiting:
            return
        header = json.dumps({**self._settings, "games": [self._first, self.done]})
        table = _table_of(self._schema, self._waiting).replace_schema_metadata({KEY: header.encode()})
        with replaced(self._folder / f"games-{self._first:09d}.parquet") as temporary:
            pq.write_table(table, temporary, compression="zstd")
        self._waiting, self._first = [], self.done


def files_of(folder: Path) -> list[Path]:
    """Return the files of a dataset, in the order of its games."""
    return sorted(folder.glob("games-*.parquet"))


def header_of(file: Path) -> dict[str, Any]:
    """Return what the metadata of a file says.

    Raises:
        ValueError: it is no file of such a dataset.
        OSError: it can't be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        header = json.loads((pq.read_schema(file).metadata or {})[KEY])
        first, end = header["games"]
        is_ours = header["format"] == FORMAT and 0 <= first < end
    except (pa.ArrowInvalid, KeyError, TypeError, ValueError):
        is_ours = False
    if not is_ours:
        raise ValueError(f"{file} is no file of a dataset of azul_duel_env")
    return header


def _table_of(schema: pa.Schema, trajectories: Sequence[Trajectory]) -> pa.Table:
    """Return games as a table, one row a decision."""
    import pyarrow as pa

    lengths = [len(one.players) for one in trajectories]

    def of_games(values: Callable[[Trajectory], Any], dtype: Any) -> NDArray[Any]:
        return np.repeat(np.array([values(one) for one in trajectories], dtype), lengths, axis=0)

    def per_seat(name: str, values: Callable[[Trajectory], Any], dtype: Any) -> Any:
        return pa.FixedSizeListArray.from_arrays(of_games(values, dtype).reshape(-1), type=schema.field(name).type)

    states = np.concatenate([one.states[:-1] for one in trajectories])
    agents = [one.result.agents[player] for one in trajectories for player in one.players]
    columns = [
        pa.array(of_games(lambda one: one.number, np.int32)),
        pa.array(of_games(lambda one: one.result.seed, np.int64)),
        pa.array(agents, pa.string()).dictionary_encode(),
        pa.array(np.concatenate([one.players for one in trajectories])),
        pa.array(np.concatenate([np.array(one.result.actions, np.int16) for one in trajectories])),
        pa.array(np.concatenate([one.legal_counts for one in trajectories])),
        pa.FixedSizeBinaryArray.from_buffers(
            schema.field("state").type, len(states), [None, pa.py_buffer(states.tobytes())]
        ),
        per_seat("scores", lambda one: one.result.scores, np.int16),
        per_seat("ranks", lambda one: one.ranks, np.int8),
        per_seat("returns", lambda one: one.returns, np.float32),
    ]
    return pa.table(columns, schema=schema)


# Reading --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Decisions:
    """A batch of N decisions of a dataset.

    Attributes:
        game: the game.
        games, seeds: int32, int64 (N,): number and seed of the game of each.
        agents: (N,): who decided, as specs.
        players, actions, legal_counts: int8, int16, int16 (N,).
        states: (N,) records, before each.
        scores, ranks, returns: int16, int8, float32 (N, players): of each game's end.
    """

    game: Game
    games: NDArray[np.int32]
    seeds: NDArray[np.int64]
    agents: NDArray[Any]
    players: NDArray[np.int8]
    actions: NDArray[np.int16]
    legal_counts: NDArray[np.int16]
    states: States
    scores: NDArray[np.int16]
    ranks: NDArray[np.int8]
    returns: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.actions)

    def observations(self, dtype: str = "float32") -> NDArray[Any]:
        """Return what each player saw who decided: float32 (N, observation size), or uint8, see ``envs.observation_dtype``.

        Raises:
            ValueError: another dtype, or a state that is unsound.
        """
        is_bytes = observation_dtype_of(dtype) == "uint8"
        observations = self.game.observations(self.states, self.players)
        return as_bytes(observations) if is_bytes else observations

    @cached_property
    def action_masks(self) -> NDArray[np.int8]:
        """int8 (N, actions): 1 for each action that was legal."""
        return masks_of(self.game, self.states)

    @property
    def values(self) -> NDArray[np.float32]:
        """float32 (N,): what the end was worth for the player who decided."""
        return self.returns[np.arange(len(self)), self.players]


def masks_of(game: Game, states: States) -> NDArray[np.int8]:
    """Return the mask of the legal actions of each state: int8 (N, actions)."""
    masks = np.zeros((len(states), game.num_actions), np.int8)
    for i in range(len(states)):
        game.rules.legal_mask(states, i, masks[i])
    return masks


def read_dataset(path: Path | str, batch_size: int = 4096) -> Iterator[Decisions]:
    """Yield the decisions of a dataset in batches, in the order of the games.

    Args:
        path: the folder, or one of its files.
        batch_size: of a batch; at the end of a file one may have fewer.

    Raises:
        ValueError: there is no dataset, one of another version of its game, or a batch size below 1.
        OSError: a file can't be read.
    """
    place = Path(path)
    files = files_of(place) if place.is_dir() else [place]
    if not files:
        raise ValueError(f"there is no dataset in {place}: expected files games-*.parquet")
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, not {batch_size}")
    games = {file: _game_of(file) for file in files}
    return chain.from_iterable(_batches(file, game, batch_size) for file, game in games.items())


def _game_of(file: Path) -> Game:
    """Return the game of a file, after a look whether its columns and states are as they are now."""
    import pyarrow.parquet as pq

    header = header_of(file)
    game = find_game(header["game"], header.get("num_players"))
    if header["state"] != digest_of_state(game) or not pq.read_schema(file).equals(schema_of(game)):
        raise ValueError(f"{file} was written by version {header['version']}, whose states or columns differ from ours")
    return game


def _batches(file: Path, game: Game, batch_size: int) -> Iterator[Decisions]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as parquet:
        for batch in parquet.iter_batches(batch_size):
            columns = {name: batch.column(name) for name in batch.schema.names}
            plain = ("game", "seed", "player", "action", "legal_count")
            games, seeds, players, actions, counts = (columns[name].to_numpy() for name in plain)
            ends = (
                columns[name].flatten().to_numpy().reshape(len(batch), -1) for name in ("scores", "ranks", "returns")
            )
            agents = columns["agent"].to_numpy(zero_copy_only=False)
            yield Decisions(
                game, games, seeds, agents, players, actions, counts, _states(game, columns["state"]), *ends
            )


def _states(game: Game, column: Any) -> States:
    """Return a column of fixed-size binaries as fresh states."""
    offset = column.offset * game.state.itemsize
    return copy_of(np.frombuffer(column.buffers()[1], game.state, len(column), offset))
