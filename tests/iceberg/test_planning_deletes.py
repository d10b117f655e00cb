"""The deletes that apply to each file are those that the spec's words give pair by pair."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.iceberg_plans import ListedFile, table_of
from tests.support.iceberg_schemas import a_field, a_struct

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence


SCHEMA: dict[str, Any] = a_struct(
    a_field(1, "id", "int"), a_field(2, "f", "double"), a_field(3, "s", "string")
) | {"schema-id": 0}
SPECS: dict[int, Sequence[Any]] = {
    0: (),
    1: ((2, 1000, "f", "identity", "double"),),
    2: ((2, 1000, "f", "identity", "double"), (3, 1001, "s", "identity", "string")),
}
VALUES: dict[str, list[Any]] = {"f": [None, math.nan, -0.0, 0.0, 1.5], "s": [None, "", "a"]}


def partitions(spec_id: int) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a partition of a spec."""
    names = [each[2] for each in SPECS[spec_id]]
    return st.fixed_dictionaries({name: st.sampled_from(VALUES[name]) for name in names})


@dataclass
class Case:
    """A set of files, and the ids in its data files and equality deletes."""

    files: list[ListedFile] = field(default_factory=list)
    ids: dict[str, list[int | None]] = field(default_factory=dict)

    def add(self, stated: ListedFile) -> None:
        """Add a file."""
        self.files.append(stated)

    @property
    def data(self) -> list[ListedFile]:
        """Return the data files."""
        return [each for each in self.files if each.content == 0]

    def vector_of(self, data: ListedFile) -> ListedFile | None:
        """Return the deletion vector of a data file."""
        of_file = (each for each in self.files if each.referenced == data.path)
        return next((each for each in of_file if each.offset is not None), None)


IDS = st.lists(st.none() | st.integers(-3, 3), min_size=1, max_size=4)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw data files and deletes of any kind, with few partitions, ages and ids."""
    case = Case()
    for number in range(draw(st.integers(1, 6))):
        _add(draw, case, f"data{number}", 0, draw(st.sampled_from(list(SPECS))))
    for number in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["vector", "named", "partition", "equality"]))
        name, of = f"delete{number}", draw(st.sampled_from(case.data))
        if kind in {"partition", "equality"}:
            _add(draw, case, name, 1 + (kind == "equality"), draw(st.sampled_from(list(SPECS))))
        elif kind == "named" or case.vector_of(of) is None:
            offset = None if kind == "named" else 4 + 40 * number
            age = draw(st.integers(1 if kind == "named" else of.sequence, 4))
            listed = ListedFile(
                name, 1, of.spec_id, of.partition, age, referenced=of.path, offset=offset
            )
            case.add(listed)
    return case


def _add(draw: st.DrawFn, case: Case, name: str, content: int, spec_id: int) -> None:
    """Add a file of any partition and age, with or without statistics."""
    case.ids[name] = draw(IDS)
    stats = _stats(case.ids[name]) if draw(st.booleans()) else {}
    case.add(
        ListedFile(
            name,
            content,
            spec_id,
            draw(partitions(spec_id)),
            draw(st.integers(1, 4)),
            len(case.ids[name]),
            stats if content != 1 else {},
            (1,) if content == 2 else None,
        )
    )


def _stats(ids: list[int | None]) -> dict[str, Any]:
    """Return the statistics of a file of these ids."""
    real = [each for each in ids if each is not None]
    bounds = {
        name: {"1": struct.pack("<i", pick(real)).hex()}
        for name, pick in (("lower_bounds", min), ("upper_bounds", max))
        if real
    }
    counts = {"value_counts": {"1": len(ids)}, "null_value_counts": {"1": ids.count(None)}}
    return {**counts, **bounds}


def is_same(left: Any, right: Any) -> bool:
    """Return whether partition values are equal: all NaNs are, and zeros of two signs differ."""
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return bool(left == right)


def in_scope(case: Case, delete: ListedFile, data: ListedFile) -> bool:
    """Return whether a delete file applies to a data file, by the spec's words."""
    if delete.referenced is not None and delete.referenced != data.path:
        return False
    same = delete.spec_id == data.spec_id and all(
        is_same(delete.partition[name], data.partition[name]) for name in data.partition
    )
    if delete.content == 2:
        return data.sequence < delete.sequence and (same or not SPECS[delete.spec_id])
    if delete.offset is None and case.vector_of(data) is not None:
        return False
    return data.sequence <= delete.sequence and same


