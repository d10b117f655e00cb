"""Every rule of the language that a spec can break is checked, and the error has its place."""

from __future__ import annotations

from copy import deepcopy

import pytest
from tests.support.gallery import rows
from tests.support.specs import loaded, mistake, mistakes

from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.frontend.sizes import constant
from byteloom_codegen.load import load_text
from byteloom_codegen.model import BytesType, ContentsType, SwitchType

ATTRIBUTES = rows("mistakes", "attributes")

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


INSTANCES = rows("mistakes", "instances")


@pytest.mark.parametrize(("instance", "path", "message"), INSTANCES)
def test_instances(instance: str, path: str, message: str) -> None:
    """A mistake in an instance, calculated or read, is reported once, at the key or value."""
    found = mistake(f"instances:\n  {instance}\nseq:\n  - {{id: raw, size: 1}}{REST}")
    assert found.startswith("4:")
    assert f": /instances/{path}: " in found
    assert message in found


PLACES = rows("mistakes", "places")


@pytest.mark.parametrize(("body", "place", "message"), PLACES)
def test_types_enums_and_parameters(body: str, place: str, message: str) -> None:
    """A mistake in a type, an enum or a parameter is reported once, at its place."""
    found = mistake(f"{body}\n")
    assert found.startswith(place)
    assert message in found


META = rows("mistakes", "meta")


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


EXTENSIONS = rows("mistakes", "extensions")


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


WARNINGS = rows("mistakes", "warnings")


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
    rows("mistakes", "cases"),
)
def test_a_case_is_named_as_the_official_compiler_names_it(key: str, path: str) -> None:
    """The path of a mistake in a case has the tree of its key, as official messages have it."""
    quoted, tree = key.replace("'", "''"), path.replace("NAME", "Name(identifier(v))")
    cases = f"{{switch-on: v, cases: {{'{quoted}': u1}}}}"
    found = mistakes(f"seq: [{{id: v, type: u1}}, {{id: a, type: {cases}}}]\ntypes: {{t: {{}}}}\n")
    assert [each.location.path for each in found] == [("seq", 1, "type", "cases", tree)]
