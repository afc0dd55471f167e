"""The options as people are asked for them when a game begins."""

from __future__ import annotations

from azul_duel_env.game import OptionField, OptionValue
from azul_duel_env.games.duel.choices import COMPONENTS
from azul_duel_env.games.duel.components import CONDITIONS

FORM = (
    OptionField(
        "scoring_tiles",
        "Scoring tiles",
        (
            OptionValue(3, "3 at random"),
            OptionValue(4, "4 at random"),
            OptionValue("first_game", "first game"),
        ),
        elements=tuple(
            OptionValue(name, name.replace("_", " "), COMPONENTS["condition"].address("condition", condition))
            for condition, name in enumerate(CONDITIONS)
        ),
        elements_label=("by name", "3 or 4 sides of different tiles"),
    ),
    OptionField(
        "zero_point_draw",
        "Drawing dome tiles with 0 points",
        (OptionValue("free", "is free"), OptionValue("forced_only", "only if forced")),
    ),
    OptionField(
        "special_counts_as_colour",
        "A special tile counts as a colour for five colours",
        (OptionValue(False, "no"), OptionValue(True, "yes")),
        is_box=True,
    ),
    OptionField(
        "chip_payments",
        "More bonus chips than needed may be turned over",
        (OptionValue("undominated", "no"), OptionValue("all", "yes")),
        is_box=True,
    ),
)
"""Who begins is asked for by the seat."""
