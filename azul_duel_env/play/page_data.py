"""What the page shows of a game: plain data for JSON, and the picture. Nothing that the person who looks may not know."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from azul_duel_env.agents import agents_of
from azul_duel_env.arena.scenes import Scene
from azul_duel_env.game import Game, Journey, OptionField, OptionValue, Part
from azul_duel_env.game.options import Offer, form_of, offered_options
from azul_duel_env.games import GAMES, find_game
from azul_duel_env.play.breakdown import breakdown_of
from azul_duel_env.play.choices import Choice, choices_of
from azul_duel_env.play.guidance import lessons_data
from azul_duel_env.play.hints import Hint
from azul_duel_env.play.levels import levels_of
from azul_duel_env.play.new_game import HUMAN, option_names, seat_choices
from azul_duel_env.play.reports import (
    describe_move,
    describe_variation,
    is_secret,
    move_scenes,
    num_following,
    result_of,
    seat_in_front,
    told_events,
)
from azul_duel_env.play.session import Session
from azul_duel_env.view.picture import Picture


def picture(session: Session, layout: str, theme: str) -> Picture:
    """Return the table, the last move visible, unless another round has begun since."""
    last = session.moves[-1] if session.moves else None
    if last is not None and (is_secret(session, last) or last.before.round_number != session.position.round_number):
        last = None
    marks = (
        {}
        if last is None
        else {"last_action": last.action, "before": last.before.states[0], "events": last.moments[0].events}
    )
    drawn: Picture = session.game.display.picture(
        session.position.states[0],
        layout=layout,
        theme=theme,
        seat=seat_in_front(session),
        names=session.names,
        **marks,
    )
    return drawn


def page_data(session: Session, layout: str, theme: str) -> dict[str, Any]:
    """Return all that the page shows of a game."""
    position, display, seed = session.position, session.game.display, session.setup.seed
    drawn = picture(session, layout, theme)
    return {
        "title": session.game.full_title,
        "seats": session.setup.seats,
        "names": session.names,
        "seed": None if seed is None else str(seed),  # a browser's numbers are not that exact
        "options_text": options_text(session),
        "round": position.round_number,
        "round_name": display.round_name(position.round_number),
        "scores": position.scores,
        "player": position.player,
        "turn": "over" if session.over else "human" if session.turn == HUMAN else "agent",
        "question": display.question(position.states[0]),
        "lessons": lessons_data(session),
        **choices_data(choices_of(position, session.names) if session.turn == HUMAN else []),
        "opening": told_events(session, session.opening_events()),
        "log": [log_entry(session, number) for number in range(len(session.moves))],
        "can_undo": session.can_undo,
        "can_redo": session.can_redo,
        "final": final_data(session) if session.over else None,
        "svg": drawn.bare_svg(),
        "dress": dress_key(drawn),
    }


def choices_data(choices: Sequence[Choice]) -> dict[str, list[Any]]:
    """Return legal actions for the page: of each its number, and the parts to pick, by their keys and by the numbers of their buttons.

    Many choices have the same parts, so what a button shows is there once.
    """
    numbers: dict[tuple[str, str, str, str], int] = {}
    listed = [
        {
            "action": choice.action,
            "parts": choice.keys,
            "buttons": [numbers.setdefault(_button_of(part), len(numbers)) for part in choice.parts],
        }
        for choice in choices
    ]
    fields = ("label", "question", "colour", "image")
    return {"choices": listed, "buttons": [dict(zip(fields, button, strict=True)) for button in numbers]}


def _button_of(part: Part) -> tuple[str, str, str, str]:
    return part.label, part.question, part.colour, part.image


def log_entry(session: Session, number: int) -> dict[str, Any]:
    """Return one move for the log.

    That is its number from 1, its round and the points before it; in words, what was done, and what happened then with the points that it
    brought; how much of that is shown by itself; and between which parts something moves.
    """
    move, display = session.moves[number], session.game.display
    secret, state = is_secret(session, move), move.before.states[0]
    return {
        "number": number + 1,
        "round": move.before.round_number,
        "round_name": display.round_name(move.before.round_number),
        "words": describe_move(session, move),
        "scores": move.before.scores,
        "events": told_events(session, move.events),
        "following": num_following(session, move),
        "journey": Journey() if secret else display.journey(move.action, state),
    }


# What a picture is made of --------------------------------------------------------------------
def dress_key(picture: Picture) -> str:
    """Return what tells the style sheet and symbols of a picture from others."""
    return sha256((picture.style + "".join(picture.symbols.values())).encode()).hexdigest()[:16]


def dress_data(session: Session, layout: str, theme: str) -> dict[str, Any]:
    """Return the style sheet and the symbols of the pictures of a game, which the page keeps."""
    drawn = picture(session, layout, theme)
    symbols = "".join(drawn.symbols.values())
    return {"dress": dress_key(drawn), "scope": drawn.scope, "style": drawn.style, "symbols": symbols}


def scenes_data(session: Session, number: int, layout: str, theme: str) -> dict[str, Any]:
    """Return what is to be seen of a move and of what followed it: scenes, whose pictures are lists of pieces that are there once."""
    numbers: dict[str, int] = {}
    scenes = []
    for scene in move_scenes(session, number):
        drawn = scene.picture(session.names, layout=layout, theme=theme, seat=seat_in_front(session))
        scenes.append(
            {
                "words": scene.words,
                "told": scene.told,
                "gains": scene.gains,
                "staging": scene.staging,
                "length": scene.length,
                "journey": _journey_of(session, scene),
                "head": drawn.head(),
                "frame": [numbers.setdefault(piece.svg, len(numbers)) for piece in drawn.pieces],
            }
        )
    return {"dress": dress_key(drawn), "scenes": scenes, "pieces": list(numbers)}


def _journey_of(session: Session, scene: Scene) -> Journey:
    """Return what moves in a scene that follows a move."""
    if not scene.follows or scene.events is None or len(scene.events) > 1:
        return Journey()
    return session.game.display.event_journey(scene.events[0])


# The end, and hints ---------------------------------------------------------------------------
def final_data(session: Session) -> dict[str, Any]:
    """Return who won, each player's points by source, and places."""
    sources = session.game.breakdown.sources
    players = breakdown_of(session)
    rows = [("points at the start", [player.start for player in players])]
    rows += [(text, [player.sources[name] for player in players]) for name, text in sources.items()]
    bonuses = [(name.replace("_", " "), [player.bonuses[name] for player in players]) for name in players[0].bonuses]
    return {
        "result": result_of(session),
        "rows": rows,
        "bonuses": bonuses,
        "bonuses_label": list(sources.values())[-1] if bonuses else "",
        "scores": session.position.scores,
        "places": session.position.ranks,
    }


