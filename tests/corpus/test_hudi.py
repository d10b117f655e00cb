"""Metadata tables written by Hudi have the timelines, slices, blocks and rows it reports."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.corpus import corpus_cases
from tests.support.java_hudi import FOLDER, Case, hudi_answer, tables

from byteloom.errors import FormatError
from byteloom.hudi.log_checks import check_content, walk
from byteloom.hudi.logs import BlockType, read_blocks
from byteloom.hudi.merge import decoded
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.errors import ByteloomError
    from byteloom.hudi import MetadataTable

TYPES = {
    BlockType.COMMAND: "COMMAND_BLOCK",
    BlockType.DELETE: "DELETE_BLOCK",
    BlockType.CORRUPT: "CORRUPT_BLOCK",
    BlockType.HFILE_DATA: "HFILE_DATA_BLOCK",
}
"""Hudi's names of the types of blocks."""

LOST_BRANCHES = {"member7": "member1", "member8": "member5"}
"""Of dates and decimals of 0.15.0, whose Spark picks the branch of a union by the value's shape."""

SCALE = 15
"""Of the decimals in statistics, where they are not typed by themselves."""


def without_nulls(value: Any) -> Any:
    """Return a row without nulls, as the corpus keeps it."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return value


def branches(schema: Any) -> dict[str, str]:
    """Return ``memberN`` by the branch name, for the unions of smallest and largest values."""
    if isinstance(schema, list):
        return {name: each for part in schema for name, each in branches(part).items()}
    if not isinstance(schema, dict):
        return {}
    if schema.get("name") in {"minValue", "maxValue"}:
        names = [each for each in schema["type"] if each != "null"]
        full = (each if isinstance(each, str) else each["name"] for each in names)
        return {name.rpartition(".")[2]: f"member{at}" for at, name in enumerate(full)}
    return branches([schema.get("type"), schema.get("fields")])


def comparable(value: Any, names: dict[str, str]) -> Any:
    """Return a decoded value in the form that the corpus uses."""
    if isinstance(value, tuple):
        name, record = value
        member, (held,) = names[name.rpartition(".")[2]], record.values()
        return {member: comparable(held, names)}
    if isinstance(value, dict):
        return {name: comparable(each, names) for name, each in value.items() if each is not None}
    if isinstance(value, list):
        return [comparable(each, names) for each in value]
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value).lower()
    return str(value) if isinstance(value, Decimal) else value


def as_spark_shows(value: Any) -> Any:
    """Return dates and decimals as Spark shows those of Hudi 0.15.0."""
    if not isinstance(value, dict):
        return value
    made = {}
    for name, held in value.items():
        if name == "member8":
            number = int(Decimal(held).scaleb(SCALE))
            size = number.bit_length() // 8 + 1
            held = {"hex": number.to_bytes(size, "big", signed=True).hex()}  # noqa: PLW2901
        made[LOST_BRANCHES.get(name, name)] = as_spark_shows(held)
    return made


def rows_of(table: MetadataTable, partition: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a partition of the metadata table, in the form that the corpus uses.

    Fields that only the schema of later rows has get their defaults, as Hudi reads older rows.
    """
    found = list(table.merged(partition))
    newest = json.loads(max((rows.schema for rows in found), key=len, default="{}"))
    for rows in found:
        names = branches(json.loads(rows.schema))
        for key, value in zip(rows.keys.to_pylist(), rows.values.to_pylist(), strict=True):
            row = comparable(with_defaults(decoded(value, rows.schema), newest), names)
            row = {name: each for name, each in row.items() if not name.startswith("_hoodie")}
            yield {**row, "key": key.decode()}


def with_defaults(value: Any, schema: Any) -> Any:
    """Return a record with the defaults of those fields of *schema* that it lacks."""
    if isinstance(schema, list):
        records = [each for each in schema if isinstance(each, dict) and "fields" in each]
        return with_defaults(value, records[0]) if len(records) == 1 else value
    if not isinstance(value, dict) or "fields" not in schema:
        return value
    own = {
        each["name"]: with_defaults(value.get(each["name"], each.get("default")), each["type"])
        for each in schema["fields"]
    }
    return {**value, **own}


def counted(rows: Iterator[Any]) -> Counter[str]:
    """Return rows in any order, with how often each occurs."""
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


@corpus_cases(FOLDER, tables)
def test_timelines_are_those_that_hudi_lists(case: Case, hudi_table: Any) -> None:
    """Both timelines of a table have the instants, actions, states and completions of Hudi."""
    table, truth = hudi_table(case), hudi_answer(case, "truth.json")
    with_completion = table.table_version >= 8
    for timeline, name in (
        (table.timeline, "timeline"),
        (table.metadata_timeline, "metadata_timeline"),
    ):
        found = [
            (
                each.time,
                each.action,
                each.state.upper(),
                each.completed if with_completion else None,
            )
            for each in timeline.instants
        ]
        wanted = [
            (
                each["time"],
                each["action"],
                each["state"],
                each.get("completion") if with_completion else None,
            )
            for each in truth[name]
        ]
        assert sorted(found, key=str) == sorted(wanted, key=str)
    assert table.table_version == case[1]["table_version"]
    assert sorted(table.partitions) == sorted(truth["metadata_partitions_enabled"])


