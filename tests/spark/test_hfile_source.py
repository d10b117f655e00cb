"""``byteloom.hfile``: cells of HFiles as a DataFrame, and sorted HFiles of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.spark_sources import elsewhere, partitions_of, planned, registered, rows_of

pytest.importorskip("pyspark")

from pyspark.sql import datasource as asked
from pyspark.sql.pandas.types import from_arrow_schema

from byteloom import hfile
from byteloom.errors import FormatError, Unsupported
from byteloom.spark import error_of

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 3000


def cells(start: int, stop: int) -> pa.Table:
    """Cells of rows r00000, r00001, ... of which each third has two."""
    numbers = [number for number in range(start, stop) for _ in range(1 + (number % 3 == 0))]
    return pa.table(
        {
            "row": pa.array([b"r%05d" % number for number in numbers], pa.binary()),
            "family": pa.array([b"f"] * len(numbers), pa.binary()),
            "timestamp": pa.array(range(len(numbers), 0, -1), pa.int64()),
            "value": pa.array([b"v%d" % number for number in numbers], pa.binary()),
        }
    )


def put(path: Path, table: pa.Table) -> Path:
    """Write an HFile of small blocks."""
    with hfile.HFileWriter(path, block_size=1024, blooms=["ROW"]) as writer:
        writer.write(table)
    return path


def read(path: Path) -> pa.Table:
    """All cells of a file."""
    with hfile.open(path) as file:
        return file.read()


def plain(table: pa.Table) -> list[Any]:
    """Rows in an order of their own."""
    return sorted(table.to_pylist(), key=repr)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files, one of them in a folder below."""
    place = tmp_path_factory.mktemp("hfiles")
    put(place / "a.hfile", cells(0, 2000))
    (place / "below").mkdir()
    put(place / "below/b.hfile", cells(2000, ROWS))
    (place / "_SUCCESS").touch()
    return place


class TestReading:
    """Cells as rows."""

    def test_rows_are_those_of_the_local_reader(self, spark: Any, folder: Path) -> None:
        """The DataFrame has the local reader's cells, with unsigned columns as wider ones."""
        found = spark.read.format("byteloom.hfile").load(str(folder)).toArrow()
        expected = pa.concat_tables(read(folder / name) for name in ("a.hfile", "below/b.hfile"))
        assert found.schema.field("type").type == pa.int16()
        assert plain(found) == plain(expected)

    @pytest.mark.parametrize("split_size", ["1k", "20k", "1g"])
    def test_large_files_are_divided_between_rows(self, folder: Path, split_size: str) -> None:
        """A file is divided between rows, and every cell is in exactly one partition."""
        reader, _ = planned(
            "byteloom.hfile", path=str(folder), split_size=split_size, columns="row"
        )
        parts = [
            pa.Table.from_batches(elsewhere(reader).read(each)) for each in partitions_of(reader)
        ]
        assert {"1k": len(parts) > 20, "20k": 3 < len(parts) < 20, "1g": len(parts) == 1}[
            split_size
        ]
        sets = [set(each["row"].to_pylist()) for each in parts]
        assert sum(map(len, sets)) == ROWS
        assert sum(map(len, parts)) == len(cells(0, 2000)) + len(cells(2000, ROWS))

    def test_columns_are_chosen_and_may_be_text(self, folder: Path) -> None:
        """Columns come in the order in which they are named, as text where requested."""
        reader, _ = planned(
            "byteloom.hfile", path=f"{folder}/b*/*", columns="value,row", text="row"
        )
        found = rows_of(reader)
        assert found.schema == pa.schema([("value", pa.binary()), ("row", pa.string())])
        assert found.slice(0, 1).to_pylist() == [{"value": b"v2000", "row": "r02000"}]

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"columns": "row,cell"}, r"^columns: found 'cell', wanted some of row, family"),
            ({"columns": "row,row"}, r"^columns: found 'row' twice"),
            ({"text": "type"}, r"option text: found 'type', wanted some of row, family, qual"),
            ({"colums": "row"}, r"option: found 'colums', wanted .*columns"),
        ],
    )
    def test_wrong_options_are_named(self, options: dict[str, str], words: str) -> None:
        """The error for a wrong option says what is valid."""
        with pytest.raises(FormatError, match=words):
            planned("byteloom.hfile", path="x", **options)

    def test_text_that_is_not_utf8_is_an_error(self, tmp_path: Path) -> None:
        """Invalid UTF-8 in a text column is an error that names the file."""
        table = pa.table({"row": pa.array([b"a\xff"], pa.binary())})
        put(tmp_path / "a", table)
        reader, _ = planned("byteloom.hfile", path=str(tmp_path), text="row")
        with pytest.raises(FormatError, match=r"/a: cells: found invalid UTF-8 .*, wanted text in"):
            rows_of(reader)


