"""The command as a user runs it, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

COMMAND = [sys.executable, "-c", "from azul_duel_env.cli import main; main()"]


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
