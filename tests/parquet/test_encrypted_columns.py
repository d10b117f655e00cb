"""Files with some encrypted columns are read except for these, which are refused by name."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.encrypted_parquet import encrypting
from tests.support.iceberg_rows import TableMaker, parquet

from byteloom.datafiles.parquet_view import WholeFile
from byteloom.errors import Unsupported
from byteloom.limits import DEFAULT_LIMITS
from byteloom.parquet.whole import batches_of, read_columns, sound_file
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from pathlib import Path

POINT = pa.struct([("x", pa.int32()), ("y", pa.string())])
TABLE = pa.table(
    {
        "secret": ["a", "b", "c", "d"],
        "open": [1, 2, 3, 4],
        "point": pa.array([{"x": each, "y": str(each)} for each in range(4)], POINT),
    }
)


@pytest.fixture(scope="module")
def data() -> bytes:
    """Return a file of two row groups with an encrypted column and one inside a struct."""
    out = BytesIO()
    properties = encrypting(["secret", "point.y"])
    pq.write_table(TABLE, out, row_group_size=2, encryption_properties=properties)
    return out.getvalue()


def test_the_encrypted_leaves_are_known(data: bytes) -> None:
    """The encrypted leaves of a file are known by their numbers."""
    assert sound_file(BytesSource(data)).unreadable.keys() == {0, 3}


def test_plain_columns_are_read(data: bytes) -> None:
    """Plain columns are read from a file that has encrypted columns too."""
    found = read_columns(data, ["open"], DEFAULT_LIMITS)
    assert found.equals(TABLE.select(["open"]))
    source = BytesSource(data)
    inner = pa.Table.from_batches(batches_of(source, sound_file(source), ["point.x"]))
    assert inner["point"].to_pylist() == [{"x": each} for each in range(4)]


@pytest.mark.parametrize(
    ("columns", "named"), [(["open", "secret"], "secret"), (["point"], "point.y")]
)
def test_encrypted_columns_are_refused_by_name(data: bytes, columns: list[str], named: str) -> None:
    """Reading an encrypted column is an error with its name, even if others are plain."""
    wanted = rf"^column {named}: found an encrypted column, wanted an unencrypted one$"
    with pytest.raises(Unsupported, match=wanted):
        read_columns(data, columns, DEFAULT_LIMITS)


COLUMNS = [(1, "id", "long"), (2, "secret", "string"), (3, "name", "string")]


def rows_with_ids() -> pa.Table:
    """Return rows with the ids of the table's columns, the encrypted one first."""
    fields = [("secret", pa.string(), 2), ("id", pa.int64(), 1), ("name", pa.string(), 3)]
    schema = pa.schema(
        [
            pa.field(name, of, metadata={"PARQUET:field_id": str(number)})
            for name, of, number in fields
        ]
    )
    return pa.table([["x", "y"] * 50, range(100), ["n"] * 100], schema)


@pytest.mark.parametrize("wide", [0, 600])
def test_scans_read_the_plain_columns_of_such_files(tmp_path: Path, wide: int) -> None:
    """A scan reads the plain columns of files narrow and wide.

    Reading an encrypted column, or filtering by it, is refused.
    """
    rows = rows_with_ids()
    for number in range(wide):
        rows = rows.append_column(f"c{number}", [[number] * 100])
    file = parquet(
        tmp_path / "a.parquet",
        rows,
        row_group_size=10,
        encryption_properties=encrypting(["secret"]),
    )
    table = TableMaker(tmp_path, COLUMNS).commit(file).open()
    scan = table.scan(columns=["id", "name"], filter="id >= 95")
    assert scan.to_table().to_pydict() == {"id": [*range(95, 100)], "name": ["n"] * 5}
    for asked in (table.scan(), table.scan(columns=["id"], filter="secret = 'x'")):
        with pytest.raises(Unsupported, match=r"a\.parquet: column secret: found an encrypted"):
            asked.to_table()


def test_row_groups_begin_where_their_first_plain_column_does() -> None:
    """A row group begins at its first plain column, so that it is in one span of the file."""
    out = BytesIO()
    properties = encrypting(["secret"])
    pq.write_table(rows_with_ids(), out, row_group_size=50, encryption_properties=properties)
    first, second = WholeFile(BytesSource(out.getvalue()), None).places
    assert 4 < first < second < len(out.getvalue())
