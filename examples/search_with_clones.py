"""A search agent in a few lines, honest about what it can't know: flat Monte Carlo over clones of the environment.

Each simulation starts from a clone in which all that the agent can't know is drawn anew (`resample_for`), tries one action and plays
on at random. `player_0` searches, `player_1` plays at random.

python examples/search_with_clones.py --simulations 200
"""

import argparse

import numpy as np

from azul_duel_env import duel_v0


def playout(env, rng) -> float:
    """Play a clone to its end at random; return the margin of player_0."""
    while not env.terminations[env.agent_selection]:
        env.step(int(rng.choice(env.position.legal_actions())))
    scores = env.position.scores
    return scores[0] - scores[1]


def search(env, simulations: int, rng) -> int:
    """Return the action whose random playouts end best for the agent to act."""
    agent, legal = env.agent_selection, env.position.legal_actions()
    totals = np.zeros(len(legal))
    for i in range(max(simulations, len(legal))):
        clone = env.clone(reseed=int(rng.integers(2**31)), resample_for=agent)
        clone.step(int(legal[i % len(legal)]))
        totals[i % len(legal)] += playout(clone, rng)
    counts = np.bincount(np.arange(max(simulations, len(legal))) % len(legal), minlength=len(legal))
    return int(legal[np.argmax(totals / counts * (1 if agent == "player_0" else -1))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--decisions", type=int, default=10_000, help="stop after so many")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    rng = np.random.default_rng(arguments.seed)
    env = duel_v0.env()
    env.reset(seed=arguments.seed)
    while not env.terminations[env.agent_selection] and env.position.decisions < arguments.decisions:
        searching = env.agent_selection == "player_0"
        action = search(env, arguments.simulations, rng) if searching else int(rng.choice(env.position.legal_actions()))
        env.step(action)
    print(env.position)
    print("scores", env.position.scores)


if __name__ == "__main__":
    main()
