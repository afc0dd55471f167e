"""The games of this package: each is one folder here, and one line in ``ids``.

What a new game ``NAME`` (words with ``_`` between them) writes, with the id ``azul/NAME-v0``, in an order in which it can be tried out:

====================  =================================================================================================
``RULES.md``          the rules, numbered as the code cites them, and ``RULINGS.md`` on what they leave open
its state             a record with the fields in ``azul_duel_env.kernels.rules``, its int8 fields at the end
its options           a dataclass with ``explicit_chance: bool = False``, with ``first_player: int | None = None`` where it
                      can be chosen who begins, and with a field ``offered(...)`` for each option that commands have; and
                      ``initial_states``, which makes states of it
``kernels/rules.py``  its rules as compiled functions on one state: the names in ``azul_duel_env.kernels.rules``
``kernels/``          ``invariants``, what holds in every state: the names in ``azul_duel_env.kernels.invariants``;
                      an ``__init__`` that finds all other templates (``templates_beside``), ``soundness`` and ``entries``
                      among them; and its own ``abstraction`` (sub-decisions), ``encoding`` (what a fast network sees),
                      ``evaluation`` (greedy) and ``margins`` (what a search expects), if the plain ones that lie beside the
                      templates won't do
``__init__.py``       ``GAME``: facts and bounds, the blocks of the observation, and the groups of ``azul_duel_env.game``:
                      ``Rules.of``, ``Text``, ``Display``, ``Abstraction.of``, ``Events``, ``ScoreBreakdown``
``ids.py`` here       its id -> its package
``NAME_v0.py``        beside ``duel_v0``: its environment classes, of which Gymnasium wants the name in camel case, as
                      ``PavilionMiniEnv`` and ``PavilionMiniVectorEnv`` of ``pavilion_mini``; and the functions ``env``, which
                      PettingZoo wants, ``raw_env`` and ``self_play``
``pyproject.toml``    ``NAME_v0`` in the import contract "the house", and the game in "shared code imports no game"
``tests/``            a folder for its rules; ``game/test_contract``: hashes of what its id promises; ``tools/test_rule_numbers``: its
                      numbered rules
====================  =================================================================================================

A game for several numbers of players has a ``Game`` for each, made by one function (``game.py``), of which each is named in the
``variants`` of all. Compiled code knows the number when it is compiled, so each has a package of kernels too, which only says the number:
``rules`` and the others lie once beside these packages and take it from there, as all of ``pavilion_mini`` does. The rules themselves are
ordinary modules that take it from the state (``len(state.scores)``).

A network, a ladder and agents that know its rules may come later: ``Game`` has places for them. The smallest game is in
``tests/support/toy_game``; it has three players.
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
