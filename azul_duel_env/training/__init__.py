"""Training, with MaskablePPO or from nothing (``alphazero``): configurations, runs that stop and go on, evaluation, learning curves."""
