"""``byteloom.lance``: rows of Lance datasets as DataFrames, and DataFrames as versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.spark_sources import elsewhere, partitions_of, planned, registered, rows_of

pytest.importorskip("pyspark")

from pyspark.sql import datasource as asked
from pyspark.sql.pandas.types import from_arrow_schema

from byteloom import lance
from byteloom.errors import CommitConflict, FormatError, StorageError, Unsupported
from byteloom.spark import error_of
from byteloom.spark.sources.lance import cuts

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 10_000


def rows(start: int, stop: int) -> pa.Table:
    """Numbered rows, with nulls, NaN and a struct."""
    numbers = range(start, stop)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "part": pa.array([None if n % 5 == 0 else n % 7 for n in numbers], pa.int32()),
            "ratio": pa.array([float("nan") if n % 11 == 0 else n / 8 for n in numbers]),
            "text": pa.array([f"text {n}" for n in numbers]),
            "at": pa.array([{"x": n % 3} for n in numbers], pa.struct([("x", pa.int32())])),
        }
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of four fragments, of which some rows are deleted."""
    path = tmp_path_factory.mktemp("lance") / "a"
    lance.write_dataset(path, rows(0, ROWS), max_rows_per_file=3000).delete([0, 3001])
    return path


def files(place: Path) -> list[str]:
    """The paths of all files of a dataset: two of each version, and those of data."""
    return sorted(str(each.relative_to(place)) for each in place.rglob("*") if each.is_file())


class TestReading:
    """Rows of datasets and files."""

    def test_rows_are_those_of_the_local_reader(self, spark: Any, place: Path) -> None:
        """A DataFrame has the live rows of the newest version, or of the one requested."""
        found = spark.read.format("byteloom.lance").load(str(place))
        assert found.orderBy("id").drop("ratio").toArrow().to_pylist() == (
            lance.open_dataset(place).to_table().drop_columns(["ratio"]).to_pylist()
        )
        first = spark.read.format("byteloom.lance").option("version", "1").load(str(place))
        assert (found.count(), first.count()) == (ROWS - 2, ROWS)

    @pytest.mark.parametrize("split_size", ["1k", "40k", "1g"])
    def test_partitions_are_ranges_of_rows(self, place: Path, split_size: str) -> None:
        """Partitions are adjacent ranges that together have all rows, each once."""
        options = {"path": str(place), "split_size": split_size, "columns": "id"}
        reader, _ = planned("byteloom.lance", **options)
        values = [each.value for each in partitions_of(reader)]
        assert [values[0][0], *(stop for _, stop in values)] == [
            *(start for start, _ in values),
            ROWS - 2,
        ]
        assert {"1k": len(values) > 50, "40k": 3 < len(values) < 20, "1g": len(values) == 1}[
            split_size
        ]
        assert rows_of(reader)["id"].to_pylist() == [n for n in range(ROWS) if n not in {0, 3001}]

    def test_ranges_begin_with_fragments_that_begin_nearby(self) -> None:
        """A range begins with a fragment that begins within a quarter of it; none is empty."""
        assert cuts(100, 4, [0, 19, 31, 60, 81]) == [0, 19, 50, 81, 100]
        assert cuts(100, 4, [0, 18, 32, 60, 82]) == [0, 25, 50, 75, 100]
        assert cuts(100, 3, []) == [0, 33, 66, 100]
        assert cuts(2, 5, [0, 1, 2]) == [0, 1, 2]
        assert cuts(0, 1, [0]) == []

    def test_files_are_divided_between_pages(self, tmp_path: Path) -> None:
        """Ranges of a file begin where one of its pages begins."""
        with lance.LanceWriter(tmp_path / "a.lance", rows(0, 9).schema, page_size=4096) as writer:
            writer.write(rows(0, 4000))
        with lance.open(tmp_path / "a.lance") as file:
            pages = {each.first for column in file.columns() for each in column.pages}
        reader, _ = planned("byteloom.lance", path=f"{tmp_path}/a.lance", split_size="30k")
        cuts = [value.value[0] for value in partitions_of(reader)]
        assert 3 < len(cuts) < 30
        assert set(cuts) <= pages
        assert rows_of(reader)["id"].to_pylist() == list(range(4000))

    def test_columns_are_chosen(self, place: Path) -> None:
        """Columns come as named; a nested field keeps its place in its struct."""
        reader, _ = planned("byteloom.lance", path=str(place), columns="at.x,id", version="1")
        assert rows_of(reader).slice(1, 1).to_pylist() == [{"at": {"x": 1}, "id": 1}]

    def test_a_query_reads_the_version_that_it_was_planned_with(self, tmp_path: Path) -> None:
        """A query reads the version that it was planned with, even if another is committed."""
        lance.write_dataset(tmp_path / "a", rows(0, 9))
        source = registered("byteloom.lance")({"path": str(tmp_path / "a")})
        schema = source.schema()
        lance.write_dataset(tmp_path / "a", rows(9, 12), mode="append")
        reader = elsewhere(source).reader(schema)
        assert len(rows_of(reader)) == 9

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"version": "7"}, FormatError, "version: found 7, wanted one of its versions 1 to 2"),
            ({"version": "2.2"}, FormatError, "option version: found '2.2', wanted the number of"),
            ({"tag": "none"}, FormatError, "none"),
            ({"columns": "idd"}, FormatError, "idd"),
        ],
    )
    def test_what_is_not_there_is_an_error(
        self, place: Path, options: dict[str, str], error: type[Exception], words: str
    ) -> None:
        """The error for an unknown version, tag or column shows it."""
        with pytest.raises(error, match=words):
            planned("byteloom.lance", path=str(place), **options)

    @pytest.mark.parametrize("option", ["version", "tag"])
    def test_a_file_has_no_versions(self, tmp_path: Path, option: str) -> None:
        """A version or tag of a single file is refused, since a file has none."""
        with lance.LanceWriter(tmp_path / "a.lance", rows(0, 9).schema) as writer:
            writer.write(rows(0, 9))
        message = f"option {option}: found '1', wanted nothing: a file has no versions"
        with pytest.raises(FormatError, match=message):
            planned("byteloom.lance", path=f"{tmp_path}/a.lance", **{option: "1"})

    def test_damage_is_named_by_the_driver(self, spark: Any, tmp_path: Path) -> None:
        """The driver raises an error that names the damaged file."""
        lance.write_dataset(tmp_path / "a", rows(0, 100), version="2.0")
        (path,) = (tmp_path / "a/data").iterdir()
        path.write_bytes(path.read_bytes()[:-40] + bytes(40))
        with pytest.raises(Exception, match=r"byteloom\.errors") as caught:
            spark.read.format("byteloom.lance").load(str(tmp_path / "a")).count()
        assert str(error_of(caught.value)).startswith(f"{path}: ")


