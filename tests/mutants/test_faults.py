"""The faults that `make mutants` draws from, in code and in specs."""

from pathlib import Path

import pytest
from tests.mutants.faults import faults
from tests.mutants.harmless import HARMLESS, is_harmless
from tests.mutants.nearness import nearest_first
from tests.mutants.proto_faults import proto_faults
from tests.mutants.rooms import is_critical, is_drawn, own_tests, room_of
from tests.mutants.spec_faults import spec_faults


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        ("x = a < b", ["x = a <= b"]),
        ("x = a >= b != c", ["x = a > b != c", "x = a >= b == c"]),
        ("x = a not in b", ["x = a in b"]),
        ("x = a + (b) * c", ["x = a - (b) * c", "x = a + (b) // c"]),
        ("x = a and b or c", ["x = a or b or c", "x = a and b and c"]),
        ("x = 7", ["x = 8"]),
        ("x = True", ["x = False"]),
        ("x: Final[1] = '<u4'", ["x: Final[1] = '>u4'"]),
        ("x = 'little'", ["x = 'big'"]),
        ("f(a)", ["pass"]),
        ("a += b", ["pass"]),
        ("if a: raise b", ["if not (a): raise b", "if False: raise b"]),
        ("if a: b = c", ["if not (a): b = c"]),
        ("é = 'é' == a", ["é = 'é' != a"]),
    ],
)
def test_code_has_the_faults_that_people_make(source: str, faulty: list[str]) -> None:
    """Each fault in code changes a boundary, guard, operator, constant, byte order or statement."""
    assert sorted(fault.applied(source) for fault in faults(source)) == sorted(faulty)


@pytest.mark.parametrize(
    "source",
    [
        '"""a < 1"""',
        "import a",
        "__all__ = ['<']",
        "if TYPE_CHECKING: a < 1",
        "x: A[1]",
        "@a(1)\nclass B: c: int",
        "x = zip(a, b, strict=True)",
    ],
)
def test_what_does_nothing_has_no_fault(source: str) -> None:
    """No fault is put into docstrings, imports, annotations or decorators."""
    assert faults(source) == []


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        ("a:\n  - {b: x}\n", ["a:\n\n"]),
        (
            "a:\n  - b: x\n\n    c: y\n  - d: z\n",
            ["a:\n\n  - d: z\n", "a:\n  - b: x\n\n    c: y\n" + "\n"],
        ),
        ("  valid:\n    max: x\n  c: y\n", ["\n  c: y\n", "  valid:\n\n  c: y\n"]),
        ("valid: {min: 1}\n", ["\n", "valid: {min: 2}\n"]),
        ("a: 0x0f\n", ["a: 16\n"]),
        ("type: s4\n", ["type: u4\n", "type: s8\n"]),
        ("type: u1\n", ["type: s1\n", "type: u2\n"]),
        ("type: u8be\n", ["type: s8be\n", "type: u4be\n"]),
        ("  if: a == b\n", ["\n", "  if: not (a == b)\n"]),
        ("endian: le\n", ["endian: be\n"]),
        ("doc: at most 5 bytes\n", []),
        ('a: {doc: "1 or 2", b: 3}\n', ['a: {doc: "1 or 2", b: 4}\n']),
        ("doc: |\n  at most 5\n  - {a: 1}\nb: c # of 4\n", []),
    ],
)
def test_specs_have_the_faults_that_people_make(source: str, faulty: list[str]) -> None:
    """Each fault in a spec changes a number, type, condition or byte order, or drops a row."""
    assert sorted(fault.applied(source) for fault in spec_faults(source)) == sorted(faulty)


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        (" A = 1;", ["", " A = 2;"]),
        (
            " A = 1;\n B = 2;\n",
            [" A = 1;\n B = 3;\n", " A = 1;\n\n", " A = 2;\n B = 1;\n", "\n B = 2;\n"],
        ),
        (
            " A = 1;\n}\n B = 2;\n",
            [
                " A = 1;\n}\n B = 3;\n",
                " A = 1;\n}\n\n",
                " A = 2;\n}\n B = 2;\n",
                "\n}\n B = 2;\n",
            ],
        ),
        (" bytes a = 4;", ["", " bytes a = 5;", " repeated bytes a = 4;", " string a = 4;"]),
        (" repeated X a = 4;", ["", " X a = 4;", " repeated X a = 5;"]),
        (" X a = 4 [default = B];", ["", " X a = 4;", " X a = 5 [default = B];"]),
        ("// int32 a = 4;\npackage a;\nmessage B {}\n", []),
    ],
)
def test_messages_have_the_faults_that_people_make(source: str, faulty: list[str]) -> None:
    """Each fault in a message changes a number, type or label, or drops an entry.

    Where the next number is in use, its entry gets the old one, so that both are valid.
    """
    assert sorted(fault.applied(source) for fault in proto_faults(source)) == sorted(faulty)


