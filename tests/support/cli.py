"""The command line as tests meet it: its two streams and its exit status.

A call runs in the process of the tests, which has loaded what a command needs; a new process for
each call would take most of the suite's time.  `PROGRAM` starts one where signals, pipes or the
modules that get loaded are the point.
"""

import contextlib
import sys
from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from byteloom.cli import app

PROGRAM = [sys.executable, "-c", "from byteloom.cli import app; app(prog_name='byteloom')"]


class Outcome(NamedTuple):
    """What a run left: exit status, stdout, stderr."""

    status: int
    out: str
    err: str


def byteloom(*arguments: object, stdin: bytes | None = None, cwd: Path | None = None) -> Outcome:
    """Run ``byteloom`` with these arguments; any exception that leaves it fails the test."""
    with contextlib.chdir(cwd or Path.cwd()):
        done = CliRunner().invoke(
            app, [*map(str, arguments)], input=stdin, prog_name="byteloom", catch_exceptions=False
        )
    return Outcome(done.exit_code, done.stdout_bytes.decode(), done.stderr_bytes.decode())
