"""Only the columns that a query needs are read, of sources that Spark asks for all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.iceberg_writer import FolderCatalog

from byteloom import lance
from byteloom.hfile import HFileWriter
from byteloom.iceberg import open_table
from byteloom.spark.jobs import plan

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

ROWS = pa.table(
    {
        "id": pa.array(range(12), pa.int64()),
        "text": [f"text {number % 5}" for number in range(12)],
        "small": pa.array([number % 3 for number in range(12)], pa.int32()),
        "a.b c": pa.array([number * 2 for number in range(12)], pa.int64()),
        "\xe9t\xe9": [number / 4 for number in range(12)],
        "st": [{"x": number, "y": f"y{number}"} for number in range(12)],
    }
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A table of two appends."""
    made = FolderCatalog(tmp_path_factory.mktemp("pruned")).create("t", ROWS.schema)
    made.append(ROWS.slice(0, 7))
    made.append(ROWS.slice(7))
    return open_table(made.metadata_location)


@pytest.fixture(scope="module")
def plain(spark: Any, table: Table) -> Any:
    """The rows of the table, as a frame of Spark's own."""
    frame = load(spark, table)
    return spark.createDataFrame(frame.collect(), frame.schema)


def load(spark: Any, table: Table, **options: str) -> Any:
    """The frame of a table."""
    return spark.read.format("byteloom.iceberg").options(**options).load(table.metadata_location)


def scanned(frame: Any) -> list[list[str]]:
    """The columns of each scan, as the explained plan shows them."""
    execution = frame._jdf.queryExecution()
    text = frame.sparkSession._jvm.PythonSQLUtils.explainString(execution, "simple")
    found = re.findall(r"BatchScan byteloom\.\w+\[(.*?)\] \(Python\)", text)
    return [re.sub(r"#\d+L?", "", each).split(", ") for each in found]


def rows_of(frame: Any) -> list[str]:
    """The rows of a frame as text, sorted."""
    return sorted(map(str, frame.collect()))


