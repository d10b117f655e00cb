"""KSY expressions: their precedence, their types, and the errors for invalid ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.gallery import rows
from tests.support.modules import drop_in_of, module_of, read
from tests.support.specs import expression, mistake

from byteloom.errors import FormatError
from byteloom_codegen import expressions as ast
from byteloom_codegen.errors import SpecError
from byteloom_codegen.frontend import lexer
from byteloom_codegen.frontend.kinds import described
from byteloom_codegen.frontend.parser import parse_expression
from byteloom_codegen.frontend.place import Place
from byteloom_codegen.frontend.yaml_tree import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.expressions import Expression

FIELDS = """
seq:
  - {id: n, type: u1}
  - {id: ns, type: u1, repeat: eos}
  - {id: raw, size: 4}
  - {id: text, type: strz, encoding: ASCII}
  - {id: pet, type: u1, enum: animal}
  - {id: flag, type: b1}
  - {id: part, type: part}
  - {id: parts, type: part, repeat: eos}
types:
  part:
    seq: [{id: real, type: f4le}, {id: three, size: 3}]
enums:
  animal: {1: cat, 2: dog}
"""


def tree(node: Expression) -> str:
    """Return *node* with a parenthesis around every operation."""
    match node:
        case ast.Literal_(value=value):
            return repr(value)
        case ast.UnaryOp(op=op, operand=operand):
            return f"({op} {tree(operand)})"
        case ast.BinaryOp() | ast.Compare() | ast.BoolOp():
            return f"({tree(node.left)} {node.op} {tree(node.right)})"
        case ast.Ternary(condition=condition, yes=yes, no=no):
            return f"({tree(condition)} ? {tree(yes)} : {tree(no)})"
        case ast.Attribute(value=value, name=name):
            return f"{tree(value)}.{name}"
    return type(node).__name__


@pytest.mark.parametrize(
    ("source", "wanted"),
    rows("expressions", "operators"),
)
def test_operators_bind_as_the_manual_says(source: str, wanted: str) -> None:
    """Comparisons bind looser than bit operators; ternaries nest to the right."""
    assert tree(expression(source)) == wanted


@pytest.mark.parametrize(
    ("source", "value"),
    rows("expressions", "literals"),
)
def test_literals_have_their_value(source: str, value: object) -> None:
    """Literals have their value: numbers in four bases, strings; an unknown escape is refused."""
    if value is None:
        assert "unknown escape" in mistake(f"instances: {{x: {{value: '{source}'}}}}")
        return
    found = expression(source)
    assert isinstance(found, ast.Literal_)
    assert found.value == value
    assert type(found.value) is type(value)


@pytest.mark.parametrize(
    ("source", "kind"),
    rows("expressions", "types"),
)
def test_types_of_expressions(source: str, kind: str | None) -> None:
    """Every expression has a type; a list of elements without a common type is refused."""
    if kind is None:
        assert "can't combine" in mistake(f"instances: {{x: {{value: '{source}'}}}}")
        return
    assert described(expression(source, FIELDS).type) == kind


@pytest.mark.parametrize(
    ("source", "size"),
    rows("expressions", "sizes"),
)
def test_sizes_are_known_when_compiling(source: str, size: int | None) -> None:
    """``sizeof`` of a type with one size is a number; bits are rounded up to bytes."""
    found = expression(source, FIELDS)
    if size is None:
        assert isinstance(found, ast.BinaryOp)
        found = found.left
        size = 1
    assert isinstance(found, ast.SizeOf)
    assert found.value == size


@pytest.mark.parametrize(
    ("source", "message", "column"),
    rows("expressions", "mistakes"),
)
def test_mistakes_are_reported_at_their_token(
    source: str, message: str, column: int | None
) -> None:
    """The error in an expression has the column of its token, and what was wanted."""
    quoted = source.replace("'", "''")
    found = mistake(f"instances:\n  x:\n    value: '{quoted}'\n{FIELDS}")
    where, path, text = found.split(": ", 2)
    assert path == "/instances/x/value"
    assert message in text
    line, at = where.split(":")
    assert line == "5"
    assert column is None or int(at) == column


def test_positions_in_blocks_are_those_of_the_file() -> None:
    """Errors in a YAML block scalar have the line and column of the file."""
    body = "instances:\n  x:\n    value: |\n      1 +\n        foo\n"
    assert mistake(body).startswith("7:9: /instances/x/value: unable to access 'foo'")


def test_positions_in_folded_plain_text_are_those_of_the_file() -> None:
    """Errors in plain text over several lines have the line and column of the file."""
    body = "instances:\n  x:\n    value: 1 +\n      2 + foo\n"
    assert mistake(body).startswith("6:11: /instances/x/value: unable to access 'foo'")


def calculated(source: str) -> str:
    """Return a spec with a calculated value."""
    return f"instances:\n  x:\n    value: '{source}'\n{FIELDS}"


FORMS: dict[str, Callable[[int], str]] = {
    "sum": lambda count: "n" + " + n" * count,
    "product": lambda count: "n" + " * n" * count,
    "quotient": lambda count: "n" + " / n" * count,
    "remainder": lambda count: "n" + " % 2" * count,
    "floats": lambda count: "1.5" + " - 1.5" * count,
    "shift": lambda count: "n" + " << 0" * count,
    "bits": lambda count: "n" + " & n | n" * (count // 2) + " ^ n" * (count % 2),
    "texts": lambda count: "text" + " + text" * count,
    "and": lambda count: "flag" + " and flag" * count,
    "or": lambda count: "flag" + " or flag" * count,
    "comparisons": lambda count: "n == 2 or " * (count // 2) + "flag" + " or flag" * (count % 2),
    "not": lambda count: "not " * count + "flag",
    "minus": lambda count: "- " * count + "n",
    "complement": lambda count: "~" * count + "n",
    "choices": lambda count: "flag ? 1 : " * count + "n",
    "choices in choices": lambda count: "flag ? (" * count + "n" + ") : 0" * count,
    "brackets": lambda count: "n + (" * count + "n" + ")" * count,
    "conditions in brackets": lambda count: "flag and (" * count + "flag" + ")" * count,
    "elements": lambda count: "ns[" * count + "0" + "]" * count,
    "methods": lambda count: "n" + ".to_s.length" * (count // 2) + ".to_s" * (count % 2),
    "casts": lambda count: "n" + ".as<u1>" * count,
}  # fmt: skip
"""Expressions of as many operators, each with the result of the one before."""


@pytest.mark.parametrize("form", FORMS)
def test_an_expression_may_have_10000_operators(form: str) -> None:
    """Every form of 10,000 operators is an expression."""
    parsed(FORMS[form](10_000))


@pytest.mark.parametrize("form", FORMS)
def test_each_operator_is_counted(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An expression of any form has as many operators as the limit says, and not one more."""
    monkeypatch.setattr(lexer, "MAX_OPERATORS", 100)
    parsed(FORMS[form](100))
    with pytest.raises(SpecError, match="expression has more than 100 operators"):
        parsed(FORMS[form](101))


