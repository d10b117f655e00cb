"""`verify` of Hudi log files finds every torn, unfinished and damaged block, and says where."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support.cli import byteloom
from tests.support.hudi_logs import (
    COMMAND,
    DELETES,
    HFILE,
    INSTANT,
    PARQUET,
    ROWS,
    avro_block,
)
from tests.support.hudi_tables import framed

from byteloom import puffin
from byteloom.errors import FormatError, TooLarge, Unsupported
from byteloom.hudi import log_checks
from byteloom.hudi.logs import MAGIC, read_blocks
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.sources import BytesSource
from byteloom.verification import Damage, check
from byteloom.verification.formats import recognise
from byteloom.verification.hudi_log import verify
from byteloom_generated.hfile.hudi_log import BlockType, HeaderKey, LogBlock

if TYPE_CHECKING:
    from pathlib import Path

SMALL = ROWS + DELETES + COMMAND
LONG = INSTANT | {HeaderKey.SCHEMA: '"long"'}
NOTE = (
    "in HFiles: made for Hudi: keys are ordered by "
    "org.apache.hudi.io.storage.HoodieHBaseKVComparator, which HBase does not have"
)


def checked(data: bytes) -> str | list[str]:
    """Return the summary of a log, or what is wrong with it."""
    try:
        return verify(BytesSource(data))
    except Damage as damage:
        return [str(each) for each in damage.errors]


def findings(data: bytes) -> list[str]:
    """Return what is wrong with a log that has findings."""
    found = checked(data)
    assert isinstance(found, list)
    return found


def flipped(data: bytes, bit: int) -> bytes:
    """Return the bytes with one bit flipped."""
    out = bytearray(data)
    out[bit // 8] ^= 1 << bit % 8
    return bytes(out)


def changed(data: bytes, at: int, value: bytes) -> bytes:
    """Return the bytes with others from *at* on."""
    return data[:at] + value + data[at + len(value) :]


SOUND = [
    (b"", "0 blocks, 0 records, 0 deletes"),
    (ROWS, "1 block, 3 records, 0 deletes"),
    (avro_block([{"id": 1, "name": ""}], BlockType.CDC_DATA), "1 block, 1 record, 0 deletes"),
    (avro_block([]), "1 block, 0 records, 0 deletes"),
    (DELETES, "1 block, 0 records, 2 deletes"),
    (PARQUET, "1 block, 7 records, 0 deletes"),
    (HFILE, f"1 block, 9 records, 0 deletes; {NOTE}"),
    (COMMAND, "1 block, 0 records, 0 deletes, 1 command"),
    (SMALL + PARQUET + ROWS, "5 blocks, 13 records, 2 deletes, 1 command"),
    (HFILE + HFILE + SMALL, f"5 blocks, 21 records, 2 deletes, 1 command; {NOTE}"),
]


@pytest.mark.parametrize(("data", "said"), SOUND, ids=[said for _, said in SOUND])
def test_a_sound_log_has_a_summary(data: bytes, said: str) -> None:
    """The summary counts blocks, records and deletes, and commands if there are any."""
    assert checked(data) == said


def test_a_prefix_is_sound_only_where_a_block_ends() -> None:
    """A log that was cut has a finding, unless it was cut between two blocks."""
    ends = {0, len(ROWS), len(ROWS + DELETES)}
    sound = {size for size in range(len(SMALL)) if isinstance(checked(SMALL[:size]), str)}
    assert sound == ends


def test_a_flipped_bit_is_found_or_changes_a_value_only() -> None:
    """Whichever bit is flipped, there is a finding, or as many blocks, records and deletes."""
    whole = checked(SMALL)
    for bit in range(8 * len(SMALL)):
        found = checked(flipped(SMALL, bit))
        assert isinstance(found, list) or found == whole, bit


@pytest.mark.parametrize("block", [HFILE, PARQUET], ids=["HFile", "Parquet"])
def test_a_flipped_bit_in_a_file_in_a_block_is_found(block: bytes) -> None:
    """Bits of HFiles and Parquet files in blocks are checked as those of such files."""
    whole, found = checked(block), []
    for bit in range(0, 8 * len(block), 97):
        each = checked(flipped(block, bit))
        assert isinstance(each, list) or each == whole, bit
        found += each if isinstance(each, list) else []
    assert [each for each in found if each.startswith("blocks[0].body.content")]


DAMAGED = [
    (
        changed(ROWS, 6, (1 << 40).to_bytes(8, "big")),
        (
            "body at byte 14 (0xe): found 207 bytes left, wanted 1099511627776 bytes: "
            "a torn block of 221 bytes, which readers pass over"
        ),
    ),
    (
        changed(ROWS, 6, bytes(8)),
        (
            "len_block at byte 6 (0x6): found 0, wanted at least 32: "
            "a torn block of 221 bytes, which readers pass over"
        ),
    ),
    (
        ROWS[:9],
        (
            "len_block at byte 6 (0x6): found 3 bytes left, wanted 8 bytes: "
            "a torn block of 9 bytes, which readers pass over"
        ),
    ),
    (
        flipped(ROWS, 8 * len(ROWS) - 8),
        (
            "len_total at byte 213 (0xd5): found 212, wanted 213: "
            "a torn block of 221 bytes, which readers pass over"
        ),
    ),
    (
        ROWS + b"PAR1PAR1",
        (
            " at byte 221 (0xdd): found b'PAR1PA' after the block, wanted b'#HUDI#': "
            "a torn block of 229 bytes, which readers pass over"
        ),
    ),
    (b"PAR1PAR1", "magic at byte 0 (0x0): found b'PAR1PA', wanted b'#HUDI#'"),
    (
        b"#HUD",
        (
            "magic at byte 0 (0x0): found b'#HUD', wanted b'#HUDI#': "
            "an unfinished block, which readers ignore"
        ),
    ),
    (changed(ROWS, 17, b"\2"), "body.version at byte 14 (0xe): found 2, wanted 1"),
    (
        changed(ROWS, 21, b"\2"),
        (
            "body.type at byte 18 (0x12): found corrupt, wanted a type that writers write: "
            "readers pass over this block"
        ),
    ),
    (
        changed(ROWS, 40, b"\xff"),
        (
            "body.headers.instant_time at byte 40 (0x28): "
            "found b'202601\\xff1000000000', wanted UTF-8"
        ),
    ),
    (
        changed(ROWS, 54, b"\1"),
        (
            "body.headers at byte 22 (0x16): found no schema, wanted one in a block of type "
            "avro_data"
        ),
    ),
    (
        framed(BlockType.COMMAND, b"", INSTANT),
        (
            "body.headers at byte 22 (0x16): found no target_instant_time, "
            "wanted one in a block of type command"
        ),
    ),
    (
        changed(COMMAND, 84, b"1"),
        "body.headers.command_block_type at byte 22 (0x16): found '1', wanted '0', a rollback",
    ),
    (
        changed(DELETES, 21, b"\0"),
        (
            "body.headers at byte 22 (0x16): found no target_instant_time, "
            "wanted one in a block of type command"
        ),
    ),
    (
        framed(BlockType.AVRO_DATA, bytes(8), INSTANT | {HeaderKey.SCHEMA: "{"}),
        (
            "body.headers.schema at byte 22 (0x16): found invalid JSON (JSONDecodeError: "
            "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)), "
            "wanted an Avro schema in JSON"
        ),
    ),
    (
        changed(ROWS, 187, b"\2"),
        (
            "body.content.records at byte 201 (0xc9): found 8 bytes after the last record, "
            "wanted none"
        ),
    ),
    (
        changed(ROWS, 187, b"\4"),
        (
            "body.content.records[3].len_content at byte 209 (0xd1): "
            "found 0 bytes left, wanted 4 bytes"
        ),
    ),
    (
        changed(ROWS, 199, b"\0"),
        (
            "body.content.records[1].content.value at byte 200 (0xc8): found 61, "
            "wanted the end of the value"
        ),
    ),
    (
        changed(ROWS, 207, b"\xff"),
        (
            "body.content.records[2].content at byte 205 (0xcd): found invalid UTF-8 "
            "(ArrowInvalid: Invalid UTF8 payload), wanted text in UTF-8"
        ),
    ),
    (
        changed(DELETES, 67, b"\0"),
        (
            "body.content.list at byte 68 (0x44): found 02 0a 6b 65 79 2d 31 02 08 70, "
            "wanted the end of the value"
        ),
    ),
    (
        framed(BlockType.HFILE_DATA, LogBlock.from_bytes(HFILE).body.content, LONG),
        (
            "body.content.values[0].value at byte 73 (0x49): found 0a 00 00 00 00 00, "
            "wanted the end of the value"
        ),
    ),
    (
        framed(BlockType.DELETE, LogBlock.from_bytes(DELETES).body.content + b"more", INSTANT),
        "body.content at byte 97 (0x61): found 4 bytes left, wanted the end, and no more",
    ),
]


@pytest.mark.parametrize(
    ("data", "said"), DAMAGED, ids=[said.partition(" at ")[0] or "end" for _, said in DAMAGED]
)
def test_a_finding_says_where(data: bytes, said: str) -> None:
    """A finding has the block, the field, the offset in the file, what was found and wanted."""
    dot = "" if said.startswith(" ") else "."
    assert findings(data) == [f"blocks[0]{dot}{said}"]


def test_all_findings_are_listed() -> None:
    """Damage in the content of a block, and torn blocks, hide no later finding."""
    bad = changed(ROWS, 207, b"\xff")
    assert [
        each.partition(" at ")[0] for each in findings(bad + ROWS[:50] + DELETES + bad + b"#")
    ] == [
        "blocks[0].body.content.records[2].content",
        "blocks[1].len_total",
        "blocks[3].body.content.records[2].content",
        "blocks[4].magic",
    ]


def test_damage_in_headers_ends_the_list() -> None:
    """After a whole block whose fields cannot be read, nothing more is checked."""
    bad = changed(ROWS, 17, b"\2")
    torn, version = findings(ROWS[:50] + bad + ROWS[:50])
    assert torn.endswith(": a torn block of 50 bytes, which readers pass over")
    assert version == "blocks[1].body.version at byte 64 (0x40): found 2, wanted 1"


def test_torn_blocks_are_counted_up_to_a_thousand() -> None:
    """Bytes with very many magics end the check after a thousand torn blocks."""
    assert len(findings(MAGIC * 5_000)) == 1_000


@pytest.mark.parametrize("gap", [1 << 12, (1 << 12) - 3, (1 << 20) + 5, 3_000_001])
def test_the_next_magic_is_found_wherever_it_is(gap: int) -> None:
    """The block after a torn one is found across the edges of the chunks that are searched."""
    (found,) = findings(MAGIC + bytes(gap) + DELETES)
    assert found.endswith(f"a torn block of {gap + 6} bytes, which readers pass over")


def test_a_schema_that_contains_itself_is_a_note() -> None:
    """Records of a schema that is not decoded have their lengths checked only."""
    kids = {"type": "array", "items": "Tree"}
    schema = {"type": "record", "name": "Tree", "fields": [{"name": "kids", "type": kids}]}
    said = checked(avro_block([{"kids": []}], schema=schema))
    assert str(said).startswith("1 block, 1 record, 0 deletes; records not decoded: ")


@pytest.mark.parametrize("chunk", [1, 3, 7, 1 << 24])
def test_records_of_all_chunks_are_numbered(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """However many records are decoded at once, an error has the number and place of its own."""
    monkeypatch.setattr(log_checks, "_CHUNK", chunk)
    rows = [{"id": each, "name": "name"} for each in range(20)]
    assert checked(avro_block(rows)) == "1 block, 20 records, 0 deletes"
    for number in (0, 1, 18, 19):
        rows[number]["name"] = "damaged"
        block = avro_block(rows)
        at = block.index(b"damaged")
        path = f"blocks[0].body.content.records[{number}].content"
        (utf_8,) = findings(changed(block, at, b"\xff"))
        assert utf_8.startswith(f"{path} at byte {at - 2} ")
        (size,) = findings(changed(block, at - 1, b"\0"))
        assert size.startswith(f"{path}.value at byte {at} ")
        rows[number]["name"] = "name"


def test_records_without_bytes_are_counted() -> None:
    """Records without fields take no bytes, and none may have any."""
    block = avro_block([{}, {}], schema={"type": "record", "name": "Nothing", "fields": []})
    assert checked(block) == "1 block, 2 records, 0 deletes"


def test_a_block_that_is_too_large_is_not_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A log may be of any size; a block of more than 256 MiB is unreadable, not damaged."""
    with pytest.raises(
        TooLarge, match=r"log_block at byte 0 .*: found 221 bytes, wanted at most 220"
    ):
        list(read_blocks(BytesSource(ROWS), largest=220))
    assert len(list(read_blocks(BytesSource(ROWS * 3), largest=221))) == 3
    monkeypatch.setattr(log_checks, "DEFAULT_LIMITS", replace(DEFAULT_LIMITS, metadata_size=220))
    file = tmp_path / "a.log"
    file.write_bytes(DELETES + ROWS)
    found = check(str(file))
    assert (found.status, found.format) == ("unreadable", "hudi_log")
    assert found.summary == (
        "blocks[1] at byte 109 (0x6d): found 221 bytes, wanted at most 220 (limits.metadata_size)"
    )


