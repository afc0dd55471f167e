"""Every example runs, on a tiny budget."""

from __future__ import annotations

import subprocess
import sys

import pytest
from places import ROOT

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
NEEDS = {
    "agilerl_ppo.py": "agilerl",
    "jax_ppo.py": "flax",
    "open_spiel_search.py": "pyspiel",
    "rllib_self_play.py": "lz4",  # Ray alone isn't RLlib
    "tianshou_ppo.py": "tianshou",
    "torchrl_ppo.py": "torchrl",
}
"""Example -> what it imports that the extra ``dev`` doesn't install."""
QUICK = ("aec_loop.py", "gymnasium_loop.py", "vector_random.py")
WARNS = {"torchrl_ppo.py": "ignore:Creating:DeprecationWarning"}
"""Example -> which warnings are of what it imports, as ``python -W`` takes it."""


def test_every_example_is_run():
    assert sorted(EXAMPLES) == sorted(path.name for path in (ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in EXAMPLES]
)
def test_examples(name, tmp_path):
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
