"""Processes that change one table at the same time, and what must be in it afterwards.

Each process changes only rows that it has added itself: what is in the table in the end then
follows from the commits that succeeded, whatever their order.
"""

from __future__ import annotations

import multiprocessing
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from tests.support.rest_catalogs import rest_catalog

from byteloom.errors import CommitConflict
from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

__all__ = ["ROWS", "catalog_at", "created_table", "opened_table", "write_at_once"]

ROWS = pa.schema([pa.field("id", pa.int64(), nullable=False), ("value", pa.int64())])
_PROPERTIES = {
    "commit.retry.num-retries": "1000",
    "commit.retry.min-wait-ms": "1",
    "commit.retry.max-wait-ms": "200",
}
_STRIDE = 1_000_000
"""Ids of one process, so that those of two never meet."""


def catalog_at(uri: str, place: Path) -> Any:
    """Return the REST or SQL catalog at a URI; None without one, for tables that are folders."""
    if not uri:
        return None
    if uri.startswith("http:"):
        return rest_catalog(uri)
    from pyiceberg.catalog.sql import SqlCatalog

    return SqlCatalog("c", uri=uri, warehouse=f"file://{place}")


def created_table(uri: str, place: Path, version: int) -> Table:
    """Create the table that the processes change."""
    catalog = catalog_at(uri, place)
    if catalog is not None:
        catalog.create_namespace_if_not_exists("shop")
    name = str(place / "t") if catalog is None else "shop.t"
    properties = (
        {**_PROPERTIES, "write.delete.mode": "merge-on-read"} if version > 1 else _PROPERTIES
    )
    return create_table(name, ROWS, format_version=version, properties=properties, catalog=catalog)


def opened_table(uri: str, place: Path) -> Table:
    """Open the table in its current state."""
    catalog = catalog_at(uri, place)
    return open_table(place / "t" if catalog is None else "shop.t", catalog=catalog)


def write_at_once(
    uri: str, place: Path, processes: int, commits: int, *, only_appends: bool
) -> tuple[dict[int, int], int]:
    """Run processes that make commits; return the rows that must be there, and how many were made.

    Args:
        uri: That of a REST or SQL catalog, or nothing.
        place: Where the table is.
        processes: How many there are.
        commits: How many each attempts.
        only_appends: Whether they add rows only.
    """
    given = [(uri, place, number, commits, only_appends) for number in range(processes)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        ends = pool.starmap(_write, given, chunksize=1)
    rows: dict[int, int] = {}
    for own, _ in ends:
        rows |= own
    return rows, sum(count for _, count in ends)


def _write(
    uri: str, place: Path, number: int, commits: int, only_appends: bool
) -> tuple[dict[int, int], int]:
    """Make commits; return the rows of this process in the end, and how many were made."""
    table, drawn = opened_table(uri, place), random.Random(number)
    rows: dict[int, int] = {}
    made = 0
    for each in range(commits):
        after, key = dict(rows), number * _STRIDE + each
        verb = "append" if only_appends or not rows else drawn.choice(_VERBS)
        old = drawn.choice(sorted(rows)) if rows else key
        try:
            if verb == "append":
                table, after[key] = table.append(_rows({key: each})), each
            elif verb == "delete":
                table = table.delete(f"id = {old}")
                del after[old]
            elif verb == "overwrite":
                table, after[key] = table.overwrite(_rows({key: each}), f"id = {old}"), each
                del after[old]
            else:
                table = table.upsert(_rows({old: each, key: each}), on="id")
                after |= {old: each, key: each}
        except CommitConflict:  # another writer's commit forbids it: nothing is changed
            table = opened_table(uri, place)
            continue
        rows, made = after, made + 1
    return rows, made


_VERBS = ("append", "append", "delete", "overwrite", "upsert")


def _rows(values: dict[int, int]) -> pa.Table:
    return pa.table({"id": list(values), "value": list(values.values())}, ROWS)
