"""Files with columns that cannot be read, encrypted or in odd codecs, are read except for these.

Which leaves these are, and where row groups begin, no scan shows: both are internal.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.encrypted_parquet import encrypting
from tests.support.iceberg_rows import File, TableMaker, parquet

from byteloom.datafiles.parquet_view import WholeFile
from byteloom.errors import Unsupported
from byteloom.limits import DEFAULT_LIMITS
from byteloom.parquet.whole import batches_of, read_columns, sound_file
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from pathlib import Path

CODECS = "wanted UNCOMPRESSED, SNAPPY, GZIP, BROTLI, LZ4, ZSTD or LZ4_RAW"
ENCRYPTED = "found an encrypted column, wanted an unencrypted one"
LZO = 3

POINT = pa.struct([("x", pa.int32()), ("y", pa.string())])
TABLE = pa.table(
    {
        "secret": ["a", "b", "c", "d"],
        "open": [1, 2, 3, 4],
        "point": pa.array([{"x": each, "y": str(each)} for each in range(4)], POINT),
    }
)
COLUMNS = [(1, "id", "long"), (2, "odd", "string"), (3, "name", "string")]


def rows() -> pa.Table:
    """Return rows with the ids of the table's columns, the one that is not read first."""
    fields = [("odd", pa.string(), 2), ("id", pa.int64(), 1), ("name", pa.string(), 3)]
    schema = pa.schema(
        [
            pa.field(name, of, metadata={"PARQUET:field_id": str(number)})
            for name, of, number in fields
        ]
    )
    return pa.table([["x", "y"] * 50, range(100), ["n"] * 100], schema)


def with_codec(file: bytes, column: str, codec: int) -> bytes:
    """Return a file whose footer says that a column, not compressed, is in another codec."""
    path = b"\x19\x18" + bytes([len(column)]) + column.encode() + b"\x15"
    number = codec << 1 if codec >= 0 else (-codec << 1) - 1
    assert path + b"\0" in file
    return file.replace(path + b"\0", path + bytes([number]))


def in_codec(codec: int) -> bytes:
    """Return a file of ten row groups whose first column is in a codec."""
    out = BytesIO()
    pq.write_table(rows(), out, compression="none", row_group_size=10)
    return with_codec(out.getvalue(), "odd", codec)


@pytest.fixture(scope="module")
def encrypted() -> bytes:
    """Return a file of two row groups with an encrypted column and one inside a struct."""
    out = BytesIO()
    properties = encrypting(["secret", "point.y"])
    pq.write_table(TABLE, out, row_group_size=2, encryption_properties=properties)
    return out.getvalue()


@pytest.mark.parametrize("codec", [LZO, 8, 17, 63, -1, -2])
def test_columns_beside_one_in_an_odd_codec_are_read(codec: int) -> None:
    """A column in LZO, or in a codec that Parquet lacks, does not keep others from being read."""
    source = BytesSource(in_codec(codec))
    file = sound_file(source)
    assert file.unreadable.keys() == {0}
    found = pa.Table.from_batches(batches_of(source, file, ["id", "name"]))
    assert found.equals(rows().select(["id", "name"]))


def test_columns_beside_encrypted_ones_are_read(encrypted: bytes) -> None:
    """Plain columns are read from a file that has encrypted columns, in a struct too."""
    found = read_columns(encrypted, ["open"], DEFAULT_LIMITS)
    assert found.equals(TABLE.select(["open"]))
    source = BytesSource(encrypted)
    file = sound_file(source)
    assert file.unreadable.keys() == {0, 3}
    inner = pa.Table.from_batches(batches_of(source, file, ["point.x"]))
    assert inner["point"].to_pylist() == [{"x": each} for each in range(4)]


@pytest.mark.parametrize(("codec", "named"), [(LZO, "LZO"), (8, "8"), (17, "17"), (-2, "-2")])
def test_a_column_in_an_odd_codec_is_refused(codec: int, named: str) -> None:
    """Reading such a column is an error that has its name, its codec, and those that are read."""
    with pytest.raises(Unsupported, match=rf"^column odd: found codec {named}, {CODECS}$"):
        read_columns(in_codec(codec), ["id", "odd"], DEFAULT_LIMITS)


@pytest.mark.parametrize(
    ("columns", "named"), [(["open", "secret"], "secret"), (["point"], "point.y")]
)
def test_an_encrypted_column_is_refused(encrypted: bytes, columns: list[str], named: str) -> None:
    """Reading an encrypted column is an error with its name, even if others are plain."""
    with pytest.raises(Unsupported, match=rf"^column {named}: {ENCRYPTED}$"):
        read_columns(encrypted, columns, DEFAULT_LIMITS)


@pytest.mark.parametrize("codec", [0, 1, 2, 4, 5, 6, 7])
def test_all_other_codecs_of_parquet_are_taken(codec: int) -> None:
    """A column in any other codec that Parquet has is left to its decompressor."""
    assert not sound_file(BytesSource(in_codec(codec))).unreadable


@pytest.mark.parametrize("is_encrypted", [False, True])
@pytest.mark.parametrize(("wide", "count"), [(0, 1), (600, 1), (0, 5)])
def test_scans_read_the_other_columns(
    tmp_path: Path, wide: int, count: int, is_encrypted: bool
) -> None:
    """A scan reads the other columns, of a narrow file, a wide file and of many small ones.

    Reading the column that cannot be read, or filtering by it, is refused; `verify` says so.
    """
    data = rows()
    for number in range(wide):
        data = data.append_column(f"c{number}", [[number] * 100])
    files = []
    for number in range(count):
        path = tmp_path / f"{number}.parquet"
        options = {"encryption_properties": encrypting(["odd"])} if is_encrypted else {}
        made = parquet(path, data, compression="none", row_group_size=10, **options)
        if not is_encrypted:
            path.write_bytes(with_codec(path.read_bytes(), "odd", 17))
        files.append(File(made.path, made.records))
    table = TableMaker(tmp_path, COLUMNS).commit(*files).open()
    scan = table.scan(columns=["id", "name"], filter="id >= 98")
    assert scan.to_table().to_pydict() == {"id": [98, 99] * count, "name": ["n"] * 2 * count}
    said = ENCRYPTED if is_encrypted else f"found codec 17, {CODECS}"
    for asked in (table.scan(), table.scan(columns=["id"], filter="odd = 'x'")):
        with pytest.raises(Unsupported, match=rf"\.parquet: column odd: {said}$"):
            asked.to_table()
    assert [type(each) for each in table.verify()] == [Unsupported] * count


def test_row_groups_begin_where_their_first_plain_column_does() -> None:
    """A row group begins at its first plain column, so that it is in one span of the file."""
    out = BytesIO()
    properties = encrypting(["odd"])
    pq.write_table(rows(), out, row_group_size=50, encryption_properties=properties)
    first, second = WholeFile(BytesSource(out.getvalue()), None).places
    assert 4 < first < second < len(out.getvalue())
