"""The code, commands and tables of the pages for contributors are correct."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
from tests.support.cli import byteloom
from tests.support.vectors import plain

from byteloom.errors import FormatError
from byteloom.files import kinds
from byteloom.storage.sources import BytesSource
from byteloom.verification.formats import Ends
from byteloom.wire import Folding

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "generated/byteloom_generated"
RUNTIME = ROOT / "runtime/byteloom"
PAGES = ROOT / "docs/internals"
GUIDE = (PAGES / "new-format.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Enter a folder on Python's path, with what the guide generates from its own spec."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("events.ksy").write_text(_yaml()[0])
    (command,) = re.findall(r"`byteloom (generate events.ksy .*?)`", GUIDE)
    assert byteloom(*command.split()).status == 0
    yield
    for name in ("events", "events_scan"):
        sys.modules.pop(name, None)


def _yaml() -> list[str]:
    """Return the spec of the guide, and its examples."""
    return re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)


@pytest.mark.usefixtures("folder")
def test_the_vectors_of_the_guide_are_right() -> None:
    """The guide's vectors are read, written back and refused like those of the formats."""
    record = importlib.import_module("events").Event
    value, refused = yaml.safe_load(_yaml()[1])["event"]
    raw = bytes.fromhex(value["hex"])
    read = record.from_bytes(raw, **value["params"])
    assert (plain(read), read.to_bytes()) == (value["value"], raw)
    with pytest.raises(FormatError) as caught:
        record.from_bytes(bytes.fromhex(refused["hex"]), **refused["params"])
    assert caught.value.path == refused["refused"]["field"]
    assert refused["refused"]["because"] in str(caught.value)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL))
def test_the_code_of_the_guide_prints_what_it_says(
    code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each `print` of the guide prints what its comment says."""
    exec(compile(code, "new-format.md", "exec"), {})  # noqa: S102  our own page
    said = re.findall(r"print\(.*\)  # (.*)", code)
    assert len(said) == code.count("print(") > 0
    assert capsys.readouterr().out.splitlines() == said


SOUND = b"NOTE\1a\2bc"


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what the guide's code of a format defines, with what is generated from its spec."""
    (spec,) = re.findall(r"```yml\n(.*?)```", GUIDE, re.DOTALL)
    (tmp_path / "notes.ksy").write_text(spec)
    assert byteloom("generate", tmp_path / "notes.ksy", "-o", tmp_path).status == 0
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "byteloom_generated.notes", ModuleType("notes"))
    monkeypatch.setitem(sys.modules, "notes", ModuleType("notes"))  # forgotten after the test
    del sys.modules["notes"]
    generated = importlib.import_module("notes")
    monkeypatch.setitem(sys.modules, "byteloom_generated.notes.notes", generated)
    monkeypatch.setattr(kinds, "NOTES", "a file of notes", raising=False)
    found: dict[str, Any] = {}
    for code in re.findall(r"```py\n(.*?)```", GUIDE, re.DOTALL):
        exec(compile(code, "new-format.md", "exec"), found)  # noqa: S102  our own page
    (code,) = re.findall(r"```\n(def _is_notes.*?)```", GUIDE, re.DOTALL)
    exec(compile(f"from __future__ import annotations\n{code}", "new-format.md", "exec"), found)  # noqa: S102
    return found


def test_the_two_modules_of_a_format_check_and_show_a_file(notes: dict[str, Any]) -> None:
    """The guide's `verify` and `explain` read a sound file of its spec, and refuse a cut one."""
    assert notes["_is_notes"](Ends(SOUND, SOUND, len(SOUND)))
    assert not notes["_is_notes"](Ends(b"note", b"NOTE", 4))
    assert notes["verify"](BytesSource(SOUND)) == "2 notes"
    report = notes["explain"](BytesSource(SOUND), folding=Folding())
    assert (report.facts, report.error) == ({"notes": 2}, None)
    assert report.root.children[-1].end == len(SOUND)
    for data in (SOUND[:-1], SOUND + b"\1"):
        with pytest.raises(FormatError) as caught:
            notes["verify"](BytesSource(data))
        report = notes["explain"](BytesSource(data), folding=Folding())
        assert str(report.error) == str(caught.value)
        assert report.root.children


