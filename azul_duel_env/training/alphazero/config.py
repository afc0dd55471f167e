"""The configuration of a run that learns from nothing: ``algorithm: alphazero``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from azul_duel_env.arena.match import seeds_for
from azul_duel_env.game import Game
from azul_duel_env.games import DEFAULT_GAME, find_game
from azul_duel_env.training.parts import (
    Above0,
    AtLeast0,
    Count,
    Evaluation,
    Part,
    Share,
    Whole,
    check_game,
    check_opponent,
    check_options,
    full_id,
)


class Variant(Part):
    """Options of some of the games.

    Attributes:
        share: how many are played with them, beside the shares of other variants.
        options: of the game; the number of players stands for itself.
    """

    share: Above0 = 1.0
    options: dict[str, Any] = Field(default_factory=dict)


class FastNetwork(Part):
    """The network.

    Attributes:
        units: of the first layer.
        width: of the second layer; a multiple of 16 is fastest.
        start: file of a network of that size to go on from, such as that of another run; null to begin with random weights.
    """

    units: Annotated[Whole, Field(ge=8, le=4096)] = 256
    width: Annotated[Whole, Field(ge=8, le=1024)] = 64
    start: str | None = None


class SelfPlay(Part):
    """How games are played to learn from.

    Attributes:
        games: between two updates of the network, which all of them are played with.
        backend: ``threads`` of this machine, or ``ray``: workers of a Ray cluster, the one that Ray finds (``RAY_ADDRESS``) or this
            machine. The games are the same.
        threads: that play, or workers; null for one a core, of the cluster with Ray.
        simulations: of the search for each decision with a choice, at the beginning.
        final_simulations: at the end, with a straight line between; null for as many as at the beginning.
        kept: share of the decisions that are learnt from, drawn at random: those of one game end alike, so fewer of more games teach more.
        quick_simulations: of the search for each other decision, which then has no noise; 0 to play the network's first choice; null to
            search it as those that are learnt from.
        considered: actions that sequential halving begins with.
        noise: factor of the Gumbel noise, by which games differ.
        strength: factor of Q values beside logits. Q values are measured by the standard deviation of what the games before came to, since
            points are few where nobody can play yet.
        dirichlet_share: of Dirichlet noise in the priors of the root; 0 for none.
        dirichlet_concentration: of that noise: the smaller, the fewer actions have most of it.
        temperature: 0 to take what sequential halving found best; else actions are drawn from the improved policy to the power of
            1 / ``temperature``.
        reuse: whether what was found about an action serves the next decision of the same turn.
        head_start: points that all players of a game begin with beside those of the rules, at the beginning of the run: each game draws
            from 0 to so many. Where a score can't fall below 0, who can't play yet loses nothing by playing badly, and learns nothing.
        final_head_start: at the end, with a straight line between.
        trace_decay: the lambda of TD(lambda): 1 to learn what games came to; below it, what the searches after a decision thought counts
            the more, the sooner they came.
    """

    games: Count = 200
    backend: Literal["threads", "ray"] = "threads"
    threads: Count | None = None
    simulations: Count = 24
    final_simulations: Count | None = None
    kept: Annotated[Share, Field(gt=0)] = 1.0
    quick_simulations: Annotated[Whole, Field(ge=0)] | None = None
    considered: Count = 12
    noise: AtLeast0 = 1.0
    strength: Above0 = 0.4
    dirichlet_share: Share = 0.0
    dirichlet_concentration: Above0 = 0.3
    temperature: AtLeast0 = 0.0
    reuse: bool = True
    head_start: Annotated[Whole, Field(ge=0, le=100)] = 0
    final_head_start: Annotated[Whole, Field(ge=0, le=100)] = 0
    trace_decay: Share = 1.0


class Replay(Part):
    """The positions that are learnt from: the latest half of all, within bounds.

    Attributes:
        least: positions; all of them while there are fewer.
        most: positions.
    """

    least: Count = 60_000
    most: Count = 800_000


class Learning(Part):
    """How the network learns, by AdamW; ``learning_rate`` falls in a straight line to ``final_learning_rate``.

    Attributes:
        batch_size: positions in a batch.
        learning_rate: at the beginning.
        final_learning_rate: at the end.
        weight_decay: of AdamW.
        max_grad_norm: gradients are clipped to it.
        passes: how often a position is learnt from, on average.
        value_weight: of the squared error of values, measured by the variance of what games come to, beside the loss of the policy.
        win_share: share of the utility in what a finished game is worth, at the beginning; the rest is for the margin.
        final_win_share: at the end, with a straight line between; null for the same.
        search_share: share of what the search thought of a position in the value to learn; the rest is what the game came to.
    """

    batch_size: Annotated[Whole, Field(ge=2)] = 1024
    learning_rate: Above0 = 1e-3
    final_learning_rate: AtLeast0 = 1e-4
    weight_decay: AtLeast0 = 1e-5
    max_grad_norm: Above0 = 5.0
    passes: Above0 = 3.0
    value_weight: Above0 = 1.0
    win_share: Share = 0.6
    final_win_share: Share | None = None
    search_share: Share = 0.4


class Games(Evaluation):
    """How good it is, as it trains; ``every`` counts positions.

    Attributes:
        simulations: of its search for each decision; 0: the network plays alone.
    """

    simulations: Annotated[Whole, Field(ge=0)] = 0


class AlphaZeroConfig(Part):
    """A training run; see the parts.

    Attributes:
        algorithm: tells it from other configurations.
        game: id of the game, or its short name: what stands in it before the version.
        num_players: null for the usual number.
        seed: decides the run, as far as the libraries below repeat.
        torch_threads: null for one a core.
        positions: in which a player had a choice: the run ends with the update after so many.
        variants: options that games are played with; evaluations take those of the first.
    """

    algorithm: Literal["alphazero"]
    game: str = DEFAULT_GAME
    num_players: Count | None = None
    seed: Annotated[Whole, Field(ge=0)] = 1
    torch_threads: Count | None = None
    positions: Count
    variants: list[Variant] = Field(default_factory=lambda: [Variant()], min_length=1)
    network: FastNetwork = FastNetwork()
    self_play: SelfPlay = SelfPlay()
    replay: Replay = Replay()
    learning: Learning = Learning()
    evaluation: Games = Games()

    @property
    def table(self) -> Game:
        """The game, for so many players."""
        return find_game(self.game, self.num_players)

    @property
    def steps(self) -> int:
        """What its progress is counted in: positions."""
        return self.positions

    @field_validator("game", mode="before")
    @classmethod
    def _full_id(cls, name: Any) -> Any:
        return full_id(name)

    @model_validator(mode="after")
    def _fits(self) -> AlphaZeroConfig:
        if self.replay.least > self.replay.most:
            raise ValueError(f"replay.least {self.replay.least} is more than replay.most {self.replay.most}")
        return self

    @model_validator(mode="after")
    def _is_of_game(self) -> AlphaZeroConfig:
        check_game(self.game)
        game = self.table
        for number, variant in enumerate(self.variants):
            place = f"variants.{number}.options"
            if "num_players" in variant.options:
                raise ValueError(f"{place}: num_players stands for itself, beside game")
            check_options(game, place, variant.options)
            try:
                game.make_options(**variant.options)
            except (TypeError, ValueError) as error:
                raise ValueError(f"{place}: {error}") from None
        for name in ("games", "final_games"):
            seeds_for(game.num_players, getattr(self.evaluation, name), f"evaluation.{name}")
        for spec in self.evaluation.opponents:
            check_opponent(game, "evaluation.opponents", spec, [])
        return self
