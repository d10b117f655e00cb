"""Every rule of the language that a spec can break is checked, and the error has its place."""

from __future__ import annotations

from copy import deepcopy

import pytest
from tests.support.specs import loaded, mistake, mistakes

from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.frontend.sizes import constant
from byteloom_codegen.load import load_text
from byteloom_codegen.model import BytesType, ContentsType, SwitchType

ATTRIBUTES = [
    ("{id: BAD, size: 1}", "id", "invalid attribute ID: 'BAD'"),
    ("{id: a}", "", "'size', 'size-eos' or 'terminator' must be specified"),
    ("{id: a, size: 1, size-eos: true}", "", "only one of 'size' or 'size-eos'"),
    ("{id: a, size: 1, sise: 2}", "sise", "did you mean 'size'?"),
    ("{id: a, size: 1, colour: 2}", "colour", "keys of your own start with a dash: -colour"),
    ("{id: a, type: u1, size: 4}", "size", "unknown key 'size'"),
    ("{id: a, type: u1, pos: 4}", "pos", "unknown key 'pos'"),
    ("{id: a, size: 1, encoding: UTF-8}", "encoding", "unknown key 'encoding'"),
    ("{id: a, type: u2}", "type", "unable to use type 'u2' without default endianness"),
    ("{id: a, type: f8}", "type", "unable to use type 'f8' without default endianness"),
    ("{id: a, type: u1le}", "type", "one byte has no byte order: u1"),
    ("{id: a, type: uint32}", "type", "numbers are u1 to u8"),
    ("{id: a, type: b65}", "type", "unable to find type 'b65'"),
    ("{id: a, type: foo}", "type", "unable to find type 'foo', searching from t"),
    ("{id: a, type: 'foo('}", "type", "parsing expression 'foo(' failed"),
    ("{id: a, type: 'part(1)'}", "type", "parameter count mismatch: 0 declared, but 1 used"),
    ("{id: a, type: takes}", "type", "parameter count mismatch: 1 declared, but 0 used"),
    ("{id: a, type: 'takes(1.5)'}", "type", "can't pass argument #0 of type float"),
    ("{id: a, type: 'takes(zz)'}", "type", "unable to access 'zz'"),
    ("{id: a, type: part, process: zlib}", "", "'process' needs 'size'"),
    ("{id: a, type: part, parent: 5}", "parent", "expected record, got integer"),
    ("{id: a, type: str, size: 4}", "", "string type, but no encoding found"),
    ("{id: a, type: str, encoding: ASCII}", "", "must be specified"),
    (r'{id: a, type: str, size: 1, encoding: "\0"}', "encoding", "'\\x00' is not the name of an"),
    ("{id: a, size: '\"x\"'}", "size", "expected integer, got string"),
    ("{id: a, size: 2 - 3}", "size", "a size is never negative, got -1"),
    ("{id: a, size: 4, terminator: 256}", "terminator", "expected an integer from 0 to 255"),
    ("{id: a, type: strz, encoding: ASCII, process: zlib}", "process", "unknown key 'process'"),
    ("{id: a, type: part()}", "type", "leave the parentheses out"),
    ("{id: a, size: 4, terminator: '0'}", "terminator", "leave the quotes out"),
    ("{id: a, size: 4, terminator: x}", "terminator", "expected integer, got 'x'"),
    ("{id: a, type: u1, consume: yes}", "consume", "write true or false"),
    ("{id: a, size: 4, process: xor}", "process", "1 arguments expected, 0 given"),
    ("{id: a, size: 4, process: 'xor(1.5)'}", "process", "expected integer or bytes"),
    ("{id: a, size: 4, process: a b}", "process", "expected an operator or the end"),
    ("{id: a, contents: 5}", "contents", "unable to parse fixed content"),
    ("{id: a, contents: [1, 300]}", "contents/1", "expected an integer from -128 to 255"),
    ("{id: a, contents: []}", "contents", "it is empty"),
    ("{id: a, type: u1, if: 5}", "if", "expected boolean, got integer"),
    ("{id: a, type: u1, repeat: often}", "repeat", "expected eos / expr / until, got 'often'"),
    ("{id: a, type: u1, repeat: expr}", "repeat", "requires a `repeat-expr`"),
    ("{id: a, type: u1, repeat-expr: 1}", "repeat-expr", "unknown key 'repeat-expr'"),
    ("{id: a, type: u1, repeat: expr, repeat-expr: -1}", "repeat-expr", "never negative"),
    ("{id: a, type: u1, repeat: until, repeat-until: _}", "repeat-until", "expected boolean"),
    ("{id: a, type: u1, enum: zoo}", "enum", "unable to find enum 'zoo'"),
    ("{id: a, size: 1, enum: pets}", "enum", "tried to resolve non-integer bytes to enum"),
    ("{id: a, type: u1, valid: '\"x\"'}", "valid", "can't compare integer and string"),
    ("{id: a, type: u1, valid: {}}", "valid", "found none"),
    ("{id: a, type: u1, valid: [1]}", "valid", "use any-of for a list"),
    ("{id: a, type: u1, valid: {eq: 1, min: 2}}", "valid/min", "expected: eq"),
    ("{id: a, type: u1, valid: {like: 1}}", "valid/like", "unknown key found"),
    ("{id: a, type: u1, valid: {any-of: [1, true]}}", "valid/any-of/1", "can't compare"),
    ("{id: a, type: u1, valid: {expr: 1}}", "valid/expr", "expected boolean, got integer"),
    ("{id: a, type: u1, valid: {min: zz}}", "valid/min", "unable to access 'zz'"),
    ("{id: a, type: u1, valid: {in-enum: true}}", "valid/in-enum", "requires the `enum` key"),
    ("{id: a, type: u1, enum: pets, valid: {in-enum: false}}", "valid/in-enum", "only `true`"),
    ("{id: a, type: [u1]}", "type", "expected map or string"),
    ("{id: a, type: {cases: {1: u1}}}", "type", "missing mandatory argument `switch-on`"),
    ("{id: a, type: {switch-on: 1}}", "type", "missing mandatory argument `cases`"),
    ("{id: a, type: {switch-on: 1, cases: {}}}", "type/cases", "expected at least one case"),
    ("{id: a, type: {switch-on: 1, cases: x}}", "type/cases", "expected map, got 'x'"),
    ("{id: a, type: {switch-on: 1, cases: [{1: u1}]}}", "type/cases", "expected map, got an array"),
    ("{id: a, type: u1, if: 'pets::cat == 1'}", "if", "can't compare enum 'pets' and integer"),
    ("{id: a, type: u1, if: '1 != pets::cat'}", "if", "can't compare integer and enum 'pets'"),
    ("{id: a, type: {switch-on: 1, cases: {1: u1}, x: 1}}", "type/x", "unknown key 'x'"),
    ("{id: a, type: {switch-on: zz, cases: {1: u1}}}", "type/switch-on", "unable to access"),
    ("{id: a, type: {switch-on: 1, cases: {1 *: u1}}}", "type/cases/1 *", "expected a value"),
    ("{id: a, type: {switch-on: 1, cases: {0x2a: zz}}}", "type/cases/0x2a", "type 'zz'"),
    ("{id: a, type: {switch-on: 1, cases: {Z: u1}}}", "type/cases/Z", "'Z'"),
    ("{id: a, type: {switch-on: 1, cases: {true: u1}}}", "type/cases/true", "compare"),
    ("{id: a, type: {switch-on: 1, cases: {2: str}}}", "type/cases/2", "no encoding"),
    ("5", "", "expected map, got '5'"),
]  # fmt: skip

