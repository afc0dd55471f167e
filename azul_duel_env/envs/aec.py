"""The PettingZoo AEC environment of a game."""

from __future__ import annotations

import copy
from typing import Any, Self, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from azul_duel_env.envs.arguments import (
    changed_abstraction,
    check_asked,
    episode_options,
    options_of,
    place_of,
    position_from,
    split_options,
)
from azul_duel_env.envs.rendering import Frame, Renderer
from azul_duel_env.game import NOBODY, Game, Position, States, as_index, copy_of, margins_of
from azul_duel_env.jit.rng import keys_from_seed

REWARDS = ("win_loss", "score_margin", "score_delta", "rank")
NO_PICTURES = (None, "ansi")
"""Render modes for which nothing is remembered."""
AFTER_RESET = (
    "agents",
    "num_agents",
    "agent_selection",
    "rewards",
    "terminations",
    "truncations",
    "infos",
    "_cumulative_rewards",
)


Observation: TypeAlias = dict[str, Any]


class GameAECEnv(AECEnv[str, Observation, int | None]):
    """A game as a PettingZoo AEC environment, of agents ``player_0`` and so on, one for each seat.

    One decision a step; the same agent acts several times in a row where the game asks it to. All agents end in the same step.
    The attributes that PettingZoo defines (``agents``, ``rewards``, ``terminations`` ...) are plain and fresh after each step.

    Args:
        render_mode: ``"rgb_array"``: ``render()`` returns a picture, uint8 (height, width, 3); ``"human"``: a window shows it after each
            step; ``"ansi"``: ``render()`` returns the table as text; or None.
        render_theme: ``"light"`` or ``"dark"``.
        render_width: of pictures: pixels, an even number of at least 160.
        reward: ``"win_loss"``, ``"score_margin"``, ``"score_delta"`` (each step's change, which sums to the margin) or ``"rank"``: see
            ``options.REWARDS``. Always zero-sum.
        max_cycles: truncate all agents after this many steps since ``reset`` or ``set_state``, as soon as a player is to
            decide; None for never (a game ends by itself).
        options: the configuration of the game, such as ``scoring_tiles=4``, ``num_players`` where the game allows several numbers, and
            which sub-decisions are asked, such as ``placement="split"``: the fields of ``game.abstraction``. What is not asked is
            resolved by policies, without a step; with explicit chance they stop at each draw.

    Raises:
        ValueError: an unknown option, or a value that it can't have.
        ImportError: what the render mode needs is not installed.
    """

    game: Game
    """Of a class: the game for its usual number of players; of an environment: for its own."""

    def __init__(
        self,
        *,
        render_mode: str | None = None,
        render_theme: str = "light",
        render_width: int = 800,
        reward: str = "win_loss",
        max_cycles: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.metadata = dict(self.metadata)  # type: ignore[has-type] # PettingZoo's conversions write into it
        self._renderer = Renderer(render_mode, render_theme, render_width)
        place_of("reward", reward, REWARDS)
        if max_cycles is not None and as_index(max_cycles) < 1:
            raise ValueError(f"max_cycles must be an integer of at least 1, or None, not {max_cycles!r}")
        self.render_mode = render_mode
        self.reward = reward
        self.max_cycles = max_cycles
        self.game = type(self).game.of(options)
        _, abstraction, configuration = split_options(self.game, options)
        self.options = self.game.make_options(**configuration)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._ask(abstraction)
        self._now: Position | None = None
        self._entropy, self._games = int(np.random.SeedSequence().generate_state(1, np.uint64)[0]), 0

    def _ask(self, abstraction: Any) -> None:
        """Ask under an abstraction from now on, in spaces of its size."""
        self.abstraction = abstraction
        self._is_plain = abstraction == self.game.abstraction.make()  # the game's own functions are a little faster
        self._size, self._num_actions = size, actions = abstraction.observation_size, abstraction.num_actions
        observation = gymnasium.spaces.Dict(
            {
                "observation": gymnasium.spaces.Box(0.0, 1.0, (size,), np.float32),
                "action_mask": gymnasium.spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation)
        self.action_spaces = {agent: gymnasium.spaces.Discrete(actions) for agent in self.possible_agents}
        self.state_space = gymnasium.spaces.Box(0.0, 1.0, (size * self.game.num_players,), np.float32)

    def __getattr__(self, name: str) -> Any:
        """Say of what PettingZoo expects after ``reset`` that it is not there before."""
        if name in AFTER_RESET:
            raise AttributeError(f"{name} can't be read before reset(): call reset() first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # What PettingZoo asks for ----------------------------------------------------------------
    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the space of an agent's observations: a dictionary of ``observation`` and ``action_mask``."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: the same seed gives the same game; None goes on with the random numbers of the seed before.
            options: ``state``, a whole state as ``set_state`` takes it (a seed then decides what is still to be drawn), or
                any option of the game but ``explicit_chance``, for this game only. Others are ignored, as PettingZoo asks,
                unless they look like a misspelt one.

        Raises:
            ValueError, TypeError: a value that an option or the seed can't have, or a misspelt option; nothing has changed.
        """
        self._start(self._new_position(seed, options_of(options)))
        if seed is not None:
            self._entropy, self._games = int(seed), 0
        self._games += 1

    def observe(self, agent: str) -> Observation:
        """Return what an agent knows: ``observation`` and ``action_mask``.

        Both are fresh: ``observation`` float32 (abstraction.observation_size,) in [0, 1]; ``action_mask`` int8
        (abstraction.num_actions,), all 0 unless the agent is to act. Any agent may be asked at any time after ``reset``, also one
        that has ended.

        Raises:
            ValueError: no such agent.
        """
        position, seat = self._position(), self._seat(agent)
        states = position.states
        if states["player"][0] == seat and agent in self.agents and not self.truncations[agent]:
            mask = np.empty(self._num_actions, np.int8)
            if self._is_plain:
                self.game.rules.legal_mask(states, 0, mask)
            else:
                self.game.abstraction.mask(states, 0, self.abstraction.record, mask)
        else:
            mask = np.zeros(self._num_actions, np.int8)
        observation = np.empty(self._size, np.float32)
        if self._is_plain:
            self.game.rules.observe(states, 0, seat, observation)
        else:
            self.game.abstraction.observe(states, 0, self.abstraction.record, seat, observation)
        return {"observation": observation, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Carry out the decision of ``agent_selection``; an agent that has ended takes ``None``.

        Raises:
            ValueError: the action is not legal, or not None for an agent that has ended; the message says what would be legal, and
                nothing has changed.
        """
        position, agent = self._position(), self.agent_selection
        if not self.agents:
            raise ValueError("the game is over and all agents are done: call reset()")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        before = None if self.render_mode in NO_PICTURES else copy_of(position.states)
        if self._is_plain:
            legal = self.game.rules.try_action(position.states, 0, as_index(action))
        else:
            legal = self.game.abstraction.try_action(position.states, 0, self.abstraction.record, as_index(action))
        if not legal:
            raise ValueError(position.why_illegal(action, self.abstraction))
        if before is not None:
            self._remember(before, as_index(action))
        self._steps += 1
        self._cumulative_rewards[agent] = 0.0
        self._after_move(position)

    def state(self) -> NDArray[np.float32]:
        """Return the observations of all seats, one after the other: float32, of the size of ``state_space``.

        A global view, for centralised critics.
        """
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    # What is asked ---------------------------------------------------------------------------
    def set_abstraction(self, **changes: str) -> None:
        """Change which sub-decisions are asked. The spaces follow, and the game under way ends: call ``reset`` next.

        Args:
            changes: fields of ``game.abstraction``; the others stay.

        Raises:
            ValueError: an unknown field, or a value that it can't have; nothing has changed.
        """
        self._ask(changed_abstraction(self.abstraction, changes))
        self._now = None
        for name in AFTER_RESET:
            self.__dict__.pop(name, None)

    def render(self) -> Frame:
        """Return the table as pixels or text, or show it in a window, as ``render_mode`` says.

        Text has what everybody sees, pictures what ``player_0`` may know; nothing else that is hidden.
        """
        return self._renderer.show(self.render_mode, self._position(), names=self.possible_agents)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _remember(self, before: States, asked: int) -> None:
        """Remember an action for the next picture; of one asked in two parts the second."""
        action = (
            asked
            if self._is_plain
            else self.game.abstraction.to_game_action(copy_of(before), 0, self.abstraction.record, asked)
        )
        if action >= 0:
            self._renderer.remember(before, int(action))

    # Copies, saves, search -------------------------------------------------------------------
    def clone(self, reseed: int | None = None, resample_for: str | None = None) -> Self:
        """Return an independent copy in the midst of the game. It shows nothing, should the original be ``"human"``.

        Args:
            reseed: None: the copy goes on exactly like the original, draws included. A seed: all that is still to be drawn comes
                differently.
            resample_for: an agent: all that it can't know is drawn anew as well, with the right odds, so that a search for
                this agent can't see hidden tiles; needs ``reseed``.

        Raises:
            ValueError: ``resample_for`` without ``reseed``, or no such agent, or a wrong seed.
        """
        other = copy.copy(self)
        if self.render_mode == "human":
            other.render_mode = None
        other._renderer = self._renderer.copy()
        other.action_spaces = {agent: _copy_of_space(space) for agent, space in self.action_spaces.items()}
        for name in ("agents", "rewards", "terminations", "truncations", "infos", "_cumulative_rewards"):
            if name in vars(self):
                setattr(other, name, vars(self)[name].copy())
        position = self._now
        if resample_for is not None:
            if reseed is None:
                raise ValueError("resample_for needs reseed: the generator of the game must not be known either")
            other._now = self._position().resampled(self._seat(resample_for), reseed)
        elif position is not None:
            other._now = position.copy() if reseed is None else position.reseeded(reseed)
        return other

    @property
    def position(self) -> Position | None:
        """A copy of the game as it is now, with friendly methods; None before the first ``reset``."""
        return None if self._now is None else self._now.copy()

    def get_state(self) -> NDArray[Any]:
        """Return a copy of the game's state: an array of one record of dtype ``game.state``, as ``set_state`` takes it."""
        return copy_of(self._position().states)

    def set_state(self, state: NDArray[Any] | str) -> None:
        """Go to a state, as ``get_state`` returned it or in notation; rewards start again at 0. No ``reset`` is needed before.

        Raises:
            ValueError: no state of this game, or one in the midst of a decision that is not asked here; nothing has changed.
        """
        self._start(self._position_from(state))

    # Explicit chance -------------------------------------------------------------------------
    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the draw that is due, ascending, with probabilities; none without explicit chance.

        ``position.named_outcomes()`` names them.
        """
        return self._position().chance_outcomes()

    def apply_chance(self, outcome: int) -> None:
        """Let an outcome of the draw that is due happen; policies go on from there. Until then no agent can act.

        Raises:
            ValueError: no draw is due, or the outcome is not possible; nothing has changed.
        """
        position = self._position()
        if len(self.agents) < len(self.possible_agents):
            raise ValueError("the agents are done: call reset()")
        position.apply_chance(outcome)
        self._go_on(position)
        self._after_move(position)

    # Inside ----------------------------------------------------------------------------------
    def _position(self) -> Position:
        """Return the position, or say that there is none yet."""
        if self._now is None:
            raise AttributeError("there is no game yet: call reset() first")
        return self._now

    def _seat(self, agent: str) -> int:
        """Return the seat of an agent."""
        if agent not in self._seats:
            raise ValueError(f"no agent is called {agent!r}: there are {', '.join(self.possible_agents)}")
        return self._seats[agent]

    def _go_on(self, position: Position) -> None:
        """Let policies resolve what is not asked, up to the next decision or draw."""
        if not self._is_plain:
            self.game.abstraction.advance(position.states, 0, self.abstraction.record)

    def _position_from(self, state: Any) -> Position:
        """Return a position of one's own from an array or a text, or say that what is due there is never asked here."""
        position = position_from(self.game, state)
        check_asked(self.game, self.abstraction, position.states)
        return position

    def _new_position(self, seed: int | None, options: dict[str, Any]) -> Position:
        """Return the position that a reset begins with."""
        keys_from_seed(seed)  # a wrong seed is told first
        changed = episode_options(self.game, self.options, options, ("state",), ignore_unknown=True)
        if "state" in options:
            position = self._position_from(options["state"])
            return position if seed is None else position.reseeded(seed)
        configuration = self.game.make_options(**(vars(self.options) | changed))
        states = self.game.rules.initial_states([0 if seed is None else seed], configuration)
        if seed is None:
            states["rng"] = np.random.SeedSequence(self._entropy, spawn_key=(self._games,)).generate_state(1, np.uint64)
        self.game.rules.advance_to_decision(states, 0)
        return Position(self.game, states)

    def _start(self, position: Position) -> None:
        """Let all agents begin, or be done, in a position."""
        self._go_on(position)
        self._renderer.forget()
        self._now = position
        self.agents = self.possible_agents.copy()
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._margins = margins_of(position.scores)
        self._steps = 0
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        self._after_move(position, begins=True)

    def _after_move(self, position: Position, begins: bool = False) -> None:
        """Say who acts next, and what everybody got."""
        state = position.states[0]
        player = int(state["player"])
        over = player == NOBODY and not state["chance"]
        limit = self.max_cycles
        truncated = player != NOBODY and limit is not None and self._steps >= limit
        scores = state["scores"].tolist()
        agents = self.agents
        self.rewards = dict.fromkeys(agents, 0.0)
        if not begins and (over or truncated or self.reward == "score_delta"):
            self.rewards = dict(zip(agents, self._rewards_now(position, over, scores), strict=True))
            self._accumulate_rewards()
        self.terminations = dict.fromkeys(agents, over)
        self.truncations = dict.fromkeys(agents, truncated)
        self.infos = {agent: {"score": score} for agent, score in zip(agents, scores, strict=True)}
        if player != NOBODY:
            self.agent_selection = agents[player]
        if self.render_mode == "human":
            self.render()

    def _rewards_now(self, position: Position, over: bool, scores: list[int]) -> list[float]:
        """Return the reward of each seat for what just happened; they sum to 0, or to next to it where thirds are rounded."""
        if self.reward in ("win_loss", "rank"):
            worth = self.game.returns if self.reward == "win_loss" else self.game.rank_returns
            return list(worth(position.states, 0)) if over else [0.0] * len(scores)
        margins = margins_of(scores)
        if self.reward == "score_margin":
            return margins
        before, self._margins = self._margins, margins
        return [now - then for now, then in zip(margins, before, strict=True)]


def _copy_of_space(space: gymnasium.spaces.Discrete) -> gymnasium.spaces.Discrete:
    """Return a copy whose samples don't depend on the original's; one that has not sampled yet has nothing to copy."""
    return copy.copy(space) if space._np_random is None else copy.deepcopy(space)
