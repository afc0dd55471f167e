"""The option that a form asks for with more than words: the order of wild colours."""

from __future__ import annotations

from azul_duel_env.game import OptionField, OptionValue
from azul_duel_env.games.pavilion_mini.components import COLOURS

FORM = (
    OptionField(
        "wild_order",
        "Wild colours",
        (
            OptionValue(COLOURS, "purple, green, orange, yellow, blue, red"),
            OptionValue(COLOURS[::-1], "red, blue, yellow, orange, green, purple"),
        ),
    ),
)
"""The other options are asked for as ``Options`` offers them; who begins is asked for by the seat."""
