"""The ids of the games of this package, and where each lies. To know them imports none."""

GAMES = {
    "azul/duel-v0": "azul_duel_env.games.duel",
    "azul/pavilion_mini-v0": "azul_duel_env.games.pavilion_mini",
}
"""Id -> the package of the game. The version of an id moves when dynamics, spaces or rewards change."""

DEFAULT_GAME = next(iter(GAMES))
"""The game that is meant where none is named."""

SHORT_NAMES = {game_id.partition("/")[2].rpartition("-")[0]: game_id for game_id in GAMES}
"""What people may write for an id: ``duel`` for ``azul/duel-v0``."""
