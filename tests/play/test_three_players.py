"""A game of three players in terminal, page and film: what is shared knows no game and no number of players."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass, replace

import pytest
from rich.console import Console
from toy_game import GAME, Options
from typer.core import TyperCommand
from typer.testing import CliRunner

from azul_duel_env.arena.film import write_film, write_picture
from azul_duel_env.arena.scenes import scenes_of
from azul_duel_env.cli import app
from azul_duel_env.cli.game_options import _options_of, options_given
from azul_duel_env.game import OptionField, OptionValue
from azul_duel_env.game.options import offered
from azul_duel_env.games import GAMES, SHORT_NAMES
from azul_duel_env.games.duel import GAME as DUEL
from azul_duel_env.games.pavilion_mini import GAME as MINI
from azul_duel_env.play.breakdown import breakdown_of
from azul_duel_env.play.choices import choices_of
from azul_duel_env.play.new_game import HUMAN, SessionError, Setup, places_of, seat_choices, setup_for
from azul_duel_env.play.page_data import page_data, setup_data
from azul_duel_env.play.reports import describe_events, describe_move, is_secret, result_of, seat_in_front
from azul_duel_env.play.saves import Autosave
from azul_duel_env.play.session import Session
from azul_duel_env.play.session_file import read_session
from azul_duel_env.play.terminal import play_in_terminal

TITLE = "toy/dice-v0"
TAKE, GIVE = 0, 1


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(GAMES, TITLE, "toy_game")


def seats_with_person(seat):
    """A person in one seat, an agent in each of the others."""
    return tuple(HUMAN if one == seat else "random" if one == 0 else "greedy" for one in range(GAME.num_players))


def begin(*seats, seed=3, game=GAME):
    return Session(Setup(seats, seed, {}, game))


def play_to_the_end(session):
    while not session.over:
        session.play(TAKE if session.turn == HUMAN else session.thought()())


# Sessions -------------------------------------------------------------------------------------
@pytest.mark.parametrize("seat", range(3))
def test_a_person_plays_two_agents_in_each_seat(seat):
    session = begin(*seats_with_person(seat))
    assert session.people == (seat,)
    assert session.names[seat] == "You"
    assert seat_in_front(session) == seat
    play_to_the_end(session)
    assert [move.player for move in session.moves] == [0, 1, 2] * 4
    breakdown = breakdown_of(session)
    assert [player.score for player in breakdown] == list(session.position.scores)
    assert all(sum(player.sources.values()) == player.score for player in breakdown)
    assert sum(session.position.scores) == sum(move.before.states["die"][0] for move in session.moves)
    again = read_session(session.record().write())
    assert again.setup == session.setup
    assert again.position == session.position
    assert again.record().write() == session.record().write()


def test_the_same_move_after_undo_meets_the_same_answers_of_both_agents():
    session = begin(HUMAN, "random", "random")
    for _ in range(6):
        session.play(TAKE if session.turn == HUMAN else session.thought()())
    text = session.record().write()
    assert session.undo() == 3
    assert session.turn == HUMAN
    session.play(TAKE)
    while session.turn != HUMAN:
        session.play(session.thought()())
    assert session.record().write() == text
    session.undo()
    assert session.redo() == 3
    assert session.record().write() == text


def test_agents_of_one_name_are_told_apart_and_so_are_people():
    assert begin(HUMAN, "random", "random").names == ("You", "random (1)", "random (2)")
    assert begin(HUMAN, "random", HUMAN).names == ("Player 1", "random", "Player 3")


def test_each_seat_takes_an_opponent_of_its_own_or_all_the_same():
    assert setup_for("greedy", "player_1", 1, {}, GAME).seats == ("greedy", HUMAN, "greedy")
    assert setup_for(["greedy", "random"], "player_1", 1, {}, GAME).seats == ("random", HUMAN, "greedy")
    seats = [setup_for("random", "random", seed, {}, GAME).seats.index(HUMAN) for seed in range(60)]
    assert {seats.count(seat) > 10 for seat in range(3)} == {True}
    assert seat_choices(GAME) == ("random", "player_0", "player_1", "player_2")  # nobody chooses who begins
    with pytest.raises(SessionError, match="one opponent, or 2, not 3"):
        setup_for(["random"] * 3, "player_0", 1, {}, GAME)
    with pytest.raises(SessionError, match="random, player_0, player_1, player_2, not 'first'"):
        setup_for("random", "first", 1, {}, GAME)
    with pytest.raises(SessionError, match="Dice takes 3 seats, not 2"):
        begin(HUMAN, "random")


def test_places_have_words_and_then_numbers():
    assert places_of(replace(GAME, num_players=8))[4:] == ("fifth", "sixth", "7th", "8th")


def test_who_shares_the_first_place_is_named():
    session = begin(HUMAN, HUMAN, "random")
    play_to_the_end(session)
    found = {}
    for scores in ((5, 3, 1), (3, 5, 5), (5, 5, 5), (1, 2, 3)):
        session.position.states["scores"] = scores
        found[scores] = result_of(session)
    assert list(found.values()) == [
        "Player 1 wins",
        "Player 2 and random share the first place",
        "A draw",
        "random wins",
    ]
    alone = begin(HUMAN, "random", "greedy")
    play_to_the_end(alone)
    alone.position.states["scores"] = (9, 0, 0)
    assert result_of(alone) == "You win"
    assert result_of(alone, past=True) == "You won"


def test_what_is_decided_in_secret_is_shown_to_whoever_decides_alone():
    """Dice as if each player held the die in the hand."""

    def describe(action, state, names, seat=None):
        return f"{names[state.player]} chooses" + ("" if seat not in (None, state.player) else f" {action}")

    secret = replace(GAME, display=replace(GAME.display, is_secret=lambda _: True, describe=describe))
    session = begin(HUMAN, "random", HUMAN, game=secret)
    fronts = []
    while len(session.moves) < 3:
        fronts.append(seat_in_front(session))
        session.play(TAKE)
    assert fronts == [0, 0, 2]  # an agent needs no seat in front
    assert [describe_move(session, move) for move in session.moves] == [
        "Player 1 chooses",
        "random chooses",
        "Player 3 chooses",
    ]
    assert all(is_secret(session, move) for move in session.moves)
    alone = begin("random", HUMAN, "greedy", game=secret)
    for _ in range(3):
        alone.play(TAKE)
    assert [is_secret(alone, move) for move in alone.moves] == [True, False, True]
    watched = begin("random", "random", "greedy", game=secret)
    watched.play(GIVE)
    assert describe_move(watched, watched.moves[0]) == "random (0) chooses 1"


# What happened --------------------------------------------------------------------------------
def test_a_log_tells_what_happened_after_each_move_and_before_the_first():
    session = begin(HUMAN, "random", "greedy")
    play_to_the_end(session)
    data = page_data(session, "wide", "light")
    assert data["opening"] == [(f"the die shows {session.moves[0].before.states[0].die}", 0)]
    for move, following, entry in zip(session.moves, [*session.moves[1:], None], data["log"], strict=True):
        gets = session.names[(move.player + move.action) % 3]
        rolled = [] if following is None else [(f"the die shows {following.before.states[0].die}", 0)]
        die = int(move.before.states[0].die)
        assert entry["events"] == [(f"{gets} gets {die}", die), *rolled]
        assert (entry["scores"], entry["following"]) == (move.before.scores, 0)


def test_what_happened_is_what_was_drawn_when_a_move_is_played_again():
    session = begin(HUMAN, "random", "greedy")
    play_to_the_end(session)
    happened = [move.events for move in session.moves]
    session.undo()
    session.redo()
    assert [move.events for move in session.moves] == happened
    file = re.sub("seed: .*", "seed: none", session.record().write())  # the draws come from the file alone
    assert [move.events for move in read_session(file).moves] == happened


def test_a_kind_of_events_that_logs_leave_out():
    kinds = {**GAME.events.kinds, "rolled": replace(GAME.events.kinds["rolled"], is_logged=False)}
    session = begin(HUMAN, "random", "greedy", game=replace(GAME, events=replace(GAME.events, kinds=kinds)))
    assert page_data(session, "wide", "light")["opening"] == []


def test_points_are_booked_by_the_events_and_not_played_again():
    game = replace(GAME, breakdown=replace(GAME.breakdown, carry_out=None))
    session = begin("random", "greedy", "random", game=game)
    play_to_the_end(session)
    taken = [
        sum(move.before.states[0].die for move in session.moves if (move.player, move.action) == (seat, TAKE))
        for seat in range(3)
    ]
    breakdown = breakdown_of(session)
    assert [player.sources["taken"] for player in breakdown] == taken
    assert [sum(player.sources.values()) for player in breakdown] == list(session.position.scores)


def test_an_event_with_points_needs_a_source():
    kinds = {**GAME.events.kinds, "taken": replace(GAME.events.kinds["taken"], source="")}
    session = begin(HUMAN, "random", "greedy", game=replace(GAME, events=replace(GAME.events, kinds=kinds)))
    session.play(TAKE)
    with pytest.raises(ValueError, match="kind taken of events has points: its source must be one of taken, given"):
        breakdown_of(session)


# The terminal ---------------------------------------------------------------------------------
class Scripted(Console):
    """A console whose person gives some answers, then always picks the first choice, until the game is over."""

    def __init__(self, session, *answers):
        super().__init__(file=io.StringIO(), width=120)
        self.session, self.answers = session, list(answers)

    def input(self, prompt="", **_):
        self.print(prompt, markup=False)
        if self.answers:
            return self.answers.pop(0)
        if self.session.over:
            raise EOFError
        return "1"


@pytest.mark.parametrize("seat", range(3))
def test_a_whole_game_in_the_terminal(seat, tmp_path):
    session = begin(*seats_with_person(seat))
    console = Scripted(session)
    with Autosave(tmp_path) as saves:
        play_in_terminal(session, saves, console)
        assert read_session(saves.file.read_text(encoding="utf-8")).position == session.position
    text = console.file.getvalue()
    assert f"You (player {seat})" in text
    assert text.count("You: Take the points, or give them away?") == 4
    assert "  2  give" in text
    happened = [line.strip() for line in text.splitlines() if line.startswith("     ")]
    assert happened == describe_events(session, [event for move in session.moves for event in move.events])
    assert f"{result_of(session, past=True)}." in text
    [score] = re.findall(r"^│ score.*$", text, re.MULTILINE)
    assert [int(number) for number in re.findall(r"\d+", score)] == list(session.position.scores)


def test_what_was_taken_back_and_played_again_leads_to_the_next_question(tmp_path):
    session = begin("random", HUMAN, "random")
    console = Scripted(session, "1", "undo", "redo", "2", "quit")
    with Autosave(tmp_path) as saves:
        play_in_terminal(session, saves, console)
    assert [move.action for move in session.moves if move.player == 1] == [TAKE, GIVE]
    assert console.file.getvalue().count("\ndie ") == 5  # the board before each question


def invoke(*args, **how):
    return CliRunner().invoke(app, ["play", "--terminal", "--game", TITLE, *args], **how)


def test_the_command_plays_it(monkeypatch, tmp_path):
    monkeypatch.setenv("AZUL_DUEL_DATA_DIR", str(tmp_path))
    asked = ("--opponent", "greedy", "--opponent", "random", "--seat", "player_2", "--seed", "3")
    done = invoke(*asked, input="1\n1\nquit\n")
    assert done.exit_code == 0, done.exception
    assert "greedy (player 0) - random (player 1) - You (player 2), seed 3" in done.output
    assert (
        CliRunner().invoke(app, ["play", "--terminal", "--resume"], input="log\nquit\n").output.count("(player ") == 3
    )
    watched = invoke("--watch", "random", "greedy", "random")
    assert watched.exit_code == 0, watched.exception
    assert "random (0) (player 0) - greedy (player 1) - random (2) (player 2)" in watched.output
    assert "--watch takes 3 agents in Dice, not 2" in str(invoke("--watch", "random", "greedy").exception)
    assert "seat must be one of random, player_0" in str(invoke("--seat", "third").exception)


def test_a_file_decides_which_game_is_played(monkeypatch, tmp_path):
    """Its agents are looked for, and its title is told; what the command names must agree."""
    monkeypatch.setenv("AZUL_DUEL_DATA_DIR", str(tmp_path))
    file = tmp_path / "a.game"
    file.write_text(begin(HUMAN, "random", "random").record().write(), encoding="utf-8")
    play = ["play", "--load", str(file), "--opponent"]
    failure = CliRunner().invoke(app, [*play, "network"]).exception
    assert "unknown agent 'network': Dice has" in str(failure)
    for named, message in (
        (("--game", "azul/duel-v0"), "the file holds a game of toy/dice-v0, not of azul/duel-v0"),
        (("--players", "2"), "the file holds a game of 3 players, not of 2"),
    ):
        refused = CliRunner().invoke(app, [*play, "random", "--terminal", *named], standalone_mode=False)
        assert message in str(refused.exception)
    agreeing = ("--game", TITLE, "--players", "3")
    monkeypatch.setitem(SHORT_NAMES, "dice", TITLE)
    short = ("--game", "dice")
    assert CliRunner().invoke(app, [*play, "random", "--terminal", *short], input="quit\n").exit_code == 0
    assert CliRunner().invoke(app, [*play, "random", "--terminal", *agreeing], input="quit\n").exit_code == 0
    told = []

    def serve(table, listening, *_):
        told.append(table.game.title)
        listening.close()

    monkeypatch.setattr("azul_duel_env.play.server.serve", serve)
    done = CliRunner().invoke(app, [*play, "random", "--no-browser", "--port", "0"])
    assert done.exit_code == 0, done.exception
    assert told == ["Dice"]


# The page -------------------------------------------------------------------------------------
@pytest.fixture
def page(monkeypatch, tmp_path):
    pytest.importorskip("starlette")
    pytest.importorskip("httpx")
    from pages import page_of

    from azul_duel_env.play import table

    monkeypatch.setattr(table, "warm_up_extras", lambda *_: None)
    held = table.Table(lambda: begin("random", HUMAN, "greedy"), saves=Autosave(tmp_path))
    with page_of(held) as page:
        page.table = held
        yield page


def test_a_whole_game_on_the_page(page):
    state = page.play_on(1)
    assert (state["title"], state["names"]) == ("Dice", ["random", "You", "greedy"])
    assert [choice["parts"] for choice in state["choices"]] == [["action-0"], ["action-1"]]
    assert [choice["buttons"] for choice in state["choices"]] == [[0], [1]]
    assert [button["label"] for button in state["buttons"]] == ["take", "give"]
    assert state["question"] == "Take the points, or give them away?"
    assert {entry["round_name"] for entry in state["log"]} == {"round 1", "round 2"}
    assert state["svg"].startswith("<svg")
    state = page.play_on(100)
    assert state["turn"] == "over"
    final = state["final"]
    assert final["scores"] == state["scores"]
    assert [sum(points[seat] for _, points in final["rows"]) for seat in range(3)] == final["scores"]
    assert final["bonuses"] == []


def test_a_new_game_on_the_page_takes_three(page):
    setup = page.get("setup").json()
    assert (setup["games"][setup["game"]], setup["players"], setup["options"]) == ("Dice", 3, [])
    assert setup["seats"] == ["random", "player_0", "player_1", "player_2"]
    assert {"random", "greedy", "mcts:N"} <= set(setup["agents"])
    assert "network" not in setup["agents"]
    wanted = {
        "game": None,
        "players": None,
        "opponent": ["random", "greedy"],
        "seat": "player_2",
        "watch": None,
        "seed": 9,
        "options": {},
    }
    assert page.ask("new", wanted).json()["seats"] == ["random", "greedy", HUMAN]
    assert page.ask("new", {**wanted, "opponent": "random"}).json()["seats"] == ["random", "random", HUMAN]
    assert page.ask("new", {**wanted, "opponent": HUMAN}).json()["names"] == ["Player 1", "Player 2", "Player 3"]
    assert page.ask("new", {**wanted, "watch": ["random"] * 3}).json()["turn"] == "agent"
    for change, expected in (
        ({"watch": ["random"] * 2}, "watch must be the specs of 3 agents"),
        ({"opponent": ["random"]}, "opponent must be the specs of 2 agents"),
        ({"opponent": ["random", 1]}, "opponent must be the specs of 2 agents"),
        ({"opponent": ["random", "greedi"]}, "did you mean 'greedy'"),
        ({"opponent": ["random", "os:getcwd"]}, "name it on the command line"),
        ({"seat": "first"}, "seat must be one of random, player_0"),
        ({"options": {"first_player": 1}}, "expected the options"),
        ({"options": {"explicit_chance": True}}, "expected the options"),
    ):
        page.refused(400, expected, page.ask("new", {**wanted, **change}))


HOMES = {2: f"{__name__}:TWO", 3: f"{__name__}:SEVERAL"}
SEVERAL = replace(GAME, home=HOMES[3], variants=HOMES)
TWO = replace(DUEL, home=HOMES[2], variants=HOMES)
"""Dice for three players, or two, who play Azul Duel in this test."""


def test_the_page_offers_each_number_of_players_that_a_game_has(page, monkeypatch):
    assert page.get("setup").json()["player_counts"] == [3]
    page.refused(400, "num_players must be 3 in Dice, not 2", page.get("setup", players=2))
    page.refused(400, "players must be a number", page.get("setup", players="two"))
    monkeypatch.setattr(page.table, "session", begin("random", HUMAN, "greedy", game=SEVERAL))
    now, two = page.get("setup").json(), page.get("setup", players=2).json()
    assert (now["players"], two["players"]) == (3, 2)
    assert now["player_counts"] == two["player_counts"] == [2, 3]
    assert [option["name"] for option in two["options"]] == [
        "scoring_tiles",
        "zero_point_draw",
        "special_counts_as_colour",
        "chip_payments",
    ]
    wanted = {
        "game": None,
        "players": 2,
        "opponent": ["random"],
        "seat": "second",
        "watch": None,
        "seed": 9,
        "options": {"scoring_tiles": 4},
    }
    page.refused(400, "num_players must be 2 or 3 in Dice, not 4", page.ask("new", {**wanted, "players": 4}))
    page.refused(400, "opponent must be the specs of 1 agents", page.ask("new", {**wanted, "opponent": ["random"] * 2}))
    assert page.ask("new", wanted).json()["seats"] == ["random", HUMAN]
    assert page.get("setup").json()["players"] == 2
    assert page.ask("new", {**wanted, "players": 3, "opponent": "random", "seat": "player_0", "options": {}}).json()[
        "seats"
    ] == [HUMAN, "random", "random"]


def test_another_game_is_begun_on_the_page(page):
    """The table changes its game, and what is asked about it; wrong wishes change nothing."""
    assert list(page.get("setup").json()["games"]) == [*GAMES]
    mini = page.get("setup", game=MINI.id, players=3).json()
    assert (mini["game"], mini["players"], mini["player_counts"]) == (MINI.id, 3, [2, 3, 4])
    assert mini["games"][MINI.id] == MINI.title
    assert "human" in mini["agents"]
    assert "network" not in mini["agents"]
    assert page.get("setup", game=MINI.id).json()["players"] == MINI.num_players
    assert page.get("setup").json()["game"] == TITLE, "nothing has been begun yet"
    assert page.get("components/tile", game=DUEL.id, tile=3, rotation=1).status_code == 200
    page.refused(400, "unknown game 'azul/go-v0'", page.get("setup", game="azul/go-v0"))
    page.refused(400, "unknown game 'azul/go-v0'", page.get("components/tile", game="azul/go-v0"))
    wanted = {"opponent": ["random", HUMAN], "seat": "first", "watch": None, "seed": 9, "options": {"board": "grey"}}
    wanted |= {"game": MINI.id, "players": 3}
    for change, expected in (
        ({"game": "azul/go-v0"}, "unknown game 'azul/go-v0'"),
        ({"game": 3}, "game must be a text or null, not 3"),
        ({"players": 5}, "num_players must be 2 or 3 or 4 in Azul Summer Pavilion Mini, not 5"),
        ({"opponent": ["random", "network"]}, "unknown agent 'network': Azul Summer Pavilion Mini has"),
        ({"options": {"scoring_tiles": 4}}, "expected the options board,"),
    ):
        page.refused(400, expected, page.ask("new", {**wanted, **change}))
    begun = page.ask("new", wanted).json()
    assert (begun["title"], begun["seats"]) == ("Azul Summer Pavilion Mini, 3 players", [HUMAN, "random", HUMAN])
    assert "grey" in begun["options_text"]
    assert page.get("setup").json()["game"] == MINI.id
    state = page.play_on(1)
    assert (len(state["scores"]), len(state["log"])) == (3, 2)
    assert 'filename="azul-summer-pavilion-mini-3-players-9.game"' in page.get("game").headers["content-disposition"]
    again = page.ask("new", {**wanted, "game": TITLE, "players": None, "seat": "player_0", "options": {}}).json()
    assert (again["title"], again["seats"]) == ("Dice", [HUMAN, "random", HUMAN])


def test_a_page_asks_what_to_play_until_somebody_has_said_it(page):
    assert not page.state["is_offered"], "this game was asked for"
    page.table._is_offered = True
    state = page.do("think")
    assert state["is_offered"], "no person has decided"
    state = page.do("play", action=state["choices"][0]["action"])
    assert not state["is_offered"]
    assert page.do("undo")["is_offered"]
    wanted = {"players": None, "opponent": "random", "seat": "player_0", "watch": None, "seed": 9, "options": {}}
    assert not page.do("new", game=None, **wanted)["is_offered"]


@pytest.mark.parametrize(
    ("args", "is_offered"),
    [((), True), (("--host", "localhost"), True), (("--game", "duel"), False), (("--scoring-tiles", "3"), False)],
)
def test_the_command_asks_on_the_page_what_nobody_has_said(monkeypatch, args, is_offered):
    pytest.importorskip("starlette")
    told = []

    def serve(table, listening, *_):
        table.session = table._start()
        told.append(table.is_offered)
        listening.close()

    monkeypatch.setattr("azul_duel_env.play.server.serve", serve)
    done = CliRunner().invoke(app, ["play", "--no-browser", "--port", "0", *args])
    assert done.exit_code == 0, done.exception
    assert told == [is_offered]


def test_the_page_goes_on_with_the_game_of_a_file(page):
    duel = Session(Setup((HUMAN, "random"), 4))
    duel.play(int(duel.position.legal_actions()[0]))
    text = page.get("game")
    assert 'filename="dice-3.game"' in text.headers["content-disposition"]
    assert page.get("components/tile", tile=3, rotation=1).status_code == 404  # dice have none
    loaded = page.ask("load", {"text": duel.record().write()}).json()
    assert (loaded["title"], loaded["names"]) == ("Azul Duel", ["You", "random"])
    assert page.get("components/tile", tile=3, rotation=1).status_code == 200
    assert page.get("setup").json()["players"] == 2
    back = page.ask("load", {"text": text.text}).json()
    assert (back["title"], back["seats"]) == ("Dice", ["random", HUMAN, "greedy"])


def test_every_action_is_a_button_with_its_name_where_a_game_says_no_more():
    position = GAME.new(1)
    [take, give] = choices_of(position, ("A", "B", "C"))
    assert (take.keys, take.labels, give.name) == (("action-0",), ("take",), "give")


# Films and pictures ---------------------------------------------------------------------------
@pytest.fixture
def record():
    session = begin("random", "greedy", "random")
    play_to_the_end(session)
    return session.record()


def test_a_film_of_three_players(record, tmp_path):
    file = tmp_path / "dice.html"
    write_film(record, file, seat=2)
    page = file.read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert data["names"] == ["random (0)", "greedy", "random (2)"]
    assert [scene["player"] for scene in data["scenes"]] == [-1, *[0, 1, 2] * 4]
    assert [scene["round_name"] for scene in data["scenes"]][::3] == [f"round {n}" for n in (1, 2, 3, 4, 4)]
    assert all(len(scene["scores"]) == 3 for scene in data["scenes"])
    assert data["scenes"][0]["told"][0].startswith("the die shows")
    assert all(" gets " in scene["told"][0] for scene in data["scenes"][1:])
    assert all(len(scene["gains"]) == 1 for scene in data["scenes"][1:])
    assert "<title>Dice: random (0) - greedy - random (2)</title>" in page
    with pytest.raises(ValueError, match="seat must be 0 to 2"):
        scenes_of(record, 3)


def test_a_picture_and_a_gif_of_three_players(record, tmp_path):
    write_picture(record, tmp_path / "dice.svg", 2, seat=1)
    assert "points [" in (tmp_path / "dice.svg").read_text(encoding="utf-8")
    write_film(record, tmp_path / "dice.gif", width=160)
    assert (tmp_path / "dice.gif").stat().st_size > 0


# Options --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Wide(Options):
    """Options whose defaults are no words."""

    limit: int | None = offered(None, "A limit.")
    names: tuple[str, ...] = offered(("one", "two"), "Names.")
    quick: bool = False


WIDE = replace(GAME, options=Wide)


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ([], {"limit": None, "names": ("one", "two")}),
        (["--limit", "3", "--names", "three,four"], {"limit": 3, "names": ("three", "four")}),
    ],
)
def test_commands_keep_defaults_as_they_are(args, options):
    context = TyperCommand("play", params=_options_of(WIDE)).make_context("play", args)
    assert options_given(context, WIDE) == options


@dataclass(frozen=True)
class Plain(Options):
    """Options that a form can ask for as commands offer them."""

    speed: str = offered("slow", "A speed.", values=("slow", "very_fast"))
    pays: str = offered(
        "no_more", "Payments.", values={"no_more": "no", "all": "yes"}, label="More may be paid", is_box=True
    )
    quick: bool = offered(True, "Quick.", always_named=False)
    limit: int = offered(3, "A limit, which a form can't ask for.")


def test_the_page_asks_for_options_as_commands_offer_them():
    own = OptionField("quick", "At once", (OptionValue(False, "no"), OptionValue(True, "yes")))
    plain = {field["name"]: field for field in setup_data(replace(GAME, options=Plain))["options"]}
    refined = setup_data(replace(GAME, options=Plain, display=replace(GAME.display, options=(own,))))["options"]
    assert list(plain) == [field["name"] for field in refined] == ["speed", "pays", "quick"]
    assert [value["label"] for value in plain["speed"]["values"]] == ["slow", "very fast"]
    assert [(field["label"], field["is_box"], field["default"], field["is_named"]) for field in plain.values()] == [
        ("Speed", False, "slow", True),
        ("More may be paid", True, "no_more", True),
        ("Quick", True, True, False),
    ]
    assert (refined[2]["label"], refined[2]["is_box"]) == ("At once", False)


def test_the_page_asks_for_an_option_that_commands_do_not_offer():
    box = OptionField("quick", "Quick", (OptionValue(False, "no"), OptionValue(True, "yes")), is_box=True)
    game = replace(WIDE, display=replace(GAME.display, options=(box,)))
    [asked] = setup_data(game)["options"]
    assert (asked["name"], asked["default"], asked["is_named"]) == ("quick", False, True)
