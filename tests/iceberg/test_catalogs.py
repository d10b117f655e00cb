"""Tables of pyiceberg's catalogs are created, changed and read; nothing is guessed of a commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import ServiceUnavailableError
from sqlalchemy import event
from tests.support.configured import configure
from tests.support.iceberg_writer import FolderCatalog

from byteloom.errors import (
    AlreadyExists,
    ArgumentError,
    CommitConflict,
    CommitUnknown,
    FormatError,
    StorageError,
    Unsupported,
)
from byteloom.iceberg import catalog_of, create_table, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from byteloom.iceberg import Table

IDS = pa.schema({"id": pa.int64()})
PROMPT = {"commit.retry.min-wait-ms": "1", "commit.status-check.min-wait-ms": "1"}


@pytest.fixture
def sql(tmp_path: Path) -> Iterator[SqlCatalog]:
    """An SQL catalog in SQLite, with a namespace."""
    made = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/wh")
    made.create_namespace("shop")
    yield made
    made.close()


@pytest.fixture
def other(tmp_path: Path) -> FolderCatalog:
    """A catalog that writes pyiceberg's metadata."""
    return FolderCatalog(tmp_path / "other")


def ids(table: Table) -> list[int]:
    """Return the ids of a table's rows in their order."""
    return sorted(table.scan().to_table()["id"].to_pylist())


def files(place: Path) -> set[str]:
    """Return the files below a folder."""
    return {str(each.relative_to(place)) for each in place.rglob("*") if each.is_file()}


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_sql_catalog_keeps_tables_of_every_version(sql: SqlCatalog, version: int) -> None:
    """Each commit is seen through the catalog, by pyiceberg too where it reads the version."""
    first = create_table(
        "shop.t", IDS, catalog=sql, format_version=version, partition_by=["id"], properties=PROMPT
    )
    first.append(pa.table({"id": [1, 2]}))
    made = first.append(pa.table({"id": [3]})).delete("id = 2")
    made = made.set_properties({"a": "b"}).remove_properties("a", "missing")
    made = made.create_branch("audit").evolve().add_column("x", "int").commit()
    found = open_table("shop.t", catalog=sql)
    assert found.metadata_location == made.metadata_location
    assert ids(found) == [1, 3]
    assert found.verify() == []
    assert sorted(found.metadata.refs) == ["audit", "main"]
    assert found.name == "shop.t"
    if version < 3:
        rows = sql.load_table("shop.t").scan().to_arrow()["id"].to_pylist()
        assert sorted(rows) == [1, 3]


@pytest.mark.parametrize("version", [2, 3])
def test_manifests_are_where_the_metadata_is(sql: SqlCatalog, tmp_path: Path, version: int) -> None:
    """``write.metadata.path`` names the folder of manifests, lists and metadata files."""
    properties = {"write.metadata.path": f"file://{tmp_path}/apart"}
    table = create_table(
        "shop.t", IDS, catalog=sql, format_version=version, properties=properties | PROMPT
    )
    table = table.append(pa.table({"id": [1]})).append(pa.table({"id": [2]}))
    assert not list((tmp_path / "wh").rglob("*.avro"))
    assert len(list((tmp_path / "apart").glob("*-m0.avro"))) == 2
    assert len(list((tmp_path / "apart").glob("snap-*.avro"))) == 2
    assert len(list((tmp_path / "apart").glob("*.metadata.json"))) == 3
    assert ids(open_table("shop.t", catalog=sql)) == [1, 2]
    assert table.verify() == []


def test_a_folder_of_metadata_that_depends_on_the_program_is_refused(sql: SqlCatalog) -> None:
    """A path that is not absolute would be another one in another program."""
    wanted = "properties.write.metadata.path: found 'apart', wanted an absolute path"
    properties = {"write.metadata.path": "apart"}
    with pytest.raises(FormatError, match=wanted):
        create_table("shop.t", IDS, catalog=sql, properties=properties)


def test_a_table_that_pyiceberg_loaded_is_changed_in_its_catalog(sql: SqlCatalog) -> None:
    """Its commits and those of pyiceberg follow one another."""
    theirs = sql.create_table("shop.t", IDS)
    table = open_table(theirs).append(pa.table({"id": [1]}))
    theirs.refresh().append(pa.table({"id": [2]}))
    table = table.append(pa.table({"id": [3]}))
    assert ids(table) == [1, 2, 3]
    assert sorted(theirs.refresh().scan().to_arrow()["id"].to_pylist()) == [1, 2, 3]


