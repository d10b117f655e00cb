"""Properties and timelines of Hudi tables, and which instants count."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import fastavro
import pytest
from tests.support.hudi_tables import HudiTable, record

from byteloom.errors import FormatError, StorageError, Unsupported
from byteloom.hudi import MetadataTable
from byteloom.hudi.slices import data_file

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "00000000000000000"
TIMES = [f"2026010100000{n}000" for n in range(10)]


@pytest.fixture(params=[6, 8, 9])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> HudiTable:
    """Return a table of each version, with one completed instant only."""
    made = HudiTable(tmp_path / "table", request.param)
    made.base(FIRST, {"__all_partitions__": record(1, filesystemMetadata={})})
    return made


def done_file(table: HudiTable) -> Path:
    """Return the file that completes the rollback at `TIMES[4]`."""
    folder = table.root / ".hoodie" / ("" if table.version == 6 else "timeline")
    done = TIMES[4] if table.version == 6 else f"{TIMES[4]}_{TIMES[4]}5"
    return folder / f"{done}.rollback"


def valid(table: HudiTable) -> set[str]:
    """Return the times of the instants that count."""
    return set(MetadataTable.open(table.root).valid_instants)


def test_an_action_is_as_far_as_its_furthest_file(table: HudiTable) -> None:
    """An instant's state is that of its latest file; a commit completes a compaction."""
    table.instant(TIMES[1], of="data")
    table.instant(TIMES[2], "clean", of="data", completed=None)
    folder = table.root / ".hoodie" / ("" if table.version == 6 else "timeline")
    for action, completed in (("compaction", "commit"), ("logcompaction", "deltacommit")):
        table.instant(TIMES[3], action, of="data", completed=None)
        table.instant(TIMES[3], completed, of="data")
        (folder / f"{TIMES[3]}.{completed}.inflight").unlink()
    (folder / "nothing.of.this").write_text("")
    timeline = MetadataTable.open(table.root).timeline
    assert [(each.time, each.action, each.state) for each in timeline.instants] == [
        (TIMES[1], "deltacommit", "completed"),
        (TIMES[2], "clean", "inflight"),
        (TIMES[3], "commit", "completed"),
        (TIMES[3], "deltacommit", "completed"),
    ]
    assert [each.time for each in timeline.pending] == [TIMES[2]]


def test_instants_before_the_first_are_archived(table: HudiTable) -> None:
    """Instants before the first one in the timeline count as archived and completed."""
    table.instant(TIMES[5], "savepoint", of="data")
    table.instant(TIMES[6], of="data")
    timeline = MetadataTable.open(table.root).timeline
    assert timeline.has_completed(TIMES[4])
    assert timeline.completion_of(TIMES[4]) == TIMES[4]
    assert timeline.has_completed(TIMES[6])
    assert not timeline.has_completed(TIMES[7])
    assert timeline.completion_of(TIMES[7]) is None


@pytest.mark.parametrize("action", ["rollback", "restore", "clean"])
def test_only_instants_that_write_say_what_is_archived(table: HudiTable, action: str) -> None:
    """Instants before the first commit are archived, even after an older action that was kept."""
    table.instant(TIMES[1], action, of="data")
    table.instant(TIMES[3], of="data")
    timeline = MetadataTable.open(table.root).timeline
    assert timeline.has_completed(TIMES[2])
    assert not timeline.has_completed(TIMES[4])


def test_commits_after_one_with_a_savepoint_may_be_archived(table: HudiTable) -> None:
    """A savepoint keeps its own commit in the timeline, but no later one."""
    table.instant(TIMES[1], of="data")
    table.instant(TIMES[1], "savepoint", of="data")
    timeline = MetadataTable.open(table.root).timeline
    assert (timeline.has_completed(TIMES[0]), timeline.has_completed(TIMES[2])) == (True, False)
    table.instant(TIMES[3], of="data")
    timeline = MetadataTable.open(table.root).timeline
    assert timeline.has_completed(TIMES[2])
    assert not timeline.has_completed(TIMES[4])


