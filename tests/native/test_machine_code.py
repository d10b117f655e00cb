"""Precompiled machine code does what numba's code does, and is used only where it fits.

No public function shows which machine code runs, or how it was made.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.support.forks import Forks, forks

from byteloom.native import build as native_build
from byteloom.native.kernel import Kernel
from byteloom.native.signatures import (
    TABLE,
    Array,
    is_served,
    kernel_named,
    parsed,
    read_table,
    table_text,
    text_of,
    types_of,
    united,
)
from byteloom.native.sources import sources

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]

KERNELS = '''
import numpy as np
from byteloom.native.kernel import kernel


@kernel
def total(values, parts, count, unsigned, flag, real):
    """Return a number of each kind, made of all arguments."""
    found = 0
    for i in range(len(values)):
        found += values[i]
    parts[0][0, 1] = count
    return found + parts[1][2], count, unsigned, not flag, real / 2, len(values) > 2


@kernel
def quotient(a, b):
    """Return what numba raises an error for where b is 0."""
    return a // b


@kernel
def room(count):
    """Return the sum of memory that is filled with ones."""
    return np.ones(count, np.int64).sum()


@kernel
def nothing(values):
    """Return None."""
    values[0] = 1


@kernel
def array(values):
    """Return what entries cannot return."""
    return values[1:]
'''
SIGNATURES = {
    "total": ["const u1[:], (i8[:,:], strided i4[:]), int, uint, bool, float"],
    "quotient": ["int, int"],
    "room": ["int"],
    "nothing": ["i8[:]", "u1[:]"],
    "array": ["i8[:]"],
}
MAKE = f"""
import pathlib, sys
sys.path.insert(0, ".")
import made
from byteloom.native.object_file import ObjectFile
from byteloom.native.signatures import parsed
file = ObjectFile("made")
for name, texts in {SIGNATURES!r}.items():
    try: file.add(name, getattr(made, name), [parsed(text) for text in texts])
    except TypeError as error: print(name, error)
pathlib.Path("made.o").write_bytes(file.content())
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile kernels of one module in another process; return the object file."""
    folder = tmp_path_factory.mktemp("native")
    (folder / "made.py").write_text(KERNELS)
    run = [sys.executable, "-c", MAKE]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "array it returns array(int64, 1d, C)\n"
    return folder / "made.o"


@pytest.fixture(scope="module")
def made(compiled: Path) -> Any:
    """Return the compiled kernels by name."""
    from byteloom.native.linking import linked

    names = [each for each in SIGNATURES if each != "array"]
    return linked("made", compiled.read_bytes(), names)


def arguments() -> list[Any]:
    """Return arguments for `total`."""
    values = np.array([1, 2, 255], np.uint8)
    values.flags.writeable = False
    parts = np.zeros((1, 2), np.int64), np.arange(9, dtype=np.int32)[::2]
    return [values, parts, -3, np.uint64(1 << 63), True, 0.5]


def test_numbers_and_arrays_go_in_and_come_out(made: Any) -> None:
    """Precompiled code takes every kind of number and array, and returns Python numbers."""
    args = arguments()
    found = made["total"](*args)
    assert found == (258 + 4, -3, 1 << 63, False, 0.25, True)
    assert list(map(type, found)) == [int, int, int, bool, float, bool]
    assert args[1][0][0, 1] == -3


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, b"abc"),
        (0, np.zeros(3, np.int8)),
        (0, np.zeros((3, 1), np.uint8)),
        (0, np.zeros(6, np.uint8)[::2]),
        (1, [np.zeros((1, 2), np.int64), np.zeros(9, np.int32)]),
        (1, (np.zeros((1, 2), np.int64),)),
        (1, (np.zeros((1, 2), ">i8"), np.zeros(9, np.int32))),
        (1, (np.frombuffer(bytes(16)).view("i8").reshape(1, 2), np.zeros(9, np.int32))),
        (2, 1 << 63),
        (2, 1.0),
        (2, True),
        (2, np.uint64(1)),
        (2, "1"),
        (3, 1),
        (4, 1),
        (5, 1),
    ],
)  # fmt: skip
def test_arguments_of_other_types_are_left_alone(made: Any, at: int, value: Any) -> None:
    """A call with other types returns that it was not compiled, and writes nothing."""
    args = arguments()
    args[at] = value
    assert made["total"](*args) is NotImplemented
    assert made["total"](*args[:-1]) is NotImplemented
    assert not args[1][0][0].any()


@pytest.mark.parametrize("value", [-3, np.int64(-3), np.int32(-3), np.int8(-3)])
def test_integers_of_numpy_are_numbers(made: Any, value: Any) -> None:
    """NumPy integers of any width are passed as integers, as numba does."""
    args = arguments()
    args[2] = value
    assert made["total"](*args)[1] == -3


def test_each_signature_is_tried(made: Any) -> None:
    """A kernel with several signatures runs the fitting one; one without a result gives None."""
    for dtype in (np.int64, np.uint8):
        values = np.zeros(1, dtype)
        assert made["nothing"](values) is None
        assert values[0] == 1
    assert made["nothing"](np.zeros(1, np.int32)) is NotImplemented


def test_errors_of_kernels_are_raised(made: Any) -> None:
    """A division by zero and failed allocations raise the same errors as in numba's own code."""
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        made["quotient"](1, 0)
    with pytest.raises(MemoryError, match="Allocation failed"):
        made["room"](1 << 56)
    assert made["quotient"](-7, 2) == -4