REST = """
types:
  part: {seq: [{id: x, type: u1}]}
  takes: {params: [{id: p, type: u1}]}
enums:
  pets: {1: cat}
"""


@pytest.mark.parametrize(("attribute", "path", "message"), ATTRIBUTES)
def test_attributes(attribute: str, path: str, message: str) -> None:
    """A mistake in an attribute is reported once, at the key or value that is wrong."""
    found = mistake(f"seq:\n  - {attribute}{REST}")
    assert f": /seq/0{'/' if path else ''}{path}: " in found
    assert message in found
    assert found.startswith("4:")


INSTANCES = [
    ("a: {}", "a", "must be specified"),
    ("A: {value: 1}", "A", "invalid instance ID: 'A'"),
    ("a: 5", "a", "expected map, got '5'"),
    ("a: {value: 1, size: 2}", "a/size", "unknown key 'size' found in a value instance"),
    ("a: {value: 1, valid: 2}", "a/valid", "unknown key 'valid'"),
    ("a: {value: [1]}", "a/value", "expected expression, got an array"),
    ("a: {value: }", "a/value", "expected expression, got nothing"),
    ("a: {value: 1, if: 1}", "a/if", "expected boolean"),
    ("a: {value: 1.5, enum: pets}", "a/enum", "tried to resolve non-integer float to enum"),
    ("a: {value: 1, enum: zoo}", "a/enum", "unable to find enum 'zoo'"),
    ("a: {pos: 1.5, type: u1}", "a/pos", "expected integer, got float"),
    ("a: {io: 5, type: u1}", "a/io", "expected stream, got integer"),
    ("a: {io: raw._io, type: u1}", "a/io", "don't know how to call method '_io' of bytes"),
    ("raw: {value: 1}", "raw", "duplicate attribute ID 'raw', previously defined at /seq/0/id"),
]


