"""Java Iceberg reads the tables that byteloom writes and changes, and changes them further."""

from __future__ import annotations

import datetime as dt
import struct
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.support.java_tables import canonical
from tests.support.variants import Number, encode, metadata_of

from byteloom.iceberg import create_table
from byteloom.iceberg.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.java_tables import JavaIceberg, LiveTable

    from byteloom.iceberg import Table

pytestmark = pytest.mark.peer("iceberg")

COLUMNS: Final = pa.schema(
    {
        "id": pa.int64(),
        "small": pa.int32(),
        "single": pa.float32(),
        "ratio": pa.float64(),
        "price": pa.decimal128(20, 2),
        "flag": pa.bool_(),
        "day": pa.date32(),
        "clock": pa.time64("us"),
        "at": pa.timestamp("us"),
        "moment": pa.timestamp("us", "UTC"),
        "city": pa.string(),
        "raw": pa.binary(),
        "key": pa.binary(3),
        "tags": pa.list_(pa.string()),
        "counts": pa.map_(pa.string(), pa.int32()),
        "point": pa.struct({"x": pa.int32(), "y": pa.float64()}),
    }
)
START: Final = dt.datetime(1969, 12, 27, 1, 2, 3)  # noqa: DTZ001  of a column without a zone


def rows(first: int, end: int) -> pa.Table:
    """Return the rows with these numbers; each fifth has only its id."""
    full = [
        {
            "id": number,
            "small": -number,
            "single": number / 4,
            "ratio": float("nan") if number % 7 == 3 else number / 8,
            "price": number * 10,
            "flag": number % 2 == 0,
            "day": (START + dt.timedelta(days=number)).date(),
            "clock": dt.time(number % 24, 5),
            "at": START + dt.timedelta(hours=number),
            "moment": (START + dt.timedelta(hours=number)).replace(tzinfo=dt.UTC),
            "city": "a/b=c ü+" if number % 3 else "Oslo",
            "raw": bytes([number, 255]),
            "key": bytes([number, 0, 1]),
            "tags": ["x"] * (number % 3),
            "counts": [("a", number)],
            "point": {"x": number, "y": None},
        }
        if number % 5
        else {"id": number}
        for number in range(first, end)
    ]
    return pa.Table.from_pylist(full, schema=COLUMNS)


def transacted(table: Table) -> Table:
    """Return a table after three changes in one commit."""
    with table.transaction() as change:
        change.append(rows(90, 95))
        change.delete("id = 91")
        change.set_properties({"owner": "ops"})
    return change.table


def picked(table: Table) -> Table:
    """Return a table after a staged append and staged partitions were picked, in this order.

    The append is to other partitions; without partitions only these are picked.
    """
    staged = table.overwrite_partitions(rows(20, 25), stage=True)
    replaced = staged.snapshots[-1].snapshot_id
    if table.metadata.spec().is_unpartitioned:
        return staged.cherry_pick(replaced)
    staged = staged.append(rows(49, 50), stage="load").delete("id = 49")
    return staged.cherry_pick(staged.snapshots[-2].snapshot_id).cherry_pick(replaced)


CHANGES: Final[dict[str, Callable[[Table], Table]]] = {
    "append": lambda t: t.append(rows(60, 70)),
    "delete": lambda t: t.delete("id < 7 or city = 'Oslo'").delete("id in (8, 31)"),
    "delete a file": lambda t: t.append(rows(100, 110)).delete("id >= 100"),
    "update": lambda t: t.update({"small": pc.field("small") * 2, "city": "new"}, "id > 30"),
    "upsert": lambda t: t.upsert(rows(35, 45), on=["id"]),
    "overwrite": lambda t: t.overwrite(rows(70, 75), "id > 10 and id < 20"),
    "overwrite partitions": lambda t: t.overwrite_partitions(rows(20, 25)),
    "transaction": transacted,
    "picks": picked,
    "evolve": lambda t: (
        t.evolve().add_column("tip", "double").rename_column("city", "town").drop_column("raw")
    ).commit(),
    "rollback": lambda t: t.append(rows(60, 70)).rollback(to=t.snapshots[-1].snapshot_id),
    "branch": lambda t: (
        t.create_branch("audit")
        .append(rows(60, 62), branch="audit")
        .fast_forward("main", to="audit")
    ),
    "merged manifests": lambda t: (
        t.set_properties({"commit.manifest.min-count-to-merge": "2"})
        .append(rows(60, 62))
        .append(rows(62, 64))
    ),
    "many deletes": lambda t: t.delete("id = 1").delete("id = 2").delete("id = 21"),
    "delete, append": lambda t: t.delete("small < -20").append(rows(20, 50)).delete("id = 22"),
}
WITH_DELETES: Final[dict[str, Callable[[Table], Table]]] = {
    "delete keys": lambda t: t.delete_keys(pa.table({"id": [2, 7, 33]})).append(rows(2, 3)),
    "keys, then rows": lambda t: t.delete_keys(pa.table({"id": [2, 33]})).delete("id in (3, 34)"),
}
PARTITIONS: Final = {
    "plain": [],
    "times": ["month(at)", "day(moment)"],
    "values": ["bucket(4, id)", "truncate(2, city)", "flag"],
}
WAYS: Final = [(1, "copy-on-write"), (2, "copy-on-write"), (2, "merge-on-read")]
WAYS.extend([(3, "copy-on-write"), (3, "merge-on-read")])
CASES: Final = [
    (name, *way, partition_by)
    for way in WAYS
    for name in ({**CHANGES, **WITH_DELETES} if way[0] > 1 else CHANGES)
    for partition_by in PARTITIONS
]
OFTEN: Final = 4
"""Each fourth case is tried always, the others by ``make sweep``."""

