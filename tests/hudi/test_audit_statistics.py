"""An audit finds untrue statistics of partitions and of expressions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.support.hudi_indexed import COLUMNS, FILE, PARTITION, Indexed, made, statistics

from byteloom.hudi import MetadataTable, audit, keys

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.hudi import Audit

_STATS: Final = "partition_stats"
_INDEX: Final = "expr_index_idx"


def _audit(given: Indexed, root: Path, name: str) -> Audit:
    return audit(MetadataTable.open(given.write(root)), [name])


def _of_partitions() -> Indexed:
    """Return a table with statistics of its one partition."""
    given = made()
    given.rows[_STATS] = {
        keys.partition_stats_key(column, PARTITION): statistics(column, fileName=PARTITION)
        for column in COLUMNS
    }
    return given


def test_true_statistics_of_partitions(tmp_path: Path) -> None:
    """An audit compares each column of each partition, and finds nothing wrong in a true index."""
    result = _audit(_of_partitions(), tmp_path, _STATS)
    assert result.is_clean
    assert not result.skipped
    assert result.compared == {_STATS: len(COLUMNS)}


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"nullCount": 0}, "null_count of fare: index says 0, data 1"),
        ({"valueCount": 5}, "value_count of fare: index says 5, data 6"),
        ({"minValue": ("DoubleWrapper", {"value": 1.0})}, "min of fare: index says 1.0, data 1.5"),
        ({"maxValue": ("DoubleWrapper", {"value": 6.0})}, "max of fare: index says 6.0, data 6.5"),
        ({"maxValue": None}, "max of fare: index says nothing, data 6.5"),
    ],
)
def test_untrue_statistics_of_partitions(tmp_path: Path, parts: dict[str, Any], says: str) -> None:
    """An audit's finding for untrue partition statistics names the partition and the difference."""
    given = _of_partitions()
    row = statistics("fare", fileName=PARTITION, **parts)
    given.rows[_STATS][keys.partition_stats_key("fare", PARTITION)] = row
    (finding,) = _audit(given, tmp_path, _STATS).findings
    assert str(finding) == f"{_STATS}: wrong {PARTITION}/all files: {says}"


def test_bounds_of_partitions_that_are_not_tight(tmp_path: Path) -> None:
    """Bounds that are not tight may be wider than the values, but not narrower."""
    given = _of_partitions()
    place = keys.partition_stats_key("fare", PARTITION)
    wide = {"minValue": ("DoubleWrapper", {"value": 1.0}), "isTightBound": False}
    given.rows[_STATS][place] = statistics("fare", **wide)
    assert _audit(given, tmp_path / "wide", _STATS).is_clean
    narrow = {"minValue": ("DoubleWrapper", {"value": 2.0}), "isTightBound": False}
    given.rows[_STATS][place] = statistics("fare", **narrow)
    (finding,) = _audit(given, tmp_path / "narrow", _STATS).findings
    assert finding.indexed == "2.0"


def test_partitions_without_statistics(tmp_path: Path) -> None:
    """A partition that has files but no statistics is a finding."""
    given = _of_partitions()
    given.rows[_STATS] = {
        keys.partition_stats_key("fare", "elsewhere"): statistics("fare", fileName="elsewhere")
    }
    (finding,) = _audit(given, tmp_path, _STATS).findings
    assert str(finding) == (
        f"{_STATS}: missing {PARTITION}/statistics: index says nothing, data files"
    )


def _of_expression(column: str, function: str, kind: str = "column_stats", **parts: Any) -> Indexed:
    """Return a table with an expression index of one file and its partition."""
    given = made()
    row = statistics(column if column in COLUMNS else "fare", columnName=column, **parts)
    given.rows[_INDEX] = {
        keys.column_stats_key(column, PARTITION, FILE): row,
        keys.expression_partition_stats_key(column, PARTITION): row,
    }
    given.definitions[_INDEX] = {
        "indexName": _INDEX, "indexType": kind, "indexFunction": function,
        "sourceFields": [column], "indexOptions": {"expr": function}, "version": "V2",
    }  # fmt: skip
    return given


def _text(value: str) -> Any:
    return ("StringWrapper", {"value": value})


def test_true_statistics_of_an_expression(tmp_path: Path) -> None:
    """True statistics of an expression are compared for the file and for its partition."""
    bounds: dict[str, Any] = {"minValue": _text(""), "maxValue": _text("B$")}
    result = _audit(_of_expression("rider", "upper", **bounds), tmp_path, _INDEX)
    assert result.is_clean
    assert not result.skipped
    assert result.compared == {_INDEX: 2}


def test_untrue_statistics_of_an_expression(tmp_path: Path) -> None:
    """Statistics of the bare column are a finding in the index of an expression."""
    found = _audit(_of_expression("rider", "upper"), tmp_path, _INDEX).findings
    assert [str(each) for each in found] == [
        f"{_INDEX}: wrong {PARTITION}/{name}: max of rider: index says b$, data B$"
        for name in (FILE, "all files")
    ]


@pytest.mark.parametrize(
    ("function", "kind", "reason"),
    [
        ("substring", "column_stats", "column_stats of substring"),
        ("upper", "bloom_filters", "bloom_filters of upper"),
        ("", "column_stats", "column_stats of an unnamed function"),
    ],
)
def test_expressions_that_are_not_compared(
    tmp_path: Path, function: str, kind: str, reason: str
) -> None:
    """An expression that cannot be compared is listed as skipped, not counted as compared."""
    result = _audit(_of_expression("rider", function, kind), tmp_path, _INDEX)
    (skipped,) = result.skipped
    assert skipped.reason == f"byteloom cannot compare {reason}"
    assert not result.compared


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [("year", 2023, 2024), ("month", 1, 12), ("day", 5, 31), ("hour", 7, 23)],
)
def test_functions_of_times(tmp_path: Path, function: str, low: int, high: int) -> None:
    """Statistics of a time function that agree in UTC count; others are only listed as skipped."""
    times = [datetime(2023, 12, 31, 23, tzinfo=UTC), datetime(2024, 1, 5, 7, tzinfo=UTC)] * 3

    def result(place: Path, most: int) -> Audit:
        bounds: dict[str, Any] = {"minValue": ("IntWrapper", {"value": low}), "nullCount": 0}
        of = {"typeOrdinal": 3, "additionalInfo": None}
        upper = ("IntWrapper", {"value": most})
        given = _of_expression("time", function, **bounds, maxValue=upper, valueType=of)
        given.data["time"] = times
        return _audit(given, place, _INDEX)

    assert result(tmp_path / "same", high).is_clean
    assert not result(tmp_path / "too", high).skipped
    other = result(tmp_path / "other", high + 1)
    assert not other.findings
    assert {each.reason for each in other.skipped} == {
        "it depends on a time zone, and differs in UTC"
    }
