"""What the page shows of a game that is looked at again: plain data for JSON. Nothing that the person who looks may not know."""

from __future__ import annotations

from typing import Any

from azul_duel_env.agents import agents_of
from azul_duel_env.agents.outlook import Outlook
from azul_duel_env.game import Position
from azul_duel_env.play.choices import choices_of
from azul_duel_env.play.page_data import choices_data, final_data, log_entry
from azul_duel_env.play.reports import describe_events, describe_variation, is_secret, reader_of, result_of
from azul_duel_env.play.session import Session
from azul_duel_env.play.studies import Progress, Study
from azul_duel_env.tools.analysis import Analysis, Decision

LEAST_SHARE = 0.0005
"""Of a policy: what is less likely is not told."""


def study_data(study: Study, search: str) -> dict[str, Any]:
    """Return what doesn't change while a game is looked at.

    Args:
        study: the game.
        search: spec of the search that looks, unless another is named.
    """
    session = study.session
    game, position = session.game, session.position
    return {
        "key": study.key,
        "title": game.full_title,
        "names": session.names,
        "front": front_of(session),
        "seed": None if session.setup.seed is None else str(session.setup.seed),
        "over": session.over,
        "result": result_of(session) if session.over else "",
        "scores": position.scores,
        "final": final_data(session) if session.over else None,
        "opening": describe_events(session, session.opening_events()),
        "moves": [
            {**log_entry(session, number), "player": move.player, "secret": is_secret(session, move)}
            for number, move in enumerate(session.moves)
        ],
        "agents": agents_of(game),
        "search": search,
    }


def position_data(study: Study, at: int, layout: str, theme: str) -> dict[str, Any]:
    """Return one position of a game: the picture, and what there is to choose from, if the reader may know that."""
    session, position = study.session, study.position(at)
    return {
        "at": at,
        "svg": _picture(session, position, at, layout, theme),
        "player": position.player,
        "question": session.game.display.question(position.states[0]),
        "scores": position.scores,
        "round_name": session.game.display.round_name(position.round_number),
        **choices_data([] if is_hidden(session, position) else choices_of(position, session.names)),
    }


def front_of(session: Session) -> int:
    """Return the seat from which a game is looked at: that of the first person, or the first."""
    return session.people[0] if session.people else 0


def is_hidden(session: Session, position: Position) -> bool:
    """Return whether the reader may not know what there is to choose from in a position."""
    if position.player < 0:
        return True
    return session.game.display.is_secret(position.states[0]) and reader_of(session, position.player) != position.player


def _picture(session: Session, position: Position, at: int, layout: str, theme: str) -> str:
    """Return the table as SVG, the move before visible."""
    last = session.moves[at - 1] if at and not is_secret(session, session.moves[at - 1]) else None
    drawn = session.game.display.picture(
        position.states[0],
        layout=layout,
        theme=theme,
        seat=front_of(session),
        names=session.names,
        last_action=None if last is None else last.action,
        before=None if last is None else last.before.states[0],
        events=None if last is None else last.moments[0].events,
    )
    text: str = drawn.svg()
    return text


# What an agent thinks -------------------------------------------------------------------------
def outlook_data(session: Session, position: Position, agent: str, found: Outlook) -> dict[str, Any]:
    """Return what an agent thinks of a position: its actions, the likeliest first, with the parts that they take on the table."""
    choices = {choice.action: choice for choice in choices_of(position, session.names)}
    rows = [
        {
            "action": action,
            "words": choices[action].words,
            "parts": choices[action].keys,
            "probability": None if found.probabilities is None else round(float(found.probabilities[place]), 4),
            "rating": None if found.ratings is None else round(float(found.ratings[place]), 2),
        }
        for place, action in enumerate(found.actions.tolist())
        if found.probabilities is None or found.ratings is not None or found.probabilities[place] >= LEAST_SHARE
    ]
    if found.probabilities is None:
        rows = [row for row in rows if row["action"] == found.best]
    rows.sort(key=lambda row: (-(row["probability"] or 0), -(row["rating"] or 0), row["action"]))
    return {
        "agent": agent,
        "player": position.player,
        "best": found.best,
        "words": choices[found.best].words,
        "parts": choices[found.best].keys,
        "actions": rows,
        "values": None if found.values is None else [round(value, 3) for value in found.values.tolist()],
        "margin": None if found.margin is None else round(found.margin, 1),
        "variation": describe_variation(session, position, found.variation),
        "probability_meaning": found.probability_meaning,
        "value_meaning": found.value_meaning,
    }


# What a search found --------------------------------------------------------------------------
def progress_data(study: Study, agent: str, progress: Progress, after: int) -> dict[str, Any]:
    """Return how far an analysis is, and what was found about the decisions with a higher number than ``after``."""
    session = study.session
    return {
        "agent": agent,
        "running": progress.is_running,
        "trouble": progress.trouble,
        "done": len(progress.decisions),
        "wanted": progress.wanted,
        "value_meaning": progress.value_meaning,
        "decisions": [decision_data(session, one) for one in progress.decisions if one.number > after],
        "summary": summary_data(session, study.analysis(agent)),
    }


def decision_data(session: Session, decision: Decision) -> dict[str, Any]:
    """Return what was found about a decision, its actions in words."""
    position, parse = session.moves[decision.number - 1].before, session.game.text.parse_action
    hidden = is_hidden(session, position)
    line = [int(parse(name)) for name in decision.variation]
    return {
        "number": decision.number,
        "player": decision.player,
        "played": None if hidden else int(parse(decision.played)),
        "best": None if hidden else int(parse(decision.best)),
        "best_words": _words(session, position, int(parse(decision.best))),
        "agrees": decision.agrees,
        "value": round(decision.played_value, 3),
        "best_value": round(decision.best_value, 3),
        "values": [round(value, 3) for value in decision.played_values],
        "margin": round(decision.played_margin, 1),
        "points": round(decision.points, 1),
        "loss": round(decision.loss, 3),
        "mark": decision.mark,
        "variation": [] if hidden else describe_variation(session, position, line),
    }


def _words(session: Session, position: Position, action: int) -> str:
    reader = reader_of(session, position.player)
    words: str = session.game.display.describe(action, position.states[0], session.names, reader)
    return words


def summary_data(session: Session, analysis: Analysis) -> list[dict[str, Any]]:
    """Return what came out for each player of whom a decision was looked at."""
    return [
        {
            "player": one.player,
            "name": session.names[one.player],
            "decisions": one.decisions,
            "agreement": round(one.agreement, 3),
            "loss_mean": round(one.loss_mean, 4),
            "points_mean": round(one.points_mean, 2),
            "marks": one.marks,
        }
        for one in analysis.summaries()
    ]
