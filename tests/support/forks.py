"""Programs that run in forks of one process: what they all import is imported once.

A new process for each takes longer to import NumPy or the runtime than most programs run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Forks", "forks"]

_PARENT = """
import importlib, json, os, sys, traceback
for name in sys.argv[1:]:
    importlib.import_module(name)

def run(code, folder, printed):
    out = os.open(printed, os.O_WRONLY | os.O_CREAT)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.chdir(folder)
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})

for line in sys.stdin:
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    status = 1
    try:
        run(*json.loads(line))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
"""


class Forks:
    """A process that waits for programs, and forks for each."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        """Take a process that has started, and a folder for what is printed."""
        self._process, self._printed = process, folder / "printed"

    def run(self, code: str, folder: Path) -> str:
        """Run *code* in *folder*, where it finds modules first; return what it prints.

        errors  AssertionError: it failed
        """
        asked, said = _ends(self._process)
        self._printed.write_bytes(b"")
        print(json.dumps([code, str(folder), str(self._printed)]), file=asked, flush=True)
        status, printed = said.readline(), self._printed.read_text("utf-8")
        assert status == "0\n", printed
        return printed


@contextmanager
def forks(*modules: str) -> Iterator[Forks]:
    """Start a process that imports *modules*; it ends with the block."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", _PARENT, *modules]
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process,
    ):
        yield Forks(process, Path(folder))
        _ends(process)[0].close()


def _ends(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
