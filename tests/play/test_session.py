"""A game between people and agents: moves, undo, hints, files, the score breakdown."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from azul_duel_env.agents.search import Search, SearchCalledOffError
from azul_duel_env.arena.game_file import record_game
from azul_duel_env.arena.match import play_game
from azul_duel_env.games.duel import GAME
from azul_duel_env.jit import COMPILED
from azul_duel_env.play.agents import check_agent, is_plain
from azul_duel_env.play.breakdown import breakdown_of
from azul_duel_env.play.new_game import HUMAN, SessionError, Setup, seat_choices, setup_for
from azul_duel_env.play.session import Session
from azul_duel_env.play.session_file import read_session, read_text, write_session

OPPONENT = "greedy" if COMPILED else "random"


def let_agents_play(session):
    while session.turn not in (None, HUMAN):
        session.play(session.thought()())


def play_on(session, count=None, choose=lambda legal: legal[len(legal) // 2]):
    """Let agents answer and a person choose by a rule, for some decisions of that person or to the end."""
    let_agents_play(session)
    while not session.over and count != 0:
        session.play(int(choose(session.position.legal_actions())))
        let_agents_play(session)
        count = None if count is None else count - 1


@pytest.fixture
def halfway():
    session = Session(Setup((HUMAN, OPPONENT), 5, {"scoring_tiles": 4}))
    play_on(session, 12)
    return session


def test_two_agents_play_the_game_of_a_match():
    options = {"scoring_tiles": 4}
    session = Session(Setup((OPPONENT, "random"), 7, options))
    let_agents_play(session)
    result = play_game(GAME, (OPPONENT, "random"), 7, options)
    assert tuple(move.action for move in session.moves) == result.actions
    assert session.position.scores == result.scores
    written = record_game(GAME, 7, result.actions, options, (OPPONENT, "random")).write()
    assert session.record().write() == written


def test_a_whole_game_ends_with_a_breakdown_that_sums_to_the_score():
    session = Session(Setup((HUMAN, OPPONENT), 3))
    play_on(session)
    assert session.over
    assert session.turn is None
    breakdown = breakdown_of(session)
    assert [player.score for player in breakdown] == list(session.position.scores)
    for player in breakdown:
        assert player.start + sum(player.sources.values()) == player.score
        assert len(player.bonuses) == 3
    kinds = {event.kind for event in session.events()}
    assert {"tile_placed", "penalty", "scoring_tile", "tile_drawn", "display_filled"} <= kinds
    with pytest.raises(SessionError, match="game is over"):
        session.thought()
    with pytest.raises(SessionError, match="game is over"):
        session.hint()


def test_undo_goes_back_to_ones_own_last_decision(halfway):
    before = [move for move in halfway.moves if move.player == 0][-1]
    count = len(halfway.moves)
    taken_back = halfway.undo()
    assert halfway.turn == HUMAN
    assert halfway.position == before.before
    assert len(halfway.moves) == count - taken_back


def test_the_same_move_after_undo_meets_the_same_answer(halfway):
    text, position = halfway.record().write(), halfway.position.copy()
    action = [move for move in halfway.moves if move.player == 0][-1].action
    halfway.undo()
    halfway.play(action)
    let_agents_play(halfway)
    assert halfway.record().write() == text
    assert halfway.position == position


def test_redo_plays_again_what_was_taken_back(halfway):
    text = halfway.record().write()
    first, second = halfway.undo(), halfway.undo()
    assert halfway.can_redo
    assert halfway.redo() == second
    assert halfway.redo() == first
    assert halfway.record().write() == text
    with pytest.raises(SessionError, match="nothing was taken back"):
        halfway.redo()


def test_another_move_after_undo_forgets_what_was_taken_back(halfway):
    halfway.undo()
    taken = halfway._undone[-1].action
    other = next(int(action) for action in halfway.position.legal_actions() if action != taken)
    halfway.play(other)
    assert not halfway.can_redo


def test_two_people_take_back_one_decision():
    session = Session(Setup((HUMAN, HUMAN), 1))
    play_on(session, 6)
    assert session.undo() == 1
    assert len(session.moves) == 5
    assert session.names == ("Player 1", "Player 2")


def test_two_agents_can_be_taken_back_as_well():
    session = Session(Setup(("random", "random"), 1))
    for _ in range(4):
        session.play(session.thought()())
    assert session.undo() == 1
    assert session.redo() == 1


def test_before_the_first_own_decision_nothing_can_be_taken_back():
    session = Session(Setup(("random", HUMAN), 1, {"first_player": 1}))
    let_agents_play(session)
    assert session.moves
    assert not session.can_undo
    with pytest.raises(SessionError, match="no decision to take back"):
        session.undo()


def test_an_illegal_action_changes_nothing(halfway):
    text, position = halfway.record().write(), halfway.position.copy()
    mask = halfway.position.action_mask()
    for action in (-1, 400, int(np.flatnonzero(mask == 0)[0])):
        with pytest.raises(ValueError, match="not legal"):
            halfway.play(action)
    halfway.undo()
    with pytest.raises(ValueError, match="not legal"):
        halfway.play(-1)
    halfway.redo()
    assert halfway.position == position
    assert halfway.record().write() == text


def test_a_saved_game_goes_on_as_it_would_have(halfway, tmp_path):
    write_session(halfway, tmp_path / "deep" / "my.game")
    again = read_session(read_text(tmp_path / "deep" / "my.game"))
    assert again.setup == halfway.setup
    assert again.position == halfway.position
    play_on(halfway)
    play_on(again)
    assert again.record().write() == halfway.record().write()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["my.game"]


def test_a_game_without_a_seed_repeats_its_draws_after_undo(halfway):
    text = halfway.record().write().replace("seed: 5", "seed: none")
    game = read_session(text)
    assert game.setup.seed is None
    while game.can_undo:
        game.undo()
    while game.can_redo:
        game.redo()
    assert game.record().write() == text
    play_on(game, 2)


@pytest.mark.parametrize(
    "text", ["", "hello", "azul/duel-v0 game\nseed: 1\n", "azul/duel-v0 game\noptions: {}\nseed: x"]
)
def test_no_game_file_is_told(text):
    with pytest.raises(ValueError, match="expected|missing"):
        read_session(text)


def test_a_broken_line_is_named(halfway):
    lines = halfway.record().write().splitlines()
    number = next(n for n, line in enumerate(lines) if line.startswith("0:"))
    lines[number] = "0: B small-1 pink -> line 9"
    with pytest.raises(ValueError, match=f"line {number + 1}: no action is called"):
        read_session("\n".join(lines))


def test_a_game_file_starts_no_program(halfway):
    for name in ("os:getcwd", "sb3:model.zip", "network:x.npz", "greedy2:x.npz", "Anna"):
        text = halfway.record().write().replace(f"player 1: {OPPONENT}", f"player 1: {name}")
        assert not is_plain(GAME, name)
        assert read_session(text).setup.seats == (HUMAN, HUMAN)
    asked = []
    read_session(text, lambda _game, name: bool(asked.append(name)))
    assert asked == [HUMAN, "Anna"]
    for name in (HUMAN, "greedy", "mcts:400", "network+mcts:50ms"):
        assert is_plain(GAME, name)


def test_too_long_or_binary_files_are_refused(tmp_path):
    file = tmp_path / "a.game"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="text in UTF-8"):
        read_text(file)
    file.write_bytes(b"x" * 300_000)
    with pytest.raises(ValueError, match="at most 262,144 bytes"):
        read_text(file)


@pytest.mark.skipif(not COMPILED, reason="a search takes long uncompiled")
def test_a_hint_is_what_the_search_would_play_and_repeats(halfway):
    hint = halfway.hint("mcts:50")
    assert hint == halfway.hint("mcts:50")
    assert hint.action in halfway.position.legal_actions()
    assert -1 <= hint.value <= 1
    assert hint.shares[0][0] == hint.action
    assert hint.shares[0][1] == max(share for _, share in hint.shares)
    assert len(hint.shares) == min(3, len(halfway.position.legal_actions()))
    assert hint.variation[0] == hint.action
    with pytest.raises(ValueError, match="expected a search"):
        halfway.hint("greedy")


@pytest.mark.skipif(not COMPILED, reason="a search takes long uncompiled")
def test_a_thought_can_be_called_off():
    session = Session(Setup(("mcts:1000000", HUMAN), 1, {"first_player": 1}))
    thought = session.thought()
    failures = []

    def think():
        try:
            thought()
        except SearchCalledOffError as error:
            failures.append(error)

    thread = threading.Thread(target=think)
    thread.start()
    thought.call_off()
    thread.join(timeout=60)
    assert failures
    assert session.moves == []


@pytest.mark.skipif(not COMPILED, reason="a search takes long uncompiled")
def test_a_search_in_slices_finds_what_it_finds_at_once(monkeypatch, halfway):
    states, key = halfway.position.states, np.uint64(3)
    found = Search(GAME, 100).run(states, 0, key)
    monkeypatch.setattr("azul_duel_env.agents.search.CALL_OFF_SLICE", 7)
    again = Search(GAME, 100).run(states, 0, key)
    assert again.visits.tolist() == found.visits.tolist()
    assert again.margin == found.margin


def test_an_agent_that_fails_is_told_and_nothing_has_changed():
    session = Session(Setup((f"{__name__}:answers_nonsense", HUMAN), 1, {"first_player": 1}))
    before = session.position.copy()
    with pytest.raises(SessionError, match=f"agent '{__name__}:answers_nonsense' failed"):
        session.thought()()
    assert session.position == before


def answers_nonsense(_observation, _mask):
    return 1000


def test_setup_of_a_seat():
    assert setup_for("greedy", "player_1", 1, {}) == Setup(("greedy", HUMAN), 1, {})
    assert setup_for("greedy", "first", 1, {}) == Setup((HUMAN, "greedy"), 1, {"first_player": 0})
    assert setup_for("greedy", "second", 1, {}) == Setup(("greedy", HUMAN), 1, {"first_player": 0})
    seats = {setup_for("greedy", "random", seed, {}).seats for seed in range(20)}
    assert len(seats) == 2
    assert setup_for("greedy", "random", 4, {}) == setup_for("greedy", "random", 4, {})
    assert seat_choices(GAME) == ("random", "first", "second", "player_0", "player_1")
    with pytest.raises(SessionError, match="random, first, second, player_0, player_1"):
        setup_for("greedy", "third", 1, {})


@pytest.mark.parametrize(
    ("setup", "told"),
    [
        (Setup((HUMAN, "greedi"), 1), "did you mean 'greedy'"),
        (Setup((HUMAN,), 1), "takes 2 seats"),
        (Setup((HUMAN, "random"), -1), "seed"),
        (Setup((HUMAN, "random"), 1, {"scoring_tiles": 5}), "scoring_tiles must be"),
        (Setup((HUMAN, "random"), 1, {"colour": 5}), "unknown option 'colour'"),
    ],
)
def test_a_wrong_setup_is_told(setup, told):
    with pytest.raises(ValueError, match=told):
        Session(setup)


def test_checking_an_agent_names_the_nearest():
    check_agent(GAME, "mcts:400")
    with pytest.raises(ValueError, match="did you mean 'mcts:400'"):
        check_agent(GAME, "mtcs:400")
