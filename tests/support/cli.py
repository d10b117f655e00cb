"""The command line as tests meet it: a process of its own, its two streams and its exit status."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

PROGRAM = [sys.executable, "-c", "from byteloom.cli import app; app(prog_name='byteloom')"]


class Outcome(NamedTuple):
    """What a run left: exit status, stdout, stderr."""

    status: int
    out: str
    err: str


def byteloom(*arguments: object, stdin: bytes | None = None, cwd: Path | None = None) -> Outcome:
    """Run ``byteloom`` with these arguments."""
    command = [*PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False, cwd=cwd)
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
