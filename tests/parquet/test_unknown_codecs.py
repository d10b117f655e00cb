"""Files with columns in codecs that cannot be read are read except for these columns."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.iceberg_rows import File, TableMaker, parquet

from byteloom.errors import Unsupported
from byteloom.limits import DEFAULT_LIMITS
from byteloom.parquet.whole import batches_of, read_columns, sound_file
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from pathlib import Path

WANTED = "wanted UNCOMPRESSED, SNAPPY, GZIP, BROTLI, LZ4, ZSTD or LZ4_RAW"
LZO = 3


def with_codec(file: bytes, column: str, codec: int) -> bytes:
    """Return a file whose footer says that a column, not compressed, is in another codec."""
    path = b"\x19\x18" + bytes([len(column)]) + column.encode() + b"\x15"
    number = codec << 1 if codec >= 0 else (-codec << 1) - 1
    assert path + b"\0" in file
    return file.replace(path + b"\0", path + bytes([number]))


def rows() -> pa.Table:
    """Return rows with the ids of the table's columns."""
    fields = [("odd", pa.string(), 2), ("id", pa.int64(), 1), ("name", pa.string(), 3)]
    schema = pa.schema(
        [
            pa.field(name, of, metadata={"PARQUET:field_id": str(number)})
            for name, of, number in fields
        ]
    )
    return pa.table([["x", "y"] * 50, range(100), ["n"] * 100], schema)


def written(codec: int) -> bytes:
    """Return a file of ten row groups whose first column is in a codec."""
    out = BytesIO()
    pq.write_table(rows(), out, compression="none", row_group_size=10)
    return with_codec(out.getvalue(), "odd", codec)


@pytest.mark.parametrize("codec", [LZO, 8, 17, 63, -1, -2])
def test_other_columns_are_read(codec: int) -> None:
    """A column in LZO, or in a codec that Parquet lacks, does not keep others from being read."""
    source = BytesSource(written(codec))
    file = sound_file(source)
    assert file.unreadable.keys() == {0}
    found = pa.Table.from_batches(batches_of(source, file, ["id", "name"]))
    assert found.equals(rows().select(["id", "name"]))


@pytest.mark.parametrize(("codec", "named"), [(LZO, "LZO"), (8, "8"), (17, "17"), (-2, "-2")])
def test_the_column_is_refused_with_its_codec(codec: int, named: str) -> None:
    """Reading such a column is an error that has its name, its codec, and those that are read."""
    with pytest.raises(Unsupported, match=rf"^column odd: found codec {named}, {WANTED}$"):
        read_columns(written(codec), ["id", "odd"], DEFAULT_LIMITS)


@pytest.mark.parametrize("codec", [0, 1, 2, 4, 5, 6, 7])
def test_all_other_codecs_of_parquet_are_taken(codec: int) -> None:
    """A column in any other codec that Parquet has is left to its decompressor."""
    assert not sound_file(BytesSource(written(codec))).unreadable


COLUMNS = [(1, "id", "long"), (2, "odd", "string"), (3, "name", "string")]


@pytest.mark.parametrize(("wide", "count"), [(0, 1), (600, 1), (0, 5)])
def test_scans_read_the_other_columns(tmp_path: Path, wide: int, count: int) -> None:
    """A scan reads the other columns, of a narrow file, a wide file and of many small ones.

    Reading the column in the unknown codec, or filtering by it, is refused; `verify` says so.
    """
    data = rows()
    for number in range(wide):
        data = data.append_column(f"c{number}", [[number] * 100])
    files = []
    for number in range(count):
        made = parquet(tmp_path / f"{number}.parquet", data, compression="none", row_group_size=10)
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(with_codec(path.read_bytes(), "odd", 17))
        files.append(File(made.path, made.records))
    table = TableMaker(tmp_path, COLUMNS).commit(*files).open()
    scan = table.scan(columns=["id", "name"], filter="id >= 98")
    assert scan.to_table().to_pydict() == {"id": [98, 99] * count, "name": ["n"] * 2 * count}
    for asked in (table.scan(), table.scan(columns=["id"], filter="odd = 'x'")):
        with pytest.raises(Unsupported, match=rf"\.parquet: column odd: found codec 17, {WANTED}$"):
            asked.to_table()
    assert [type(each) for each in table.verify()] == [Unsupported] * count