@given(cases())
def test_deletes_apply_where_the_spec_says(case: Case) -> None:
    """All deletes in scope apply, except equality deletes that share no value with the file."""
    with TemporaryDirectory() as folder:
        tasks = list(table_of(Path(folder), SCHEMA, SPECS, case.files).scan().plan())
    assert {each.file_path for each in tasks} == {each.path for each in case.data}
    found = {(each.file_path, deletes.file_path) for each in tasks for deletes in each.deletes}
    for data in case.data:
        for delete in (each for each in case.files if each.content > 0):
            pair, ids = (data.path, delete.path), case.ids.get(delete.path, ())
            if in_scope(case, delete, data) and (
                delete.content == 1 or set(ids) & set(case.ids[data.path])
            ):
                assert pair in found
            elif pair in found:
                assert in_scope(case, delete, data)
                assert delete.content == 2


def planned(folder: Path, *files: ListedFile) -> list[Any]:
    """Return the plan of a table of these files."""
    return list(table_of(folder, SCHEMA, SPECS, files).scan().plan())


def vector(**changes: Any) -> ListedFile:
    """Return a deletion vector of the file ``data``."""
    return ListedFile("v", **{"content": 1, "referenced": "data", "offset": 4, **changes})


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([vector(sequence=2)], "found sequence number 2, wanted 3 or more"),
        ([vector(sequence=3), vector(sequence=4, offset=44)], "found more than one"),
        ([vector(sequence=3, referenced="other")], "deletion vector of other: found no such live"),
        ([vector(sequence=3, spec_id=1, partition={"f": 1.0})], "found another partition"),
        ([vector(sequence=3, referenced=None)], "referenced_data_file: found null, wanted the"),
    ],
    ids=[
        "older than its file",
        "two of one file",
        "of no file",
        "of another partition",
        "nameless",
    ],
)
def test_wrong_deletion_vectors_are_refused(
    vectors: list[ListedFile], message: str, tmp_path: Path
) -> None:
    """A deletion vector must name one live file that is not newer, in its partition.

    A data file has at most one.
    """
    with pytest.raises(FormatError, match=message):
        planned(tmp_path, ListedFile("data", sequence=3), *vectors)


def test_deletes_without_an_age_apply_to_nothing(tmp_path: Path) -> None:
    """A delete file of version 1, whose sequence number is 0, is ignored."""
    (task,) = planned(tmp_path, ListedFile("data", sequence=0), vector(sequence=0))
    assert task.deletes == ()


def test_position_deletes_name_their_file_by_bounds_too(tmp_path: Path) -> None:
    """Equal bounds of the path column name a data file as a reference does."""
    path = b"data1".hex()
    bounds = {name: {"2147483546": path} for name in ("lower_bounds", "upper_bounds")}
    tasks = planned(
        tmp_path,
        ListedFile("data0"),
        ListedFile("data1"),
        ListedFile("d", 1, sequence=2, stats=bounds),
    )
    assert {each.file_path: len(each.deletes) for each in tasks} == {"data0": 0, "data1": 1}


@pytest.mark.parametrize("content", [1, 2])
def test_a_count_of_no_rows_rules_no_delete_file_out(tmp_path: Path, content: int) -> None:
    """A delete file that counts no rows is planned, and only bounds exclude it."""
    ids = [1] if content == 2 else None
    bounds = {"lower_bounds": {"1": "05000000"}, "upper_bounds": {"1": "05000000"}}
    listed = ListedFile("delete", content, sequence=2, records=0, stats=bounds, equality_ids=ids)
    table = table_of(tmp_path, SCHEMA, {0: ()}, [ListedFile("data"), listed])
    for text, wanted in (("id = 5", 1), ("id = 6", 0)):
        (task,) = table.scan(text).plan()
        assert len(task.deletes) == wanted


@pytest.mark.parametrize("columns", [100, 101])
@pytest.mark.parametrize("text", ["true", "c7 = 5"])
def test_equality_deletes_are_compared_in_wide_tables_too(
    tmp_path: Path, columns: int, text: str
) -> None:
    """The bounds of equality deletes are compared in tables of many columns too."""
    fields = [
        {"id": each, "name": f"c{each}", "required": False, "type": "int"}
        for each in range(1, columns + 1)
    ]
    stated = [
        ListedFile(
            name,
            content,
            sequence=1 + content,
            stats={
                "null_value_counts": {"50": 0},
                "lower_bounds": {"50": value, "7": "05000000"},
                "upper_bounds": {"50": value, "7": "05000000"},
            },
            equality_ids=[50] if content else None,
        )
        for name, content, value in (
            ("other", 0, "04000000"),
            ("same", 0, "05000000"),
            ("deletes", 2, "05000000"),
        )
    ]
    table = table_of(tmp_path, {**SCHEMA, "fields": fields}, {0: ()}, stated)
    found = {each.file_path: len(each.deletes) for each in table.scan(text).plan()}
    assert found == {"other": 0, "same": 1}
