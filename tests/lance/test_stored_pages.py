"""Pages put together by hand, in every encoding, give the values or the error of their row.

The rows are in `tests/cases/lance`, a section for each claim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from tests.support.lance_cases import file_of, stored_pages

from byteloom import lance
from byteloom.errors import ByteloomError, LimitExceeded, Truncated
from byteloom.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path


def pages(kind: str) -> list[Any]:
    """The rows that have a key."""
    return [pytest.param(row, id=name) for name, row in stored_pages(kind)]


def check_reads(file: lance.LanceFile, expected: list[Any]) -> None:
    """Compare all ways to read the first column with its values."""
    table = file.to_table()
    table.validate(full=True)
    name, count = table.column_names[0], len(expected)
    assert table[name].to_pylist() == expected
    for size in (1, 7):
        batches = list(file.scan(batch_size=size).batches())
        assert [len(each) for each in batches[:-1]] == [size] * (len(batches) - 1)
        assert pa.Table.from_batches(batches)[name].to_pylist() == expected
    for part in (range(1), range(count // 2, count), range(1, count - 1)):
        found = file.scan(rows=part).to_table()
        assert found[name].to_pylist() == expected[part.start : part.stop]
    numbers = [count - 1, *range(0, count, 2), 0]
    assert file.take(numbers)[name].to_pylist() == [expected[each] for each in numbers]


@pytest.mark.parametrize("row", pages("reads"))
def test_a_page_gives_its_values(row: dict[str, Any], tmp_path: Path) -> None:
    """A page is read from memory and disk, in all ways, within its limits."""
    data, place = file_of(row), tmp_path / "x.lance"
    place.write_bytes(data)
    for each in (data, place):
        with lance.open(each, limits=Limits(**row.get("limits", {}))) as file:
            check_reads(file, row["reads"])


@pytest.mark.parametrize("row", pages("refused"))
def test_a_page_is_refused(row: dict[str, Any]) -> None:
    """The error for a page has its kind, its place, what was found and what was wanted."""
    with lance.open(file_of(row), limits=Limits(**row.get("limits", {}))) as file:
        taken = row.get("taken")
        with pytest.raises(ByteloomError) as error:
            file.to_table() if taken is None else file.take(taken)
    assert f"{type(error.value).__name__}: {error.value}" == row["refused"]


NULLS: Final = {
    "2.0": "nullable { all_nulls { } }",
    "2.1": "constant_layout { layers: NULLABLE_ITEM }",
}


@pytest.mark.parametrize("version", NULLS)
def test_nulls_are_made_for_the_rows_that_are_wanted(version: str) -> None:
    """A page of 2^60 nulls takes memory only for the rows that are read, within the limits."""
    row = {"page": f"{1 << 60} of int64", "version": version, "encoding": NULLS[version]}
    with lance.open(file_of(row), limits=Limits(elements=1000)) as file:
        last = range((1 << 60) - 1000, 1 << 60)
        assert file.scan(rows=last).to_table()["x"].null_count == 1000
        assert file.take([1 << 59])["x"].to_pylist() == [None]
        with pytest.raises(LimitExceeded, match=r"limits\.elements"):
            file.to_table()


def test_a_field_that_is_not_selected_is_not_read() -> None:
    """Damage in a field of a struct is no error where another field is selected."""
    flat = "nullable { no_nulls { values { flat(32, 0) } } }"
    columns = [
        [{"rows": 1, "encoding": "struct { }"}],
        [{"rows": 1, "encoding": flat, "buffers": ["07000000"]}],
        [{"rows": 1, "encoding": flat, "buffers": [""]}],
    ]
    fields = [["x", "struct", 0, -1], ["a", "int32", 1, 0], ["b", "int32", 2, 0]]
    with lance.open(file_of({"version": "2.0", "fields": fields, "columns": columns})) as file:
        assert file.to_table(["x.a"])["x"].to_pylist() == [{"a": 7}]
        with pytest.raises(Truncated, match=r"^columns\[2\]\.pages\[0\]\.buffers\[0\]"):
            file.to_table(["x.b"])
