"""Tables are found in catalogs by the configuration of pyiceberg."""

from __future__ import annotations

import builtins
import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.utils.config import Config
from tests.support.cli import byteloom

from byteloom.errors import StorageError
from byteloom.extras import installing
from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the metadata file of table ``db.t`` of the catalog ``Home`` in the environment."""
    properties = {"uri": f"sqlite:///{tmp_path}/cat.db", "warehouse": f"file://{tmp_path}/home"}
    catalog = SqlCatalog("home", **properties)
    try:
        catalog.create_namespace("db")
        rows = pa.table({"id": [1, 2, 3]})
        table = catalog.create_table("db.t", rows.schema)
        table.append(rows)
        location = table.metadata_location
    finally:
        catalog.close()
    for key, value in {"type": "sql", **properties}.items():
        monkeypatch.setenv(f"PYICEBERG_CATALOG__HOME__{key.upper()}", value)
    # It reads its configuration when it is imported, which these tests have done by now.
    monkeypatch.setattr("pyiceberg.catalog._ENV_CONFIG", Config())
    return location


def test_a_configured_catalog_leads_to_its_tables(metadata: str) -> None:
    """A table is opened by the name of its catalog in pyiceberg's configuration."""
    outcome = byteloom("table", "info", "catalog:home#db.t", "--json")
    assert outcome.err == ""
    document = json.loads(outcome.out)
    assert document["metadata_file"] == metadata
    scanned = byteloom("table", "scan", "catalog:home#db.t", "--where", "id > 1", "--format", "csv")
    assert scanned.out.splitlines() == ["id", "2", "3"]


@pytest.mark.usefixtures("metadata")
@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("catalog:home#db.u", "catalog:home#db.u: Table does not exist: db.u"),
        (
            "catalog:away#db.t",
            "found no catalog 'away', wanted one in .pyiceberg.yaml, or its address in PYICEBERG_",
        ),
        ("catalog:home#t", "wanted catalog:NAME#namespace.table"),
        ("catalog:home", "wanted catalog:NAME#namespace.table"),
        ("catalog:#db.t", "wanted catalog:NAME#namespace.table"),
    ],
)
def test_what_a_catalog_does_not_have_is_reported(place: str, says: str) -> None:
    """An unknown table, an unknown catalog and an incomplete name are errors."""
    outcome = byteloom("table", "info", place)
    assert outcome.status == 1
    assert says in outcome.err


def test_without_pyiceberg_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyiceberg, opening a catalog is an error that names the extra to install."""
    imported = builtins.__import__

    def without(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith("pyiceberg"):
            raise ImportError(name)
        return imported(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(StorageError, match=re.escape(installing("catalogs"))):
        open_table("catalog:home#db.t")
