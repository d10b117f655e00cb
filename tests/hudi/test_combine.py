"""How two records of one key of a metadata table are combined.

Pairs are combined by themselves, without a table and its log around each.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from tests.support.hudi_tables import SCHEMA, record

from byteloom.errors import FormatError, LimitExceeded
from byteloom.hudi.merge import combine, decoded, is_combined, joined

TEXT = json.dumps(SCHEMA)


def combined(kind: int, name: str, old: Any, new: Any) -> Any:
    """Return what two records combine to, or None if nothing is left."""
    made = combine((record(kind, **{name: old}), TEXT), (record(kind, **{name: new}), TEXT))
    return made and decoded(*made)[name]


def bare(stats: dict[str, Any]) -> dict[str, Any]:
    """Return statistics as they are read: names of wrappers have no namespace."""
    both = {name: stats[name] for name in ("minValue", "maxValue") if stats[name]}
    return stats | {name: (each[0].rpartition(".")[2], each[1]) for name, each in both.items()}


def info(size: int, *, deleted: bool = False) -> dict[str, Any]:
    """Return a file of a listing."""
    return {"size": size, "isDeleted": deleted}


def statistics(low: Any, high: Any, **more: Any) -> dict[str, Any]:
    """Return statistics of a column of ten values in a hundred bytes."""
    kind = {int: "Int", str: "String", bytes: "Bytes", float: "Double"}
    numbers = {"valueCount": 10, "nullCount": 1, "totalSize": 100, "totalUncompressedSize": None}
    flags = {"columnName": "n", "isDeleted": False, "isTightBound": False}
    values = {
        name: None if value is None else (f"test.{kind[type(value)]}Wrapper", {"value": value})
        for name, value in (("minValue", low), ("maxValue", high))
    }
    return numbers | flags | values | more


@pytest.mark.parametrize("kind", [1, 2])
def test_listings_are_joined_by_name(kind: int) -> None:
    """Combined listings keep the larger size, drop deleted files, and keep unknown deletions."""
    old = {"kept": info(1), "grown": info(2), "shrunk": info(9), "gone": info(3)}
    old["twice"] = info(0, deleted=True)
    new = {"grown": info(5), "shrunk": info(4), "gone": info(0, deleted=True), "new": info(6)}
    new |= {"unknown": info(0, deleted=True), "twice": info(0, deleted=True)}
    assert combined(kind, "filesystemMetadata", old, new) == {
        "kept": info(1),
        "grown": info(5),
        "shrunk": info(9),
        "new": info(6),
        "unknown": info(0, deleted=True),
        "twice": info(0, deleted=True),
    }


@pytest.mark.parametrize("kind", [3, 6])
@pytest.mark.parametrize(
    ("old", "new", "both"),
    [
        ((1, 5), (3, 9), (1, 9)),
        ((None, None), (3, 9), (3, 9)),
        ((1, 5), (None, None), (1, 5)),
        ((None, None), (None, None), (None, None)),
        (("b", "b"), ("a", "c"), ("a", "c")),
        (("\uff5e", "\uff5e"), ("\U0001f600", "\U0001f600"), ("\U0001f600", "\uff5e")),
        ((b"\x01", b"\x01"), (b"\xff", b"\xff"), (b"\xff", b"\x01")),
        ((b"a", b"a"), (b"ab", b"ab"), (b"a", b"ab")),
        ((9, 100), (2.5, 3.5), (2.5, 100.0)),
        ((9, 100), ("z", "z"), (None, None)),
        ((9, 100), (None, "z"), (9, None)),
    ],
)
def test_statistics_are_joined(
    kind: int, old: tuple[Any, Any], new: tuple[Any, Any], both: tuple[Any, Any]
) -> None:
    """Combined statistics add counts, compare as Java does, and omit bounds of two orders."""
    made = combined(kind, "ColumnStatsMetadata", statistics(*old), statistics(*new))
    wanted = statistics(*both, valueCount=20, nullCount=2, totalSize=200, totalUncompressedSize=0)
    assert made == bare(wanted)


def test_nan_is_the_largest_number() -> None:
    """NaN is larger than infinity, as in Java, and never a minimum beside other numbers."""
    nan, infinity = float("nan"), float("inf")
    for old, new in [((1.5, nan), (-2.5, infinity)), ((-2.5, infinity), (1.5, nan))]:
        made = combined(3, "ColumnStatsMetadata", statistics(*old), statistics(*new))
        assert made["minValue"][1] == {"value": -2.5}
        assert str(made["maxValue"][1]["value"]) == "nan"
    made = combined(3, "ColumnStatsMetadata", statistics(nan, nan), statistics(1.5, 2.5))
    assert made["minValue"][1] == {"value": 1.5}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"isTightBound": True}),
        ({"isDeleted": True}, {}),
        ({"isDeleted": True}, {"isTightBound": True}),
    ],
)
def test_newer_statistics_may_stand_alone(old: dict[str, bool], new: dict[str, bool]) -> None:
    """Newer statistics replace older ones if they are tight or the older ones are deleted."""
    newer = statistics(3, 9, **new)
    assert combined(3, "ColumnStatsMetadata", statistics(1, 5, **old), newer) == bare(newer)


def test_what_is_deleted_takes_the_older_along() -> None:
    """A deletion of statistics or of a Bloom filter removes the older record too."""
    deleted = statistics(None, None, isDeleted=True)
    assert combined(3, "ColumnStatsMetadata", statistics(1, 5), deleted) is None
    bloom = {"bloomFilter": b"1", "isDeleted": False}
    assert combined(4, "BloomFilterMetadata", bloom, {**bloom, "isDeleted": True}) is None
    assert combined(4, "BloomFilterMetadata", {**bloom, "isDeleted": True}, bloom) == bloom


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (record(2, filesystemMetadata={}), record(1, filesystemMetadata={}), "type"),
        (
            record(3, ColumnStatsMetadata=statistics(1, 2)),
            record(3, ColumnStatsMetadata=statistics(1, 2, columnName="m")),
            "ColumnStatsMetadata.columnName",
        ),
        (record(3), record(3, ColumnStatsMetadata=statistics(1, 2)), "ColumnStatsMetadata"),
        (record(2)[:-3], record(2), "value.ColumnStatsMetadata"),
        (record(2) + b"\0", record(2), "value"),
    ],
)
def test_records_that_cannot_be_of_one_key_are_errors(old: bytes, new: bytes, path: str) -> None:
    """Records that contradict each other, as of two columns, are refused by the field."""
    with pytest.raises(FormatError) as refused:
        combine((old, TEXT), (new, TEXT))
    assert refused.value.path == path


@pytest.mark.parametrize("schema", ["", "{", '{"type": "nothing"}', '"string"'])
def test_a_schema_that_is_none_of_records_is_an_error(schema: str) -> None:
    """A schema that is invalid, or not that of a record, is refused."""
    with pytest.raises(FormatError, match=r"^(schema|value): found .*, wanted (a|the)"):
        decoded(record(2), schema)


def test_only_some_partitions_are_combined() -> None:
    """Records of listings and statistics are combined; of other indexes the newest is taken."""
    assert is_combined("files")
    assert is_combined("expr_index_idx_year")
    assert is_combined("func_index_idx_year")
    assert not is_combined("record_index")
    assert not is_combined("secondary_index_idx_rider")


def test_keys_of_a_slice_have_as_many_bytes_as_arrow_counts() -> None:
    """Keys with more bytes than Arrow's offsets allow are refused before memory is taken."""
    part = pa.array([bytes(1 << 20)])
    assert joined([part, part[:0], part]).to_pylist() == [bytes(1 << 20)] * 2
    with pytest.raises(LimitExceeded, match="at most 2147483647 in one slice's logs"):
        joined([part] * 2048)
