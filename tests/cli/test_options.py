"""Options of every command have the same spellings, letters and forms."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.support.cli import byteloom, commands

from byteloom.hfile import HFileWriter

BYTES_OR_NOTHING = {"explore", "help", "puffin cat", "puffin create", "puffin add"}
"""Commands that print no document: help, the bytes of a blob, an address, or nothing at all."""


COMMANDS = commands()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write an HFile of five cells in as many rows."""
    place = tmp_path / "file.hfile"
    with HFileWriter(place) as writer:
        writer.write(pa.table({"row": [b"a", b"b", b"c", b"d", b"e"], "value": [b"1"] * 5}))
    return place


def options(command: Any) -> Iterator[list[str]]:
    """Return the spellings of each option."""
    for each in command.params:
        if each.param_type_name == "option":
            yield [*each.opts, *each.secondary_opts]


def test_a_letter_means_the_same_in_every_command() -> None:
    """A letter is short for the same option in every command, and the other way round."""
    meanings: dict[str, set[str]] = {}
    letters: dict[str, set[str]] = {}
    for command in COMMANDS.values():
        for spellings in options(command):
            long = max(spellings, key=len)
            short = [each for each in spellings if not each.startswith("--")]
            letters.setdefault(long, set()).add(" ".join(short))
            for letter in short:
                meanings.setdefault(letter, set()).add(long)
    assert {letter: said for letter, said in meanings.items() if len(said) > 1} == {}
    assert {long: said for long, said in letters.items() if len(said) > 1} == {}


def test_columns_have_one_spelling() -> None:
    """No command has ``--column``, and each that has ``--columns`` takes it several times."""
    for name, command in COMMANDS.items():
        for each in command.params:
            assert "--column" not in each.opts, name
            assert "--columns" not in each.opts or each.multiple, name


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - BYTES_OR_NOTHING))
def test_json_can_be_asked_for_in_two_ways(name: str) -> None:
    """Every command that prints text takes ``--json`` and ``--format json``."""
    spelt = {each for spellings in options(COMMANDS[name]) for each in spellings}
    assert {"--json", "--format"} <= spelt


@pytest.mark.parametrize("command", [["hfile", "scan"], ["inspect"], ["verify"]])
def test_json_is_short_for_its_form(command: list[str], file: Path) -> None:
    """`--json` equals `--format json`; another form besides it is wrong usage."""
    outcome = byteloom(*command, file, "--json")
    assert outcome == byteloom(*command, file, "--format", "json")
    assert json.loads(outcome.out.partition("\n{")[0].strip() or "null")
    assert byteloom(*command, file, "--json", "--format", "json") == outcome
    other = "text" if command != ["hfile", "scan"] else "csv"
    outcome = byteloom(*command, file, "--json", "--format", other)
    assert (outcome.status, outcome.out) == (2, "")
    assert f"--json is not --format {other}" in outcome.err


@pytest.mark.parametrize(
    ("command", "known"),
    [
        (["hfile", "scan"], "'table', 'json', 'csv', 'parquet'"),
        (["inspect"], "'text', 'json', 'yaml'"),
        (["verify"], "'text', 'json'"),
    ],
)
def test_an_unknown_form_is_wrong_usage(command: list[str], known: str, file: Path) -> None:
    """An unknown form is refused by name, with the known ones; case counts."""
    outcome = byteloom(*command, file, "--format", "JSON")
    assert (outcome.status, outcome.out) == (2, "")
    errors, _ = outcome.err.splitlines()
    assert errors == f"byteloom: Invalid value for '--format': 'JSON' is not one of {known}."


def test_limit_counts_what_is_listed(file: Path) -> None:
    """`--limit` counts what is printed, even in commands that name their rows."""
    for asked in (["scan", file], ["get", file, "a", "b", "c"]):
        output = byteloom("hfile", *asked, "-n", 2, "--format", "csv", "--columns", "row").out
        assert output == "row\na\nb\n"


def test_columns_are_repeated_or_listed_or_quoted(file: Path) -> None:
    """Columns are repeated options, a list by commas, or quoted as in CSV."""
    asked = ("hfile", "scan", file, "--format", "csv", "-n", 1)
    for given in (["row,value"], ["row", "value"], ['"row",value']):
        columns = [each for one in given for each in ("-c", one)]
        assert byteloom(*asked, *columns).out == "row,value\na,1\n"


def test_a_document_is_printed_as_yaml(file: Path) -> None:
    """`--format yaml` has the keys and values of the JSON."""
    import yaml

    output = byteloom("inspect", file, "--format", "yaml").out
    assert yaml.safe_load(output) == json.loads(byteloom("inspect", file, "--json").out)
