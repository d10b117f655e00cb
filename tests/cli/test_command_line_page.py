"""The page about the command line has every command, and every option of each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from typer.main import get_command

from byteloom.cli import app

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
