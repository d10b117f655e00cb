"""Parquet files of the corpus are sound by themselves, rows and statistics included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.corpus import corpus_cases

from byteloom.verification import check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _parquet_files(place: Path) -> Iterator[Path]:
    """Yield the Parquet files of a folder, at any depth."""
    yield from sorted(place.rglob("*.parquet"))


def _check(case: Path) -> None:
    """Check a file, as `verify` does."""
    verdict = check(str(case))
    assert verdict.status == "ok", verdict.summary


@corpus_cases("iceberg/files", _parquet_files)
def test_files_of_iceberg_projects_are_sound(case: Path) -> None:
    """Nothing is wrong with the data files that Iceberg's projects keep for their tests."""
    _check(case)


@corpus_cases("java/hfile", _parquet_files)
def test_files_of_java_are_sound(case: Path) -> None:
    """Nothing is wrong with the cells that Java wrote as Parquet beside its HFiles."""
    _check(case)


@corpus_cases("lance/generated", _parquet_files)
def test_files_beside_lance_are_sound(case: Path) -> None:
    """Nothing is wrong with the rows that are kept as Parquet beside Lance files."""
    _check(case)
