"""The command line as tests meet it: its two streams, its exit status, and what its commands are.

A call runs in the process of the tests, which has loaded what a command needs; a new process for
each call would take most of the suite's time.  `PROGRAM` starts one where signals, pipes or the
modules that get loaded are the point.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from typer.main import get_command
from typer.testing import CliRunner

from byteloom.cli import app

PROGRAM = [sys.executable, "-c", "from byteloom.cli import app; app(prog_name='byteloom')"]


class Outcome(NamedTuple):
    """What a run left: exit status, stdout, stderr."""

    status: int
    out: str
    err: str


def byteloom(
    *arguments: object,
    stdin: bytes | None = None,
    cwd: Path | None = None,
    encoding: str = "utf-8",
    env: Mapping[str, str] | None = None,
) -> Outcome:
    """Run ``byteloom`` with these arguments; any exception that leaves it fails the test.

    encoding  that of both streams, where a command does not choose UTF-8
    """
    with contextlib.chdir(cwd or Path.cwd()):
        done = CliRunner(charset=encoding).invoke(
            app,
            [*map(str, arguments)],
            input=stdin,
            env=env,
            prog_name="byteloom",
            catch_exceptions=False,
        )
    out, err = (_text(each, encoding) for each in (done.stdout_bytes, done.stderr_bytes))
    return Outcome(done.exit_code, out, err)


def process(
    *command: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Outcome:
    """Run this command in a process of its own, whose streams are pipes."""
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=env, check=False, capture_output=True, text=True
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def _text(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode(encoding)


def top() -> Any:
    """Return the program as typer has it: a group of commands and of groups."""
    return get_command(app)


def commands() -> dict[str, Any]:
    """Return every command as typer has it, by its words: ``hfile get``."""
    return dict(_below(top(), ()))


def _below(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    inside = getattr(command, "commands", None)
    if inside is None:
        yield " ".join(path), command
        return
    for name, each in inside.items():
        yield from _below(each, (*path, name))
