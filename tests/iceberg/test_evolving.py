"""Tables are evolved by commits: rows stay, what is there is used again, and errors change nothing.

How each change of a schema or spec is checked is tested in `test_evolution`.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from byteloom.errors import CommitConflict, FormatError, LimitExceeded
from byteloom.iceberg import NameMapping, create_table, open_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.iceberg import Table

COLUMNS = pa.schema(
    {
        "id": pa.int32(),
        "fare": pa.float32(),
        "day": pa.date32(),
        "price": pa.decimal128(9, 2),
        "point": pa.struct({"x": pa.int32(), "y": pa.int32()}),
        "tags": pa.list_(pa.int32()),
    }
)
ROW: dict[str, Any] = {
    "id": 1,
    "fare": 0.5,
    "day": dt.date(2024, 6, 1),
    "price": Decimal("1.25"),
    "point": {"x": 2, "y": 3},
    "tags": [4],
}


@pytest.fixture(params=[1, 2, 3])
def table(tmp_path: Path, request: pytest.FixtureRequest) -> Table:
    """A partitioned and sorted table of one row."""
    made = create_table(
        tmp_path / "t",
        COLUMNS,
        partition_by=["bucket(4, id)"],
        sort_by=["fare desc"],
        format_version=request.param,
    )
    return made.append(pa.Table.from_pylist([ROW], schema=COLUMNS))


def of_id(number: int) -> pa.Table:
    """Return a row that has only its id."""
    return pa.table({"id": pa.array([number], pa.int32())})


def rows(table: Table) -> list[dict[str, Any]]:
    """Return the rows, in the order of their ids."""
    found: list[dict[str, Any]] = table.scan().to_table().to_pylist()
    return sorted(found, key=lambda each: each["id"])


def names(table: Table) -> list[str]:
    """Return the names of the columns."""
    return [each.name for each in table.schema.fields]


def test_a_schema_changes_in_one_commit_and_rows_stay(table: Table) -> None:
    """Old rows are read by the new schema, new ones are written by it, and others may follow."""
    made = (
        table.evolve()
        .add_column("tip", "double", doc="what is left")
        .add_column("point.z", pa.int64())
        .rename_column("fare", "cost")
        .update_column("id", "long", doc="of the trip")
        .update_column("price", "decimal(12, 2)")
        .update_column("tags.element", "long")
        .rename_column("point.x", "east")
        .drop_column("point.y")
        .move_first("day")
        .move_after("tip", "day")
        .move_before("id", "fare")
        .commit()
    )
    assert len(made.metadata.document.metadata_log) == len(table.metadata.document.metadata_log) + 1
    assert names(made) == ["day", "tip", "id", "cost", "price", "point", "tags"]
    point, tags = {"east": 2, "z": None}, [4]
    expected = {"day": ROW["day"], "tip": None, "id": 1, "cost": 0.5, "price": ROW["price"]}
    assert rows(made) == [{**expected, "point": point, "tags": tags}]
    big = {
        **expected,
        "id": 1 << 40,
        "tip": 1.5,
        "point": {"east": None, "z": 7},
        "tags": [1 << 40],
    }
    arrow = made.scan().to_table().schema
    more = made.append(pa.Table.from_pylist([big], schema=arrow))
    assert rows(more)[1] == big
    assert more.verify() == []
    assert rows(open_table(table.metadata.location).append(of_id(5)))[1]["id"] == 5
    found = made.schema.find("id")
    assert found is not None
    assert found.doc == "of the trip"
    assert (names(table), rows(table)) == (COLUMNS.names, [ROW])  # the old one stays as it was


def test_specs_and_orders_change_for_new_files(table: Table) -> None:
    """New files have the new spec and order; partition fields name columns as they are after it."""
    made = (
        table.evolve()
        .add_column("city", "string")
        .rename_column("fare", "cost")
        .drop_partition_field("id_bucket_4")
        .add_partition_field("city")
        .add_partition_field("month(day)", "m")
        .sort_by("cost", "id desc nulls first")
        .commit()
    )
    row = {**ROW, "cost": 1.5, "city": "Oslo"}
    row.pop("fare")
    made = made.append(pa.Table.from_pylist([row], schema=made.scan().to_table().schema))
    fields = [(each.name, str(each.transform)) for each in made.metadata.spec().fields]
    wanted = [("city", "identity"), ("m", "month")]
    assert fields == (
        [("id_bucket_4", "void"), *wanted] if made.metadata.format_version == 1 else wanted
    )
    files = made.metadata_table("files").to_pylist()
    assert sorted((each["spec_id"], each["sort_order_id"]) for each in files) == [(0, 1), (1, 2)]
    assert made.scan("city = 'Oslo' and day = '2024-06-01'").count() == 1
    assert made.verify() == []
    renamed = made.evolve().rename_partition_field("m", "day_month").sort_by().commit()
    assert renamed.metadata.spec().fields[-1].name == "day_month"
    assert renamed.metadata.default_sort_order_id == 0
    assert (
        renamed.append(pa.Table.from_pylist([row], schema=made.scan().to_table().schema)).verify()
        == []
    )


def test_what_the_table_has_is_used_again(table: Table) -> None:
    """An equal schema, spec or order has its old id; ids of columns are never given again."""
    step = table.evolve().rename_column("fare", "cost").sort_by("id").add_partition_field("day")
    there = step.commit()
    back = (
        there.evolve()
        .rename_column("cost", "fare")
        .sort_by("fare desc")
        .drop_partition_field("day")
        .commit()
    )
    for each in (table, back):
        metadata = each.metadata
        found = (metadata.current_schema_id, metadata.default_sort_order_id)
        assert found == (0, 1)
    if table.metadata.format_version > 1:  # where a dropped field stays, as void
        assert back.metadata.default_spec_id == 0
    assert [len(each.metadata.schemas) for each in (table, there, back)] == [1, 2, 2]
    assert [len(each.metadata.sort_orders) for each in (table, there, back)] == [1, 2, 2]
    last = back.metadata.document.last_column_id
    grown = back.evolve().add_column("a", "int").commit().evolve().drop_column("a").commit()
    again = grown.evolve().add_column("a", "int").commit().schema.find("a")
    assert again is not None
    assert (grown.metadata.current_schema_id, again.id) == (0, last + 2)
    assert back.verify() == grown.verify() == []


def test_nothing_to_change_is_no_commit(table: Table) -> None:
    """Without steps, or with such as change nothing, the table is the same."""
    same = (
        table.evolve().rename_column("fare", "fare").update_column("id", "int").sort_by("fare desc")
    )
    for each in (table.evolve(), same.upgrade(table.metadata.format_version)):
        assert each.commit().metadata_location == table.metadata_location


def test_another_writers_evolution_is_kept(table: Table) -> None:
    """Steps are taken again on the newest state: names and ids are those of then."""
    table.evolve().add_column("a", "int").drop_column("price").commit()
    made = table.evolve().add_column("b", "int").add_partition_field("day").commit()
    assert names(made)[-2:] == ["a", "b"]
    ids = [each.id for each in made.schema.fields]
    assert len(set(ids)) == len(ids)
    with pytest.raises(FormatError, match="price: found no such column"):
        table.evolve().drop_column("price").commit()
    with pytest.raises(FormatError, match="a: found a name that is taken"):
        table.evolve().add_column("a", "int").commit()
    assert made.verify() == []


def test_a_conflict_is_reported_where_no_further_attempt_is_allowed(table: Table) -> None:
    """With commit.retry.num-retries of 0 the second writer is refused."""
    base = table.set_properties({"commit.retry.num-retries": "0"})
    base.evolve().add_column("a", "int").commit()
    with pytest.raises(CommitConflict):
        base.evolve().add_column("b", "int").commit()


def test_defaults_are_the_values_of_old_and_new_rows(table: Table) -> None:
    """Version 3 has defaults, written as in filters; earlier versions refuse them."""
    change = (
        table.evolve()
        .add_column("city", "string", required=True, default="Oslo")
        .add_column("until", "date", default="2024-06-30")
        .add_column("rate", "decimal(4, 2)", default=0.25)
    )
    if table.metadata.format_version < 3:
        with pytest.raises(FormatError, match="city: found a default in version"):
            change.commit()
        return
    made = change.commit().evolve().update_column("city", default="Rome").commit()
    found = made.append(of_id(2))
    values = [(each["city"], each["until"], each["rate"]) for each in rows(found)]
    rest = (dt.date(2024, 6, 30), Decimal("0.25"))
    assert values == [("Oslo", *rest), ("Rome", *rest)]
    assert found.verify() == []


def test_a_table_is_upgraded_and_its_rows_stay(table: Table) -> None:
    """Old snapshots stay readable, and new ones have what the version asks for."""
    version = table.metadata.format_version
    for new in range(version + 1, 4):
        table = table.evolve().upgrade(new).commit()
        assert table.metadata.format_version == new
        assert table.verify() == []
        assert len(rows(table)) == new - version
        table = table.append(of_id(new))
        assert table.verify() == []
        assert open_table(table.metadata_location).scan().count() == new - version + 1
    if version == 2:
        assert table.metadata.document.next_row_id == 2
    with pytest.raises(FormatError, match="format_version: found 2, wanted 3: versions only rise"):
        table.evolve().upgrade(2).commit()


def test_a_type_of_the_new_version_comes_with_the_upgrade(tmp_path: Path) -> None:
    """One commit raises the version and adds what only that one has."""
    table = create_table(tmp_path / "t", COLUMNS, format_version=1)
    change = table.evolve().add_column("at", "timestamp_ns").add_column("n", "int", default=7)
    made = change.upgrade(3).commit()
    assert made.append(of_id(1)).scan().to_table()["n"].to_pylist() == [7]
    assert made.verify() == []


def test_a_name_mapping_follows_the_schema(table: Table) -> None:
    """New names are added to the mapping of files without ids."""
    mapping = '[{"field-id": 2, "names": ["fare"]}]'
    made = table.set_properties({"schema.name-mapping.default": mapping})
    made = made.evolve().rename_column("fare", "cost").commit()
    found = NameMapping.parse(made.metadata.properties["schema.name-mapping.default"])
    assert '"cost"' in str(found.to_json()).replace("'", '"')


def test_columns_become_required_and_identifiers_where_that_is_allowed(table: Table) -> None:
    """Rows may have nulls, so only those who know better may forbid them."""
    with pytest.raises(FormatError, match="id: found optional to required"):
        table.evolve().make_required("id").commit()
    made = table.evolve(allow_incompatible=True).make_required("id").identify_by("id").commit()
    assert made.schema.identifier_field_ids == (1,)
    assert made.verify() == []
    with pytest.raises(FormatError, match="id: found an identifier field that is dropped"):
        made.evolve().drop_partition_field("id_bucket_4").drop_column("id").commit()
    free = made.evolve().identify_by().make_optional("id").commit()
    assert free.schema.identifier_field_ids == ()


BAD: list[tuple[Any, str]] = [
    (lambda e: e.add_column("", "int"), "name: found ''"),
    (lambda e: e.add_column(None, "int"), "name: found None"),
    (lambda e: e.add_column("point.", "int"), "name: found 'point.'"),
    (lambda e: e.add_column(".a", "int").commit(), "name: found '.a'"),
    (lambda e: e.add_column("id", "int"), "id: found a name that is taken"),
    (lambda e: e.add_column("a", "int").add_column("a", "int"), "two fields named 'a'"),
    (lambda e: e.add_column("nope.a", "int"), "nope: found no such column"),
    (lambda e: e.add_column("id.a", "int"), "id: found int, wanted a struct"),
    (lambda e: e.add_column("a", "int64"), "a.type: found 'int64'"),
    (lambda e: e.add_column("a", 5), "a: found 5, wanted a type"),
    (lambda e: e.add_column("a", "list<int, int>"), "a.type: found 'list<int, int>'"),
    (lambda e: e.add_column("a", "struct<x>"), "a.type: found 'x', wanted a field"),
    (lambda e: e.add_column("a", "struct<x: int, x: int>"), "two fields named 'x'"),
    (lambda e: e.add_column("a", "map<int>"), "a.type: found 'map<int>'"),
    (lambda e: e.add_column("a", "decimal(50, 2)"), "decimal"),
    (lambda e: e.add_column("a", pa.uint64()), "column a: found Arrow's uint64"),
    (lambda e: e.add_column("a", "int", required=True), "a: found a new required column"),
    (lambda e: e.add_column("a", "int", default="x"), "a: found 'x', wanted a default of type int"),
    (lambda e: e.add_column("a", "int", default=1.5), "a: found 1.5, wanted a default of type int"),
    (lambda e: e.drop_column("nope"), "nope: found no such column"),
    (
        lambda e: e.drop_column("day").rename_column("day", "d"),
        "day: found a column that is dropped",
    ),
    (lambda e: e.move_first("day").drop_column("day"), "day: found a move of or beside"),
    (
        lambda e: e.move_first("id").move_after("id", "day").drop_column("day"),
        "day: found a move of",
    ),
    (lambda e: e.move_after("id", "id"), "id: found a move after itself"),
    (lambda e: e.move_before("id", "point.x"), "id: found a move before point.x"),
    (lambda e: e.move_first("tags.element"), "tags.element: found a move inside"),
    (lambda e: e.rename_column("id", "day"), "two fields named 'day'"),
    (lambda e: e.rename_column("tags.element", "e"), "tags.element: found list"),
    (lambda e: e.update_column("id", "string"), "id: found int to string"),
    (lambda e: e.update_column("fare", "float").update_column("price", "decimal(9, 3)"), "price: "),
    (lambda e: e.update_column("point", "int"), "a promotion of a primitive type"),
    (lambda e: e.drop_column("id"), "id: found dropped, wanted a column that partition field"),
    (lambda e: e.drop_column("fare"), "fare: found dropped, wanted a column that the sort order"),
    (lambda e: e.add_partition_field("bucket(0, id)"), "bucket"),
    (lambda e: e.add_partition_field("day("), "term: found 'day\\('"),
    (lambda e: e.add_partition_field("day(id)"), "id: found day of int"),
    (lambda e: e.add_partition_field("bucket(4, id)"), "bucket\\[4\\] of id again"),
    (lambda e: e.add_partition_field("bucket(8, id)", "day"), "day: found the name of a column"),
    (lambda e: e.add_partition_field("tags.element"), "tags.element: found a field in a list"),
    (lambda e: e.drop_partition_field("nope"), "nope: found no such partition field"),
    (lambda e: e.sort_by("nope"), "nope: found no such column"),
    (lambda e: e.sort_by(3), "sort_by: found 3"),
    (lambda e: e.identify_by("id"), "id: found an optional identifier field"),
    (lambda e: e.upgrade(4), "format_version: found 4"),
    (lambda e: e.upgrade(True), "format_version: found True"),
    (lambda e: e.upgrade("3"), "format_version: found '3'"),
    (lambda e: e.add_column("\ud800", "int"), "wanted text without lone surrogates"),
]


@pytest.mark.parametrize(("change", "found"), BAD)
def test_what_the_spec_does_not_allow_is_refused(
    table: Table, change: Callable[[Any], Any], found: str
) -> None:
    """The error names the column, and nothing is committed."""
    with pytest.raises(FormatError, match=found):
        change(table.evolve()).commit()
    newest = open_table(table.metadata.location)
    assert newest.metadata_location == table.metadata_location


def test_types_inside_types_have_an_end(table: Table) -> None:
    """A text of a thousand levels is refused, not followed."""
    with pytest.raises(LimitExceeded, match="101 levels"):
        table.evolve().add_column("deep", "list<" * 1000 + "int" + ">" * 1000)
