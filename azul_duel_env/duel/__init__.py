"""Azul Duel: ``GAME`` is its rules core behind the contract that everything else uses."""

from azul_duel_env.duel import (
    actions,
    draw,
    engine,
    granularity,
    invariants,
    knowledge,
    names,
    notation,
    observation,
    words,
)
from azul_duel_env.duel.chance import NUM_OUTCOMES
from azul_duel_env.duel.components import NUM_PLAYERS
from azul_duel_env.duel.state import STATE, Options, boxed_states
from azul_duel_env.game import Game

GAME = Game(
    home="azul_duel_env.duel:GAME",
    id=notation.HEADER,
    title="Azul Duel",
    num_players=NUM_PLAYERS,
    num_actions=actions.NUM_ACTIONS,
    observation_size=observation.OBSERVATION_SIZE,
    max_legal=actions.MAX_LEGAL,
    max_outcomes=int(NUM_OUTCOMES.max()),
    max_decisions=engine.MAX_DECISIONS,
    state=STATE,
    granularity=granularity.Granularity,
    options=Options,
    boxed_states=boxed_states,
    begin=engine.begin,
    legal_actions=engine.legal_actions,
    legal_mask=engine.legal_mask,
    try_action=engine.try_action,
    outcome_weights=engine.outcome_weights,
    try_outcome=engine.try_outcome,
    draw_chance=engine.draw_chance_of,
    drawn_in_vain=names.drawn_in_vain,
    observe=observation.observe,
    resample=knowledge.resample,
    first_player=engine.first_player_of,
    winner=engine.winner_of,
    check=invariants.check,
    asked_mask=granularity.asked_mask,
    observe_asked=granularity.observe_asked,
    try_asked=granularity.try_asked,
    go_on_by_policy=granularity.go_on_by_policy,
    next_by_policy=granularity.next_by_policy,
    meaning=granularity.meaning,
    views=observation.views,
    action_name=actions.action_name,
    parse_action=actions.parse_action,
    outcome_name=names.outcome_name,
    parse_outcome=names.parse_outcome,
    write=notation.write,
    read=notation.read,
    board=notation.board,
    decision_name=names.decision_name,
    picture=draw.picture,
    describe=words.describe,
    question=words.question,
    playouts=engine.playouts,
    count_leaves=engine.count_leaves,
)

__all__ = ["GAME", "Options"]
