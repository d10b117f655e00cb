"""``byteloom.iceberg`` in Spark: the rows of the local reader, whatever is asked and however."""

from __future__ import annotations

import datetime as dt
import math
import pickle
import re
from decimal import Decimal
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.iceberg_writer import FolderCatalog
from tests.support.spark_sources import plain_errors, registered

from byteloom.errors import FormatError
from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from byteloom.iceberg import Table

NAME = "byteloom.iceberg"
ROWS = 3000
_ZONE = dt.UTC
_DAY = dt.datetime(2024, 5, 1)  # noqa: DTZ001  one in no zone

VALUES: dict[str, list[Any]] = {
    "i": [None, -(1 << 31), -1, 0, 1, 7, (1 << 31) - 1],
    "l": [None, -(1 << 63), 0, 5, (1 << 63) - 1],
    "f": [None, -math.inf, -0.0, 0.0, 0.5, math.inf, math.nan],
    "d": [None, -math.inf, -1.5, -0.0, 0.0, 0.1, 1e300, math.inf, math.nan],
    "s": [None, "", "a", "ab", "abc", "b", "\xe9", "\U0001f9f5"],
    "b": [None, b"", b"\0", b"a", b"\xff"],
    "n": [None, Decimal("-1.50"), Decimal("0.00"), Decimal("9.99")],
    "day": [None, dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2024, 5, 1)],
    "ts": [None, _DAY, _DAY.replace(microsecond=1), dt.datetime(1969, 1, 1, 0, 0, 0, 1)],  # noqa: DTZ001
    "tz": [None, _DAY.replace(tzinfo=_ZONE), dt.datetime(1969, 1, 1, 0, 0, 0, 1, _ZONE)],
    "t": [None, True, False],
    "u": [None, UUID(int=1), UUID(int=1 << 127)],
}
TYPES = {
    "i": pa.int32(),
    "l": pa.int64(),
    "f": pa.float32(),
    "d": pa.float64(),
    "s": pa.string(),
    "b": pa.binary(),
    "n": pa.decimal128(3, 2),
    "day": pa.date32(),
    "ts": pa.timestamp("us"),
    "tz": pa.timestamp("us", "UTC"),
    "t": pa.bool_(),
    "u": pa.uuid(),
}


