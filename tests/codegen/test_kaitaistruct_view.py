"""The drop-in output: its text, and how its classes behave on the `kaitaistruct` runtime."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import kaitaistruct
import pytest
from tests.support.tools import complaints

from byteloom_codegen.kaitaistruct import emit
from byteloom_codegen.load import load_spec, load_text

_CASES = sorted((Path(__file__).parents[1] / "cases/kaitaistruct").iterdir())


def module_of(text: str, name: str = "sample") -> ModuleType:
    """Compile a spec given as text and run its module."""
    source = emit(load_text(text))[f"{name}.py"]
    module = ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), vars(module))  # noqa: S102  (running it is the test)
    return module


def read(text: str, data: bytes) -> Any:
    """Read *data* with the spec ``sample`` given as text."""
    return module_of(text).Sample.from_bytes(data)


INNER = "types: {t: {seq: [{id: x, size: 1}, {id: y, contents: B}]}}"
UNMATCHED = "type: {switch-on: 1, cases: {2: u1}}"
HEAD = "meta: {id: sample, endian: le, encoding: UTF-8}\n"


def test_a_spec_prints_as_expected() -> None:
    """A spec's drop-in module is the expected text; in read-write mode all cases have theirs."""
    case = _CASES[0].with_name("fields")
    assert emit(load_spec(case / "spec.ksy"))["sample.py"] == (case / "expected.py").read_text()


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_a_formatter_changes_nothing(case: Path, tmp_path: Path) -> None:
    """Drop-in modules are formatted as ruff would format them."""
    file = tmp_path / "sample.py"
    file.write_text(emit(load_spec(case / "spec.ksy"))["sample.py"])
    assert not complaints("format", file)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_a_spec_prints_as_expected_in_read_write_mode(case: Path) -> None:
    """A spec's read-write module is the expected text, byte for byte."""
    text = emit(load_spec(case / "spec.ksy"), read_write=True)["sample.py"]
    assert text == (case / "read_write.py").read_text()


def test_a_field_called_close_leaves_the_context_manager_working() -> None:
    """``with`` closes the stream even if a field hides the method ``close``."""
    with read(HEAD + "seq: [{id: close, type: u1}]\n", b"\1") as record:
        assert record.close == 1
    with pytest.raises(ValueError, match="closed"):
        record._io.pos()


@pytest.mark.parametrize(
    "doc", [r"\N and \x", 'ends in "', '"""', "ends in \\", "'''\"\"\"'''"], ids=repr
)
def test_no_documentation_keeps_a_module_from_importing(doc: str) -> None:
    """Quotes and backslashes in prose do not keep a module from being imported."""
    text = HEAD + f"doc: |\n  {doc}\ninstances: {{a: {{value: 1, doc: {doc!r}}}}}\n".replace(
        "'", "''"
    )
    text = HEAD + f"doc: |\n  {doc}\ninstances:\n  a:\n    value: 1\n    doc: |\n      {doc}\n"
    assert read(text, b"").a == 1


@pytest.mark.parametrize(
    ("spec", "data", "path"),
    [
        ("seq: [{id: a, contents: PK}]", b"PX", "/seq/0"),
        (f"seq: [{{id: a, type: t}}]\n{INNER}", b"\1\1", "/types/t/seq/1"),
        ("seq: [{id: a, type: u1, repeat: eos, valid: {max: 3}}]", b"\1\4", "/seq/0"),
    ],
)  # fmt: skip
def test_a_failed_validation_names_the_place_in_the_spec(spec: str, data: bytes, path: str) -> None:
    """``src_path`` of a failed validation is the path that the official output gives."""
    with pytest.raises(kaitaistruct.ValidationFailedError) as caught:
        read(HEAD + spec, data)
    assert caught.value.src_path == path