@pytest.mark.parametrize(
    ("data", "status", "kind"),
    [
        (changed(DELETES, 62, b"\2"), "unreadable", Unsupported),
        (changed(COMMAND, 84, b"1"), "unreadable", Unsupported),
        (changed(COMMAND, 84, b"p"), "damaged", FormatError),
        (changed(DELETES, 62, b"\7"), "damaged", FormatError),
    ],
    ids=["Java objects", "command", "text", "version"],
)
def test_what_may_be_sound_is_unreadable(
    data: bytes, status: str, kind: type[FormatError], tmp_path: Path
) -> None:
    """Deletes as serialised Java objects, and later kinds of commands, are not called damaged."""
    file = tmp_path / "a.log"
    file.write_bytes(data)
    found = check(str(file))
    assert (found.status, type(found.error)) == (status, kind)


@pytest.mark.parametrize("name", [".f1-0_20260101000000000.log.1_0-1-0", "a.parquet", "a.hfile"])
@pytest.mark.parametrize("cut", [0, 30])
def test_a_log_is_known_by_its_magic(name: str, cut: int, tmp_path: Path) -> None:
    """A log is recognised whatever its name, even one that was cut after an HFile in it."""
    file = tmp_path / name
    end = len(HFILE) - 12  # footers, and the copy of the length
    file.write_bytes(HFILE[: end - cut])
    assert check(str(file)).format == "hudi_log"