FILL = """
import pathlib, resource
from byteloom.native.linking import linked
room = linked("made", pathlib.Path("made.o").read_bytes(), ["room"])["room"]
for _ in range(20):
    assert room(1_000_000) == 1_000_000
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_memory_of_kernels_is_freed(compiled: Path) -> None:
    """A kernel that allocates 8 MB twenty times needs no more than once."""
    run = [sys.executable, "-c", FILL]
    done = subprocess.run(run, cwd=compiled.parent, capture_output=True, text=True, check=True)
    first, *_, last = map(int, done.stdout.split())
    assert last < 1.5 * first


@pytest.mark.parametrize("text", ["", "int", "const u1[:], (strided i8[:,:], (bool)), float, uint"])
def test_signatures_are_read_as_they_are_written(text: str) -> None:
    """A signature survives conversion from text to types and back."""
    assert text_of(parsed(text)) == text


def test_a_call_is_written_as_its_types() -> None:
    """A call is described by the types of its arguments; one without a numba type is None."""
    assert text_of(types_of(arguments())) == SIGNATURES["total"][0]
    assert types_of([np.zeros(1, ">i8"), "x", None]) == (None, None, None)


@pytest.mark.parametrize(
    ("call", "compiled", "serves"),
    [
        ("u1[:]", "const u1[:]", True),
        ("const u1[:]", "u1[:]", False),
        ("u1[:]", "strided u1[:]", True),
        ("strided u1[:]", "u1[:]", False),
        ("u1[:]", "u1[:,:]", False),
        ("(u1[:], int)", "(const u1[:], int)", True),
        ("(u1[:], int)", "(u1[:])", False),
        ("int", "uint", False),
    ],
)
def test_code_serves_calls_that_ask_for_less(call: str, compiled: str, serves: bool) -> None:
    """Code for read-only arrays serves writable ones, but not the reverse."""
    assert is_served(parsed(call), parsed(compiled)) == serves


def test_calls_that_differ_in_constants_share_code() -> None:
    """Calls that differ in read-only arguments share one signature."""
    calls = [parsed("const u1[:], i8[:]"), parsed("u1[:], const i8[:]"), parsed("u1[:], i4[:]")]
    assert [*map(text_of, united(calls))] == ["u1[:], i4[:]", "const u1[:], const i8[:]"]


def test_the_table_names_kernels() -> None:
    """The table of signatures lists existing kernels, in the form in which it is written.

    BYTELOOM_KERNELS=recorded, on the tests of a kernel that was renamed, mends the table.
    """
    table = read_table()
    assert [each for each in table if not isinstance(kernel_named(each), Kernel)] == []
    assert table_text(table) == TABLE.read_text("utf-8")
    assert any(isinstance(each, Array) for types in table.values() for each in types[0])


def test_machine_code_is_in_its_folder_alone() -> None:
    """All object files are in the folder that Git ignores."""
    found = {each.parent for each in (ROOT / "runtime").rglob("*.o")}
    assert found <= {ROOT / "runtime/byteloom/native/compiled"}


def test_sources_are_all_that_a_kernel_is_made_of() -> None:
    """The sources of a kernel are all modules that it imports, and those that compile it."""
    found = sources("byteloom.kernels.avro_columns")
    assert {"byteloom.kernels.avro_items", "byteloom.native.loads"} <= set(found)
    assert "byteloom.native.entry" in found
    assert "byteloom.kernels.kmv" not in found
    assert "byteloom_generated.hfile.cell" in sources("byteloom_generated.hfile.cell_scan")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a copy of byteloom with the machine code of three modules."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("runtime/byteloom", "generated/byteloom_generated"):
        unwanted = shutil.ignore_patterns("__pycache__", "compiled")
        shutil.copytree(ROOT / name, folder / Path(name).name, ignore=unwanted)
    table = read_table()
    chosen = {
        f"byteloom.kernels.{each}" for each in ("transforms.days_of_nanos", "bin_packing.pack")
    }
    path = folder / "byteloom/kernels/signatures.txt"
    path.write_text(table_text({each: table[each] for each in chosen}))
    _build(folder)
    yield folder
    shutil.rmtree(folder)


def _build(folder: Path) -> str:
    """Compile what a copy of byteloom lacks; return what was compiled."""
    code = "from byteloom.native.build import build; print(build())"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


FOUND = """
import importlib
from byteloom.native.linking import native
for name in ("transforms.days_of_nanos", "bin_packing.pack"):
    module, _, kernel = ("byteloom.kernels." + name).rpartition(".")
    importlib.import_module(module)
    print(native(module, kernel) is not None)
