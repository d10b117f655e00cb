"""What the README shows is so."""

from __future__ import annotations

import ast
import re
import sys
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.cli import byteloom

from byteloom.puffin import PuffinWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A working directory on Python's path, with what the README generates from its own spec."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (spec,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    Path("track.ksy").write_text(spec)
    (command,) = re.findall(r"^byteloom (generate track.ksy .*)$", README, re.MULTILINE)
    assert byteloom(*command.split()).status == 0
    yield
    for name in ("track", "track_scan"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("code", BLOCKS)
def test_its_python_prints_what_it_says(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each block runs alone; the comment behind a `print` is what it prints."""
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102  our own page
    told = re.findall(r"print\(.*\)  # (.*)", code)
    assert len(told) == code.count("print(") > 0
    assert capsys.readouterr().out.splitlines() == told


def test_a_blob_needs_what_it_says() -> None:
    """`writer.add(...)` has every argument without a default, and none that there is not."""
    (call,) = re.findall(r"`(writer\.add\(.*?\))`", README, re.DOTALL)
    parsed = ast.parse(call, mode="eval").body
    assert isinstance(parsed, ast.Call)
    given = {each.arg: ast.literal_eval(each.value) for each in parsed.keywords if each.arg}
    assert not parsed.args
    signature(PuffinWriter.add).bind(None, **given)


def test_its_links_lead_somewhere() -> None:
    """To files of the repository, and to headings of its own."""
    headings = re.findall(r"^#+ (.*)$", README, re.MULTILINE)
    anchors = {"#" + heading.lower().replace(" ", "-") for heading in headings}
    links = re.findall(r"\]\(([^)]+)\)", README)
    broken = [
        link
        for link in links
        if "://" not in link
        and not (link in anchors if link.startswith("#") else (ROOT / link).exists())
    ]
    assert links
    assert broken == []
