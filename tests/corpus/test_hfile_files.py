"""HFiles of Apache projects, loose and in zipped Hudi tables, are what their index says."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pyarrow.compute as pc
import pytest
from tests.support.corpus import corpus_cases
from tests.support.hudi_tables import framed

from byteloom import hfile
from byteloom.errors import ByteloomError
from byteloom.hfile.verify import audit
from byteloom.storage.sources import BytesSource
from byteloom.verification.hudi_log import verify
from byteloom_generated.hfile.hudi_log import BlockType, HeaderKey

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "hfile"
DIALECTS = {"HBASE": "hbase", "HUDI_PRE_1_1": "hudi-pre-1.1", "HUDI_1_1": "hudi-1.1"}

Case = tuple["Path", dict[str, Any]]


def lines(folder: Path) -> Iterator[Any]:
    """Yield each HFile of the index, with what the index says of it."""
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        entry = json.loads(line)
        member = entry.get("member")
        yield pytest.param((folder, entry), id=entry["file"] + (f":{member}" if member else ""))


@cache
def zipped(path: Path) -> ZipFile:
    """Return an archive that several cases are in."""
    return ZipFile(path)


def content(folder: Path, entry: dict[str, Any]) -> bytes:
    """Return the bytes of a case: of a file, a member of a zip, or a block of a log file."""
    if entry.get("member") is None:
        return Path(folder, entry["file"]).read_bytes()
    member, _, block = entry["member"].partition("#block")
    data: bytes = zipped(folder / entry["file"]).read(member)
    return log_block(data, int(block)) if block else data


def log_block(data: bytes, number: int) -> bytes:
    """Return the content of a block of Hudi's log file."""
    at = 0
    for _ in range(number):
        at += 6 + 8 + int.from_bytes(data[at + 6 : at + 14], "big")
    num_headers = int.from_bytes(data[at + 22 : at + 26], "big")
    at += 26
    for _ in range(num_headers):
        at += 8 + int.from_bytes(data[at + 4 : at + 8], "big")
    size = int.from_bytes(data[at : at + 8], "big")
    return data[at + 8 : at + 8 + size]


@corpus_cases(FOLDER, lines)
def test_a_file_is_what_its_index_says(case: Case) -> None:
    """Each file has the version, codec, cells and keys of its index, and passes all checks.

    The two files of Hudi whose keys cannot be looked up are refused with the reason.
    """
    folder, wanted = case
    data = content(folder, wanted)
    if "error" in wanted:
        with pytest.raises(ByteloomError, match=r"Hudi 1\.1"):
            hfile.open(data)
        return
    with hfile.open(data) as file:
        rows = file.read(["row"])["row"]
        assert file.verify() == wanted["entries"] == len(rows)
        assert file.dialect == DIALECTS[wanted["dialect"]]
        assert f"{file.trailer.major}.{file.trailer.minor}" == wanted["version"]
        assert file.trailer.compression_codec == wanted["codec"]
        assert file.trailer.num_data_index_levels == len(wanted["levels"])
        assert [name.decode() for name in file.meta_names] == wanted["meta"]
        if len(rows):
            assert rows[0].as_py().decode().startswith(wanted["first"])
            assert rows[-1].as_py().decode().startswith(wanted["last"])
            for row in {rows[0].as_py(), rows[len(rows) // 2].as_py(), rows[-1].as_py()}:
                assert file.get(row, ["row"]).num_rows == pc.sum(pc.equal(rows, row)).as_py()
            assert file.get(b"no such row").num_rows == 0


@corpus_cases(FOLDER, lines)
def test_what_nobody_damaged_has_no_finding(case: Case) -> None:
    """An audit finds nothing in sound files, and only the wrong key lengths in the other two."""
    folder, wanted = case
    found = audit(content(folder, wanted))
    if "error" in wanted:
        assert [error.path for error in found.findings] == ["root_index.len_key"]
        return
    assert [str(error) for error in found.findings] == []
    assert found.cells == wanted["entries"]


@corpus_cases(FOLDER, lines)
def test_keys_that_others_cannot_find_are_read_on_request(case: Case) -> None:
    """The two refused files are read whole and in order with `protobuf_keys=True`."""
    folder, wanted = case
    if "error" in wanted:
        with hfile.open(content(folder, wanted), protobuf_keys=True) as file:
            assert file.verify() == file.num_cells == 500


@corpus_cases(FOLDER, lines)
def test_such_keys_are_no_damage_in_a_log(case: Case) -> None:
    """As the content of a block of a log the two files are sound, as Hudi reads them there."""
    folder, wanted = case
    if "error" in wanted:
        schema = '{"type": "fixed", "name": "value", "size": 13}'
        headers = {HeaderKey.INSTANT_TIME: "1", HeaderKey.SCHEMA: schema}
        block = framed(BlockType.HFILE_DATA, content(folder, wanted), headers)
        assert verify(BytesSource(block)).startswith("1 block, 500 records, 0 deletes; in HFiles: ")