"""


@pytest.fixture(scope="module")
def python() -> Iterator[Forks]:
    """Start a process whose forks import the copy of byteloom that is in their folder."""
    with forks("numpy", "llvmlite.binding") as found:
        yield found


CALLS = """
import os, sys
os.environ["BYTELOOM_KERNELS"] = {choice!r}
import numpy as np
from byteloom.kernels.transforms import days_of_micros, days_of_nanos
days = np.zeros({count}, np.int32)
days_of_nanos(np.full({count}, 2 * 86_400 * 10**9), days)
print(days[-1], "numba" in sys.modules)
for kernel, values in ((days_of_micros, np.zeros(1, np.int64)), (days_of_nanos, days)):
    try:
        kernel(values, days)
    except LookupError as error:
        print(error)
"""


def test_the_first_large_call_runs_machine_code(copy: Path, python: Forks) -> None:
    """The call for which machine code is worth its loading is not interpreted or compiled."""
    assert python.run(CALLS.format(choice="", count=(1 << 20) + 1), copy) == "2 False\n"


def test_calls_without_machine_code_can_be_refused(copy: Path, python: Forks) -> None:
    """BYTELOOM_KERNELS=native is an error for kernels and types without machine code."""
    assert python.run(CALLS.format(choice="native", count=1), copy).splitlines() == [
        "2 False",
        "no machine code of byteloom.kernels.transforms.days_of_micros for i8[:], i4[:]",
        "no machine code of byteloom.kernels.transforms.days_of_nanos for i4[:], i4[:]",
    ]


def test_code_is_built_once(copy: Path, python: Forks) -> None:
    """Code that is up to date is not compiled again, and loading it needs no numba."""
    assert python.run(FOUND, copy).splitlines() == ["True", "True"]
    assert _build(copy) == "(0, [])\n"
    unloaded = FOUND + "import sys; print('numba' in sys.modules)"
    assert python.run(unloaded, copy).splitlines()[2] == "False"


@pytest.mark.parametrize(
    ("changed", "remaining"),
    [
        ("kernels/bin_packing.py", ["True", "False"]),
        ("kernels/murmur3.py", ["True", "True"]),
        ("native/loads.py", ["False", "True"]),
        ("native/intrinsics.py", ["False", "False"]),
    ],
)
def test_stale_code_is_not_used(
    copy: Path, python: Forks, changed: str, remaining: list[str]
) -> None:
    """A change in a kernel's module, or in one that it calls, makes its machine code unusable."""
    path = copy / "byteloom" / changed
    text = path.read_text()
    path.write_text(f"{text}\n# changed\n")
    try:
        assert python.run(FOUND, copy).splitlines() == remaining
    finally:
        path.write_text(text)


@pytest.mark.parametrize(
    ("key", "value"), [("features", ["no-such-feature"]), ("version", 0)], ids=str
)
def test_code_for_other_processors_is_not_used(
    copy: Path, python: Forks, key: str, value: Any
) -> None:
    """Code for missing processor features, or with an index of another version, is not used."""
    path = copy / "byteloom/native/compiled/index.json"
    text = path.read_text()
    path.write_text(json.dumps({**json.loads(text), key: value}))
    try:
        assert python.run(FOUND, copy).splitlines() == ["False", "False"]
    finally:
        path.write_text(text)