@pytest.mark.parametrize(
    "spec",
    [
        f"seq: [{{id: a, repeat: eos, {UNMATCHED}}}]",
        "seq: [{id: a, repeat: eos, type: nothing}]\ntypes: {nothing: {}}",
        f"seq: [{{id: a, repeat: until, repeat-until: _io.eof, {UNMATCHED}}}]",
        f"seq: [{{id: a, repeat: until, repeat-until: _ == 1, {UNMATCHED}}}]",
    ],
)
def test_a_repetition_that_reads_nothing_ends_with_an_error(spec: str) -> None:
    """A repetition of empty elements raises the runtime's error instead of never ending."""
    with pytest.raises(
        kaitaistruct.KaitaiStructError,
        match=r"^/seq/0: (an element of no bytes|no case of the switch)",
    ):
        read(HEAD + spec, b"abc")


def test_an_undecided_byte_order_is_reported() -> None:
    """A switch over byte orders without a match raises, even in types that inherit the order."""
    head = "meta: {id: sample, endian: {switch-on: 2, cases: {1: le}}}\n"
    spec = head + "seq: [{id: x, type: u2}]"
    with pytest.raises(
        kaitaistruct.UndecidedEndiannessError, match=r"^/: unable to decide on endianness"
    ):
        read(spec, b"\1\2")


def test_an_imported_type_is_its_own_root(tmp_path: Path) -> None:
    """A record of an imported type is its own root and has no parent."""
    (tmp_path / "other.ksy").write_text("meta: {id: other}\nseq: [{id: x, type: u1}]\n")
    (tmp_path / "sample.ksy").write_text(
        "meta: {id: sample, imports: [other]}\nseq: [{id: o, type: other}]\n"
    )
    package = tmp_path / "formats_of_this_test"
    package.mkdir()
    for name, text in emit(load_spec(tmp_path / "sample.ksy")).items():
        (package / name).write_text(text)
    record = imported(package, "sample").Sample.from_bytes(b"\5")
    assert (record.o.x, record.o._parent, record.o._root) == (5, None, record.o)


def test_a_flat_folder_on_the_path_works_too(tmp_path: Path) -> None:
    """Drop-in modules import each other from a flat folder, as official ones do."""
    (tmp_path / "other_flat.ksy").write_text("meta: {id: other_flat}\nseq: [{id: x, type: u1}]\n")
    (tmp_path / "sample_flat.ksy").write_text(
        "meta: {id: sample_flat, imports: [other_flat]}\nseq: [{id: o, type: other_flat}]\n"
    )
    for name, text in emit(load_spec(tmp_path / "sample_flat.ksy")).items():
        (tmp_path / name).write_text(text)
    program = "import sample_flat; print(sample_flat.SampleFlat.from_bytes(b'\\5').o.x)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "5\n"


def imported(package: Path, name: str) -> ModuleType:
    """Import *name* from the folder *package*, as a package of that name."""
    sys.path.insert(0, str(package.parent))
    try:
        return importlib.import_module(f"{package.name}.{name}")
    finally:
        sys.path.remove(str(package.parent))


def test_output_depends_on_nothing_but_the_spec() -> None:
    """The same spec gives the same text twice."""
    text = HEAD + "seq: [{id: a, type: t}]\ntypes: {t: {}, u: {}}\nenums: {e: {1: x}}"
    assert emit(load_text(text)) == emit(load_text(text))


@pytest.mark.parametrize("length", [60, 70, 76, 77, 78, 79, 80, 84])
def test_long_names_of_labels_are_printed_as_a_formatter_leaves_them(
    length: int, tmp_path: Path
) -> None:
    """A label with a long name is formatted as ruff would format it, its constants too."""
    label, file = "a" * length, tmp_path / "sample.py"
    spec = f"seq: [{{id: x, type: u1, enum: e}}]\nenums: {{e: {{12345: {label}}}}}\n"
    file.write_text(
        emit(load_text(f"{HEAD}{spec}instances: {{i: {{value: 'x == e::{label}'}}}}\n"))[
            "sample.py"
        ]
    )
    assert not complaints("format", file)