def test_the_room_of_a_format_writes_and_reads_a_file(
    notes: dict[str, Any], tmp_path: Path
) -> None:
    """The guide's writer writes a file that its reader reads; both name what is wrong."""
    place = tmp_path / "some.note"
    with notes["NotesWriter"](place) as writer:
        writer.write(b"a")
        writer.write(b"bc")
    assert place.read_bytes() == SOUND
    with notes["open"](place) as file:
        assert file.to_arrow().to_pylist() == [b"a", b"bc"]
        assert file.file_name == str(place)
    with pytest.raises(FormatError, match="found 256"), notes["NotesWriter"](place) as writer:
        writer.write(bytes(256))
    assert place.read_bytes() == SOUND
    place.write_bytes(b"PAR1" + bytes(20) + b"PAR1")
    with pytest.raises(FormatError, match=r"found a Parquet file, wanted a file of notes$"):
        notes["open"](place)


def _tables() -> list[str]:
    """Return the tables of hand-written code, wanted differences, and code without a layout."""
    page = (PAGES / "by-hand.md").read_text(encoding="utf-8")
    return re.split("Both find the same values|Other code that packs", page)


def test_what_is_written_by_hand_has_its_parity_test() -> None:
    """Each hand-written module in the table exists, and so does its test in `tests/parity`."""
    rows = [row for row in _tables()[0].splitlines() if row.startswith("| `")]
    assert len(rows) > 1
    assert not [
        name for row in rows for name in _listed(row) if not (RUNTIME / f"{name}.py").is_file()
    ]
    for row in rows:
        names = re.findall(r"`(test.*?)`", row.rpartition(" | ")[2])
        assert any("/" not in name for name in names), row
        for name in names:
            assert (ROOT / (name if "/" in name else f"tests/parity/{name}")).is_file(), name


