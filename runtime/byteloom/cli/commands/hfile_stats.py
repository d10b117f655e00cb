"""Statistics of an HFile: one scan counts and measures its cells."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from byteloom.cli.options.cells import TYPES, escaped
from byteloom.cli.printing.progress import counted_rows
from byteloom.late import pc

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.hfile import HFile

__all__ = ["statistics"]

_COLUMNS = ("row", "family", "qualifier", "timestamp", "type", "value")


@dataclass(slots=True)
class _Range:
    """Least and greatest of some numbers, and their sum."""

    least: int | None = None
    greatest: int | None = None
    total: int = 0

    def widen(self, numbers: pa.Array) -> None:

        low, high = pc.min_max(numbers).as_py().values()
        self.least = low if self.least is None else min(self.least, low)
        self.greatest = high if self.greatest is None else max(self.greatest, high)

    def add(self, numbers: pa.Array) -> None:

        self.widen(numbers)
        self.total += pc.sum(numbers.cast("int64"), min_count=0).as_py()

    def summary(self, count: int) -> dict[str, Any]:
        mean = round(self.total / count, 1) if count else None
        return {"min": self.least, "mean": mean, "max": self.greatest, "total": self.total}


@dataclass(slots=True)
class _Measured:
    """The statistics so far."""

    cells: int = 0
    rows: int = 0
    first: bytes | None = None
    last: bytes | None = None
    types: Counter[int] = field(default_factory=Counter)
    families: Counter[bytes] = field(default_factory=Counter)
    times: _Range = field(default_factory=_Range)
    lengths: dict[str, _Range] = field(
        default_factory=lambda: {name: _Range() for name in ("row", "qualifier", "value")}
    )

    def add(self, batch: pa.RecordBatch) -> None:

        row = batch["row"]
        begins = row[0].as_py() != self.last
        self.rows += len(pc.run_end_encode(row).values) - (not begins)
        self.first = row[0].as_py() if self.first is None else self.first
        self.last = row[-1].as_py()
        self.cells += batch.num_rows
        for name, counter in (("type", self.types), ("family", self.families)):
            for each in batch[name].value_counts():
                counter[each["values"].as_py()] += each["counts"].as_py()
        for name, lengths in self.lengths.items():
            lengths.add(pc.binary_length(batch[name]))
        self.times.widen(batch["timestamp"])


def statistics(file: HFile) -> dict[str, Any]:
    """Return the numbers of cells, rows, types and families, ranges of times and lengths.

    The middle row is the one that the index names, at which HBase would split the file.
    """
    met = _Measured()
    for batch in counted_rows(file.batches(_COLUMNS, binary="binary"), "measuring", file.num_rows):
        if batch.num_rows:
            met.add(batch)
    middle = file.midkey()
    return {
        "cells": met.cells,
        "rows": met.rows,
        "first_row": None if met.first is None else escaped(met.first),
        "middle_row": None if middle is None else escaped(middle.row),
        "last_row": None if met.last is None else escaped(met.last),
        "types": {TYPES.get(code, str(code)): met.types[code] for code in sorted(met.types)},
        "families": {escaped(name): met.families[name] for name in sorted(met.families)},
        "timestamps": {"min": met.times.least, "max": met.times.greatest},
        **{f"{name}_bytes": each.summary(met.cells) for name, each in met.lengths.items()},
        "size": file.size,
        "decompressed": file.trailer.total_uncompressed_bytes,
        "codec": file.trailer.compression_codec,
        "encoding": file.form.encoding,
    }
