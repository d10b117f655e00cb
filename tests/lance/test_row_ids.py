"""Row ids of Lance datasets: read, rows found by them, and kept by every change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_datasets import fragment, integers, put_manifest
from tests.support.lance_files import lance_field

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError, LimitExceeded
from byteloom.iceberg import col
from byteloom.limits import Limits
from byteloom_generated.lance.rowids import (
    EncodedU64Array,
    RowDatasetVersionSequence,
    RowIdSequence,
    U64Segment,
)
from byteloom_generated.lance.table import ExternalFile, FeatureFlag, Manifest

if TYPE_CHECKING:
    from pathlib import Path

X = lance_field("x", "int64")


def sequence(*numbers: range) -> bytes:
    """A sequence of ranges."""
    spans = [U64Segment.Range(start=each.start, end=each.stop) for each in numbers]
    return RowIdSequence(segments=[U64Segment(range=each) for each in spans]).SerializeToString()


def stable(folder: Path, *parts: tuple[list[int], bytes], **values: Any) -> lance.Dataset:
    """A dataset whose fragments have numbers and row ids."""
    fragments = [
        fragment(folder, number, len(rows), ([0], integers([X], rows)), inline_row_ids=ids)
        for number, (rows, ids) in enumerate(parts)
    ]
    flags = int(FeatureFlag.STABLE_ROW_IDS)
    given = {"reader_feature_flags": flags, "writer_feature_flags": flags, "next_row_id": 50}
    manifest = Manifest(version=1, fields=[X], fragments=fragments, **{**given, **values})
    manifest.data_format.file_format, manifest.data_format.version = "lance", "2.0"
    put_manifest(folder, manifest)
    return lance.open_dataset(folder)


@pytest.fixture
def dataset(tmp_path: Path) -> lance.Dataset:
    """A dataset of two fragments, whose ids do not ascend."""
    return stable(
        tmp_path, ([10, 11, 12], sequence(range(40, 42), range(3, 4))), ([13], sequence(range(1)))
    )


def test_ids_and_addresses_are_columns_if_asked_for(dataset: lance.Dataset) -> None:
    """A scan adds `_rowid` and `_rowaddr` after the other columns, for the rows it returns."""
    found = dataset.to_table(with_row_id=True, with_row_address=True)
    assert found.schema.names == ["x", "_rowid", "_rowaddr"]
    assert found.schema.field("_rowid").type == pa.uint64()
    assert found["_rowid"].to_pylist() == [40, 41, 3, 0]
    assert found["_rowaddr"].to_pylist() == [0, 1, 2, 1 << 32]
    some = dataset.scan([], filter=col("x") > 11, with_row_id=True).to_table()
    assert some.to_pydict() == {"_rowid": [3, 0]}
    part = dataset.scan(["x"], rows=range(1, 4), batch_size=2, with_row_id=True)
    assert part.take([0, 3])["_rowid"].to_pylist() == [40, 0]
    assert [each["_rowid"].to_pylist() for each in part.batches()] == [[41, 3], [0]]


def test_without_stable_ids_the_address_is_the_id(tmp_path: Path) -> None:
    """The id of a row that does not keep one is its address, deleted rows counted."""
    made = lance.write_dataset(tmp_path / "d", pa.table({"x": range(5)}), max_rows_per_file=3)
    found = made.delete([1]).to_table([], with_row_id=True, with_row_address=True)
    assert found["_rowid"].to_pylist() == [0, 2, 1 << 32, (1 << 32) + 1]
    assert found["_rowaddr"] == found["_rowid"]


def test_rows_are_taken_by_their_ids(dataset: lance.Dataset) -> None:
    """Rows come in the order of the ids, repeated if these are, and deleted ones are not found."""
    assert dataset.take_row_ids([0, 41, 0])["x"].to_pylist() == [13, 11, 13]
    assert dataset.take_row_ids(pa.array([3], pa.int8()), ["x"])["x"].to_pylist() == [12]
    assert dataset.take_row_ids([]).num_rows == 0
    after = dataset.delete([1])
    assert after.take_row_ids([3])["x"].to_pylist() == [12]
    with pytest.raises(FormatError, match=r"^/.*\d: ids: found 41, wanted the id of a r"):
        after.take_row_ids([3, 41])


@pytest.mark.parametrize("ids", [[-1], [None], ["x"], [1 << 64]])
def test_other_values_are_no_ids(dataset: lance.Dataset, ids: list[Any]) -> None:
    """Nulls, text and numbers beyond 64 bits are refused as ids."""
    with pytest.raises(FormatError, match=r"^/.*\d: ids: found "):
        dataset.take_row_ids(ids)


def test_new_rows_get_the_next_ids(dataset: lance.Dataset) -> None:
    """Appended rows have the ids from the next one on, and the version that they came with."""
    rows = pa.table({"x": [20, 21]})
    after = lance.write_dataset(dataset.folder.path, rows, mode="append", max_rows_per_file=1)
    assert after.to_table([], with_row_id=True)["_rowid"].to_pylist() == [40, 41, 3, 0, 50, 51]
    assert after.manifest.next_row_id == 52
    added = after.manifest.fragments[-1]
    for data in (added.inline_created_versions, added.inline_updated_versions):
        (run,) = RowDatasetVersionSequence.parse(data).runs
        assert (run.version, run.span.range.start, run.span.range.end) == (2, 0, 1)
    whole = lance.write_dataset(dataset.folder.path, rows, mode="overwrite")
    assert whole.to_table([], with_row_id=True)["_rowid"].to_pylist() == [52, 53]


def test_rows_keep_their_ids_when_columns_change(dataset: lance.Dataset) -> None:
    """Adding a column keeps the ids, and notes that all rows changed; dropping it keeps both."""
    after = dataset.add_columns(pa.table({"y": range(4)}))
    assert after.to_table(["y"], with_row_id=True)["_rowid"].to_pylist() == [40, 41, 3, 0]
    updated = after.manifest.fragments[0].inline_updated_versions
    assert [each.version for each in RowDatasetVersionSequence.parse(updated).runs] == [2]
    last = after.drop_columns(["y"])
    assert last.manifest.fragments[0].inline_updated_versions == updated
    assert last.take_row_ids([3])["x"].to_pylist() == [12]


def test_ids_may_be_in_a_file(tmp_path: Path) -> None:
    """Ids that are part of a file in the dataset's folder are read from there."""
    made = stable(tmp_path, ([7, 8], sequence(range(5, 7))))
    data = b"..." + made.manifest.fragments[0].inline_row_ids
    (tmp_path / "ids").write_bytes(data)
    places = [
        ("ids", 3, len(data) - 3, None),
        ("ids", 4, len(data) - 3, r"found bytes 4 to \d+, wanted a part of \d+ bytes$"),
        ("../ids", 3, 1, r"path: found ../ids, wanted a name in the dataset's folder$"),
        ("ids", 0, 1 << 40, r"size: found \d+, wanted at most 999 bytes \(limits.metadata_size\)"),
    ]
    for path, offset, size, problem in places:
        outside = ExternalFile(path=path, offset=offset, size=size)
        changed = Manifest()
        changed.CopyFrom(made.manifest)
        changed.fragments[0].external_row_ids.CopyFrom(outside)
        put_manifest(tmp_path, changed)
        scan = lance.open_dataset(tmp_path, limits=Limits(metadata_size=999)).scan(with_row_id=True)
        if problem is None:
            assert scan.to_table()["_rowid"].to_pylist() == [5, 6]
            continue
        wanted = LimitExceeded if "limits" in problem else FormatError
        with pytest.raises(wanted, match=problem):
            scan.to_table()


