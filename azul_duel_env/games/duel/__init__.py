"""Azul Duel: ``GAME`` is its rules core behind the contract that everything else uses."""

from pathlib import Path

from azul_duel_env.game import Abstraction, Display, Events, Game, Rules, ScoreBreakdown, Text
from azul_duel_env.games.duel import (
    abstraction,
    actions,
    bounds,
    chance,
    choices,
    engine,
    events,
    form,
    names,
    notation,
    observation,
    score_breakdown,
    words,
)
from azul_duel_env.games.duel.components import NUM_PLAYERS
from azul_duel_env.games.duel.drawing.moves import event_journey, journey
from azul_duel_env.games.duel.drawing.picture import picture
from azul_duel_env.games.duel.guide import GUIDE
from azul_duel_env.games.duel.kernels import entries, soundness  # type: ignore[attr-defined] # templates
from azul_duel_env.games.duel.state import STATE, Options, initial_states

DATA = Path(__file__).parent / "data"

RULES = Rules.of(
    entries,
    initial_states=initial_states,
    drawn_in_vain=names.drawn_in_vain,
    check=soundness.check,
    unsound_rows=soundness.unsound_rows,
)

TEXT = Text(
    action_name=actions.action_name,
    parse_action=actions.parse_action,
    outcome_name=names.outcome_name,
    parse_outcome=names.parse_outcome,
    write=notation.write,
    read=notation.read,
    board=notation.board,
    private=notation.private,
    decision_name=names.decision_name,
    unflatten=observation.unflatten,
)

DISPLAY = Display(
    picture=picture,
    describe=words.describe,
    question=words.question,
    parts=choices.pickable_parts,
    journey=journey,
    event_journey=event_journey,
    is_secret=words.is_secret,
    round_name=words.round_name,
    board_colours=choices.BOARD_COLOURS,
    components=choices.COMPONENTS,
    options=form.FORM,
    describe_event=words.describe_event,
    guide=GUIDE,
)

ABSTRACTION = Abstraction.of(entries, abstraction.ActionAbstraction)

EVENTS = Events(
    kinds=events.EVENT_KINDS,
    moments_of_setup=events.moments_of_setup,
    moments_of=events.moments_of,
    moments_of_outcome=events.moments_of_outcome,
)

BREAKDOWN = ScoreBreakdown(
    sources=score_breakdown.SOURCES,
    start=score_breakdown.START,
    bonuses=score_breakdown.SCORING_TILE_NAMES,
    carry_out=score_breakdown.carry_out_booked,
    bonus_points=score_breakdown.scoring_tiles_of,
    bonuses_in_play=score_breakdown.scoring_tiles_in_play,
    bonus="scoring tile",
)

GAME = Game(
    home="azul_duel_env.games.duel:GAME",
    id=notation.HEADER,
    title="Azul Duel",
    num_players=NUM_PLAYERS,
    num_actions=actions.NUM_ACTIONS,
    observation_size=observation.OBSERVATION_SIZE,
    max_legal=actions.MAX_LEGAL,
    max_outcomes=int(chance.NUM_OUTCOMES.max()),
    max_decisions=engine.MAX_DECISIONS,
    max_draws=chance.MAX_DRAWS,
    max_points=bounds.MOST_POINTS,
    state=STATE,
    options=Options,
    rules=RULES,
    text=TEXT,
    display=DISPLAY,
    abstraction=ABSTRACTION,
    events=EVENTS,
    breakdown=BREAKDOWN,
    kernels="azul_duel_env.games.duel.kernels",
    observation_blocks=observation.BLOCKS,
    rounded_blocks=observation.ROUNDED,
    agents={"greedy2": "azul_duel_env.games.duel.agents.greedy2:choose_by_fitted_margin"},
    agent_families={"greedy2": "azul_duel_env.games.duel.agents.greedy2:policy_from"},
    agent_texts={"greedy2": "as greedy, with an evaluation whose weights were fitted on self-play"},
    trust_in_values=0.3,
    ladder_agents=("random", "greedy", "network", "greedy2", "mcts:50", "mcts:200", "mcts:1000", "network+mcts:200"),
    fit="azul_duel_env.games.duel.agents.fit:fit_weights",
    network=DATA / "network.npz",
    networks={"az": DATA / "az.npz"},
    ladder=DATA / "ladder.json",
)

__all__ = ["GAME", "Options"]
