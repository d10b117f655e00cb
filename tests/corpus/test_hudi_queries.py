"""Indexes of tables written by Hudi answer as Hudi does, and an audit finds wrong ones."""

from __future__ import annotations

import base64
import json
from collections import Counter, defaultdict
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.support.corpus import corpus_cases
from tests.support.java_hudi import FOLDER, Case, hudi_answer, tables

from byteloom import hudi
from byteloom.hudi import audit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.hudi import MetadataTable

KEY_SEPARATOR = "\x01"
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  what Arrow's times without a zone count from
DECIMAL_ORDINAL, DECIMAL_SCALE = 10, 15


def tables_with(name: str) -> Any:
    """Return a finder of the tables that have a file of this name beside them."""

    def find(folder: Path) -> Iterator[Any]:
        for case in tables(folder):
            if list((folder / case.values[0][1]["name"]).glob(name)):
                yield case

    return find


def vectors(folder: Path) -> Iterator[Path]:
    """Yield the file of results of Hudi's own key functions."""
    yield from folder.glob("vectors.json")


@corpus_cases(FOLDER, vectors)
def test_keys_are_hudis(case: Path) -> None:
    """Keys, prefixes and file groups are those that Hudi's own functions return."""
    given = json.loads(case.read_text())
    for row in given["file_group_index"]:
        for groups in row.keys() - {"key"}:
            assert hudi.keys.file_group(row["key"], int(groups)) == row[groups], row
    for row in given["secondary_key"]:
        pair = row["secondary"], row["record"]
        assert hudi.keys.secondary_key(*pair) == row["key"]
        assert hudi.keys.secondary_prefix(pair[0]) == row["prefix"]
        assert hudi.keys.split_secondary_key(row["key"]) == tuple(row["back"])
        for version in (1, 2):
            for groups, wanted in row[f"group_v{version}"].items():
                assert hudi.keys.secondary_group(*pair, int(groups), version=version) == wanted
    for row in given["column_stats_key"]:
        assert (
            hudi.keys.column_stats_key(row["column"], row["partition"], row["file"]) == row["key"]
        )
    for row in given["bloom_key"]:
        assert hudi.keys.bloom_filter_key(row["partition"], row["file"]) == row["key"]
    for row in given["partition_stats_key"]:
        pair = row["column"], row["partition"]
        assert hudi.keys.partition_stats_key(*pair) == row["key"]
        wanted = row["expression_partition_stat_key"]
        assert hudi.keys.expression_partition_stats_key(*pair) == wanted
    for row in given["escape_file_name"]:
        assert hudi.keys.escape_file_name(row["in"]) == row["out"]


@corpus_cases(FOLDER, tables_with("record_index.jsonl.gz"))
def test_records_are_where_hudi_finds_them(case: Case, hudi_table: Any) -> None:
    """The record index gives Hudi's partition, file group and instant for each key it has."""
    table = hudi_table(case)
    wanted: dict[str, Any] = {}
    for row in hudi_answer(case, "record_index.jsonl.gz"):
        wanted.setdefault(row["lookup"], None)
        if row.get("fileId") is not None:
            wanted[row["lookup"]] = row["partition"], row["fileId"], row["instant"]
    if table.is_record_index_partitioned:
        found: dict[str, Any] = {}
        for partition in table.partition_paths():
            start = f"{partition}{KEY_SEPARATOR}"
            asked = [key.removeprefix(start) for key in wanted if key.startswith(start)]
            places = by_key(table.record_index(asked, partition=partition))
            found |= {start + key: place for key, place in places.items()}
    else:
        found = by_key(table.record_index(list(wanted)))
        assert list(found) == [key for key in wanted if wanted[key]]  # in the order asked
    assert found == {key: place for key, place in wanted.items() if place}


def by_key(places: pa.Table) -> dict[str, tuple[str, str, str]]:
    """Return partition, file group and instant by key."""
    return {
        row["key"]: (row["partition"], row["file_id"], row["instant"]) for row in places.to_pylist()
    }


