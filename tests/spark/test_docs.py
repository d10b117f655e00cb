"""The page about Spark has every option of every source."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from byteloom.spark.registering import SOURCES

PAGE = Path(__file__).parents[2] / "docs" / "spark.md"


@pytest.mark.parametrize("name", SOURCES)
def test_the_page_has_the_options_of_each_source(name: str) -> None:
    """The section of each source has the table of its options."""
    module = import_module(SOURCES[name].partition(":")[0])
    section = PAGE.read_text("utf-8").partition(f"### `{name}`\n")[2].partition("\n### ")[0]
    assert module.OPTIONS.table() in section