FORMATS: Final = ("parquet", "orc", "avro")


def table_of(
    folder: Path, version: int, mode: str, partition_by: list[str], form: str = "parquet"
) -> Table:
    """Return a table of fifty rows in three snapshots, changed in a mode."""
    properties = {f"write.{verb}.mode": mode for verb in ("delete", "update", "merge")}
    properties["write.format.default"] = form
    table = create_table(
        folder, COLUMNS, partition_by=partition_by, format_version=version, properties=properties
    )
    return table.append(rows(0, 20)).append(rows(20, 21)).append(rows(21, 50))


def compare(table: Table, java: LiveTable) -> None:
    """Hold the rows of every snapshot, and the plan, to what Java finds."""
    for each in table.snapshots:
        scan = table.scan(snapshot=each.snapshot_id)
        found = java.read(scan.to_table().schema, snapshot=each.snapshot_id)
        assert Counter(found) == Counter(canonical(scan.to_table())), each.summary
    now = table.scan().to_table()
    assert Counter(java.read(now.schema)) == Counter(canonical(now))
    tasks = table.scan().plan().tasks()
    assert java.plan() == {
        each.file_path: sorted(of.file_path for of in each.deletes) for each in tasks
    }


@pytest.mark.parametrize(
    ("name", "version", "mode", "partition_by"),
    [
        pytest.param(*each, marks=[] if number % OFTEN == 0 else pytest.mark.slow)
        for number, each in enumerate(CASES)
    ],
)
def test_java_finds_the_rows(  # noqa: PLR0917  each is one thing that differs
    iceberg: JavaIceberg, tmp_path: Path, name: str, version: int, mode: str, partition_by: str
) -> None:
    """After each change Java reads the rows of every snapshot, and plans the same files."""
    table = table_of(tmp_path / "t", version, mode, PARTITIONS[partition_by])
    changed = {**CHANGES, **WITH_DELETES}[name](table)
    compare(changed, iceberg.opened(changed))
    assert changed.verify() == []


@pytest.mark.parametrize(
    ("form", "name", "version", "mode", "partition_by"),
    [
        pytest.param(form, *each, marks=[] if number % (2 * OFTEN) == 0 else pytest.mark.slow)
        for form in ("orc", "avro")
        for number, each in enumerate(each for each in CASES if each[3] != "values")
    ],
)
def test_java_finds_the_rows_of_other_formats(  # noqa: PLR0917  as above
    iceberg: JavaIceberg,
    tmp_path: Path,
    form: str,
    name: str,
    version: int,
    mode: str,
    partition_by: str,
) -> None:
    """The same holds where files, delete files too, are of ORC or Avro."""
    table = table_of(tmp_path / "t", version, mode, PARTITIONS[partition_by], form)
    changed = {**CHANGES, **WITH_DELETES}[name](table)
    compare(changed, iceberg.opened(changed))
    assert changed.verify() == []


@pytest.mark.parametrize("form", ["parquet", "avro"])
@pytest.mark.parametrize("unit", ["us", "ns"])
def test_java_reads_moments_before_1970(
    iceberg: JavaIceberg, tmp_path: Path, unit: str, form: str
) -> None:
    """Java finds moments with fractions of seconds on both sides of 1970."""
    columns = pa.schema({"at": pa.timestamp(unit), "moment": pa.timestamp(unit, "UTC")})
    numbers = pa.array([-1, 1, -1_000_001, -(1 << 52) - 7, 1 << 52, None], pa.int64())
    given = pa.table([numbers.cast(each.type) for each in columns], schema=columns)
    table = create_table(tmp_path / "t", columns, format_version=3)
    compare(table := table.append(given, file_format=form), iceberg.opened(table))


NEWEST: Final = {
    "nanos": "timestamp_ns",
    "moment": "timestamptz_ns",
    "none": "unknown",
    "value": "variant",
    "shape": "geometry",
    "far": "geometry(EPSG:3857)",
    "place": "geography",
    "curve": "geography(EPSG:4326, karney)",
}
"""Columns of types that came with version 3."""


