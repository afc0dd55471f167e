"""The rules of dice, as templates take them."""

from toy_game.rules import *  # noqa: F403