@pytest.mark.parametrize(("instance", "path", "message"), INSTANCES)
def test_instances(instance: str, path: str, message: str) -> None:
    """A mistake in an instance, calculated or read, is reported once, at the key or value."""
    found = mistake(f"instances:\n  {instance}\nseq:\n  - {{id: raw, size: 1}}{REST}")
    assert found.startswith("4:")
    assert f": /instances/{path}: " in found
    assert message in found


PLACES = [
    (
        "seq: [{id: p, type: s}, {id: q, size: p.zz}]\ntypes: {s: {seq: [{id: x, type: u1}]}}",
        "3:39: /seq/1/size",
        "unable to access 'zz' in s context",
    ),
    ("foo: bar", "3:1: /foo", "unknown key 'foo' found in a type"),
    ("seq: foo", "3:6: /seq", "expected array, got 'foo'"),
    ("types: [a]", "3:8: /types", "expected map, got an array"),
    ("types: {2foo: {}}", "3:9: /types/2foo", "invalid type ID: '2foo'"),
    ("types: {foo: }", "3:", "expected map, got nothing"),
    ("types: {foo: {meta: {endian: xe}}}", "3:30: /types/foo/meta/endian", "endianness"),
    ("enums: {E: {1: a}}", "3:9: /enums/E", "invalid enum ID: 'E'"),
    ("enums: {e: {x: a}}", "3:13: /enums/e/x", "expected an integer"),
    ("enums: {e: {1: 2a}}", "3:16: /enums/e/1", "invalid enum member ID: '2a'"),
    ("enums: {e: {1: a, 2: a}}", "3:19: /enums/e/2", "name 'a', previously defined at /enums/e/1"),
    ("enums: {e: {1: a, 0x1: b}}", "3:19: /enums/e/0x1", "value 1, previously defined"),
    ("enums: {e: {1: {doc: x}}}", "3:13: /enums/e/1", "missing mandatory argument `id`"),
    ("enums: {e: {1: {id: a, x: y}}}", "3:24: /enums/e/1/x", "unknown key 'x'"),
    ("params: [{type: u1}]", "3:10: /params/0", "missing mandatory argument `id`"),
    ("params: [{id: a, type: foo}]", "3:24: /params/0/type", "unable to find type 'foo'"),
    ("params: [{id: a, size: 4}]", "3:18: /params/0/size", "unknown key 'size'"),
    ("params: [{id: a}, {id: a}]", "3:24: /params/1/id", "previously defined at /params/0/id"),
    ("to-string: 1 +", "3:15: /to-string", "expected a value"),
    ("doc: [a]", "3:6: /doc", "expected string, got an array"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "place", "message"), PLACES)
def test_types_enums_and_parameters(body: str, place: str, message: str) -> None:
    """A mistake in a type, an enum or a parameter is reported once, at its place."""
    found = mistake(f"{body}\n")
    assert found.startswith(place)
    assert message in found


