"""Tables that are hard to write as Lance files, and what is written: its rows, its encodings."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from tests.support.lance_tables import difference

from byteloom import lance
from byteloom.lance.describing import encoding_text
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.lance.writing.options import PlannedPage

__all__ = [
    "HARD",
    "VERSIONS",
    "check_written",
    "encodings",
    "hard",
    "planned",
    "rows_of",
    "written",
]

VERSIONS = ["2.1", "2.2"]


def written(table: pa.Table, version: str, **settings: Any) -> bytes:
    """Return a file of *table*."""
    out = io.BytesIO()
    with lance.LanceWriter(out, table.schema, version=version, **settings) as writer:
        writer.write(table)
    return out.getvalue()


def planned(table: pa.Table, version: str, **settings: Any) -> list[PlannedPage]:
    """Return what a writer of *table* says of its pages."""
    writer = lance.LanceWriter(io.BytesIO(), table.schema, version=version, **settings)
    with writer:
        writer.write(table)
    return writer.plan


def encodings(data: bytes) -> list[list[str]]:
    """How the pages of each column of a file are encoded."""
    with lance.open(data) as file:
        return [[encoding_text(p, DEFAULT_LIMITS) for p in each.pages] for each in file.columns()]


def check_written(table: pa.Table, version: str, **settings: Any) -> list[list[str]]:
    """Write a table, and read it: whole, a range, rows by numbers; return how it is encoded."""
    data, rows = written(table, version, **settings), table.num_rows
    with lance.open(data) as file:
        assert file.version == version
        assert difference(file.to_table(), table) is None
        found = file.scan(rows=range(rows // 3, rows), batch_size=max(7, rows // 20)).to_table()
        assert difference(found, table.slice(rows // 3)) is None
        if rows:
            numbers = [0, rows - 1, *np.random.default_rng(rows).integers(0, rows, 20).tolist()]
            assert difference(file.take(numbers), rows_of(table, numbers)) is None
    return encodings(data)


def rows_of(table: pa.Table, numbers: list[int]) -> pa.Table:
    """Return rows by their numbers; `take` of Arrow 26 is wrong for lists of lists of one size."""
    return pa.concat_tables([table[:0], *(table[number : number + 1] for number in numbers)])


def _null_structs() -> pa.Array:
    """Structs that are null, with values below them, a list among these."""
    mask = pa.array(np.arange(3000) % 3 == 0)
    lists = pa.array([None if n % 5 == 0 else list(range(n % 4)) for n in range(3000)])
    inner = pa.StructArray.from_arrays([lists, pa.array(range(3000))], ["a", "b"], mask=mask)
    outer = pa.array(np.arange(3000) % 7 == 0)
    return pa.StructArray.from_arrays([inner, pa.array(["x", None] * 1500)], ["s", "t"], mask=outer)


def _null_lists() -> pa.Array:
    """Null lists whose offsets have items, and a part of an array."""
    offsets = pa.array(np.arange(0, 4004, 2, dtype=np.int32))
    mask = pa.array(np.arange(2001) % 4 == 0)
    items = pa.array([f"text {n}" for n in range(4002)])
    return pa.ListArray.from_arrays(offsets, items[:4002], mask=mask[:2001]).slice(7, 1900)


def _sparse(items: list[Any], empty: int, type_: pa.DataType) -> pa.Array:
    """Many empty and null lists between the items of two."""
    rows: list[Any] = []
    for each in items:
        rows += [[each], *([[], None] * (empty // 2))]
    return pa.array(rows, type_)


def _large() -> pa.Array:
    """Texts of 256 bytes and more, null, and empty ones."""
    return pa.array([None if n % 9 == 0 else "\xe4" * (n % 400) for n in range(1500)])


def _bit_lists() -> pa.Array:
    """Lists of 9 truth values, some null, more than a chunk of them."""
    values = [None if n % 11 == 0 else n % 3 == 0 for n in range(9 * 5000)]
    return pa.FixedSizeListArray.from_arrays(pa.array(values), 9).slice(3, 4990)


def _wide_lists() -> pa.Array:
    """Lists of 130 numbers, some null, in lists."""
    values = pa.array([None if n % 13 == 0 else n for n in range(130 * 300)], pa.int32())
    vectors = pa.FixedSizeListArray.from_arrays(
        values, 130, mask=pa.array([False, True, False] * 100)
    )
    return pa.ListArray.from_arrays(pa.array([0, 0, 5, None, 100, 300], pa.int32()), vectors)


HARD: dict[str, Callable[[], pa.Array]] = {
    "null structs": _null_structs,
    "null lists": _null_lists,
    "few numbers in many lists": lambda: _sparse(list(range(50)), 3000, pa.list_(pa.int64())),
    "few truth values in many lists": lambda: _sparse([True, None], 90_000, pa.list_(pa.bool_())),
    "large texts": _large,
    "large texts in lists": lambda: pa.ListArray.from_arrays(
        pa.array([0, 3, 3, None, 9, 1500], pa.int32()), _large()
    ),
    "lists of truth values": _bit_lists,
    "wide lists in lists": _wide_lists,
    "lists of lists of one length": lambda: pa.array(
        [[[n, 1], [2, 3], [4, 5]] for n in range(700)], pa.list_(pa.list_(pa.int16(), 2), 3)
    ),
    "null": lambda: pa.nulls(10),
    "null in lists": lambda: pa.array([[None], [], None] * 10, pa.list_(pa.null())),
    "lists that are all null": lambda: pa.nulls(1000, pa.list_(pa.string())),
    "decimals of 256 bits": lambda: pa.array([1, None, 3], pa.int64()).cast(pa.decimal256(40, 2)),
    "as many empty lists as a chunk has levels": lambda: pa.array(
        [[[True], *([[]] * 65_527), [True] * 8]], pa.list_(pa.list_(pa.bool_()))
    ),
    "one long row": lambda: pa.array([list(range(100_000)), [1], None]),
}


def hard(name: str) -> pa.Table:
    """Return a table of one of `HARD`."""
    return pa.table({"c": HARD[name]()})
