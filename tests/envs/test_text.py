"""Games in words: what a player sees, prompts, answers, and agents that play by them."""

from __future__ import annotations

import random

import numpy as np
import pytest
import toy_game
from sizes import scaled

from azul_duel_env import duel_v0, pavilion_mini_v0
from azul_duel_env.arena import play_game
from azul_duel_env.envs.text import TRIES, AnswerError, TextAgent, prompt, read_answer
from azul_duel_env.games import find_game
from azul_duel_env.wrappers import SubDecisions, TextWrapper

pytestmark = pytest.mark.compiled_only

DUEL = find_game("duel")
GAMES = [DUEL, find_game("pavilion_mini", 3), toy_game.GAME]
TITLES = [game.title for game in GAMES]


def positions(game, games, seed=1):
    """Yield the positions of random games in which somebody decides."""
    rng = random.Random(seed)
    for number in range(games):
        position = game.new(number)
        while not position.over:
            yield position
            position.step(rng.choice(position.legal_actions().tolist()))


def with_secrets(player):
    """Return a position of Azul Duel in which a player knows what the other doesn't."""
    return next(p.copy() for p in positions(DUEL, 20) if p.private_view(player))


def first_action(text):
    """Answer with the first action that a prompt lists."""
    return text.partition("last line:\n")[2].splitlines()[0]


# What a player sees ---------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=TITLES)
def test_a_view_has_nothing_that_the_player_does_not_know(game):
    for number, position in enumerate(positions(game, scaled(10))):
        for player in range(game.num_players):
            other = position.resampled(player, number)
            assert other.view(player) == position.view(player)
            if player == position.player:
                assert prompt(other) == prompt(position)


def test_a_view_begins_with_what_everybody_sees():
    position = with_secrets(1)
    assert position.view(1) == f"{position}{position.private_view(1)}"
    assert position.private_view(1) not in position.view(0)


def test_what_a_player_put_back_is_told_to_that_player():
    position = next(p.copy() for p in positions(DUEL, 20) if "you put back" in p.private_view(0))
    [line] = [line for line in position.private_view(0).splitlines() if line.startswith("you put back")]
    state = position.states[0]
    mine = [tile for tile, by in zip(state["put_back"], state["put_back_by"], strict=True) if tile >= 0 and by == 0]
    from azul_duel_env.games.duel.actions import DOME_TILE_NAMES

    assert line == "you put back: " + " ".join(DOME_TILE_NAMES[tile] for tile in mine)


def test_views_tell_apart_what_a_player_knows():
    position = with_secrets(0)
    assert len({position.resampled(1, seed).view(0) for seed in range(20)}) > 1


def test_there_is_a_view_of_each_seat_only():
    with pytest.raises(ValueError, match="player must be 0 to 1"):
        DUEL.new(1).view(2)


# Prompts and answers --------------------------------------------------------------------------
@pytest.mark.parametrize("game", GAMES, ids=TITLES)
def test_each_legal_action_is_listed_and_read_again(game):
    for position in positions(game, scaled(3)):
        listed = prompt(position).partition("last line:\n")[2].splitlines()
        assert [read_answer(position, name) for name in listed] == position.legal_actions().tolist()


def test_a_prompt_says_who_is_asked():
    position = next(p for p in positions(DUEL, 1) if p.player == 1)
    assert "You are player 1." in prompt(position)


def test_nobody_is_asked_at_the_end():
    *_, position = positions(toy_game.GAME, 1)
    while not position.over:
        position.step(int(position.legal_actions()[0]))
    with pytest.raises(ValueError, match="nothing to ask"):
        prompt(position)


@pytest.mark.parametrize("form", ["{}", "  {} ", "Let me think.\nSo:\n`{}`.\n\n", '"{}"', "**{}**"])
def test_an_answer_may_be_dressed(form):
    position = DUEL.new(1)
    for action, name in list(position.named_actions())[:5]:
        assert read_answer(position, form.format(name.upper())) == action