def _rows(first: int, count: int) -> pa.Table:
    """Rows in which the values of each column follow one another at a step of its own."""
    numbers = range(first, first + count)
    arrays = {"id": pa.array(numbers, pa.int64())}
    for step, (name, values) in enumerate(VALUES.items(), 1):
        taken = [values[(each * step + each // len(values)) % len(values)] for each in numbers]
        if name == "u":
            storage = pa.array([each and each.bytes for each in taken], pa.binary(16))
            arrays[name] = pa.ExtensionArray.from_storage(pa.uuid(), storage)
        else:
            arrays[name] = pa.array(taken, TYPES[name])
    inner = pa.StructArray.from_arrays([arrays["i"], arrays["s"]], ["x", "y"])
    return pa.table({**arrays, "st": inner})


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A table of four files, each an append of its own."""
    catalog = FolderCatalog(tmp_path_factory.mktemp("iceberg"))
    made = catalog.create("t", _rows(0, 1).schema)
    for part in range(4):
        made.append(_rows(part * ROWS // 4, ROWS // 4))
    return open_table(made.metadata_location)


@pytest.fixture(scope="module")
def plain(spark: Any, table: Table) -> Iterator[Any]:
    """The rows of the table, kept in Spark's own cache."""
    frame = _load(spark, table).coalesce(1).cache()
    assert frame.count() == ROWS
    yield frame
    frame.unpersist()


def _load(spark: Any, table: Table, **options: Any) -> Any:
    return spark.read.format(NAME).options(**options).load(table.metadata_location)


def _ids(frame: Any) -> list[int]:
    return sorted(frame.select("id").toArrow()["id"].to_pylist())


# ------------------------------------------------------------------------------- rows


def test_rows_are_those_of_the_local_reader(spark: Any, table: Table) -> None:
    """All columns of all rows are those of the local reader, with UUIDs as text."""
    found = _load(spark, table).orderBy("id").toArrow()
    wanted = table.scan().to_table().sort_by("id")
    for name in wanted.column_names:
        ours = list(map(repr, found[name].to_pylist()))
        local = wanted[name].to_pylist()
        if name == "u":
            local = [each and str(UUID(bytes=each)) for each in local]
        assert ours == list(map(repr, local)), name


def test_columns_are_those_that_are_named(spark: Any, table: Table) -> None:
    """Columns come as named, in their order, nested fields and metadata columns included."""
    found = _load(spark, table, columns="_pos, st.y, id").where("id = 800").toArrow().to_pylist()
    wanted = table.scan("id = 800", columns=["_pos", "st.y", "id"]).to_table().to_pylist()
    assert found == wanted
    given = spark.read.format(NAME).schema("s string, id long").load(table.metadata_location)
    assert given.columns == ["s", "id"]
    assert _ids(given.where("id < 3")) == [0, 1, 2]


def test_a_schema_that_the_table_does_not_have_is_refused(spark: Any, table: Table) -> None:
    """The error for a wrong schema names the column, its type and the table's."""
    given = spark.read.format(NAME).schema("id int").load(table.metadata_location)
    message = r"^byteloom\.iceberg schema\.id: found int, wanted bigint"
    with pytest.raises(FormatError, match=message), plain_errors():
        given.count()


def test_a_table_that_grows_is_read_as_it_was(spark: Any, tmp_path: Path) -> None:
    """A frame keeps to the metadata that it was made of; a new one sees the new rows."""
    made = FolderCatalog(tmp_path).create("t", _rows(0, 1).schema)
    made.append(_rows(0, 5))
    folder = str(tmp_path / "t")
    frame = spark.read.format(NAME).load(folder)
    made.append(_rows(5, 5))
    assert _ids(frame) == list(range(5))
    assert _ids(spark.read.format(NAME).load(folder)) == list(range(10))


def test_time_travel(spark: Any, table: Table) -> None:
    """A snapshot is read by its id or by a moment, and not by two options at once."""
    second = table.snapshots[1]
    assert _load(spark, table, snapshot=second.snapshot_id).count() == ROWS // 2
    assert _load(spark, table, as_of=second.timestamp_ms).count() == ROWS // 2
    with (
        pytest.raises(FormatError, match=r"snapshot: found several, wanted only one"),
        plain_errors(),
    ):
        _load(spark, table, snapshot=second.snapshot_id, ref="main")


def test_a_table_without_snapshots_has_no_rows(spark: Any, tmp_path: Path) -> None:
    """A table without snapshots gives its columns and no rows."""
    FolderCatalog(tmp_path).create("t", _rows(0, 1).schema)
    frame = spark.read.format(NAME).load(str(tmp_path / "t"))
    assert frame.columns[0] == "id"
    assert frame.collect() == []


@pytest.mark.parametrize("kind", ["snapshots", "files", "partitions", "refs"])
def test_metadata_tables(spark: Any, table: Table, kind: str) -> None:
    """A metadata table has the rows of the local reader, in all or some columns."""
    local = table.metadata_table(kind)
    names = local.column_names[:2]
    found = _load(spark, table, metadata_table=kind, columns=",".join(names))
    assert found.toArrow().to_pylist() == local.select(names).to_pylist()
    assert _load(spark, table, metadata_table=kind).count() == local.num_rows


def test_a_metadata_table_that_there_is_not_is_refused(spark: Any, table: Table) -> None:
    """The error for an unknown metadata table lists the known ones."""
    with (
        pytest.raises(FormatError, match=r"^metadata table: found 'filez', wanted"),
        plain_errors(),
    ):
        _load(spark, table, metadata_table="filez")


# ------------------------------------------------------------------------------- partitions


def test_partitions_are_of_about_one_size(table: Table) -> None:
    """Several small files make one partition, as far as the split size allows."""

    def count(**options: str) -> int:
        source = registered("byteloom.iceberg")({"path": table.metadata_location, **options})
        return len(source.reader(source.schema()).partitions())

    assert count() == 1
    assert count(split_size="8m") == 2
    assert count(split_size="1") == 4


def test_what_a_task_is_sent_is_small(table: Table) -> None:
    """A task gets less than 4,000 bytes: a reader and its own work, without the whole plan."""
    source = registered("byteloom.iceberg")(
        {"path": table.metadata_location, "split_size": "1", "filter": "id > 5"}
    )
    reader = source.reader(source.schema())
    sizes = [len(pickle.dumps(each)) for each in reader.partitions()]
    assert max(sizes) < 4000
    again = pickle.loads(pickle.dumps(reader))  # noqa: S301  ours
    rows = [pa.Table.from_batches(again.read(each)) for each in reader.partitions()]
    assert sum(each.num_rows for each in rows) == ROWS - 6
    assert not hasattr(again, "_planned")


# ------------------------------------------------------------------------------- filters


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> tuple[str, Any]:
    """A condition on the columns: how it is written, and a function that makes it for a frame."""
    if depth and draw(st.booleans()):
        parts = draw(st.lists(conditions(depth=depth - 1), min_size=1, max_size=3))
        texts, makers = zip(*parts, strict=True)
        word, operator = draw(st.sampled_from([("and", and_), ("or", or_)]))
        text = f" {word} ".join(f"({each})" for each in texts)
        if draw(st.booleans()):
            return f"not ({text})", lambda f: ~reduce(operator, (make(f) for make in makers))
        return text, lambda f: reduce(operator, (make(f) for make in makers))
    name = draw(st.sampled_from([*VALUES, "st.x", "st.y"]))
    values = VALUES[{"st.x": "i", "st.y": "s"}.get(name, name)]
    known = [str(each) if isinstance(each, UUID) else each for each in values if each is not None]
    value = draw(st.sampled_from(known))
    kind = draw(st.sampled_from(["<", "<=", ">", ">=", "=", "<=>", "in", "null", "text"]))
    return f"{name} {kind} {value!r}", _maker(name, kind, value, draw(st.booleans()), known)


def _maker(name: str, kind: str, value: Any, flag: bool, known: list[Any]) -> Any:
    """A function that makes a condition of a frame's columns."""

    def make(frame: Any) -> Any:
        column = frame[name]
        literal = _literal(name, value)
        if kind == "null":
            return column.isNull() if flag else column.isNotNull()
        if kind == "in":
            others = [None] if flag else []
            return column.isin(literal, _literal(name, known[0]), *others)
        if kind == "text" and isinstance(value, str):
            return column.startswith(value[:1]) if flag else column.contains(value)
        found = {
            "<": lambda: column < literal,
            "<=": lambda: column <= literal,
            ">": lambda: column > literal,
            ">=": lambda: column >= literal,
            "<=>": lambda: column.eqNullSafe(literal),
        }.get(kind, lambda: column == literal)()
        return ~found if flag else found

    return make


def _literal(name: str, value: Any) -> Any:
    """A literal of the column's own type, as Spark would have to cast the column otherwise."""
    from pyspark.sql import functions

    types = {"i": "int", "st.x": "int", "f": "float", "n": "decimal(3,2)", "ts": "timestamp_ntz"}
    made = functions.lit(value)
    return made.cast(types[name]) if name in types else made


@examples(0.1)
@given(asked=st.lists(conditions(), min_size=5, max_size=5))
def test_drawn_filters_keep_the_rows_that_spark_keeps(
    spark: Any, table: Table, plain: Any, asked: list[tuple[str, Any]]
) -> None:
    """Filters, pushed or not, keep the rows that Spark keeps: nulls, NaN, zeros and moments too."""
    for text, make in asked:
        source = _load(spark, table)
        found, wanted = source.where(make(source)), plain.where(make(plain))
        assert _ids(found) == _ids(wanted), text


def _plan(frame: Any) -> tuple[str, str]:
    """The filters that a plan of Spark's says were pushed, and the one that it asks itself."""
    execution = frame._jdf.queryExecution()
    text = frame.sparkSession._jvm.PythonSQLUtils.explainString(execution, "formatted")
    pushed = re.search(r"PushedFilters: \[(.*)\]", text)
    asked = re.search(r"Condition : (.*)", text)
    return pushed[1] if pushed else "", re.sub(r"#\d+L?", "", asked[1]) if asked else ""


@pytest.mark.parametrize(
    ("condition", "shown", "left"),
    [
        ("l > 3 and s = 'ab'", "IsNotNull(l), IsNotNull(s), GreaterThan(l,3), EqualTo(s,ab)", ""),
        (
            "s like 'a%' and not (d < 0.5)",
            "IsNotNull(s), IsNotNull(d), StringStartsWith(s,a), GreaterThanOrEqual(d,0.5)",
            "",
        ),
        ("s like '%b' and id < 9", "IsNotNull(s), IsNotNull(id), LessThan(id,9)", "EndsWith(s, b)"),
        ("l in (1, 2) or day is null", "", "(l IN (1,2) OR isnull(day))"),
        (
            f"u > 'a' and u <> '{UUID(int=1)}'",
            f"IsNotNull(u), Not(EqualTo(u,{UUID(int=1)}))",
            "(u > a)",
        ),
        ("st.x = 7", "IsNotNull(st.x), EqualTo(st.x,7)", ""),
    ],
)
def test_explain_shows_what_was_pushed(
    spark: Any, table: Table, condition: str, shown: str, left: str
) -> None:
    """The explained plan shows the pushed filters, and Spark evaluates only the others."""
    assert _plan(_load(spark, table).where(condition)) == (shown, left)


def test_queries_of_one_frame_do_not_change_each_other(spark: Any, table: Table) -> None:
    """A frame has all rows after a filter was pushed, and each side of a union has its own."""
    frame = _load(spark, table)
    assert _ids(frame.where("id = 3")) == [3]
    assert frame.count() == ROWS
    assert _ids(frame.where("id < 2").union(frame.where("id > 2997"))) == [0, 1, 2998, 2999]


def test_a_session_without_pushdown_finds_and_reads_the_source(spark: Any, table: Table) -> None:
    """A session with pushdown switched off finds the source, and Spark evaluates all filters."""
    other = spark.newSession()
    other.conf.set("spark.sql.python.filterPushdown.enabled", "false")
    frame = _load(other, table).where("id < 7 and s is not null")
    assert _ids(frame) == _ids(_load(spark, table).where("id < 7 and s is not null"))
    assert _plan(frame) == ("", "((isnotnull(id) AND (id < 7)) AND isnotnull(s))")


def test_filters_are_left_to_spark_where_scans_share_a_source(table: Table) -> None:
    """Without byteloom's optimizer rule, scans share a source and leave their filters to Spark."""
    from pyspark.sql.datasource import EqualTo

    source = registered("byteloom.iceberg")({"path": table.metadata_location})
    reader = source.reader(source.schema())
    asked = [EqualTo(("id",), 3)]
    assert list(reader.pushFilters(asked)) == asked
    batches = [batch for each in reader.partitions() for batch in reader.read(each)]
    assert sum(each.num_rows for each in batches) == ROWS


def test_the_filter_option_is_asked_beside_those_of_spark(spark: Any, table: Table) -> None:
    """The option ``filter`` takes `or` and transforms, in addition to what Spark pushes."""
    frame = _load(spark, table, filter="day(ts) = '1969-01-01' or id = 3")
    wanted = table.scan("(day(ts) = '1969-01-01' or id = 3) and id < 50", columns=["id"])
    assert _ids(frame.where("id < 50")) == sorted(wanted.to_table()["id"].to_pylist())


# ------------------------------------------------------------------------------- damage


def _damaged(folder: Path, name: str) -> Table:
    """A table of one file, whose pages of one column are overwritten."""
    made = FolderCatalog(folder).create("t", _rows(0, 1).schema)
    made.append(_rows(0, 500))
    (path,) = (folder / "t" / "data").rglob("*.parquet")
    footer = pq.read_metadata(path)
    data = bytearray(path.read_bytes())
    for at in range(footer.num_columns):
        chunk = footer.row_group(0).column(at)
        if chunk.path_in_schema == name:
            begin = chunk.dictionary_page_offset or chunk.data_page_offset
            data[begin : begin + chunk.total_compressed_size] = (
                b"\xff" * chunk.total_compressed_size
            )
    path.write_bytes(data)
    return open_table(made.metadata_location)


def test_columns_that_are_not_asked_for_are_not_read(spark: Any, tmp_path: Path) -> None:
    """Damage in a column that is not selected is not noticed."""
    damaged = _damaged(tmp_path, "l")
    assert _ids(_load(spark, damaged, columns="id,s").where("id < 3")) == [0, 1, 2]


def test_damage_reaches_the_driver_with_its_file(spark: Any, tmp_path: Path) -> None:
    """The driver raises the local reader's error for a damaged file, in the same words."""
    damaged = _damaged(tmp_path, "l")
    with pytest.raises(FormatError) as local:
        damaged.scan().select("l").to_table()
    (path,) = (tmp_path / "t" / "data").rglob("*.parquet")
    assert path.name in str(local.value)
    with pytest.raises(FormatError, match=f"^{re.escape(str(local.value))}$"), plain_errors():
        _load(spark, damaged).select("l").toArrow()
