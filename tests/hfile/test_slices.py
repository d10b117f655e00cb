"""Arrow columns that are slices are written, and looked up, by their own rows only."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pytest
from tests.support.hfile_cells import regular
from tests.support.slices import sliced, sliced_table

from byteloom import hfile
from byteloom.hfile import HFileWriter, hudi_bloom

CELLS = regular(60)


def written(table: Any, **options: Any) -> bytes:
    """Return the bytes of a file."""
    out = io.BytesIO()
    with HFileWriter(out, created_ms=0, **options) as writer:
        writer.write(table)
    return out.getvalue()


@pytest.mark.parametrize("encoding", ["NONE", "FAST_DIFF", "ROW_INDEX_V1"])
def test_cells_that_are_written(encoding: str) -> None:
    """A file written from slices has the same bytes as from whole columns."""
    options = {"encoding": encoding, "blooms": ["ROWCOL"]}
    wanted = written(CELLS, **options)
    assert written(sliced_table(CELLS), **options) == wanted
    assert written(CELLS.slice(17), **options) == written(
        CELLS.slice(17).take(list(range(43))), **options
    )


def test_rows_that_are_looked_up() -> None:
    """A lookup with a slice finds the rows of that slice only."""
    rows = pa.array([b"row-none", *CELLS["row"].to_pylist()[::7]])
    with hfile.open(written(CELLS, blooms=["ROW"])) as file:
        wanted = file.lookup(rows.to_pylist())
        assert wanted.num_rows > 0
        assert file.lookup(sliced(rows, nulls=False)).equals(wanted)
        assert file.lookup(sliced(rows.cast(pa.string()), nulls=False)).equals(wanted)


def test_keys_that_a_filter_is_asked_for() -> None:
    """A Bloom filter is queried for the rows and qualifiers of a slice only."""
    rows = pa.array([b"no", *CELLS["row"].to_pylist()])
    names = pa.array([b"no", *CELLS["qualifier"].to_pylist()])
    with hfile.open(written(CELLS, blooms=["ROWCOL"])) as file:
        (bloom,) = file.bloom_filters
        wanted = bloom.might_contain(rows, names)
        found = bloom.might_contain(sliced(rows, nulls=False), sliced(names, nulls=False))
    assert wanted.tolist() == found.tolist() == [False] + [True] * 60


@pytest.mark.parametrize("kind", ["ROW", "ROWCOL"])
def test_stored_keys_pass_a_filter(kind: str) -> None:
    """The key of each cell passes, and with ROWCOL that of another column mostly does not."""
    rows, names = CELLS["row"].to_pylist(), CELLS["qualifier"].to_pylist()
    with hfile.open(written(CELLS, blooms=[kind])) as file:
        (bloom,) = file.bloom_filters
        pairs = list(zip(rows, names, strict=True))
        assert all(bloom.passes(bloom.key(*each)) for each in pairs)
        others = [bloom.passes(bloom.key(row, b"x" + name)) for row, name in pairs]
    assert all(others) if kind == "ROW" else sum(others) < len(others) // 10


@pytest.mark.parametrize("kind", ["SIMPLE", "DYNAMIC_V0"])
def test_keys_that_a_filter_of_hudi_is_made_of(kind: str) -> None:
    """A Hudi filter built from a slice has the keys of that slice only."""
    keys = pa.array([f"key-{each}" for each in range(40)])
    wanted = hudi_bloom.build(keys, kind, num_entries=20)
    assert hudi_bloom.build(sliced(keys, nulls=False), kind, num_entries=20) == wanted
    held = hudi_bloom.HudiBloomFilter(wanted, kind)
    asked = pa.array(["other", *keys.to_pylist()])
    assert held.might_contain(sliced(asked, nulls=False)).tolist() == [False] + [True] * 40
