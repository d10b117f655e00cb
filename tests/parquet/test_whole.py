"""Columns of files in memory are read as one table, within limits."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from byteloom.errors import FormatError, LimitExceeded
from byteloom.limits import Limits
from byteloom.parquet.whole import read_columns


def written(columns: dict[str, Any], **options: Any) -> bytes:
    """Return a file in memory."""
    out = BytesIO()
    pq.write_table(pa.table(columns), out, **options)
    return out.getvalue()


def test_columns_are_given_that_the_file_has() -> None:
    """The wanted columns that a file has are read whole, in the order asked for."""
    inner = [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    columns = {"s": inner, "s.a": [5, 6], "t": ["u", None]}
    data = written(columns, row_group_size=1)
    assert read_columns(data, ["t", "no", "s"], Limits()).to_pydict() == {
        "t": columns["t"],
        "s": inner,
    }
    assert read_columns(data, ["no"], Limits()).num_columns == 0


def test_rows_far_larger_than_their_file_are_refused() -> None:
    """Rows of exactly the limit are read, and refused if they take one byte more."""
    data = written({"s": ["x" * 100_000] * 500}, compression="zstd", write_statistics=False)
    size = sum(each.nbytes for each in read_columns(data, ["s"], Limits()).to_batches())
    assert size > 50_000_000
    read_columns(data, ["s"], Limits(decompressed_size=size, expansion=0))
    said = r"^parquet: found rows of more than \d+ bytes, wanted at most \d+ \(limits\.decompressed"
    with pytest.raises(LimitExceeded, match=said):
        read_columns(data, ["s"], Limits(decompressed_size=size - 1, expansion=0))


def test_pages_beyond_the_limits_are_refused() -> None:
    """A page beyond the limit is refused before it is decompressed."""
    data = written({"s": ["x" * 9_000], "n": [1]}, compression="zstd", use_dictionary=False)
    limits = Limits(decompressed_size=9_000, expansion=0)
    with pytest.raises(LimitExceeded, match=r"columns\[0\] at byte \d+ .*: found a page of 9010 b"):
        read_columns(data, ["s"], limits)
    assert read_columns(data, ["n"], limits).to_pydict() == {"n": [1]}


def test_what_is_no_sound_file_is_refused() -> None:
    """A file that is not sound Parquet is a `FormatError`."""
    with pytest.raises(FormatError, match=r"^parquet: found .*, wanted a sound Parquet file$"):
        read_columns(b"PAR1", ["s"], Limits())
