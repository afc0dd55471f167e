"""The options as people are asked for them when a game begins."""

from __future__ import annotations

from azul_duel_env.game import OptionField, OptionValue
from azul_duel_env.games.pavilion_mini.components import COLOURS

FORM = (
    OptionField(
        "board",
        "Boards",
        (OptionValue("coloured", "coloured stars"), OptionValue("grey", "grey stars")),
    ),
    OptionField(
        "wild_order",
        "Wild colours",
        (
            OptionValue(COLOURS, "purple, green, orange, yellow, blue, red"),
            OptionValue(COLOURS[::-1], "red, blue, yellow, orange, green, purple"),
        ),
    ),
    OptionField(
        "keep",
        "Who passes keeps",
        (OptionValue("most", "four tiles, or all of fewer"), OptionValue("any", "up to four tiles, as they like")),
    ),
)
"""Who begins is asked for by the seat."""
