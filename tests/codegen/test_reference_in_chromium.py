"""The reference pages can be read in a browser without scrolling sideways."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from tests.support.peers import chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.peer("chromium")

REFERENCE: Final = Path(__file__).parents[2] / "generated" / "reference"
TOO_WIDE: Final = """
() => [document.documentElement, ...document.querySelectorAll('.wide')]
    .filter(each => each.scrollWidth > each.clientWidth)
    .map(each => each.closest('section')?.id ?? 'the page')
"""
"""The sections with a table or a picture of which a part is cut off."""


@pytest.fixture(scope="module")
def tab() -> Iterator[Any]:
    """Open a window of 1,200 pixels."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_page(viewport={"width": 1200, "height": 900})
        browser.close()


def test_no_table_is_cut_off(tab: Any) -> None:
    """Every column of every reference page fits a window of 1,200 pixels."""
    cut = {}
    pages = sorted(REFERENCE.rglob("*.html"))
    for page in pages:
        tab.goto(page.as_uri())
        if found := tab.evaluate(TOO_WIDE):
            cut[page.name] = found
    assert (cut, len(pages) > 40) == ({}, True)


def test_a_page_leads_to_the_index(tab: Any) -> None:
    """A page leads to the index by a link above its title, and the index to each page."""
    tab.goto((REFERENCE / "puffin/puffin.html").as_uri())
    tab.click("text=Reference")
    assert tab.title() == "Reference"
    tab.click("text=Cells, keys and tags of an HFile")
    assert tab.url == (REFERENCE / "hfile/cell.html").as_uri()
