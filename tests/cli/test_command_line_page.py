"""The pages about the command line have every command, every option of each, and examples."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
import pytest
from pyarrow import orc
from tests.support.cli import byteloom, commands
from tests.support.consoles import BLOCK, COMMAND, printed
from tests.support.hudi_logs import ROWS
from tests.support.lance_datasets import put_section

from byteloom.puffin import DeletionVector, PuffinWriter, ThetaSketch
from byteloom_generated.lance.table import IndexMetadata, IndexSection, Uuid

if TYPE_CHECKING:
    from collections.abc import Iterator

_DOCS: Final = Path(__file__).parents[2] / "docs"
_GENERAL: Final = (_DOCS / "command-line.md").read_text(encoding="utf-8")


class _Section(NamedTuple):
    """What the pages say about a command: its page, the text that all on it share, its own text."""

    page: str
    general: str
    text: str


def _sections() -> Iterator[tuple[str, _Section]]:
    """Yield the sections of all pages, each with its heading."""
    for path in sorted((_DOCS / "commands").glob("*.md")):
        general, *parts = re.split(r"(?m)^## ", path.read_text(encoding="utf-8"))
        for part in parts:
            heading, _, text = part.partition("\n")
            yield heading, _Section(path.name, _GENERAL + general, text)


_SECTIONS: Final = dict(_sections())
_PAGES: Final = sorted({each.page for each in _SECTIONS.values()} - {"spark.md"})
"""Pages whose commands need no Spark; `tests/spark` runs those of the other."""

_SERVERS: Final = {"explore"}
"""Commands that run until Ctrl-C, and whose output has a secret: they have no example with it."""


COMMANDS: Final = commands()


def test_every_command_has_one_section() -> None:
    """Every command has a heading on one page, and every heading of the pages is a command."""
    headings = [heading for heading, _ in _sections()]
    assert sorted(headings) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_on_the_page(name: str) -> None:
    """An option is in the section of its command, or before all sections if many have it."""
    section = _SECTIONS[name]
    text = section.general + section.text
    options = {each for one in COMMANDS[name].params for each in one.opts if each.startswith("--")}
    missing = [each for each in sorted(options - {"--help"}) if not re.search(rf"{each}\b", text)]
    assert not missing


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_leads_to_every_section(name: str) -> None:
    """The first page has a link to the section of each command."""
    assert f"](commands/{_SECTIONS[name].page}#{name.replace(' ', '-')})" in _GENERAL


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - _SERVERS))
def test_every_command_has_an_example(name: str) -> None:
    """The section of a command shows a call of it, as it is typed on a console."""
    blocks = [
        text for language, _, text in BLOCK.findall(_SECTIONS[name].text) if language == "console"
    ]
    calls = [command for block in blocks for command, _ in COMMAND.findall(block)]
    assert [each for each in calls if f"byteloom {name} " in f"{each} "]


@pytest.mark.parametrize("page", _PAGES)
def test_examples_print_what_the_page_shows(page: str, tmp_path: Path) -> None:
    """Every command on a console of a page prints what the page shows, in a folder of samples."""
    text = (_DOCS / "commands" / page).read_text(encoding="utf-8")
    if "$ byteloom samples\n" not in text:
        byteloom("samples", tmp_path / "byteloom-samples")
    for language, _, block in BLOCK.findall(text):
        for command, output in COMMAND.findall(block) if language == "console" else ():
            found = printed(command, tmp_path).replace(str(tmp_path), "/home/me")
            assert found == output, command


def test_the_keys_and_formats_of_inspect_are_on_the_page(tmp_path: Path) -> None:
    """Formats and keys in JSON of `inspect` are those of the page; `verify` names formats alike."""
    rows = dict(re.findall(r"(?m)^\| (`.+?) \| (.+) \|$", _SECTIONS["inspect"].text))
    keys = {key for names in rows for key in re.findall(r"`(\w+)`", names)}
    formats = set(re.findall(r"`(\w+)`", rows["`format`, `title`"])) - {"verify"}
    byteloom("samples", tmp_path)
    (tmp_path / "a").write_bytes(DeletionVector.from_positions([1]).to_bytes())
    (tmp_path / "b").write_bytes(ThetaSketch.from_arrow(pa.array([1])).to_bytes())
    (tmp_path / "c").write_bytes(ROWS)
    orc.write_table(pa.table({"a": [1]}), tmp_path / "e")
    met_formats, met_keys = set[str](), set[str]()
    for path in sorted(each for each in tmp_path.rglob("*") if each.is_file()):
        (verified,) = map(json.loads, byteloom("verify", "--json", path).out.splitlines())
        if verified["format"] is None:
            continue
        shown = json.loads(byteloom("inspect", "--json", path).out)
        assert shown["format"] == verified["format"]
        met_formats.add(shown["format"])
        met_keys |= set(shown)
    assert met_formats == formats
    (tmp_path / "d").write_bytes(b"no magic")
    known = byteloom("inspect", tmp_path / "d").err.partition("wanted one of these: ")[2]
    assert len(re.split(", | or ", known.partition(";")[0])) == len(formats)
    assert met_keys == keys


_SAMPLES: Final = {
    "inspect --blocks": ("inspect", "orders.hfile", "--blocks"),
    "inspect --pages": ("inspect", "orders.lance", "--pages"),
    "verify": ("verify", "orders.puffin"),
    "puffin ls": ("puffin", "ls", "orders.puffin"),
    "puffin ndv": ("puffin", "ndv", "orders/data", "-o", "ndv.puffin"),
    "puffin dv show": ("puffin", "dv", "show", "vector.puffin"),
    "puffin dv show --each": ("puffin", "dv", "show", "vector.puffin", "--each"),
    "puffin dv make": ("puffin", "dv", "make", "rows", "-o", "v.puffin", "--data-file", "d"),
    "hfile stats": ("hfile", "stats", "orders.hfile"),
    "hfile splits": ("hfile", "splits", "orders.hfile"),
    "hfile build": ("hfile", "build", "built.hfile", "--from", "cells.csv"),
    "lance count": ("lance", "count", "orders.lance"),
    "lance schema": ("lance", "schema", "orders.lance"),
    "lance stats FILE": ("lance", "stats", "orders.lance"),
    "lance stats FILE --pages": ("lance", "stats", "orders.lance", "--pages"),
    "lance stats DATASET": ("lance", "stats", "copy.lance"),
    "lance versions": ("lance", "versions", "copy.lance"),
    "lance indices": ("lance", "indices", "indexed.lance"),
    "lance convert": ("lance", "convert", "orders.lance", "orders.arrow"),
    "table list": ("table", "list", "."),
    "table schema": ("table", "schema", "orders"),
    "table snapshots": ("table", "snapshots", "orders"),
    "table count": ("table", "count", "orders"),
    "generate": ("generate", "sensor.ksy", "-o", ".", "--check"),
    "compat": ("compat", "sensor.ksy", "sensor.ksy"),
}
"""A command that prints each row of the page's table of keys."""


