"""An audit finds untrue statistics of files and partitions.

Rows of an index have no public name: Spark's source reads them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from tests.support.hudi_indexed import (
    COLUMNS,
    FILE,
    PARTITION,
    TIME,
    Indexed,
    listing,
    made,
    parquet,
    statistics,
)

from byteloom import hudi
from byteloom.hudi import MetadataTable, audit

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.hudi import Audit

_STATS: Final = "partition_stats"


def _audit(given: Indexed, root: Path, name: str) -> Audit:
    return audit(MetadataTable.open(given.write(root)), [name])


def _of_partitions() -> Indexed:
    """Return a table with statistics of its one partition."""
    given = made()
    given.rows[_STATS] = {
        hudi.keys.partition_stats_key(column, PARTITION): statistics(column, fileName=PARTITION)
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
    given.rows[_STATS][hudi.keys.partition_stats_key("fare", PARTITION)] = row
    (finding,) = _audit(given, tmp_path, _STATS).findings
    assert str(finding) == f"{_STATS}: wrong {PARTITION}/all files: {says}"


def test_empty_text_is_a_bound(tmp_path: Path) -> None:
    """Where the least value is empty text and the index has no bound, the finding says so."""
    given = _of_partitions()
    place = hudi.keys.partition_stats_key("rider", PARTITION)
    given.rows[_STATS][place] = statistics("rider", fileName=PARTITION, minValue=None)
    (finding,) = _audit(given, tmp_path, _STATS).findings
    assert str(finding).endswith("min of rider: index says nothing, data no characters")


def test_bounds_of_partitions_that_are_not_tight(tmp_path: Path) -> None:
    """Bounds that are not tight may be wider than the values, but not narrower."""
    given = _of_partitions()
    place = hudi.keys.partition_stats_key("fare", PARTITION)
    wide = {"minValue": ("DoubleWrapper", {"value": 1.0}), "isTightBound": False}
    given.rows[_STATS][place] = statistics("fare", **wide)
    assert _audit(given, tmp_path / "wide", _STATS).is_clean
    narrow = {"minValue": ("DoubleWrapper", {"value": 2.0}), "isTightBound": False}
    given.rows[_STATS][place] = statistics("fare", **narrow)
    (finding,) = _audit(given, tmp_path / "narrow", _STATS).findings
    assert finding.indexed == "2.0"


@pytest.mark.parametrize("is_tight", [True, False])
def test_bounds_of_columns_without_values(tmp_path: Path, is_tight: bool) -> None:
    """Bounds of a column that is null in all rows are no finding: no query loses rows by them."""
    given = _of_partitions()
    given.data["fare"] = pa.nulls(6, pa.float64())
    low, high = ("DoubleWrapper", {"value": 0.0}), ("DoubleWrapper", {"value": 1.0})
    stated = {"minValue": low, "maxValue": high, "nullCount": 6, "isTightBound": is_tight}
    of_file, of_partition = (statistics("fare", **stated, fileName=each) for each in (FILE, "p0"))
    given.rows[_STATS][hudi.keys.partition_stats_key("fare", PARTITION)] = of_partition
    given.rows["column_stats"][hudi.keys.column_stats_key("fare", PARTITION, FILE)] = of_file
    assert audit(MetadataTable.open(given.write(tmp_path)), [_STATS, "column_stats"]).is_clean


def _changed(now: pa.Array, wrapper: str, ordinal: int, bounds: tuple[Any, Any]) -> Indexed:
    """Return a table whose column ``fare`` was an integer, and has another type in a newer file.

    bounds  of the whole partition, in the newer type
    """
    given, newer = made(), FILE.replace("af8108ef", "bf8108ef")
    given.data["fare"] = pa.array([9, 100, 2**53 + 1, None, None, 9], pa.int64())
    given.others[newer] = {"key": [f"new-{at}" for at in range(len(now))], "fare": now}
    kind = {"valueType": {"typeOrdinal": ordinal, "additionalInfo": None}}
    longs = {"valueType": {"typeOrdinal": 4, "additionalInfo": None}}
    counts = {"valueCount": 6, "nullCount": 2}
    stated: dict[str, Any] = {
        "minValue": ("LongWrapper", {"value": 9}),
        "maxValue": ("LongWrapper", {"value": 2**53 + 1}),
    }
    of_old = statistics("fare", **stated, **counts, **longs)
    low, high = now[0].as_py(), now[-1].as_py()
    stated = {"minValue": (wrapper, {"value": low}), "maxValue": (wrapper, {"value": high})}
    counts = {"valueCount": len(now), "nullCount": 0}
    of_new = statistics("fare", **stated, **counts, **kind, fileName=newer)
    low, high = bounds
    stated = {"minValue": (wrapper, {"value": low}), "maxValue": (wrapper, {"value": high})}
    counts = {"valueCount": 6 + len(now), "nullCount": 2}
    of_all = statistics("fare", **stated, **counts, **kind, fileName=PARTITION)
    given.rows["column_stats"] = {
        hudi.keys.column_stats_key("fare", PARTITION, FILE): of_old,
        hudi.keys.column_stats_key("fare", PARTITION, newer): of_new,
    }
    given.rows[_STATS] = {hudi.keys.partition_stats_key("fare", PARTITION): of_all}
    return given


@pytest.mark.parametrize(
    ("kind", "wrapper", "ordinal"),
    [(pa.float64(), "DoubleWrapper", 6), (pa.float32(), "FloatWrapper", 5)],
)
def test_statistics_of_a_widened_column(
    tmp_path: Path, kind: Any, wrapper: str, ordinal: int
) -> None:
    """Statistics of a widened column are compared in the newer type, and a wrong one is found."""
    given = _changed(pa.array([2.5, 7.5], kind), wrapper, ordinal, (2.5, 2.0**53))
    bounds = MetadataTable.open(given.write(tmp_path / "true")).column_stats(["fare"])["fare"]
    assert sorted(bounds["min"].to_pylist()) == [2.5, 9.0]
    for index in ("column_stats", _STATS):
        result = audit(MetadataTable.open(tmp_path / "true"), [index])
        assert result.is_clean
        assert not result.skipped
    wrong = _changed(pa.array([2.5, 7.5], kind), wrapper, ordinal, (7.5, 2.0**53))
    (finding,) = _audit(wrong, tmp_path / "wrong", _STATS).findings
    assert (finding.indexed, finding.found) == ("7.5", "2.5")


def test_statistics_of_a_column_that_became_text(tmp_path: Path) -> None:
    """Bounds of numbers in a column that became text are left out, and listed as not compared."""
    given = _changed(pa.array(["a", "z"]), "StringWrapper", 7, ("a", "z"))
    table = MetadataTable.open(given.write(tmp_path))
    assert set(table.column_stats(["fare"])["fare"]["max"].to_pylist()) == {"z", None}
    for index, reason in (
        ("column_stats", "bounds of type int64 in an index of text"),
        (_STATS, "a type that does not fit, or was changed"),
    ):
        result = audit(table, [index])
        assert result.is_clean
        (skipped,) = result.skipped
        assert skipped.reason.startswith(reason)


def test_indexes_without_superseded_files(tmp_path: Path) -> None:
    """A file that a newer one replaced may be missing from indexes, but not one that is read."""
    given = _of_partitions()
    older = FILE.replace(TIME, "20261121070119000")
    given.others[older] = given.data
    root = given.write(tmp_path)
    indexes = ["column_stats", "bloom_filters"]
    result = audit(MetadataTable.open(root), indexes)
    assert result.is_clean
    reason = "no longer read by queries"
    assert [(each.subject, each.reason) for each in result.skipped] == [
        (f"{PARTITION}/{older}", reason) for _ in indexes
    ]
    (root / PARTITION / older).rename(root / PARTITION / older.replace("af8108ef", "bf8108ef"))
    found = audit(MetadataTable.open(root), indexes).findings
    assert [each.kind for each in found] == ["missing", "missing"]


@pytest.mark.parametrize("suffix", ["", "_fg%3Done%2Ftwo"])
def test_files_of_other_programs(tmp_path: Path, suffix: str) -> None:
    """A file that another program wrote has its own name in listings, and no false finding."""
    given, folder = _of_partitions(), "one/two/" if suffix else ""
    name = f"{folder}ext file_1.parquet"
    listed = f"{name}_{TIME}{suffix}_hudiext"
    raw = parquet({"fare": [9.5], "rider": ["z"]})
    own = len(parquet(given.data))
    given.rows["files"][PARTITION] = listing({FILE: own, listed: len(raw)}, 2)
    root = given.write(tmp_path)
    written = {"partitionToWriteStats": {PARTITION: [{"path": f"{PARTITION}/{listed}"}]}}
    place = root / ".hoodie/timeline" / f"{TIME}_{TIME}5.commit"
    place.write_text(json.dumps(written))
    (root / PARTITION / name).parent.mkdir(parents=True, exist_ok=True)
    (root / PARTITION / name).write_bytes(raw)
    table = MetadataTable.open(root)
    assert table.files(PARTITION) == {FILE: own, name: len(raw)}
    result = audit(table)
    assert result.is_clean, result.findings
    if not suffix:
        skipped = {(each.index, each.subject) for each in result.skipped}
        assert {("column_stats", f"p0/{name}"), ("bloom_filters", f"p0/{name}")} <= skipped
        assert (_STATS, PARTITION) in skipped
    (root / PARTITION / name).write_bytes(raw + b" ")
    assert [each.kind for each in audit(table, ["files"], rows=False).findings] == ["wrong"]
    assert [each.kind for each in audit(table, ["files"]).findings] == ["wrong", "damaged"]
    (root / PARTITION / name).unlink()
    (finding,) = audit(table, ["files"]).findings
    gone = f"named by commit {TIME}, and not there"
    assert str(finding) == f"data: lost {PARTITION}/{name}: {gone}"


def test_partitions_without_statistics(tmp_path: Path) -> None:
    """A partition that has files but no statistics is a finding."""
    given = _of_partitions()
    given.rows[_STATS] = {
        hudi.keys.partition_stats_key("fare", "elsewhere"): statistics("fare", fileName="elsewhere")
    }
    (finding,) = _audit(given, tmp_path, _STATS).findings
    assert str(finding) == (
        f"{_STATS}: missing {PARTITION}/statistics: index says nothing, data files"
    )
