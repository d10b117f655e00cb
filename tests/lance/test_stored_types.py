"""Columns of data files whose own type is not that of the dataset's field."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_datasets import change_manifest

from byteloom import lance
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom_generated.lance.table import Manifest

WAYS = [(version, count) for version in ("2.0", "2.1", "2.2") for count in (1, 40)]
"""Versions of files, and numbers of columns: many are decoded together."""

VECTORS = pa.FixedSizeListArray.from_arrays(pa.array([1, 2, 3, 4], pa.int32()), 2)


def put(folder: Path, values: pa.Array, logical_type: str, version: str, count: int) -> str:
    """Write columns, and give the last one another type in the manifest; return its name."""
    table = pa.table({f"x{number}": values for number in range(count)})
    lance.write_dataset(folder, table, version=version)

    def change(manifest: Manifest) -> None:
        manifest.fields[-1].logical_type = logical_type

    change_manifest(folder, 1, change)
    return f"x{count - 1}"


@pytest.mark.parametrize(("version", "count"), WAYS)
@pytest.mark.parametrize(
    ("values", "found", "wanted"),
    [
        (pa.array([1, 2]), "int64", "double"),
        (pa.array([1, 2]), "int64", "uint64"),
        (pa.array([1, 2], pa.float32()), "float", "int32"),
        (pa.array([1, 2]), "int64", "timestamp:us:-"),
        (pa.array([1, 2], pa.timestamp("us")), "timestamp:us:-", "timestamp:ms:-"),
        (pa.array([1, 2], pa.int32()), "int32", "date32:day"),
        (pa.array([Decimal("1.5")], pa.decimal128(9, 2)), "decimal:128:9:2", "decimal:128:9:1"),
        (pa.array([b"12345678"], pa.binary(8)), "fixed_size_binary:8", "int64"),
        (VECTORS, "fixed_size_list:int32:2", "fixed_size_list:float:2"),
        (pa.array(["1", "2"]), "string", "int64"),
    ],
)
def test_values_of_another_type_are_refused(
    values: pa.Array, found: str, wanted: str, *, count: int, version: str, tmp_path: Path
) -> None:
    """A column is refused whose bits would be other values in the dataset's type."""
    name = put(tmp_path, values, wanted, version, count)
    dataset = lance.open_dataset(tmp_path)
    problem = rf"data/\w+\.lance: .*schema\.{name}\.logical_type: found {found}, wanted {wanted}"
    for columns in (None, [name]):
        with pytest.raises(FormatError, match=problem):
            dataset.to_table(columns)
        with pytest.raises(FormatError, match=problem):
            dataset.take([0], columns)
    others = [each for each in dataset.schema.names if each != name]
    assert dataset.to_table(others).num_rows == len(values)


@pytest.mark.parametrize(("version", "count"), WAYS)
@pytest.mark.parametrize(
    ("values", "logical_type", "read"),
    [
        (pa.array([0], pa.timestamp("us")), "timestamp:us:UTC", [datetime(1970, 1, 1, tzinfo=UTC)]),
        (pa.array([Decimal("1.50")], pa.decimal128(9, 2)), "decimal:128:12:2", [Decimal("1.50")]),
        (pa.array(["a", "b"]), "large_string", ["a", "b"]),
        (pa.array(["a", "b"]), "binary", [b"a", b"b"]),
    ],
)
def test_the_same_values_under_another_type_are_read(
    values: pa.Array,
    logical_type: str,
    read: list[Any],
    *,
    count: int,
    version: str,
    tmp_path: Path,
) -> None:
    """Moments in another zone, decimals of more digits, and text as bytes are read."""
    name = put(tmp_path, values, logical_type, version, count)
    assert lance.open_dataset(tmp_path).to_table()[name].to_pylist() == read
