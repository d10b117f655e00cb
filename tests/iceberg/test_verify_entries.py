"""Verification finds entries whose numbers contradict the manifest, and unsound statistics."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.iceberg_edits import found_in_list
from tests.support.iceberg_rows import TableMaker, arrow, parquet

if TYPE_CHECKING:
    from collections.abc import Callable

COLUMNS = [
    (1, "i", "int"), (2, "l", "long"), (3, "s", "string"), (4, "d", "double"),
    (5, "p", "decimal(9, 2)"), (6, "u", "uuid"), (7, "b", "boolean"), (8, "f", "fixed[4]"),
]  # fmt: skip


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the metadata of a table of version 3: two appends of two files of three rows."""
    root = tmp_path_factory.mktemp("made")
    maker = TableMaker(root, COLUMNS, version=3)
    for commit in ("a", "b"):
        rows = arrow({(1, "i"): pa.array([1, 2, 3], pa.int32())})
        maker.commit(*(parquet(root / "data" / f"{commit}{each}.parquet", rows) for each in "01"))
    held = maker.open().metadata_location
    return dict(json.loads(Path(held).read_bytes()))


def _entry(**changes: Any) -> Callable[[Any], None]:
    """Return a function that changes the second entry of a manifest."""
    return lambda rows: rows[1][1].update(changes)


def _file(**changes: Any) -> Callable[[Any], None]:
    """Return a function that changes the file of the second entry of a manifest."""
    return lambda rows: rows[1][1]["data_file"].update(changes)


def _listed(**changes: Any) -> Callable[[Any], None]:
    """Return a function that changes the row of a manifest in the list."""
    return lambda rows: rows[0][1].update(changes)


def _older(rows: Any) -> None:
    """Say that the rows of the second entry are older than its manifest."""
    _entry(sequence_number=1)(rows)
    _listed(min_sequence_number=1)(rows)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda _: None, None),
        (_entry(snapshot_id=4242), "entries[1].snapshot_id: found 4242, wanted 2, which added"),
        (_entry(sequence_number=3), "sequence_number: found 3, wanted at most last-sequence"),
        (_older, "sequence_number: found 1, wanted 2, that of the manifest"),
        (_entry(file_sequence_number=1), "file_sequence_number: found 1, wanted 2, that of the"),
        (_file(first_row_id=9), None),
        (_file(first_row_id=0), "entries[1].first_row_id: found 0, wanted 9, which follows"),
        (_file(first_row_id=10), "entries[1].first_row_id: found 10, wanted 9, which follows"),
        (
            _listed(first_row_id=5),
            "].first_row_id: found 5, wanted 6, the next one of the snapshot",
        ),
        (_listed(first_row_id=7), "first_row_id: found 6 rows from 7 on, wanted ids below 12"),
        (_file(sort_order_id=0), None),
        (_file(sort_order_id=4), "sort_order_id: found 4, wanted one of the sort orders: 0"),
        (_file(split_offsets=[4]), None),
        (_file(split_offsets=[4, 4]), "split_offsets: found 4, wanted growing offsets in the file"),
        (_file(split_offsets=[4, 99999]), "split_offsets: found 99999, wanted growing offsets"),
    ],
)
def test_numbers_follow_from_the_manifest(
    document: dict[str, Any], tmp_path: Path, change: Callable[[Any], None], says: str | None
) -> None:
    """A number of an entry or of a list that contradicts the commit is reported, once."""
    found = found_in_list(document, tmp_path, change, number=1)
    assert len(found) == (says is not None)
    assert (says or "") in "".join(found)


def test_rows_of_a_replacement_may_be_older(document: dict[str, Any], tmp_path: Path) -> None:
    """Files that a replacement added may have the sequence number of the rows they replace."""
    replaced: dict[str, Any] = json.loads(json.dumps(document))
    replaced["snapshots"][-1]["summary"]["operation"] = "replace"
    (operation,) = found_in_list(replaced, tmp_path, _older, number=1)
    assert "summary.operation: found 'replace'" in operation


@pytest.mark.parametrize("name", ["lower_bounds", "upper_bounds"])
@pytest.mark.parametrize(
    ("column", "bound", "says"),
    [
        (1, struct.pack("<i", 2), None),
        (1, struct.pack("<q", 2), "wanted a value of type int; PyIceberg and DuckDB cannot"),
        (1, b"", "found b'', wanted a value of type int"),
        (2, struct.pack("<q", 2), None),
        (2, struct.pack("<i", 2), None),
        (2, struct.pack("<q", 2) + b"\0", "wanted a value of type long"),
        (3, b"", None),
        (3, b"\xff\xfe", "found b'\\xff\\xfe', wanted UTF-8 text"),
        (4, struct.pack("<f", 2), None),
        (4, bytes(5), "wanted a value of type double"),
        (5, b"\x01\x00", None),
        (5, b"", "wanted a value of type decimal(9, 2)"),
        (6, bytes(16), None),
        (6, bytes(15), "wanted a value of type uuid"),
        (7, b"\1", None),
        (7, bytes(2), "wanted a value of type boolean"),
        (8, bytes(3), None),
        (8, bytes(5), "wanted a value of type fixed[4]"),
        (2147483546, b"\xff", "wanted UTF-8 text"),
        (2147483545, bytes(9), "wanted a value of type long"),
    ],
)
def test_bounds_have_the_form_of_their_type(
    document: dict[str, Any],
    tmp_path: Path,
    *,
    name: str,
    column: int,
    bound: bytes,
    says: str | None,
) -> None:
    """A bound with more or fewer bytes than its type, or with invalid text, is reported, once."""
    change = _file(**{name: [{"key": column, "value": bound}]})
    found = found_in_list(document, tmp_path, change, number=1)
    assert len(found) == (says is not None)
    assert (says or "") in "".join(found)
    assert all(f"entries[1].{name}[{column}]: " in each for each in found)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((each, 3) for each in ("value_counts", "null_value_counts", "nan_value_counts")),
        *((each, bytes(4)) for each in ("lower_bounds", "upper_bounds")),
    ],
)
def test_a_column_has_one_of_each_statistic(
    document: dict[str, Any], tmp_path: Path, name: str, value: Any
) -> None:
    """A column that has two counts, or two bounds, of one kind is reported, once."""
    pairs = [{"key": 1, "value": value}, {"key": 1, "value": value}]
    (found,) = found_in_list(document, tmp_path, _file(**{name: pairs}), number=1)
    assert f"entries[1].{name}: found column 1 twice, wanted each column once" in found
