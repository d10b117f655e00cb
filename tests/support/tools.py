"""What ruff and mypy object to in generated modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["complaints"]

_RUFF: Final = str(Path(sys.executable).with_name("ruff"))
"""Ruff; ``python -m ruff`` takes three times as long for a small module."""

_COMMANDS: Final = {
    "format": [_RUFF, "format", "--isolated", "--no-cache", "--diff"],
    "lint": [_RUFF, "check", "--isolated", "--no-cache"],
    "mypy": [sys.executable, "-m", "mypy", "--strict", "--config-file="],
}


def complaints(tool: str, *arguments: object, cwd: Path | None = None) -> str:
    """Return what a tool says of files or folders; nothing where it has no objection.

    tool       format or lint, both ruff's without a configuration; or mypy, at its strictest
    arguments  what is looked at, after further options
    """
    command = [*_COMMANDS[tool], *map(str, arguments)]
    done = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True)
    return (done.stdout + done.stderr)[:2000] if done.returncode else ""