def test_nothing_is_archived_before_what_is_pending(table: HudiTable) -> None:
    """Only instants before a pending compaction count as archived; it is not completed itself."""
    table.instant(TIMES[2], "compaction", of="data", completed=None)
    table.instant(TIMES[3], of="data")
    timeline = MetadataTable.open(table.root).timeline
    assert timeline.has_completed(TIMES[1])
    assert not timeline.has_completed(TIMES[2])


def test_completed_instants_count_and_pending_ones_do_not(table: HudiTable) -> None:
    """A completed instant of the metadata table counts unless it is pending in the data table."""
    table.instant(TIMES[1])
    table.instant(TIMES[2], of="metadata")
    table.instant(TIMES[2], of="data", completed=None)
    table.instant(TIMES[3], of="metadata")
    table.instant(TIMES[4], of="metadata", completed=None)
    assert valid(table) == {FIRST, TIMES[1], TIMES[3]}


def test_what_was_undone_counts(table: HudiTable) -> None:
    """Instants undone by rollbacks and restores of the data table count as valid."""
    table.instant(TIMES[1])
    table.instant(TIMES[4], "rollback", of="data", content={"commitsRollback": [TIMES[2]]})
    rollbacks = {TIMES[3]: [{"commitsRollback": [TIMES[3]]}]}
    table.instant(TIMES[5], "restore", of="data", content={"hoodieRestoreMetadata": rollbacks})
    table.instant(TIMES[6], "rollback", of="metadata")
    assert valid(table) == {FIRST, *TIMES[1:7]}


def test_what_was_undone_before_a_compaction_is_not_asked_for(table: HudiTable) -> None:
    """A rollback before the last compaction is not read: no log block of it can be left."""
    table.instant(TIMES[1])
    table.instant(TIMES[4], "rollback", of="data", content={"commitsRollback": [TIMES[2]]})
    table.instant(TIMES[5], "commit", of="metadata")
    assert valid(table) == {FIRST, TIMES[1], TIMES[4]}


def test_an_empty_rollback_is_known_by_its_request(table: HudiTable) -> None:
    """A rollback whose completed file is empty, after a crash, is read from its request."""
    table.instant(TIMES[1])
    table.instant(TIMES[4], "rollback", of="data", content={})
    done = done_file(table)
    done.write_bytes(b"")
    plan = f'{{"instantToRollback": {{"commitTime": "{TIMES[2]}"}}}}'
    (done.parent / f"{TIMES[4]}.rollback.requested").write_text(plan)
    assert valid(table) == {FIRST, TIMES[1], TIMES[2], TIMES[4]}


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"commitsRollback": 7}', "Obj\1\0\0"])
def test_a_damaged_rollback_is_an_error(table: HudiTable, content: str) -> None:
    """A rollback with invalid content is an error, since what it undid is unknown."""
    table.instant(TIMES[1])
    table.instant(TIMES[4], "rollback", of="data")
    done_file(table).write_text(content)
    with pytest.raises(FormatError, match="rollback"):
        valid(table)


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        ("hoodie.table.version=5", Unsupported, "hoodie.table.version: found 5, wanted one of 6"),
        ("hoodie.table.version=", Unsupported, "wanted one of 6, 8, 9"),
        ("hoodie.timeline.layout.version=7", FormatError, "found 7, wanted [12], in a table of v"),
    ],
)
def test_other_versions_are_refused(
    table: HudiTable, line: str, error: type[Exception], message: str
) -> None:
    """Unknown versions of tables and of timelines, and mismatched ones, are refused."""
    path = table.root / ".hoodie/hoodie.properties"
    path.write_text(f"{path.read_text()}\n{line}\n")
    with pytest.raises(error, match=message):
        MetadataTable.open(table.root)


def test_a_folder_without_a_table_is_an_error(tmp_path: Path) -> None:
    """A folder without `hoodie.properties` is a StorageError."""
    with pytest.raises(StorageError, match=r"hoodie\.properties"):
        MetadataTable.open(tmp_path)


