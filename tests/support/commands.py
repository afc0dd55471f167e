"""The command: as a user runs it, or in the process of the test where that is not the point, which saves a second of imports."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

from azul_duel_env.cli import main

COMMAND = [sys.executable, "-c", "from azul_duel_env.cli import main; main()"]


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def run_here(*args: str) -> subprocess.CompletedProcess[str]:
    out, told, code = io.StringIO(), io.StringIO(), 0
    with (
        redirect_stdout(out),
        redirect_stderr(told),
        open(os.devnull, encoding="utf-8") as nothing,
        patch.multiple(sys, argv=["azul-duel", *args], stdin=nothing, path=list(sys.path)),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return subprocess.CompletedProcess(args, code, out.getvalue(), told.getvalue())