NUMBERS = st.sampled_from([-1, 0, 3, 2999, 5000, ROWS])
FILTERS = st.one_of(
    NUMBERS.map(lambda value: asked.EqualTo(("id",), value)),
    NUMBERS.map(lambda value: asked.GreaterThan(("id",), value)),
    NUMBERS.map(lambda value: asked.LessThanOrEqual(("id",), value)),
    st.sampled_from([0, 3, None]).map(lambda value: asked.EqualNullSafe(("part",), value)),
    st.just(asked.In(("part",), (1, 2, None))),
    st.just(asked.Not(asked.EqualTo(("part",), 3))),
    st.sampled_from([1.5, float("nan")]).map(lambda value: asked.GreaterThan(("ratio",), value)),
    st.just(asked.StringStartsWith(("text",), "text 1")),
    st.just(asked.EqualTo(("at", "x"), 1)),
    st.just(asked.IsNull(("part",))),
    st.just(asked.StringEndsWith(("text",), "1")),
)


class TestPushdown:
    """Filters decide which rows are read."""

    @given(st.lists(FILTERS, max_size=3))
    def test_rows_are_those_that_match(self, place: Path, filters: list[Any]) -> None:
        """Pushed filters give exactly the rows that match by Spark's rules."""
        reader, left = planned("byteloom.lance", filters, path=str(place))
        assert left == [each for each in filters if isinstance(each, asked.StringEndsWith)]
        expected = [
            row["id"]
            for row in lance.open_dataset(place).to_table().to_pylist()
            if all(_holds(each, row) for each in filters if each not in left)
        ]
        assert rows_of(reader)["id"].to_pylist() == expected

    def test_pushed_filters_are_explained(self, spark: Any, place: Path, capsys: Any) -> None:
        """The explained plan shows pushed filters, and another scan is not affected."""
        table = spark.read.format("byteloom.lance").load(str(place))
        few = table.where("id > 10 and part = 3 and at.x = 1")
        few.explain("formatted")
        assert "GreaterThan(id,10), EqualTo(part,3), EqualTo(at.x,1)" in capsys.readouterr().out
        found = lance.open_dataset(place).to_table()
        wanted = found.filter((pc.field("id") > 10) & (pc.field("part") == 3))
        assert few.count() == sum(each["x"] == 1 for each in wanted["at"].to_pylist())
        assert table.count() == ROWS - 2


