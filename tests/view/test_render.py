from __future__ import annotations

import copy
import hashlib
import pickle

import gymnasium
import numpy as np
import pettingzoo
import pytest
from sizes import scaled

from azul_duel_env import duel_v0
from azul_duel_env.duel_v0 import DuelEnv, DuelVectorEnv
from azul_duel_env.games.duel import GAME
from azul_duel_env.view import window
from azul_duel_env.view.render import pixels
from azul_duel_env.view.window import Window

ID = "azul/Duel-v0"
HEIGHTS = {160: 144, 320: 288, 640: 578, 800: 722}


def some_legal(mask: np.ndarray, step: int) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[step * 7 % len(legal)])


def is_frame(frame, width: int = 800) -> bool:
    return isinstance(frame, np.ndarray) and frame.dtype == np.uint8 and frame.shape == (HEIGHTS[width], width, 3)


# Pixels ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("width", HEIGHTS)
def test_pixels_have_the_asked_width_and_an_even_height(width):
    frame = pixels(GAME.display.picture(GAME.new(1).states[0]), width)
    assert is_frame(frame, width)
    assert frame.std() > 20


def test_pixels_are_the_same_again_whatever_was_painted_before():
    picture, other = (GAME.display.picture(GAME.new(seed).states[0]) for seed in (1, 2))
    from azul_duel_env.view import render

    render._painter.cache_clear()
    fresh = pixels(picture, 320)
    render._painter.cache_clear()
    different = pixels(other, 320)
    assert np.array_equal(pixels(picture, 320), fresh)
    assert not np.array_equal(different, fresh)


def test_pixels_are_those_of_the_whole_image():
    """Pieces painted one by one give the same picture as the whole SVG, up to a rounding of colours."""
    import io

    from PIL import Image

    from azul_duel_env.view.render import png_of

    picture = GAME.display.picture(GAME.new(1).states[0])
    whole = np.asarray(Image.open(io.BytesIO(png_of(picture.svg(800)))).convert("RGB")).astype(int)
    assert np.abs(pixels(picture, 800).astype(int) - whole).max() <= 6


def test_the_font_is_the_one_that_comes_along():
    """Without it there would be no letters: no other font is looked at."""
    from azul_duel_env.view.render import FONTS, png_of

    assert {file.name for file in FONTS.glob("*.ttf")} == {"AzulDuelSans-Regular.ttf", "AzulDuelSans-Bold.ttf"}
    assert "Bitstream" in (FONTS / "LICENSE").read_text(encoding="utf-8")
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20"><text y="15" font-family="{}">Azul</text></svg>'
    )
    ours, others = (png_of(svg.format(name)) for name in ("Azul Duel Sans", "DejaVu Sans"))
    assert hashlib.sha256(ours).digest() != hashlib.sha256(others).digest()


def test_wrong_width():
    with pytest.raises(ValueError, match="at least 1 pixel"):
        pixels(GAME.display.picture(GAME.new(1).states[0]), 0)


# Environments ---------------------------------------------------------------------------------
def test_aec_pixels_show_the_last_move_and_change_nothing():
    env, plain = duel_v0.env(render_mode="rgb_array", render_width=320), duel_v0.env()
    for one in (env, plain):
        one.reset(seed=3)
    frames = [env.render()]
    for step in range(scaled(40, 6)):
        action = some_legal(env.observe(env.agent_selection)["action_mask"], step)
        for one in (env, plain):
            one.step(action)
        frames.append(env.render())
        assert env.position == plain.position
    assert all(is_frame(frame, 320) for frame in frames)
    unmarked = pixels(GAME.display.picture(env.position.states[0], names=env.possible_agents), 320)
    assert not np.array_equal(frames[-1], unmarked)
    env.set_state(env.get_state())
    assert np.array_equal(env.render(), unmarked)


def test_aec_marks_an_action_asked_in_two_parts():
    env = duel_v0.env(render_mode="rgb_array", placement="split")
    env.reset(seed=3)
    for step in range(6):
        env.step(some_legal(env.observe(env.agent_selection)["action_mask"], step))
        assert is_frame(env.render())


