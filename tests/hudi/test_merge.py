"""Merging file slices of Hudi's metadata tables, on tables made by the tests."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import fastavro
import fsspec
import pytest
from tests.support.hudi_tables import SCHEMA, HudiTable, log_block, record

from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.hudi import MetadataTable
from byteloom_generated.hfile.hudi_log import HeaderKey

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "00000000000000000"
TIMES = [f"2026010100000{n}000" for n in range(10)]
INDEX = "record_index"
TEXT = json.dumps(SCHEMA)


def place(file_id: str) -> bytes:
    """Return a record of a record index."""
    return record(5, recordIndexMetadata={"fileId": file_id})


def places(root: Path, **asked: list[bytes]) -> dict[str, str]:
    """Return the content of a record index as file ids by key."""
    found = {}
    for rows in MetadataTable.open(root).merged(INDEX, **asked):
        for key, value in zip(rows.keys.to_pylist(), rows.values.to_pylist(), strict=True):
            assert key.decode() not in found
            schema = fastavro.parse_schema(json.loads(rows.schema))
            row: Any = fastavro.schemaless_reader(io.BytesIO(value), schema, None)
            found[key.decode()] = row["recordIndexMetadata"]["fileId"]
    return found


def index_table(root: Path, version: int) -> HudiTable:
    """Return a table whose record index has a base file with the keys a, b and c."""
    table = HudiTable(root, version, [INDEX])
    table.base(FIRST, {key: place("old") for key in "abc"}, INDEX)
    return table


def logged(
    table: HudiTable, at: int, content: dict[str, bytes] | list[str] | None, **more: Any
) -> str:
    """Write a log file, named as in the version of *table*."""
    on = FIRST if table.version == 6 else ""
    return table.log(TIMES[at], content, on=on, partition=INDEX, version=at + 1, **more)


@pytest.fixture(params=[6, 8, 9])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> HudiTable:
    """Return a table of each version."""
    return index_table(tmp_path / "table", request.param)


def test_the_newest_record_of_a_key_is_left(table: HudiTable) -> None:
    """The newest record of a key counts, and keys that no log has stay as they are."""
    logged(table, 1, {"b": place("1"), "d": place("1")})
    logged(table, 2, {"d": place("2")})
    assert places(table.root) == {"a": "old", "b": "1", "c": "old", "d": "2"}


def test_deleted_keys_are_gone_until_they_come_back(table: HudiTable) -> None:
    """A deleted key, of base file or logs or unknown, is absent until it is written again."""
    logged(table, 1, {"d": place("1"), "e": place("1")})
    logged(table, 2, ["a", "b", "d", "zz"])
    logged(table, 3, {"b": place("3")})
    assert places(table.root) == {"b": "3", "c": "old", "e": "1"}


def test_keys_asked_for_are_found_in_base_file_and_logs(table: HudiTable) -> None:
    """Each requested key is found once, in base file and logs; deleted and unknown ones are not."""
    logged(table, 1, {"b": place("1"), "d": place("1")})
    logged(table, 2, ["c"])
    asked = [b"d", b"a", b"c", b"b", b"d", b"none"]
    assert places(table.root, keys=asked) == {"a": "old", "b": "1", "d": "1"}


def test_a_partition_without_log_records_is_its_base_file(table: HudiTable) -> None:
    """A partition without log records, as after a compaction, has the rows of its base file."""
    assert places(table.root) == dict.fromkeys("abc", "old")


def test_what_is_pending_in_the_table_does_not_count(table: HudiTable) -> None:
    """A commit that is pending in the data table does not count."""
    logged(table, 1, {"a": place("1")})
    table.log(TIMES[2], {"b": place("2")}, on=FIRST, partition=INDEX, commit=False)
    table.instant(TIMES[2], of="metadata")
    table.instant(TIMES[2], of="data", completed=None)
    assert places(table.root) == {"a": "1", "b": "old", "c": "old"}


def test_what_a_rollback_undid_is_hidden_by_its_command(tmp_path: Path) -> None:
    """In version 6, a rollback hides the earlier blocks of its instant, and no later ones."""
    table = index_table(tmp_path / "table", 6)
    logged(table, 1, {"a": place("1")})
    logged(table, 1, {"b": place("1")}, commit=False)
    logged(table, 2, {"c": place("2")})
    target = {HeaderKey.TARGET_INSTANT_TIME: TIMES[1], HeaderKey.COMMAND_BLOCK_TYPE: "0"}
    logged(table, 3, None, headers=target)
    assert places(table.root) == {"a": "old", "b": "old", "c": "2"}


def test_a_torn_block_of_a_write_that_failed_is_passed_over(tmp_path: Path) -> None:
    """A torn block of a failed write is skipped; later blocks of the same file are read."""
    table = index_table(tmp_path / "table", 6)
    name = logged(table, 1, {"a": place("1")})
    torn = log_block({"b": place("torn")}, {HeaderKey.INSTANT_TIME: TIMES[2]})
    table.write(INDEX, name, torn[:-200])
    whole = log_block({"c": place("3")}, {HeaderKey.INSTANT_TIME: TIMES[3]})
    written = table.write(INDEX, name, whole, records=1)
    content = {"partitionToWriteStats": {INDEX: [written]}}
    table.instant(TIMES[3], content=content)
    table.write(INDEX, name, torn[:4])
    assert places(table.root) == {"a": "1", "b": "old", "c": "3"}


def test_a_torn_block_of_a_completed_commit_is_an_error(table: HudiTable) -> None:
    """A torn block of a completed commit is an error that names the file and the commit."""
    name = logged(table, 1, {"a": place("1")})
    path = table.metadata / INDEX / name
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FormatError) as refused:
        places(table.root)
    assert str(refused.value) == (
        f"{INDEX}/{name}: found 0 records, wanted 1 in whole blocks, as {TIMES[1]} wrote"
    )


@pytest.mark.parametrize("lost", [0, 1])
def test_a_file_that_is_gone_is_an_error(table: HudiTable, lost: int) -> None:
    """A missing log file or base file of a completed commit is an error."""
    base = table.base(f"{TIMES[2]}001" if table.version == 6 else TIMES[2], {}, INDEX)
    on = base.rpartition("_")[2].removesuffix(".hfile") if table.version == 6 else ""
    log = table.log(TIMES[3], {"a": place("3")}, on=on, partition=INDEX)
    name = (log, base)[lost]
    (table.metadata / INDEX / name).unlink()
    with pytest.raises(FormatError, match=f"^{INDEX}/{name}: found (0 records|no such file)"):
        places(table.root)


def test_what_a_failed_compaction_left_is_ignored(table: HudiTable) -> None:
    """An empty base file of a failed compaction is ignored; its logs belong to the slice before."""
    logged(table, 1, {"a": place("1")})
    compaction = f"{TIMES[2]}001" if table.version == 6 else TIMES[2]
    table.instant(compaction, "compaction", of="metadata", completed=None)
    table.write(INDEX, f"{INDEX}-0000-0_0-8-9_{compaction}.hfile", b"")
    table.log(TIMES[3], {"b": place("3")}, on=compaction if table.version == 6 else "",
              partition=INDEX)  # fmt: skip
    assert places(table.root) == {"a": "1", "b": "3", "c": "old"}


def test_completion_decides_to_which_base_file_a_log_belongs(tmp_path: Path) -> None:
    """From version 8, a log that completes after a compaction belongs to the new base file."""
    table = index_table(tmp_path / "table", 9)
    table.log(TIMES[1], {"a": place("1")}, partition=INDEX)
    table.log(TIMES[2], {"b": place("2")}, partition=INDEX, commit=False)
    table.base(TIMES[3], {"a": place("compacted"), "c": place("compacted")}, INDEX)
    for of in ("data", "metadata"):
        table.instant(TIMES[2], of=of, completed=TIMES[4])
    assert places(table.root) == {"a": "compacted", "b": "2", "c": "compacted"}


def test_a_compacted_block_stands_where_its_newest_original_stood(tmp_path: Path) -> None:
    """A compacted block has the order of its newest original, so later deletions still apply."""
    table = index_table(tmp_path / "table", 9)
    table.log(TIMES[1], {"a": place("1")}, partition=INDEX)
    table.log(TIMES[2], {"b": place("2"), "d": place("2")}, partition=INDEX)
    table.log(TIMES[3], ["d"], partition=INDEX)
    once = {HeaderKey.COMPACTED_BLOCK_TIMES: f"{TIMES[1]},{TIMES[2]}"}
    rows = {"a": place("1"), "b": place("2"), "d": place("2")}
    table.log(TIMES[4], rows, partition=INDEX, headers=once)
    assert places(table.root) == {"a": "1", "b": "2", "c": "old"}
    twice = {HeaderKey.COMPACTED_BLOCK_TIMES: f"{TIMES[4]},{TIMES[3]},{TIMES[5]}"}
    table.log(TIMES[5], {"b": place("5")}, partition=INDEX)
    table.log(TIMES[6], {"c": place("6")}, partition=INDEX)
    rows = {"a": place("1"), "b": place("5")}
    table.log(TIMES[7], rows, partition=INDEX, headers=twice)
    assert places(table.root) == {"a": "1", "b": "5", "c": "6"}


def test_logs_alone_are_a_slice(tmp_path: Path) -> None:
    """A file group that was never compacted is read from its log files alone."""
    table = HudiTable(tmp_path / "table", 9, [INDEX])
    table.log(FIRST, [], partition=INDEX)
    table.log(TIMES[1], {"a": place("1")}, partition=INDEX)
    assert places(table.root) == {"a": "1"}


def test_a_partition_that_nothing_completed_is_an_error(tmp_path: Path) -> None:
    """A partition without any completed write is an error, not an empty partition."""
    table = HudiTable(tmp_path / "table", 9, [INDEX])
    table.log(TIMES[1], {"a": place("1")}, partition=INDEX, commit=False)
    with pytest.raises(FormatError, match="found none, wanted a file slice that was begun"):
        places(table.root)


@pytest.mark.parametrize("version", [1, 2])
def test_delete_blocks_of_java_objects_are_refused_by_name(table: HudiTable, version: int) -> None:
    """Delete blocks of versions 1 and 2, with serialised Java objects, are unsupported."""
    name = logged(table, 1, ["a"])
    path = table.metadata / INDEX / name
    at = path.read_bytes().index(b"\0\0\0\3")
    path.write_bytes(path.read_bytes().replace(b"\0\0\0\3", bytes([0, 0, 0, version]), 1))
    with pytest.raises(Unsupported, match=f"version {version}, serialised Java objects") as refused:
        places(table.root)
    assert refused.value.offset == at


def test_no_flipped_bit_of_a_log_file_hides_or_changes_a_row(table: HudiTable) -> None:
    """A flipped bit in a log file, outside its schema, is an error or leaves all rows the same."""
    name = logged(table, 1, {"a": place("1"), "d": place("1")})
    path = table.metadata / INDEX / name
    whole = path.read_bytes()
    schema = whole.index(TEXT.encode())
    others = [*range(schema), *range(schema + len(TEXT), len(whole))]
    reader = MetadataTable.open(table.root)
    wanted = rows_in(reader)
    for at in others[::13]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        try:
            assert rows_in(reader) == wanted, at
        except ByteloomError:
            continue


def test_no_prefix_of_a_log_file_hides_a_row(table: HudiTable) -> None:
    """A log file that is cut anywhere, even between two blocks, is an error."""
    name = logged(table, 1, {"a": place("1")})
    path = table.metadata / INDEX / name
    whole = path.read_bytes()
    reader = MetadataTable.open(table.root)
    for size in [0, 5, 6, *range(7, len(whole), 97), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(FormatError, match=f"wanted 1 in whole blocks, as {TIMES[1]} wrote"):
            rows_in(reader)


def rows_in(table: MetadataTable) -> set[tuple[bytes, bytes]]:
    """Return all keys and values of a record index."""
    return {
        pair
        for rows in table.merged(INDEX)
        for pair in zip(rows.keys.to_pylist(), rows.values.to_pylist(), strict=True)
    }


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({HeaderKey.COMMAND_BLOCK_TYPE: "1"}, "command_block_type .* found 1, wanted 0"),
        ({HeaderKey.COMMAND_BLOCK_TYPE: "0"}, "target_instant_time .* wanted the instant"),
    ],
)
def test_commands_that_are_no_rollbacks_are_refused(
    table: HudiTable, headers: dict[HeaderKey, str], refused: str
) -> None:
    """An unknown command block, or a rollback without a target, is refused."""
    logged(table, 1, None, headers=headers)
    with pytest.raises(FormatError, match=refused.replace(".* ", ".*")):
        places(table.root)


@pytest.mark.parametrize("lost", [0, 1])
def test_each_half_of_what_a_commit_wrote_is_missed(table: HudiTable, lost: int) -> None:
    """A commit of records and deletes is incomplete if either of its blocks is missing."""
    name = f".{INDEX}-0000-0_{FIRST if table.version == 6 else TIMES[1]}.log.2_0-3-4"
    headers = {HeaderKey.INSTANT_TIME: TIMES[1]}
    blocks = [log_block({"a": place("1")}, headers), log_block(["b"], headers)]
    written = table.write(INDEX, name, b"".join(blocks), records=1, deletes=1)
    table.write(INDEX, name.replace("log.2", "log.1"), log_block([], headers))
    table.instant(TIMES[1], content={"partitionToWriteStats": {INDEX: [written]}})
    assert places(table.root) == {"a": "1", "c": "old"}
    del blocks[lost]
    (table.metadata / INDEX / name).write_bytes(b"".join(blocks))
    with pytest.raises(FormatError, match=f"found 0 {('records', 'deletes')[lost]}, wanted 1 in"):
        places(table.root)


@pytest.mark.parametrize("number", [float("1e999"), "many", None, [1]])
def test_a_number_of_records_that_is_no_integer_names_the_commit(
    table: HudiTable, number: Any
) -> None:
    """A number of records that is not an integer, such as an infinite one, names its commit."""
    name = f".{INDEX}-0000-0_{FIRST if table.version == 6 else TIMES[1]}.log.1_0-3-4"
    written = table.write(INDEX, name, log_block({"a": place("1")}, {}), records=1, deletes=0)
    stats = {**written, "numWrites": number}
    table.instant(TIMES[1], content={"partitionToWriteStats": {INDEX: [stats]}})
    with pytest.raises(FormatError, match=f"{TIMES[1]}.*wanted what the commit wrote"):
        places(table.root)


def test_a_table_may_lie_anywhere(table: HudiTable) -> None:
    """A table in memory is read through fsspec, by its URL or by its filesystem."""
    logged(table, 1, {"d": place("1")})
    memory, root = fsspec.filesystem("memory"), f"/{uuid4()}"
    memory.put(f"{table.root}/", root, recursive=True)
    opened = MetadataTable.open(f"memory:/{root}")
    assert rows_in(opened) == rows_in(MetadataTable.open(table.root))
    by_filesystem = MetadataTable.open(root, filesystem=memory)
    assert rows_in(by_filesystem) == rows_in(opened)


@pytest.mark.parametrize(("kind", "name"), [(3, "avro_data"), (5, "parquet_data"), (6, "cdc_data")])
def test_blocks_of_other_kinds_are_refused_by_name(table: HudiTable, kind: int, name: str) -> None:
    """Block types that no metadata table has are refused, since skipping them could hide rows."""
    path = table.metadata / INDEX / logged(table, 1, {"a": place("1")})
    raw = bytearray(path.read_bytes())
    raw[21] = kind
    path.write_bytes(raw)
    with pytest.raises(Unsupported, match=f"log_block.type at byte .*: found {name}, wanted hfile"):
        places(table.root)


def test_files_are_named_in_errors_of_their_bytes(table: HudiTable) -> None:
    """An error in a log file or base file names the file and the byte."""
    name = logged(table, 1, {"a": place("1")})
    path = table.metadata / INDEX / name
    whole = path.read_bytes()
    at = whole.index(b"DATABLK*")
    path.write_bytes(whole[:at] + b"DATABLK!" + whole[at + 8 :])
    with pytest.raises(FormatError) as refused:
        places(table.root)
    assert refused.value.file == f"{INDEX}/{name}"
    assert refused.value.offset == at
    path.write_bytes(whole)
    base = next(iter((table.metadata / INDEX).glob("*.hfile")))
    base.write_bytes(b"DATABLK!" + base.read_bytes()[8:])
    with pytest.raises(FormatError) as refused:
        places(table.root)
    assert refused.value.file == str(base)
    assert refused.value.offset == 0


@pytest.mark.parametrize("prefixes", [[b"a"], [b"ab", b"a", b"c"], [b""], [], [b"zz"], [b"ac\xff"]])
def test_keys_are_found_by_prefixes(tmp_path: Path, prefixes: list[bytes]) -> None:
    """Keys with any of the prefixes are found once, in base file and logs, without deleted ones."""
    table = HudiTable(tmp_path / "table", 9, [INDEX])
    table.base(FIRST, {key: place("old") for key in ("a", "aa", "ab", "abc", "b", "c")}, INDEX)
    logged(table, 1, {"abd": place("1"), "b": place("1"), "ca": place("1")})
    logged(table, 2, ["aa", "c"])
    opened = MetadataTable.open(table.root)
    found = [
        pair
        for rows in opened.prefixed(INDEX, prefixes)
        for pair in zip(rows.keys.to_pylist(), rows.values.to_pylist(), strict=True)
    ]
    wanted = {pair for pair in rows_in(opened) if pair[0].startswith(tuple(prefixes))}
    assert sorted(found) == sorted(wanted)
