"""Opponents by how strong they are, for people who know no specs."""

from __future__ import annotations

from azul_duel_env.game import Game


def levels_of(game: Game) -> dict[str, str]:
    """Return name of a level -> spec of the agent that plays at it, the weakest first, as the ladder of a game has them."""
    strongest = "mcts:200" if game.network is None else "network+mcts:200"
    return {"easy": "random", "medium": "greedy", "hard": "mcts:50", "strong": strongest}
