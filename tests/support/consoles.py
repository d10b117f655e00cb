"""The consoles of pages: commands with what they print."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

from typer.testing import CliRunner

from byteloom.cli import app

BLOCK: Final = re.compile(r"^```(\w+)(?: title=\"(.+?)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND: Final = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)

_ALONE: Final = re.compile(
    r"byteloom ((?!verify)[^|;>]*?)(?P<silent> > /dev/null)?(?: \| (head|tail) -(\d+))?"
)
"""A command that is no more than a call of byteloom, which prints on one stream."""


def printed(command: str, folder: Path) -> str:
    """Return what a command prints in *folder*, on both streams.

    One of byteloom alone runs in this process, which prints the same and has imported it.
    """
    if alone := _ALONE.fullmatch(command):
        with contextlib.chdir(folder):
            done = CliRunner().invoke(app, shlex.split(alone[1]), prog_name="byteloom")
        lines = (done.stderr if alone["silent"] else done.output).splitlines(keepends=True)
        count = int(alone[4] or len(lines))
        return "".join(lines[-count:] if alone[3] == "tail" and count else lines[:count])
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return run.stdout