def test_single_pixels_show_the_learners_side_and_change_nothing():
    env, plain = DuelEnv(render_mode="rgb_array", opponent="greedy", render_theme="dark"), DuelEnv(opponent="greedy")
    observations = [one.reset(seed=3)[0] for one in (env, plain)]
    for step in range(scaled(30, 5)):
        assert np.array_equal(*observations)
        assert is_frame(env.render())
        observations = [one.step(some_legal(plain.action_masks(), step))[0] for one in (env, plain)]
    state, seat = env.position.states[0], int(env.batch.rows["seat"][0])
    names = ("learner", "greedy") if seat == 0 else ("greedy", "learner")
    unmarked = pixels(GAME.display.picture(state, theme="dark", seat=seat, names=names), 800)
    assert not np.array_equal(env.render(), unmarked)
    env.reset(options={"state": env.get_state()})
    assert is_frame(env.render())


def test_vector_pixels():
    envs = DuelVectorEnv(3, opponent="random", render_mode="rgb_array", render_width=160, autoreset_mode="SameStep")
    single = DuelEnv(opponent="random", render_mode="rgb_array", render_width=160)
    _, infos = envs.reset(seed=5)
    single.reset(seed=6)
    for step in range(scaled(20, 4)):
        frames = envs.render()
        assert isinstance(frames, tuple)
        assert all(is_frame(frame, 160) for frame in frames)
        assert np.array_equal(frames[1], single.render())
        actions = [some_legal(mask, step) for mask in infos["action_mask"]]
        *_, infos = envs.step(np.array(actions))
        single.step(actions[1])
    envs.close()


def test_a_row_that_begins_anew_marks_nothing():
    """Also where the new game is further on than the old one was when it ended."""
    envs = DuelVectorEnv(1, opponent="random", render_mode="rgb_array", render_width=160, autoreset_mode="SameStep")
    further = 0
    for seed in range(8):
        envs.reset(seed=seed)
        decisions = int(envs.batch.states["decisions"][0])
        *_, terminations, _, infos = envs.step(np.array([399]))  # not legal: the episode ends
        assert terminations[0]
        further += envs.batch.states["decisions"][0] > decisions
        seat, names = int(infos["seat"][0]), envs.batch.names_of(0)
        fresh = pixels(GAME.display.picture(envs.batch.states[0], seat=seat, names=names), 160)
        assert np.array_equal(envs.render()[0], fresh)
    assert further


def test_stable_baselines3_pixels():
    pytest.importorskip("stable_baselines3")
    from azul_duel_env.envs.sb3 import make_sb3_vec

    env = make_sb3_vec(4, seed=1, opponent="random", render_mode="rgb_array", render_width=160)
    env.reset()
    env.step(env.batch.sample())
    images = env.get_images()
    assert len(images) == 4
    assert all(is_frame(image, 160) for image in images)
    assert env.render().shape == (2 * HEIGHTS[160], 320, 3)
    env.close()


@pytest.mark.parametrize("make", [duel_v0.env, DuelEnv, lambda **options: DuelVectorEnv(1, **options)])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"render_theme": "auto"}, "light, dark"),
        ({"render_width": 321}, "even number"),
        ({"render_width": 100}, "at least 160"),
        ({"render_width": "800"}, "even number"),
        ({"render_mode": "svg"}, "render_mode must be one of"),
    ],
)
def test_wrong_options(make, options, message):
    with pytest.raises(ValueError, match=message):
        make(**options)


def test_options_survive_in_the_spec():
    env = gymnasium.make(ID, opponent="random", render_mode="rgb_array", render_theme="dark", render_width=320)
    spec = gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json())
    again = gymnasium.make(spec)
    again.reset(seed=1)
    assert is_frame(again.render(), 320)
    env.reset(seed=1)
    assert np.array_equal(env.render(), again.render())


def test_frames_are_collected_by_gymnasium():
    env = gymnasium.make(ID, opponent="random", render_mode="rgb_array_list", render_width=160)
    env.reset(seed=1)
    env.step(some_legal(env.unwrapped.action_masks(), 0))
    assert len(env.render()) == 2


