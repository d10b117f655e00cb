"""Casts are checked as late as official Python does: when a member of the record is used."""

from typing import Any

import pytest
from tests.support.gallery import rows
from tests.support.modules import drop_in_of, module_of, read
from tests.support.specs import loaded, mistake

from byteloom.errors import FormatError, LimitExceeded
from byteloom_codegen.python.module import emit

_SPEC = """
seq:
  - {id: bits, type: u1}
  - {id: header, type: {switch-on: bits, cases: {32: small, 64: large, 1: odd}}}
  - {id: sections, type: u1, repeat: expr, repeat-expr: COUNT}
  - {id: box, type: box(header.as<small>), if: bits == 9}
instances:
  chosen: {value: header.as<small>}
  inside: {value: header.as<small>.inner.as<inner>.key}
types:
  small: {seq: [{id: base, type: u4}, {id: num, type: u1}]}
  large: {seq: [{id: base, type: u8}, {id: num, type: u1}, {id: inner, type: inner}]}
  inner: {seq: [{id: key, type: u1}]}
  odd: {seq: [{id: other, type: u1}]}
  box: {params: [{id: header, type: small}], instances: {num: {value: header.num}}}
"""
_SMALL, _LARGE = b"\x20\0\0\0\0\2ab", b"\x40\0\0\0\0\0\0\0\0\2\7ab"
_COUNTS = [
    "header.as<small>.num",
    "header.as<small>.as<small>.num",
    "chosen.num",
    "_root.chosen.num",
]


@pytest.mark.parametrize("count", _COUNTS)
@pytest.mark.parametrize("data", [_SMALL, _LARGE])
def test_a_record_with_the_same_member_may_be_cast(count: str, data: bytes) -> None:
    """A member is read of the record that is there, of whatever type, and written back."""
    record = read(_SPEC.replace("COUNT", count), data)
    assert record.sections == [97, 98]
    assert record.chosen.num == 2
    assert record.to_bytes() == data


@pytest.mark.parametrize("count", _COUNTS)
def test_a_record_without_the_member_is_damage(count: str) -> None:
    """A record that lacks the member is an error that names its type and the member."""
    with pytest.raises(FormatError, match=r"found an Odd, wanted a record with `num`"):
        read(_SPEC.replace("COUNT", count), b"\1\2")


def test_what_is_handed_on_has_the_type_of_the_cast() -> None:
    """A record that is passed to a parameter has to be of the type that the parameter has."""
    spec = _SPEC.replace("COUNT", "0").replace("bits == 9", "bits > 2")
    assert read(spec, _SMALL[:6]).box.num == 2
    with pytest.raises(FormatError, match="found a Large, wanted a Small"):
        read(spec, _LARGE[:11])


@pytest.mark.parametrize("api", [module_of, drop_in_of])
def test_a_member_that_is_cast_may_be_of_the_record_alone(api: Any) -> None:
    """A member that the type lacks, and the record has, is found where it is cast."""
    assert api(_SPEC.replace("COUNT", "chosen.num")).Sample.from_bytes(_LARGE).inside == 7


def test_a_member_that_is_cast_and_missing_is_damage() -> None:
    """A member that neither the type nor the record has is an error of the file."""
    record = read(_SPEC.replace("COUNT", "chosen.num"), _SMALL)
    with pytest.raises(FormatError, match="found a Small, wanted a record with `inner`"):
        _ = record.inside


_INSIDE = """
seq:
  - {id: code, type: u1}
  - {id: body, type: {switch-on: code, cases: {1: one, 2: two, 3: three}}}
instances:
  sum: {value: 'body.as<one>.part.num + body.as<one>.parts[0].num + body.as<one>.parts.last.num'}
  code_of_owner: {value: body.as<one>._parent.as<sample>._root.code}
  parts: {value: body.as<one>.parts}
  count: {value: 'parts.size'}
  all: {value: 'body.as<one[]>[0].part.num'}
types:
  one:
    seq: [{id: part, type: part}, {id: parts, type: part, repeat: eos}]
  two:
    seq: [{id: more, type: u1}, {id: part, type: wide}, {id: parts, type: wide, repeat: eos}]
  three: {seq: [{id: part, type: text}, {id: parts, type: u1}]}
  part: {seq: [{id: num, type: u1}]}
  wide: {seq: [{id: num, type: u2}]}
  text: {seq: [{id: num, type: str, size: 1}]}
"""


