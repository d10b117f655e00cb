"""Small sample files, for first steps: `write_samples` makes them with byteloom's writers.

All hold the same thousand orders, so that what one command shows can be found again with another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.cli.sample_files.files import write_hfile, write_lance, write_log, write_puffin
from byteloom.cli.sample_files.hudi_table import write_hudi_table
from byteloom.cli.sample_files.table import write_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["COMMANDS", "write_samples"]

_WRITERS: tuple[Callable[[Path], None], ...] = (
    write_puffin,
    write_hfile,
    write_lance,
    write_table,
    write_hudi_table,
    write_log,
)

COMMANDS = {
    "orders.puffin": "inspect {0}",
    "orders.hfile": "hfile get {0} order-00042",
    "orders.lance": "lance take {0} 7 77 777",
    "orders": "table scan {0} --where \"country = 'NO'\" --limit 5",
    "orders.hudi": "hudi lookup {0} 42",
    "sensor.log": "describe {0} --spec {1}/sensor.ksy",
}
"""The samples by name, each with a first command: ``{0}`` is the sample, ``{1}`` its folder."""


def write_samples(folder: Path) -> None:
    """Write all samples into *folder*, which is made; files of their names are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    for write in _WRITERS:
        write(folder)
