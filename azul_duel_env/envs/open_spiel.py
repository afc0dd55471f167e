"""The games for OpenSpiel 2.0: importing this module registers each, ``azul/NAME-v0`` as ``python_azul_NAME``.

Example::

    import pyspiel
    import azul_duel_env.envs.open_spiel

    game = pyspiel.load_game("python_azul_NAME(players=3)")

Parameters are ``players``, where a game has several numbers of them, and those options that commands have too and that are a number, a
word, or yes or no. Chance is explicit: a node a draw, at most ``game.max_chance_nodes_in_history()`` of them with at most
``game.max_chance_outcomes()`` outcomes each. Utilities are those of ``Game.returns``, at the end only; they sum to 0.

===============================  =============================================================================================
``observation_tensor(p)``        float32 (observation size,) in [0, 1], as every environment gives it: what seat p knows now,
                                 also of what it has looked at before
``observation_string(p)``        the same for people: ``Position.view``
``information_state_tensor(p)``  that observation again: nothing else of the past matters for what can still happen
``information_state_string(p)``  the actions of seat p so far and a digest of its observation: a key, and no text for people
``str(state)``                   all there is, as notation; ``game.new_initial_state(text)`` begins there
===============================  =============================================================================================

``serialize`` is OpenSpiel's own form, which has a pickle in it: read only what you trust; reading ``str(state)`` runs no code.

``resample_from_infostate`` draws anew what a player can't know, so that OpenSpiel's ISMCTS (the one in Python: its C++ bots can't call
games in Python) plays soundly. Its MCTS plays as if nothing were hidden; ``AgentBot`` plays by agents of this package.
A resampled state keeps its history, which needn't lead to it: serialise it by ``serialize`` or ``str``, not by its history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field
from hashlib import blake2b
from typing import Any

import numpy as np
import pyspiel

from azul_duel_env.agents import make_agent
from azul_duel_env.game import NOBODY, Game, Position
from azul_duel_env.game.options import offered_options
from azul_duel_env.games import SHORT_NAMES, find_game

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
MOST_SEEDS = 2**62


class _Node:
    """A position that never changes, and who decides in it: clones share it, since OpenSpiel copies all that a state has one by one."""

    __slots__ = ("decider", "position")

    def __init__(self, position: Position) -> None:
        self.position, player = position, position.player
        nobody = CHANCE if position.chance_is_due else TERMINAL
        self.decider = player if player != NOBODY else nobody

    def __deepcopy__(self, memo: dict[int, Any]) -> _Node:
        return self

    def __reduce__(self) -> tuple[type[_Node], tuple[Position]]:
        return _Node, (self.position,)


class State(pyspiel.State):
    """A state of a game for OpenSpiel."""

    def __init__(self, game: OpenSpielGame, node: _Node) -> None:
        super().__init__(game)
        self._node = node

    @property
    def position(self) -> Position:
        """The state with the methods of this package. Not to be changed: copy it first."""
        return self._node.position

    def current_player(self) -> int:
        """Return who decides, ``pyspiel.PlayerId.CHANCE`` or ``TERMINAL``."""
        return self._node.decider

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002 # asked of the current player only
        return self.position.legal_actions().tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the draw that is due with their probabilities."""
        return self.position.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        position = self.position.copy()
        if self._node.decider == CHANCE:
            position.apply_chance(action)
        else:
            position.step(action)
        self._node = _Node(position)

    def _action_to_string(self, player: int, action: int) -> str:
        text = self.position.game.text
        if player == CHANCE:
            return text.outcome_name(self.position.chance, action)
        return text.action_name(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._node.decider == TERMINAL

    def returns(self) -> list[float]:
        """Return what the game is worth for each player: 0 as long as it isn't over; see ``Game.returns``."""
        position = self.position
        return list(position.returns) if self.is_terminal() else [0.0] * position.game.num_players

    def resample_from_infostate(self, player: int, sampler: Any) -> State:
        """Return a state that the player can't tell from this one, with the right odds.

        Args:
            player: whose knowledge stays.
            sampler: ``() -> float`` in [0, 1), all the randomness that is used.
        """
        other = self.clone()
        other._node = _Node(self.position.resampled(player, int(sampler() * MOST_SEEDS)))
        return other

    def __str__(self) -> str:
        return self.position.to_text()


class SeatObserver:
    """What a seat sees, as OpenSpiel's observers give it.

    Args:
        game: the game.
        recalls: whether the string tells the seat's actions so far; see the module.

    Attributes:
        tensor: float32 (observation size,).
        dict: ``observation``: the same array.
    """

    def __init__(self, game: Game, recalls: bool) -> None:
        self.tensor = np.zeros(game.observation_size, np.float32)
        self.dict = {"observation": self.tensor}
        self._recalls = recalls

    def set_from(self, state: State, player: int) -> None:
        """Write what the player sees into ``tensor``."""
        position = state.position
        position.game.rules.observe(position.states, 0, player, self.tensor)

    def string_from(self, state: State, player: int) -> str:
        """Return what the player sees as text."""
        if not self._recalls:
            return state.position.view(player)
        self.set_from(state, player)
        own = " ".join(str(move.action) for move in state.full_history() if move.player == player)
        return f"{own}: {blake2b(self.tensor.tobytes(), digest_size=16).hexdigest()}"


class PartObserver:
    """What is public, or what only a seat knows, or nothing: as text only.

    Args:
        sees_public: whether it sees what is public.
        sees_own: whether it sees what only the seat knows.

    Attributes:
        tensor: None.
        dict: empty.
    """

    def __init__(self, sees_public: bool, sees_own: bool) -> None:
        self.tensor, self.dict = None, {}  # type: ignore[var-annotated]
        self._sees_public, self._sees_own = sees_public, sees_own

    def set_from(self, state: State, player: int) -> None:
        """There is no tensor to write."""

    def string_from(self, state: State, player: int) -> str:
        """Return the text."""
        public = str(state.position) if self._sees_public else ""
        return public + (state.position.private_view(player) if self._sees_own else "")


class OpenSpielGame(pyspiel.Game):
    """A game for OpenSpiel, which ``pyspiel.load_game`` makes; ``register`` makes a class of it for each game.

    Args:
        parameters: those that OpenSpiel was given.

    Raises:
        ValueError: a value that a parameter can't have.

    Attributes:
        kind: what OpenSpiel knows of the game for any parameters.
        any_number: the game for its usual number of players.
        game: the game for as many as the parameters say.
    """

    kind: Any
    any_number: Game

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = dict(parameters or {})
        options = {name: value for name, value in given.items() if name != "players"}
        self.game = game = self.any_number.of({"num_players": given.get("players")})
        self._start = _Node(game.new(0, explicit_chance=True, **options))
        least, most = game.utility_bounds
        facts = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=game.max_outcomes,
            num_players=game.num_players,
            min_utility=least,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=game.max_decisions,
        )
        super().__init__(self.kind, facts, given)

    def new_initial_state(self, text: str | None = None) -> State:
        """Return the state at the beginning, or one written as text.

        Raises:
            ValueError: the text is no sound state; the message says what is wrong.
        """
        return State(self, self._start if text is None else _Node(self.game.read_position(text)))

    def max_chance_nodes_in_history(self) -> int:
        """Return the bound on the draws of a game."""
        return self.game.max_draws

    def make_py_observer(
        self, kind: Any = None, parameters: Mapping[str, Any] | None = None
    ) -> SeatObserver | PartObserver:
        """Return an observer of what a seat sees, or of a part of it.

        Args:
            kind: ``pyspiel.IIGObservationType``; None for all that the seat sees, without recall.
            parameters: none.

        Raises:
            ValueError: any parameters, or what all players know, whom nobody is.
        """
        if parameters:
            raise ValueError(f"observers take no parameters, not {parameters}")
        if kind is None:
            return SeatObserver(self.game, False)
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("observers see with the eyes of one player, SINGLE_PLAYER, or what is public, NONE")
        sees_own = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if kind.public_info and sees_own:
            return SeatObserver(self.game, kind.perfect_recall)
        return PartObserver(kind.public_info, sees_own)