def test_errors_of_other_formats_name_it() -> None:
    """Where another format is wanted, the error says what the file is."""
    with pytest.raises(FormatError, match="found a Hudi log file, wanted a Puffin file"):
        puffin.open(ROWS)


@pytest.mark.parametrize("ending", ["", ".cdc"])
def test_a_log_without_its_magic_is_known_by_its_name(ending: str, tmp_path: Path) -> None:
    """A log whose first bytes are damaged has a finding, and is not skipped."""
    file = tmp_path / f".f1-0_20260101000000000.log.1_0-1-0{ending}"
    file.write_bytes(changed(ROWS, 0, b"?"))
    verdict = check(str(file))
    assert (verdict.format, verdict.status) == ("hudi_log", "damaged")
    assert recognise(BytesSource(b"text", "a.log.1_0-1-0")) is None


def test_archived_timelines_need_no_instant(tmp_path: Path) -> None:
    """Logs in which old tables keep their timeline have a schema alone; other logs need both."""
    (block,) = read_blocks(BytesSource(ROWS))
    headers = {HeaderKey.SCHEMA: block.headers["schema"]}
    data = framed(BlockType.AVRO_DATA, block.content, headers)
    said = "found no instant_time, wanted one in a block of type avro_data"
    assert findings(data) == [f"blocks[0].body.headers at byte 22 (0x16): {said}"]
    file = tmp_path / ".commits_.archive.1_1-0-1"
    file.write_bytes(data)
    assert check(str(file)).status == "ok"
    file.write_bytes(framed(BlockType.AVRO_DATA, block.content, {}))
    assert check(str(file)).status == "damaged"
    done = byteloom("inspect", file)
    assert done.err.endswith("found no schema, wanted one in a block of type avro_data\n")
