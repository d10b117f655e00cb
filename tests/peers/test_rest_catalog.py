"""Tables of a REST catalog, which Java Iceberg's own handlers serve: both sides write and read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.support.java_tables import canonical
from tests.support.rest_catalogs import Line, RestServer, line_to, rest_catalog

from byteloom.errors import (
    AlreadyExists,
    CommitConflict,
    CommitUnknown,
    StorageError,
)
from byteloom.iceberg import catalog_of, create_table, open_table
from byteloom_generated.iceberg.table_updates import AddSnapshot, SetSnapshotRef

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.java_tables import JavaIceberg

    from byteloom.iceberg import Table

pytestmark = pytest.mark.peer("iceberg")

COLUMNS: Final = pa.schema({"id": pa.int64(), "city": pa.string(), "small": pa.int32()})
PROMPT: Final = {"commit.retry.min-wait-ms": "1", "commit.status-check.min-wait-ms": "1"}


def rows(first: int, end: int) -> pa.Table:
    """Return the rows with these numbers."""
    each = range(first, end)
    given = {"id": list(each), "city": [f"c{n % 3}" for n in each], "small": [-n for n in each]}
    return pa.table(given, COLUMNS)


@pytest.fixture
def server(iceberg: JavaIceberg, tmp_path: Path) -> RestServer:
    """A REST catalog without tables."""
    return RestServer(iceberg, tmp_path / "wh")


@pytest.fixture
def line(server: RestServer) -> Iterator[Line]:
    """A line to it."""
    with line_to(server.port) as made:
        yield made


def table_of(server: RestServer, version: int = 2, mode: str = "copy-on-write") -> Table:
    """Return a new table with ten rows."""
    modes = {f"write.{verb}.mode": mode for verb in ("delete", "update", "merge")}
    table = create_table(
        "shop.t",
        COLUMNS,
        catalog=server.catalog,
        partition_by=["bucket(2, id)"],
        sort_by=["id desc"],
        format_version=version,
        properties=PROMPT | modes,
    )
    return table.append(rows(0, 10))


def compare(server: RestServer, table: Table) -> None:
    """Hold a table to what Java finds in its catalog."""
    java = server.java(table)
    now = table.scan().to_table()
    assert Counter(java.read(now.schema)) == Counter(canonical(now))
    assert table.verify() == []
    newest = open_table("shop.t", catalog=server.catalog)
    assert newest.metadata_location == table.metadata_location


def transacted(table: Table) -> Table:
    """Return a table after three changes in one commit."""
    with table.transaction() as change:
        change.append(rows(90, 95))
        change.delete("id = 91")
        change.set_properties({"owner": "ops"})
    return change.table


CHANGES: Final[dict[str, Callable[[Table], Table]]] = {
    "append": lambda t: t.append(rows(20, 30)),
    "delete": lambda t: t.delete("id < 3"),
    "delete all": lambda t: t.delete("true"),
    "overwrite": lambda t: t.overwrite(rows(40, 45), "id > 7"),
    "overwrite partitions": lambda t: t.overwrite_partitions(rows(4, 5)),
    "update": lambda t: t.update({"small": pc.field("small") * 2}, "id > 5"),
    "upsert": lambda t: t.upsert(rows(5, 15), on=["id"]),
    "transaction": transacted,
    "evolve": lambda t: (
        (t.evolve().add_column("tip", "double").rename_column("city", "town").drop_column("small"))
        .add_partition_field("truncate(2, town)")
        .sort_by("town desc nulls last")
        .commit()
    ),
    "properties": lambda t: t.set_properties({"owner": "ops"}).remove_properties("owner", "none"),
    "branch": lambda t: (
        t.create_branch("audit", max_snapshot_age="2h")
        .create_tag("first", max_age="90d")
        .append(rows(60, 62), branch="audit")
        .fast_forward("main", to="audit")
        .drop_ref("audit")
    ),
    "rollback": lambda t: t.append(rows(60, 70)).rollback(to=t.metadata.current_snapshot_id),
    "cherry-pick": lambda t: picked(t.create_branch("audit")),
}


def picked(table: Table) -> Table:
    """Return a table whose main branch has what another one added."""
    table = table.append(rows(60, 70), branch="audit").append(rows(70, 75))
    return table.cherry_pick(table.metadata.refs["audit"].snapshot_id)


@pytest.mark.parametrize(
    ("version", "mode"),
    [
        (1, "copy-on-write"),
        pytest.param(2, "copy-on-write", marks=pytest.mark.slow),
        pytest.param(2, "merge-on-read", marks=pytest.mark.slow),
        pytest.param(3, "copy-on-write", marks=pytest.mark.slow),
        (3, "merge-on-read"),
    ],
)
def test_the_server_takes_every_change(server: RestServer, version: int, mode: str) -> None:
    """After each change Java finds our rows, and both know the same metadata file."""
    table = table_of(server, version, mode)
    start = table.current_snapshot
    assert start is not None
    for name, change in CHANGES.items():
        table = change(table)
        compare(server, table)
        if name != "evolve":
            table = table.rollback(to=start.snapshot_id)
        else:
            table = table.evolve().rename_column("town", "city").add_column("small", "int").commit()
    assert table.append(rows(80, 90)).scan().count() == 20


def test_a_table_becomes_one_of_a_later_version(server: RestServer) -> None:
    """The server upgrades it, and then takes deletion vectors."""
    table = table_of(server, 1).evolve().upgrade(2).commit().append(rows(10, 20))
    table = table.evolve().upgrade(3).commit()
    table = table.set_properties({"write.delete.mode": "merge-on-read"}).delete("id in (1, 12)")
    summary = table.snapshots[-1].summary
    assert summary["added-dvs"] != "0"
    compare(server, table)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_both_commit_by_turns(server: RestServer, version: int) -> None:
    """Java removes a file and changes the schema; we go on with a state that is older than that."""
    ours = table_of(server, version)
    java = server.java(ours)
    gone = ours.scan("id = 7").plan().files["file_path"][0].as_py()
    java.order("commit", remove=[gone])
    java.order("alter", rename={"city": "town"}, promote={"small": "long"})
    named = rows(20, 30).rename_columns({"city": "town"})
    ours = open_table("shop.t", catalog=server.catalog)
    stale = ours.append(named).set_properties({"owner": "ops"})
    java.order("load", table="shop.t")
    java.order("alter", drop=["town"])
    ours = stale.append(named.drop_columns("town")).delete("id = 21")
    compare(server, ours)
    assert ours.metadata.properties["owner"] == "ops"
    assert ours.scan().count() > 18


def test_a_table_is_created_where_its_creator_wants_it(server: RestServer, tmp_path: Path) -> None:
    """The location goes to the server; a name that is taken is refused, and one that is dropped."""
    place = tmp_path / "elsewhere"
    table = create_table("shop.t", COLUMNS, catalog=server.catalog, location=place)
    assert table.append(rows(0, 1)).metadata.location == str(place)
    with pytest.raises(AlreadyExists, match=r"shop\.t"):
        create_table("shop.t", COLUMNS, catalog=server.catalog)
    kept = catalog_of(server.catalog)
    assert kept.list("shop") == ["shop.t"]
    kept.drop("shop.t")
    assert kept.list("shop") == []
    for ask in (kept.load, kept.drop, table.append):
        with pytest.raises(StorageError, match=r"shop\.t"):
            ask(rows(1, 2) if ask == table.append else "shop.t")


def test_a_branch_that_has_moved_is_a_conflict(server: RestServer) -> None:
    """The server refuses a state that is not the newest; the commit is made again on that one."""
    table = table_of(server).set_properties({"commit.retry.num-retries": "0"})
    table.append(rows(10, 11))
    with pytest.raises(CommitConflict, match="Requirement failed: branch main has changed"):
        table.append(rows(11, 12))
    newest = open_table("shop.t", catalog=server.catalog)
    stale = newest.set_properties({"commit.retry.num-retries": "4"})
    stale.append(rows(12, 13))
    compare(server, stale.append(rows(13, 14)))
    assert open_table("shop.t", catalog=server.catalog).scan().count() == 13


@pytest.mark.parametrize("version", [2, 3])
def test_commits_to_two_branches_follow_one_another(server: RestServer, version: int) -> None:
    """The other branch is where it was, but sequence numbers and row ids are used: once more."""
    stale = table_of(server, version).create_branch("audit")
    stale.append(rows(10, 11))
    table = stale.append(rows(11, 13), branch="audit")
    assert (table.scan().count(), table.scan(ref="audit").count()) == (11, 12)
    assert len({each.sequence_number for each in table.snapshots}) == 3
    compare(server, table)


def test_a_sequence_number_that_is_used_is_a_conflict(server: RestServer) -> None:
    """Without another try the writer hears that it was second, not that it is wrong."""
    stale = table_of(server, 3).create_branch("audit")
    stale = stale.set_properties({"commit.retry.num-retries": "0"})
    stale.append(rows(10, 11))
    with pytest.raises(CommitConflict, match="Validation failed, please retry"):
        stale.append(rows(11, 13), branch="audit")


def test_what_the_server_can_never_do_is_no_conflict(server: RestServer) -> None:
    """An id that a snapshot has already, and a branch at none: its word, and no other try."""
    table = table_of(server, 3)
    again = table.snapshots[-1].to_json(version=3) | {"sequence-number": 9, "first-row-id": 100}
    wrong = (
        AddSnapshot(snapshot=again),
        SetSnapshotRef(ref_name="x", snapshot_id=5, type="branch"),
    )
    for update, said in zip(wrong, ("already exists", "unknown snapshot"), strict=True):
        with pytest.raises(StorageError, match=said) as error:
            catalog_of(server.catalog).commit(table, [], [update])
        assert not isinstance(error.value, CommitUnknown)


@pytest.mark.parametrize("fate", ["lost", -500, -502, -503, -504])
def test_an_answer_that_is_lost_is_looked_up(
    server: RestServer, line: Line, fate: str | int
) -> None:
    """The commit was made, and is not made again, whatever the server or the line says then."""
    table_of(server, 3)
    table = open_table("shop.t", catalog=rest_catalog(line.uri))
    line.plan = [fate]
    table = table.append(rows(10, 12))
    assert line.commits == 1
    assert (table.scan().count(), len(table.snapshots)) == (12, 2)
    line.plan = [fate]
    table = table.set_properties({"owner": "ops"})
    assert table.metadata.properties["owner"] == "ops"
    line.plan = [fate] * 3
    table = table.evolve().add_column("tip", "double").sort_by("tip").commit().create_tag("eod")
    table = table.rollback(to=table.snapshots[0].snapshot_id)
    compare(server, table)
    assert line.commits == 5


@pytest.mark.parametrize("fate", ["refused", 408, 500, 502, 503, 504])
def test_a_commit_that_is_not_found_leaves_its_files(
    server: RestServer, line: Line, tmp_path: Path, fate: str | int
) -> None:
    """It may still be made: it is unknown, nothing is removed, and the table can be used."""
    table_of(server, 3)
    table = open_table("shop.t", catalog=rest_catalog(line.uri))
    before = {*tmp_path.rglob("*")}
    line.plan = [fate]
    with pytest.raises(CommitUnknown, match=r"shop\.t: it is not known whether"):
        table.append(rows(10, 11))
    assert len({*tmp_path.rglob("*")} - before) == 3  # list, manifest and data
    assert line.commits == 1
    assert table.append(rows(11, 12)).scan().count() == 11


def test_a_commit_that_is_made_late_has_its_files(server: RestServer, line: Line) -> None:
    """What was on its way when it was looked up in vain is whole when it arrives."""
    table_of(server, 2)
    table = open_table("shop.t", catalog=rest_catalog(line.uri))
    line.plan = ["late"]
    with pytest.raises(CommitUnknown):
        table.append(rows(10, 12))
    line.held.pop()()
    found = open_table("shop.t", catalog=server.catalog)
    assert found.scan().count() == 12
    compare(server, found)


@pytest.mark.parametrize("fate", [400, 401, 403, 404, 413, 429, 501])
def test_a_plain_no_removes_what_was_written(
    server: RestServer, line: Line, tmp_path: Path, fate: int
) -> None:
    """The server has not made the commit and will not: an error, and no file is left."""
    table_of(server, 2)
    table = open_table("shop.t", catalog=rest_catalog(line.uri))
    before = {*tmp_path.rglob("*")}
    line.plan = [fate] * 2  # one that is not allowed is asked again with a new token
    with pytest.raises(StorageError) as error:
        table.append(rows(10, 11))
    assert not isinstance(error.value, CommitUnknown)
    assert {*tmp_path.rglob("*")} == before


def test_a_repeated_request_finds_its_own_commit(server: RestServer, line: Line) -> None:
    """A client that repeats by itself what was lost meets its own commit, and is refused."""
    table_of(server, 2)
    table = open_table("shop.t", catalog=rest_catalog(line.uri))
    line.plan = [-409]
    table = table.append(rows(10, 12))
    assert (line.commits, table.scan().count()) == (1, 12)
    line.plan = [-400]
    table = table.append(rows(12, 14), stage=True)
    assert (line.commits, len(table.snapshots)) == (2, 3)
