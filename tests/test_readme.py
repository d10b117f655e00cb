"""What the README shows is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_python_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All blocks run one after the other; the comment behind a `print` is what it prints."""
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102  our own page
    told = re.findall(r"print\(.*\)  # (.*)", code)
    assert len(told) == code.count("print(") > 0
    assert capsys.readouterr().out.splitlines() == told


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
