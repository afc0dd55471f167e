"""Greedy's evaluation, as templates take it; ``azul_duel_env.kernels.evaluation`` says what each function is."""

from azul_duel_env.games.pavilion_mini.agents.greedy import (
    best_action,
    choose_greedily,
    evaluate_seat,
    rate_actions,
    rate_listed,
)

__all__ = ["best_action", "choose_greedily", "evaluate_seat", "rate_actions", "rate_listed"]