QUERIES = {
    "count": ("select count(*) from t", [["small"]]),
    "a column": ("select text from t", [["text"]]),
    "the order of the table": ("select small, id from t", [["id", "small"]]),
    "a condition": ("select id from t where text = 'text 1'", [["id", "text"]]),
    "counted by a condition": ("select count(*) from t where id > 3", [["id"]]),
    "a condition of Spark's": ("select id from t where text like '%1'", [["id", "text"]]),
    "dots, spaces, accents": (
        "select `a.b c`, `\xe9t\xe9` from t where `a.b c` > 4",
        [["a.b c", "\xe9t\xe9"]],
    ),
    "a field of a struct": ("select st.x from t where st.y > 'y2'", [["st"]]),
    "groups": ("select small, sum(id) from t group by small", [["id", "small"]]),
    "a window": ("select sum(id) over (partition by small) from t", [["id", "small"]]),
    "a join": (
        "select a.id, b.text from t a join t b on a.id = b.`a.b c`",
        [["id"], ["text", "a.b c"]],
    ),
    "a semi-join": (
        "select id from t where small in (select id from t where text > 'text 2')",
        [["id", "small"], ["id", "text"]],
    ),
    "a subquery": (
        "select text from t where id = (select max(small) from t)",
        [["id", "text"], ["small"]],
    ),
    "a correlated subquery": (
        "select text from t a where exists (select 1 from t b where b.id = a.small and b.id > 1)",
        [["text", "small"], ["id"]],
    ),
    "a union": (
        "select id from t where id < 3 union all select `a.b c` from t where small = 2",
        [["id"], ["small", "a.b c"]],
    ),
    "a limit": ("select count(*) from (select * from t limit 5)", [["small"]]),
    "an order": ("select id from t order by text desc, id limit 3", [["id", "text"]]),
    "distinct": ("select distinct small from t", [["small"]]),
    "everything": ("select * from t", [list(ROWS.column_names)]),
    "explode": ("select explode(array(id, small)) from t", [["id", "small"]]),
    "a calculated column": ("select next from (select *, id + 1 as next from t)", [["id"]]),
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_reads_the_columns_that_it_needs(
    spark: Any, table: Table, plain: Any, name: str
) -> None:
    """The plan of a query shows the columns that it needs, and its rows are the right ones."""
    query, columns = QUERIES[name]
    load(spark, table).createOrReplaceTempView("t")
    asked = spark.sql(query)
    assert sorted(map(sorted, scanned(asked))) == sorted(map(sorted, columns))
    found = rows_of(asked)
    plain.createOrReplaceTempView("t")
    assert found == rows_of(spark.sql(query))


def test_queries_of_one_frame_have_columns_of_their_own(spark: Any, table: Table) -> None:
    """A frame has all columns after a query of some of them, even in another order."""
    frame = load(spark, table)
    assert frame.select("small").count() == 12
    assert sorted(each.id for each in frame.collect()) == list(range(12))
    assert frame.select("st", "id").where("id = 3").collect()[0].asDict(recursive=True) == {
        "st": {"x": 3, "y": "y3"},
        "id": 3,
    }


@pytest.mark.parametrize(
    ("options", "query", "columns"),
    [
        ({"columns": "text,st.x,id"}, ["id", "st"], ["st", "id"]),
        ({"columns": "st.y,text,st.x"}, ["st"], ["st"]),
        ({"columns": '["id","_file","_pos"]'}, ["_pos"], ["_pos"]),
        ({"changes": "all"}, ["_change_type", "id"], ["id", "_change_type"]),
        ({"changes": "all", "columns": "text,id"}, ["id"], ["id"]),
        ({"metadata_table": "files"}, ["file_path", "record_count"], ["file_path", "record_count"]),
        ({"metadata_table": "snapshots", "columns": "operation,snapshot_id"}, ["operation"],
         ["operation"]),
        ({"filter": "text = 'text 1'"}, ["id"], ["id"]),
    ],
)  # fmt: skip
def test_columns_of_an_option_are_chosen_among(
    spark: Any, table: Table, options: dict[str, str], query: list[str], columns: list[str]
) -> None:
    """A query reads some of the columns that options give, nested and metadata columns as well."""
    frame = load(spark, table, **options)
    asked = frame.select(*query)
    assert scanned(asked) == [columns]
    whole = [each.asDict(recursive=True) for each in frame.collect()]
    found = [each.asDict(recursive=True) for each in asked.collect()]
    assert found == [{name: each[name] for name in query} for each in whole]
    assert frame.count() == len(whole) > 0


def test_a_schema_of_the_user_is_narrowed(spark: Any, table: Table) -> None:
    """A query of some columns of a user's schema reads those."""
    reader = spark.read.format("byteloom.iceberg").schema("text string, id long")
    frame = reader.load(table.metadata_location)
    assert scanned(frame.select("id")) == [["id"]]
    assert rows_of(frame.select("id")) == rows_of(load(spark, table).select("id"))
    assert frame.columns == ["text", "id"]
    assert rows_of(frame) == rows_of(load(spark, table).select("text", "id"))


def test_other_sources_read_the_columns_that_a_query_needs(spark: Any, tmp_path: Path) -> None:
    """Lance datasets and HFiles are narrowed as well, even where options name columns."""
    lance.write_dataset(tmp_path / "a", ROWS.drop_columns("a.b c"))
    frame = spark.read.format("byteloom.lance").option("columns", "id,st.x,text")
    found = frame.load(str(tmp_path / "a")).where("id > 9").select("st")
    assert scanned(found) == [["id", "st"]]
    assert [each.st.asDict() for each in found.collect()] == [{"x": 10}, {"x": 11}]
    with HFileWriter(tmp_path / "h") as writer:
        writer.write(pa.table({"row": [b"a", b"b", b"c"], "value": [b"1", b"2", b"3"]}))
    reader = spark.read.format("byteloom.hfile").option("text", "row,value")
    cells = reader.load(str(tmp_path / "h"))
    one = cells.where("row = 'b'").select("value")
    assert scanned(one) == [["row", "value"]]
    assert [each.value for each in one.collect()] == ["2"]
    assert cells.where("row > 'a'").count() == 2


def test_a_plan_has_the_columns_that_a_query_needs(spark: Any, table: Table) -> None:
    """Of the files of a distributed plan, only the wanted columns are made."""
    planned = plan(spark, table.scan("id > 3"))
    names = ["residual", "record_count", "partition", "deletes"]
    asked = planned.select(*names)
    assert [set(each) for each in scanned(asked)] == [set(names)]
    assert asked.toArrow().to_pylist() == planned.toArrow().select(names).to_pylist()
    assert planned.count() == 2