def test_an_expression_has_10000_operators_at_most() -> None:
    """An expression of 10,001 operators is refused."""
    with pytest.raises(SpecError, match="expression has more than 10000 operators"):
        parsed(FORMS["sum"](10_001))


def parsed(source: str) -> Expression:
    """Return an expression without its types."""
    return parse_expression(Place(*parse(f"'{source}'", "t.ksy")))


DEEP = """
seq:
  - {id: n, type: u1}
  - {id: flag, type: b1}
  - {id: text, type: strz, encoding: ASCII}
  - {id: ns, type: u1, repeat: eos}
"""
GROWS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda few: few + 240,
    "floats": lambda few: few - 360.0,
    "texts": lambda few: few + "ab" * 240,
    "brackets": lambda few: few + 240,
}


@pytest.fixture(scope="module")
def deep_values() -> list[list[Any]]:
    """Return the values of all forms with 6 and 246 operators, of a record and of a drop-in."""
    sources = {f"x{at}": source(6) for at, source in enumerate(FORMS.values())}
    sources |= {f"y{at}": source(246) for at, source in enumerate(FORMS.values())}
    instances = {name: {"value": source} for name, source in sources.items()}
    text = f"{DEEP}instances: {json.dumps(instances)}\n"
    data = b"\1\x80ab\0\0"
    record = module_of(text).Sample.from_bytes(data)
    assert record.to_bytes() == data
    objects = [record, drop_in_of(text).Sample.from_bytes(data)]
    return [[getattr(each, name) for name in sources] for each in objects]


@pytest.mark.parametrize("at", [0, 1], ids=["record", "drop-in"])
def test_a_deep_expression_has_the_value_of_its_operators(
    deep_values: list[list[Any]], at: int
) -> None:
    """Deep expressions are calculated as shallow ones are, with the value of more operators."""
    values = deep_values[at]
    wanted = [
        GROWS.get(form, lambda few: few)(few) for form, few in zip(FORMS, values, strict=False)
    ]
    assert values[len(FORMS) :] == wanted


