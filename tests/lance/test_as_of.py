"""Versions of datasets by the time at which they were committed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from tests.support.lance_datasets import put_manifest

from byteloom import lance
from byteloom.errors import ArgumentError
from byteloom_generated.lance.table import Manifest

if TYPE_CHECKING:
    from pathlib import Path

FIRST = datetime(2024, 5, 31, 12, tzinfo=UTC)
"""When version 1 was committed; each later one an hour after the one before."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Write manifests of three versions, and of a fourth without a time."""
    for number in range(1, 5):
        manifest = Manifest(version=number)
        if number < 4:
            moment = FIRST + timedelta(hours=number - 1)
            manifest.timestamp.seconds = int(moment.timestamp())
            manifest.timestamp.nanos = 123_456_789
        put_manifest(tmp_path / "d.lance", manifest)
    return tmp_path / "d.lance"


@pytest.mark.parametrize(
    ("moment", "version"),
    [
        (FIRST + timedelta(microseconds=123_456), 1),
        (FIRST + timedelta(hours=1, microseconds=123_455), 1),
        (FIRST + timedelta(hours=1, microseconds=123_456), 2),
        (FIRST.replace(tzinfo=None) + timedelta(minutes=90), 2),
        ("2024-05-31T14:00:00.123455+00:00", 2),
        ("2024-05-31T14:00:00.123456", 3),
        ("2025", 3),
        (int(FIRST.timestamp()) * 1000 + 124, 1),
    ],
)
def test_the_newest_version_by_then_is_opened(place: Path, moment: Any, version: int) -> None:
    """`as_of` takes a datetime, text or milliseconds, exact to the microsecond of a version."""
    assert lance.open_dataset(place, as_of=moment).version == version


def test_no_version_by_then(place: Path) -> None:
    """The error says from when on there are versions."""
    for moment in ("2024-05-31T12:00:00.123455", "2023"):
        with pytest.raises(
            ArgumentError, match=r"no version as of 202.*, wanted a moment from 202"
        ):
            lance.open_dataset(place, as_of=moment)
    with pytest.raises(ArgumentError, match="found 'yesterday', wanted ISO 8601"):
        lance.open_dataset(place, as_of="yesterday")


@pytest.mark.parametrize("more", [{"version": 1}, {"tag": "a"}])
def test_one_of_version_tag_and_time(place: Path, more: dict[str, Any]) -> None:
    """A time with a version or a tag is a mistake of the caller."""
    with pytest.raises(ArgumentError, match="wanted one of version, tag and as_of"):
        lance.open_dataset(place, as_of="2025", **more)


def test_commands_take_a_time(tmp_path: Path) -> None:
    """Rows, columns and files of the version at a time, which `lance versions` prints."""
    data, place = pa.table({"x": [1]}), tmp_path / "d.lance"
    first = lance.write_dataset(place, data)
    lance.write_dataset(place, pa.table({"y": [2, 3]}), mode="overwrite")
    assert first.timestamp is not None
    time = ("--as-of", first.timestamp.isoformat())
    assert byteloom("lance", "cat", place, *time, "--json").out == '{"x": 1}\n'
    assert byteloom("lance", "take", place, 0, *time, "--json").out == '{"x": 1}\n'
    assert byteloom("lance", "schema", place, *time).out == "x: int64\n"
    assert byteloom("lance", "stats", place, *time, "--json").out.count("\n") == 1
    copy = tmp_path / "copy.lance"
    assert byteloom("lance", "convert", place, copy, *time).out == "1 row\n"
    both = byteloom("lance", "cat", place, *time, "--version", 1)
    assert (both.status, "one of the three" in both.err) == (2, True)
    of_file = byteloom("lance", "cat", copy, *time)
    assert (of_file.status, "found a file, wanted a dataset for" in of_file.err) == (1, True)
    invalid = byteloom("lance", "cat", place, "--as-of", "noon")
    assert (invalid.status, "Invalid value for --as-of" in invalid.err) == (2, True)