@pytest.mark.parametrize("api", [module_of, drop_in_of])
@pytest.mark.parametrize("data", [b"\1\3\2\1\4", b"\2\0\3\0\2\0\1\0\4\0"])
def test_all_inside_a_cast_is_of_the_record_that_is_there(api: Any, data: bytes) -> None:
    """Members, elements and the parent of a record that was cast are those of the record."""
    record = api(_INSIDE).Sample.from_bytes(data)
    assert (record.sum, record.count, record.code_of_owner) == (3 + 2 + 4, 3, data[0])


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("sum", "found a str, wanted an int"),
        ("count", "found an int, wanted a list"),
        ("all", "found a Three, wanted a list"),
    ],
)
def test_a_value_of_another_type_is_damage(name: str, error: str) -> None:
    """A member that has the wanted name and another type is an error where it is used."""
    with pytest.raises(FormatError, match=f"{error}, as the spec casts it"):
        getattr(read(_INSIDE, b"\3ab"), name)


_CHAIN = """
seq:
  - {id: count, type: u1}
  - {id: items, type: 'item(_index)', repeat: expr, repeat-expr: count}
instances:
  itself: {value: itself.as<u1> + 1}
types:
  item:
    params: [{id: number, type: u4}]
    seq: [{id: size, type: u1}]
    instances:
      total: {value: 'number == 0 ? size : size + _root.items[number - 1].total.as<u4>'}
"""


@pytest.mark.parametrize("api", [module_of, drop_in_of])
def test_a_calculation_may_use_its_own_result_where_that_is_cast(api: Any) -> None:
    """A cast says the type of an instance that is calculated from that of another record."""
    assert api(_CHAIN).Sample.from_bytes(b"\3\1\2\4").items[2].total == 7


def test_a_chain_of_calculations_ends() -> None:
    """A value that is calculated from itself, or from too many others, is an error."""
    record = read(_CHAIN, b"\xff" * 256)
    with pytest.raises(FormatError, match="a value that asks for itself"):
        _ = record.itself
    long = read(_CHAIN.replace("count, type: u1", "count, type: u2"), b"\xff" * 0x10001)
    with pytest.raises(LimitExceeded, match="fewer steps"):
        _ = long.items[-1].total


@pytest.mark.parametrize("api", [module_of, drop_in_of])
@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("(~(n == 1)).as<u1>", -2),
        ("(-(n == 1)).as<u1>", -1),
        ("[n, 'x'].as<u1[]>", [1, "x"]),
        ("[n, 'x'].as<u1[]>[0]", 1),
    ],
)
def test_what_only_a_cast_allows_is_calculated_as_python_does(
    api: Any, value: str, wanted: object
) -> None:
    """Numbers of truth values, and arrays of several types, are those of the official Python."""
    body = """
seq: [{id: n, type: u1}]
instances: {x: {value: "%s"}}
"""
    assert api(body % value).Sample.from_bytes(b"\1").x == wanted


@pytest.mark.parametrize(
    ("value", "warning"),
    rows("casts", "a_mistake_inside_a_cast_is_worth_a_warning"),
)
def test_a_mistake_inside_a_cast_is_worth_a_warning(value: str, warning: str) -> None:
    """A mistake about the type of what is cast is a warning, and without the cast a mistake."""
    body = """
  ks-opaque-types: true
seq: [{id: a, type: b}, {id: opaque, type: unknown}]
instances: {x: {value: "%s"}}
types: {b: {}}
"""
    noted = [each.message for each in loaded(body % value).warnings]
    assert [each for each in noted if warning in each and each.endswith(", before it is cast")]
    assert mistake(body % value[: value.rindex(".as<")])


def test_an_opaque_record_is_asked_where_its_member_is_cast() -> None:
    """A member of a record of a class written elsewhere is that of the class."""
    spec = loaded("  ks-opaque-types: true\nparams: [{id: a, type: opq}]\n"
                  "instances: {x: {value: a.size.as<u1>}}\n")  # fmt: skip
    assert 'narrowed(member_of(self.a, "size"), int)' in emit(spec, "t.ksy")


def test_many_casts_may_be_in_one_expression() -> None:
    """A sum of hundreds of members that are cast has their sum."""
    value = " + ".join(["header.as<small>.inner.as<inner>.key"] * 300)
    spec = _SPEC.replace("COUNT", "0") + f"to-string: ({value}).to_s\n"
    spec = spec.replace("instances:\n", f"instances:\n  sum: {{value: {value}}}\n")
    record = read(spec, _LARGE)
    assert (record.sum, str(record)) == (300 * 7, "2100")
