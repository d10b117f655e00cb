"""What is fuzzed: small sound inputs, how each is damaged, and how it is read.

- A seed is a file, alone or as a part of a table on disk; the rest of the table stays sound.
- Reading returns the number of rows, or raises.  Checking returns the number of findings; it runs
  where a damaged input gives fewer rows than the sound one, and on every fifth input.
- A new kind of input is a function that yields its seeds, and a line in `TARGETS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from tests.fuzz import (
    commands,
    data_files,
    hfiles,
    hudi,
    iceberg,
    lance,
    lance_datasets,
    puffin,
    specs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.fuzz.seeds import Seed

__all__ = ["EVERYTHING", "TARGETS", "Target"]


@dataclass(frozen=True)
class Target:
    """One kind of input.

    seeds  yields them; gets a folder for tables
    share  thousands of inputs in a sweep; an input of a table costs some 50 times that of a vector
    """

    seeds: Callable[[Path], Iterator[Seed]]
    share: int


TARGETS: Final = {
    "Avro container": Target(iceberg.containers, 30),
    "manifest": Target(partial(iceberg.tables, part="manifest"), 6),
    "manifest list": Target(partial(iceberg.tables, part="list"), 6),
    "table metadata": Target(partial(iceberg.tables, part="metadata"), 6),
    "Parquet data": Target(partial(iceberg.tables, part="parquet"), 6),
    "ORC data": Target(partial(iceberg.tables, part="orc"), 4),
    "Parquet parts": Target(data_files.parquet_files, 4),
    "ORC parts": Target(data_files.orc_files, 4),
    "Avro data": Target(partial(iceberg.tables, part="avro"), 6),
    "delete file": Target(partial(iceberg.tables, part="deletes"), 6),
    "HFile": Target(hfiles.seeds, 25),
    "Lance": Target(lance.files, 40),
    "Lance dataset": Target(lance_datasets.datasets, 10),
    "Puffin": Target(puffin.files, 20),
    "vector or sketch": Target(puffin.blobs, 30),
    "Hudi table": Target(hudi.tables, 3),
    "Hudi log": Target(hudi.logs, 25),
    "spec": Target(specs.seeds, 7),
    "command": Target(commands.seeds, 3),
}


def _all(folder: Path) -> Iterator[Seed]:
    for name, target in TARGETS.items():
        place = folder / name
        place.mkdir()
        yield from target.seeds(place)


EVERYTHING: Final = {"everything": Target(_all, 0)}
"""The seeds of all targets in one, for a small sample."""
