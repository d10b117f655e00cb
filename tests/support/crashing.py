"""A process that changes a table and fails, or is killed, before the n-th call to the file system.

Python announces such calls to audit hooks before it makes them.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from byteloom.errors import ByteloomError
from byteloom.iceberg import open_table

__all__ = ["ACKNOWLEDGED", "CALLS", "change"]

CALLS = ("open", "os.link", "os.remove", "os.rename", "os.mkdir", "os.listdir", "os.scandir")
ACKNOWLEDGED = "the commit is made"


def change(place: str, verb: str) -> None:
    """Change a table of the ids 1 to 3: append 4, delete 2, or replace 3 by 5."""
    table = open_table(place)
    if verb == "append":
        table.append(pa.table({"id": [4]}))
    elif verb == "delete":
        table.delete("id = 2")
    else:
        table.overwrite(pa.table({"id": [5]}), "id = 3")


def _main(place: str, verb: str, number: int, way: str) -> None:
    """Change the table; print whether that was acknowledged, and how many calls there were."""
    seen = 0
    root = str(Path(place).absolute())
    is_watched = True

    def watch(event: str, given: tuple[Any, ...]) -> None:
        nonlocal seen
        if event not in CALLS or not is_watched or not str(given[0]).startswith(root):
            return
        seen += 1
        if seen == number and way == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if seen == number:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    sys.addaudithook(watch)
    try:
        change(place, verb)
    except (ByteloomError, OSError) as error:
        print(type(error).__name__)
    else:
        print(ACKNOWLEDGED)
    is_watched = False
    print(seen)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