BOUNDS = st.sampled_from([b"", b"r", b"r0", b"r00100", b"r00101", b"r001011", b"r02000", b"s"])
FILTERS = st.one_of(
    BOUNDS.map(lambda row: asked.EqualTo(("row",), row)),
    BOUNDS.map(lambda row: asked.EqualNullSafe(("row",), row)),
    BOUNDS.map(lambda row: asked.GreaterThan(("row",), row)),
    BOUNDS.map(lambda row: asked.GreaterThanOrEqual(("row",), row)),
    BOUNDS.map(lambda row: asked.LessThan(("row",), row)),
    BOUNDS.map(lambda row: asked.LessThanOrEqual(("row",), row)),
    BOUNDS.map(lambda row: asked.StringStartsWith(("row",), row.decode())),
    st.lists(BOUNDS).map(lambda rows: asked.In(("row",), (*rows, None))),
    st.just(asked.IsNotNull(("row",))),
    st.just(asked.IsNull(("row",))),
    st.just(asked.EqualTo(("row",), None)),
)


def holds(filter_: Any, row: bytes) -> bool:
    """Whether a filter holds for a row."""
    value: Any = getattr(filter_, "value", None)
    match type(filter_).__name__:
        case "EqualTo" | "EqualNullSafe":
            return bool(row == value)
        case "In":
            return row in value
        case "StringStartsWith":
            return row.startswith(value.encode())
        case "IsNotNull" | "IsNull":
            return type(filter_).__name__ == "IsNotNull"
        case name:
            less = {"GreaterThan": row > value, "GreaterThanOrEqual": row >= value}
            found = {**less, "LessThan": row < value, "LessThanOrEqual": row <= value}
            return bool(found[name])


