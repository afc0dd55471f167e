"""Training with MaskablePPO of sb3-contrib: configurations, runs that can be stopped and resumed, evaluation, learning curves."""