@pytest.mark.parametrize(
    ("path", "tests", "critical"),
    [
        ("runtime/byteloom/hfile/verify/blocks.py", "tests/hfile", True),
        ("runtime/byteloom/hfile/writing/cells.py", "tests/hfile", False),
        ("runtime/byteloom/kernels/hudi.py", "tests/hudi", True),
        ("runtime/byteloom/lance/column_metadata.py", "tests/lance", True),
        ("specs/lance/tail.ksy", "tests/lance", True),
        ("runtime/byteloom/limits.py", "tests/storage", False),
        ("codegen/byteloom_codegen/load.py", "tests/codegen", False),
        ("specs/iceberg/types.yaml", "tests/iceberg", True),
        ("specs/orc/messages.proto", "tests/orc", True),
        ("runtime/byteloom/avro/new/file.py", "tests/avro", True),
        ("runtime/byteloom/parity/new.py", "tests/parity", False),
        ("specs/codegen/new.ksy", "tests/codegen", True),
    ],
)
def test_a_file_has_its_room(path: str, tests: str, critical: bool) -> None:
    """A file is tested by the tests of the first pattern that matches its path."""
    root = Path(__file__).parents[2]
    found = {file for part in own_tests(room_of(path), root) for file in part}
    wanted = {file.relative_to(root).as_posix() for file in (root / tests).rglob("test_*.py")}
    assert (found >= wanted > set(), is_critical(path)) == (True, critical)


@pytest.mark.parametrize("folder", ["expressions", "manifests", "planning", "reading"])
def test_a_large_room_has_parts(folder: str) -> None:
    """A large room's tests are the nearest files first, then the others, each once."""
    root = Path(__file__).parents[2]
    near, rest = own_tests(room_of(f"runtime/byteloom/iceberg/{folder}/any.py"), root)
    everything = sorted((root / "tests/iceberg").glob("test_*.py"))
    assert sorted([*near, *rest]) == [file.relative_to(root).as_posix() for file in everything]
    assert 3 < len(near) < len(rest)


def test_nothing_is_drawn_from_what_spark_runs() -> None:
    """Code that Spark's own processes import gets no fault; other code does."""
    assert not is_drawn("runtime/byteloom/spark/sources/hfile.py")
    assert is_drawn("runtime/byteloom/storage/sources.py")


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("runtime/byteloom/hfile/cache.py", "tests/hfile/test_cache.py"),
        ("runtime/byteloom/hfile/bloom_keys.py", "tests/hfile/test_bloom.py"),
        ("specs/hfile/encoded.ksy", "tests/hfile/test_encoded.py"),
    ],
)
def test_the_nearest_tests_come_first(path: str, first: str) -> None:
    """Tests that import a module, or share a word of its name, come before all others."""
    root = Path(__file__).parents[2]
    files = [file for part in own_tests("runtime/byteloom/hfile/*", root) for file in part]
    found = nearest_first(path, files, root)
    assert found[0] == first
    assert sorted(found) == sorted(files)


@pytest.mark.parametrize("path", dict.fromkeys(each["path"] for each in HARMLESS))
def test_what_is_listed_as_harmless_can_be_drawn(path: str) -> None:
    """Each entry of `survivors.yaml` is a fault of its file as it is now, and has a reason."""
    source = (Path(__file__).parents[2] / path).read_text()
    lines = source.splitlines()
    entries = [each for each in HARMLESS if each["path"] == path]
    assert all(each["reason"] for each in entries)
    for fault in spec_faults(source) if path.startswith("specs/") else faults(source):
        becomes = [*fault.applied(source).splitlines(), ""][fault.line - 1].strip()
        shown = path, lines[: fault.line], becomes
        entries = [each for each in entries if not is_harmless(*shown, [each])]
    assert entries == []
