"""Versions of Lance datasets that several processes write: one appears, with the rows of all."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.lance_tables import difference

from byteloom import lance
from byteloom.errors import CommitConflict, FormatError, StorageError, Unsupported
from byteloom.lance import begin_write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from byteloom.lance import DatasetWrite


def rows(start: int, stop: int) -> pa.Table:
    """Numbered rows."""
    return pa.table({"id": pa.array(range(start, stop), pa.int64())})


def elsewhere(job: DatasetWrite) -> DatasetWrite:
    """The job as another process receives it."""
    copy: DatasetWrite = pickle.loads(pickle.dumps(job))  # noqa: S301  our own bytes
    return copy


def data_files(place: Path) -> list[str]:
    """The names of all data files."""
    return sorted(each.name for each in (place / "data").iterdir())


def test_several_processes_write_one_version(tmp_path: Path) -> None:
    """One commit makes one version of all parts, its rows in the order of the fragments given."""
    place = tmp_path / "a"
    job = begin_write(place, rows(0, 0).schema, max_rows_per_file=40)
    assert not place.exists()
    parts = [elsewhere(job).write(rows(start, start + 50)) for start in (0, 50)]
    assert [len(each) for each in parts] == [2, 2]
    assert not (place / "_versions").exists()
    dataset = elsewhere(job).commit([*parts[1], *parts[0]])
    assert dataset.versions == [1]
    expected = pa.concat_tables([rows(50, 100), rows(0, 50)])
    assert difference(dataset.to_table(), expected) is None
    assert [each.id for each in dataset.fragments] == [0, 1, 2, 3]


def test_rows_that_are_not_committed_are_swept_away(tmp_path: Path) -> None:
    """A sweep removes the job's uncommitted files, and no file of a version or another job."""
    place = tmp_path / "a"
    lance.write_dataset(place, rows(0, 5))
    (first,) = data_files(place)
    job = begin_write(place, rows(0, 0).schema, mode="append")
    kept, _twice = (elsewhere(job).write(rows(5, 9)) for _ in range(2))
    (place / "data" / f".{job.job}1.lance.0.tmp").write_bytes(b"cut off")
    job.commit(kept)
    elsewhere(job).sweep()
    assert len(data_files(place)) == 2
    assert first in data_files(place)
    assert difference(lance.open_dataset(place).to_table(), rows(0, 9)) is None
    job.sweep()
    assert len(data_files(place)) == 2


def test_a_job_that_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    """Sweeping an uncommitted job leaves no version, no data file and no empty folder."""
    for place, mode in ((tmp_path / "new", "create"), (tmp_path / "old", "overwrite")):
        if mode == "overwrite":
            lance.write_dataset(place, rows(0, 5))
        job = begin_write(place, rows(0, 0).schema, mode=mode)
        job.write(rows(0, 9))
        job.sweep()
        if mode == "overwrite":
            assert len(data_files(place)) == 1
    assert list((tmp_path / "new").iterdir()) == []
    assert lance.open_dataset(tmp_path / "old").versions == [1]
    with pytest.raises(FormatError, match="found no Lance dataset"):
        lance.open_dataset(tmp_path / "new")


def test_a_version_of_the_job_keeps_its_rows_when_another_follows(tmp_path: Path) -> None:
    """A sweep keeps the job's files where only an older version still refers to them."""
    place = tmp_path / "a"
    job = begin_write(place, rows(0, 0).schema)
    dataset = job.commit(job.write(rows(0, 9)))
    lance.write_dataset(place, rows(9, 12), mode="overwrite")
    job.sweep()
    assert difference(lance.open_dataset(place, version=1).to_table(), rows(0, 9)) is None
    assert dataset.version == 1


def test_a_dataset_created_meanwhile_is_a_conflict(tmp_path: Path) -> None:
    """A commit that finds a new dataset fails, and removes the files of its own job only."""
    place = tmp_path / "a"
    job = begin_write(place, rows(0, 0).schema)
    written = job.write(rows(0, 9))
    lance.write_dataset(place, rows(0, 3))
    with pytest.raises(CommitConflict, match=r"1\.manifest: another writer created it first|614"):
        job.commit(written)
    assert difference(lance.open_dataset(place).to_table(), rows(0, 3)) is None
    assert len(data_files(place)) == 1


def test_rows_of_other_columns_are_refused(tmp_path: Path) -> None:
    """Rows of other columns are refused, when a job begins or writes, and leave no file."""
    place = tmp_path / "a"
    lance.write_dataset(place, rows(0, 3))
    with pytest.raises(FormatError, match=r"^rows: found columns other, wanted some of id$"):
        begin_write(place, pa.schema([("other", pa.int64())]), mode="append")
    job = begin_write(place, rows(0, 0).schema, mode="append")
    with pytest.raises(FormatError, match=r"^rows: found columns x, wanted id$"):
        job.write([*rows(0, 3).to_batches(), *pa.table({"x": [1]}).to_batches()])
    assert len(data_files(place)) == 1


def test_a_first_version_that_fails_leaves_no_folder_of_rows(tmp_path: Path) -> None:
    """A first write whose source of rows fails leaves the dataset's folder empty."""

    def batches() -> Iterator[pa.RecordBatch]:
        yield from rows(0, 9).to_batches()
        raise OSError("gone")

    reader = pa.RecordBatchReader.from_batches(rows(0, 0).schema, batches())
    with pytest.raises(OSError, match="gone"):
        lance.write_dataset(tmp_path / "a", reader)
    assert list((tmp_path / "a").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """The error for a folder that cannot be created names the folder."""
    (tmp_path / "file").write_bytes(b"")
    job = begin_write(tmp_path / "file/a", rows(0, 0).schema)
    with pytest.raises(StorageError, match="file/a"):
        job.write(rows(0, 3))


@pytest.mark.parametrize("mode", ["create", "overwrite"])
def test_a_type_that_is_not_written_is_refused_before_the_first_task(
    mode: str, tmp_path: Path
) -> None:
    """A type that the version cannot store is refused when the job begins."""
    schema = pa.schema([("c", pa.map_(pa.string(), pa.int8()))])
    with pytest.raises(Unsupported, match=r"schema\.c: found map<.*version 2\.1"):
        begin_write(tmp_path / "a", schema, mode=mode, version="2.1")
    assert begin_write(tmp_path / "a", schema, mode=mode, version="2.2").version == "2.2"
