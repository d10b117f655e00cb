"""The page about the command line has every command, and every option of each."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest
from tests.support.cli import byteloom
from typer.main import get_command

from byteloom.cli import app
from byteloom.cli.sample_files import write_samples
from byteloom.puffin import DeletionVector, ThetaSketch
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
