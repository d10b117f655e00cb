"""The code, links and pictures of README and docs are correct."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import shutil
import sys
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.cli import byteloom
from tests.support.hudi_indexed import made

from byteloom.cli.sample_files import write_samples
from byteloom.puffin import PuffinWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGES = {
    page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8")
    for page in [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs/commands").glob("*.md")),
    ]
}
SHOWS_OUTPUT = re.compile(r"print\(.*\)  # (.*)")
"""A `print` with what it prints in the comment after it."""

_ALL = [
    pytest.param(page, code, id=f"{page}-{number}")
    for page, text in PAGES.items()
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
]


def _needs_spark(code: str) -> bool:
    return "byteloom.spark" in code and bool(SHOWS_OUTPUT.search(code))


BLOCKS = [each for each in _ALL if not _needs_spark(str(each.values[1]))]
SPARK_BLOCKS = [each for each in _ALL if _needs_spark(str(each.values[1]))]
"""Those that print what Spark finds; `tests/spark` has a session for them."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write samples, and the modules that the first steps generate."""
    folder = tmp_path_factory.mktemp("docs")
    (spec,) = re.findall(r"```yaml\n(.*?)```", PAGES["docs/first-steps.md"], re.DOTALL)
    (folder / "track.ksy").write_text(spec)
    (command,) = re.findall(
        r"^byteloom (generate track.ksy .*)$", PAGES["docs/first-steps.md"], re.MULTILINE
    )
    assert byteloom(*command.split(), cwd=folder).status == 0
    write_samples(folder / "byteloom-samples")
    (folder / "trips").mkdir()
    made().write(folder / "trips")
    return folder


@pytest.fixture
def folder(tmp_path: Path, written: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Enter a folder on Python's path, with copies of what was written for all tests."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in ("track", "track_scan"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("page", "code"), BLOCKS)
def test_python_prints_what_it_says(
    page: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A block of Python with output prints that; calls in other blocks have valid arguments."""
    shown = SHOWS_OUTPUT.findall(code)
    if page == "README.md" or shown:
        assert len(shown) == code.count("print(") > 0
        exec(compile(code, page, "exec"), {})  # noqa: S102  our own page
        assert capsys.readouterr().out.splitlines() == shown
    else:
        _check_calls(code)


def _check_calls(code: str) -> None:
    """Check an example without output: that its imports and the arguments of its calls exist."""
    tree, names = ast.parse(code), dict[str, object]()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("byteloom"):
            module = importlib.import_module(str(node.module))
            for each in node.names:
                if module.__name__ == "byteloom":
                    names[each.name] = importlib.import_module(f"byteloom.{each.name}")
                else:
                    names[each.asname or each.name] = getattr(module, each.name)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            found = getattr(names.get(called.value.id), called.attr, None)
        else:
            found = names.get(called.id) if isinstance(called, ast.Name) else None
        if callable(found):
            signature(found).bind(*node.args, **{str(each.arg): None for each in node.keywords})


def test_an_example_with_an_unknown_argument_is_noticed() -> None:
    """An example that cannot run here still has to call functions with existing arguments."""
    _check_calls(
        "from byteloom.iceberg import open_table\nopen_table('s3://b/t', allow=['s3://b/'])"
    )
    with pytest.raises(TypeError, match="allowed"):
        _check_calls("from byteloom.iceberg import open_table\nopen_table('t', allowed=[])")


def test_a_blob_needs_what_the_page_says() -> None:
    """The page's `writer.add(...)` has every required argument, and no unknown one."""
    (call,) = re.findall(r"`(writer\.add\(.*?\))`", PAGES["docs/puffin.md"], re.DOTALL)
    parsed = ast.parse(call, mode="eval").body
    assert isinstance(parsed, ast.Call)
    given = {each.arg: ast.literal_eval(each.value) for each in parsed.keywords if each.arg}
    assert not parsed.args
    signature(PuffinWriter.add).bind(None, **given)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    """Every relative link of a page leads to a file, and to a heading of it."""
    links = re.findall(r"\]\(([^)]+)\)", PAGES[page])
    broken = [link for link in links if "://" not in link and not _leads_somewhere(page, link)]
    assert broken == [], f"{page}: no such file, or no heading with such an anchor"


def _leads_somewhere(page: str, link: str) -> bool:
    """Return whether the file of a relative link exists and has the heading that it names."""
    path, _, anchor = link.partition("#")
    target = (ROOT / page).parent / path if path else ROOT / page
    if not target.exists():
        return False
    headings = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), re.MULTILINE) if anchor else []
    return not anchor or anchor in map(_anchor, headings)


def _anchor(heading: str) -> str:
    """Return the anchor of a heading: its letters, digits and hyphens, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_readme_is_short() -> None:
    """The README has at most 900 words."""
    assert len(PAGES["README.md"].split()) <= 900


def test_the_picture_is_what_inspect_shows() -> None:
    """The README's picture is what `python examples/picture.py` draws today."""
    spec = importlib.util.spec_from_file_location("picture", ROOT / "examples/picture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs/inspect.svg").read_text("utf-8") == module.picture()