def test_a_partition_that_is_not_there_is_an_error(table: HudiTable) -> None:
    """An unknown partition or file group is refused; the error lists those that exist."""
    opened = MetadataTable.open(table.root)
    with pytest.raises(FormatError, match=r"metadata\.partition: found no record_index, wanted"):
        list(opened.merged("record_index"))
    with pytest.raises(
        FormatError, match=r"files\.file_group: found x, wanted one of files-0000-0"
    ):
        list(opened.lookup("files", "x", []))


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("files-0000-0_8-356-827_2026.hfile", ("files-0000-0", "2026", 0, "8-356-827")),
        (".col-stats-0001-0_2026.log.12_1-2-3", ("col-stats-0001-0", "2026", 12, "1-2-3")),
        (".files-0000_2026.log.1", ("files-0000", "2026", 1, "")),
        (
            "record-index-a%5Fb%2Dc-0000-0_0-1-2_7.hfile",
            ("record-index-a%5Fb%2Dc-0000-0", "7", 0, "0-1-2"),
        ),
        (".hoodie_partition_metadata", None),
        ("files-0000-0_8-356-827_2026.parquet", None),
        (".files-0000-0_2026.log.1_0-3-4.crc", None),
    ],
)
def test_files_are_recognised_by_their_names(name: str, stated: Any) -> None:
    """A file name gives file group, instant, version and token; other names are ignored."""
    found = data_file(name, 1)
    assert stated == (found and (found.file_id, found.instant, found.version, found.token))


def test_listings_leave_out_what_is_deleted(tmp_path: Path) -> None:
    """Listings omit deleted files; an unpartitioned table has one partition with an empty name."""
    table = HudiTable(tmp_path / "table")
    there, gone = {"size": 5, "isDeleted": False}, {"size": 0, "isDeleted": True}
    rows = {
        "__all_partitions__": record(1, filesystemMetadata={".": there}),
        ".": record(2, filesystemMetadata={"a.parquet": there, "b.parquet": there}),
    }
    table.base(FIRST, rows)
    table.log(TIMES[1], {".": record(2, filesystemMetadata={"a.parquet": gone, "c": gone})})
    opened = MetadataTable.open(table.root)
    assert opened.partition_paths() == [""]
    assert opened.files("") == {"b.parquet": 5}
    assert opened.files("no/such") == {}


@pytest.mark.parametrize("codec", ["null", "deflate"])
def test_timelines_are_avro_without_a_codec(table: HudiTable, codec: str) -> None:
    """Avro files of a timeline are read without a codec; one with a codec is refused."""
    schema = {"type": "array", "items": "string"}
    field = {"name": "commitsRollback", "type": schema}
    out = io.BytesIO()
    named = {"type": "record", "name": "Rollback", "fields": [field]}
    fastavro.writer(out, named, [{"commitsRollback": [TIMES[2]]}], codec=codec)
    table.instant(TIMES[1])
    table.instant(TIMES[4], "rollback", of="data")
    done_file(table).write_bytes(out.getvalue())
    if codec == "null":
        assert valid(table) == {FIRST, TIMES[1], TIMES[2], TIMES[4]}
        return
    with pytest.raises(Unsupported, match=r"rollback: avro\.codec: found deflate, wanted null"):
        valid(table)


def test_a_schema_of_what_takes_no_bytes_is_refused(table: HudiTable) -> None:
    """A list of items that take no bytes is refused, since its length would be unbounded."""
    field = {"name": "commitsRollback", "type": {"type": "array", "items": "null"}}
    out = io.BytesIO()
    named = {"type": "record", "name": "Rollback", "fields": [field]}
    fastavro.writer(out, named, [{"commitsRollback": [None] * 1000}])
    table.instant(TIMES[1])
    table.instant(TIMES[4], "rollback", of="data")
    done_file(table).write_bytes(out.getvalue())
    with pytest.raises(
        FormatError, match=r"\.rollback: commitsRollback: found a list of items that take no bytes"
    ):
        valid(table)
