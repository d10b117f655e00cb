"""Lance datasets of releases 0.19.2 to 0.39, some of whose columns are in a dataset of blobs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.lance_datasets import (
    arrow_file,
    fragment,
    integers,
    manifest_bytes,
    put_dataset,
    put_deletions,
    put_manifest,
)
from tests.support.lance_files import lance_field, lance_file
from tests.support.lance_findings import changed_columns
from tests.support.lance_pages import binary, ends, page

from byteloom import lance
from byteloom.errors import FormatError, StorageError, Unsupported
from byteloom_generated.lance.rowids import RowIdSequence, U64Segment
from byteloom_generated.lance.table import FeatureFlag, Manifest

if TYPE_CHECKING:
    from pathlib import Path

X = lance_field("x", "int64", storage_class="default")
B = lance_field("b", "large_binary", 1, storage_class="blob")
IDS = int(FeatureFlag.STABLE_ROW_IDS)
DETACHED = 1 << 63


def row_ids(*ids: int) -> bytes:
    """A sequence of row ids, each in a segment of its own."""
    spans = [U64Segment.Range(start=each, end=each + 1) for each in ids]
    return RowIdSequence(segments=[U64Segment(range=each) for each in spans]).SerializeToString()


def blobs(*pages: list[bytes]) -> bytes:
    """A file of version 2.0 that has a column of bytes, with these pages."""
    stored = []
    for values in pages:
        sizes = [sum(map(len, values[: at + 1])) for at in range(len(values))]
        data = b"".join(values)
        stored.append(page(len(values), binary(len(data)), ends(*sizes), data))
    return lance_file([B], [stored], rows=sum(map(len, pages)))


def put(folder: Path, version: int, parts: list[Any], **values: Any) -> None:
    """Put a version of a dataset: integers from 0 on as `x`, and the row ids of each fragment."""
    stored, first = [], 0
    for number, ids in enumerate(parts):
        data = integers([X], list(range(first, first + len(ids))))
        given: dict[str, Any] = {"inline_row_ids": row_ids(*ids)}
        stored.append(fragment(folder, number, len(ids), ([0], data), **given))
        first += len(ids)
    given = {"reader_feature_flags": IDS, "writer_feature_flags": IDS, "next_row_id": 1000}
    fields = [X, B]
    put_dataset(
        folder, fields, *stored, data_version="2.0", **{**given, "version": version, **values}
    )


def put_blobs(folder: Path, version: int, *parts: tuple[list[list[bytes]], list[int]]) -> Path:
    """Put a version of the dataset of blobs: pages and row ids of each fragment."""
    root = folder / "_blobs"
    fragments = [
        fragment(root, number, len(ids), ([1], blobs(*pages)), inline_row_ids=row_ids(*ids))
        for number, (pages, ids) in enumerate(parts)
    ]
    manifest = Manifest(version=version, fields=[B], fragments=fragments, reader_feature_flags=IDS)
    if version < DETACHED:
        return put_manifest(root, manifest, newest_first=False)
    place = root / "_versions" / f"d{version}.manifest"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(manifest_bytes(manifest))
    return place


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A dataset of two versions, of which the second has two rows more."""
    put_blobs(tmp_path, 1, ([[b"a", b"bb"], [b"ccc"]], [0, 1, 2]))
    put_blobs(
        tmp_path, DETACHED + 5, ([[b"a", b"bb"], [b"ccc"]], [0, 1, 2]), ([[b"dd", b""]], [3, 4])
    )
    put(tmp_path, 1, [[0, 1, 2]], blob_dataset_version=1)
    put(tmp_path, 2, [[0, 1, 2], [3, 4]], blob_dataset_version=DETACHED + 5)
    return tmp_path


def test_rows_have_the_values_of_the_dataset_of_blobs(place: Path) -> None:
    """Rows of both datasets match by their ids, in all fragments."""
    wanted = {"x": [0, 1, 2, 3, 4], "b": [b"a", b"bb", b"ccc", b"dd", b""]}
    dataset = lance.open_dataset(place)
    assert dataset.to_table().to_pydict() == wanted
    assert pa.table(dataset).to_pydict() == wanted
    assert dataset.to_table(["b"]).to_pydict() == {"b": wanted["b"]}