def test_the_keys_of_every_command_are_on_the_page(tmp_path: Path) -> None:
    """The table of the page has exactly the keys that commands print with `--json`."""
    table = _GENERAL[_GENERAL.index("The others print these:") :]
    cells = re.findall(r"(?m)^\| (`.+?) \| (.+) \|$", table)
    listed = {
        command: set(re.findall(r"`(\w+)`", keys))
        for commands, keys in cells
        for command in re.findall(r"`(.+?)`", commands)
        if command.split()[0] not in {"hudi", "spark"} and "files.md#inspect" not in keys
    }
    assert listed.keys() == _SAMPLES.keys()
    byteloom("samples", tmp_path)
    vector = DeletionVector.from_positions([1, 2, 3, 7])
    with PuffinWriter(tmp_path / "vector.puffin") as writer:
        writer.add_deletion_vector(vector, "d")
    (tmp_path / "rows").write_text("1\n")
    (tmp_path / "cells.csv").write_text("row,family,value\na,f,1\n")
    for name in ("copy.lance", "indexed.lance"):
        byteloom("lance", "convert", "orders.lance", name, "--dataset", cwd=tmp_path)
    index = IndexMetadata(name="by_id", fields=[0], uuid=Uuid(uuid=bytes(16)))
    section = IndexSection(indices=[index]).SerializeToString()
    put_section(tmp_path / "indexed.lance", 1, "index_section", section)
    for command, words in _SAMPLES.items():
        printed = byteloom(*words, "--json", cwd=tmp_path).out
        is_document = printed.startswith("{\n")
        found = [json.loads(each) for each in ([printed] if is_document else printed.splitlines())]
        keys = {key for each in found for key in each}
        inside = {
            key
            for each in found
            for name in {"blocks", "pages", "columns"} & each.keys()
            if isinstance(each[name], list)
            for item in each[name]
            if isinstance(item, dict)
            for key in item
        }
        assert keys | inside == listed[command], command
