"""The page about the command line has every command, and every option of each."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from tests.support.hudi_logs import ROWS
from typer.main import get_command

from byteloom.cli import app
from byteloom.cli.sample_files import write_samples
from byteloom.puffin import DeletionVector, PuffinWriter, ThetaSketch
from byteloom.verification.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAGE: Final = (Path(__file__).parents[2] / "docs/command-line.md").read_text(encoding="utf-8")
_GENERAL, *_PARTS = re.split(r"(?m)^## ", _PAGE)
_SECTIONS: Final = {part.partition("\n")[0].strip(): part for part in _PARTS}


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield all commands with their names, and those of the groups that they are in."""
    inside = getattr(command, "commands", None)
    if inside is None:
        yield path, command
        return
    for name, each in inside.items():
        yield from _commands(each, (*path, name))


@pytest.mark.parametrize(
    ("path", "command"),
    [pytest.param(*each, id=" ".join(each[0])) for each in _commands(get_command(app))],
)
def test_every_option_is_on_the_page(path: tuple[str, ...], command: Any) -> None:
    """An option is in the section of its command, or before all sections if many have it."""
    assert path[0] in _SECTIONS
    text = _GENERAL + _SECTIONS[path[0]]
    options = {name for each in command.params for name in each.opts if name.startswith("--")}
    missing = [name for name in sorted(options - {"--help"}) if not re.search(rf"{name}\b", text)]
    assert not missing


def test_the_keys_and_formats_of_inspect_are_on_the_page(tmp_path: Path) -> None:
    """Formats and keys in JSON of `inspect` are those of the page; `verify` names formats alike."""
    rows = dict(re.findall(r"(?m)^\| (`.+?) \| (.+) \|$", _SECTIONS["inspect"]))
    keys = {key for names in rows for key in re.findall(r"`(\w+)`", names)}
    formats = set(re.findall(r"`(\w+)`", rows["`format`, `title`"])) - {"verify"}
    write_samples(tmp_path)
    (tmp_path / "a").write_bytes(DeletionVector.from_positions([1]).to_bytes())
    (tmp_path / "b").write_bytes(ThetaSketch.from_arrow(pa.array([1])).to_bytes())
    (tmp_path / "c").write_bytes(ROWS)
    met_formats, met_keys = set[str](), set[str]()
    for path in sorted(each for each in tmp_path.rglob("*") if each.is_file()):
        (verified,) = map(json.loads, byteloom("verify", "--json", path).out.splitlines())
        if verified["format"] is None:
            continue
        shown = json.loads(byteloom("inspect", "--json", path).out)
        assert shown["format"] == verified["format"]
        met_formats.add(shown["format"])
        met_keys |= set(shown)
    assert met_formats == formats == {each.name for each in FORMATS}
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
    "hfile build": ("hfile", "build", "built.hfile", "--from", "cells.csv"),
    "lance schema": ("lance", "schema", "orders.lance"),
    "lance stats FILE": ("lance", "stats", "orders.lance"),
    "lance stats FILE --pages": ("lance", "stats", "orders.lance", "--pages"),
    "lance stats DATASET": ("lance", "stats", "copy.lance"),
    "lance versions": ("lance", "versions", "copy.lance"),
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
        if command.split()[0] not in {"hudi", "spark"} and "#inspect" not in keys
    }
    assert listed.keys() == _SAMPLES.keys()
    write_samples(tmp_path)
    vector = DeletionVector.from_positions([1, 2, 3, 7])
    with PuffinWriter(tmp_path / "vector.puffin") as writer:
        writer.add_deletion_vector(vector, "d")
    (tmp_path / "rows").write_text("1\n")
    (tmp_path / "cells.csv").write_text("row,family,value\na,f,1\n")
    byteloom("lance", "convert", "orders.lance", "copy.lance", "--dataset", cwd=tmp_path)
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
