"""The games of this package: each is one folder here, and one line in ``ids``.

What a new game ``NAME`` (words with ``_`` between them) writes, with the id ``azul/NAME-v0``:

====================  =================================================================================================
``kernels/rules.py``  its rules as compiled functions on one state record: the names in ``azul_duel_env.kernels.rules``
``kernels/``          ``invariants``, what holds in every state: the names in ``azul_duel_env.kernels.invariants``;
                      an ``__init__`` that finds all other templates (``templates_beside``); and its own ``abstraction``
                      (sub-decisions), ``evaluation`` (greedy) and ``margins`` (what a search expects), if the plain ones
                      that lie beside the templates won't do
``__init__.py``       ``GAME``: facts, and the groups of ``azul_duel_env.game``: ``Rules.of``, ``Text``, ``Display``,
                      ``Abstraction.of``, ``Events``, ``ScoreBreakdown``; ``variants`` for other numbers of players
its options           a dataclass with ``explicit_chance: bool = False``, with ``first_player: int | None = None`` where it
                      can be chosen who begins, and with a field ``offered(...)`` for each option that commands have
``RULES.md``          the rules, numbered as the code cites them, and ``RULINGS.md`` on what they leave open
``ids.py`` here       its id -> its package
``NAME_v0.py``        beside ``duel_v0``: its environment classes, of which Gymnasium wants the name in camel case, as
                      ``PavilionMiniEnv`` and ``PavilionMiniVectorEnv`` of ``pavilion_mini``; and the functions ``env``, which
                      PettingZoo wants, ``raw_env`` and ``self_play``
====================  =================================================================================================

A game for several numbers of players has a package of kernels for each, for compiled code knows the number when it is compiled. The rules
are written once, in ordinary modules that take it from the state (``len(state.scores)``); each package is thin: a ``rules`` that takes them
from there and sets the constants, NUM_PLAYERS first, and the ``__init__``. ``GAME`` and its ``variants`` then name one package each.

The import contract "shared code imports no game" in ``pyproject.toml`` names each game too. A network, a ladder and agents that know its
rules may come later: ``Game`` has places for them. The smallest game is in ``tests/toy_game``; it has three players.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from azul_duel_env.games.ids import DEFAULT_GAME, GAMES, SHORT_NAMES

if TYPE_CHECKING:
    from azul_duel_env.game import Game

__all__ = ["DEFAULT_GAME", "GAMES", "SHORT_NAMES", "find_game"]


def find_game(name: str, num_players: int | None = None) -> Game:
    """Return the game with an id, or its short name, for a number of players or the usual one; it is imported when it is first wanted.

    Args:
        name: an id, as ``azul/duel-v0``, or what stands in it between ``/`` and the version: ``duel``.
        num_players: as the game allows; None: its usual number.

    Raises:
        ValueError: there is none, or it isn't for so many players.
    """
    game_id = name if name in GAMES else SHORT_NAMES.get(name)
    if game_id is None:
        raise ValueError(
            f"unknown game {name!r}: there are {', '.join(SHORT_NAMES)}, or by their ids {', '.join(GAMES)}"
        )
    game: Game = import_module(GAMES[game_id]).GAME
    return game.of({"num_players": num_players})
