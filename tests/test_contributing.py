"""What CONTRIBUTING shows is so."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.cli import byteloom

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "generated/byteloom_generated"
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A working directory on Python's path, with what the guide generates from its own spec."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (spec,) = re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    Path("events.ksy").write_text(spec)
    (command,) = re.findall(r"`byteloom (generate events.ksy .*?)`", GUIDE)
    assert byteloom(*command.split()).status == 0
    yield
    for name in ("events", "events_scan"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL))
def test_the_code_of_the_guide_prints_what_it_says(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The comment after each `print` is what it prints."""
    exec(compile(code, "CONTRIBUTING.md", "exec"), {})  # noqa: S102  our own page
    said = re.findall(r"print\(.*\)  # (.*)", code)
    assert len(said) == code.count("print(") > 0
    assert capsys.readouterr().out.splitlines() == said


def test_the_files_written_by_hand_are_there() -> None:
    """Every file and test that the guide names exists."""
    table = GUIDE[GUIDE.index("### What is written by hand") : GUIDE.index("## Decisions")]
    rows = [row for row in table.splitlines() if row.startswith("| `")]
    assert rows
    for row in rows:
        where, _, tests = row.strip("| ").split(" | ")
        names = re.findall(r"`(.*?)`", where)
        room = names[0].rpartition("/")[0]
        for name in names:
            path = name if "/" in name else f"{room}/{name}"
            assert (ROOT / "runtime/byteloom" / f"{path}.py").is_file(), name
        for name in re.findall(r"`(tests/.*?)`", tests):
            assert (ROOT / name).is_file(), name


def test_every_generated_module_is_imported() -> None:
    """The runtime imports each, or a generated module that it imports does."""
    modules = {each for each in PACKAGE.glob("*/*.py") if each.stem != "__init__"}
    known = set[Path]()
    files = set((ROOT / "runtime").rglob("*.py"))
    while files:
        found = {one for each in files for one in _imported(each) if one in modules}
        known |= files
        files = found - known
    assert not {each.relative_to(PACKAGE).as_posix() for each in modules - known}


def _imported(path: Path) -> Iterator[Path]:
    """The generated modules that a file imports, also under TYPE_CHECKING or inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            inside = path.parent.relative_to(PACKAGE.parent) if node.level else Path()
            module = ".".join([*inside.parts, *filter(None, [node.module])])
            names = [module, *(f"{module}.{each.name}" for each in node.names)]
        else:
            continue
        for name in names:
            yield PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")
