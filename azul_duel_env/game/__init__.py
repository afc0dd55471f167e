"""The contract between a game and all that is shared: environments, matches, records, the command.

A ``Game`` says how to make, ask and change states in arrays; a ``Position`` is one state with friendly methods. Neither assumes
a number of players, an action table or an observation of any particular game.
"""

from azul_duel_env.game.abstraction import Abstraction
from azul_duel_env.game.agent import Agent, AgentError, Policy
from azul_duel_env.game.arrays import NOBODY, States, as_blocks, as_index, copy_of, is_array, margins_of
from azul_duel_env.game.breakdown import ScoreBreakdown
from azul_duel_env.game.contract import Game
from azul_duel_env.game.display import (
    YOU,
    Component,
    Display,
    Journey,
    OptionField,
    OptionValue,
    Part,
    amount,
    distinct,
    listed,
    owned,
    said_of,
)
from azul_duel_env.game.event import Event, EventKind, Events, Moment, Staging, one_by_one
from azul_duel_env.game.guide import Guide, Lesson, Preview, Topic
from azul_duel_env.game.position import Position
from azul_duel_env.game.rules import Rules
from azul_duel_env.game.text import Text

__all__ = [
    "NOBODY",
    "YOU",
    "Abstraction",
    "Agent",
    "AgentError",
    "Component",
    "Display",
    "Event",
    "EventKind",
    "Events",
    "Game",
    "Guide",
    "Journey",
    "Lesson",
    "Moment",
    "OptionField",
    "OptionValue",
    "Part",
    "Policy",
    "Position",
    "Preview",
    "Rules",
    "ScoreBreakdown",
    "Staging",
    "States",
    "Text",
    "Topic",
    "amount",
    "as_blocks",
    "as_index",
    "copy_of",
    "distinct",
    "is_array",
    "listed",
    "margins_of",
    "one_by_one",
    "owned",
    "said_of",
]