def _holds(filter_: Any, row: dict[str, Any]) -> bool:
    """Whether a row passes a filter by Spark's rules: NaN is greatest, null never compares."""
    if isinstance(filter_, asked.Not):
        return row["part"] is not None and not _holds(filter_.child, row)
    value: Any = row
    for name in filter_.attribute:
        value = value[name]
    other = getattr(filter_, "value", None)
    if isinstance(filter_, asked.IsNull):
        return value is None
    if isinstance(filter_, asked.EqualNullSafe):
        return bool(value == other)
    return value is not None and _compares(type(filter_).__name__, value, other)


def _compares(kind: str, value: Any, other: Any) -> bool:
    """Whether a filter holds for a value that is not null."""
    if kind == "In":
        return value in other
    if kind == "StringStartsWith":
        return str(value).startswith(other)
    order = [(1, 0) if number != number else (0, number) for number in (value, other)]  # noqa: PLR0124
    return {
        "EqualTo": order[0] == order[1],
        "GreaterThan": order[0] > order[1],
        "LessThanOrEqual": order[0] <= order[1],
    }[kind]


def sink(place: Path, table: pa.Table, *, overwrite: bool = False, **options: Any) -> Any:
    """The sink that writes a DataFrame of numbered rows."""
    schema = from_arrow_schema(table.schema)
    return elsewhere(
        registered("byteloom.lance")({"path": str(place), **options}).writer(schema, overwrite)
    )