def test_differences_are_of_parity_tests() -> None:
    """Every test in the table of wanted differences is a parity test of the list."""
    by_hand, differences, _ = _tables()
    rows = [row for row in differences.splitlines() if row.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(test.*?)`", row.split(" | ")[0])}
    assert named
    assert named <= set(re.findall(r"`(test.*?)`", by_hand))


def test_every_module_that_takes_bytes_apart_by_hand_is_listed() -> None:
    """Code that packs or casts words of bytes is generated, or in a table with its reason."""
    below = {RUNTIME / room for room in ("wire", "columns", "documents", "editing", "native")}
    found = {
        path.relative_to(RUNTIME).with_suffix("").as_posix()
        for path in RUNTIME.rglob("*.py")
        if not below & {*path.parents} and _is_by_hand(path)
    }
    first, _, last = _tables()
    by_hand, others = set(_listed(first)), set(_listed(last))
    assert not found - by_hand - others
    assert not others - found
    assert not others & by_hand


@pytest.mark.parametrize(
    ("code", "is_by_hand"),
    [
        ("from struct import Struct", True),
        ("import struct", True),
        ("int.from_bytes(data[:4], 'big')", True),
        ("size.to_bytes(4, 'little')", True),
        ("size.to_bytes(length=4)", True),
        ("np.frombuffer(data, np.int64)", True),
        ("np.frombuffer(data, dtype='u4')", True),
        ("data.view('>u4')", True),
        ("data.view(f'<u{width}')", True),
        ("word(data[at]) << 8 | word(data[at + 1])", True),
        ("Record.from_bytes(data)", False),
        ("record.to_bytes()", False),
        ("np.frombuffer(data, np.uint8)", False),
        ("np.frombuffer(data, dtype='u1')", False),
        ("f'<File of {name}>'", False),
        ("number << 8", False),
    ],
)
def test_what_counts_as_taking_bytes_apart(code: str, is_by_hand: bool, tmp_path: Path) -> None:
    """Code that packs or unpacks words of several bytes is found; single bytes are not."""
    path = tmp_path / "module.py"
    path.write_text(code)
    assert _is_by_hand(path) is is_by_hand


def _listed(table: str) -> Iterator[str]:
    """Return the modules in the first column of a table; without a folder, it is the last one's."""
    for row in table.splitlines():
        room = ""
        for name in re.findall(r"`(.*?)`", row.split(" | ")[0]) if row.startswith("| `") else []:
            room = name.rpartition("/")[0] or room
            yield f"{room}/{name.rpartition('/')[2]}".lstrip("/")


def _is_by_hand(path: Path) -> bool:
    """Return whether a file packs or unpacks words of several bytes."""
    source = path.read_text(encoding="utf-8")
    return _HINTS.search(source) is not None and any(map(_takes_words, ast.walk(ast.parse(source))))


_WORDS: Final = re.compile(r"[<>](\d?[hHiIlLqQefd]+|[iuf][248]?)")
_HINTS: Final = re.compile(r"\bstruct\b|_bytes\b|frombuffer|<<\s*8|[\"'][<>][\w{]")
"""What code that takes bytes apart has somewhere; most modules need not be parsed."""

_BYTES: Final = {"uint8", "int8", "bool_", "u1", "i1", "b", "B"}


def _takes_words(node: ast.AST) -> bool:
    match node:
        case (
            ast.Import(names=[ast.alias(name="struct"), *_])
            | ast.ImportFrom(module="struct")
            | ast.Call(func=ast.Attribute(value=ast.Name(id="int"), attr="from_bytes"))
        ):
            return True
        case ast.Constant(value=str(text)):
            return _WORDS.fullmatch(text) is not None
        case ast.Call(func=ast.Attribute(attr="to_bytes"), args=args, keywords=named):
            return bool(args) or any(each.arg == "length" for each in named)
        case ast.Call(func=ast.Attribute(attr="frombuffer"), args=args, keywords=named):
            types = [*args[1:2], *(each.value for each in named if each.arg == "dtype")]
            names = [getattr(of, "attr", None) or getattr(of, "value", None) for of in types]
            return not _BYTES.issuperset(names)
        case ast.BinOp(left=left, op=ast.LShift(), right=ast.Constant(value=8)):
            return any(isinstance(each, ast.Subscript) for each in ast.walk(left))
    return False


_FOR_ITS_PAGE = {"hfile/protobuf.py"}
"""Modules of specs that exist for a page; a parity test reads with them."""


def test_every_generated_module_is_imported() -> None:
    """The runtime imports every generated module, save one for a page, which parity tests do."""
    modules = {each for each in PACKAGE.glob("*/*.py") if each.stem != "__init__"}
    known = set[Path]()
    files = set((ROOT / "runtime").rglob("*.py"))
    while files:
        found = {one for each in files for one in _imported(each) if one in modules}
        known |= files
        files = found - known
    assert {each.relative_to(PACKAGE).as_posix() for each in modules - known} == _FOR_ITS_PAGE
    tested = {one for each in (ROOT / "tests/parity").glob("*.py") for one in _imported(each)}
    assert {PACKAGE / each for each in _FOR_ITS_PAGE} <= tested


def _imported(path: Path) -> Iterator[Path]:
    """Return the generated modules that a file imports, even inside functions."""
    source = path.read_text(encoding="utf-8")
    if PACKAGE.name not in source and not path.is_relative_to(PACKAGE):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            root = PACKAGE.parent if path.is_relative_to(PACKAGE.parent) else ROOT / "runtime"
            inside = path.parent.relative_to(root) if node.level else Path()
            module = ".".join([*inside.parts, *filter(None, [node.module])])
            names = [module, *(f"{module}.{each.name}" for each in node.names)]
        else:
            continue
        for name in names:
            yield PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")
