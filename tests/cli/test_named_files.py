"""Errors of commands name the file that they are about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from tests.support.gallery import rows
from tests.support.iceberg_rows import TableMaker, arrow, parquet

from byteloom.hfile import HFileWriter

if TYPE_CHECKING:
    from pathlib import Path

SPEC = "meta: {id: t, endian: le}\nseq: [{id: num, type: u4}]\n"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a table of three rows."""
    root = tmp_path_factory.mktemp("named") / "table"
    rows = arrow({(1, "id"): pa.array(range(3), pa.int64())})
    maker = TableMaker(root, [(1, "id", "long")])
    maker.commit(parquet(root / "data" / "a.parquet", rows)).open()
    return root


@pytest.mark.parametrize(
    ("name", "data", "command", "says"),
    rows("cli/named_files", "errors_about_bytes_name_the_file"),
)
def test_errors_about_bytes_name_the_file(
    tmp_path: Path, name: str, data: bytes, command: list[str], says: str
) -> None:
    """An error about bytes names the file before the offset, in every command."""
    file = tmp_path / name
    file.write_bytes(data)
    (tmp_path / "t.ksy").write_text(SPEC)
    words = [each.replace("{}/..", str(tmp_path)).format(file) for each in command]
    more = ["--data-file", "x"] if "make" in command else []
    outcome = byteloom(*words, *more)
    assert outcome.status == 1
    assert outcome.err.startswith(f"byteloom: {file}: {says}")
    assert outcome.err.count(str(file)) == 1


def test_findings_of_blocks_name_the_file(tmp_path: Path) -> None:
    """Findings of blocks name the file, on stderr and in JSON messages."""
    file = tmp_path / "a.hfile"
    with HFileWriter(file) as writer:
        writer.write(pa.table({"row": [b"a", b"b"], "value": [b"1", b"2"]}))
    data = bytearray(file.read_bytes())
    data[40] ^= 1
    file.write_bytes(data)
    outcome = byteloom("inspect", file, "--blocks", "--json")
    messages = [each["message"] for each in json.loads(outcome.out)["findings"]]
    assert messages
    assert [each for each in messages if not each.startswith(f"{file}: ")] == []
    assert outcome.err == f"byteloom: {messages[0]}\n"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["scan", "--columns", "nope"], "columns: found 'nope'"),
        (["scan", "--where", "nope = 1"], "filter.column: found 'nope', wanted a column of the "),
        (["count", "--where", "nope = 1"], "filter.column: found 'nope', wanted a column of the "),
        (["plan", "--where", "nope = 1"], "filter.column: found 'nope', wanted a column of the "),
        (["plan", "--ref", "nope"], "branch or tag: found 'nope'"),
        (["files", "--snapshot", "7"], "snapshot: found 7"),
        (["schema", "--as-of", "2001"], "snapshot: found none as of 2001"),
    ],
)
def test_questions_that_a_table_cannot_answer_name_it(
    table: Path, asked: list[str], says: str
) -> None:
    """An unknown column, branch or snapshot is an error with the table's metadata file."""
    command, *options = asked
    outcome = byteloom("table", command, table, *options)
    assert outcome.status == 1
    assert outcome.err.startswith(f"byteloom: {table}/metadata/v1.metadata.json: {says}")


def test_verify_names_a_file_once(tmp_path: Path) -> None:
    """A line of `verify` names its file once, at the beginning."""
    outcome = byteloom("verify", tmp_path / "none")
    assert outcome.out == f"unreadable  {tmp_path}/none  No such file or directory\n"
