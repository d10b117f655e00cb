"""Impossible counts in statistics prune no file, and verification reports them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.iceberg_plans import ListedFile, table_of
from tests.support.iceberg_schemas import a_field, a_struct

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = a_struct(a_field(1, "x", "double")) | {"schema-id": 0}
BOUNDS = {"lower_bounds": {"1": "000000000000f03f"}, "upper_bounds": {"1": "0000000000001040"}}
"""1.0 and 4.0."""

FILTERS = (
    "x is null",
    "x is not null",
    "x is nan",
    "x is not nan",
    *(f"x {each} 2.0" for each in ("<", "<=", ">", ">=", "=", "!=")),
    *("x < 1.0", "x > 4.0", "x in (2.0, 3.0)", "x not in (2.0, 3.0)"),
)


def _planned(folder: Path, stats: dict[str, dict[str, Any]]) -> dict[str, set[str]]:
    """Return the files planned for each filter; *stats* are those of files by name."""
    files = [ListedFile(name, stats=BOUNDS | held) for name, held in stats.items()]
    table = table_of(folder, SCHEMA, {0: ()}, files)
    return {each: {file.file_path for file in table.scan(each).plan()} for each in FILTERS}


@pytest.mark.parametrize("name", ["value_counts", "null_value_counts", "nan_value_counts"])
@pytest.mark.parametrize("number", [-1, -2, -10, -(1 << 63)])
def test_a_negative_count_is_as_an_unknown_one(tmp_path: Path, name: str, number: int) -> None:
    """A negative count prunes as much as an unknown one, whatever the filter and other counts."""
    wrong, unknown = {}, {}
    for nulls, nans in [(0, 0), (10, 0), (0, 10), (number, number)]:
        known = {"value_counts": 10, "null_value_counts": nulls, "nan_value_counts": nans}
        counts = {key: {"1": held} for key, held in known.items()}
        file = f"{nulls} nulls, {nans} NaNs"
        wrong[file] = counts | {name: {"1": number}}
        unknown[file] = counts | {name: {}}
    assert _planned(tmp_path / "a", wrong) == _planned(tmp_path / "b", unknown)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"value_counts": -3}, "entries[0].value_counts[1]: found -3, wanted 0 or more"),
        ({"null_value_counts": -1}, "entries[0].null_value_counts[1]: found -1, wanted 0 or more"),
        (
            {"nan_value_counts": -(1 << 63)},
            f"entries[0].nan_value_counts[1]: found {-(1 << 63)}, wanted 0 or more",
        ),
        (
            {"null_value_counts": 6, "nan_value_counts": 5},
            "value_counts[1]: found 10, wanted as many values as nulls and NaNs, or more",
        ),
    ],
)
def test_verification_reports_counts_that_cannot_be(
    tmp_path: Path, counts: dict[str, int], message: str
) -> None:
    """Verification reports an impossible count with its entry and column, and no valid count."""
    sound = {"value_counts": 10, "null_value_counts": 4, "nan_value_counts": 6}
    messages = []
    for name, held in (("sound", sound), ("wrong", sound | counts)):
        stats = {key: {"1": value, "7": 5} for key, value in held.items()}
        stats["value_counts"]["7"] = 10
        file = ListedFile("f", stats={**BOUNDS, **stats})
        table = table_of(tmp_path / name, SCHEMA, {0: ()}, [file])
        found = [str(each) for each in table.verify(files=False)]
        messages.append([each for each in found if "_counts[" in each])
    assert messages[0] == []
    assert len(messages[1]) == 1
    assert messages[1][0].endswith(message)
