"""Parquet and ORC files by other writers are sound: nothing is found in them, and all is shown."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from tests.support.cli import byteloom

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

START = dt.datetime(2024, 2, 27, tzinfo=dt.UTC)
ROWS = pa.table(
    {
        "n": pa.array([None if each % 7 == 3 else each for each in range(1000)], pa.int64()),
        "small": pa.array([each % 100 for each in range(1000)], pa.int16()),
        "x": pa.array([float("nan") if each % 11 == 4 else each / 3 for each in range(1000)]),
        "d": pa.array([Decimal(each) / 100 for each in range(1000)], pa.decimal128(9, 2)),
        "day": pa.array([(START + dt.timedelta(days=each)).date() for each in range(1000)]),
        "at": pa.array([START + dt.timedelta(hours=each) for each in range(1000)]),
        "s": pa.array(["" if each % 5 == 2 else f"é{each % 50}" for each in range(1000)]),
        "b": pa.array([None if each % 3 == 1 else bytes([each % 256]) for each in range(1000)]),
        "f": pa.array([each % 2 == 0 for each in range(1000)]),
        "l": pa.array([None if each % 9 == 5 else [each] * (each % 4) for each in range(1000)]),
        "t": pa.array([{"x": each, "y": "" if each % 2 else None} for each in range(1000)]),
    }
)


def _duckdb(options: str) -> Callable[[Path], None]:
    """Return what writes a file with DuckDB."""

    def write(place: Path) -> None:
        with duckdb.connect() as connection:
            connection.register("held", ROWS)
            connection.execute(f"COPY held TO '{place}' (FORMAT parquet, {options})")

    return write


def _polars(**options: Any) -> Callable[[Path], None]:
    """Return what writes a file with polars."""
    return lambda place: pl.DataFrame(ROWS).write_parquet(place, **options)


def _pyarrow(**options: Any) -> Callable[[Path], None]:
    """Return what writes a Parquet file with pyarrow."""
    return lambda place: pq.write_table(ROWS, place, **options)


def _orc(**options: Any) -> Callable[[Path], None]:
    """Return what writes an ORC file with pyarrow."""
    return lambda place: orc.write_table(ROWS, place, **options)


WRITERS: dict[str, Callable[[Path], None]] = {
    f"duckdb-{version('duckdb')}-zstd.parquet": _duckdb("COMPRESSION zstd, ROW_GROUP_SIZE 2048"),
    f"duckdb-{version('duckdb')}-v2.parquet": _duckdb("COMPRESSION snappy, PARQUET_VERSION v2"),
    f"polars-{version('polars')}-zstd.parquet": _polars(row_group_size=300),
    f"polars-{version('polars')}-plain.parquet": _polars(compression="uncompressed"),
    f"pyarrow-{pa.__version__}-gzip.parquet": _pyarrow(compression="gzip", row_group_size=300),
    f"pyarrow-{pa.__version__}-v2.parquet": _pyarrow(data_page_version="2.0", data_page_size=500),
    f"pyarrow-{pa.__version__}-indexes.parquet": _pyarrow(
        write_page_index=True, write_page_checksum=True
    ),
    f"pyarrow-{pa.__version__}-zlib.orc": _orc(compression="zlib", stripe_size=4096),
    f"pyarrow-{pa.__version__}-plain.orc": _orc(compression="uncompressed"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_is_wrong_with_files_by_others(tmp_path: Path, name: str) -> None:
    """`verify` finds nothing, and `inspect` shows the columns and ends well."""
    place = tmp_path / name
    WRITERS[name](place)
    found = byteloom("verify", place)
    assert found.status == 0, found.out
    assert "1,000 rows" in found.out
    shown = byteloom("inspect", place, "--json")
    assert shown.status == 0
    assert all(f'"{each}"' in shown.out for each in ROWS.schema.names)
