"""What environments share in which one learner plays against opponents."""

from __future__ import annotations

from collections.abc import Sequence

from azul_duel_env.envs.batch import Batch
from azul_duel_env.envs.opponents import OpponentLike, refuse_self_play


class OneLearner:
    """An environment of a library, over games that ``batch`` plays.

    Attributes:
        batch: the games.
    """

    batch: Batch

    def set_opponent(self, opponent: OpponentLike) -> None:
        """Play against somebody else from now on, also in the episodes under way: every other seat draws anew.

        Args:
            opponent: one, or a pool, as in the constructor.

        Raises:
            ValueError, TypeError, OSError: no opponent; the one before stays.
        """
        refuse_self_play(opponent)
        self.batch.set_opponent(opponent)

    def set_opponents(self, opponents: Sequence[OpponentLike]) -> None:
        """Play against a line-up from now on, also in the episodes under way: one for each other seat, in turn order after the learner's.

        Raises:
            ValueError, TypeError, OSError: no line-up; the opponents before stay.
        """
        self.batch.set_opponents(opponents)
