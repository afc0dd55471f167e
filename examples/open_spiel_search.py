"""OpenSpiel's information-set search against the search of this package, in OpenSpiel: `pip install 'azul_duel_env[openspiel]'`.

Of two players ISMCTS plays first; of several it has the first seat, and ours the others.

python examples/open_spiel_search.py --game "python_azul_pavilion_mini(players=3)" --simulations 20
"""

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

from azul_duel_env.envs.open_spiel import AgentBot


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="python_azul_duel")
    parser.add_argument("--agent", default="mcts:50")
    parser.add_argument("--simulations", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    game, rng = pyspiel.load_game(arguments.game), np.random.RandomState(arguments.seed)
    rollouts = mcts.RandomRolloutEvaluator(1, rng)
    theirs = ismcts.ISMCTSBot(game, rollouts, uct_c=1.4, max_simulations=arguments.simulations, random_state=rng)
    ours = AgentBot(game, arguments.agent, arguments.seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            action = rng.choice(outcomes, p=odds)
        else:
            action = (theirs if state.current_player() == 0 else ours).step(state)
        state.apply_action(int(action))
    print(state.position)
    print("returns", state.returns())


if __name__ == "__main__":
    main()
