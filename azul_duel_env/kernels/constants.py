"""What templates and the code around them agree on, for every game."""

ASKED, ILLEGAL, SOLVED = -1, -2, -3
"""Instead of an action, under an abstraction: the player is asked; not legal; ``solve_decision`` decides."""

LEAST_ADVICE = 1e-3
"""Networks that start from the advice take ratings below this for this."""

ACTIVATIONS = ("tanh", "relu")
"""Of networks, by their codes."""

LEAVES = ("greedy", "random", "network")
"""How a search values a leaf: greedy plays on to the end of the round, or random actions to the end of the game; or greedy plays on, and
what comes out is valued by the network."""
BY_GREEDY, AT_RANDOM, BY_NETWORK = range(len(LEAVES))

ROOT, NO_NODE, ANY_ACTION = 0, -1, -1
"""Of a search: the first node of its tree; no node; no action that every simulation begins with."""

# The first layer of a fast network, in integers -----------------------------------------------
UNIT = 512
"""What stands for 1 in its weights and biases."""
STEPS = 1024
"""Inputs that are neither 0 nor 1 are rounded to so many parts of 1."""
LARGEST_WEIGHT, ROWS_AT_ONCE = 2047, 16
"""No weight is farther from 0, so that the sum of so many rows fits into int16."""
LARGEST_BIAS = 2**23
"""No bias is farther from 0, so that bias and sum are exact in float32."""
LARGEST_SUM = (2**31 - 1) // STEPS
"""The weights of a unit, without their signs, sum to no more: so no inputs in -1 to 1 bring more than fits into int32."""


# Rows of games -------------------------------------------------------------------------------
MAX_POOL = 64
BUILT_IN = ("random", "greedy")
"""Opponents that play inside the compiled call, by their codes."""
RANDOM, GREEDY = range(len(BUILT_IN))
OUTSIDE = -1  # code of an opponent that is asked from Python; with self-play every seat is
AGENT = -2  # code of an agent that is asked from Python: it sees the state, and sub-decisions are asked in full

REWARD_PARTS = ("win_loss", "score_margin", "score_delta", "potential", "rank")
WIN_LOSS, SCORE_MARGIN, SCORE_DELTA, POTENTIAL, RANK = range(len(REWARD_PARTS))
AUTORESET_MODES = ("disabled", "next_step", "same_step")
DISABLED, NEXT_STEP, SAME_STEP = range(len(AUTORESET_MODES))
ILLEGAL_ACTIONS = ("lose", "random", "penalty", "raise")
LOSE, RANDOM_LEGAL, PENALTY, RAISE = range(len(ILLEGAL_ACTIONS))
FINE, MISSING, PENDING, OVER, ILLEGAL_ACTION = range(5)  # what keeps a row from being stepped
UNDER_WAY, ENDED, GIVEN, NO_GAME = range(4)  # ``over`` of a row; GIVEN: its state is where an episode begins
FOR_NOBODY, FOR_OPPONENT, FOR_SOLVER = range(3)  # ``pending`` of a row: whose answer it needs to go on
ALL_SEATS = -1  # seat of a row in self-play
RANDOM_SEAT = -2
NO_RANK = 0  # of everybody, in an episode that was cut off
