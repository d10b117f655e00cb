"""The site's pages, and docstrings as Markdown. `make docs` builds it."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import griffe
import pytest
import yaml

ROOT = Path(__file__).parents[1]


def module(name: str) -> ModuleType:
    """Import a module beside the pages."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"docs/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def docstrings() -> ModuleType:
    """What makes docstrings Markdown."""
    return module("docstrings")


def pages(nav: Any) -> Iterator[str]:
    """Yield the files that a part of the navigation names."""
    if isinstance(nav, str):
        yield nav
    else:
        for each in nav.values() if isinstance(nav, dict) else nav:
            yield from pages(each)


def test_every_page_is_in_the_navigation() -> None:
    """Every page is in the navigation once, and every entry exists."""
    config = module("navigation").expanded((ROOT / "mkdocs.yml").read_text("utf-8"), ROOT)
    nav = list(pages(yaml.safe_load(config)["nav"]))
    found = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "specs").rglob("*.md"), *ROOT.glob("*.md")]
    found += (ROOT / "generated/reference").rglob("*.md")
    assert sorted(nav) == sorted(str(each.relative_to(ROOT)) for each in found)


def test_a_pattern_in_the_navigation_finds_its_pages(tmp_path: Path) -> None:
    """A pattern becomes a line for each page that it matches, in order and as deep as it was."""
    for name in "ba":
        (tmp_path / name).mkdir()
        (tmp_path / name / "SOURCE.md").touch()
    found = module("navigation").expanded("nav:\n  - a.md\n    - */SOURCE.md\n", tmp_path)
    assert found == "nav:\n  - a.md\n    - a/SOURCE.md\n    - b/SOURCE.md\n"


def test_a_pattern_of_names_groups_pages_by_their_folders(tmp_path: Path) -> None:
    """A pattern that finds names as well makes a group of each folder."""
    for name in ("b/c", "a/d", "a/c"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.md").touch()
    found = yaml.safe_load(module("navigation").expanded("nav:\n  - */*.md\n", tmp_path))
    assert found == {"nav": [{"a": ["a/c.md", "a/d.md"]}, {"b": ["b/c.md"]}]}


def test_pages_load_nothing_from_elsewhere() -> None:
    """The theme's fonts, which each page would fetch from another site, are switched off."""
    theme = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["theme"]
    assert theme["font"] is False
    assert "url(" not in (ROOT / "docs/site.css").read_text("utf-8")


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


def test_sections_in_googles_form_are_shown_as_such(docstrings: ModuleType, tmp_path: Path) -> None:
    """Sections of a docstring in Google's form are sections on the site, examples among them."""
    text = (
        'def f(a: int) -> int:\n    """Do it.\n\n    Args:\n        a: Bytes.\n\n    Returns:\n'
        "        More.\n\n    Raises:\n        ValueError: It is odd.\n\n    Example:\n"
        '        >>> f(2)\n        3\n\n    Source: https://example.org\n    """\n'
    )
    (tmp_path / "sections.py").write_text(text)
    extensions = griffe.load_extensions(docstrings.Docstrings())
    shown = griffe.load("sections", search_paths=[tmp_path], extensions=extensions)
    found = shown["f"].docstring.parse("google")
    kinds = [each.kind.value for each in found]
    assert kinds == ["text", "parameters", "returns", "raises", "examples", "text"]


def test_pages_of_classes_leave_out_their_repr(docstrings: ModuleType, tmp_path: Path) -> None:
    """A class is shown with its methods, special ones too, and without `__repr__`."""
    text = "class A:\n    def __repr__(self): ...\n    def __len__(self): ...\n"
    (tmp_path / "shown.py").write_text(text)
    extensions = griffe.load_extensions(docstrings.Docstrings())
    shown = griffe.load("shown", search_paths=[tmp_path], extensions=extensions)
    assert list(shown["A"].members) == ["__len__"]
