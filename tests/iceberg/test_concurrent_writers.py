"""Processes write to one table at once: no commit is lost, and none is made twice."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text
from tests.support.rest_catalogs import RestServer
from tests.support.writers import created_table, opened_table, write_at_once

if TYPE_CHECKING:
    from pathlib import Path

FEW, MANY = (3, 4), (16, 100)


def _check(
    uri: str, place: Path, size: tuple[int, int], version: int, *, only_appends: bool
) -> None:
    """Write, and compare the table with the commits that succeeded."""
    created_table(uri, place, version)
    rows, commits = write_at_once(uri, place, *size, only_appends=only_appends)
    table = opened_table(uri, place)
    found = table.scan().to_table().to_pylist()
    assert sorted((each["id"], each["value"]) for each in found) == sorted(rows.items())
    assert len(table.snapshots) == commits
    assert table.verify() == []
    if only_appends:
        assert commits == size[0] * size[1]


@pytest.fixture(
    params=[
        "folder",
        "sqlite",
        pytest.param("postgresql", marks=pytest.mark.peer("postgresql")),
        pytest.param("rest", marks=pytest.mark.peer("iceberg")),
    ]
)
def uri(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URI of an SQL or REST catalog; nothing for tables that are folders."""
    if request.param == "rest":
        return RestServer(request.getfixturevalue("iceberg"), tmp_path).uri
    if request.param == "postgresql":
        found: str = request.getfixturevalue("postgres_uri")
        with closing(create_engine(found).connect()) as connection:
            connection.execute(text("drop schema public cascade; create schema public"))
            connection.commit()
        return found
    return "" if request.param == "folder" else f"sqlite:///{tmp_path}/c.db"


@pytest.mark.parametrize("only_appends", [True, False], ids=["appends", "mixed"])
def test_commits_of_a_few_processes_are_all_in_the_table(
    tmp_path: Path, uri: str, only_appends: bool
) -> None:
    """Each row is explained by a commit that succeeded, and each such commit is a snapshot."""
    _check(uri, tmp_path, FEW, 3, only_appends=only_appends)


@pytest.mark.slow
@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("only_appends", [True, False], ids=["appends", "mixed"])
def test_commits_of_many_processes_are_all_in_the_table(
    tmp_path: Path, uri: str, only_appends: bool, version: int
) -> None:
    """Sixteen processes make a hundred commits each."""
    _check(uri, tmp_path, MANY, version, only_appends=only_appends)