@corpus_cases(FOLDER, tables)
def test_valid_instants_are_hudis(case: Case, hudi_table: Any) -> None:
    """Valid instants are Hudi's.

    Before 1.2 Hudi also counts those rolled back before a compaction.
    """
    table, truth = hudi_table(case), hudi_answer(case, "truth.json")
    compactions = (each for each in table.metadata_timeline.completed if each.action == "commit")
    compacted = max((each.time for each in compactions), default="")
    extra = set(truth["valid_instants"]) - table.valid_instants
    assert table.valid_instants <= set(truth["valid_instants"])
    assert all(time < compacted for time in extra)


@corpus_cases(FOLDER, tables)
def test_slices_are_hudis(case: Case, hudi_table: Any) -> None:
    """The newest slice of each file group has Hudi's instant, base file and log files.

    The corpus has log files in the order of their names.
    """
    table, truth = hudi_table(case), hudi_answer(case, "slices.json.gz")
    for partition, wanted in truth["slices"].items():
        if not wanted:
            with pytest.raises(FormatError, match=r"begun by a completed instant|one of"):
                table.slices(partition)
            continue
        found = [
            {
                "base": each.base and each.base.name,
                "baseInstant": each.instant,
                "fileId": each.file_id,
                "logs": sorted(log.name for log in each.logs),
            }
            for each in table.slices(partition)
        ]
        assert found == wanted


@corpus_cases(FOLDER, tables)
def test_log_blocks_are_those_that_hudi_reads(case: Case, hudi_table: Any) -> None:
    """The blocks of each log file, corrupt ones too, have Hudi's types, headers and offsets."""
    table, truth = hudi_table(case), hudi_answer(case, "slices.json.gz")
    for path, wanted in truth["log_blocks"].items():
        found = []
        source = BytesSource(table.folder.read(path))
        for block in read_blocks(source):
            header: dict[str, Any] = {name.upper(): text for name, text in block.headers.items()}
            if "SCHEMA" in header:
                text = header["SCHEMA"]
                digest = hashlib.sha256(text.encode()).hexdigest()
                header["SCHEMA"] = {"chars": len(text), "sha256": digest}
            corrupt = block.type == BlockType.CORRUPT
            found.append(
                {
                    "blockEnd": block.end,
                    "contentPosition": block.offset,
                    "contentSize": block.end - block.offset if corrupt else len(block.content),
                    "header": header,
                    "type": TYPES[block.type],
                }
            )
        assert found == wanted, path


@corpus_cases(FOLDER, tables)
def test_logs_have_findings_where_hudi_finds_corrupt_blocks(case: Case, hudi_table: Any) -> None:
    """`verify` of each log file finds the blocks that Hudi calls corrupt, and nothing else."""
    table, truth = hudi_table(case), hudi_answer(case, "slices.json.gz")
    for path, wanted in truth["log_blocks"].items():
        errors: list[ByteloomError] = []
        source = BytesSource(table.folder.read(path))
        for _ in walk(source, lambda block, found: check_content(block, found, []), errors):
            pass
        torn = [each for each in wanted if each["type"] == TYPES[BlockType.CORRUPT]]
        assert ["a torn block of" in str(each) for each in errors] == [True] * len(torn), path


@corpus_cases(FOLDER, tables)
def test_merged_rows_are_hudis(case: Case, hudi_table: Any) -> None:
    """The merged rows of every partition of the metadata table are Hudi's, field by field."""
    table, (folder, entry) = hudi_table(case), case
    for path in sorted((folder / entry["name"] / "mdt").iterdir()):
        partition = path.name.partition(".")[0]
        wanted = map(without_nulls, hudi_answer(case, f"mdt/{path.name}"))
        found = rows_of(table, partition)
        if entry["hudi"].startswith("0."):
            wanted, found = map(as_spark_shows, wanted), map(as_spark_shows, found)
        assert counted(found) == counted(wanted), partition


@corpus_cases(FOLDER, tables)
def test_rows_asked_for_are_those_of_the_whole(case: Case, hudi_table: Any) -> None:
    """A lookup of some keys gives the rows that a full read has for them.

    Keys may repeat, and missing ones give nothing.
    """
    table = hudi_table(case)
    for partition in table.partitions:
        for each in table.slices(partition):
            whole = {
                (key, value)
                for rows in table.lookup(partition, each.file_id)
                for key, value in zip(rows.keys.to_pylist(), rows.values.to_pylist(), strict=True)
            }
            some = sorted(whole)[::3]
            asked = [key for key, _ in some] * 2 + [b"no such key", b"", b"\xff" * 300]
            found = [
                pair
                for rows in table.lookup(partition, each.file_id, asked)
                for pair in zip(rows.keys.to_pylist(), rows.values.to_pylist(), strict=True)
            ]
            assert sorted(found) == some


@corpus_cases(FOLDER, tables)
def test_listings_are_hudis(case: Case, hudi_table: Any) -> None:
    """The files of each partition and their sizes are those of Hudi's metadata table."""
    table = hudi_table(case)
    found = {path: table.files(path) for path in table.partition_paths()}
    assert found == hudi_answer(case, "listing.json")["metadata"]
