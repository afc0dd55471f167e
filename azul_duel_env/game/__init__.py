"""The contract between a game and all that is shared: environments, matches, records, the command.

A ``Game`` says how to make, ask and change states in arrays; a ``Position`` is one state with friendly methods. Neither assumes
a number of players, an action table or an observation of any particular game.
"""

from azul_duel_env.game.agent import Agent, AgentError, Policy
from azul_duel_env.game.arrays import NOBODY, States, as_blocks, as_index, copy_of, is_array, margins_of
from azul_duel_env.game.contract import Abstraction, Display, Events, Game, Rules, ScoreBreakdown, Text
from azul_duel_env.game.display import YOU, Component, OptionField, OptionValue, Part, distinct, said_of
from azul_duel_env.game.event import Event, EventKind
from azul_duel_env.game.position import Position

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
    "OptionField",
    "OptionValue",
    "Part",
    "Policy",
    "Position",
    "Rules",
    "ScoreBreakdown",
    "States",
    "Text",
    "as_blocks",
    "as_index",
    "copy_of",
    "distinct",
    "is_array",
    "margins_of",
    "said_of",
]
