"""Files from strangers: every reader refuses in one sentence what it can't read, and none runs code, crashes or fills the memory."""

from __future__ import annotations

import inspect
import io
import json
import os
import random
import re
import sys
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from networks import contents
from places import GOLDEN, ROOT
from sizes import scaled
from spoilt import spoilt_bytes, spoilt_text
from typer.testing import CliRunner
from walks import positions

from azul_duel_env.agents import AgentError, make_agent
from azul_duel_env.agents.network import network_file, read_network
from azul_duel_env.agents.network_file import HEADER, MOST_BYTES
from azul_duel_env.agents.table import runs_code
from azul_duel_env.arena.external_agents import settings_beside
from azul_duel_env.arena.game_file import MOST_BYTES as MOST_GAME
from azul_duel_env.arena.game_file import read_record
from azul_duel_env.arena.ladder import read_ladder
from azul_duel_env.cli import COMMANDS, app
from azul_duel_env.cli.shared import at_home
from azul_duel_env.envs.opponents import model_file
from azul_duel_env.game.options import value_from
from azul_duel_env.games.duel import GAME
from azul_duel_env.games.duel.agents.greedy2 import WEIGHTS, read_weights
from azul_duel_env.play.agents import is_plain
from azul_duel_env.play.saves import autosave_folder
from azul_duel_env.play.session_file import read_session
from azul_duel_env.system import reading
from azul_duel_env.system.reading import json_from, read_arrays, read_json, read_text, user_path

GAMES = tuple(path.read_text(encoding="utf-8") for path in sorted(GOLDEN.glob("*.game")))
DEEP, ENDLESS = "[" * 5000, "7" * 5000
KEY = np.uint64(5)


def refused(error: Exception, *names: str) -> bool:
    """Whether an error is one sentence of the reader's own, with these names in it."""
    told = str(error)
    pythons = ("Exceeds the limit", "invalid literal for", "recursion", "codec can't")
    return (
        isinstance(error, ValueError)
        and told.isprintable()
        and len(told) < 1500
        and not any(word in told for word in pythons)
        and all(name in told for name in names)
    )


# JSON, YAML and text --------------------------------------------------------------------------
JSONS = {
    DEEP: "nested more than 50 deep",
    '{"a":' * 60 + "1" + "}" * 60: "nested more than 50 deep",
    ENDLESS: "a number of 5000 digits",
    '{"seed": -' + ENDLESS + "}": "a number of 5001 digits",
    "[NaN]": "NaN is no number of JSON",
    "-Infinity": "-Infinity is no number",
    "1e999": "1e999 is no number",
    '{"a": 1, "a": 2}': "the key 'a' stands twice",
    "{": "line 1 column 2",
    "[" + "0," * 1000 + "0]": "more than 1,000 values",
}