def test_each_version_has_the_blobs_of_the_version_that_it_names(place: Path) -> None:
    """A manifest names a version of the dataset of blobs, a numbered or a detached one."""
    first = lance.open_dataset(place, version=1)
    assert first.to_table().to_pydict() == {"x": [0, 1, 2], "b": [b"a", b"bb", b"ccc"]}


def test_blobs_are_taken_filtered_and_read_in_batches(place: Path) -> None:
    """All ways to read rows give the same blobs."""
    dataset = lance.open_dataset(place)
    assert dataset.take([4, 1, 1], ["b"]).to_pydict() == {"b": [b"", b"bb", b"bb"]}
    assert dataset.take_row_ids([3], ["b"]).to_pydict() == {"b": [b"dd"]}
    assert dataset.to_table(["x"], filter="b = X'6262'").to_pydict() == {"x": [1]}
    assert dataset.to_table(["b"], filter="x > 2").to_pydict() == {"b": [b"dd", b""]}
    batches = dataset.scan(["b"], rows=range(1, 4), batch_size=1).batches()
    assert [each["b"].to_pylist() for each in batches] == [[b"bb"], [b"ccc"], [b"dd"]]


def test_a_page_of_blobs_is_read_at_a_time(place: Path) -> None:
    """A batch is read before the next page of blobs, so that few of them are in memory."""
    file = place / "_blobs" / "data" / "0-0.lance"

    def cut(columns: list[Any]) -> None:
        columns[0].pages[1].buffer_sizes[0] = 0

    file.write_bytes(changed_columns(file.read_bytes(), cut))
    batches = lance.open_dataset(place).scan(["b"], batch_size=2).batches()
    assert next(batches)["b"].to_pylist() == [b"a", b"bb"]
    with pytest.raises(FormatError, match=re.escape(f"{file}: ")):
        next(batches)


def test_ids_need_not_ascend(tmp_path: Path) -> None:
    """Rows may be in another order than their blobs, and in any of the fragments of these."""
    put_blobs(tmp_path, 1, ([[b"a", b"b"]], [7, 3]), ([], []), ([[b"c"]], [5]))
    put(tmp_path, 1, [[5, 7], [3]], blob_dataset_version=1)
    dataset = lance.open_dataset(tmp_path)
    assert dataset.to_table(["b"])["b"].to_pylist() == [b"c", b"a", b"b"]
    assert dataset.take([2, 0], ["b"])["b"].to_pylist() == [b"b", b"c"]


def test_deleted_rows_need_no_blobs(tmp_path: Path) -> None:
    """Rows that are deleted have none of their blobs read, nor do they need any."""
    put_blobs(tmp_path, 1, ([[b"a", b"c"]], [0, 2]))
    deleted = put_deletions(tmp_path, 0, arrow_file([1]), 0, num_deleted_rows=1)
    data = integers([X], [0, 1, 2])
    given = {"inline_row_ids": row_ids(0, 1, 2), "deletion_file": deleted}
    rows = fragment(tmp_path, 0, 3, ([0], data), **given)
    flags = IDS | int(FeatureFlag.DELETION_FILES)
    values: dict[str, Any] = {"reader_feature_flags": flags, "blob_dataset_version": 1}
    table = put_dataset(tmp_path, [X, B], rows, **values).to_table()
    assert table.to_pydict() == {"x": [0, 2], "b": [b"a", b"c"]}


def test_a_row_without_a_blob_is_refused(tmp_path: Path) -> None:
    """A row whose id the dataset of blobs does not have is refused; other columns are read."""
    put_blobs(tmp_path, 1, ([[b"a"]], [0]))
    put(tmp_path, 1, [[0, 1]], blob_dataset_version=1)
    dataset = lance.open_dataset(tmp_path)
    assert dataset.to_table(["x"])["x"].to_pylist() == [0, 1]
    found = r"manifest\.b: found no value for the row with the id 1, wanted one in the dataset "
    with pytest.raises(FormatError, match=found + re.escape(f"{tmp_path}/_blobs")):
        dataset.to_table()


@pytest.mark.parametrize("version", [0, 2, DETACHED])
def test_a_version_of_blobs_that_is_not_there_is_refused(place: Path, version: int) -> None:
    """A manifest that names no version of the dataset of blobs is refused, if blobs are wanted."""
    put(place, 3, [[0, 1]], blob_dataset_version=version)
    dataset = lance.open_dataset(place)
    assert dataset.to_table(["x"])["x"].to_pylist() == [0, 1]
    wanted = rf"manifest\.blob_dataset_version: found {version}, wanted a version of the dataset "
    with pytest.raises(FormatError, match=wanted):
        dataset.to_table()


def test_a_dataset_of_blobs_that_is_gone_is_named(place: Path) -> None:
    """Where the folder of blobs is gone, the error says so."""
    (place / "_blobs" / "_versions" / "1.manifest").unlink()
    (place / "_blobs" / "_versions" / f"d{DETACHED + 5}.manifest").unlink()
    dataset = lance.open_dataset(place, version=1)
    with pytest.raises((FormatError, StorageError), match="_blobs"):
        dataset.to_table()


def test_blobs_have_none_of_their_own(tmp_path: Path) -> None:
    """A dataset of blobs that itself refers to blobs is refused, however deep these go."""
    (tmp_path / "_blobs").mkdir()
    (tmp_path / "_blobs" / "_blobs").symlink_to(tmp_path / "_blobs")
    for folder in (tmp_path, tmp_path / "_blobs"):
        put(folder, 1, [[0]], blob_dataset_version=1)
    with pytest.raises(FormatError, match=r"blob_dataset_version: found 0, wanted a version"):
        lance.open_dataset(tmp_path).to_table()


def test_errors_in_blobs_name_their_file(place: Path) -> None:
    """Damage to a file of blobs is reported with the name of that file."""
    file = place / "_blobs" / "data" / "1-0.lance"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(FormatError, match=re.escape(f"{file}: ")):
        lance.open_dataset(place).to_table()


@pytest.mark.parametrize(
    ("release", "is_read"),
    [("0.18.9", True), ("0.19.0", False), ("0.31.99", False), ("0.32.0", True)],
)
def test_releases_that_leave_blobs_out_of_scans_want_names(
    place: Path, release: str, *, is_read: bool
) -> None:
    """Releases 0.19 to 0.31 scan no blobs, so that a scan of all columns has to name them."""
    writer = Manifest.WriterVersion(library="lance", version=release)
    put(place, 3, [[0, 1]], blob_dataset_version=1, writer_version=writer)
    dataset = lance.open_dataset(place)
    assert dataset.to_table(["x", "b"])["b"].to_pylist() == [b"a", b"bb"]
    if is_read:
        assert dataset.to_table()["b"].to_pylist() == [b"a", b"bb"]
        return
    found = rf"columns: found none named, wanted names of columns: release {release} keeps b in "
    with pytest.raises(Unsupported, match=found):
        dataset.to_table()
    assert dataset.count() == dataset.count(filter="b is not null") == 2


def test_rows_are_not_appended_beside_a_dataset_of_blobs(place: Path) -> None:
    """Appending rows is refused, as their blobs would be elsewhere than all others."""
    more = lance.open_dataset(place, version=1).to_table()
    with pytest.raises(Unsupported, match=r"manifest\.blob_dataset_version: found blobs in a data"):
        lance.write_dataset(place, more, mode="append")


def test_an_overwritten_dataset_has_no_blobs_elsewhere(place: Path) -> None:
    """A version that replaces all rows names no dataset of blobs."""
    dataset = lance.write_dataset(place, pa.table({"b": [b"z"]}), mode="overwrite")
    assert dataset.to_table().to_pydict() == {"b": [b"z"]}
    assert dataset.manifest.blob_dataset_version == 0


def test_rows_of_a_dataset_with_blobs_are_deleted(place: Path) -> None:
    """Other changes keep the blobs: deleted rows, added and dropped columns."""
    dataset = lance.open_dataset(place).delete(filter="b = X'6262'")
    dataset = dataset.add_columns(pa.table({"y": [9, 8, 7, 6]}))
    wanted = {"x": [0, 2, 3, 4], "b": [b"a", b"ccc", b"dd", b""], "y": [9, 8, 7, 6]}
    assert dataset.to_table().to_pydict() == wanted
    assert dataset.drop_columns(["x", "y"]).to_table().to_pydict() == {"b": wanted["b"]}
