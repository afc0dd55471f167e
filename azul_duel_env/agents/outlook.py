"""What an agent thinks of a position, for people to see: how likely it takes which action, and what it expects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azul_duel_env.agents.fast_network import TrainedFastNetwork
from azul_duel_env.agents.gumbel_search import GumbelResult, GumbelSearch
from azul_duel_env.agents.network import ShippedNetwork, TrainedNetwork, shipped
from azul_duel_env.agents.search import Search
from azul_duel_env.agents.tree_search import TreeSearch
from azul_duel_env.game import NOBODY, Agent, Position
from azul_duel_env.kernels.constants import BY_NETWORK, LEAVES

SIMULATIONS = "the share of the simulations that began with an action"
IMPROVED = "the network's policy, improved by the simulations"
POLICY = "the network's policy"
RATINGS = "none but for the best rating, in points; equals share it"
ALIKE = "every legal action alike"
NO_PROBABILITIES = "it has none that could be shown, only what it plays"

ROUND_VALUE = (
    "1 is a sure win, 0 an even game. Before the last round it stands for the points expected at the end of the round: one point ahead is "
    "0.04, 25 are 0.76. In the last round it is the chance to win less that to lose, but for a tenth for points"
)
GAME_VALUE = "1 is a sure win, 0 an even game: what the network expects of the whole game"
NO_VALUE = ""


@dataclass(frozen=True)
class Outlook:
    """What an agent thinks of a position in which a player decides.

    Attributes:
        actions: int16 (n,): the legal actions, ascending.
        best: what it plays.
        probabilities: float64 (n,) over ``actions``, they sum to 1; None if the agent has none.
        ratings: float64 (n,): points that it expects after each of ``actions``; None without any.
        values: float64 (players,): what the position is worth for each player, -1 to 1; None without a value.
        margin: points by which who decides is expected to be ahead at the end of the round; None without an expectation.
        variation: the actions expected from here on, of all players, as far as it looked; ``best`` is the first.
        probability_meaning: in words, what ``probabilities`` are.
        value_meaning: in a sentence, what ``values`` are; "" without any.
    """

    actions: NDArray[np.int16]
    best: int
    probabilities: NDArray[np.float64] | None
    ratings: NDArray[np.float64] | None
    values: NDArray[np.float64] | None
    margin: float | None
    variation: tuple[int, ...]
    probability_meaning: str
    value_meaning: str


def outlook_of(agent: Agent, position: Position, key: np.uint64) -> Outlook:
    """Return what an agent thinks of a position, which stays as it is.

    Args:
        agent: of the table; one at a time, if it is a search.
        position: in which a player decides.
        key: the same 64 bits give the same outlook, unless time decides.

    Raises:
        ValueError: nobody decides.
        SearchCalledOffError: the search was called off.
    """
    if position.player == NOBODY:
        raise ValueError(f"there is nothing to think about, since no player decides: {position!r}")
    policy: Any = agent.policy
    if isinstance(policy, ShippedNetwork):
        policy = shipped(policy.game)
    if isinstance(policy, TreeSearch):
        return _of_search(policy, position, key)
    if isinstance(policy, TrainedFastNetwork):
        return _of_fast_network(policy, position)
    if isinstance(policy, TrainedNetwork):
        return _of_network(policy, position)
    if agent.spec == "greedy":
        return _of_greedy(position, agent.act(position, key))
    actions = position.legal_actions()
    if agent.spec == "random":
        alike = np.full(len(actions), 1 / len(actions))
        return _without_search(position, agent.act(position, key), alike, ALIKE)
    return only_action(position, agent.act(position, key))


def only_action(position: Position, action: int) -> Outlook:
    """Return the outlook of an agent of which nothing is known but what it plays."""
    return _without_search(position, action, None, NO_PROBABILITIES)


def value_meaning_of(search: TreeSearch) -> str:
    """Return in words what the values of a search are."""
    by_network = isinstance(search, GumbelSearch) or (isinstance(search, Search) and search.leaf == LEAVES[BY_NETWORK])
    return GAME_VALUE if by_network else ROUND_VALUE


def _of_search(search: TreeSearch, position: Position, key: np.uint64) -> Outlook:
    found = search.run(position.states, 0, key)
    improved = isinstance(found, GumbelResult)
    shares = found.policy if isinstance(found, GumbelResult) else found.visits / max(1, found.visits.sum())
    return Outlook(
        found.actions,
        found.best,
        shares,
        None,
        found.root_values,
        found.margin,
        found.variation,
        IMPROVED if improved else SIMULATIONS,
        value_meaning_of(search),
    )


def _of_fast_network(network: TrainedFastNetwork, position: Position) -> Outlook:
    kernel, states = position.game.kernel("fast_network"), position.states
    workspace = kernel.make_workspace(network.compiled)
    count = kernel.think(states, 0, network.compiled, workspace)
    best, shares = network(states, 0, np.uint64(0)), _softmax(workspace.logits[:count])
    values = workspace.values.astype(np.float64)
    seats = (position.player + np.arange(position.game.num_players)) % position.game.num_players
    by_seat = np.empty(len(seats))
    by_seat[seats] = values if len(values) == len(seats) else [values[0], -values[0]]
    return _without_search(position, best, shares, POLICY, by_seat, GAME_VALUE)


def _of_network(network: TrainedNetwork, position: Position) -> Outlook:
    game, states = position.game, position.states
    kernel, logits = game.kernel("outlook"), np.empty(game.max_legal)
    legal = np.empty(game.max_legal, np.int16)
    count, worth = kernel.opinion_of_network(states, 0, network.compiled, legal, logits)
    best, own = network(states, 0, np.uint64(0)), np.tanh(worth)
    values = np.full(game.num_players, -own / (game.num_players - 1))
    values[position.player] = own
    is_asked = np.isfinite(logits[:count]).any()  # if not, a policy of the sub-decision decides
    shares = _softmax(logits[:count]) if is_asked else (position.legal_actions() == best).astype(np.float64)
    return _without_search(position, best, shares, POLICY, values, GAME_VALUE)


def _of_greedy(position: Position, best: int) -> Outlook:
    game = position.game
    ratings = np.empty(game.max_legal)
    count = game.kernel("outlook").ratings_of(position.states, 0, np.empty(game.max_legal, np.int16), ratings)
    ratings = ratings[:count]
    highest = ratings == ratings.max()
    return _without_search(position, best, highest / highest.sum(), RATINGS, ratings=ratings)


def _without_search(
    position: Position,
    best: int,
    shares: NDArray[np.float64] | None,
    meaning: str,
    values: NDArray[np.float64] | None = None,
    value_meaning: str = NO_VALUE,
    ratings: NDArray[np.float64] | None = None,
) -> Outlook:
    actions = position.legal_actions()
    return Outlook(actions, int(best), shares, ratings, values, None, (int(best),), meaning, value_meaning)


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = np.exp(logits - logits.max())
    softened: NDArray[np.float64] = shares / shares.sum()
    return softened