@pytest.mark.parametrize("text", JSONS, ids=JSONS.values())
def test_json_is_refused_in_one_sentence(text, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_VALUES", 1000)
    for given in (text, text.encode()):
        with pytest.raises(ValueError, match=JSONS[text]) as told:
            json_from(given)
        assert refused(told.value)
    file = tmp_path / "a.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=JSONS[text]) as told:
        read_json(file)
    assert refused(told.value, f"{file} is no JSON")


def test_json_that_is_some_is_read():
    value = {"a": [1, -2.5, None, True, "ü"], "b": {}, "c": 10**500}
    assert json_from(json.dumps(value)) == value
    assert json_from("[" * 49 + "]" * 49)


YAMLS = {
    DEEP: "nested more than 50 deep",
    "a: " * 100: "mapping values are not allowed here",
    f"seed: {ENDLESS}": "a number of 5000 digits",
    f"seed: 0x{ENDLESS}": "a number of 5002 digits",
    "a: 1\nb: {c: 1, c: 2}": "the key 'c' stands twice, from line 2",
    "a: 0x_": "a value that can't be read",
    "day: 2026-99-99": "a value that can't be read",
    "seed: !!bool x": "a value that can't be read",
    "seed: !!int ''": "a value that can't be read",
    "seed: !!float ''": "a value that can't be read",
    "seed: !!timestamp x": "a value that can't be read",
    "a: \x07": "special characters are not allowed",
    "a: &a [*a]": "nested more than 50 deep",
    "a: !!python/object/apply:os.getcwd []": "could not determine a constructor",
    "a: &a [x, x, x, x, x, x, x, x]\n"
    + "\n".join(
        f"{n}: &{n} [{', '.join(8 * [f'*{m}'])}]" for m, n in zip("abcdefgh", "bcdefghi", strict=True)
    ): "values",
    "a: &a {x: 1}\n"
    + "\n".join(
        f"{n}: &{n} {{<<: [{', '.join(9 * [f'*{m}'])}]}}" for m, n in zip("abcdefgh", "bcdefghi", strict=True)
    ): "values",
}


@pytest.mark.parametrize("text", YAMLS, ids=range(len(YAMLS)))
def test_yaml_is_refused_in_one_sentence(text, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_VALUES", 1000)
    pytest.importorskip("yaml")
    with pytest.raises(ValueError, match=YAMLS[text]) as told:
        reading.yaml_from(text)
    assert refused(told.value)
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=YAMLS[text]) as told:
        settings_beside(tmp_path / "model.zip")
    assert refused(told.value, "config.yaml is no YAML")


def test_yaml_that_is_some_is_read():
    pytest.importorskip("yaml")
    assert reading.yaml_from("a: &x {b: 1}\nc: {<<: *x, d: [0x10, .5]}") == {
        "a": {"b": 1},
        "c": {"b": 1, "d": [16, 0.5]},
    }
    assert reading.yaml_from("") is None


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff\xfe\x00", "text in UTF-8"), (b"seed: 1\0", "NUL"), (b"x" * 1001, "at most 1,000 bytes")],
)
def test_what_is_no_text_is_refused(content, message, tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message) as told:
        read_text(file, 1000)
    assert refused(told.value, str(file))


def test_a_mark_of_byte_order_is_no_part_of_a_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfseed: 1")
    assert read_text(tmp_path / "a.txt") == "seed: 1"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a file without an end")
def test_an_endless_file_is_not_read_to_its_end():
    with pytest.raises(ValueError, match="at most 1,000 bytes"):
        read_text(Path("/dev/zero"), 1000)


