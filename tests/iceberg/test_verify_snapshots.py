"""The files of a snapshot are checked against each other, and only errors are reported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.iceberg_plans import ListedFile, table_of
from tests.support.iceberg_schemas import a_field, a_struct

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA: dict[str, Any] = a_struct(a_field(1, "f", "double")) | {"schema-id": 0}
SPECS = {
    0: [],
    1: [(1, 1000, "f", "identity", "double")],
    2: [(1, 1001, "f", "identity", "double")],
}
NAN = float("nan")
FILES = [
    ListedFile("d0", sequence=3),
    ListedFile("d1", sequence=3, spec_id=1, partition={"f": NAN}),
    ListedFile("d2", sequence=3, spec_id=1, partition={"f": None}),
    ListedFile("d3", sequence=3, spec_id=2, partition={"f": -0.0}),
]


def vector(number: int, **changes: Any) -> ListedFile:
    """Return a valid deletion vector of a file."""
    of = FILES[number]
    made = ListedFile(
        "dv", content=1, spec_id=of.spec_id, partition=of.partition, sequence=3,
        referenced=of.path, offset=4 + 100 * number,
    )  # fmt: skip
    return replace(made, **changes)


def found(folder: Path, *vectors: ListedFile, more: tuple[ListedFile, ...] = ()) -> list[str]:
    """Return the findings in a snapshot of the files and some deletion vectors."""
    table = table_of(folder, SCHEMA, SPECS, [*FILES, *more, *vectors])
    return [str(each) for each in table.verify(files=False)]


def test_vectors_of_live_files_of_their_partitions_are_sound(tmp_path: Path) -> None:
    """Valid deletion vectors have no findings, with NaN and null as partition values."""
    assert found(tmp_path, *map(vector, range(4))) == []
    assert found(tmp_path / "none") == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (vector(0, referenced=None), "no referenced_data_file, wanted the file it deletes from"),
        (vector(0, referenced="x"), "x, wanted a data file that is live in the snapshot"),
        (vector(0, sequence=2), "sequence number 2, wanted 3 or more, that of d0"),
        (
            vector(1, spec_id=2),
            "partition (nan,) of spec 2, wanted partition (nan,) of spec 1, that of d1",
        ),
        (
            vector(2, partition={"f": 0.0}),
            "partition (0.0,) of spec 1, wanted partition (None,) of spec 1, that of d2",
        ),
        (
            vector(3, partition={"f": 0.0}),
            "partition (0.0,) of spec 2, wanted partition (-0.0,) of spec 2, that of d3",
        ),
    ],
)
def test_a_vector_that_fits_no_file_is_reported(
    wrong: ListedFile, message: str, tmp_path: Path
) -> None:
    """A deletion vector that fits no file is reported with its place and reason."""
    sound = [vector(each) for each in range(4) if wrong.offset != vector(each).offset]
    assert found(tmp_path, *sound, wrong) == [f"dv.{wrong.offset}: found {message}"]


def test_each_vector_beyond_the_first_of_a_file_is_reported(tmp_path: Path) -> None:
    """Each further deletion vector of a data file is reported with the place of the first."""
    others = [vector(0, offset=each) for each in (300, 500)]
    assert found(tmp_path, vector(0), vector(1), *others) == [
        f"dv.{each}: found another one for d0,"
        " wanted one deletion vector for each data file, not dv.4 too"
        for each in (300, 500)
    ]


def test_a_file_that_is_live_twice_is_reported(tmp_path: Path) -> None:
    """A file that is live twice in a snapshot is reported once."""
    again = ListedFile("d0", spec_id=1, partition={"f": 1.0}, sequence=3)
    reported = [each for each in found(tmp_path, more=(again,)) if "one snapshot" in each]
    assert reported == ["d0: found live twice in one snapshot, wanted each file once"]
