"""The games in OpenSpiel."""

from __future__ import annotations

import copy
import pickle
import random
from timeit import repeat

import numpy as np
import pytest
import toy_game
from sizes import scaled

from azul_duel_env.agents import AgentError
from azul_duel_env.games import find_game
from azul_duel_env.jit import COMPILED

pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

from open_spiel.python.algorithms import ismcts, mcts  # noqa: E402
from open_spiel.python.algorithms.generate_playthrough import playthrough  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

from azul_duel_env.envs.open_spiel import AgentBot, register  # noqa: E402

pytestmark = pytest.mark.compiled_only

DICE = register(toy_game.GAME)
DUEL, MINI = "python_azul_duel", "python_azul_pavilion_mini"
GAMES = [DUEL, MINI, f"{MINI}(players=3)", f"{MINI}(players=4)", DICE]


def played(name, decisions, seed=1):
    """Return a state some decisions into a random game; one that a player decides, or the end."""
    state, rng = pyspiel.load_game(name).new_initial_state(), random.Random(seed)
    while not state.is_terminal() and (state.is_chance_node() or state.position.decisions < decisions):
        step(state, rng)
    return state


def step(state, rng):
    """Take a random action or outcome."""
    if state.is_chance_node():
        outcomes, odds = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(outcomes, odds)[0])
    else:
        state.apply_action(rng.choice(state.legal_actions()))


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_own_test_passes(name):
    pyspiel.random_sim_test(pyspiel.load_game(name), scaled(1), True, False)


@pytest.mark.parametrize(("name", "players", "least"), [(DUEL, 2, -1), (MINI, 2, -1), (GAMES[3], 4, -1 / 3)])
def test_facts(name, players, least):
    game = pyspiel.load_game(name)
    own = find_game(name.removeprefix("python_azul_").partition("(")[0], players)
    assert (game.num_players(), game.min_utility(), game.max_utility()) == (players, pytest.approx(least), 1)
    assert (game.num_distinct_actions(), game.max_game_length()) == (own.num_actions, own.max_decisions)
    assert (game.max_chance_outcomes(), game.max_chance_nodes_in_history()) == (own.max_outcomes, own.max_draws)
    assert game.observation_tensor_shape() == game.information_state_tensor_shape() == [own.observation_size]


def test_a_parameter_changes_the_game():
    game = pyspiel.load_game(DUEL, {"scoring_tiles": 4, "zero_point_draw": "forced_only"})
    options = str(game.new_initial_state()).splitlines()[1]
    assert "scoring_tiles=4" in options
    assert "zero_point_draw=forced_only" in options


@pytest.mark.parametrize("parameters", [{"players": 5}, {"keep": "nonsense"}])
def test_a_wrong_parameter_is_refused(parameters):
    with pytest.raises(ValueError, match=r"num_players|keep"):
        pyspiel.load_game(MINI, parameters)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_goes_as_in_this_package(name):
    state, rng = played(name, 0), random.Random(2)
    position = state.position.copy()
    for _ in range(60):
        before = state.full_history()
        step(state, rng)
        moved = state.full_history()[len(before)]
        if moved.player == pyspiel.PlayerId.CHANCE:
            position.apply_chance(moved.action)
        else:
            position.step(moved.action)
        assert state.position == position
        if state.is_terminal():
            break
    for player in range(state.num_players()):
        assert state.observation_tensor(player) == position.observe(player).tolist()
        assert state.information_state_tensor(player) == state.observation_tensor(player)
        assert state.observation_string(player) == position.view(player)


@pytest.mark.parametrize("name", GAMES)
def test_the_end_is_worth_what_the_game_says(name):
    state = played(name, 10**6)
    assert state.returns() == list(state.position.returns)
    assert sum(state.returns()) == pytest.approx(0)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_clones_and_text_go_on_alike(name):
    state = played(name, 5)
    others = [
        state.clone(),
        copy.deepcopy(state),
        pickle.loads(pickle.dumps(state)),
        state.get_game().deserialize_state(state.serialize()),
        state.get_game().new_initial_state(str(state)),
    ]
    action = state.legal_actions()[-1]
    before = str(state)
    for other in others:
        assert str(other) == before
        other.apply_action(action)
    assert str(state) == before
    assert len({str(other) for other in others}) == 1
    assert str(others[0]) != before


def test_text_that_is_no_state_is_refused():
    with pytest.raises(ValueError, match="azul/duel-v0"):
        pyspiel.load_game(DUEL).new_initial_state("nonsense")