# Films of the libraries -----------------------------------------------------------------------
def test_gymnasiums_record_video(tmp_path):
    pytest.importorskip("moviepy")
    env = gymnasium.make(ID, opponent="random", render_mode="rgb_array", render_width=320)
    env = gymnasium.wrappers.RecordVideo(
        env, str(tmp_path / "films"), episode_trigger=lambda _: True, disable_logger=True
    )
    env = gymnasium.wrappers.Autoreset(env)
    env.reset(seed=1)
    env.step(some_legal(env.unwrapped.action_masks(), 1))
    env.step(399)  # not legal: the episode ends
    env.step(0)  # and the next begins
    env.close()
    films = sorted((tmp_path / "films").glob("*.mp4"))
    assert len(films) == 2
    assert all(film.stat().st_size > 1000 for film in films)


@pytest.mark.skipif(not hasattr(gymnasium.wrappers.vector, "RecordVideo"), reason="this Gymnasium has none for vectors")
def test_gymnasiums_record_video_of_a_vector(tmp_path):
    pytest.importorskip("moviepy")
    envs = DuelVectorEnv(2, opponent="random", render_mode="rgb_array", render_width=160)
    envs = gymnasium.wrappers.vector.RecordVideo(envs, str(tmp_path / "films"), video_length=3, disable_logger=True)
    envs.reset(seed=1)
    for _ in range(4):
        envs.step(envs.unwrapped.sample_actions())
    envs.close()
    assert list((tmp_path / "films").glob("*.mp4"))


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="this PettingZoo has no RecordVideo")
def test_pettingzoos_record_video(tmp_path):
    pytest.importorskip("moviepy")
    from pettingzoo.utils.wrappers import RecordVideo

    env = RecordVideo(
        duel_v0.env(render_mode="rgb_array", render_width=160, max_cycles=3),
        str(tmp_path / "films"),
        episode_trigger=lambda _: True,
    )
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else some_legal(observation["action_mask"], len(agent)))
    env.close()
    assert list((tmp_path / "films").glob("*.mp4"))


# Windows --------------------------------------------------------------------------------------
@pytest.mark.parametrize("make", [duel_v0.env, lambda **options: DuelEnv(opponent="random", **options)])
def test_a_window_shows_each_step_and_can_be_closed_by_the_user(make):
    import pygame

    env = make(render_mode="human", render_width=160)
    env.reset(seed=1)
    (shown,) = window._OPEN.values()
    assert shown._window.size == (160, HEIGHTS[160])
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=shown._window))
    for step in range(3):
        mask = env.action_masks() if isinstance(env, DuelEnv) else env.observe(env.agent_selection)["action_mask"]
        env.step(some_legal(mask, step))
        assert env.render() is None
    assert not window._OPEN
    assert shown.is_closed
    assert not pygame.display.get_init()
    env.close()
    env.close()


def test_the_window_shows_the_pixels():
    frame = np.arange(160 * 200 * 3, dtype=np.uint8).reshape(160, 200, 3)
    import pygame

    shown = Window("a test")
    shown.show(frame, 4)
    seen = pygame.surfarray.array3d(shown._window.get_surface()).swapaxes(0, 1)
    assert np.array_equal(seen, frame)
    shown.close()
    shown.show(frame, 4)  # stays closed
    assert not window._OPEN


def test_two_windows_and_quitting():
    import pygame

    first, second = Window("a"), Window("b")
    frame = np.zeros((20, 20, 3), np.uint8)
    first.show(frame, 4)
    second.show(frame, 4)
    first.close()
    assert pygame.display.get_init()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    second.show(frame, 4)
    assert second.is_closed
    assert not pygame.display.get_init()


def test_copies_of_an_environment_share_no_window():
    env = DuelEnv(render_mode="human", render_width=160, opponent="random")
    env.reset(seed=1)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.clone()):
        other.close()
    assert len(window._OPEN) == 1
    env.close()
    assert not window._OPEN


def test_without_pygame_the_error_names_it(monkeypatch):
    monkeypatch.setattr(window, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match="pip install pygame-ce"):
        DuelEnv(render_mode="human")
    duel_v0.env(render_mode="rgb_array")


def test_importing_the_package_imports_no_pictures():
    import subprocess
    import sys

    code = "import sys, azul_duel_env.duel_v0; print([m for m in ('pygame', 'PIL', 'resvg_py', 'moviepy') if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
