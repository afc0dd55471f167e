"""One row of the vector environment as a plain Python loop over a ``Position``: what ``Batch`` must agree with."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from azul_duel_env.agents.table import make_agent
from azul_duel_env.envs.arguments import split_options
from azul_duel_env.game import Position
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.agents.greedy import evaluate_seat
from azul_duel_env.jit import entry
from azul_duel_env.jit.rng import keys_from_seed

ALL_BITS = 2**64 - 1
FIRST_LEGAL = "first legal"
"""An opponent outside: it takes no random bits, and is asked at the learner's abstraction."""


@entry
def evaluate_duel(states, i, seat):
    return evaluate_seat(states[i], seat)


EVALUATIONS = {GAME.id: evaluate_duel}
"""Game -> greedy's evaluation of one seat, ``(states, i, seat)``."""


def first_legal(_observations, masks):
    """``FIRST_LEGAL`` as a function on a batch."""
    return masks.argmax(axis=1)


def at_random(masks, rng):
    """Choose a legal action for each row; 0 where there is none."""
    return (masks * rng.random(masks.shape)).argmax(axis=1)


class Bits:
    """splitmix64, written once more."""

    def __init__(self, word) -> None:
        self.word = int(word)

    def next(self) -> int:
        self.word = (self.word + 0x9E3779B97F4A7C15) & ALL_BITS
        bits = self.word
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & ALL_BITS
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & ALL_BITS
        return bits ^ (bits >> 31)


class LoneRow(gymnasium.Env):
    """The row, as an environment that ``SyncVectorEnv`` can run."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        opponents=("greedy",),
        seat="random",
        reward="win_loss",
        gamma=1.0,
        max_steps=None,
        game=GAME,
        line_up=False,
        **options,
    ):
        self.game, self.line_up = game, line_up
        _, self.abstraction, self.options = split_options(game, options)
        self.record = self.abstraction.record
        self.fixed_seat, self.gamma, self.max_steps = seat, gamma, max_steps
        self.weights = reward if isinstance(reward, dict) else {reward: 1.0}
        self.meet(opponents)
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (self.abstraction.observation_size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(self.abstraction.num_actions)

    def meet(self, opponents) -> None:
        self.agents = [spec if spec == FIRST_LEGAL else make_agent(self.game, spec) for spec in opponents]

    def reset(self, *, seed=None, options=None):  # noqa: ARG002
        if seed is None:
            states = self.game.rules.initial_states([0], self.game.make_options(**self.options))
            states["rng"] = self.bits.next()
            self.game.rules.advance_to_decision(states, 0)
            self.position = Position(self.game, states)
        else:
            self.position = self.game.new(seed, **self.options)
            self.bits = Bits(keys_from_seed(seed, 2)[1])
        seats = self.game.num_players
        self.seat = (self.bits.next() >> 32) * seats >> 32 if self.fixed_seat == "random" else self.fixed_seat
        self.draw_opponents()
        self.steps, self.margin = 0, 0
        self.play_on()
        self.potential = self.evaluate()
        return self.observe(), self.info()

    def draw_opponents(self) -> None:
        """Seat one opponent in each seat after the learner's; a line-up takes its bits too."""
        self.seated = {}
        for k in range(1, self.game.num_players):
            share = (self.bits.next() >> 11) / 2**53
            agent = self.agents[k - 1] if self.line_up else self.agents[int(share * len(self.agents))]
            self.seated[(self.seat + k) % self.game.num_players] = agent

    def step(self, action):
        self.steps += 1
        self.take(int(action))
        self.play_on()
        over = self.position.over
        reward = self.reward(over)
        cut = not over and self.max_steps is not None and self.steps >= self.max_steps
        return self.observe(), reward, over, cut, self.info(cut)

    def take(self, asked: int) -> None:
        action = self.game.abstraction.to_game_action(self.position.states, 0, self.record, asked)
        if action >= 0:
            self.position.step(action)

    def play_on(self) -> None:
        self.times_asked_outside = 0
        position = self.position
        while not position.over:
            agent = self.seated.get(position.player, FIRST_LEGAL)
            if agent != FIRST_LEGAL:
                position.step(agent.act(position, np.uint64(self.bits.next())))
                continue
            action = self.game.abstraction.next_action(position.states, 0, self.record)
            if action >= 0:
                position.step(action)
            elif position.player == self.seat:
                return
            else:
                self.times_asked_outside += 1
                self.take(int(self.mask().argmax()))

    def reward(self, over: bool) -> float:
        weight = self.weights.get
        before, self.margin = self.margin, self.less_mean_of_others(self.position.scores)
        reward = weight("score_delta", 0) * (self.margin - before)
        then, self.potential = self.potential, self.evaluate()
        reward += weight("potential", 0) * (self.gamma * self.potential - then)
        if over:
            reward += weight("win_loss", 0) * self.result()
            reward += weight("score_margin", 0) * self.margin
            reward += weight("rank", 0) * self.worth_of_place()
        return float(reward)

    def result(self) -> float:
        """What the end is worth: 1 is shared by the winners, and all that is above the mean paid by the others alike."""
        others, winners = self.game.num_players - 1, self.position.winners
        if self.seat not in winners:
            return -1 / others
        return (others + 1 - len(winners)) / len(winners) / others

    def worth_of_place(self) -> float:
        """What the place is worth: as many players behind as in front are worth nothing."""
        ranks = self.position.ranks
        own = ranks[self.seat]
        return (sum(rank > own for rank in ranks) - sum(rank < own for rank in ranks)) / (len(ranks) - 1)

    def less_mean_of_others(self, values) -> float:
        others = [value for seat, value in enumerate(values) if seat != self.seat]
        return values[self.seat] - sum(others) / len(others)

    def evaluate(self) -> float:
        if "potential" not in self.weights or self.position.over:
            return 0.0
        evaluation, states = EVALUATIONS[self.game.id], self.position.states
        return float(self.less_mean_of_others([evaluation(states, 0, seat) for seat in range(self.game.num_players)]))

    def observe(self):
        observation = np.empty(self.abstraction.observation_size, np.float32)
        self.game.abstraction.observe(self.position.states, 0, self.record, self.seat, observation)
        return observation

    def mask(self):
        mask = np.zeros(self.abstraction.num_actions, np.int8)
        self.game.abstraction.mask(self.position.states, 0, self.record, mask)
        return mask

    def info(self, cut=False):
        scores = self.position.scores
        return {
            "action_mask": np.zeros_like(self.mask()) if cut or self.position.over else self.mask(),
            "illegal_action": False,
            "score": scores[self.seat],
            "opponent_score": max(score for seat, score in enumerate(scores) if seat != self.seat),
            "seat": self.seat,
        }
