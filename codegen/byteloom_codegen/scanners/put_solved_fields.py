"""Fields that follow from a calculated column, which a put takes instead of the fields.

``len_chunk: 8 * (len_chunk_words + 1)`` is solved for ``len_chunk_words`` if that has no column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.expressions import BinaryOp, Name
from byteloom_codegen.model import Field, ValueInstance
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.scanners.column_views import column_name

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import TypeSpec

__all__ = ["Solution", "solution_of"]


@dataclass(frozen=True, slots=True)
class Solution:
    """How a field follows from the column of *instance*: operations on its value, in turn.

    steps  an operator, ``+``, ``-`` or ``//``, and a number; what is divided has to be a multiple
    """

    instance: ValueInstance
    column: str
    steps: tuple[tuple[str, int], ...]

    def source(self, value: str) -> str:
        """Return the source of the field."""
        for number, (operator, constant) in enumerate(self.steps):
            loose = number and operator == "//"
            value = f"{f'({value})' if loose else value} {operator} {constant}"
        return value

    def tests(self, value: str) -> list[str]:
        """Return the tests that are true of a value from which no value of the field follows."""
        found = []
        for number, (operator, constant) in enumerate(self.steps):
            if operator == "//":
                before = Solution(self.instance, self.column, self.steps[:number]).source(value)
                found.append(f"{f'({before})' if number else before} % {constant} != 0")
        return found


def solution_of(each: Field, spec: TypeSpec) -> Solution | None:
    """Return how a field without a column follows from one that is calculated, or None."""
    for instance in spec.instances:
        if isinstance(instance, ValueInstance) and instance.condition is None:
            column, steps = column_name(instance, spec), _solved(instance.value, each)
            if column is not None and steps is not None:
                return Solution(instance, column, tuple(steps))
    return None


def _solved(node: Expression, each: Field) -> list[tuple[str, int]] | None:
    """Return the steps from the value of *node* to that of the one field in it."""
    if isinstance(node, Name):
        return [] if node.target is each else None
    if not isinstance(node, BinaryOp) or node.joints is not None:
        return None
    left, right = literal(node.left), literal(node.right)
    match node.op:
        case "+" | "*" if left is not None:
            inner, step = node.right, ("-" if node.op == "+" else "//", left)
        case "+" | "-" | "*" if right is not None:
            inner, step = node.left, ({"+": "-", "-": "+", "*": "//"}[node.op], right)
        case _:
            return None
    rest = _solved(inner, each)
    return None if rest is None or step[1] <= 0 else [step, *rest]
