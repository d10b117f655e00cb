"""The pages about Spark have every option of every source, and examples that work."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import byteloom
from tests.support.consoles import BLOCK, COMMAND, printed
from tests.support.spark_sources import registered, sources
from tests.test_docs import SHOWS_OUTPUT, SPARK_BLOCKS

PAGE = Path(__file__).parents[2] / "docs" / "spark.md"


@pytest.mark.parametrize("name", sources())
def test_the_page_has_the_options_of_each_source(name: str) -> None:
    """The section of each source has the table of its options."""
    module: Any = inspect.getmodule(registered(name))
    section = PAGE.read_text("utf-8").partition(f"### `{name}`\n")[2].partition("\n### ")[0]
    assert module.OPTIONS.table() in section


@pytest.mark.usefixtures("spark")  # what `session()` returns
@pytest.mark.parametrize(("page", "code"), SPARK_BLOCKS)
def test_an_example_prints_what_it_says(
    page: str,
    code: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An example of a page about Spark prints what its comments say.

    Its relative names get a folder: those of the session are in the folder in which it began.
    """
    byteloom("samples", tmp_path / "byteloom-samples")
    code = re.sub(r'"(?=byteloom-samples|orders\.|by-id)', f'"{tmp_path}/', code)
    exec(compile(code, page, "exec"), {})  # noqa: S102  our own page
    assert capsys.readouterr().out.splitlines() == SHOWS_OUTPUT.findall(code)


@pytest.mark.usefixtures("spark")
def test_commands_print_what_their_page_shows(tmp_path: Path) -> None:
    """Every command on the page of `byteloom spark` prints what the page shows.

    Relative names get a folder: those of the session are in the folder in which it began.
    """
    byteloom("samples", tmp_path / "byteloom-samples")
    text = (PAGE.parent / "commands/spark.md").read_text("utf-8")
    for _, _, block in BLOCK.findall(text):
        for command, output in COMMAND.findall(block):
            named = re.sub(
                r" (?=byteloom-samples|(orders|ndv|rows)\.|index)", f" {tmp_path}/", command
            )
            found = printed(named, tmp_path).replace(f"{tmp_path}/", "")
            assert found == output.replace("/home/me/", ""), command


def test_pages_have_such_examples() -> None:
    """The page about Spark has one of sources, and one of jobs."""
    assert [each.values[0] for each in SPARK_BLOCKS] == ["docs/spark.md", "docs/spark.md"]