def test_what_a_catalog_of_pyiceberg_is_asked(other: FolderCatalog) -> None:
    """Our updates are pyiceberg's: snapshots, branches, properties, schemas, specs and orders."""
    theirs = other.create("t", IDS, properties={**PROMPT, "format-version": "2"})
    table = open_table(theirs).append(pa.table({"id": [1]}))
    stale = open_table(other.load_table(("db", "t")))
    table = table.append(pa.table({"id": [2]}))
    table = stale.append(pa.table({"id": [3]}))
    table = table.set_properties({"a": "b"}).remove_properties("a", "missing")
    table = table.create_branch("audit", max_snapshot_age="2h").append(
        pa.table({"id": [4]}), branch="audit"
    )
    table = table.evolve().add_column("x", "int").commit()
    assert table.metadata.refs["audit"].max_snapshot_age_ms == 7_200_000
    assert ids(table) == [1, 2, 3]
    assert table.verify() == []
    assert "a" not in theirs.refresh().properties


def test_tables_are_listed_dropped_and_created_once(sql: SqlCatalog, tmp_path: Path) -> None:
    """A name that is taken is refused, one that is free is created, in SQL and in folders."""
    kept = catalog_of(sql)
    create_table("shop.t", IDS, catalog=sql)
    before = files(tmp_path)
    with pytest.raises(AlreadyExists, match=r"shop\.t"):
        create_table("shop.t", IDS, catalog=kept)
    assert files(tmp_path) == before
    assert kept.list("shop") == ["shop.t"]
    kept.drop("shop.t")
    assert kept.list("shop") == []
    for ask in (kept.drop, kept.load):
        with pytest.raises(StorageError, match=r"shop\.t"):
            ask("shop.t")
    with pytest.raises(StorageError, match="no namespace none"):
        create_table("none.t", IDS, catalog=sql)
    place = tmp_path / "folder/t"
    folder = create_table(place, IDS).catalog
    assert folder.list(str(tmp_path / "folder")) == [str(place)]
    folder.drop(str(place))
    assert not place.exists()
    with pytest.raises(StorageError, match="folder/t"):
        folder.drop(str(place))


@pytest.fixture
def prod(tmp_path: Path, sql: SqlCatalog, monkeypatch: pytest.MonkeyPatch) -> Iterator[SqlCatalog]:
    """The same catalog, which pyiceberg's configuration calls prod."""
    uri, warehouse = sql.properties["uri"], sql.properties["warehouse"]
    configure(monkeypatch, "prod", type="sql", uri=uri, warehouse=warehouse)
    monkeypatch.chdir(tmp_path)
    made = SqlCatalog("prod", uri=uri, warehouse=warehouse)
    made.create_namespace("shop")
    yield made
    made.close()


def test_a_table_is_named_by_its_catalog_in_the_configuration(prod: SqlCatalog) -> None:
    """Such a place is created, changed and read, and its catalog lists and drops tables."""
    made = create_table("catalog:prod#shop.t", IDS, format_version=3)
    made.append(pa.table({"id": [1, 2]}))
    table = open_table("catalog:prod#shop.t").delete("id = 1")
    assert ids(open_table("shop.t", catalog="catalog:prod")) == ids(table) == [2]
    assert open_table("shop.t", catalog=prod).metadata_location == table.metadata_location
    kept = catalog_of("catalog:prod")
    assert kept.list("shop") == ["shop.t"]
    kept.drop("shop.t")
    assert kept.list("shop") == []


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("catalog:prod", "found no table, wanted catalog:NAME#namespace.table"),
        ("catalog:prod#t", "found no table, wanted catalog:NAME#namespace.table"),
        ("catalog:#shop.t", "found no name, wanted catalog:NAME"),
        ("catalog:none#shop.t", "found no catalog 'none', wanted one in .pyiceberg.yaml"),
        ("catalog:prod#shop.none", "Table does not exist: shop.none"),
    ],
)
def test_a_place_that_names_no_table_of_a_catalog(prod: SqlCatalog, place: str, said: str) -> None:
    """The error has the place as it was given, and what is missing."""
    assert prod.list_tables("shop") == []
    with pytest.raises(StorageError) as error:
        open_table(place)
    assert str(error.value).startswith(f"{place}: {said}")


def test_a_catalog_is_not_named_as_a_table_is(prod: SqlCatalog) -> None:
    """A text without its beginning is no catalog."""
    assert prod.name == "prod"
    with pytest.raises(ArgumentError, match="found 'prod', wanted a catalog of pyiceberg, or cat"):
        catalog_of("prod")


def test_a_table_is_where_its_creator_wants_it(sql: SqlCatalog, tmp_path: Path) -> None:
    """The location is that of a table in a catalog; in a folder it would be another one."""
    place = tmp_path / "elsewhere/t"
    table = create_table("shop.t", IDS, catalog=sql, location=place).append(pa.table({"id": [1]}))
    assert table.metadata.location == str(place)
    assert {each.split("/")[0] for each in files(place)} == {"data", "metadata"}
    default = create_table("shop.u", IDS, catalog=sql)
    assert default.metadata.location == f"file://{tmp_path}/wh/shop/u"
    with pytest.raises(ArgumentError, match=r"location: found .*elsewhere/t, wanted a catalog"):
        create_table(tmp_path / "u", IDS, location=place)


