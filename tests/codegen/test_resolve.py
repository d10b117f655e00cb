"""Names are resolved through owners and imports, to parents and roots."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.gallery import rows
from tests.support.specs import expression, loaded, mistake

from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.frontend import imports
from byteloom_codegen.frontend.kinds import described
from byteloom_codegen.load import load_spec, load_text
from byteloom_codegen.model import (
    BitsType,
    EndianSwitch,
    EnumType,
    Field,
    IntType,
    OpaqueType,
    StrType,
    StructType,
    SwitchType,
    TypeSpec,
    UserType,
)

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom_codegen.model import Spec


def target(spec: Spec, *path: str) -> TypeSpec:
    """Return the type that the last attribute of *path* reads; the names before it are types."""
    *types, name = path
    found = spec.top
    for each in types:
        found = found.types[each]
    member = found.member(name)
    assert isinstance(member, Field)
    assert isinstance(member.type, UserType)
    return member.type.type


def test_a_type_is_looked_up_in_its_owners() -> None:
    """A type is the one of the nearest owner that has its whole path."""
    spec = loaded(
        "seq: [{id: a, type: b}, {id: c, type: 'b::d'}]\n"
        "types:\n"
        "  d: {}\n"
        "  b:\n"
        "    seq:\n      - {id: e, type: d}\n      - {id: f, type: 'b::d'}\n"
        "      - {id: g, type: t}\n      - {id: h, type: '::d'}\n"
        "    types: {d: {}}\n"
    )
    inner, outer = spec.top.types["b"].types["d"], spec.top.types["d"]
    assert target(spec, "a") is spec.top.types["b"]
    assert target(spec, "c") is inner
    assert target(spec, "b", "e") is inner
    assert target(spec, "b", "f") is inner
    assert target(spec, "b", "g") is spec.top
    assert target(spec, "b", "h") is outer


def test_a_type_and_an_enum_may_share_a_name() -> None:
    """A type, an enum and an attribute may share one name."""
    spec = loaded(
        "seq: [{id: x, type: x}, {id: y, type: u1, enum: x}]\ntypes: {x: {}}\nenums: {x: {1: a}}\n"
    )
    assert target(spec, "x") is spec.top.types["x"]
    (enum,) = (each.type.enum for each in spec.top.seq if isinstance(each.type, EnumType))
    assert enum is spec.top.enums["x"]


def test_defaults_are_inherited_until_overridden() -> None:
    """A nested `meta` changes the defaults of its own type and of those inside it."""
    spec = loaded(
        "  endian: le\n  bit-endian: le\n  encoding: ASCII\n"
        "types:\n"
        "  a:\n"
        "    meta: {endian: be, encoding: UTF-16LE}\n"
        "    types: {b: {seq: [{id: x, type: u2}, {id: y, type: b2}, {id: z, type: strz}]}}\n"
    )
    number, bits, text = (each.type for each in spec.top.types["a"].types["b"].seq)
    assert number == IntType(signed=False, width=2, endian="be")
    assert bits == BitsType(2, "le")
    assert isinstance(text, StrType)
    assert text.encoding == "UTF-16LE"
    assert text.delimiting is not None
    assert text.delimiting.terminator == b"\0\0"


def test_a_calculated_byte_order_is_inherited_whole() -> None:
    """Nested types share one calculated byte order with their owner."""
    spec = loaded(
        "  endian: {switch-on: tag, cases: {1: le, _: be}}\n"
        "seq: [{id: tag, type: u1}, {id: n, type: u4}]\n"
        "types: {a: {seq: [{id: m, type: u4}]}}\n"
    )
    assert isinstance(spec.top.endian, EndianSwitch)
    assert spec.top.types["a"].endian is spec.top.endian
    assert spec.top.seq[1].type == IntType(signed=False, width=4)
    assert [(on is None, order) for on, order in spec.top.endian.cases] == [
        (False, "le"),
        (True, "be"),
    ]


@pytest.mark.parametrize(
    ("cases", "combined"),
    rows("resolve", "a_switch_is_what_its_cases_have_in_common"),
)
def test_a_switch_is_what_its_cases_have_in_common(cases: str, combined: str) -> None:
    """The type of a switch in an expression is the common type of all its cases."""
    spec = loaded(
        f"seq: [{{id: x, type: {{switch-on: 1, cases: {cases}}}}}]\ntypes: {{a: {{}}, b: {{}}}}\n"
    )
    switch = spec.top.seq[0].type
    assert isinstance(switch, SwitchType)
    assert described(switch.combined) == combined


def test_an_explicit_parent_counts_like_an_implied_one() -> None:
    """``parent`` is an expression; false means that there is no parent."""
    body = (
        "seq:\n"
        "  - {id: len, type: u1}\n"
        "  - {id: a, type: outer}\n"
        "  - {id: b, type: inner, parent: false}\n"
        "types:\n"
        "  outer: {seq: [{id: c, type: inner, parent: _parent}]}\n"
        "  inner: {seq: [{id: d, size: _parent.len}]}\n"
    )
    spec = loaded(body)
    parent = spec.top.types["inner"].parent
    assert isinstance(parent, UserType)
    assert parent.type is spec.top


def test_a_type_that_several_read_has_no_certain_parent() -> None:
    """The parent of a type that several types read needs a cast."""
    body = (
        "seq: [{id: len, type: u1}, {id: a, type: outer}, {id: b, type: inner}]\n"
        "types:\n"
        "  outer: {seq: [{id: c, type: inner}]}\n"
        "  inner: {seq: [{id: d, size: _parent.len}]}\n"
    )
    assert "don't know how to call method 'len' of a record of no certain type" in mistake(body)
    assert loaded(body.replace("_parent.len", "_parent.as<t>.len")).top.types["inner"].parent == (
        StructType()
    )


def test_an_unknown_type_may_be_a_class_written_elsewhere() -> None:
    """An unknown type is opaque if ``ks-opaque-types`` allows it."""
    spec = loaded("  ks-opaque-types: true\nseq: [{id: a, type: 'x::y(5)'}]\n")
    found = spec.top.seq[0].type
    assert isinstance(found, OpaqueType)
    assert found.name == ("x", "y")
    assert len(found.args) == 1


@pytest.mark.parametrize(
    ("given_", "param", "fits"),
    rows("resolve", "arguments_fit_their_parameters"),
)
def test_arguments_fit_their_parameters(given_: str, param: str, fits: bool) -> None:
    """An argument has the kind of its parameter; a record fits any record parameter."""
    body = (
        "seq:\n"
        "  - {id: n, type: u1}\n  - {id: flag, type: b1}\n  - {id: ns, type: u1, repeat: eos}\n"
        "  - {id: part, type: part}\n  - {id: raw, size: 1}\n"
        f"  - {{id: x, type: takes({given_})}}\n"
        f"types:\n  part: {{}}\n  other: {{}}\n  takes: {{params: [{{id: p, type: '{param}'}}]}}\n"
    )
    if fits:
        loaded(body)
    else:
        assert "/seq/5/type: can't pass argument #0" in mistake(body)


# Files


def write(folder: Path, **specs: str) -> None:
    """Write specs by their names."""
    for name, text in specs.items():
        path = folder / f"{name}.ksy"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"meta:\n  id: {path.stem}\n{text}")


def test_names_lead_through_imports(tmp_path: Path) -> None:
    """Types and enums of imported files, and of their imports, can be named."""
    write(
        tmp_path,
        a="  imports: [b]\nseq:\n  - {id: x, type: 'b::d'}\n  - {id: y, type: c}\n"
        "  - {id: z, type: u1, enum: 'c::e'}\n",
        b="  imports: [c]\ntypes: {d: {}}\n",
        c="enums: {e: {1: f}}\n",
    )
    spec = load_spec(tmp_path / "a.ksy")
    (b,) = spec.imports
    assert target(spec, "x") is b.top.types["d"]
    assert target(spec, "y") is b.imports[0].top


def test_a_type_is_known_wherever_its_file_was_loaded(tmp_path: Path) -> None:
    """A file may name types of a file that only the file that imports it imports."""
    write(
        tmp_path,
        film="  imports: [box, plain]\nseq: []\n",
        box="seq: [{id: a, type: plain}, {id: b, type: u1, enum: 'plain::e'}]\n",
        plain="enums: {e: {1: f}}\n",
    )
    box, plain = load_spec(tmp_path / "film.ksy").imports
    assert target(box, "a") is plain.top
    assert box.imports == [plain]
    with pytest.raises(SpecErrors, match="unable to find type 'plain', searching from box"):
        load_spec(tmp_path / "box.ksy")


def test_an_imported_record_knows_nothing_of_who_reads_it(tmp_path: Path) -> None:
    """An imported type has no parent in the importing file, and the error is in its own file."""
    write(
        tmp_path,
        a="  imports: [b]\nseq: [{id: len, type: u1}, {id: x, type: 'b::d'}]\n",
        b="types: {d: {seq: [{id: y, size: _parent.len}]}}\n",
    )
    with pytest.raises(SpecErrors) as caught:
        load_spec(tmp_path / "a.ksy")
    (found,) = caught.value.errors
    assert found.location.file == str(tmp_path / "b.ksy")
    assert found.location.path == ("types", "d", "seq", 0, "size")


def test_mistakes_of_all_files_are_reported(tmp_path: Path) -> None:
    """Invalid YAML in one import hides no mistake of the other files."""
    write(tmp_path, a="  imports: [b, c, d]\nseq: [{id: x}]\n", b="seq: [{id: y}]\n", c="a: b: c\n")
    with pytest.raises(SpecErrors) as caught:
        load_spec(tmp_path / "a.ksy")
    assert [str(each.location).rsplit("/", 1)[0] for each in caught.value.errors]
    files = [(each.location.file[-5:], each.location.line) for each in caught.value.errors]
    assert sorted(files) == [("a.ksy", 3), ("a.ksy", 4), ("b.ksy", 3), ("c.ksy", 3)]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"\xff\xfe", "not UTF-8: byte 0xff at 0"),
        (None, "cannot be read: No such file or directory"),
        (b"meta: {id: t, imports: ['x\\0y', \"x\\0y\"]}", "unable to find"),
    ],
)
def test_unreadable_files_are_mistakes_too(tmp_path: Path, raw: bytes | None, message: str) -> None:
    """A file that is missing or not UTF-8 is a SpecErrors like other mistakes."""
    path = tmp_path / "t.ksy"
    if raw is not None:
        path.write_bytes(raw)
    with pytest.raises(SpecErrors) as caught:
        load_spec(path)
    assert message in str(caught.value)


def test_a_file_that_is_too_long_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of the most bytes is read, and a longer one is not cut."""
    monkeypatch.setattr(imports, "MAX_SIZE", 100)
    for size in (100, 101, 200):
        (tmp_path / "t.ksy").write_bytes(b"meta: {id: t}\n".ljust(size, b"#"))
        if size == 100:
            assert load_spec(tmp_path / "t.ksy").name == "t"
            continue
        with pytest.raises(SpecErrors, match="longer than 100 bytes"):
            load_spec(tmp_path / "t.ksy")


