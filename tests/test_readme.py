"""README: its generated parts are true, its code runs, its links lead somewhere; and examples run."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import specs
from readme import README, ROOT, TRAINING, TRAINING_PARTS, filled

from azul_duel_env.jit import COMPILED

TEXT = README.read_text(encoding="utf-8")


@pytest.mark.skipif(not COMPILED, reason="plays 200 games")
def test_generated_parts_are_true():
    assert filled(TEXT) == TEXT, "run: python tests/readme.py"
    training = TRAINING.read_text(encoding="utf-8")
    assert filled(training, TRAINING_PARTS) == training, "run: python tests/readme.py"


def test_specifications_are_true():
    for file, text in specs.written().items():
        assert file.read_text(encoding="utf-8") == text, f"{file}: run: python tests/readme.py"


@pytest.mark.skipif(not COMPILED, reason="minutes in this lane")
def test_python_code_runs():
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) == 11
    names: dict[str, object] = {}
    for block in blocks:
        if block.startswith("state = env"):
            exec("env.reset(seed=1)", names)
        exec(block, names)


def test_links_lead_to_files():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), target


def test_changelog_has_the_version():
    from azul_duel_env import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


EXAMPLES = {  # name -> a tiny budget, and what it then prints
    "agilerl_ppo.py": (["--steps", "256", "--envs", "8", "--games", "8", "--tests", "1"], "games against random"),
    "alphazero_loop.py": (["--iterations", "1", "--games", "2", "--simulations", "2", "--batch", "32"], "iteration 0:"),
    "aec_loop.py": (["--games", "1"], "row 6:"),
    "cleanrl_ppo.py": (["--steps", "256", "--envs", "8", "--games", "8", "--tests", "1"], "games against random"),
    "four_players.py": (["--games", "1", "--simulations", "2"], "first legal  places"),
    "gymnasium_loop.py": (["--episodes", "1", "--opponent", "random"], "row 6:"),
    "jax_ppo.py": (["--steps", "256", "--envs", "8", "--games", "8", "--tests", "1"], "games against random"),
    "maskable_ppo.py": (["--steps", "512", "--envs", "4", "--games", "4"], "against greedy: wins"),
    "open_spiel_search.py": (["--simulations", "2", "--agent", "greedy"], "returns ["),
    "ppo_self_play.py": (["--steps", "512", "--games", "16", "--test-games", "8"], "games against random"),
    "rllib_self_play.py": (
        ["--iterations", "1", "--games", "4", "--batch", "64", "--test-games", "8"],
        "games against random",
    ),
    "search_with_clones.py": (["--simulations", "3", "--decisions", "6"], "row 6:"),
    "torchrl_ppo.py": (["--steps", "512", "--envs", "16", "--games", "4"], "against greedy: wins"),
    "text_agent.py": (["--games", "2"], "text:text_agent:answer"),
    "tianshou_ppo.py": (["--steps", "256", "--envs", "8", "--games", "8", "--tests", "1"], "games against random"),
    "vector_random.py": (["--envs", "16", "--steps", "20"], "steps a second"),
}
SLOW_UNCOMPILED = {
    "agilerl_ppo.py",
    "alphazero_loop.py",
    "cleanrl_ppo.py",
    "four_players.py",
    "jax_ppo.py",
    "maskable_ppo.py",
    "open_spiel_search.py",
    "ppo_self_play.py",
    "rllib_self_play.py",
    "search_with_clones.py",
    "tianshou_ppo.py",
    "torchrl_ppo.py",
}
NEEDS = {
    "agilerl_ppo.py": "agilerl",
    "jax_ppo.py": "flax",
    "open_spiel_search.py": "pyspiel",
    "rllib_self_play.py": "lz4",  # Ray alone isn't RLlib
    "tianshou_ppo.py": "tianshou",
    "torchrl_ppo.py": "torchrl",
}
"""Example -> what it imports that the extra ``dev`` doesn't install."""
WARNS = {"torchrl_ppo.py": "ignore:Creating:DeprecationWarning"}
"""Example -> which warnings are of what it imports, as ``python -W`` takes it."""


def test_every_example_is_run():
    assert sorted(EXAMPLES) == sorted(path.name for path in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name, tmp_path):
    if not COMPILED and name in SLOW_UNCOMPILED:
        pytest.skip("a thousand times too slow in this lane")
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    budget, printed = EXAMPLES[name]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", WARNS.get(name, "error"), str(ROOT / "examples" / name), *budget],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout
