"""Deletion files of Lance datasets: the rows that they leave out, and damage that is refused."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyroaring import BitMap
from tests.support.lance_datasets import (
    arrow_file,
    fragment,
    integers,
    put_dataset,
    put_deletions,
    put_manifest,
)
from tests.support.lance_files import lance_field

from byteloom import lance
from byteloom.errors import (
    ByteloomError,
    FormatError,
    LimitExceeded,
    MissingFile,
    Unsupported,
)
from byteloom.limits import Limits
from byteloom_generated.lance.table import DeletionFile, Manifest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

X = lance_field("x", "int64")
ARROW, BITMAP = 0, 1


def dataset_of(folder: Path, deletions: DeletionFile, rows: int = 6) -> lance.Dataset:
    """A dataset of one fragment of rows 0, 1, ... of which some are deleted."""
    stored = fragment(folder, 3, rows, ([0], integers([X], range(rows))), deletion_file=deletions)
    return put_dataset(folder, [X], stored, version=2)


@pytest.mark.parametrize(
    ("kind", "data"),
    [(ARROW, arrow_file([4, 0])), (BITMAP, BitMap([0, 4]).serialize())],
    ids=["arrow", "bitmap"],
)
def test_deleted_rows_are_left_out(tmp_path: Path, kind: int, data: bytes) -> None:
    """Scans, ranges, batches and row numbers skip deleted rows and count only the others."""
    dataset = dataset_of(tmp_path, put_deletions(tmp_path, 3, data, kind, num_deleted_rows=2))
    live = [1, 2, 3, 5]
    assert (dataset.count(), dataset.to_table()["x"].to_pylist()) == (4, live)
    for start in range(5):
        for stop in range(start, 5):
            found = dataset.scan(rows=range(start, stop)).to_table()["x"].to_pylist()
            assert found == live[start:stop]
    assert [len(each) for each in dataset.scan(batch_size=3).batches()] == [3, 1]
    assert dataset.take([3, 0, 0])["x"].to_pylist() == [5, 1, 1]


@pytest.mark.parametrize(
    ("rows", "deleted", "kind"),
    [(9, [7], "arrow"), (100_001, [1, 100_000], "arrow"), (1000, range(0, 1000, 2), "bin")],
)
def test_positions_are_stored_in_fewer_bytes(
    rows: int, deleted: Sequence[int], kind: str, tmp_path: Path
) -> None:
    """A few positions are stored as numbers, many as a bitmap."""
    lance.write_dataset(tmp_path, pa.table({"x": range(rows)})).delete(deleted)
    (file,) = (tmp_path / "_deletions").iterdir()
    assert file.suffix == f".{kind}"


def test_a_run_of_positions_is_stored_as_such(tmp_path: Path) -> None:
    """Positions that follow each other take the bytes of two, however many they are."""
    lance.write_dataset(tmp_path, pa.table({"x": range(5001)})).delete(range(5, 5000))
    (file,) = (tmp_path / "_deletions").glob("*.bin")
    assert file.read_bytes() == bytes.fromhex("3b300000 01 0000 8213 0100 0500 8213")


def test_all_rows_may_be_deleted(tmp_path: Path) -> None:
    """A fragment whose rows are all deleted is read as no rows."""
    dataset = dataset_of(tmp_path, put_deletions(tmp_path, 3, arrow_file(range(6)), ARROW))
    assert (dataset.count(), dataset.to_table().num_rows) == (0, 0)


def test_early_manifests_leave_the_number_to_the_file(tmp_path: Path) -> None:
    """Where a manifest has no count of deleted rows, as through 0.8, the deletion file's counts."""
    assert dataset_of(tmp_path, put_deletions(tmp_path, 3, arrow_file([1]), ARROW)).count() == 5


@pytest.mark.parametrize(
    ("release", "is_relied_on"),
    [(None, False), ("0.8.14", False), ("0.8.15", True), ("0.10.0-beta.1", True), ("1", False)],
)
def test_rows_that_early_releases_noted_are_not_relied_on(
    tmp_path: Path, release: str | None, is_relied_on: bool
) -> None:
    """A row count in a manifest is checked only where release 0.8.15 or later wrote it."""
    stored = fragment(
        tmp_path,
        3,
        5,
        ([0], integers([X], range(6))),
        deletion_file=put_deletions(tmp_path, 3, arrow_file([1]), ARROW),
    )
    manifest = Manifest(version=2, fields=[X], fragments=[stored])
    if release is not None:
        manifest.writer_version.version = release
    put_manifest(tmp_path, manifest)
    dataset = lance.open_dataset(tmp_path)
    if is_relied_on:
        with pytest.raises(FormatError, match=r"found 6 rows in .*, wanted 5 \(physical_rows\)"):
            dataset.to_table()
        return
    assert dataset.to_table()["x"].to_pylist() == [0, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("kind", "data", "match"),
    [
        (ARROW, arrow_file([6]), r"row_id: found 6, wanted positions below 6"),
        (BITMAP, BitMap([6]).serialize(), r"row_id: found 6, wanted positions below 6"),
        (ARROW, arrow_file([1, None]), r"row_id: found 1 nulls, wanted none"),
        (ARROW, arrow_file([1], pa.int64()), r"schema: found int64, wanted one column of uint32"),
        (ARROW, b"", r"deletion_file: found an empty file, wanted an Arrow IPC file"),
        (
            ARROW,
            b"ARROW1\0\0",
            r"deletion_file: found an Arrow IPC file whose end is missing, want",
        ),
        (ARROW, b"ROW2ROW3", r"deletion_file: found b'W2ROW3' at its end, wanted an Arrow IPC f"),
        (ARROW, b"{}LANC", r"deletion_file: found a Lance file, wanted an Arrow IPC file"),
        (ARROW, b"ARROW1" + bytes(10) + b"ARROW1", r"deletion_file: found an unreadable file"),
        (BITMAP, b"", r"bitmap\.cookie at byte 0 .*: found 0 bytes left, wanted 4 bytes"),
        (BITMAP, BitMap([1]).serialize() + b"x", r"found 1 bytes after its end, wanted none"),
    ],
)
def test_damage_is_refused(tmp_path: Path, kind: int, data: bytes, match: str) -> None:
    """The error for a damaged deletion file names that file."""
    dataset = dataset_of(tmp_path, put_deletions(tmp_path, 3, data, kind))
    with pytest.raises(FormatError, match=rf"_deletions/3-1-7\..*{match}"):
        dataset.to_table()


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_a_file_that_would_grow_too_large_is_refused(tmp_path: Path, codec: str) -> None:
    """An Arrow file is refused by the sizes in it, before any of its buffers is decompressed."""
    schema = pa.schema([pa.field("row_id", pa.uint32())])
    out = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.ipc.new_file(out, schema, options=options) as writer:
        for _ in range(2):
            writer.write(pa.record_batch([pa.array(range(1000), pa.uint32())], schema))
    data = out.getvalue().to_pybytes()
    dataset_of(tmp_path, put_deletions(tmp_path, 3, data, ARROW), 1001)
    for most, problem in [
        (7999, r"found 8000 bytes of positions, wanted at most 7999 \(limits.decompressed_size\)"),
        (8000, None),
    ]:
        dataset = lance.open_dataset(tmp_path, limits=Limits(decompressed_size=most))
        if problem is None:
            assert dataset.to_table()["x"].to_pylist() == [1000]
            continue
        with pytest.raises(LimitExceeded, match=rf"3-1-7.arrow: deletion_file: {problem}"):
            dataset.to_table()
    bomb = data.replace((4000).to_bytes(8, "little"), (1 << 62).to_bytes(8, "little"))
    assert bomb != data
    (tmp_path / "_deletions/3-1-7.arrow").write_bytes(bomb)
    with pytest.raises(LimitExceeded, match=rf"found {1 << 63} bytes of positions"):
        lance.open_dataset(tmp_path).to_table()


@pytest.mark.parametrize(("noted", "found"), [(2, 1), (1, 2)])
def test_a_number_that_is_not_that_of_the_file_is_refused(
    tmp_path: Path, noted: int, found: int
) -> None:
    """A count of deleted rows that differs from the deletion file's is refused."""
    data = arrow_file(range(found))
    dataset = dataset_of(tmp_path, put_deletions(tmp_path, 3, data, ARROW, num_deleted_rows=noted))
    with pytest.raises(FormatError, match=rf"row_id: found {found} rows, wanted {noted} "):
        dataset.to_table()


def test_more_deleted_rows_than_there_are_is_refused(tmp_path: Path) -> None:
    """More deleted rows than rows are refused before the deletion file is read."""
    stored = DeletionFile(read_version=1, id=7, num_deleted_rows=7)
    with pytest.raises(
        FormatError, match=r"fragments\[0\]\.deletion_file\.num_deleted_rows: found 7"
    ):
        dataset_of(tmp_path, stored).count()


def test_an_unknown_type_is_refused(tmp_path: Path) -> None:
    """The error for an unknown type of deletion file shows its number."""
    stored = DeletionFile.parse(b"\x08\x02")
    with pytest.raises(Unsupported, match=r"deletion_file\.file_type: found 2, wanted an Arrow"):
        dataset_of(tmp_path, stored).to_table()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The error names a missing deletion file, whose name has fragment, version and id."""
    with pytest.raises(MissingFile, match=r"_deletions/3-1-7\.arrow"):
        dataset_of(tmp_path, DeletionFile(read_version=1, id=7)).to_table()


@pytest.mark.parametrize(
    ("kind", "data"),
    [(ARROW, arrow_file([4, 0])), (BITMAP, BitMap([0, 4]).serialize())],
    ids=["arrow", "bitmap"],
)
def test_flipped_bits_are_refused_or_change_positions(
    tmp_path: Path, kind: int, data: bytes
) -> None:
    """A flipped bit in a deletion file raises a `ByteloomError` or changes rows, nothing else."""
    stored: Any = put_deletions(tmp_path, 3, data, kind)
    dataset_of(tmp_path, stored)
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        put_deletions(tmp_path, 3, bytes(damaged), kind)
        try:
            lance.open_dataset(tmp_path).to_table()
        except ByteloomError:
            continue


def test_a_bitmap_of_more_rows_than_there_are_takes_no_room(tmp_path: Path) -> None:
    """A bitmap of all 32-bit positions is refused before its positions are listed."""
    everything = BitMap()
    everything.add_range(0, 1 << 32)
    everything.run_optimize()
    stored = put_deletions(tmp_path, 3, everything.serialize(), BITMAP)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=r"row_id: found 4294967295, wanted positions below"):
            dataset_of(tmp_path, stored).to_table()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1 << 28