def hint_data(session: Session, hint: Hint) -> dict[str, Any]:
    """Return a hint for the page: words, the parts to highlight, the estimate and its meaning, what comes next, what else was looked at."""
    by_action = {choice.action: choice for choice in choices_of(session.position, session.names)}
    best = by_action[hint.action]
    return {
        "agent": hint.agent,
        "words": best.words,
        "parts": best.keys,
        "value": round(hint.value, 3),
        "margin": round(hint.margin, 1),
        "shares": [{"words": by_action[action].words, "share": round(share, 3)} for action, share in hint.shares],
        "variation": describe_variation(session, session.position, hint.variation),
        "share_meaning": hint.share_meaning,
        "value_meaning": hint.value_meaning,
    }


# A new game -----------------------------------------------------------------------------------
def setup_data(game: Game) -> dict[str, Any]:
    """Return what there is to choose from when a game begins: the games, and all about this one."""
    offers = {option.name: offer for option, offer in offered_options(game.options)}
    return {
        "game": game.id,
        "games": {one.id: one.title for one in (*map(find_game, GAMES), game)},
        "players": game.num_players,
        "player_counts": game.player_counts,
        "agents": agents_of(game) | ({} if game.num_players == 2 else {HUMAN: "another person at this screen"}),
        "levels": levels_of(game),
        "seats": seat_choices(game),
        "options": [
            _field_data(game, field, offers.get(field.name)) for field in form_of(game.options, game.display.options)
        ],
        "hint": game.adviser,
    }


def _field_data(game: Game, field: OptionField, offer: Offer | None) -> dict[str, Any]:
    """Return how an option is asked for, whether or not commands offer it too."""
    return {
        "name": field.name,
        "label": field.label,
        "values": [_value_data(value) for value in field.values],
        "default": getattr(game.options(), field.name),
        "is_box": field.is_box,
        "is_named": offer is None or offer.always_named,
        "elements": [_value_data(value) for value in field.elements],
        "elements_label": field.elements_label,
    }


def _value_data(value: OptionValue) -> dict[str, Any]:
    return {"value": value.value, "label": value.label, "image": value.image}


def options_text(session: Session) -> str:
    """Return in words the options that people are asked for and that are not as they usually are; "" if all are."""
    known = option_names(session.game)
    chosen = session.game.options(**{name: value for name, value in session.setup.options.items() if name in known})
    usual = session.game.options()
    form = form_of(session.game.options, session.game.display.options)
    values = {field: getattr(chosen, field.name) for field in form}
    unusual = {field: value for field, value in values.items() if value != getattr(usual, field.name)}
    return "; ".join(f"{field.label.lower()}: {_value_text(field, value)}" for field, value in unusual.items())


def _value_text(field: OptionField, value: Any) -> str:
    """Return a value of an option in words."""
    named = [one.label for one in field.values if one.value == value]
    if named or not isinstance(value, (list, tuple)):
        return named[0] if named else str(value)
    return ", ".join([one.label for one in field.elements if one.value in value] or map(str, value))
