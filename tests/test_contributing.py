"""What CONTRIBUTING shows is so."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.cli import byteloom

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
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
        room = names[0].partition("/")[0]
        for name in names:
            path = name if "/" in name else f"{room}/{name}"
            assert (ROOT / "runtime/byteloom" / f"{path}.py").is_file(), name
        for name in re.findall(r"`(tests/.*?)`", tests):
            assert (ROOT / name).is_file(), name


def test_every_generated_module_is_imported() -> None:
    """Hudi, HFile, Puffin or Iceberg uses it, or a generated module that they use."""
    package = ROOT / "generated/byteloom_generated"
    sources = [each.read_text(encoding="utf-8") for each in (ROOT / "runtime").rglob("*.py")]
    modules = {each for each in package.glob("*/*.py") if each.stem != "__init__"}
    unused = {
        each.relative_to(package).as_posix()
        for each in modules
        if not any(_imports(text, each) for text in sources)
        and not any(
            f"from .{each.stem} import" in other.read_text(encoding="utf-8")
            for other in each.parent.glob("*.py")
        )
    }
    assert not unused


def _imports(text: str, module: Path) -> bool:
    room, name = module.parent.name, module.stem
    whole = rf"byteloom_generated\.{room}\.{name}\b"
    part = rf"byteloom_generated\.{room} import \(?[^)]*?\b{name}\b"
    return re.search(rf"{whole}|{part}", text) is not None
