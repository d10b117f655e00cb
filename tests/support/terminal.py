"""The command line as a person meets it: on a terminal."""

import os
import pty
import subprocess
from typing import NamedTuple

from tests.support.cli import PROGRAM


class Shown(NamedTuple):
    """What a run left: exit status, and all that the terminal was sent."""

    status: int
    text: str


def on_terminal(*arguments: object, **environment: str) -> Shown:
    """Run ``byteloom`` with these arguments on a terminal of its own."""
    return shown_by([*PROGRAM, *map(str, arguments)], **environment)


def shown_by(command: list[str], **environment: str) -> Shown:
    """Run a command on a terminal of its own."""
    ours, theirs = pty.openpty()
    settings = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24", **environment}
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=settings
    ) as running:
        os.close(theirs)
        parts = []
        try:
            while part := os.read(ours, 1 << 16):
                parts.append(part)
        except OSError:  # Linux says so that the other end is closed
            pass
        os.close(ours)
    return Shown(running.returncode, b"".join(parts).decode().replace("\r\n", "\n"))