class TestWriting:
    """A write makes one version of all tasks' rows, or none."""

    def test_a_dataframe_becomes_a_version(self, spark: Any, place: Path, tmp_path: Path) -> None:
        """A write creates or appends a version, in fragments of at most the given size."""
        table = spark.read.format("byteloom.lance").load(str(place))
        out = str(tmp_path / "out")
        to = table.repartition(3).write.format("byteloom.lance").option("max_rows_per_file", "2000")
        to.mode("append").save(out)
        table.where("id < 10").write.format("byteloom.lance").mode("append").save(out)
        dataset = lance.open_dataset(out)
        assert (dataset.versions, dataset.num_rows) == ([1, 2], ROWS - 2 + 9)
        assert all(each.num_rows <= 2000 for each in dataset.fragments)
        assert len(files(tmp_path / "out")) == len(dataset.fragments) + 4
        table.where("id < 4").select("id").write.format("byteloom.lance").mode("overwrite").option(
            "version", "2.1"
        ).save(out)
        dataset = lance.open_dataset(out)
        assert (dataset.versions, dataset.data_version) == ([1, 2, 3], "2.1")
        assert sorted(dataset.to_table()["id"].to_pylist()) == [1, 2, 3]

    def test_uuids_are_text(self, spark: Any, tmp_path: Path) -> None:
        """UUIDs of a dataset, and those in lists, are text in Spark, and are appended as text."""
        ids = [UUID(int=number) for number in range(3)]
        storage = pa.array([each.bytes for each in ids], pa.binary(16))
        array = pa.ExtensionArray.from_storage(pa.uuid(), storage)
        lists = pa.ListArray.from_arrays(pa.array([0, 1, 1, 3]), array)
        dataset = lance.write_dataset(tmp_path / "a", pa.table({"id": array, "l": lists}))
        frame = spark.read.format("byteloom.lance").load(f"{tmp_path}/a")
        assert [each.id for each in frame.collect()] == [str(each) for each in ids]
        assert [each.l for each in frame.where(f"id = '{ids[2]}'").collect()] == [
            [str(each) for each in ids[1:]]
        ]
        frame.coalesce(1).write.format("byteloom.lance").mode("append").save(f"{tmp_path}/a")
        table = dataset.to_table()
        assert dataset.newest().to_table().equals(pa.concat_tables([table, table]))

    def test_a_job_that_fails_leaves_no_version_and_no_file(
        self, spark: Any, place: Path, tmp_path: Path
    ) -> None:
        """A job with a failed task leaves no version and no file, though other tasks were done."""
        table = spark.read.format("byteloom.lance").load(str(place)).repartition(4)
        failing = table.selectExpr("id", "if(id = 77, raise_error('no luck'), text) text")
        with pytest.raises(Exception, match="no luck"):
            failing.write.format("byteloom.lance").mode("overwrite").save(str(tmp_path / "out"))
        assert files(tmp_path / "out") == []

    def test_a_task_that_ran_twice_counts_once(self, tmp_path: Path) -> None:
        """The commit removes the files of a task's other attempt."""
        made = sink(tmp_path / "out", rows(0, 9))
        parts = [elsewhere(made).write(iter(rows(0, 9).to_batches())) for _ in range(2)]
        elsewhere(made).commit(parts[1:])
        assert lance.open_dataset(tmp_path / "out").num_rows == 9
        assert len(files(tmp_path / "out")) == 3

    def test_a_version_that_was_committed_is_not_taken_back(self, tmp_path: Path) -> None:
        """A committed version stays, even if Spark aborts the job afterwards."""
        made = sink(tmp_path / "out", rows(0, 9))
        parts = [made.write(iter(rows(0, 9).to_batches()))]
        made.commit(parts)
        elsewhere(made).abort(parts)
        assert len(lance.open_dataset(tmp_path / "out").to_table()) == 9

    def test_two_jobs_that_create_a_dataset_are_a_conflict(self, tmp_path: Path) -> None:
        """Of two jobs that create one dataset, the second fails and leaves no file."""
        jobs = [sink(tmp_path / "out", rows(0, 9)) for _ in range(2)]
        parts = [[job.write(iter(rows(0, 9).to_batches()))] for job in jobs]
        jobs[0].commit(parts[0])
        with pytest.raises(CommitConflict):
            jobs[1].commit(parts[1])
        jobs[1].abort(parts[1])
        assert len(files(tmp_path / "out")) == 3

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"version": "2.3"}, Unsupported, "version: found 2.3, wanted one of 2.0"),
            ({"max_rows_per_file": "0"}, FormatError, "max_rows_per_file: found '0', wanted a who"),
            ({"storage.x": "y", "path": "/proc/none"}, StorageError, "/proc/none"),
        ],
    )
    def test_what_cannot_be_written_is_refused_before_rows_are_read(
        self, tmp_path: Path, options: dict[str, Any], error: type[Exception], words: str
    ) -> None:
        """Wrong options and an unwritable place are refused before rows are read."""
        with pytest.raises(error, match=words):
            sink(tmp_path, rows(0, 1), **options).write(iter(rows(0, 1).to_batches()))

    def test_rows_of_another_schema_are_refused(self, tmp_path: Path) -> None:
        """Rows with a column that the dataset lacks are refused before any of them is written."""
        lance.write_dataset(tmp_path / "a", rows(0, 9).select(["part", "text"]))
        with pytest.raises(
            FormatError, match=r"^rows: found columns id, wanted some of part, text"
        ):
            sink(tmp_path / "a", rows(0, 9).select(["id"]))

    def test_columns_that_rows_lack_are_null(self, tmp_path: Path) -> None:
        """Rows are appended without the columns that they lack, which are read as null."""
        lance.write_dataset(tmp_path / "a", rows(0, 2))
        job = sink(tmp_path / "a", rows(2, 4).select(["text", "id"]))
        job.commit([job.write(iter(rows(2, 4).select(["text", "id"]).to_batches()))])
        found = lance.open_dataset(tmp_path / "a").to_table()
        assert found["id"].to_pylist() == [0, 1, 2, 3]
        assert found["text"].to_pylist()[2:] == ["text 2", "text 3"]
        assert all(found[each].to_pylist()[2:] == [None] * 2 for each in ("part", "ratio", "at"))