def test_what_no_catalog_takes_is_refused_with_the_reason(other: FolderCatalog) -> None:
    """Version 3 where pyiceberg writes the metadata, catalogs without commits, other objects."""
    table = open_table(other.create("t", IDS, properties={"format-version": "2"}))
    with pytest.raises(Unsupported, match="wanted 1 or 2, since pyiceberg writes no metadata of"):
        table.evolve().upgrade(3).commit()
    with pytest.raises(Unsupported, match="pyiceberg does not commit to others"):
        create_table("db.t", IDS, catalog=NoopCatalog("none"))
    with pytest.raises(ArgumentError, match="a catalog of pyiceberg"):
        open_table("db.t", catalog=3)


def _late(catalog: SqlCatalog, *, is_made: bool, errors: int = 1) -> Callable[[], None]:
    """Let the next commits of a database fail, before or after they are made."""
    left = [errors]

    def fail(connection: Any) -> None:
        if left[0]:
            left[0] -= 1
            if is_made:
                connection.connection.commit()
            raise ConnectionError("the line is dead")

    event.listen(catalog.engine, "commit", fail)
    return lambda: event.remove(catalog.engine, "commit", fail)


def test_a_commit_that_was_made_although_the_database_failed_is_found(sql: SqlCatalog) -> None:
    """It is looked up by its metadata file, and counts once."""
    table = create_table("shop.t", IDS, catalog=sql, properties=PROMPT)
    restore = _late(sql, is_made=True)
    table = table.append(pa.table({"id": [1]}))
    restore()
    assert ids(table) == ids(open_table("shop.t", catalog=sql)) == [1]
    assert len(table.snapshots) == 1


def test_a_commit_that_is_not_found_leaves_all_its_files(sql: SqlCatalog, tmp_path: Path) -> None:
    """It may still be made, so nothing is removed and the caller hears that it is unknown."""
    table = create_table("shop.t", IDS, catalog=sql, properties=PROMPT)
    before = files(tmp_path)
    restore = _late(sql, is_made=False)
    with pytest.raises(CommitUnknown, match=r"it is not known whether .* the line is dead"):
        table.append(pa.table({"id": [1]}))
    restore()
    assert len(files(tmp_path) - before) == 4  # metadata, list, manifest, data
    assert ids(table.append(pa.table({"id": [2]}))) == [2]


def test_a_transaction_that_is_not_found_leaves_all_its_files(
    sql: SqlCatalog, tmp_path: Path
) -> None:
    """As with a single change."""
    table = create_table("shop.t", IDS, catalog=sql, properties=PROMPT)
    before = files(tmp_path)
    restore = _late(sql, is_made=False)

    def append_twice() -> None:
        with table.transaction() as change:
            change.append(pa.table({"id": [1]}))
            change.append(pa.table({"id": [2]}))

    with pytest.raises(CommitUnknown):
        append_twice()
    restore()
    assert len(files(tmp_path) - before) == 7  # metadata, and list, manifest and data of each


def test_an_interrupted_request_leaves_all_its_files(
    other: FolderCatalog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The server may carry it out later, when the table no longer could be looked up."""
    table = open_table(other.create("t", IDS, properties=PROMPT))
    before = files(tmp_path)
    commit, asked = FolderCatalog.commit_table, []

    def interrupted(*request: Any) -> Any:
        asked.append(request)
        raise KeyboardInterrupt

    monkeypatch.setattr(FolderCatalog, "commit_table", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table.append(pa.table({"id": [1]}))
    assert len(files(tmp_path) - before) == 3  # list, manifest, data
    monkeypatch.undo()
    commit(*asked[0])
    assert ids(open_table(other.load_table("db.t"))) == [1]


def test_a_server_that_does_not_answer_is_asked_what_it_did(
    other: FolderCatalog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """503 may come after the commit: the snapshot decides; a plain no removes what was written."""
    table = open_table(other.create("t", IDS, properties=PROMPT))
    commit = FolderCatalog.commit_table

    def late(*asked: Any) -> Any:
        monkeypatch.undo()
        commit(*asked)
        raise ServiceUnavailableError("try again")

    monkeypatch.setattr(FolderCatalog, "commit_table", late)
    table = table.append(pa.table({"id": [1]}))
    assert ids(table) == [1]
    assert len(table.snapshots) == 1

    def never(*_: Any) -> Any:
        raise NotImplementedError("not here")

    before = files(tmp_path)
    monkeypatch.setattr(FolderCatalog, "commit_table", never)
    with pytest.raises(StorageError, match="not here"):
        table.append(pa.table({"id": [2]}))
    assert files(tmp_path) == before


def test_a_table_that_was_made_anew_is_not_changed(sql: SqlCatalog) -> None:
    """A state of the old table has the UUID of the old table."""
    old = create_table("shop.t", IDS, catalog=sql, properties=PROMPT)
    catalog_of(sql).drop("shop.t")
    create_table("shop.t", IDS, catalog=sql)
    with pytest.raises(CommitConflict, match="the table is another one"):
        old.append(pa.table({"id": [1]}))
