"""An audit finds data files that commits name and that are not there, each as one finding."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.support import hudi_indexed as parts
from tests.support.cli import byteloom
from tests.support.hudi_indexed import COLUMNS, FILE, FILE_ID, PARTITION, TIME, made

from byteloom import hudi
from byteloom.hudi import MetadataTable, audit

if TYPE_CHECKING:
    from pathlib import Path

LATER: Final = "20261121080000000"
NEWER: Final = f"{FILE_ID}_0-4-5_{LATER}.parquet"
LINE: Final = f"data: lost {PARTITION}/{FILE}: named by commit {TIME}, and not there"
SECONDARY: Final = "secondary_index_idx_rider"


def act(root: Path, action: str, content: dict[str, Any] | None) -> None:
    """Add a later instant to the timeline of the data; with None as its content, an empty file."""
    place = root / ".hoodie/timeline" / f"{LATER}_{LATER}5.{action}"
    place.write_text("" if content is None else json.dumps(content))


def write(root: Path, *names: str) -> None:
    """Commit that files were written."""
    written = [{"path": f"{PARTITION}/{name}"} for name in names]
    act(root, "commit", {"partitionToWriteStats": {PARTITION: written}})


def found(root: Path) -> list[str]:
    """Return the findings of an audit of all indexes, as text."""
    return [str(each) for each in audit(MetadataTable.open(root)).findings]


def test_a_lost_file_is_one_finding(root: Path) -> None:
    """A file that is missing is one finding; its records and its place in listings are none."""
    (root / PARTITION / FILE).unlink()
    result = audit(MetadataTable.open(root))
    assert [str(each) for each in result.findings] == [LINE]
    assert result.unread == {f"{PARTITION}/{FILE}"}
    reason = f"{SECONDARY}: not compared: the index: 1 file group could not be read"
    assert [str(each) for each in result.skipped] == [reason]


def test_the_command_line_reports_a_lost_file(root: Path) -> None:
    """`hudi verify` prints a line for a lost file, and ends with status 1."""
    (root / PARTITION / FILE).unlink()
    done = byteloom("hudi", "verify", root)
    assert (done.status, done.out.splitlines()[0]) == (1, LINE)
    assert done.err.splitlines()[-1] == "data: the records of 1 file were not compared"


def test_a_lost_partition_is_one_finding(root: Path) -> None:
    """A file whose folder is missing as well is one finding."""
    for each in (root / PARTITION).iterdir():
        each.unlink()
    (root / PARTITION).rmdir()
    assert found(root) == [LINE]


def test_a_lost_file_is_not_replaced_by_an_older_one(root: Path) -> None:
    """Where the newest base file is lost, indexes are not compared with the records before it."""
    raw = (root / PARTITION / FILE).read_bytes()
    write(root, NEWER)
    later = f"data: lost {PARTITION}/{NEWER}: named by commit {LATER}, and not there"
    assert found(root) == [later]
    (root / PARTITION / NEWER).write_bytes(raw)
    assert not any("lost" in line for line in found(root))


def test_a_log_file_may_be_lost(root: Path) -> None:
    """A log file that a commit names is lost as a base file is, and its slice is not compared."""
    log = f".{FILE_ID}_{LATER}.log.1_0-4-5"
    act(root, "deltacommit", {"partitionToWriteStats": {PARTITION: [{"path": f"p0/{log}"}]}})
    assert found(root) == [
        f"data: lost {PARTITION}/{log}: named by deltacommit {LATER}, and not there"
    ]


@pytest.mark.parametrize("instead", ["a newer file", "a clean", "a replacement", "a pending clean"])
def test_files_that_readers_do_not_need_are_not_lost(root: Path, instead: str) -> None:
    """A missing file that was superseded, cleaned or replaced is at most a stale entry."""
    path = root / PARTITION / FILE
    raw = path.read_bytes()
    path.unlink()
    if instead == "a newer file":
        (root / PARTITION / NEWER).write_bytes(raw)
        write(root, NEWER)
    elif instead == "a clean":
        cleaned = {"deletePathPatterns": [FILE], "successDeleteFiles": [FILE]}
        act(root, "clean", {"partitionMetadata": {PARTITION: cleaned}})
    elif instead == "a replacement":
        act(root, "replacecommit", {"partitionToReplaceFileIds": {PARTITION: [FILE_ID]}})
    else:
        plan = {"filePathsToBeDeletedPerPartition": {PARTITION: [{"filePath": f"/t/p0/{FILE}"}]}}
        place = root / ".hoodie/timeline" / f"{LATER}.clean.requested"
        place.write_text(json.dumps(plan))
    lines = found(root)
    assert not any(line.startswith("data: lost") for line in lines)
    assert any(line.startswith(f"files: stale {PARTITION}/{FILE}: ") for line in lines)


def test_a_file_of_no_bytes_was_not_written(root: Path) -> None:
    """A commit names the file of a task that wrote nothing, with 0 bytes: it is not lost."""
    written = [{"path": f"{PARTITION}/{NEWER}", "fileSizeInBytes": 0}]
    act(root, "commit", {"partitionToWriteStats": {PARTITION: written}})
    assert found(root) == []


def test_a_damaged_commit_is_one_finding(root: Path) -> None:
    """A commit that cannot be decoded is a finding, and indexes are still compared."""
    act(root, "commit", {"partitionToWriteStats": {PARTITION: 7}})
    name = f".hoodie/timeline/{LATER}_{LATER}5.commit"
    result = audit(MetadataTable.open(root))
    (line,) = map(str, result.findings)
    assert line.startswith(f"data: damaged {name}: found values of other types (TypeError")
    assert result.compared["record_index"] == len(parts.KEYS)


def test_an_empty_commit_wrote_nothing(root: Path) -> None:
    """A commit of 0 bytes names no files, and is no finding."""
    act(root, "commit", None)
    assert found(root) == []


def test_partitions_with_lost_files_are_not_compared(tmp_path: Path) -> None:
    """Statistics of a partition of which a file is lost are listed as not compared."""
    given = made()
    given.rows["partition_stats"] = {
        hudi.keys.partition_stats_key(each, PARTITION): parts.statistics(each, fileName=PARTITION)
        for each in COLUMNS
    }
    root = given.write(tmp_path)
    (root / PARTITION / FILE).unlink()
    result = audit(MetadataTable.open(root), ["partition_stats"])
    assert [str(each) for each in result.findings] == [LINE]
    (line,) = map(str, result.skipped)
    assert line == f"partition_stats: not compared: {PARTITION}: 1 file group could not be read"
