"""Deletion vectors and bare bitmaps of the Iceberg projects are what their index says."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.support.corpus import corpus_cases

from byteloom.errors import ByteloomError, Truncated
from byteloom.puffin import DeletionVector

_Test = TypeVar("_Test", bound=Callable[..., object])

BLOB = "deletion-vector-v1 blob"
MAP = "roaring 64-bit portable map (no DV framing)"


def files(*kinds: str, refused: bool = False) -> Callable[[_Test], _Test]:
    """Run a test for every file of some kinds that the index names, sound or to be refused."""

    def find(place: Path) -> Iterator[Any]:
        index = place.parent / "vectors/fixtures_expected.json"
        for case in json.loads(index.read_text(encoding="utf-8")):
            if case["kind"] in kinds and is_refused(case) == refused:
                for path in (case["path"], *case.get("identical_copies", ())):
                    yield pytest.param((place / path, case), id=path)

    return corpus_cases("iceberg/files", find)


def is_refused(case: dict[str, Any]) -> bool:
    """Return whether the index says that readers refuse the file."""
    return "reject" in str(case.get("java", ""))


def of_ranges(case: dict[str, Any]) -> DeletionVector:
    """Return the vector that the index describes by ranges of positions."""
    ranges = (
        range((each["key"] << 32) + first, (each["key"] << 32) + last + 1)
        for each in case["bitmaps"]
        for first, last in each["ranges_inclusive"]
    )
    return DeletionVector.union(DeletionVector.from_positions(each) for each in ranges)


@files(BLOB)
def test_a_vector_has_the_positions_of_the_index(case: tuple[Path, dict[str, Any]]) -> None:
    """A vector has the cardinality and every range of positions that the index lists."""
    path, expected = case
    vector = DeletionVector.from_bytes(path.read_bytes())
    assert len(vector) == expected["cardinality"]
    assert vector == of_ranges(expected)


@files(BLOB)
def test_a_vector_is_written_as_java_wrote_it(case: tuple[Path, dict[str, Any]]) -> None:
    """A vector written from its positions has exactly the bytes of Java's file."""
    path, expected = case
    positions = of_ranges(expected).positions()
    assert DeletionVector.from_positions(positions).to_bytes() == path.read_bytes()


@files(MAP)
def test_a_bare_map_has_the_positions_of_the_index(case: tuple[Path, dict[str, Any]]) -> None:
    """A bare map has the upper halves, cardinalities and first ranges that the index lists."""
    path, expected = case
    vector = DeletionVector.from_roaring(path.read_bytes())
    assert list(vector.bitmaps) == [
        k for k, n in zip(expected["keys"], expected["cardinalities"], strict=True) if n
    ]
    assert [len(each) for each in vector.bitmaps.values()] == [
        n for n in expected["cardinalities"] if n
    ]
    for key, ranges in zip(expected["keys"], expected["first_ranges"], strict=False):
        for first, last in ranges:
            assert vector.mask((key << 32) + first, last - first + 1).all()


@files(BLOB, MAP, refused=True)
def test_a_damaged_file_is_refused(case: tuple[Path, dict[str, Any]]) -> None:
    """A file that the index calls damaged raises a `ByteloomError`."""
    path, expected = case
    read = DeletionVector.from_bytes if expected["kind"] == BLOB else DeletionVector.from_roaring
    with pytest.raises(ByteloomError, match=r" at byte \d+ .*: found "):
        read(path.read_bytes())


@files(BLOB)
def test_every_shorter_prefix_of_a_vector_is_truncated(case: tuple[Path, dict[str, Any]]) -> None:
    """A vector of Java that is cut off anywhere raises `Truncated`."""
    data = case[0].read_bytes()
    for size in range(len(data)):
        with pytest.raises(Truncated, match=r" at byte \d+ .*: found \d+ bytes? left"):
            DeletionVector.from_bytes(data[:size])


@files(MAP)
def test_every_shorter_prefix_of_a_map_is_truncated(case: tuple[Path, dict[str, Any]]) -> None:
    """A map of Java that is cut off anywhere raises `Truncated`."""
    data = case[0].read_bytes()
    for size in range(len(data)):
        with pytest.raises(Truncated, match=r" at byte \d+ .*: found \d+ bytes? left"):
            DeletionVector.from_roaring(data[:size])
