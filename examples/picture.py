"""The picture in the README, `docs/inspect.svg`: what `byteloom inspect` shows of a small file.

Run it after the command's output has changed: `.venv/bin/python examples/picture.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

from byteloom.puffin import DeletionVector, PuffinWriter

__all__ = ["picture"]

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "inspect.svg"
COMMAND = ("inspect", "deletes.puffin")
WIDTH = 100
"""Columns of the terminal that is drawn."""


def picture() -> str:
    """Return the picture as SVG."""
    program = "from byteloom.cli import app; app(prog_name='byteloom')"
    settings = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(WIDTH)}
    with TemporaryDirectory() as folder:
        with PuffinWriter(Path(folder) / "deletes.puffin") as writer:
            deleted = DeletionVector.from_positions(range(0, 500, 50))
            writer.add_deletion_vector(deleted, "s3://shop/orders/data/00001.parquet")
        printed = subprocess.run(  # noqa: S603  our own program
            [sys.executable, "-c", program, *COMMAND],
            cwd=folder,
            env=os.environ | settings,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi(f"$ byteloom {' '.join(COMMAND)}\n{printed.rstrip()}"))
        return console.export_svg(title="byteloom", unique_id="byteloom")


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