class TestPushdown:
    """Filters on rows decide which blocks are read."""

    @given(st.lists(FILTERS, max_size=3), st.sampled_from(["5k", "1g"]))
    def test_filters_of_rows_are_answered_exactly(
        self, folder: Path, filters: list[Any], split_size: str
    ) -> None:
        """Filters on rows give exactly the matching rows, and none is left to Spark."""
        options = {"path": str(folder), "columns": "row,value", "split_size": split_size}
        reader, left = planned("byteloom.hfile", filters, **options)
        assert left == []
        expected = [
            row
            for row in cells(0, ROWS)["row"].to_pylist()
            if all(holds(each, row) for each in filters)
        ]
        assert sorted(rows_of(reader)["row"].to_pylist()) == expected

    def test_rows_of_a_catalog_are_compared_as_bytes(self, tmp_path: Path) -> None:
        """Filters compare the rows of a catalog as bytes, though its file sorts them otherwise."""
        rows = [b"t,a,1", b"t,a!,1", b"t!,a,1"]
        with hfile.HFileWriter(tmp_path / "a", is_meta=True) as writer:
            writer.write(pa.table({"row": pa.array(rows, pa.binary())}))
        filters = [asked.GreaterThan(("row",), b"t!"), asked.LessThan(("row",), b"t,a,")]
        reader, _ = planned(
            "byteloom.hfile", filters, path=str(tmp_path), columns="row", split_size="1"
        )
        assert rows_of(reader)["row"].to_pylist() == [b"t,a!,1", b"t!,a,1"]

    def test_other_filters_are_left_to_spark(self, folder: Path) -> None:
        """Filters on other columns, and negated ones, are left to Spark."""
        filters = [
            asked.EqualTo(("value",), b"v1"),
            asked.Not(asked.EqualTo(("row",), b"r")),
            asked.StringContains(("row",), "r"),
        ]
        _, left = planned("byteloom.hfile", filters, path=str(folder))
        assert left == filters

    def test_blocks_of_other_rows_are_not_read(self, spark: Any, tmp_path: Path) -> None:
        """A damaged block is noticed only by a query of its rows, whose error has the place."""
        path = put(tmp_path / "a.hfile", cells(0, ROWS))
        with hfile.open(path) as file:
            offset = file.tree.root.entry(len(file.tree.root) - 1).offset
        data = bytearray(path.read_bytes())
        data[offset + 60] ^= 1
        path.write_bytes(data)
        table = spark.read.format("byteloom.hfile").option("text", "row").load(str(tmp_path))
        few = table.where("row >= 'r00100' and row like 'r001%' or false").select("row")
        assert few.distinct().count() == 100
        with pytest.raises(Exception, match=r"byteloom\.errors") as caught:
            table.where("row > 'r00100'").count()
        error = error_of(caught.value)
        assert f"{path}: data" in str(error)
        assert f"the checksum of bytes {offset} to " in str(error)

    def test_pushed_filters_are_explained(self, spark: Any, folder: Path, capsys: Any) -> None:
        """The explained plan shows pushed filters, and no filter left to Spark."""
        table = spark.read.format("byteloom.hfile").load(str(folder))
        table.where("row = X'723030303031' and row < X'73'").explain("formatted")
        plan = capsys.readouterr().out
        assert "PushedFilters: [IsNotNull(row), EqualTo(row" in plan
        assert "Filter" not in plan.replace("PushedFilters", "").replace("RuntimeFilters", "")

    def test_filters_of_one_query_are_not_those_of_another(self, spark: Any, folder: Path) -> None:
        """Two scans of one DataFrame keep their own filters, in one query and in several."""
        table = spark.read.format("byteloom.hfile").option("text", "row").load(str(folder))
        few, others = table.where("row < 'r00010'"), table.where("row >= 'r02990'")
        all_rows = len(cells(0, 2000)) + len(cells(2000, ROWS))
        assert (few.count(), table.count(), few.count()) == (14, all_rows, 14)
        assert few.union(others).distinct().count() == 14 + others.count() < 40
        assert few.join(table, "row").select("row").distinct().count() == 10


def sink(place: Path, *, overwrite: bool = False, **options: Any) -> Any:
    """The sink that writes a DataFrame of cells."""
    schema = from_arrow_schema(cells(0, 1).schema)
    return elsewhere(
        registered("byteloom.hfile")({"path": str(place), **options}).writer(schema, overwrite)
    )


def visible(place: Path) -> list[str]:
    """The names of the files in a folder, whatever begins with a dot among them."""
    return sorted(each.name for each in place.iterdir())