@pytest.mark.parametrize(
    ("answer", "says"),
    [("", "empty answer; legal are "), ("\n .\n", "empty answer"), ("pass", "'pass' is no legal action; legal are ")],
)
def test_an_answer_that_names_nothing_is_refused(answer, says):
    with pytest.raises(AnswerError, match=says):
        read_answer(DUEL.new(1), answer)


def test_an_action_that_is_not_legal_is_refused_with_those_like_it():
    position = DUEL.new(1)
    illegal = next(
        name
        for a in range(DUEL.num_actions)
        if a not in position.legal_actions()
        for name in [DUEL.text.action_name(a)]
    )
    with pytest.raises(AnswerError, match=r"is no legal action; legal"):
        read_answer(position, illegal)
    name = next(name for _, name in position.named_actions())
    with pytest.raises(AnswerError, match="legal and like it are"):
        read_answer(position, name + "x")


# Agents ---------------------------------------------------------------------------------------
def test_an_agent_is_asked_again_with_what_was_wrong():
    asked = []

    def answer(text):
        asked.append(text)
        return "nonsense" if len(asked) < TRIES else first_action(text)

    position = DUEL.new(1)
    assert TextAgent("mine", answer).act(position, np.uint64(0)) == position.legal_actions()[0]
    assert "could not be read" not in asked[0]
    assert all("'nonsense' is no legal action" in text for text in asked[1:])
    assert len(asked) == TRIES


@pytest.mark.parametrize("game", GAMES[1:], ids=TITLES[1:])
def test_a_text_agent_plays_in_the_arena(game):
    others = ["random"] * (game.num_players - 1)
    result = play_game(game, [f"text:{__name__}:first_action", *others], seed=1)
    position = game.new(1)
    for action in result.actions:
        if position.player == 0:
            assert action == position.legal_actions()[0]
        position.step(action)
    assert position.over


def talks_nonsense(_prompt):
    return "nonsense"


def test_an_agent_that_names_no_action_is_named():
    with pytest.raises(
        ValueError, match=rf"text:{__name__}:talks_nonsense.*AnswerError: 'nonsense' is no legal action"
    ):
        play_game(toy_game.GAME, [f"text:{__name__}:talks_nonsense", "random", "random"], seed=1)


@pytest.mark.parametrize("spec", ["text:no_such_module:answer", f"text:{__name__}:no_such_function", "text:"])
def test_a_function_that_is_not_there_is_refused(spec):
    with pytest.raises(ValueError, match=spec.removeprefix("text:") or "unknown agent"):
        play_game(toy_game.GAME, [spec, "random", "random"], seed=1)


# The wrapper ----------------------------------------------------------------------------------
@pytest.mark.parametrize("module", [duel_v0.DuelEnv, pavilion_mini_v0.PavilionMiniEnv])
def test_an_episode_in_words(module):
    plain, env = module(opponent="random"), TextWrapper(module(opponent="random"))
    _, plain_info = plain.reset(seed=3)
    text, info = env.reset(seed=3)
    over = False
    while not over:
        assert f"You are player {info['seat']}." in text
        assert env.observation_space.contains(text)
        _, plain_reward, *_, plain_info = plain.step(int(np.argmax(plain_info["action_mask"])))
        text, reward, over, _, info = env.step(first_action(text))
        assert reward == plain_reward
        assert info["score"] == plain_info["score"]
    assert "Answer" not in text


def test_a_wrong_answer_changes_nothing():
    env = TextWrapper(duel_v0.DuelEnv(opponent="random"))
    env.reset(seed=3)
    before = env.unwrapped.get_state().tobytes()
    with pytest.raises(AnswerError, match="nonsense"):
        env.step("nonsense")
    assert env.unwrapped.get_state().tobytes() == before


def test_actions_are_those_that_are_asked():
    env = TextWrapper(SubDecisions(duel_v0.DuelEnv(opponent="random"), placement="split"))
    text, info = env.reset(seed=3)
    listed = text.partition("last line:\n")[2].splitlines()
    assert len(listed) == info["action_mask"].sum()
    env.step(listed[-1])


def test_only_single_environments_of_ours():
    import gymnasium

    with pytest.raises(TypeError, match="CartPole"):
        TextWrapper(gymnasium.make("CartPole-v1"))
