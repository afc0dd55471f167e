"""Let four agents of different kinds play Azul Summer Pavilion Mini with the PettingZoo AEC environment, one seat further each game.

python examples/four_players.py --games 4

Any function of an observation and its mask can sit beside agents of the package: here one that takes the first legal action.
"""

import argparse

import numpy as np

from azul_duel_env import pavilion_mini_v0
from azul_duel_env.agents import make_agent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--simulations", type=int, default=50, help="of the search, a decision")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    env = pavilion_mini_v0.env(num_players=4, board="grey")
    agents = {spec: make_agent(env.game, spec) for spec in ("random", "greedy", f"mcts:{arguments.simulations}")}
    players = [*agents, "first legal"]
    rng = np.random.default_rng(arguments.seed)
    places = {player: [] for player in players}
    for number in range(arguments.games):
        env.reset(seed=arguments.seed + number)
        seated = {seat: players[(place + number) % 4] for place, seat in enumerate(env.possible_agents)}
        for seat in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            player = seated[seat]
            if terminated or truncated:
                action = None
            elif player in agents:
                action = agents[player].act(env.position, rng.integers(2**64, dtype=np.uint64))
            else:
                action = int(observation["action_mask"].argmax())
            env.step(action)
        for (_, player), place in zip(seated.items(), env.position.ranks, strict=True):
            places[player].append(place)
    for player, taken in places.items():
        print(f"{player:12} places {taken}, {np.mean(taken):.2f} on average")


if __name__ == "__main__":
    main()
