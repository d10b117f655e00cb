"""Streams of what is committed to an Iceberg table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.iceberg_writer import FolderCatalog
from tests.support.spark_sources import plain_errors, registered

from byteloom.errors import FormatError
from byteloom.iceberg import open_table

NAME = "byteloom.iceberg"


def _rows(*ids: int) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64())})


class _Grown:
    """A table of four appends, of 1, 2, 3 and 4 rows; the fifth snapshot removes two of them."""

    def __init__(self, folder: Path) -> None:
        self.place = str(folder / "t")
        self.made = FolderCatalog(folder).create("t", _rows().schema)
        for ids in ((0,), (1, 2), (3, 4, 5), (6, 7, 8, 9)):
            self.made.append(_rows(*ids))
        self.ids = [each.snapshot_id for each in open_table(self.place).snapshots]

    def delete(self) -> None:
        """Remove the rows 1 and 7, which rewrites their files."""
        self.made.delete("id in (1, 7)")
        self.ids = [each.snapshot_id for each in open_table(self.place).snapshots]

    def expire(self, kept: int) -> None:
        """Remove all but some snapshots, which still name their parents, as Java leaves them."""
        path = Path(self.made.metadata_location.removeprefix("file://"))
        document = json.loads(path.read_text("utf-8"))
        document["snapshots"] = document["snapshots"][-kept:]
        ids = {each["snapshot-id"] for each in document["snapshots"]}
        log = document["snapshot-log"]
        document["snapshot-log"] = [each for each in log if each["snapshot-id"] in ids]
        path.write_text(json.dumps(document), "utf-8")

    def forget_summaries(self) -> None:
        """Reduce the summaries of all snapshots to what the format requires."""
        path = Path(self.made.metadata_location.removeprefix("file://"))
        document = json.loads(path.read_text("utf-8"))
        for each in document["snapshots"]:
            each["summary"] = {"operation": each["summary"]["operation"]}
        path.write_text(json.dumps(document), "utf-8")

    def reader(self, **options: str) -> Any:
        """The reader of a stream that Spark would get from the source."""
        source = registered("byteloom.iceberg")({"path": self.place, **options})
        return source.streamReader(source.schema())

    def rows(self, reader: Any, start: int, end: int) -> list[Any]:
        """The rows of a batch."""
        parts = reader.partitions({"snapshot": start}, {"snapshot": end})
        batches = [batch for each in parts for batch in reader.read(each)]
        found = [row for batch in batches for row in batch.to_pylist()]
        return sorted(tuple(each.values())[:2] if len(each) > 1 else each["id"] for each in found)


@pytest.fixture
def grown(tmp_path: Path) -> _Grown:
    """A table to read a stream of."""
    return _Grown(tmp_path)


def _all() -> Any:
    from pyspark.sql.streaming.datasource import ReadAllAvailable

    return ReadAllAvailable()


def test_a_stream_begins_with_the_table(grown: _Grown) -> None:
    """The first batch has all present rows, the next one the added rows, and then none comes."""
    grown.delete()
    reader = grown.reader()
    begin = reader.initialOffset()
    first = reader.latestOffset(begin, _all())
    assert (begin, first) == ({"snapshot": -1}, {"snapshot": grown.ids[-1]})
    assert grown.rows(reader, -1, grown.ids[-1]) == [0, 2, 3, 4, 5, 6, 8, 9]
    assert reader.latestOffset(first, _all()) == first
    assert reader.partitions(first, first) == []
    grown.made.append(_rows(10))
    second = reader.latestOffset(first, _all())
    assert grown.rows(reader, first["snapshot"], second["snapshot"]) == [10]
    assert reader.reportLatestOffset() == second


def test_a_stream_of_what_is_yet_to_come(grown: _Grown) -> None:
    """A stream can start with the latest snapshot, or after a named one."""
    assert grown.reader(starting="latest").initialOffset() == {"snapshot": grown.ids[-1]}
    reader = grown.reader(starting=str(grown.ids[1]))
    assert reader.initialOffset() == {"snapshot": grown.ids[1]}
    end = reader.latestOffset(reader.initialOffset(), _all())
    assert grown.rows(reader, grown.ids[1], end["snapshot"]) == [3, 4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("has_summaries", [True, False])
@pytest.mark.parametrize(
    ("limits", "batches"),
    [
        ({"max_rows": "1"}, [1, 2, 3, 4]),
        ({"max_rows": "3"}, [2, 3, 4]),
        ({"max_rows": "5"}, [2, 3, 4]),
        ({"max_rows": "6"}, [3, 4]),
        ({"max_rows": "9"}, [3, 4]),
        ({"max_rows": "10"}, [4]),
        ({"max_files": "3"}, [3, 4]),
        ({"max_bytes": "1"}, [1, 2, 3, 4]),
        ({"max_bytes": "1m"}, [4]),
        ({}, [4]),
    ],
)
def test_batches_are_as_large_as_options_allow(
    grown: _Grown, limits: dict[str, str], batches: list[int], has_summaries: bool
) -> None:
    """A batch ends at the last snapshot that fits the limits, or at the first one.

    How much a snapshot added is counted from its manifests where its summary lacks it.
    """
    if not has_summaries:
        grown.forget_summaries()
    reader = grown.reader(starting="earliest", **limits)
    offset, ends = reader.initialOffset(), []
    while (after := reader.latestOffset(offset, reader.getDefaultReadLimit())) != offset:
        ends.append(grown.ids.index(after["snapshot"]) + 1)
        offset = after
    assert ends == batches


def test_everything_is_read_that_was_there_when_the_query_began(grown: _Grown) -> None:
    """With the trigger "available now", rows that are committed later are not read."""
    reader = grown.reader()
    reader.prepareForTriggerAvailableNow()
    grown.made.append(_rows(10))
    assert reader.latestOffset({"snapshot": -1}, _all()) == {"snapshot": grown.ids[3]}
    assert reader.latestOffset({"snapshot": grown.ids[3]}, _all()) == {"snapshot": grown.ids[3]}


def test_a_changelog_has_what_came_and_went(grown: _Grown) -> None:
    """A changelog has every inserted and deleted row since the first snapshot."""
    grown.delete()
    reader = grown.reader(changes="all", columns="id,_change_type")
    end = reader.latestOffset(reader.initialOffset(), _all())["snapshot"]
    found = grown.rows(reader, -1, end)
    assert [each for each, change in found if change == "INSERT"][:3] == [0, 1, 2]
    gone = [each for each, change in found if change == "DELETE"]
    back = [each for each in {each for each, _ in found} if found.count((each, "INSERT")) > 1]
    assert sorted(set(gone) - set(back)) == [1, 7]


def test_deleted_rows_are_not_passed_over_in_silence(grown: _Grown) -> None:
    """A stream of appends refuses a snapshot that deletes, unless ``others`` is ``skip``."""
    grown.delete()
    first, last = grown.ids[3], grown.ids[-1]
    reader = grown.reader(starting="earliest")
    message = rf"^snapshot {grown.ids[4]}: found '\w+', wanted an append; others=skip ignores it"
    with pytest.raises(FormatError, match=message):
        reader.partitions({"snapshot": first}, {"snapshot": last})
    assert grown.rows(grown.reader(starting="earliest", others="skip"), first, last) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_rows": "1", "max_files": "1"}, r"option max_files: found 1, wanted max_rows alone"),
        (
            {"snapshot": "first"},
            r"option snapshot: found \d+, wanted nothing: a stream reads what is committed later",
        ),
        ({"changes": "all", "starting": "table"}, r"option starting: found 'table', wanted earl"),
        ({"max_rows": "0"}, r"option max_rows: found '0', wanted a whole number, 1 or more"),
        ({"max_files": "-1"}, r"option max_files: found '-1', wanted a whole number, 1 or more"),
    ],
)
def test_options_that_a_stream_cannot_have_are_refused(
    grown: _Grown, options: dict[str, str], message: str
) -> None:
    """Options that a stream cannot have are refused when it is planned."""
    if "snapshot" in options:
        options = {"snapshot": str(grown.ids[0])}
    with pytest.raises(FormatError, match=message):
        grown.reader(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_files": "1"}, r"max_files: found 1, wanted nothing: it is an option of streams"),
        ({"starting": "earliest"}, r"starting: found 'earliest', wanted nothing without the opti"),
        ({"changes": "all", "ref": "main"}, r"ref: found 'main', wanted nothing: changes go up to"),
        ({"changes": "all", "as_of": "2024-05-01"}, r"as_of: found '2024-05-01', wanted nothing: "),
        ({"changes": "all", "starting": "latest"}, r"starting: found 'latest', wanted earliest or"),
        ({"metadata_table": "files", "filter": "id = 1"}, r"filter: found 'id = 1', wanted noth"),
        ({"changes": "all", "max_rows": "7"}, r"max_rows: found 7, wanted nothing: it is an opti"),
    ],
)
def test_options_of_streams_are_refused_of_a_frame(
    grown: _Grown, options: dict[str, str], message: str
) -> None:
    """A DataFrame refuses the options of streams, which would have no effect."""
    source = registered("byteloom.iceberg")({"path": grown.place, **options})
    with pytest.raises(FormatError, match=rf"^byteloom\.iceberg option {message}"):
        source.reader(source.schema())


def test_a_start_that_does_not_exist_is_refused(grown: _Grown) -> None:
    """An unknown word or snapshot as the start of a stream is refused."""
    for word in ("now", ""):
        message = f"option starting: found '{word}', wanted table, earliest"
        with pytest.raises(FormatError, match=message):
            grown.reader(starting=word).initialOffset()
    with pytest.raises(FormatError, match=r"snapshot: found 12, wanted one of the table's"):
        grown.reader(starting="12").initialOffset()


def test_a_history_that_is_not_whole_is_refused(grown: _Grown) -> None:
    """A stream is refused where the table has lost a snapshot that it needs."""
    reader = grown.reader(starting="earliest")
    wanted = rf"found a history that begins with snapshot {grown.ids[0]}, wanted snapshot 12, which"
    with pytest.raises(FormatError, match=wanted):
        reader.latestOffset({"snapshot": 12}, _all())
    grown.made.maintenance.expire_snapshots().by_id(grown.ids[0]).commit()
    wanted = rf"found a history that begins with snapshot {grown.ids[1]}, wanted all of it"
    with pytest.raises(FormatError, match=wanted):
        reader.latestOffset({"snapshot": -1}, _all())
    found = reader.latestOffset({"snapshot": grown.ids[1]}, _all())
    assert found == {"snapshot": grown.ids[3]}


def test_a_query_goes_on_where_it_ended(spark: Any, grown: _Grown, tmp_path: Path) -> None:
    """Each row is read once over a restart, in batches of the requested size."""

    def run() -> list[int]:
        stream = spark.readStream.format(NAME).option("max_rows", 5).load(grown.place)
        query = (
            stream.writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "out"))
        )
        query.awaitTermination()
        return [each["numInputRows"] for each in query.recentProgress]

    assert sum(run()) == 10
    grown.made.append(_rows(10, 11, 12))
    grown.made.append(_rows(13, 14, 15))
    assert [each for each in run() if each] == [3, 3]
    found = spark.read.parquet(str(tmp_path / "out")).toArrow()["id"].to_pylist()
    assert sorted(found) == list(range(16))


def test_a_query_goes_on_where_a_snapshot_was_that_expired(
    spark: Any, grown: _Grown, tmp_path: Path
) -> None:
    """A restarted query goes on though the snapshot it ended with expired, but misses none."""

    def run() -> None:
        stream = spark.readStream.format(NAME).load(grown.place)
        query = (
            stream.writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "out"))
        )
        query.awaitTermination()

    run()
    grown.made.append(_rows(10, 11))
    grown.made.append(_rows(12))
    grown.expire(2)
    run()
    grown.made.append(_rows(13))
    grown.made.append(_rows(14))
    grown.made.append(_rows(15))
    last = open_table(grown.place).snapshots[-4].snapshot_id
    grown.expire(2)
    wanted = rf"wanted snapshot {last}, which the stream has read"
    with pytest.raises(FormatError, match=wanted), plain_errors():
        run()
    found = spark.read.parquet(str(tmp_path / "out")).toArrow()["id"].to_pylist()
    assert sorted(found) == list(range(13))


def test_changes_are_read_without_a_stream_too(spark: Any, grown: _Grown) -> None:
    """Changes between two snapshots are rows of a DataFrame."""
    options = {"changes": "appends", "starting": grown.ids[0], "snapshot": grown.ids[2]}
    frame = spark.read.format(NAME).options(**options).load(grown.place)
    assert sorted(row.id for row in frame.collect()) == [1, 2, 3, 4, 5]
    log = spark.read.format(NAME).option("changes", "all").load(grown.place)
    assert log.columns == ["id", "_change_type", "_change_ordinal", "_commit_snapshot_id"]
    assert log.where("_change_type = 'INSERT'").count() == 10
    with pytest.raises(FormatError, match=r"found 12, wanted one of the table's"), plain_errors():
        spark.read.format(NAME).option("changes", "all").option("snapshot", 12).load(grown.place)
