"""Lance files."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING

import pyarrow as pa
from tests.fuzz.seeds import Seed
from tests.support.lance_cases import file_of, stored_pages

from byteloom import lance
from byteloom.cli.formats.lance import explain
from byteloom.storage.sources import BytesSource
from byteloom.verification import Damage
from byteloom.verification.lance import verify
from byteloom.wire import Folding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["files"]

ROWS = 40
_LEAST = 4
"""Rows of a page put together by hand, at least: damage to fewer changes little."""


def files(folder: Path) -> Iterator[Seed]:
    """Yield files that are written, and pages put together by hand, in every encoding."""
    del folder
    for version in ("2.1", "2.2"):
        for name, column in _columns():
            yield _seed(f"{version} {name}", _written(version, column))
    for name, row in stored_pages("reads"):
        if len(row["reads"]) >= _LEAST and "page" in row and "limits" not in row:
            with suppress(Damage):  # what only verify refuses
                data = file_of(row)
                verify(BytesSource(data))
                yield _seed(name, data)


def _columns() -> Iterator[tuple[str, pa.Array]]:
    """Columns that get each layout, with levels of each kind."""
    numbers = [None if each % 4 == 1 else each for each in range(ROWS)]
    words = [None if each % 7 == 3 else "word" * (each % 5) for each in range(ROWS)]
    yield "numbers", pa.array(numbers, pa.int32())
    yield "text", pa.array(words)
    yield "long text", pa.array(["x" * 300, None, "y" * 400])
    yield "lists", pa.array([numbers[:3], [], None, numbers[3:9]] * 3, pa.list_(pa.int16()))
    yield "long lists", pa.array([["z" * 300], [], None, ["", "w" * 500]])
    yield "structs", pa.array([{"a": 1, "b": ["x"]}, None, {"a": None, "b": []}] * 4)
    yield "vectors", pa.array([[1.5, 2.5]] * ROWS, pa.list_(pa.float32(), 2))
    yield "nulls", pa.nulls(ROWS, pa.int64())


def _written(version: str, column: pa.Array) -> bytes:
    out = BytesIO()
    with lance.LanceWriter(out, pa.schema([("c", column.type)]), version=version) as writer:
        writer.write(pa.table({"c": column}))
    return out.getvalue()


def _seed(name: str, data: bytes) -> Seed:
    return Seed(f"Lance {name}", data, _rows, _findings, counts=True)


def _rows(data: bytes) -> int:
    """Read a file in all ways, and count its rows."""
    with lance.open(data) as file:
        count = min(file.num_rows, 10)
        file.take(list(range(count)))
        for batch in file.scan(batch_size=7, rows=range(count)).batches():
            batch.validate(full=True)
        table = file.to_table()
        table.validate(full=True)
        return int(table.num_rows)


def _findings(data: bytes) -> int:
    explain(BytesSource(data), folding=Folding.none())
    verify(BytesSource(data))
    return 0
