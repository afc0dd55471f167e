"""An agent that reads the game in words and answers in words plays in the arena; put your language model in the place of `answer`.

python examples/text_agent.py --game pavilion_mini --players 3 --games 3
"""

import argparse
import sys
from pathlib import Path

from azul_duel_env.arena import play_match
from azul_duel_env.games import find_game

sys.path.insert(0, str(Path(__file__).parent))  # where the arena finds the module `text_agent`


def answer(prompt: str) -> str:
    """Answer with the last legal action: after the prompt's colon each stands on a line of its own."""
    actions = prompt.partition("last line:\n")[2].partition("\n\n")[0].splitlines()
    return f"I could think aloud here.\n{actions[-1]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="duel")
    parser.add_argument("--players", type=int, default=None)
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    game = find_game(arguments.game, arguments.players)
    agents = ["text:text_agent:answer", *["random"] * (game.num_players - 1)]
    for result in play_match(game, agents, arguments.games, arguments.seed):
        print(" - ".join(f"{name} {score}" for name, score in zip(result.agents, result.scores, strict=True)))


if __name__ == "__main__":
    main()
