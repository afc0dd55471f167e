"""Wrappers: which sub-decisions are asked, rewards, and observations in other forms.

``SubDecisions`` is for PettingZoo and Gymnasium environments of any game, and has short forms for those of Azul Duel. Rewards and
observations, those in words too, are for the single Gymnasium environment: the PettingZoo one has ``reward=`` and
``abstraction.unflatten``, the vector one ``reward=``.
"""

from __future__ import annotations

from azul_duel_env.envs.wrappers.observations import PlanesObservation, ViewsObservation
from azul_duel_env.envs.wrappers.rewards import PotentialShaping, ScoreMarginReward
from azul_duel_env.envs.wrappers.sub_decisions import SubDecisions, short_for
from azul_duel_env.envs.wrappers.text import TextWrapper

__all__ = [
    "BonusChips",
    "Columns",
    "Drawing",
    "MoonOrder",
    "PatternLinePlacement",
    "PlanesObservation",
    "PotentialShaping",
    "ReturnOrder",
    "ScoreMarginReward",
    "SubDecisions",
    "TextWrapper",
    "ViewsObservation",
]

PatternLinePlacement = short_for("PatternLinePlacement", "placement", "split")
BonusChips = short_for("BonusChips", "bonus_chips", "whether")
MoonOrder = short_for("MoonOrder", "moon_order", "useful_on_top")
ReturnOrder = short_for("ReturnOrder", "return_order", "ascending")
Drawing = short_for("Drawing", "drawing", "once")
Columns = short_for("Columns", "columns", "most_points")
