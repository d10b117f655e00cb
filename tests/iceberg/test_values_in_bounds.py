"""Decimals of too many digits, and times of no day, are refused by scans, whatever the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import orc
from tests.support.iceberg_rows import File, TableMaker, arrow, parquet

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

DAY = 86_400_000_000
MOST = 9_999_999_999
"""The largest number of ten digits."""


def array(of: pa.DataType, number: int) -> pa.Array:
    """Return one number in the bytes of a type, which may not have it."""
    size = of.bit_width // 8
    stored = pa.py_buffer(number.to_bytes(size, "little", signed=True))
    return pa.Array.from_buffers(of, 1, [None, stored])


def written(root: Path, form: str, values: pa.Array, count: int) -> list[File]:
    """Return files of one column with the values, which are times in Avro."""
    root.mkdir(exist_ok=True)
    table = arrow({(1, "x"): values})
    files = []
    for number in range(count):
        path = root / f"{number}.{form}"
        if form == "parquet":
            files.append(parquet(path, table))
            continue
        if form == "orc":
            orc.write_table(table, path)
        else:
            field = {"name": "x", "type": "long", "field-id": 1}
            schema = {"type": "record", "name": "r", "fields": [field]}
            rows = [{"x": each} for each in np.asarray(values.view(pa.int64())).tolist()]
            with path.open("wb") as out:
                fastavro.writer(out, schema, rows)
        files.append(File(path, len(values)))
    return files


def scanned(root: Path, form: str, of: Any, values: pa.Array, count: int = 1) -> pa.Table:
    """Return the rows of a table of such files."""
    files = written(root, form, values, count)
    return TableMaker(root / "t", [(1, "x", of)]).commit(*files).open().scan().to_table()


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(
    ("form", "of", "stored", "number"),
    [
        ("parquet", "decimal(10, 2)", pa.decimal128(10, 2), MOST + 1),
        ("parquet", "decimal(10, 2)", pa.decimal128(10, 2), -MOST - 1),
        ("parquet", "decimal(12, 2)", pa.decimal128(10, 2), MOST + 1),
        ("orc", "decimal(10, 2)", pa.decimal128(10, 2), MOST + 1),
        ("parquet", "time", pa.time64("us"), DAY),
        ("parquet", "time", pa.time64("us"), -1),
        ("avro", "time", pa.time64("us"), DAY),
    ],
)
def test_values_outside_of_their_type_are_refused(  # noqa: PLR0917  one case each
    tmp_path: Path, form: str, of: str, stored: pa.DataType, number: int, count: int
) -> None:
    """A decimal of too many digits, or a time of no day, is an error that names the column.

    The number next to it is read, from one file and from several that are read together.
    """
    said = rf"\.{form}: column x: found no value of .*, wanted values of"
    with pytest.raises(FormatError, match=said):
        scanned(tmp_path / "outside", form, of, array(stored, number), count)
    near = number - 1 if number > 0 else number + 1
    found = scanned(tmp_path / "near", form, of, array(stored, near), count)
    found.validate(full=True)
    assert found.num_rows == count


def test_decimals_inside_of_lists_are_checked(tmp_path: Path) -> None:
    """A decimal of too many digits in a list is an error, too."""
    inner = array(pa.decimal128(10, 2), MOST + 1)
    item = pa.field("element", inner.type, metadata={"PARQUET:field_id": "2"})
    values = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), inner).cast(pa.list_(item))
    of = {"type": "list", "element-id": 2, "element": "decimal(10, 2)", "element-required": False}
    with pytest.raises(FormatError, match=r"column element: found no value of decimal128\(10, 2\)"):
        scanned(tmp_path, "parquet", of, values)
