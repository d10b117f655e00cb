"""The pages about Spark have every option of every source, and examples that work."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from tests.test_docs import SHOWS_OUTPUT, SPARK_BLOCKS

from byteloom.cli.sample_files import write_samples
from byteloom.spark.registering import SOURCES

PAGE = Path(__file__).parents[2] / "docs" / "spark.md"


@pytest.mark.parametrize("name", SOURCES)
def test_the_page_has_the_options_of_each_source(name: str) -> None:
    """The section of each source has the table of its options."""
    module = import_module(SOURCES[name].partition(":")[0])
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
    write_samples(tmp_path / "byteloom-samples")
    code = re.sub(r'"(?=byteloom-samples|orders\.|by-id)', f'"{tmp_path}/', code)
    exec(compile(code, page, "exec"), {})  # noqa: S102  our own page
    assert capsys.readouterr().out.splitlines() == SHOWS_OUTPUT.findall(code)


def test_pages_have_such_examples() -> None:
    """The page about Spark has one of sources, and one of jobs."""
    assert [each.values[0] for each in SPARK_BLOCKS] == ["docs/spark.md", "docs/spark.md"]
