"""Verification finds entries whose numbers contradict the manifest, and unsound statistics."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.gallery import rows
from tests.support.iceberg_edits import found_in, found_in_list
from tests.support.iceberg_rows import TableMaker, arrow, deletion_vectors, parquet

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


@pytest.mark.parametrize(
    ("column", "bound", "says"),
    rows("iceberg/verify_entries", "bounds_have_the_form_of_their_type"),
)
def test_bounds_have_the_form_of_their_type(
    document: dict[str, Any], tmp_path: Path, column: int, bound: bytes, says: str | None
) -> None:
    """Bounds with more or fewer bytes than their type, or with invalid text, are reported, once."""
    pair = [{"key": column, "value": bound}]
    change = _file(lower_bounds=pair, upper_bounds=pair)
    found = found_in_list(document, tmp_path, change, number=1)
    assert len(found) == 2 * (says is not None)
    for each, name in zip(found, ("lower_bounds", "upper_bounds"), strict=False):
        assert f"entries[1].{name}[{column}]: " in each
        assert (says or "") in each


@pytest.mark.parametrize(
    ("name", "column", "is_found"),
    [
        ("lower_bounds", 1, True),
        ("upper_bounds", 1, True),
        ("lower_bounds", 3, False),
        ("upper_bounds", 3, True),
    ],
)
def test_an_equality_delete_has_both_bounds_or_none(
    document: dict[str, Any], tmp_path: Path, *, name: str, column: int, is_found: bool
) -> None:
    """A column with one bound is reported, but for text, whose upper bound may be missing."""
    other = ({"lower_bounds", "upper_bounds"} - {name}).pop()

    def change(rows: Any) -> None:
        bound = [{"key": column, "value": bytes(4)}]
        _file(content=2, equality_ids=[column], **{name: bound})(rows)

    found = found_in_list(document, tmp_path, change, number=1)
    wanted = f"entries[1].{other}[{column}]: found nothing, wanted a bound, as on the other side"
    assert sum(wanted in each for each in found) == is_found
    data = _file(**{name: [{"key": column, "value": bytes(4)}]})
    assert found_in_list(document, tmp_path, data, number=1) == []


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
    pairs, bounds = [{"key": 1, "value": value}] * 2, [{"key": 1, "value": bytes(4)}]
    change = {"lower_bounds": bounds, "upper_bounds": bounds, name: pairs}
    (found,) = found_in_list(document, tmp_path, _file(**change), number=1)
    assert f"entries[1].{name}: found column 1 twice, wanted each column once" in found


def test_a_deletion_vector_has_no_bounds_of_columns(tmp_path: Path) -> None:
    """A bound of a column in the entry of a deletion vector is reported, once for each side."""
    data = parquet(tmp_path / "a.parquet", arrow({(1, "i"): pa.array([1, 2], pa.int32())}))
    (vector,) = deletion_vectors(tmp_path / "d.puffin", {data.path: [0]})
    stated = replace(vector, bounds={1: bytes(4)})
    maker = TableMaker(tmp_path, [(1, "i", "int")], version=3).commit(data)
    found = maker.commit(stated, operation="delete").open().verify(files=False)
    assert [str(each).partition(": ")[2] for each in found] == [
        f"entries[0].{name}[1]: found a bound, wanted none of a deletion vector; PyIceberg skips"
        " the vector by it"
        for name in ("lower_bounds", "upper_bounds")
    ]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []),
        ({"data_record_count": [2, 3]}, ["rows[1].data_record_count: found 3, wanted 2, as the"]),
        ({"dv_count": [0, 0]}, ["rows[1].dv_count: found 0, wanted 1, as the files of the part"]),
        ({"spec_id": [0, 7]}, ["rows[1].partition: found (6) of spec 7", "rows: found no row"]),
        ({"p": [5, 9], "data_file_count": [1, 0]}, ["rows[1].partition: found (9)", "rows: fou"]),
    ],
)
def test_partition_statistics_count_the_files_of_their_snapshot(
    tmp_path: Path, changes: dict[str, Any], found: list[str]
) -> None:
    """A count of a partition, or a partition, that is not that of the files is reported, once."""
    maker = TableMaker(
        tmp_path,
        [(1, "i", "int")],
        version=3,
        partitions={0: [(1, 1000, "p", "identity", "int")]},
    )
    files = [
        replace(
            parquet(tmp_path / f"{each}.parquet", arrow({(1, "i"): pa.array([each] * 2)})),
            partition={"p": each},
        )
        for each in (5, 6)
    ]
    (vector,) = deletion_vectors(tmp_path / "d.puffin", {files[1].path: [0]})
    maker.commit(*files).commit(replace(vector, partition={"p": 6}), operation="delete")
    columns = {
        "p": [5, 6],
        "spec_id": [0, 0],
        "data_record_count": [2, 2],
        "data_file_count": [1, 1],
        "dv_count": [0, 1],
        **changes,
    }
    tuples = pa.StructArray.from_arrays(
        [pa.array(columns.pop("p"), pa.int32())],
        fields=[pa.field("p", pa.int32(), metadata={"PARQUET:field_id": "1000"})],
    )
    ids = {"spec_id": 2, "data_record_count": 3, "data_file_count": 4, "dv_count": 13}
    held = {(ids[name], name): pa.array(each, pa.int64()) for name, each in columns.items()}
    made = parquet(tmp_path / "p.parquet", arrow({(1, "partition"): tuples, **held}))
    document = json.loads(Path(maker.open().metadata_location).read_bytes())
    document["partition-statistics"] = [
        {
            "snapshot-id": 2,
            "statistics-path": str(made.path),
            "file-size-in-bytes": made.path.stat().st_size,
        }
    ]
    wrong = found_in(document, lambda _: None, rows=False)
    assert len(wrong) == len(found)
    assert all(part in each for part, each in zip(found, wrong, strict=True))
