"""Cells to write: drawn ones for property tests, and regular ones of a size that was measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from tests.support.hbase import SCHEMA
from tests.support.hfile_files import LATEST

from byteloom.hfile import Key

TYPES = (0, 4, 8, 10, 12, 14, 255)

_TAG = st.tuples(st.integers(1, 255), st.binary(max_size=6)).map(
    lambda tag: (1 + len(tag[1])).to_bytes(2, "big") + bytes([tag[0]]) + tag[1]
)


def cell_order(key: Key) -> tuple[Any, ...]:
    """What keys are sorted by: a key of type 0 without a column comes after its whole row."""
    is_last = (key.family, key.qualifier, key.type) == (b"", b"", 0)
    column = (key.family, key.qualifier, -key.timestamp, -key.type)
    return (key.row[:32768], is_last, *(() if is_last else column))


def catalog_order(key: Key) -> tuple[Any, ...]:
    """What keys of HBase's catalog are sorted by: the parts between the commas of their rows."""
    table, first, rest = key.row.partition(b",")
    start, last, region = rest.rpartition(b",")
    parts = (start, last, region) if last else (rest, b"", b"")
    return (table, first, *parts, *cell_order(key)[1:])


def table_of(cells: list[dict[str, Any]]) -> pa.Table:
    """The cells in the order of HBase: by key, and cells of one key from the newest on."""
    ordered = sorted(
        cells,
        key=lambda cell: (cell_order(Key(*(cell[name] for name in Key._fields))), -cell["mvcc"]),
    )
    return pa.Table.from_pylist(ordered, schema=SCHEMA)


@st.composite
def drawn(draw: st.DrawFn, *, tags: bool = True, mvcc: bool = True) -> pa.Table:
    """Tables of cells of one family; few letters, so that keys share and repeat."""
    names = st.text("ab", max_size=4).map(str.encode) | st.binary(max_size=12)
    family = draw(st.sampled_from((b"", b"f", b"family")))
    cell = st.fixed_dictionaries(
        {
            "row": names,
            "family": st.just(family),
            "qualifier": names,
            "timestamp": st.integers(0, 3) | st.integers(0, LATEST),
            # HBase orders Minimum without a family after all others, itself included, and refuses
            # to write it twice.
            "type": st.sampled_from([each for each in TYPES if each or family]),
            "value": st.binary(max_size=40),
            "mvcc": st.integers(0, LATEST) if mvcc else st.just(0),
            "tags": st.lists(_TAG, max_size=3).map(b"".join) if tags else st.just(b""),
        }
    )
    return table_of(draw(st.lists(cell, max_size=40)))


def regular(count: int) -> pa.Table:
    """Cells of 47 bytes: rows that ascend, values that repeat a little."""
    numbers = np.arange(count)
    columns = ("row", "family", "qualifier", "timestamp", "value")
    return pa.table(
        {
            "row": pa.array([b"row-%010d" % i for i in range(count)], pa.binary()),
            "family": pa.array([b"f"] * count, pa.binary()),
            "qualifier": pa.array([b"q"] * count, pa.binary()),
            "timestamp": pa.array(1_700_000_000_000 + numbers % 1000),
            "value": pa.array([b"value-%05d" % (i % 1000) for i in range(count)], pa.binary()),
        },
        schema=pa.schema([SCHEMA.field(name) for name in columns]),
    )