def test_what_a_deep_expression_does_not_need_is_not_calculated() -> None:
    """A condition before a deep part decides whether that is calculated, as in a shallow one."""
    deep = "n == 9 and (n / zero == 1 or (" * 60 + "n == 9" + "))" * 60
    data = b"\1\0"
    fields = "seq: [{id: n, type: u1}, {id: zero, type: u1}]"
    spec = f"{fields}\ninstances: {{x: {{value: {deep!r}}}}}\n"
    assert read(spec, data).x is False
    with pytest.raises(FormatError, match="wanted a divisor"):
        _ = read(spec, b"\x09\0").x


def test_arrays_are_nested_32_deep_at_most() -> None:
    """Arrays are nested at most 32 deep: the type of each is written inside that of another."""
    expression("[" * 32 + "n" + "]" * 32, FIELDS)
    source = "[" * 33 + "n" + "]" * 33
    assert "arrays nested more than 32 deep" in mistake(calculated(source))


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (" + ".join(["n"] * 10_000), 10_000),
        (" ^ ".join(["n"] * 201), 1),
        (" or ".join(["n == 2"] * 4_000 + ["n == 1"]), True),
        (" and ".join(["n == 1"] * 4_000 + ["n == 2"]), False),
    ],
    ids=["sum", "exclusive or", "or", "and"],
)
def test_a_chain_of_one_operator_may_be_long(source: str, value: object) -> None:
    """A chain of one operator whose order does not matter is limited as any expression is."""
    assert at_one(source) == value


def at_one(source: str) -> object:
    """Return the value of an expression where the field *n* is 1."""
    spec = f"seq: [{{id: n, type: u1}}]\ninstances: {{x: {{value: '{source}'}}}}\n"
    return read(spec, b"\1").x


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("n" + " + n - 3" * 5_000, 1 - 2 * 5_000),
        ("9" + " - n" * 10_000, 9 - 10_000),
        ("n - (n - 7)" + " - 2 + n" * 300, 7 - 300),
        ("n" + " + 3 * n - 8 / 2" * 2_500, 1 - 2_500),
        ("n" + " * n" * 300 + " / 2", 0),
        ("n" + " + n" * 300 + " | 1024", 301 | 1024),
        ("n" + " - n" * 300 + " < 0", True),
    ],
    ids=["sum", "difference", "brackets", "products", "quotient", "bits", "comparison"],
)
def test_a_chain_of_some_operators_may_be_long(source: str, value: object) -> None:
    """Integers may be added and subtracted in one long chain; what follows works on its result."""
    assert at_one(source) == value


@pytest.mark.parametrize("count", [1, 40, 199])
def test_a_condition_may_follow_another(count: int) -> None:
    """What a condition chooses if it is false may be another choice, 200 times."""
    choices = "".join(f"n == {index} ? {2 * index} : " for index in range(2, count + 1))
    assert at_one(f"{choices}n == 1 ? 77 : 0") == 77


@given(st.lists(st.tuples(st.sampled_from("+-"), st.integers(0, 9)), min_size=195, max_size=205))
def test_a_chain_has_the_value_of_its_terms_one_after_the_other(
    terms: list[tuple[str, int]],
) -> None:
    """However long a chain is, its value is that of adding and subtracting from left to right."""
    source = "n" + "".join(f" {op} {number}" for op, number in terms)
    wanted = 1 + sum(number if op == "+" else -number for op, number in terms)
    assert at_one(source) == wanted


def test_a_list_has_10000_operators_at_most() -> None:
    """A list of 10,000 negative numbers is accepted, and one of 10,001 is refused."""
    expression(f"[{', '.join(['-1'] * 10_000)}]", FIELDS)
    source = f"[{', '.join(['-1'] * 10_001)}]"
    assert "expression has more than 10000 operators" in mistake(calculated(source))


def test_brackets_are_nested_10000_deep_at_most() -> None:
    """Brackets are nested at most 10,000 deep."""
    parsed("(" * 10_000 + "1" + ")" * 10_000)
    with pytest.raises(SpecError, match="expression nested more than 10000 deep"):
        parsed("(" * 10_001 + "1" + ")" * 10_001)


def test_values_that_lead_to_themselves_are_refused() -> None:
    """Values that depend on themselves are refused by one error that names the cycle."""
    body = "instances:\n  a: {value: b + 1}\n  b: {value: c}\n  c: {value: a}\n"
    assert "'a' is calculated from itself: a -> b -> c -> a" in mistake(body)
