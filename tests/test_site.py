"""The site's pages, and docstrings as Markdown. `make docs` builds it."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def docstrings() -> ModuleType:
    """Import the module beside the pages."""
    spec = importlib.util.spec_from_file_location("docstrings", ROOT / "docs/docstrings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages(nav: Any) -> Iterator[str]:
    """Yield the files that a part of the navigation names."""
    if isinstance(nav, str):
        yield nav
    else:
        for each in nav.values() if isinstance(nav, dict) else nav:
            yield from pages(each)


def test_every_page_is_in_the_navigation() -> None:
    """Every page is in the navigation once, and every entry exists."""
    nav = list(pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    found = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "specs").rglob("*.md"), *ROOT.glob("*.md")]
    reference = ["generated/reference/README.md"]  # which leads to the others
    assert sorted(nav) == sorted(reference + [str(each.relative_to(ROOT)) for each in found])


def test_terms_become_definitions(docstrings: ModuleType) -> None:
    """Aligned terms of a docstring become definitions, with their further lines."""
    text = "Do it.\n\nsize    bytes, at\n        most\nraises  `FormatError`\nIn the end:"
    wanted = (
        "Do it.\n\n\n`size`\n:   bytes, at most\n\n\n`raises`\n:   `FormatError`\n\nIn the end:"
    )
    assert docstrings.markdown(text) == wanted


def test_examples_become_blocks_of_code(docstrings: ModuleType) -> None:
    """Examples of a docstring become blocks of code, whatever their indentation."""
    text = "Like this:\n\n    >>> 1 + 1\n    2\n\nSource: none."
    wanted = "Like this:\n\n```pycon\n>>> 1 + 1\n2\n```\n\nSource: none."
    assert docstrings.markdown(text) == wanted


def test_prose_and_lists_stay(docstrings: ModuleType) -> None:
    """Prose and lists of a docstring stay, even with two blanks after a full stop."""
    text = "- one\n  of two\n\nFirst.  Then a second sentence."
    assert docstrings.markdown(text) == text