@corpus_cases(FOLDER, tables_with("record_index.jsonl.gz"))
def test_all_of_the_record_index_equals_lookups(case: Case, hudi_table: Any) -> None:
    """A scan gives the rows that lookups of all its keys give."""
    table = hudi_table(case)
    whole = table.record_index()
    partitions = table.partition_paths() if table.is_record_index_partitioned else [None]
    parts = [
        table.record_index(table.record_index(partition=each)["key"].to_pylist(), partition=each)
        for each in partitions
    ]
    order = [("partition", "ascending"), ("key", "ascending")]
    assert pa.concat_tables(parts).sort_by(order).to_pylist() == whole.sort_by(order).to_pylist()


@corpus_cases(FOLDER, tables_with("secondary_index_*.json"))
def test_secondary_indexes_answer_as_hudi_does(case: Case, hudi_table: Any) -> None:
    """A secondary index gives Hudi's record keys for every value, including null."""
    table = hudi_table(case)
    for path in sorted((case[0] / case[1]["name"]).glob("secondary_index_*.json")):
        found = defaultdict(list)
        for row in table.secondary_index(path.stem).to_pylist():
            found[row["value"]].append(row["key"])
        for value, wanted in hudi_answer(case, path.name)["by_reader"].items():
            assert sorted(found[value]) == sorted(wanted)
            some = table.secondary_index(path.stem, [value])["key"].to_pylist()
            assert sorted(some) == sorted(wanted)


@corpus_cases(FOLDER, tables_with("mdt/column_stats.jsonl.gz"))
def test_statistics_are_what_hudi_stored(case: Case, hudi_table: Any) -> None:
    """Statistics of files have the bounds and counts that Hudi stored, in the column's type."""
    table = hudi_table(case)
    check_statistics(case, "column_stats", table.column_stats(), decimals(table))


@corpus_cases(FOLDER, tables_with("mdt/partition_stats.jsonl.gz"))
def test_statistics_of_partitions_are_what_hudi_stored(case: Case, hudi_table: Any) -> None:
    """Statistics of partitions have the bounds and counts that Hudi stored."""
    table = hudi_table(case)
    check_statistics(case, "partition_stats", table.partition_stats(), decimals(table))


@corpus_cases(FOLDER, tables_with("mdt/expr_index_*.jsonl.gz"))
def test_expression_indexes_hold_what_hudi_stored(case: Case, hudi_table: Any) -> None:
    """Expression indexes have the rows that Hudi stored, of files and of partitions."""
    table = hudi_table(case)
    for path in sorted((case[0] / case[1]["name"] / "mdt").glob("expr_index_*.jsonl.gz")):
        name = path.name.partition(".")[0]
        if table.definitions[name].type == "bloom_filters":
            check_filters(case, name, table)
            continue
        column = table.definitions[name].source_fields[0]
        check_statistics(case, name, {column: table.expression_index(name)}, decimals(table))


def check_filters(case: Case, index: str, table: MetadataTable) -> None:
    """Compare the Bloom filters of an expression index with the rows as Spark reads them."""
    rows = hudi_answer(case, f"mdt/{index}.jsonl.gz")
    wanted = Counter(
        row["BloomFilterMetadata"]["bloomFilter"]["hex"]
        for row in rows
        if not row["BloomFilterMetadata"]["isDeleted"]
    )
    listed = {each: [*table.files(each)] for each in table.partition_paths()}
    found = Counter(
        base64.b64encode(each.record.to_bytes()).hex()
        for partition, files in listed.items()
        for each in table.bloom_filters(partition, files, index=index).values()
    )
    assert found
    assert found <= wanted  # filters of files that were removed may be left in the index


def decimals(table: MetadataTable) -> set[str]:
    """Return the columns that are decimals in base files of the table, by path."""
    files = map(pq.ParquetFile, sorted(Path(table.data.path).glob("**/*.parquet")))
    columns = (file.schema.column(each) for file in files for each in range(len(file.schema)))
    return {each.path for each in columns if each.logical_type.type == "DECIMAL"}


