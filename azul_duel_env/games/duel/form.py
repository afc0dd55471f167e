"""The option that a form asks for with more than words: the scoring tiles."""

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
)
"""The other options are asked for as ``Options`` offers them; who begins is asked for by the seat."""