def arrays(**values: Any) -> bytes:
    """A sequence of one array."""
    found = EncodedU64Array(**values)
    return RowIdSequence(segments=[U64Segment(array=found)]).SerializeToString()


def ranged(kind: Any, name: str, **values: Any) -> bytes:
    """A sequence of one segment of this kind, which begins at 5."""
    segment = U64Segment(**{name: kind(start=5, **values)})
    return RowIdSequence(segments=[segment]).SerializeToString()


HOLE = EncodedU64Array(u16_array=EncodedU64Array.U16Array(base=9, offsets=b"\0\0"))


@pytest.mark.parametrize(
    ("ids", "problem"),
    [
        (sequence(range(1)), "inline_row_ids: found 1 row ids, wanted 2, one for each row"),
        (sequence(range(3)), "segments[0].range: found 3 numbers, wanted at most 2, one for each"),
        (sequence(range(1), range(2)), "segments[1].range: found 2 numbers, wanted at most 1, one"),
        (sequence(range(1 << 62)), f"range: found {1 << 62} numbers, wanted at most 2"),
        (ranged(U64Segment.Range, "range", end=4), "range.end: found 4, wanted 5 or more"),
        (
            ranged(U64Segment.RangeWithBitmap, "range_with_bitmap", end=14, bitmap=b"\3"),
            "range_with_bitmap.bitmap: found 1 bytes, wanted 2 for 9 numbers",
        ),
        (
            ranged(U64Segment.RangeWithBitmap, "range_with_bitmap", end=8, bitmap=b"\7"),
            "range_with_bitmap: found 3 numbers, wanted at most 2",
        ),
        (
            ranged(U64Segment.RangeWithHoles, "range_with_holes", end=9, holes=HOLE),
            "range_with_holes.holes: found 9 to 9, wanted numbers from 5 up to 9",
        ),
        (
            ranged(U64Segment.RangeWithHoles, "range_with_holes", end=10, holes=HOLE),
            "range_with_holes: found 5 numbers, wanted at most 3",
        ),
        (
            RowIdSequence(segments=[U64Segment()]).SerializeToString(),
            "[0]: found nothing, wanted a",
        ),
        (
            arrays(u64_array=EncodedU64Array.U64Array(values=bytes(9))),
            "array.u64_array: found 9 bytes, wanted a multiple of 8",
        ),
        (
            arrays(u16_array=EncodedU64Array.U16Array(base=(1 << 64) - 1, offsets=b"\0\0\1\0")),
            f"u16_array.base: found {(1 << 64) - 1}, wanted a sum of 64 bits with each offset",
        ),
        (
            arrays(u32_array=EncodedU64Array.U32Array(offsets=bytes(12))),
            "segments[0].array: found 3 numbers, wanted at most 2",
        ),
    ],
)
def test_damaged_ids_are_refused(tmp_path: Path, ids: bytes, problem: str) -> None:
    """A sequence that is damaged, or lacks an id for some row, is refused with its place."""
    made = stable(tmp_path, ([7, 8], ids))
    assert made.to_table()["x"].to_pylist() == [7, 8]
    with pytest.raises(ByteloomError, match=re.escape(problem)):
        made.to_table(with_row_id=True)


def test_missing_ids_and_taken_names_are_refused(tmp_path: Path) -> None:
    """Ids that flags promise and the fragment lacks are refused, as is a field of their name."""
    made = stable(tmp_path / "a", ([7], b""))
    made.manifest.fragments[0].ClearField("inline_row_ids")
    with pytest.raises(FormatError, match=r"row_id_sequence: found nothing, wanted row ids, by th"):
        made.to_table(with_row_id=True)
    named = lance.write_dataset(tmp_path / "b", pa.table({"_rowid": [1]}))
    assert named.to_table(with_row_address=True).schema.names == ["_rowid", "_rowaddr"]
    with pytest.raises(FormatError, match=r"columns: found _rowid, wanted a dataset without a fi"):
        named.scan(with_row_id=True)
