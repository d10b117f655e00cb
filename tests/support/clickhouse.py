"""ClickHouse, as chdb has it, in a process of its own: asked for a line, answering with a line.

The rules:

- A question is a query and the path of the file that takes its answer as Arrow; the answer is
  empty, or what went wrong.
- A process of its own, because ClickHouse brings its own allocator, signal handlers and threads,
  and takes more than a second to load.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import IO, TYPE_CHECKING, Self, cast

import pyarrow as pa

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ClickHouse", "ClickHouseError"]

_CHILD = """
import json, sys
import chdb
for line in sys.stdin:
    query, path = json.loads(line)
    try:
        found = chdb.query(query, "ArrowStream").bytes()
        with open(path, "wb") as file:
            file.write(found)
        answer = ""
    except RuntimeError as problem:
        answer = str(problem)
    print(json.dumps(answer), flush=True)
"""


class ClickHouseError(Exception):
    """What ClickHouse says that it cannot do."""


class ClickHouse:
    """A process that answers queries, from the first until it is closed."""

    def __init__(self, answer: Path) -> None:
        """Take the path that answers go through; nothing is started."""
        self._answer = answer
        self._process: subprocess.Popen[str] | None = None

    def query(self, query: str) -> pa.Table:
        """Return what ClickHouse answers."""
        process = self._running()
        to, of = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        to.write(json.dumps([query, str(self._answer)]) + "\n")
        to.flush()
        line = of.readline()
        if not line:
            raise ClickHouseError(f"it ended with {process.wait()}")
        if problem := json.loads(line):
            raise ClickHouseError(problem)
        held = self._answer.read_bytes()
        return pa.ipc.open_stream(held).read_all() if held else pa.table({})

    def _running(self) -> subprocess.Popen[str]:
        """The process, started when it is first needed."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CHILD],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                cwd="/",  # it reads nothing that is not below
            )
        return self._process

    def __enter__(self) -> Self:
        """Keep the process for a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and wait for that."""
        if self._process is not None:
            with self._process:
                cast("IO[str]", self._process.stdin).close()
            self._process = None
