"""The tutorials work step by step: files are saved, commands are run, output is compared."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest
from tests.support.consoles import BLOCK, COMMAND, printed

ROOT: Final = Path(__file__).parents[1]

FOLLOWED: Final = [f"tutorial-{each}.md" for each in ("files", "spec", "library", "table")]


def _follow(page: str, folder: Path) -> int:
    """Do what a page says in *folder*; return how many commands printed something."""
    shown = 0
    for language, title, text in BLOCK.findall((ROOT / "docs" / page).read_text("utf-8")):
        if language == "console":
            for command, output in COMMAND.findall(text):
                assert printed(command, folder) == output, command
                shown += bool(output)
        else:
            assert title, text
            _save(folder / title, text)
    return shown


def _save(path: Path, text: str) -> None:
    """Write a file, or replace an existing one from the first line of *text* on."""
    old = path.read_text("utf-8") if path.exists() else ""
    first = text[: text.index("\n") + 1]
    path.write_text(f"{old[: old.index(first)] if old else ''}{text}", "utf-8")


@pytest.mark.parametrize("page", FOLLOWED)
def test_a_tutorial_works(page: str, tmp_path: Path) -> None:
    """Every command of a tutorial prints what the page shows, to the letter."""
    assert _follow(page, tmp_path) > 3


@pytest.mark.peer("node")
def test_the_tutorial_in_another_language_works(tmp_path: Path) -> None:
    """The tutorial's reader passes the vectors, and fails with the mistake it suggests."""
    shutil.copy(ROOT / "generated/reference/puffin/vectors.json", tmp_path)
    assert _follow("tutorial-language.md", tmp_path) == 2
    reader = tmp_path / "tail.mjs"
    text = reader.read_text("utf-8")
    assert text.count("flags >>> 1") == 1
    reader.write_text(text.replace("flags >>> 1", "flags >> 1"), "utf-8")
    assert "-1" in printed("node check.mjs", tmp_path)


def test_every_tutorial_is_followed() -> None:
    """Every tutorial in `docs` is followed by these tests."""
    found = {path.name for path in (ROOT / "docs").glob("tutorial-*.md")}
    assert found == {*FOLLOWED, "tutorial-language.md"}


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("tutorial-*.md")))
def test_every_block_is_seen(page: Path) -> None:
    """Every fenced block of a tutorial is found, whatever its fence."""
    text = page.read_text("utf-8")
    assert 2 * len(BLOCK.findall(text)) == text.count("```")
