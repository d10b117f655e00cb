"""Processes that change a table and fail, or are killed, before the n-th step of it.

The rules:

- A step is a call to the file system, which Python announces to audit hooks before it makes it; a
  file that is synced; or a statement or a commit of an SQL catalog.
- Each change is made in a fork of one process, which has imported all that it needs.
- *fail* lets one step fail, *break* all from one on, as on a disk that is gone, and *kill* ends the
  process.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.iceberg import Table

__all__ = ["ACKNOWLEDGED", "CHANGES", "NAME", "Case", "Crashes", "Outcome", "crashes", "rows_of"]

ACKNOWLEDGED: Final = "acknowledged"
_CALLS: Final = frozenset(
    {"open", "os.link", "os.remove", "os.rename", "os.mkdir", "os.listdir", "os.scandir"}
)
NAME: Final = "shop.t"
_IMPORTED: Final = (
    "byteloom.iceberg.commits.adding_files",
    "byteloom.iceberg.commits.appending",
    "byteloom.iceberg.commits.cherry_picking",
    "byteloom.iceberg.commits.evolving",
    "byteloom.iceberg.commits.replacing",
    "byteloom.iceberg.commits.transactions",
    "byteloom.iceberg.row_changes.verbs",
    "byteloom.iceberg.table",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "pyiceberg.catalog.sql",
)


def rows_of(*numbers: int) -> Any:
    """Return rows with these ids, each with its name."""
    import pyarrow as pa

    return pa.table({"id": list(numbers), "name": [f"n{each}" for each in numbers]})


def _transaction(table: Table) -> None:
    with table.transaction() as change:
        change.append(rows_of(4))
        change.delete("id = 1")
        change.set_properties({"owner": "ops"})
        change.upsert(rows_of(2, 5), "id")


def _staged(table: Table) -> int:
    return next(each.snapshot_id for each in table.snapshots if "wap.id" in (each.summary or {}))


def _keys(*numbers: int) -> Any:
    return rows_of(*numbers).select(["id"])


CHANGES: Final[dict[str, tuple[Callable[[Table], object], list[int]]]] = {
    "append": (lambda t: t.append(rows_of(4)), [1, 2, 3, 4]),
    "delete": (lambda t: t.delete("id = 2"), [1, 3]),
    "update": (lambda t: t.update({"id": 20}, "id = 2"), [1, 3, 20]),
    "upsert": (lambda t: t.upsert(rows_of(3, 6), "id"), [1, 2, 3, 6]),
    "overwrite": (lambda t: t.overwrite(rows_of(5), "id = 3"), [1, 2, 5]),
    "overwrite_partitions": (lambda t: t.overwrite_partitions(rows_of(7)), [7]),
    "delete_keys": (lambda t: t.delete_keys(_keys(1)), [2, 3]),
    "add_files": (lambda t: t.add_files([f"{_place(t)}.old.parquet"]), [1, 2, 3, 8]),
    "transaction": (_transaction, [2, 3, 4, 5]),
    "cherry_pick": (lambda t: t.cherry_pick(_staged(t)), [1, 2, 3, 9]),
    "rollback": (lambda t: t.rollback(to=t.snapshots[0].snapshot_id), [1, 2]),
    "evolve": (lambda t: t.evolve().add_column("more", "int").commit(), [1, 2, 3]),
    "set_properties": (lambda t: t.set_properties({"owner": "ops"}), [1, 2, 3]),
    "create_branch": (lambda t: t.create_branch("audit"), [1, 2, 3]),
}
"""Changes of a table with the ids 1 to 3, and the ids that it then has."""


def _place(table: Table) -> str:
    return str(table.metadata.location).removeprefix("file://")


@dataclass(frozen=True)
class Case:
    """A change, and where it fails.

    Attributes:
        change: One of `CHANGES`.
        number: The step that fails, counted from 1.
        way: fail, break or kill.
        version: The format version.
        mode: The mode of changes of rows.
        is_sql: Whether an SQL catalog has the table.
    """

    change: str
    number: int
    way: str
    version: int = 2
    mode: str = "copy-on-write"
    is_sql: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of a change.

    Attributes:
        said: `ACKNOWLEDGED`, the name of an error, or nothing if the process was killed.
        call: The step before which it failed; nothing if it had fewer steps.
    """

    said: str
    call: str