class AgentBot(pyspiel.Bot):
    """A bot that plays by an agent of this package, such as its tree search, which knows no more than its player.

    Args:
        game: from ``pyspiel.load_game``.
        spec: of the agent; see ``agents.make_agent``.
        seed: decides what the agent chooses at random.

    Raises:
        ValueError: no game of this package, or no agent of it has this spec.
    """

    def __init__(self, game: OpenSpielGame, spec: str = "mcts:400", seed: int = 0) -> None:
        super().__init__()
        if not isinstance(game, OpenSpielGame):
            raise ValueError(f"expected a game of azul_duel_env, not {game}")
        self._agent, self._seed = make_agent(game.game, spec), seed
        self.restart()

    def restart(self) -> None:
        """Begin a new game, with the same random numbers."""
        self._seeds = np.random.SeedSequence(self._seed)

    def restart_at(self, state: State) -> None:  # as OpenSpiel calls it
        """Go on at any state; the agent remembers nothing."""

    def step(self, state: State) -> int:
        """Return the action to take."""
        [key] = self._seeds.spawn(1)[0].generate_state(1, np.uint64)
        return self._agent.act(state.position, key)


def _plain_options(game: Game) -> list[Field[Any]]:
    """Return the options that can be parameters of a game of OpenSpiel, whose strings part them by commas."""
    return [one for one, _ in offered_options(game.options) if isinstance(one.default, (bool, int, str))]


def register(game: Game) -> str:
    """Register a game with OpenSpiel, for all its numbers of players, and return its name there."""
    name = "python_" + game.id.rpartition("-")[0].replace("/", "_")
    defaults: dict[str, Any] = {"players": game.num_players} if game.variants else {}
    defaults |= {one.name: one.default for one in _plain_options(game)}
    kind = pyspiel.GameType(
        short_name=name,
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.player_counts[-1],
        min_num_players=game.player_counts[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=defaults,
    )

    class_name = "".join(word.title() for word in name.split("_"))
    pyspiel.register_game(kind, type(class_name, (OpenSpielGame,), {"kind": kind, "any_number": game}))
    return name


for _short_name in SHORT_NAMES:
    register(find_game(_short_name))