def check_statistics(case: Case, index: str, found: dict[str, pa.Table], decimal: set[str]) -> None:
    """Compare statistics with the rows of an index as Spark reads them.

    decimal  the columns of decimals, whose type the rows of 0.15.0 do not have
    """
    rows = {}
    for column, table in found.items():
        for row in table.to_pylist():
            subject = row["file"] if row["file"] is not None else row["partition"]
            rows[column, row["partition"], subject] = row
    wanted = [row["ColumnStatsMetadata"] for row in hudi_answer(case, f"mdt/{index}.jsonl.gz")]
    wanted = [row for row in wanted if not row["isDeleted"]]
    assert len(rows) == len(wanted)
    by_file = {(column, subject): row for (column, _, subject), row in rows.items()}
    for row in wanted:
        own = by_file[row["columnName"], row["fileName"]]
        for ours, theirs in (("value_count", "valueCount"), ("null_count", "nullCount")):
            assert own[ours] == row[theirs]
        assert own["is_tight_bound"] == row.get("isTightBound", False)
        for ours, theirs in (("min", "minValue"), ("max", "maxValue")):
            is_decimal = row["columnName"] in decimal
            assert as_stored(own[ours]) == stored(row, theirs, is_decimal=is_decimal), row


def as_stored(value: Any) -> Any:
    """Return a bound as the number or the text that Hudi stores."""
    match value:
        case datetime():
            return (value.replace(tzinfo=None) - EPOCH) // timedelta(microseconds=1)
        case date():
            return (value - EPOCH.date()).days
        case time():
            return (datetime.combine(EPOCH, value) - EPOCH) // timedelta(microseconds=1)
        case bytes():
            return value.hex()
        case float():
            return str(value)
        case _:
            return value


def stored(row: dict[str, Any], name: str, *, is_decimal: bool) -> Any:
    """Return a bound as the corpus has it: text of floats, hex of bytes, decimals with scale."""
    if row[name] is None:
        return None
    (branch, value), kind = next(iter(row[name].items())), row.get("valueType") or {}
    if branch in {"member3", "member4"}:
        return str(float(value))
    if isinstance(value, dict) and "hex" in value:
        number = int.from_bytes(bytes.fromhex(value["hex"]), signed=True)
        if kind.get("typeOrdinal") == DECIMAL_ORDINAL:
            return Decimal(number).scaleb(-int(kind["additionalInfo"].split(",")[1]))
        return Decimal(number).scaleb(-DECIMAL_SCALE) if is_decimal else value["hex"]
    return Decimal(value) if branch == "member8" else value


@corpus_cases(FOLDER, tables)
def test_an_audit_finds_what_is_known_to_be_wrong(case: Case, hudi_table: Any) -> None:
    """An audit finds exactly the defects of Hudi that the corpus lists, in every index."""
    table, truth = hudi_table(case), hudi_answer(case, "truth.json")
    result = audit(table)
    found = defaultdict(list)
    for finding in result.findings:
        found[finding.index].append(finding)
    assert not result.errors, result.skipped
    check = truth.get("rli_check")
    if check is not None:
        apart = [each for each in found["record_index"] if each.kind != "stale"]
        assert len(apart) == check["mismatch"]
        assert {each[0] for each in check["examples"]} <= {each.subject for each in apart}
        assert result.compared["record_index"] == check["records"]
    for name, check in (truth.get("secondary_check") or {}).items():
        assert (not found[name]) == check["equal_to_data"]
    assert not found["files"]
    assert not found["data"]
    assert not found["bloom_filters"]
    for name, stats in (
        ("column_stats", table.column_stats),
        ("partition_stats", table.partition_stats),
    ):
        bounds = stats() if found[name] else {}
        for finding in found[name]:  # Hudi makes nothing of columns with NaN
            assert pa.types.is_floating(bounds[finding.subject.rpartition(" of ")[2]]["min"].type)
        assert (name not in table.partitions) == (name not in result.compared)
    for name in table.partitions:
        if name.startswith("expr_index_"):
            assert not found[name]
            assert result.compared[name]
