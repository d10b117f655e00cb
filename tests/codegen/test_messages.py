"""Files of messages (`.proto`) become modules and pages."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.cli import byteloom
from tests.support.tools import complaints

from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom_codegen.errors import GenerateError, SpecErrors
from byteloom_codegen.tables.forms import Made, make_messages

if TYPE_CHECKING:
    from pathlib import Path

HEAD = '// Trees, and more.\n//\n// Source: us\nedition = "2023";\npackage test.%s;\n'
TREE = """\
import "google/protobuf/any.proto";
// A tree.
message Tree {
  // What an apple is like.
  enum Apple {
    RED = 0;
    // Unripe.
    GREEN = 1;
  }
  // A leaf of it.
  message Leaf { bytes bytes = 1; }
  repeated Tree inner = 1;
  // How old.
  int32 age = 2 [default = 7];
  map<string, Leaf> leaves = 3;
  map<int64, bytes> named = 4;
  oneof fruit {
    Apple apple = 5;
    double weight = 6;
  }
  google.protobuf.Any other = 7;
  repeated bytes bytes = 8;
  repeated fixed32 rings = 9;
}
"""


def made(folder: Path, text: str, name: str = "tree") -> Made:
    """Return what a file of messages becomes."""
    path = folder / f"{name}.proto"
    path.write_text(HEAD % name + text)
    return make_messages(path, folder, f"specs/{name}.proto")


def module_of(made: Made) -> ModuleType:
    """Run the module that a file of messages became."""
    module = ModuleType("messages")
    exec(compile(made.module, "messages", "exec"), vars(module))  # noqa: S102  (the test)
    return module


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """Return the module of the tree."""
    return module_of(made(tmp_path_factory.mktemp("tree"), TREE))


def nested(levels: int) -> bytes:
    """Return that many trees inside each other, the outermost not counted."""
    data = b""
    for _ in range(levels):
        size, rest = len(data), b""
        while size > 127:
            rest, size = rest + bytes([size & 127 | 128]), size >> 7
        data = b"\x0a" + rest + bytes([size]) + data
    return data


def test_messages_of_all_kinds_are_made_and_read(tree: Any) -> None:
    """Maps, choices, defaults and nested messages are written and read."""
    leaf = tree.Tree.Leaf(bytes=b"l")
    message = tree.Tree(
        inner=[tree.Tree(apple=tree.Tree.Apple.GREEN)], leaves={"é": leaf}, named={-1: b"x"}
    )
    message.other.type_url = "/a.b"
    data = message.SerializeToString()
    again = tree.Tree.parse(data)
    assert again.inner[0].WhichOneof("fruit") == "apple"
    assert (again.age, again.leaves["é"].bytes, again.named[-1]) == (7, b"l", b"x")
    assert again.other.type_url == "/a.b"
    places = {each.path: each.value for each in tree.Tree.walk(data)}
    assert places["inner[0].apple"] == 1
    assert places["leaves[0].value.bytes"] == b"l"
    assert places["named[0].key"] == -1


def test_packed_numbers_of_fixed_size_end_with_their_bytes(tree: Any) -> None:
    """Packed numbers of a fixed size are read, and half a number is truncated."""
    assert list(tree.Tree.parse(b"\x4a\x08\1\0\0\0\2\0\0\0").rings) == [1, 2]
    found = [each.value for each in tree.Tree.walk(b"\x4a\x08\1\0\0\0\2\0\0\0")]
    assert found == [[1, 2]]
    with pytest.raises(Truncated, match=r"^rings\[0\] at byte 6 .*found 3 bytes left, wanted 4"):
        tree.Tree.parse(b"\x4a\7\1\0\0\0\2\0\0")


def test_a_map_whose_key_is_no_text_is_refused(tree: Any) -> None:
    """A map key that is invalid UTF-8 is refused by its path."""
    with pytest.raises(FormatError, match=r"^leaves\[0\]\.key at byte 4 .*wanted text in UTF-8"):
        tree.Tree.parse(b"\x1a\3\x0a\1\xff")


def test_messages_inside_each_other_end_at_a_hundred(tree: Any) -> None:
    """Messages may be nested 100 deep, as in the protobuf package."""
    assert tree.Tree.parse(nested(100)).ByteSize() == len(nested(100))
    with pytest.raises(LimitExceeded, match=r"wanted at most 100 messages inside each other"):
        tree.Tree.parse(nested(101))


LONG = "ANameThatIsSoLongThatItLeavesHardlyRoom"
LONG_NAMES = f"""\
// One.
message {LONG} {{
  // Inside.
  message In{LONG} {{}}
  int32 one = 1;
}}
"""


@pytest.mark.parametrize(
    "text", [TREE, "// It.\nmessage Plain { int32 it = 1; }\nmessage None_ {}\n", LONG_NAMES]
)
def test_a_module_is_what_ruff_and_mypy_leave_alone(tmp_path: Path, text: str) -> None:
    """A module of messages passes ruff and mypy, even with a field called `bytes`."""
    module = tmp_path / "tree_messages.py"
    module.write_text(made(tmp_path, text).module)
    for tool in ("format", "lint", "mypy"):
        assert not complaints(tool, module)


def test_a_file_may_import_another_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of messages may import another one of the same folder."""
    (tmp_path / "__init__.py").write_text("")
    (tmp_path / "tree.py").write_text(made(tmp_path, TREE).module)
    text = 'import "tree.proto";\n// A wood.\nmessage Wood { repeated test.tree.Tree trees = 1; }\n'
    module = made(tmp_path, text, "wood").module
    assert "from . import tree" in module
    (tmp_path / "wood.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path.parent)
    wood = import_module(f"{tmp_path.name}.wood")
    data = b"\x0a\2\x10\3"
    assert wood.Wood.parse(data).trees[0].age == 3
    assert [each.path for each in wood.Wood.walk(data)] == ["trees[0]", "trees[0].age"]


def test_other_files_of_the_folder_are_imported_at_once(tmp_path: Path) -> None:
    """A module of messages of two other files imports both in one sorted line, as ruff wants it."""
    made(tmp_path, TREE)
    made(tmp_path, "// A stone.\nmessage Stone { int32 weight = 1; }\n", "stone")
    text = (
        'import "tree.proto";\nimport "stone.proto";\n'
        "// A garden.\n"
        "message Garden { test.stone.Stone stone = 1; test.tree.Tree tree = 2; }\n"
    )
    module = tmp_path / "garden.py"
    module.write_text(made(tmp_path, text, "garden").module)
    assert "\nfrom . import stone, tree\n" in module.read_text()
    assert not complaints("lint", "--select", "I", module)


def test_modules_outside_of_a_package_import_each_other_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules that `byteloom generate` writes outside a package import each other."""
    (tmp_path / "oak.proto").write_text(HEAD % "oak" + TREE)
    text = 'import "oak.proto";\n// A wood.\nmessage Grove { repeated test.oak.Tree trees = 1; }\n'
    (tmp_path / "grove.proto").write_text(HEAD % "grove" + text)
    files = [tmp_path / "oak.proto", tmp_path / "grove.proto"]
    out = tmp_path / "out"
    assert byteloom("generate", *files, "-o", out, "--reference", out).status == 0
    assert sorted(each.name for each in out.iterdir()) == [
        "README.md", "grove.html", "grove.md", "grove.py", "index.html", "oak.html", "oak.md",
        "oak.py",
    ]  # fmt: skip
    monkeypatch.syspath_prepend(out)
    grove, oak = import_module("grove"), import_module("oak")
    assert grove.Grove(trees=[oak.Tree(age=3)]).trees[0].age == 3
    (tmp_path / "seed.ksy").write_text("meta: {id: seed}\nseq: [{id: it, type: u1}]\n")
    assert "is gone" not in byteloom("generate", tmp_path, "-o", out).err
    (tmp_path / "grove.proto").rename(tmp_path / "wood.proto")
    assert (
        "grove.py: what it was made from is gone" in byteloom("generate", tmp_path, "-o", out).err
    )
    (tmp_path / "wood.proto").rename(tmp_path / "grove.proto")
    assert byteloom("generate", *files, "-o", out, "--api", "kaitaistruct").status == 2
    (tmp_path / "oak.proto").write_text("message")
    broken = byteloom("generate", *files, "-o", out)
    assert broken.status == 1
    assert "oak.proto:1:8" in broken.err
    missing = byteloom("generate", tmp_path / "elm.proto", "-o", out)
    assert missing.status == 1
    assert "elm.proto: found no file" in missing.err


def test_packages_may_have_different_messages_of_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program may define messages with the names of byteloom's own."""
    monkeypatch.syspath_prepend(tmp_path)
    for number, package in enumerate(("one", "two"), 1):
        folder = tmp_path / package
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        text = f"// It.\nmessage Same {{ int32 it = {number}; }}\n"
        (folder / "same.py").write_text(made(tmp_path, text, "same").module)
    for number, package in enumerate(("one", "two"), 1):
        same = import_module(f"{package}.same")
        assert same.Same(it=5).SerializeToString() == bytes([number << 3, 5])


def test_the_descriptor_has_neither_comments_nor_derived_names(tmp_path: Path) -> None:
    """The descriptor omits comments and derived names, so no protoc version changes it."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    one = made(tmp_path, TREE)
    found = FileDescriptorProto.FromString(module_of(one).FILE.descriptor)
    assert not found.HasField("source_code_info")
    assert not any(each.HasField("json_name") for each in found.message_type[0].field)
    assert one == made(tmp_path, TREE)


def test_a_mistake_has_its_file_line_and_column(tmp_path: Path) -> None:
    """A mistake has its file, line and column, and protoc's message."""
    with pytest.raises(SpecErrors, match=r'tree\.proto:6:16: .*"Nothing" is not defined'):
        made(tmp_path, "message Tree { Nothing it = 1; }\n")


def test_a_name_that_is_a_keyword_of_python_is_refused(tmp_path: Path) -> None:
    """A field called like a keyword of Python is refused."""
    with pytest.raises(GenerateError, match="field from: found a keyword of Python"):
        made(tmp_path, "message Tree { int32 from = 1; }\n")


@pytest.mark.parametrize("syntax", ["proto2", "proto3"])
def test_other_syntaxes_than_the_edition_are_refused(tmp_path: Path, syntax: str) -> None:
    """A file whose syntax is not edition 2023, such as proto2, is refused."""
    path = tmp_path / "old.proto"
    path.write_text(f'// Old.\nsyntax = "{syntax}";\n')
    with pytest.raises(
        GenerateError, match=rf'old\.proto: found {syntax}, wanted edition = "2023"'
    ):
        make_messages(path, tmp_path, "old.proto")


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    """A file without a comment above its first line is refused."""
    path = tmp_path / "bare.proto"
    path.write_text('edition = "2023";\n')
    with pytest.raises(GenerateError, match=r"bare\.proto: wanted a comment above its first line"):
        make_messages(path, tmp_path, "bare.proto")