META = [
    ("id: with space", "id", "invalid meta ID: 'with space'"),
    ("title: x", "", "no `meta/id` encountered in top-level class spec"),
    ("{id: t, foo: 1}", "foo", "unknown key 'foo' found in a meta"),
    ("{id: t, endian: bad}", "endian", "`le`, `be` or calculated endianness map is expected"),
    ("{id: t, bit-endian: bad}", "bit-endian", "expected `le` or `be`"),
    ("{id: t, endian: {cases: {1: le}}}", "endian", "missing mandatory argument `switch-on`"),
    ("{id: t, endian: {switch-on: 1}}", "endian", "missing mandatory argument `cases`"),
    ("{id: t, endian: {switch-on: 1, cases: {1: x}}}", "endian/cases/1", "expected be / le"),
    ("{id: t, endian: {switch-on: q, cases: {1: le}}}", "endian/switch-on", "access 'q'"),
    ("{id: t, endian: {switch-on: 1, cases: {q: le}}}",
     "endian/cases/q", "unable to access 'q'"),
    ("{id: t, ks-version: 99.1}", "ks-version", "the newest known is 0.12"),
    ("{id: t, ks-version: 0.5}", "ks-version", "minimum allowed version is 0.6"),
    ("{id: t, ks-version: 0.10}", "ks-version", "quote it: '0.10'"),
    ("{id: t, ks-version: new}", "ks-version", "invalid compiler version 'new'"),
    ("{id: t, ks-debug: 1}", "ks-debug", "expected boolean, got '1'"),
    ("{id: t, encoding: [a]}", "encoding", "expected string, got an array"),
    ("{id: t, imports: nowhere}", "imports", "unable to find 'nowhere.ksy'"),
    ("{id: t, imports: [/nowhere]}", "imports/0", "import search paths, using: no folder"),
]  # fmt: skip