def _misshapen(index: dict[str, Any]) -> Iterator[Any]:
    """Yield indexes in each of which one value is missing or of another type."""
    yield from ([], None, 1, "", {}, {"version": 1}, {**index, "modules": []})
    module = index["modules"]["byteloom.kernels.transforms"]
    wrong: Any
    for name in index:
        for wrong in (None, [None], {"byteloom.kernels.transforms": None}):
            yield {**index, name: wrong}
        yield {each: index[each] for each in index if each != name}
    for name in module:
        for wrong in (None, [None], [[]], {}, 1):
            yield {**index, "modules": {"byteloom.kernels.transforms": {**module, name: wrong}}}
        rest = {each: module[each] for each in module if each != name}
        yield {**index, "modules": {"byteloom.kernels.transforms": rest}}
    for name in ("sources", "signatures", "kernels"):
        wrong = [*module[name], "\ud800", "\0", "x" * 300, "byteloom." + "x" * 300, ""]
        changed = {**module, name: wrong[:: 1 if name == "sources" else -1]}
        yield {**index, "modules": {"byteloom.kernels.transforms": changed}}


ASK_ALL = """
import json, pathlib
import byteloom.kernels.transforms
from byteloom.native import linking as native
from byteloom.native import build as native_build
for text in json.loads(pathlib.Path("texts.json").read_text()):
    native.INDEX.write_text(text)
    native._index.cache_clear()
    native._entries.cache_clear()
    found = native.native("byteloom.kernels.transforms", "days_of_nanos")
    kept = native_build._kept("x86-64-v3")
    print(found is not None, isinstance(kept, dict))
"""


def test_an_index_of_another_shape_is_not_used(copy: Path, python: Forks) -> None:
    """With a malformed index, kernels run without machine code, which is then rebuilt."""
    path = copy / "byteloom/native/compiled/index.json"
    text = path.read_text()
    texts = [json.dumps(each) for each in _misshapen(json.loads(text))]
    texts += ["", "{", "[" * 100_000]
    (copy / "texts.json").write_text(json.dumps([*texts, text]))
    try:
        found = python.run(ASK_ALL, copy).splitlines()
    finally:
        path.write_text(text)
    assert found == ["False True"] * len(texts) + ["True True"]


NO_SUCH_KERNEL = """
import pathlib
from byteloom.native.linking import FOLDER, linked
content = (FOLDER / "byteloom.kernels.transforms.o").read_bytes()
print(sorted(linked("byteloom.kernels.transforms", content, ["days_of_nanos", "other"])))
print(linked("byteloom.kernels.other", content, ["days_of_nanos"]))
"""


def test_kernels_that_an_object_file_lacks_are_left_out(copy: Path, python: Forks) -> None:
    """A kernel that the object file lacks has address 0 and is not called."""
    assert python.run(NO_SUCH_KERNEL, copy).splitlines() == ["['days_of_nanos']", "{}"]


@pytest.mark.parametrize("damage", ["emptied", "text", "cut", "byte", "foreign", "removed"])
def test_damaged_code_is_not_used(copy: Path, python: Forks, damage: str) -> None:
    """An object file that is missing, cut or of another module is ignored."""
    path = copy / "byteloom/native/compiled/byteloom.kernels.transforms.o"
    kept = path.read_bytes()
    changed = {
        "emptied": b"",
        "text": b"no object file",
        "cut": kept[:-1],
        "byte": kept[:-1] + bytes([kept[-1] ^ 1]),
        "foreign": path.with_name("byteloom.kernels.bin_packing.o").read_bytes(),
    }
    path.unlink()
    if damage in changed:
        path.write_bytes(changed[damage])
    try:
        assert python.run(FOUND, copy).splitlines() == ["False", "True"]
    finally:
        path.write_bytes(kept)


def test_each_target_names_what_it_needs() -> None:
    """The features that each target requires are known to LLVM."""
    import llvmlite.binding as llvm

    known = set(llvm.get_host_cpu_features())
    for machine, (_, needed) in native_build.TARGETS.items():
        assert set(needed) <= known or platform.machine() != machine