def newest(numbers: range) -> pa.Table:
    """Return rows with these columns, every third of which has only its id."""
    metadata = metadata_of(["a"])
    present = [each if each % 3 else None for each in numbers]
    moments = pa.array(
        [None if each is None else each * 10**15 + 7 for each in present], pa.int64()
    )
    values = [
        {"metadata": metadata, "value": encode({"a": ["x", None, Number(5, each)]}, ["a"])}
        if each is not None
        else None
        for each in present
    ]
    shapes = pa.array(
        [None if each is None else struct.pack("<BIdd", 1, 1, each, -each) for each in present],
        pa.binary(),
    )
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "nanos": moments.cast(pa.timestamp("ns")),
            "moment": moments.cast(pa.timestamp("ns", "UTC")),
            "none": pa.nulls(len(numbers)),
            "value": pa.array(values),
            **dict.fromkeys(["shape", "far", "place", "curve"], shapes),
        }
    )


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_java_reads_types_of_version_3(
    iceberg: JavaIceberg, tmp_path: Path, mode: str, form: str
) -> None:
    """Java finds variants, shapes, nanoseconds and what is always null, after changes too."""
    # Java reads no shapes from ORC.
    names = [each for each in NEWEST if form != "orc" or "geo" not in NEWEST[each]]
    fields = [{"id": 1, "name": "id", "required": True, "type": "long"}]
    fields += [
        {"id": 2 + at, "name": each, "required": False, "type": NEWEST[each]}
        for at, each in enumerate(names)
    ]
    schema = Schema.from_json({"type": "struct", "schema-id": 0, "fields": fields})
    properties = {f"write.{verb}.mode": mode for verb in ("delete", "update", "merge")}
    properties["write.format.default"] = form
    table = create_table(tmp_path / "t", schema, format_version=3, properties=properties)
    table = table.append(newest(range(20)).select(["id", *names]))
    table = table.append(pa.table({"id": [20]})).delete("id = 4").update({"id": 30}, "id = 5")
    table = table.upsert(newest(range(18, 23)).select(["id", *names]), on="id")
    compare(table, iceberg.opened(table))
    assert table.verify() == []


@pytest.mark.parametrize("form", ["parquet", "avro"])
def test_java_reads_defaults(iceberg: JavaIceberg, tmp_path: Path, form: str) -> None:
    """Java finds a new column's default in older rows, and in rows that lack it."""
    table = create_table(tmp_path / "t", pa.schema({"id": pa.int64()}), format_version=3)
    table = table.append(pa.table({"id": [1]}), file_format=form)
    change = table.evolve().add_column("city", "string", default="Oslo")
    table = change.add_column("price", "decimal(9, 2)", default=Decimal("1.50")).commit()
    table = table.append(pa.table({"id": [2]}), file_format=form)
    compare(table, iceberg.opened(table))
    assert table.scan().to_table()["city"].to_pylist() == ["Oslo", "Oslo"]


# Java's generic readers order null below all values, and NaN above, and so keep them under < and >.
FILTERS: Final[dict[str, dict[str, Any]]] = {
    "id < 3": {"type": "lt", "term": "id", "value": 3},
    "small = -7": {"type": "eq", "term": "small", "value": -7},
    "city = 'Oslo'": {"type": "eq", "term": "city", "value": "Oslo"},
    "ratio = 2": {"type": "eq", "term": "ratio", "value": 2.0},
    "ratio is nan": {"type": "is-nan", "term": "ratio"},
    "price > 40": {"type": "gt", "term": "price", "value": "40.00"},
    "day >= '1970-01-20'": {"type": "gt-eq", "term": "day", "value": "1970-01-20"},
    "flag is null": {"type": "is-null", "term": "flag"},
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("partition_by", PARTITIONS)
@pytest.mark.parametrize("version", [1, 2, 3])
def test_java_finds_the_metrics_right(
    iceberg: JavaIceberg, tmp_path: Path, version: int, partition_by: str, form: str
) -> None:
    """No file that Java leaves out by our bounds, counts and partitions has a row that it wants."""
    table = table_of(tmp_path / "t", version, "copy-on-write", PARTITIONS[partition_by], form)
    java = iceberg.opened(table)
    for text, each in FILTERS.items():
        ours = table.scan(text).to_table()
        assert Counter(java.read(ours.schema, filter=each)) == Counter(canonical(ours)), text


@pytest.mark.parametrize("version", [1, 2, 3])
def test_both_change_one_table_by_turns(iceberg: JavaIceberg, tmp_path: Path, version: int) -> None:
    """Java removes a file and changes the schema; we go on where it ended, and it after us."""
    table = table_of(tmp_path / "t", version, "copy-on-write", ["bucket(4, id)"])
    java = iceberg.opened(table)
    gone = table.scan("id = 7").plan().files["file_path"][0].as_py()
    java.order("commit", remove=[gone])
    java.order("alter", rename={"city": "town"}, promote={"small": "long"})
    table = java.open()
    assert table.verify() == []
    table = table.append(rows(60, 70).rename_columns({"city": "town"})).delete("id < 10")
    java = iceberg.opened(table)
    compare(table, java)
    java.order("alter", drop=["town"])
    compare(java.open(), java)
