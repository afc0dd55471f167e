"""What templates and the code around them agree on, for every game."""

LEAST_ADVICE = 1e-3
"""Networks that start from the advice take ratings below this for this."""

ACTIVATIONS = ("tanh", "relu")
"""Of networks, by their codes."""

LEAVES = ("greedy", "random", "network")
"""How a search values a leaf: greedy plays on to the end of the round, or random actions to the end of the game; or greedy plays on, and
what comes out is valued by the network."""
