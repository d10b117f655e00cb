"""The page docs/iceberg-spec.md agrees with the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "iceberg-spec.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
def test_its_python_prints_what_it_says(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each block of Python on the page runs and prints what its comments say."""
    exec(compile(code, PAGE.name, "exec"), {})  # noqa: S102  our own page
    wanted = [line.split("  # ")[1] for line in code.splitlines() if line.startswith("print(")]
    assert wanted
    assert capsys.readouterr().out.splitlines() == wanted


def test_it_names_every_table_and_its_page() -> None:
    """The page names exactly the tables in the folder of specs, and its links exist."""
    tables = {each.name for each in (ROOT / "specs" / "iceberg").glob("*.yaml")} - {"vectors.yaml"}
    assert set(re.findall(r"`(\w+\.yaml)`", TEXT)) == tables
    links = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert all((PAGE.parent / each.partition("#")[0]).is_file() for each in links)
    pages = {Path(each).stem for each in links if "generated/reference/iceberg" in each}
    assert pages == {each.removesuffix(".yaml") for each in tables}