class TestWriting:
    """A write makes sorted files, all of them or none."""

    def test_each_partition_is_a_sorted_file(
        self, spark: Any, folder: Path, tmp_path: Path
    ) -> None:
        """Each partition becomes a sorted file, and together they have the written rows."""
        table = spark.read.format("byteloom.hfile").load(str(folder)).drop("tags", "qualifier")
        out = table.repartitionByRange(3, "row").sortWithinPartitions(
            "row", table["timestamp"].desc()
        )
        to = out.write.format("byteloom.hfile").mode("overwrite")
        to.options(compression="GZ", encoding="FAST_DIFF", blooms="ROW").save(str(tmp_path / "out"))
        names = visible(tmp_path / "out")
        assert names[0] == "_SUCCESS"
        assert [name[:10] for name in names[1:]] == ["part-00000", "part-00001", "part-00002"]
        for name in names[1:]:
            with hfile.open(tmp_path / "out" / name) as file:
                assert file.trailer.compression_codec == "GZ"
                assert len(file.bloom_filters) == 1
        found = pa.concat_tables(read(tmp_path / "out" / name) for name in names[1:])
        assert found["row"].to_pylist() == cells(0, ROWS)["row"].to_pylist()
        assert plain(found.select(["value"])) == plain(cells(0, ROWS).select(["value"]))

    def test_files_are_added_or_replace_the_others(self, tmp_path: Path) -> None:
        """A write adds files to those in the folder, or replaces them in the mode overwrite."""
        for number, overwrite in enumerate((False, False, True)):
            made = sink(tmp_path, overwrite=overwrite)
            made.commit([made.write(iter(cells(0, 9).to_batches()))])
            assert len(visible(tmp_path)) == 2 + (number == 1)

    def test_cells_out_of_order_are_refused(self, spark: Any, folder: Path, tmp_path: Path) -> None:
        """The error for unsorted cells names file and row, and the job leaves no folder."""
        table = spark.read.format("byteloom.hfile").load(str(folder)).select("row", "value")
        out = table.orderBy(table["row"].desc()).coalesce(1)
        with pytest.raises(Exception, match=r"byteloom\.errors") as caught:
            out.write.format("byteloom.hfile").mode("append").save(str(tmp_path / "out"))
        error = str(error_of(caught.value))
        assert f"{tmp_path}/out/part-00000-" in error
        assert "r02999" in error
        assert "ascending" in error
        assert not (tmp_path / "out").exists()

    def test_partitions_with_rows_of_each_other_are_refused(self, tmp_path: Path) -> None:
        """Partitions with overlapping rows are refused at the commit, and the rows are named."""
        made = sink(tmp_path)
        parts = [
            made.write(iter(cells(start, stop).to_batches())) for start, stop in ((0, 9), (8, 12))
        ]
        words = (
            r"found row b'r00008' in partition 0, and rows b'r00000' to b'r00008' in partition 0"
        )
        with pytest.raises(FormatError, match=words):
            made.commit(parts)
        made.abort(parts)
        assert visible(tmp_path) == []

    def test_a_task_that_ran_twice_leaves_one_file(self, tmp_path: Path) -> None:
        """Of two attempts of a task, only the file of the one that is committed stays."""
        made = sink(tmp_path)
        lost, kept = (elsewhere(made).write(iter(cells(0, 9).to_batches())) for _ in range(2))
        assert lost.name != kept.name
        elsewhere(made).commit([kept])
        assert len(visible(tmp_path)) == 2
        (name,) = (each for each in visible(tmp_path) if each != "_SUCCESS")
        assert len(read(tmp_path / name)) == len(cells(0, 9))

    def test_a_job_that_fails_leaves_what_was_there(self, tmp_path: Path) -> None:
        """A failed overwrite keeps the earlier files, even if a task's message was lost."""
        first = sink(tmp_path)
        first.commit([first.write(iter(cells(0, 9).to_batches()))])
        before = visible(tmp_path)
        made = sink(tmp_path, overwrite=True)
        elsewhere(made).write(iter(cells(0, 9).to_batches()))
        elsewhere(made).abort([None])
        assert visible(tmp_path) == before

    def test_partitions_without_rows_have_no_file(self, tmp_path: Path) -> None:
        """Partitions without rows write no file, and the job still writes `_SUCCESS`."""
        made = sink(tmp_path)
        made.commit([made.write(iter(cells(0, 0).to_batches())), made.write(iter(()))])
        assert visible(tmp_path) == ["_SUCCESS"]

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"compression": "LZMA"}, "compression: found LZMA"),
            ({"encoding": "SNAPPY"}, "encoding: found 'SNAPPY'|encoding: found SNAPPY"),
            ({"blooms": "ALL"}, "ALL"),
            ({"profile": "lance"}, "option profile: found 'lance', wanted one of hbase, hudi"),
        ],
    )
    def test_wrong_settings_are_refused_before_rows_are_read(
        self, options: dict[str, Any], words: str, tmp_path: Path
    ) -> None:
        """Wrong settings are refused by the driver, before rows are read."""
        with pytest.raises((FormatError, Unsupported), match=words):
            sink(tmp_path, **options)

    def test_a_folder_has_to_be_named(self) -> None:
        """A write without a path is refused."""
        schema = from_arrow_schema(cells(0, 1).schema)
        with pytest.raises(FormatError, match=r"hfile option path: found nothing, wanted a file"):
            registered("byteloom.hfile")({}).writer(schema, overwrite=False)

    def test_columns_that_no_cell_has_are_refused(self, tmp_path: Path) -> None:
        """The driver refuses a column that no cell has."""
        schema = from_arrow_schema(pa.schema([("row", pa.string()), ("cell", pa.string())]))
        with pytest.raises(FormatError, match="columns: found 'cell', wanted one of row, fam"):
            registered("byteloom.hfile")({"path": str(tmp_path)}).writer(schema, overwrite=False)