@pytest.mark.parametrize(("meta", "path", "message"), META)
def test_meta(meta: str, path: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake in `meta` is reported once, at its key."""
    monkeypatch.delenv("KSPATH", raising=False)
    with pytest.raises(SpecErrors) as caught:
        load_text(f"meta:\n  {meta}\n", "t.ksy")
    (found,) = caught.value.errors
    assert str(found.location).endswith(f": /meta{'/' if path else ''}{path}")
    assert message in str(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [("1234", "'1234'"), ("- a", "an array"), ("", "nothing"), ("foo", "'foo'")],
)
def test_a_spec_is_a_map(text: str, found: str) -> None:
    """A spec that is not a map is refused at the top."""
    with pytest.raises(SpecErrors) as caught:
        load_text(text, "t.ksy")
    assert str(caught.value) == f"t.ksy:1:1: /: expected map, got {found}"


def test_a_mistake_is_reported_once_and_hides_no_other() -> None:
    """A broken attribute is reported once, not at its uses, and hides no other mistake."""
    found = mistakes(
        "seq:\n  - {id: a, type: foo}\n  - {id: b, size: a.len}\n  - {id: c, size: zz}\n"
        "instances:\n  d: {value: a.x + b.length}\n  e: {value: 1 +}\n  f: {value: e + 1}\n"
    )
    assert [str(each.location) for each in found] == [
        "t.ksy:4:19: /seq/0/type",
        "t.ksy:6:19: /seq/2/size",
        "t.ksy:9:17: /instances/e/value",
    ]


EXTENSIONS = [
    ("{id: a, type: u1, -loom-colour: red}", "-loom-colour", "unknown extension key"),
    ("{id: a, type: u1, -loom-limit: {sise: 1}}", "-loom-limit", "'sise' was unexpected"),
    ("{id: a, type: u1, -loom-limit: {size: -1}}", "-loom-limit/size", "less than the minimum"),
    ("{id: a, type: u1, -loom-derive: zz.size}", "-loom-derive", "unable to access 'zz'"),
    ("{id: a, type: u1, -loom-derive: '\"x\"'}", "-loom-derive", "expected integer, got string"),
    ("{id: a, type: u1, -loom-default: x}", "-loom-default", "'x' is not a default of integer"),
    ("{id: a, type: b1, -loom-default: 1}", "-loom-default", "1 is not a default of boolean"),
    ("{id: a, type: u1, -loom-crc: {algorithm: crc32, over: [b, b]}}", "-loom-crc", "4 bytes"),
    ("{id: a, type: u4le, -loom-crc: {algorithm: crc32, over: [a, z]}}", "-loom-crc", "'z'"),
    ("{id: a, type: u4le, -loom-crc: {algorithm: crc32, over: [a, a, a]}}",
     "-loom-crc/over", "(wanted: the first and the last attribute that it covers)"),
    ("{id: a, type: u4le, -loom-crc: {algorithm: md5, over: [b, b]}}",
     "-loom-crc/algorithm", "'md5' is not one of"),
    ("{id: a, type: u4le, if: 1 < 2, -loom-crc: {algorithm: crc32, over: [b, b]}}",
     "-loom-crc", "may not have an `if` (make it part of a type that"),
    ("{id: a, type: u1, if: 1 < 2, -loom-derive: '1'}",
     "-loom-derive", "may not have an `if` (make it part of a type that"),
    ("{id: a, type: u1, -loom-varint: hadoop}", "-loom-varint", "is bytes or a record"),
]  # fmt: skip


@pytest.mark.parametrize(("attribute", "path", "message"), EXTENSIONS)
def test_extension_keys_are_held_to_their_schema(attribute: str, path: str, message: str) -> None:
    """A ``-loom-`` key that is unknown, malformed or does not fit its attribute is a mistake."""
    found = mistake(f"seq:\n  - {attribute}\n  - {{id: b, type: u1}}\n")
    assert f": /seq/0/{path}: " in found
    assert message in found


def test_keys_of_other_tools_are_left_alone() -> None:
    """A key of another tool, which starts with a dash, is allowed in every map of a spec."""
    loaded(
        "  -x: 1\n-x: [1]\nseq:\n  - {id: a, type: u1, -x: {y: z}, valid: {eq: 1, -x: 2}}\n"
        "  - {id: b, type: {switch-on: 1, cases: {1: u1}, -x: 3}}\n"
        "params:\n  - {id: p, -x: 4}\nenums: {e: {1: {id: f, -x: 5}}}\n"
    )


WARNINGS = [
    ("  encoding: utf8\n", "/meta/encoding", "use canonical encoding name `UTF-8`"),
    ("  encoding: foo\n", "/meta/encoding", "unrecognized encoding name 'foo'"),
    ("seq:\n  - {id: a, type: strz, encoding: SJIS}\n", "/seq/0/encoding", "`Shift_JIS`"),
    ("seq:\n  - {id: n, type: u1}\n  - {id: a, size: n}\n", "/seq/0/id", "use `len_a`"),
    ("seq:\n  - {id: as, type: u1, repeat: expr, repeat-expr: n}\ninstances: {n: {value: 4}}\n",
     "/instances/n", "use `num_as`"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "path", "message"), WARNINGS)
def test_style_is_reported_as_warnings(body: str, path: str, message: str) -> None:
    """A legal spec of poor style loads, with a warning that gives advice."""
    (found,) = loaded(body).warnings
    assert str(found.location).endswith(f": {path}")
    assert message in found.message


def test_a_name_with_a_second_use_is_left_alone() -> None:
    """Advice to rename a field is given only if it is the size of one attribute, and no more."""
    body = "seq:\n  - {id: n, type: u1}\n  - {id: a, size: n}\n  - {id: b, size: n}\n"
    assert loaded(body).warnings == ()


def test_a_case_is_named_as_the_spec_has_it_and_by_its_tree() -> None:
    """People read the key of a case as it is written; the path has the official compiler's tree."""
    (found,) = mistakes(
        "seq: [{id: a, type: {switch-on: 1, cases: {'kinds::no': u1}}}]\nenums: {kinds: {1: one}}\n"
    )
    assert ": /seq/0/type/cases/kinds::no: unable to find enum member" in str(found)
    tree = "EnumByLabel(identifier(kinds),identifier(no),typeId(false,List(),false))"
    assert found.location.path == ("seq", 0, "type", "cases", tree)
    assert str(deepcopy(found.location)) == str(found.location)


NUMBERS = """
instances:
  a: {value: 017}
  b: {value: -0x1F}
  c: {value: 1_000}
  d: {value: 0089}
  e: {value: TRUE}
seq:
  - {id: magic, contents: [-1, -128, 0b11, 010, 0x1_0]}
  - {id: part, type: {switch-on: 1, cases: {01: u1, 0b10: u2le}}, if: True}
  - {id: text, size: 0o10, terminator: 0b1010, include: True}
enums: {kinds: {010: eight, 09: nine, '0x10': sixteen, 1_7: seventeen}}
"""


def test_numbers_and_truth_values_are_those_of_yaml() -> None:
    """Numbers and truth values may have all forms that the loader of the official compiler has."""
    spec = loaded(NUMBERS)
    values = [getattr(each, "value") for each in spec.top.instances]  # noqa: B009
    assert [constant(each) for each in values[:4]] == [15, -31, 1000, 89]
    magic, part, text = spec.top.seq
    assert values[4].value is True
    assert magic.type == ContentsType(b"\xff\x80\x03\x08\x10")
    assert isinstance(part.type, SwitchType)
    assert [constant(each.on) for each in part.type.cases] == [1, 2]
    assert isinstance(text.type, BytesType)
    assert text.type.delimiting is not None
    assert (text.type.delimiting.terminator, text.type.delimiting.include) == (b"\n", True)
    assert [each.value for each in spec.top.enums["kinds"].members] == [8, 9, 16, 17]
    assert "starts with 0" in mistake("instances: {a: {value: '017'}}")


@pytest.mark.parametrize(
    ("attribute", "count"),
    [
        ("{id: a, type: 'no1(no2)', size: no3, if: no4, process: xor(no5), enum: no6}", 6),
        ("{id: a, type: no1, enum: no2, repeat: expr, repeat-expr: no3}", 3),
        ("{id: a, type: {switch-on: no1, cases: {no2: 'no3(no4)', 1: u1, 2: no5}}}", 4),
    ],
)
def test_an_unknown_type_hides_no_other_mistake(attribute: str, count: int) -> None:
    """All mistakes of an attribute are reported, whether or not its type is known."""
    texts = " ".join(str(each) for each in mistakes(f"seq:\n  - {attribute}\n"))
    assert sum(f"'no{number}'" in texts for number in range(1, 7)) == count


def test_all_mistakes_of_all_types_are_reported() -> None:
    """Several types with several mistakes each are reported together, as are parameters."""
    body = """types:
  one: {params: [{id: p, type: no1, enum: no2}], seq: [{id: x, type: no3}, {id: y, size: no4}]}
  two: {seq: [{id: x, type: no5, if: no6}], instances: {z: {value: no7}}}
"""
    texts = " ".join(map(str, mistakes(body)))
    assert [number for number in range(1, 8) if f"'no{number}'" in texts] == [*range(1, 8)]


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("[1, 2]", "List(List(IntNum(1), IntNum(2)))"),
        ("[1][0].to_s", "Attribute(Subscript(List(List(IntNum(1))),IntNum(0)),identifier(to_s))"),
        ("true or v > 1", "BoolOp(Or,List(Bool(true), Compare(NAME,Gt,IntNum(1))))"),
        ("true or false or true", "BoolOp(Or,List(Bool(true), Bool(false), Bool(true)))"),
        ("'a'.to_b('UTF-8')", "Call(Attribute(Str(a),identifier(to_b)),List(Str(UTF-8)))"),
        ("v.as<str>", "CastToType(NAME,typeId(false,List(str),false))"),
        ("v.as<::t[]>", "CastToType(NAME,typeId(true,List(t),true))"),
        ('f"a{v}"', "InterpolatedStr(List(Str(a), NAME))"),
        ("bitsizeof<t> == 1", "Compare(BitSizeOfType(typeId(false,List(t),false)),Eq,IntNum(1))"),
        ("v._sizeof == 1", "Compare(Attribute(NAME,identifier(_sizeof)),Eq,IntNum(1))"),
        ("_sizeof == 1", "Compare(Name(identifier(_sizeof)),Eq,IntNum(1))"),
    ],
)  # fmt: skip
def test_a_case_is_named_as_the_official_compiler_names_it(key: str, path: str) -> None:
    """The path of a mistake in a case has the tree of its key, as official messages have it."""
    quoted, tree = key.replace("'", "''"), path.replace("NAME", "Name(identifier(v))")
    cases = f"{{switch-on: v, cases: {{'{quoted}': u1}}}}"
    found = mistakes(f"seq: [{{id: v, type: u1}}, {{id: a, type: {cases}}}]\ntypes: {{t: {{}}}}\n")
    assert [each.location.path for each in found] == [("seq", 1, "type", "cases", tree)]
