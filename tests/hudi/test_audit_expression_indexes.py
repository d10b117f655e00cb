"""An audit finds untrue statistics and Bloom filters of expressions over a column.

Rows of an index have no public name: Spark's source reads them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from tests.support.hudi_indexed import (
    COLUMNS,
    FILE,
    PARTITION,
    Indexed,
    bloom,
    made,
    statistics,
)

from byteloom import hudi
from byteloom.errors import ArgumentError
from byteloom.hudi import MetadataTable, audit
from byteloom.hudi.index_rows import index_rows

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.hudi import Audit

_INDEX: Final = "expr_index_idx"


def _audit(given: Indexed, root: Path) -> Audit:
    return audit(MetadataTable.open(given.write(root)), [_INDEX])


def _of_expression(column: str, function: str, kind: str = "column_stats", **parts: Any) -> Indexed:
    """Return a table with an expression index of one file and its partition."""
    given = made()
    row = statistics(column if column in COLUMNS else "fare", columnName=column, **parts)
    given.rows[_INDEX] = {
        hudi.keys.column_stats_key(column, PARTITION, FILE): row,
        hudi.keys.expression_partition_stats_key(column, PARTITION): row,
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
    result = _audit(_of_expression("rider", "upper", **bounds), tmp_path)
    assert result.is_clean
    assert not result.skipped
    assert result.compared == {_INDEX: 2}


def test_untrue_statistics_of_an_expression(tmp_path: Path) -> None:
    """Statistics of the bare column are a finding in the index of an expression."""
    found = _audit(_of_expression("rider", "upper"), tmp_path).findings
    assert [str(each) for each in found] == [
        f"{_INDEX}: wrong {PARTITION}/{name}: max of rider: index says b$, data B$"
        for name in (FILE, "all files")
    ]


@pytest.mark.parametrize(
    ("function", "kind", "reason"),
    [
        ("split", "column_stats", "column_stats of split"),
        ("split", "bloom_filters", "bloom_filters of split"),
        ("", "column_stats", "column_stats of an unnamed function"),
    ],
)
def test_expressions_that_are_not_compared(
    tmp_path: Path, function: str, kind: str, reason: str
) -> None:
    """An expression that cannot be compared is listed as skipped, not counted as compared."""
    result = _audit(_of_expression("rider", function, kind), tmp_path)
    (skipped,) = result.skipped
    assert skipped.reason == f"byteloom cannot compare {reason}"
    assert not result.compared


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [("trim", "", "b$"), ("ltrim", "", "b$ "), ("rtrim", "", "b$"), ("length", 0, 4)],
)
def test_functions_of_text(tmp_path: Path, function: str, low: Any, high: Any) -> None:
    """Statistics of a function of text are compared, and a wrong bound is found."""
    wrapper, ordinal = ("IntWrapper", 3) if function == "length" else ("StringWrapper", 7)

    def result(place: Path, most: Any) -> Audit:
        stated: dict[str, Any] = {
            "minValue": (wrapper, {"value": low}),
            "maxValue": (wrapper, {"value": most}),
            "valueType": {"typeOrdinal": ordinal, "additionalInfo": None},
        }
        given = _of_expression("rider", function, **stated)
        given.data["rider"] = ["a", " b$ ", None, "a", "", "b$"]
        if function == "rtrim":
            given.data["rider"][1] = "b$ "
        return _audit(given, place)

    assert result(tmp_path / "true", high).is_clean
    wrong = "z" if function != "length" else 5
    assert len(result(tmp_path / "wrong", wrong).findings) == 2


def _of_filters(column: str, function: str, values: list[str]) -> Indexed:
    """Return a table with an expression index of Bloom filters, of these values."""
    given = _of_expression(column, function, "bloom_filters")
    given.rows[_INDEX] = {hudi.keys.bloom_filter_key(PARTITION, FILE): bloom(values)}
    return given


def test_bloom_filters_of_an_expression(tmp_path: Path) -> None:
    """Bloom filters of an expression are returned by file, and let all its values pass."""
    given = _of_filters("rider", "upper", ["A", "B$", ""])
    table = MetadataTable.open(given.write(tmp_path))
    for name in ("idx", _INDEX):
        (found,) = table.bloom_filters(PARTITION, [FILE], index=name).values()
        assert found.might_contain([b"A", b"a"]).tolist() == [True, False]
    result = audit(table, [_INDEX])
    assert result.is_clean
    assert not result.skipped
    assert result.compared == {_INDEX: 5}
    (group,) = table.slices(_INDEX)
    rows = pa.concat_tables(index_rows(table, _INDEX, group.file_id))
    assert rows["key"].to_pylist() == [hudi.keys.bloom_filter_key(PARTITION, FILE)]
    with pytest.raises(ArgumentError, match="found an index of bloom_filters, wanted column_stats"):
        table.expression_index("idx")


def test_untrue_bloom_filters_of_an_expression(tmp_path: Path) -> None:
    """A finding names each value of the expression that its file's filter does not let pass."""
    given = _of_filters("rider", "upper", ["A", "b$", ""])
    (finding,) = _audit(given, tmp_path / "wrong").findings
    assert str(finding) == f"{_INDEX}: wrong {PARTITION}/{FILE}: B$: index says no, data the key"
    given.rows[_INDEX] = {hudi.keys.bloom_filter_key(PARTITION, "other"): bloom(["A"])}
    assert [each.kind for each in _audit(given, tmp_path / "none").findings] == ["missing"]


@pytest.mark.parametrize(
    ("values", "function", "reason"),
    [
        ([1.5] * 6, "identity", "values of type double"),
        ([1.5] * 6, "lower", "values of type double"),
        ([datetime(2024, 1, 1, tzinfo=UTC)] * 6, "year", "it depends on a time zone"),
    ],
)
def test_bloom_filters_that_are_not_compared(
    tmp_path: Path, values: list[Any], function: str, reason: str
) -> None:
    """Filters of values whose text is not known are listed as not compared."""
    given = _of_filters("rider", function, ["x"])
    given.data["rider"] = values
    result = _audit(given, tmp_path)
    assert result.is_clean
    (skipped,) = result.skipped
    assert skipped.reason.startswith(reason)


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
        return _audit(given, place)

    assert result(tmp_path / "same", high).is_clean
    assert not result(tmp_path / "too", high).skipped
    other = result(tmp_path / "other", high + 1)
    assert not other.findings
    assert {each.reason for each in other.skipped} == {
        "it depends on a time zone, and differs in UTC"
    }
