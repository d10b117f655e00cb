"""Scanners calculate chains of any length, and refuse what is nested too deep."""

from __future__ import annotations

import operator
import re
from functools import reduce
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.specs import expression

from byteloom_codegen import expressions as ast
from byteloom_codegen.load import load_text
from byteloom_codegen.python.bit_runs import bit_runs
from byteloom_codegen.scanners.flattening import flattened
from byteloom_codegen.scanners.module import emit_scanners

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
}
COUNT = 999


def calculated(node: ast.Expression, most: int) -> Any:
    """Return the value of operators on literals that are nested no deeper than *most*."""
    if isinstance(node, ast.Literal_):
        return node.value
    assert isinstance(node, ast.BinaryOp | ast.BoolOp)
    assert most > 0
    left, right = calculated(node.left, most - 1), calculated(node.right, most - 1)
    return OPERATORS[node.op](left, right)


def chain(op: str, count: int) -> tuple[list[str], list[Any], list[str]]:
    """Return the terms of a chain, their values, and the operators between them."""
    if op in {"and", "or"}:
        values: list[Any] = [op == "and"] * count
        values[count // 3] = op == "or"
        return [str(each).lower() for each in values], values, [op] * (count - 1)
    values = [1 + number % 7 for number in range(count)]
    ops = ["+-"[number % 3 == 1] for number in range(count - 1)] if op == "+-" else [op] * count
    return [str(each) for each in values], values, ops


@pytest.mark.parametrize("count", [40, COUNT, COUNT + 1])
@pytest.mark.parametrize("op", [*OPERATORS, "+-"])
def test_a_long_chain_becomes_groups_of_the_same_value(op: str, count: int) -> None:
    """A chain of one operator, or of sums and differences, is nested eleven deep at most."""
    terms, values, ops = chain(op, count)
    source = terms[0] + "".join(f" {a} {b}" for a, b in zip(ops, terms[1:], strict=False))
    wanted = reduce(
        lambda found, each: OPERATORS[each[0]](found, each[1]),
        zip(ops, values[1:], strict=False),
        values[0],
    )
    assert calculated(flattened(expression(source)), 11) == wanted


@pytest.mark.parametrize("op", ["/", "%", "<<"])
def test_an_operator_that_cannot_be_grouped_is_left(op: str) -> None:
    """What depends on its order is no chain: it stays as it is."""
    node = expression(f"7 {op} 3 {op} 2")
    assert flattened(node) is node


@pytest.mark.parametrize(
    ("form", "least", "most"),
    [("(n - {})", 200, 250), ("(n - 1 * {})", 70, 130), ("(n > 3 and not {})", 70, 130)],
)
def test_operators_in_each_other_are_200_at_most(form: str, least: int, most: int) -> None:
    """A loop takes 200 operators in each other, more or less; beyond, the reason has a place."""
    for count, reasons in ((least, 0), (most, 1)):
        source = "m > 1" if "not" in form else "m"
        for _ in range(count):
            source = form.format(source)
        condition = source if "not" in form else f"{source} > 5"
        text = (
            "meta: {id: t}\nseq: [{id: rows, type: row, repeat: eos}]\ntypes:\n  row:\n    seq:\n"
            "    - {id: n, type: u1}\n    - {id: m, type: u1}\n"
            f"    - {{id: x, type: u1, if: '{condition}'}}\n"
        )
        slow = emit_scanners(load_text(text, "t.ksy"), "t.ksy", everything=True).slow
        assert len(slow) == reasons
    assert re.match(r"t\.ksy:8:\d+: .*: scanners take 200 operators in each other at", str(slow[0]))


def layered(depth: int, first: str) -> str:
    """Return a spec of records within records, three of each, the innermost of type *first*."""
    inner = [*(f"level{each}" for each in range(1, depth)), first]
    types = [
        f"  level{level}: {{seq: [{', '.join(f'{{id: {name}, type: {each}}}' for name in 'abc')}]}}"
        for level, each in enumerate(inner)
    ]
    head = ["meta: {id: layered, endian: le}", "seq: [{id: top, type: level0}]", "types:"]
    return "\n".join([*head, *types])


@pytest.mark.parametrize(("first", "carried"), [("b3", 39), ("u2", 0)])
def test_types_within_types_are_followed_once(first: str, carried: int) -> None:
    """Of records within records, to a depth of 40, all but the outermost leave a byte begun."""
    found = len(bit_runs(load_text(layered(40, first), "layered.ksy")).carried)
    assert found == carried