def test_the_search_path_is_kspath_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders given in the call are searched before those of KSPATH."""
    write(tmp_path, **{"a": "  imports: [/b]\n", "one/b": "", "two/b": "seq: []\n"})
    monkeypatch.setenv("KSPATH", str(tmp_path / "two"))
    assert load_spec(tmp_path / "a.ksy").imports[0].file == str(tmp_path / "two" / "b.ksy")
    found = load_spec(tmp_path / "a.ksy", include_dirs=[tmp_path / "one"])
    assert found.imports[0].file == str(tmp_path / "one" / "b.ksy")


def test_imports_are_found_beside_the_file_and_on_the_search_path(tmp_path: Path) -> None:
    """Relative imports start at the importing file, absolute ones on the search path."""
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "far.ksy").write_text("meta: {id: far}\nseq: [{id: a, type: u1}]\n")
    (tmp_path / "near.ksy").write_text("meta: {id: near, imports: main}\n")
    main = tmp_path / "main.ksy"
    main.write_text(
        "meta: {id: main, imports: [near, /far]}\nseq: [{id: a, type: near}, {id: b, type: far}]\n"
    )
    spec = load_spec(main, include_dirs=[tmp_path / "path"])
    assert [each.name for each in spec.imports] == ["near", "far"]
    assert [
        each.type.type.spec for each in spec.top.seq if isinstance(each.type, UserType)
    ] == spec.imports
    assert spec.imports[0].imports == [spec]


def test_all_mistakes_are_reported_with_their_places() -> None:
    """One run reports every mistake, by line, column and path, in order of the text."""
    text = (
        "meta: {id: t}\nseq:\n  - id: a\n    type: u2\n"
        "  - id: b\n    size: lenn\n  - id: len\n    type: u1\n"
    )
    with pytest.raises(SpecErrors) as caught:
        load_text(text, "t.ksy")
    first, second = str(caught.value).splitlines()
    assert first.startswith("t.ksy:4:11: /seq/0/type: unable to use type 'u2' without default")
    assert first.endswith("(u2le, u2be or meta/endian)")
    assert second == (
        "t.ksy:6:11: /seq/1/size: unable to access 'lenn' in t context (did you mean 'len'?)"
    )


def test_an_official_name_may_be_several() -> None:
    """Types, fields, instances and enum members may have several official names."""
    spec = load_text(
        "meta: {id: names}\n-orig-id: [A, B]\n"
        "seq: [{id: x, type: u1, enum: e, -orig-id: [C, D]}]\n"
        "instances: {y: {value: 1, -orig-id: [E]}}\n"
        "enums: {e: {1: {id: one, -orig-id: [F, G]}, 2: {id: two, -orig-id: H}, 3: {id: three}}}\n",
        "names.ksy",
    )
    top = spec.top
    assert top.orig_ids == ("A", "B")
    assert [each.orig_ids for each in (*top.seq, *top.instances)] == [("C", "D"), ("E",)]
    members = top.enums["e"].members
    assert [each.orig_ids for each in members] == [("F", "G"), ("H",), ()]


# Bounds


def test_a_long_chain_of_values_is_resolved_or_refused() -> None:
    """A chain of two thousand values is resolved or refused without a crash."""
    steps = "".join(f"  x{n}: {{value: x{n + 1} + 1}}\n" for n in range(2000))
    with pytest.raises(SpecErrors, match="through too many steps"):
        loaded(f"instances:\n{steps}  x2000: {{value: 1}}\n")


def test_sizes_of_shared_types_are_measured_once() -> None:
    """The size of sixty types, each with two of the next, is found at once."""
    types = "".join(
        f"  t{n}: {{seq: [{{id: a, type: t{n + 1}}}, {{id: b, type: t{n + 1}}}]}}\n"
        for n in range(60)
    )
    found = expression("sizeof<t0>", f"types:\n{types}  t60: {{seq: [{{id: a, type: u1}}]}}\n")
    assert getattr(found, "value", None) == 2**60


WORDS = [
    "meta", "seq", "id", "type", "u1", "u4le", "str", "size", "size-eos", "instances", "value",
    "pos", "enums", "types", "t", "a", "b", "foo", "[", "]", "{", "}", ":", ",", "-", "1", "0x",
    "true", "_", ".", "+", "==", "?", "(", ")", "'", '"', "repeat", "expr", "repeat-expr", "until",
    "valid", "any-of", "if", "process", "xor(1)", "switch-on", "cases", "params", "_root", "&", "*",
    "_parent", "as<t>", "<<", "null", "\n", "\n ", "\n  ", "\n - ",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS)))
def test_any_text_is_a_spec_or_a_list_of_mistakes(words: list[str]) -> None:
    """Any text loads as a spec or raises SpecErrors."""
    text = " ".join(words)
    with suppress(SpecErrors):
        assert loaded(text).top.walk()


@pytest.mark.parametrize(
    ("body", "wanted"),
    rows("resolve", "a_mistake_is_reported_with_its_place"),
    ids=["enum of a value", "enum and number", "member", "member of a value", "list of cases"],
)
def test_a_mistake_is_reported_with_its_place(body: str, wanted: str) -> None:
    """The key that is wrong is named, not what uses it."""
    assert mistake(body).endswith(wanted)
