"""Every command that takes files handles standard input and surplus arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support.cli import PROGRAM, byteloom, process

from byteloom.hfile import HFileWriter
from byteloom.puffin import DeletionVector, PuffinWriter

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "command", [["get", "-", "b"], ["scan", "-", "--from", "b"], ["stats", "-"]]
)
def test_hfiles_are_read_from_standard_input(tmp_path: Path, command: list[str]) -> None:
    """An HFile on standard input gives the same output as the file."""
    file = tmp_path / "a.hfile"
    with HFileWriter(file) as writer:
        writer.write(pa.table({"row": [b"a", b"b"], "value": [b"1", b"2"]}))
    found = byteloom("hfile", *command, stdin=file.read_bytes())
    words = [file if each == "-" else each for each in command]
    assert found == byteloom("hfile", *words)
    assert (found.status, found.err) == (0, "")


def test_a_name_that_names_nothing_says_so() -> None:
    """An empty name, and a URL of nothing, are refused with what a name is."""
    empty = "byteloom: found an empty name, wanted a path or a URL\n"
    assert byteloom("inspect", "") == (1, "", empty)
    assert byteloom("lance", "schema", "") == (1, "", empty)
    found = byteloom("verify", "s3://")
    wanted = "unreadable  s3://  found no name, wanted one such as s3://bucket/file\n"
    assert (found.status, found.out) == (1, wanted)


def test_hdfs_without_java_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Java, the error for `hdfs://` says that Java is needed."""
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    done = process(*PROGRAM, "inspect", "hdfs://nope:1/x")
    needs = "hdfs:// needs libhdfs and Java: set HADOOP_HOME, JAVA_HOME and CLASSPATH"
    assert (done.status, done.err) == (1, f"byteloom: hdfs://nope:1/x: {needs}\n")


def test_vectors_are_read_from_standard_input(tmp_path: Path) -> None:
    """A deletion vector can be read from standard input."""
    file = tmp_path / "a.puffin"
    with PuffinWriter(file) as writer:
        writer.add_deletion_vector(DeletionVector.from_positions([1, 2, 5]), "a.parquet")
    found = byteloom("puffin", "dv", "show", "-", stdin=file.read_bytes())
    assert found == (0, "1-2\n5\n", "")


@pytest.mark.parametrize(
    "command",
    [
        "hfile build {} --from -",
        "puffin ndv - -o {}",
        "puffin add - --type t --data x",
        "table info -",
        "table scan -",
        "table list -",
        "hudi files -",
        "hudi verify -",
    ],
)
def test_commands_that_need_a_name_refuse_standard_input(tmp_path: Path, command: str) -> None:
    """Commands that need a path refuse ``-``, and do not take it for a file name."""
    (tmp_path / "x").touch()
    outcome = byteloom(*command.format("out").split(), cwd=tmp_path)
    wanted = "a path or a URL: it does not read standard input"
    words = command.split(" {}", maxsplit=1)[0].split(" -", maxsplit=1)[0].split()
    assert outcome.status == 1
    assert outcome.err.startswith(f"byteloom: {words[0]}")
    assert outcome.err.endswith(f": found -, wanted {wanted}\n")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (
            ["inspect", "a", "b"],
            "unexpected argument 'b', wanted FILE; `byteloom verify` takes many files",
        ),
        (["inspect", "a", *"bcd"], "unexpected argument 'b' and 2 more, wanted FILE; "),
        (["compat", "a", "b", "c"], "unexpected argument 'c', wanted OLD NEW"),
        (["table", "scan", "a", "b"], "unexpected argument 'b', wanted TABLE"),
    ],
)
def test_arguments_too_many_are_counted(command: list[str], says: str) -> None:
    """Too many arguments, as from a shell pattern, give a message of one line."""
    outcome = byteloom(*command)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(f"byteloom: {says}")
    assert outcome.err.count("\n") == 2
