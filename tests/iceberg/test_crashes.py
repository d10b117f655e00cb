"""A process that fails or is killed at any step leaves a table with the acknowledged commits."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from tests.support.crashing import ACKNOWLEDGED, CHANGES, NAME, Case, Crashes, crashes, rows_of

from byteloom.iceberg import create_table, open_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.iceberg import Table

_DRAWN = random.Random(37)


def _drawn() -> Case:
    """Draw a change, its step, how it fails there, and a table."""
    return Case(
        _DRAWN.choice(sorted(CHANGES)),
        _DRAWN.choice([_DRAWN.randint(1, 60), _DRAWN.randint(1, 20)]),
        _DRAWN.choice(["kill", "fail", "break"]),
        _DRAWN.choice([2, 3]),
        _DRAWN.choice(["copy-on-write", "merge-on-read"]),
        _DRAWN.random() < 0.25,
    )


MANY = [_drawn() for _ in range(1000)]


@pytest.fixture(scope="module")
def crashing() -> Iterator[Crashes]:
    """Return what changes tables and fails."""
    with crashes() as made:
        yield made


def _ids(table: Table) -> list[int]:
    return sorted(table.scan().to_table()["id"].to_pylist())


def _state(table: Table) -> tuple[object, ...]:
    """Return what the changes change."""
    properties = {k: v for k, v in table.metadata.properties.items() if k == "owner"}
    columns = [each.name for each in table.schema.fields]
    return _ids(table), sorted(table.metadata.refs), properties, columns


def _files(folder: Path) -> set[str]:
    return {str(each) for each in folder.rglob("*") if each.is_file() and each.suffix != ".db"}


def _made(folder: Path, case: Case, catalog: SqlCatalog | None) -> Table:
    """Return a table with the ids 1 to 3 in two snapshots, and 9 in one that is staged."""
    properties = {f"write.{verb}.mode": case.mode for verb in ("delete", "update", "merge")}
    properties |= {"commit.retry.min-wait-ms": "1", "commit.status-check.min-wait-ms": "1"}
    schema = pa.schema({"id": pa.int64(), "name": pa.string()})
    place = str(folder / "t") if catalog is None else NAME
    table = create_table(
        place, schema, properties=properties, format_version=case.version, catalog=catalog
    )
    pq.write_table(rows_of(8), f"{table.metadata.location.removeprefix('file://')}.old.parquet")
    table = table.append(rows_of(1, 2)).append(rows_of(3))
    return table.append(rows_of(9), stage="night")


def check(crashing: Crashes, case: Case) -> None:
    """Change a table, with a failure at a step, and look what became of it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        uri = f"sqlite:///{folder}/c.db" if case.is_sql else ""
        catalog = None
        if case.is_sql:
            catalog = SqlCatalog("c", uri=uri, warehouse=f"file://{folder}")
            catalog.create_namespace("shop")
        table = _made(folder, case, catalog)
        before, files = _state(table), _files(folder)
        expected = CHANGES[case.change][1]
        place = table.metadata.location.removeprefix("file://")
        outcome = crashing.run(place, case, uri)
        found = open_table(NAME if case.is_sql else place, catalog=catalog)
        after = _state(found)
        assert after == before or after[0] == expected, outcome
        if outcome.said == ACKNOWLEDGED:
            assert after != before, outcome
            assert after[0] == expected, outcome
        elif outcome.said not in {"CommitUnknown", ""}:
            assert outcome.said.isalpha(), outcome  # a `ByteloomError`
            assert after == before, outcome
            if case.way == "fail" and outcome.call != "os.remove":
                assert _files(folder) == files, outcome
        assert found.verify() == [], outcome
        again = found.append(rows_of(99))
        assert _ids(again) == [*after[0], 99], outcome  # type: ignore[misc]
        assert again.verify() == [], outcome
        if catalog is not None:
            catalog.close()


SAMPLE = [
    Case("append", 5, "kill"),
    Case("append", 12, "fail", 3),
    Case("delete", 14, "kill", 3, "merge-on-read"),
    Case("overwrite", 16, "fail", 2, "merge-on-read"),
    Case("upsert", 18, "break", 3, "merge-on-read"),
    Case("transaction", 25, "fail", 3),
    Case("evolve", 3, "kill"),
    Case("append", 16, "fail", 3, is_sql=True),
    Case("update", 22, "break", is_sql=True),
    Case("overwrite", 1000, "fail"),
]


@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_a_failure_at_a_step_leaves_a_sound_table(crashing: Crashes, case: Case) -> None:
    """The table has what was acknowledged, and takes the next commit."""
    check(crashing, case)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(MANY)))
def test_failures_at_drawn_steps_leave_sound_tables(crashing: Crashes, number: int) -> None:
    """A thousand failures and kills, drawn by a seed."""
    check(crashing, MANY[number])