class Crashes:
    """A process that forks for each change."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Take a process that has started."""
        self._process = process

    def run(self, place: str, case: Case, catalog: str) -> Outcome:
        """Change a table, of an SQL catalog if there is one, with a failure before a step."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = json.dumps([place, case.change, case.number, case.way, catalog])
        print(asked, file=self._process.stdin, flush=True)
        return Outcome(*json.loads(self._process.stdout.readline()))


@contextmanager
def crashes() -> Iterator[Crashes]:
    """Start the process; it ends with the block."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "tests.support.crashing"]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=root) as process:
        yield Crashes(process)
        assert process.stdin is not None
        process.stdin.close()


def _serve() -> None:
    """Fork for each line that asks for a change."""
    import importlib

    for each in _IMPORTED:
        importlib.import_module(each)
    for line in sys.stdin:
        reading, writing = os.pipe()
        if not (child := os.fork()):
            try:
                place, change, number, way, catalog = json.loads(line)
                _change(place, change, _Steps(number, way, writing), catalog)
            finally:
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as said:
            lines = said.read().splitlines()
        os.waitpid(child, 0)
        calls = [each[1:] for each in lines if each.startswith("!")]
        words = [each for each in lines if not each.startswith("!")]
        print(json.dumps(["".join(words), calls[0] if calls else ""]), flush=True)


class _Steps:
    """The steps of a change, of which one fails."""

    def __init__(self, number: int, way: str, writing: int) -> None:
        """Take the number of the step, how it fails, and the pipe that reports it."""
        self._number, self._way, self._writing = number, way, writing
        self._seen = 0
        self.is_watched = True

    def __call__(self, call: str) -> None:
        """Take a step; it may fail, or be the last one."""
        if not self.is_watched:
            return
        self._seen += 1
        is_it = self._seen == self._number
        if is_it:
            self.say(f"!{call}\n")
        if is_it and self._way == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if is_it or (self._seen > self._number and self._way == "break"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def say(self, text: str) -> None:
        """Write to the pipe."""
        os.write(self._writing, text.encode())


def _change(place: str, name: str, steps: _Steps, catalog: str) -> None:
    """Change a table; write to the pipe whether it was acknowledged."""
    from byteloom.errors import ByteloomError
    from byteloom.iceberg import open_table

    kept = _catalog(catalog) if catalog else None
    table = open_table(NAME if catalog else place, catalog=kept)
    sync = os.fsync

    def synced(handle: Any) -> None:
        steps("os.fsync")
        sync(handle)

    def watch(event: str, given: tuple[Any, ...]) -> None:
        if event in _CALLS and str(given[0]).startswith(place):
            steps(event)

    os.fsync = synced  # type: ignore[assignment]
    sys.addaudithook(watch)
    if kept is not None:
        _watch_sql(kept.engine, steps)
    try:
        CHANGES[name][0](table)
    except ByteloomError as error:
        said = type(error).__name__
    except BaseException as error:  # noqa: BLE001  the test shows what it is
        said = f"{type(error).__name__}: {error}"
    else:
        said = ACKNOWLEDGED
    steps.is_watched = False
    steps.say(said.replace("\n", " "))


def _catalog(uri: str) -> Any:
    """Return an SQL catalog of pyiceberg."""
    from pyiceberg.catalog.sql import SqlCatalog

    return SqlCatalog("c", uri=uri, warehouse="file:///nowhere")


def _watch_sql(engine: Any, step: Callable[[str], None]) -> None:
    """Take a step before each statement and each commit, and after a commit."""
    from sqlalchemy import event

    event.listen(engine, "before_cursor_execute", lambda *_: step("statement"))
    event.listen(engine, "commit", lambda _: step("commit"))


if __name__ == "__main__":
    _serve()