@pytest.mark.parametrize("name", GAMES)
def test_resampling_keeps_what_the_player_knows(name):
    sampler, rng = pyspiel.UniformProbabilitySampler(1, 0.0, 1.0), random.Random(3)
    state = played(name, 0)
    while not state.is_terminal():
        if not state.is_chance_node():
            player = state.current_player()
            other = state.resample_from_infostate(player, sampler)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_string(player) == state.observation_string(player)
            assert other.legal_actions() == state.legal_actions()
        step(state, rng)


def test_resampling_draws_anew_what_the_other_knows():
    sampler, rng, fronts = pyspiel.UniformProbabilitySampler(1, 0.0, 1.0), random.Random(3), set()
    state = played(DUEL, 0)
    while not fronts and not state.is_terminal():
        step(state, rng)
        if (state.position.states["put_back_by"] == 0).sum() > 1:
            samples = [state.resample_from_infostate(1, sampler) for _ in range(20)]
            fronts = {sample.position.states["put_back"].tobytes() for sample in samples}
    assert len(fronts) > 1


def test_actions_of_the_other_that_are_secret_are_in_no_information_state():
    state, rng = played(DUEL, 0), random.Random(3)
    display = state.position.game.display
    while not state.is_terminal():
        if (
            not state.is_chance_node()
            and display.is_secret(state.position.states[0])
            and len(state.legal_actions()) > 1
        ):
            other = 1 - state.current_player()
            # what the other saw before counts: two fronts that it can't tell apart
            seen = {state.child(action).information_state_string(other) for action in state.legal_actions()}
            if len(seen) < len(state.legal_actions()):
                return
        step(state, rng)
    raise AssertionError("no secret was kept")


@pytest.mark.parametrize("by_observation", [False, True])
@pytest.mark.parametrize("name", [DUEL, GAMES[2]])
def test_information_set_search_plays_against_ours(name, by_observation):
    game, rng = pyspiel.load_game(name), np.random.RandomState(0)
    search = ismcts.ISMCTSBot(
        game, mcts.RandomRolloutEvaluator(1, rng), 1.4, 2, random_state=rng, use_observation_string=by_observation
    )
    ours = AgentBot(game, "mcts:2", seed=1)
    state = game.new_initial_state()
    for _ in range(scaled(40)):
        if state.is_chance_node():
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=odds)))
        else:
            bot = search if state.current_player() == 0 else ours
            state.apply_action(int(bot.step(state)))


def test_the_bot_repeats_after_a_restart():
    game = pyspiel.load_game(DICE)
    bot, state = AgentBot(game, "random", seed=3), played(DICE, 0)
    first = [bot.step(state) for _ in range(12)]
    bot.restart()
    assert [bot.step(state) for _ in range(12)] == first
    assert len(set(first)) > 1


def test_a_bot_wants_a_game_of_ours_and_an_agent_of_it():
    with pytest.raises(ValueError, match="game of azul_duel_env"):
        AgentBot(pyspiel.load_game("tic_tac_toe"))
    with pytest.raises(AgentError, match="nonsense"):
        AgentBot(pyspiel.load_game(DUEL), "nonsense")


def test_a_playthrough():
    text = playthrough(DICE, None, seed=1)
    assert f"MaxGameLength() = {toy_game.GAME.max_decisions}" in text
    assert "IsTerminal() = True" in text


def test_observers():
    def observer(public, private):
        return make_observation(
            game, pyspiel.IIGObservationType(public_info=public, perfect_recall=False, private_info=private)
        )

    game, types = pyspiel.load_game(DUEL), pyspiel.PrivateInfoType
    state, rng = played(DUEL, 0), random.Random(3)
    while not state.position.private_view(1):
        step(state, rng)
    public, own = observer(True, types.NONE), observer(False, types.SINGLE_PLAYER)
    assert public.string_from(state, 1) == str(state.position)
    assert own.string_from(state, 1) == state.position.private_view(1)
    assert public.string_from(state, 1) + own.string_from(state, 1) == state.observation_string(1)
    assert make_observation(game).tensor.shape == (game.observation_tensor_size(),)
    with pytest.raises(ValueError, match="SINGLE_PLAYER"):
        observer(True, types.ALL_PLAYERS)
    with pytest.raises(ValueError, match="parameters"):
        make_observation(game, params={"size": 1})


@pytest.mark.slow
@pytest.mark.parametrize("name", [DUEL, GAMES[2]])
@pytest.mark.skipif(not COMPILED, reason="the rules are not compiled")
def test_a_node_takes_less_than_one_of_openspiels_own_tic_tac_toe_in_python(name):
    def microseconds(state):
        action = state.legal_actions()[0]
        return min(repeat(lambda: (state.legal_actions(), state.child(action)), number=500, repeat=5))

    theirs = pyspiel.load_game("python_tic_tac_toe").new_initial_state()
    assert microseconds(played(name, 12)) < microseconds(theirs)
