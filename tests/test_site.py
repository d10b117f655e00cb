"""The site: its pages, and docstrings as Markdown on it. `make docs` builds it."""

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
    """The module beside the pages."""
    spec = importlib.util.spec_from_file_location("docstrings", ROOT / "docs/docstrings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pages(nav: Any) -> Iterator[str]:
    """The files that a part of the navigation names."""
    if isinstance(nav, str):
        yield nav
    else:
        for each in nav.values() if isinstance(nav, dict) else nav:
            yield from pages(each)


def test_every_page_is_in_the_navigation() -> None:
    """Once; and what it names is there."""
    nav = list(pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    found = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "specs").rglob("*.md"), *ROOT.glob("*.md")]
    reference = ["generated/reference/README.md"]  # which leads to the others
    assert sorted(nav) == sorted(reference + [str(each.relative_to(ROOT)) for each in found])


def test_terms_become_definitions(docstrings: ModuleType) -> None:
    """With further lines of a meaning, and with the prose before and after them."""
    text = "Do it.\n\nsize    bytes, at\n        most\nraises  `FormatError`\nIn the end:"
    wanted = (
        "Do it.\n\n\n`size`\n:   bytes, at most\n\n\n`raises`\n:   `FormatError`\n\nIn the end:"
    )
    assert docstrings.markdown(text) == wanted


def test_examples_become_blocks_of_code(docstrings: ModuleType) -> None:
    """Whatever they are indented by."""
    text = "Like this:\n\n    >>> 1 + 1\n    2\n\nSource: none."
    wanted = "Like this:\n\n```pycon\n>>> 1 + 1\n2\n```\n\nSource: none."
    assert docstrings.markdown(text) == wanted


def test_prose_and_lists_stay(docstrings: ModuleType) -> None:
    """Two blanks after a full stop make no term."""
    text = "- one\n  of two\n\nFirst.  Then a second sentence."
    assert docstrings.markdown(text) == text