# Commands -------------------------------------------------------------------------------------
HOSTILE = {
    "deep": "azul/duel-v0 game\noptions: " + DEEP + "\nseed: 1\n",
    "endless seed": f"azul/duel-v0 game\noptions: {{}}\nseed: {ENDLESS}\n",
    "endless player": f"azul/duel-v0 game\noptions: {{}}\nseed: 1\n{ENDLESS}: stop drawing\n",
    "nan": 'azul/duel-v0 game\noptions: {"scoring_tiles": NaN}\nseed: 1\n',
    "twice": 'azul/duel-v0 game\noptions: {"scoring_tiles": 3, "scoring_tiles": 4}\nseed: 1\n',
    "nul": GAMES[0].replace("blue", "bl\0ue", 1),
    "bytes": b"azul/duel-v0 game\n\xff",
    "long": GAMES[0] + "#" * MOST_GAME,
    "empty": "",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_commands_refuse_hostile_games(content, tmp_path, monkeypatch, capsys):
    file = tmp_path / "a.game"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    for command in (["replay"], ["analyse"], ["film", str(tmp_path / "a.html")], ["play", "--terminal", "--load"]):
        args = ["azul-duel", command[0], *command[1:], str(file)]
        args = [*args[:2], str(file), *args[2:-1]] if command[0] == "film" else args
        assert_refused_by_command(args, monkeypatch, capsys)
    if content != HOSTILE["long"]:
        with pytest.raises(ValueError) as told:
            read_session(content.decode(errors="replace") if isinstance(content, bytes) else content)
        assert refused(told.value)


def assert_refused_by_command(args, monkeypatch, capsys, expected=""):
    from azul_duel_env.cli import main

    monkeypatch.setattr(sys, "argv", args)
    with pytest.raises(SystemExit) as end:
        main()
    told = re.sub("azul_duel_env: compiling the rules.*\n", "", capsys.readouterr().err)
    assert end.value.code == 2, told
    assert refused(ValueError(told.strip()), expected), told
    assert told.strip().startswith("azul-duel: ")


def test_commands_refuse_hostile_positions_ladders_and_specs(tmp_path, monkeypatch, capsys):
    file = tmp_path / "a"
    text = next(positions(1)).to_text()
    for content in (b"\xff", re.sub(r"round: \d", f"round: {ENDLESS}", text), text + "x" * 100_000, "\0"):
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        assert_refused_by_command(["azul-duel", "perft", "--position", str(file)], monkeypatch, capsys)
    for content in (
        DEEP,
        ENDLESS,
        '{"ratings": [{"agent": "random", "rating": 1e300}], "options": {}}',
        '{"options": []}',
    ):
        file.write_text(content, encoding="utf-8")
        assert_refused_by_command(
            ["azul-duel", "rate", "greedy", "--ladder", str(file)], monkeypatch, capsys, "is no ladder"
        )
    for spec in (f"mcts:{ENDLESS}", f"network+mcts:{ENDLESS}ms", "mcts:²", "network:\0"):
        assert_refused_by_command(["azul-duel", "tournament", spec, "random"], monkeypatch, capsys)
        assert not is_plain(GAME, spec)
    for tiles in (ENDLESS, "²"):
        args = ["azul-duel", "tournament", "random", "random", "--scoring-tiles", tiles]
        assert_refused_by_command(args, monkeypatch, capsys)
    assert value_from("4") == 4


@pytest.mark.parametrize("text", [DEEP, f"seed: {ENDLESS}", "a: \0", "a: [", "- 1"])
def test_train_refuses_hostile_configs(text, tmp_path, monkeypatch, capsys):
    pytest.importorskip("stable_baselines3")
    file = tmp_path / "a.yaml"
    file.write_text(text, encoding="utf-8")
    assert_refused_by_command(["azul-duel", "train", str(file)], monkeypatch, capsys, str(file))
    file.write_text("stages: [{steps: 1}]", encoding="utf-8")
    change = f"seed={ENDLESS}" if "seed" in text else f"seed={text[:50_000]}"
    assert_refused_by_command(["azul-duel", "train", str(file), "--set", change], monkeypatch, capsys)


def test_the_server_answers_400(monkeypatch):
    pytest.importorskip("starlette")
    pytest.importorskip("httpx")
    from pages import page_of, table_with

    from azul_duel_env.play import table

    monkeypatch.setattr(table, "warm_up_extras", lambda *_: None)
    with page_of(table_with("human", "random")) as page:
        client, version = page.client, page.state["version"]
        for text in (HOSTILE["deep"], HOSTILE["endless seed"], HOSTILE["nul"]):
            answer = client.post("/api/load", json={"text": text})
            assert answer.status_code == 400
            assert refused(ValueError(answer.json()["error"]))
        for body in (DEEP, f'{{"text": {ENDLESS}}}', '{"text": "", "text": ""}', b"\xff"):
            answer = client.post("/api/load", content=body, headers={"content-type": "application/json"})
            assert answer.status_code == 400
            assert refused(ValueError(answer.json()["error"]), "expected JSON")
        assert page.state["version"] == version


# Mutations: 10,000 of each kind at a scale of 50 -----------------------------------------------
@cache
def texts_of_positions() -> tuple[str, ...]:
    return tuple(position.to_text() for position in positions(scaled(1000, least=30), first_seed=500))


def through(read, text: str) -> bool:
    """Whether a text is read; else it must be refused in one sentence."""
    try:
        read(text)
    except Exception as error:
        if not refused(error):
            raise AssertionError(f"{error!r} for\n{text[:3000]!r}") from error
        return False
    return True


def position_and_back(text: str) -> None:
    position = GAME.read_position(text)
    assert not position.check()
    assert GAME.read_position(position.to_text()) == position


def game_and_back(text: str) -> None:
    record = read_record(text)
    assert read_record(record.write()) == record


def session_and_back(text: str) -> None:
    session = read_session(text)
    again = read_session(session.record().write())
    assert again.position == session.position
    assert again.record().write() == session.record().write()


@pytest.mark.parametrize(
    ("read", "texts", "count"),
    [
        (position_and_back, texts_of_positions, 200),
        (game_and_back, lambda: GAMES, 200),
        (session_and_back, lambda: GAMES, 200),
    ],
)
def test_spoilt_texts_are_refused_in_one_sentence_or_read(read, texts, count):
    rng = random.Random(count)
    assert all(through(read, text) for text in texts()[:3])
    found = [through(read, spoilt_text(rng.choice(texts()), rng, texts())) for _ in range(scaled(count, least=8))]
    assert not all(found)


def odd_header(header, rng):
    """A header with another value somewhere, at the top or below."""
    header = json.loads(json.dumps(header))
    odd = rng.choice(
        (
            None,
            True,
            0,
            -1,
            2,
            1.5,
            1e300,
            "",
            "x",
            "greedy",
            "tanh",
            [],
            {},
            [1],
            {"x": 1},
            10**400,
            "\ud800",
            "9" * 5000,
        )
    )
    part = rng.choice((header, header, header, header["granularity"], header["reward"], header["source"]))
    name = rng.choice((*part, *part, "x"))
    if rng.random() < 0.2:
        part.pop(name, None)
    else:
        part[name] = odd
    return header


def odd_numbers(array, rng):
    found = array.copy()
    found.flat[rng.randrange(found.size)] = rng.choice((np.nan, np.inf, -np.inf, 3e38, -3e38, 1e20, 0))
    return found


ODD_ARRAYS = (
    lambda array, _: array[None],
    lambda array, _: array[:0],
    lambda array, _: array[..., None][..., :0],
    lambda array, _: array.T,
    lambda array, rng: array.astype(rng.choice(("f8", "i4", "c8", "U3", "?", "V4"))),
    lambda array, rng: array.astype(rng.choice((">f4", ">f2", "<f2"))),
    lambda array, _: np.asfortranarray(array),
    lambda array, _: array.ravel(),
    lambda array, _: array[:-1],
    lambda array, _: np.concatenate([array, array]),
    lambda array, _: array.astype([("a", "f4")]),
    odd_numbers,
)
"""Arrays of another shape, type, order or byte order, or with odd numbers; some are as good as before."""


def packed(members: dict[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def npy(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def members_of(header, arrays) -> dict[str, bytes]:
    text = header if isinstance(header, str) else json.dumps(header)
    return {f"{name}.npy": npy(array) for name, array in {"header": np.array(text), **arrays}.items()}


def spoilt_network(header, arrays, rng) -> bytes:
    """The bytes of a network's file with a mistake: in its bytes, in its header, in an array, or in a member with the right checksum."""
    arrays, kind = dict(arrays), rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    name = rng.choice(list(arrays))
    match rng.randrange(7):
        case 0:
            return spoilt_bytes(packed(members_of(header, arrays), kind), rng)
        case 1 | 2:
            header = odd_header(header, rng)
        case 3:
            header = spoilt_text(json.dumps(header), rng)
        case 4:
            arrays[name] = rng.choice(ODD_ARRAYS)(arrays[name], rng)
        case 5:
            arrays[rng.choice((name, "policy_3_bias", "value_00_bias", "x"))] = arrays.pop(name)
        case _:
            members = members_of(header, arrays)
            content = members[f"{name}.npy"]
            members[f"{name}.npy"] = spoilt_bytes(content[:128], rng) + content[128:]
            return packed(members, kind)
    return packed(members_of(header, arrays), kind)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_spoilt_networks_are_refused_in_one_sentence_or_play(tmp_path):
    rng, file = random.Random(25), tmp_path / "tiny.npz"
    given = [
        contents(advice, activation, (2,), bonus_chips="whether")
        for advice, activation in ((None, "relu"), ("greedy", "tanh"))
    ]
    position = next(positions(1, first_seed=3))
    legal, found = set(position.legal_actions().tolist()), {True: 0, False: 0}
    for _ in range(scaled(400, least=24)):
        file.write_bytes(spoilt_network(*rng.choice(given), rng))
        try:
            network = read_network(file)
        except Exception as error:
            if not refused(error, str(file)):
                raise
            found[False] += 1
        else:
            assert network(position.states, 0, KEY) in legal
            found[True] += 1
    assert min(found.values()) > 0, found


def test_spoilt_weights_of_greedy2_are_refused_in_one_sentence_or_read(tmp_path):
    rng, file = random.Random(26), tmp_path / "weights.npz"
    arrays = dict(np.load(WEIGHTS, allow_pickle=False))
    found = {True: 0, False: 0}
    for _ in range(scaled(200, least=20)):
        changed = arrays | {"weights": rng.choice(ODD_ARRAYS)(arrays["weights"], rng)}
        whole = packed({f"{name}.npy": npy(array) for name, array in changed.items()})
        file.write_bytes(whole if rng.random() < 0.5 else spoilt_bytes(WEIGHTS.read_bytes(), rng))
        try:
            assert read_weights(file).shape == arrays["weights"].shape
        except ValueError as error:
            if not refused(error, str(file)):
                raise
            found[False] += 1
        else:
            found[True] += 1
    assert min(found.values()) > 0, found


# Networks, one by one -------------------------------------------------------------------------
HEADERS = {
    "granularity": [None, [], "full", {"placement": 1}, {"placement": ["full"]}, {"unknown": "full"}],
    "advice": ["mcts", 1, True, [], {}],
    "activation": ["gelu", None, 0, ["tanh"]],
    "trust": ["x", None, True, [1.0], 1e7, 10**400],
    "reward": [
        "win_loss",
        None,
        {"win": 1},
        {"win_loss": "x"},
        {"win_loss": None},
        {"win_loss": 1e-9},
        {"score_delta": 1e9},
    ],
    "tables": [None, 7, []],
    "source": [None, "me", {"steps": "many"}, {"version": 1}, {"config": []}],
}


def test_every_value_of_the_header_is_tried():
    assert set(HEADERS) == set(HEADER)


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in HEADERS.items() for value in values])
def test_wrong_values_in_a_header_are_refused_at_reading(name, value, tmp_path):
    header, arrays = contents(hidden=(2,))
    file = tmp_path / "a.npz"
    file.write_bytes(packed(members_of(header | {name: value}, arrays)))
    with pytest.raises(ValueError, match=f"{name} must be ") as told:
        read_network(file)
    assert refused(told.value, str(file))
    with pytest.raises(AgentError):
        make_agent(GAME, f"network:{file}")


@pytest.mark.parametrize(
    "header", ["[]", "null", "7", '"x"', "{", "", DEEP, f'{{"format": {ENDLESS}}}', '{"format": true}']
)
def test_a_header_that_is_none_is_refused(header, tmp_path):
    file = tmp_path / "a.npz"
    file.write_bytes(packed(members_of(header, contents(hidden=(2,))[1])))
    with pytest.raises(ValueError, match="no network|expected format") as told:
        read_network(file)
    assert refused(told.value, str(file))


def test_arrays_that_would_be_read_out_of_bounds_are_refused(tmp_path):
    """The one that ended the process: nothing in three dimensions."""
    header, arrays = contents(hidden=(512,))
    file = tmp_path / "a.npz"
    wrong = arrays | {"policy_1_bias": np.empty((1, 512, 0), "f4"), "policy_1_weight": np.empty((1499, 512, 0), "f4")}
    more = arrays | {f"policy_{k}_{part}": arrays["policy_1_bias"] for k in (2, 3) for part in ("bias", "weight")}
    for changed in (wrong, arrays | {"policy_0_bias": arrays["policy_0_bias"][:, None]}, more):
        file.write_bytes(packed(members_of(header, changed)))
        with pytest.raises(ValueError, match="expected (a bias|float16)") as told:
            read_network(file)
        assert refused(told.value, str(file))


@pytest.mark.parametrize(("value", "message"), [(np.nan, "not finite"), (np.inf, "not finite"), (3e38, "overflow")])
def test_numbers_that_would_spread_are_refused(value, message, tmp_path):
    header, arrays = contents(activation="relu", hidden=(2,))
    arrays["value_0_weight"][5, 0] = value
    (tmp_path / "a.npz").write_bytes(packed(members_of(header, arrays)))
    with pytest.raises(ValueError, match=message):
        read_network(tmp_path / "a.npz")


@pytest.mark.parametrize("kind", [">f4", "<f2", "F"])
def test_other_byte_orders_and_orders_are_the_same_network(kind, tmp_path):
    header, arrays = contents(hidden=(3,))
    other = {name: np.asfortranarray(a) if kind == "F" else a.astype(kind) for name, a in arrays.items()}
    files = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for file, given in zip(files, (arrays, other), strict=True):
        file.write_bytes(packed(members_of(header, given), zipfile.ZIP_DEFLATED))
    one, two = (read_network(file).compiled.weights for file in files)
    assert two.dtype == np.float32
    assert two.dtype.isnative
    np.testing.assert_allclose(one, two, atol=2e-3 if kind == "<f2" else 0)


def test_what_is_declared_is_checked_before_room_is_made(tmp_path):
    file = tmp_path / "a.npz"
    small = npy(np.zeros(3, np.float32))
    huge = small.replace(b"(3,), }" + b" " * 9, b"(3333333333,), }")
    assert len(huge) == len(small)
    file.write_bytes(packed({"a.npy": huge}))
    with pytest.raises(ValueError, match="an array .* in 12 bytes"):
        read_arrays(file, 10**6)
    bomb = packed({"a.npy": small + bytes(2**22)}, zipfile.ZIP_DEFLATED)
    for declared, message in ((2**31 - 1, "bytes when they are unpacked"), (len(small), "Bad CRC|array")):
        size = (len(small) + 2**22).to_bytes(4, "little")
        file.write_bytes(bomb.replace(size, declared.to_bytes(4, "little")))
        with pytest.raises(ValueError, match=message):
            read_arrays(file, MOST_BYTES)
    file.write_bytes(packed({"a.npy": small}, zipfile.ZIP_LZMA))
    with pytest.raises(ValueError, match="NumPy packs"):
        read_arrays(file, MOST_BYTES)
    file.write_bytes(packed({f"{i}.npy": b"" for i in range(1001)}))
    with pytest.raises(ValueError, match="more than 1000 arrays"):
        read_arrays(file, MOST_BYTES)
    with pytest.raises(ValueError, match="at most 100 bytes"):
        read_arrays(file, 100)


def test_pickles_are_not_read(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    np.savez(tmp_path / "a.npz", header=np.array([Trap()], dtype=object))
    for read in (read_network, read_weights):
        with pytest.raises(ValueError, match="an array of object"):
            read(tmp_path / "a.npz")
    assert not (tmp_path / "sprung").exists()


# Ladders --------------------------------------------------------------------------------------
def test_a_ladder_runs_no_code_that_was_not_named(tmp_path):
    ladder = json.loads(GAME.ladder.read_text(encoding="utf-8"))
    assert set(
        read_ladder(
            GAME,
        ).against(GAME, None)
    ) == set(
        read_ladder(
            GAME,
        ).ratings
    )
    for spec in ("sb3:model.zip", "os:getcwd"):
        ladder["ratings"][0]["agent"] = spec
        (tmp_path / "a.json").write_text(json.dumps(ladder), encoding="utf-8")
        known = read_ladder(GAME, tmp_path / "a.json")
        with pytest.raises(ValueError, match=f"'{spec}' on the ladder runs code .* --against"):
            known.against(GAME, None)
        assert list(known.against(GAME, [spec, "random"])) == [spec, "random"]
        assert runs_code(GAME, spec)
    for spec in ("random", "greedy2:~/w.npz", "network:~/n.npz", "mcts:400", "network+mcts:200ms"):
        assert not runs_code(GAME, spec)


# The user's home ------------------------------------------------------------------------------
@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


def test_a_tilde_is_the_home_in_specs(home, monkeypatch):
    header, arrays = contents(hidden=(2,))
    (home / "n.npz").write_bytes(packed(members_of(header, arrays)))
    (home / "w.npz").write_bytes(WEIGHTS.read_bytes())
    (home / "m.zip").write_bytes(b"a model")
    assert network_file(GAME, "network:~/n.npz") == home / "n.npz"
    assert make_agent(GAME, "network:~/n.npz").policy.path == home / "n.npz"
    assert make_agent(GAME, "greedy2:~/w.npz").policy.path == home / "w.npz"
    assert model_file("~/m") == model_file("~/m.zip") == home / "m.zip"
    monkeypatch.setenv("AZUL_DUEL_DATA_DIR", "~/games")
    assert autosave_folder() == home / "games"
    assert user_path("~nobody-of-this-name/x") == Path("~nobody-of-this-name/x")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_a_tilde_is_the_home_in_all_paths_of_commands(command, home):
    came = {}
    expanded = at_home(lambda **given: came.update(given))
    names = [name for name, one in inspect.signature(command).parameters.items() if "Path" in str(one.annotation)]
    expanded(**dict.fromkeys(names, Path("~/x")), seed=1)
    assert came == {**dict.fromkeys(names, home / "x"), "seed": 1}
    assert inspect.signature(at_home(command)) == inspect.signature(command)


def test_a_command_finds_and_writes_files_in_the_home(home):
    (home / "a.game").write_text(GAMES[0], encoding="utf-8")
    done = CliRunner().invoke(app, ["picture", "~/a.game", "~/a.svg", "--decision", "0"])
    assert done.exit_code == 0, done.output
    assert (home / "a.svg").exists()
    assert not Path("~").exists()


# What runs code -------------------------------------------------------------------------------
def test_where_a_spec_that_runs_code_is_described_this_is_said_and_the_safe_form_is_named():
    described = [ROOT / "README.md"]
    sources = [*(ROOT / "azul_duel_env").rglob("*.py"), *(ROOT / "docs" / "pages").rglob("*.md")]
    for path in sorted(sources):
        text = path.read_text(encoding="utf-8")
        described += [path] if re.search(r"sb3:PATH\W", text) and "module:function" in text else []
    assert len(described) >= 8
    for path in described:
        text = " ".join(path.read_text(encoding="utf-8").replace("*", "").split())
        assert re.search("runs? code", text), path
        assert "network:PATH" in text, path
    for command in ("tournament", "ladder", "rate", "statistics", "play", "evaluate", "export"):
        told = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "400", "TERMINAL_WIDTH": "400"}).output
        assert re.search("runs? code|running code", " ".join(told.split())), command
        assert command == "evaluate" or "network:PATH" in told, command
