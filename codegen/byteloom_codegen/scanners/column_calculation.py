"""KSY expressions over whole columns of numbers: rules of records, and calculated instances.

- Both sides of a choice, and of `and` and `or`, are calculated for all rows.  So a loop stores 0
  for a number that a row lacks, and refuses a row that divides by 0: its record raises the error.
- Numbers have the values that Python calculates with: integers that fit 64 bits, and doubles.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.frontend.kinds import kind
from byteloom_codegen.model import IoType
from byteloom_codegen.nodes import walk
from byteloom_codegen.precedence import (
    BINARY,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    COMPARE,
    POSTFIX,
    PRODUCT,
    UNARY,
)
from byteloom_codegen.scanners.calculation import Calculator
from byteloom_codegen.scanners.numbers import HIGHEST, LOWEST, WIDEST, range_of
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.variables import StoredVariable, Value

if TYPE_CHECKING:
    from byteloom_codegen.scanners.row_numbers import Numbers
    from byteloom_codegen.scanners.variables import Member

__all__ = ["FUNCTIONS", "InstanceCalculator", "RuleCalculator"]

_MOST: Final = 500
"""The most steps of a calculation, with those of the instances that it uses."""

_EXACT: Final = 1 << 53
"""Integers up to this one are doubles as well."""


_EXACTLY: Final = {"+": "exact_sum", "-": "exact_difference", "*": "exact_product"}
"""The functions of the runtime for results that may leave 64 bits."""

FUNCTIONS: Final = ("chosen", "unsigned", *_EXACTLY.values())
"""The functions of the runtime that calculations use."""


class RuleCalculator(Calculator):
    """Prints rules over whole columns, of which all rows have all numbers."""

    __slots__ = ()

    def negated(self, value: Value) -> Value:
        """Return the source of the negation of *value*."""
        return Value(f"~{value.within(UNARY)}", UNARY, 0, 1)

    def all_of(self, tests: list[str]) -> str:
        """Return the source of the conjunction of comparisons."""
        return " & ".join(f"({test})" for test in tests)

    def _boolop(self, node: ast.BoolOp) -> Value:
        level, op = (BIT_AND, "&") if node.op == "and" else (BIT_OR, "|")
        left, right = self(node.left), self(node.right)
        return Value(f"{left.within(level)} {op} {right.within(level + 1)}", level, 0, 1)

    def _ternary(self, node: ast.Ternary) -> Value:
        raise NotScannableError(node.location, "a choice for every record")

    def _literal(self, node: ast.Literal_) -> Value:
        if isinstance(node.value, bool):
            raise NotScannableError(node.location, "a truth value for every record")
        return Calculator._literal(self, node)  # noqa: SLF001  (of its own base)


@dataclass(frozen=True, slots=True)
class InstanceCalculator(Calculator):
    """Prints calculated instances over whole columns.

    numbers  what is taken of each row
    is_lost  whether a test on the way here cannot be made of one row
    """

    numbers: Numbers = field(kw_only=True)
    is_lost: bool = False

    def __call__(self, node: ast.Expression) -> Value:
        """Return *node* as source with its range."""
        self.numbers.steps += 1
        if self.numbers.steps > _MOST:
            raise NotScannableError(node.location, f"a calculation of more than {_MOST} steps")
        return Calculator.__call__(self, node)

    @property
    def plain(self) -> Calculator:
        """What prints tests of one row."""
        return self.numbers.plain(self.here, self.given, self.path)

    # Leaves

    def _literal(self, node: ast.Literal_) -> Value:
        if isinstance(node.value, bool):
            return Value(repr(node.value), POSTFIX, 0, 1, "bool")
        if isinstance(node.value, float) and isfinite(node.value):
            return Value(repr(node.value), POSTFIX if node.value >= 0 else UNARY, 0, 0, "float")
        return Calculator._literal(self, node)  # noqa: SLF001  (of its own base)

    def _resolved(self, node: ast.Expression) -> Member:
        if self.is_lost and any(isinstance(each, ast.Index) for each in walk(node)):
            raise NotScannableError(node.location, "an element of a list that may not exist")
        return self.plain._resolved(node)  # noqa: SLF001  (of its own base)

    def _number(self, found: Member, node: ast.Expression) -> Value:
        is_own = isinstance(node, ast.Name) and self.here is self.numbers.home
        test = "" if is_own and not getattr(found, "condition", "") else self._test()
        if isinstance(found, StoredVariable):
            self._check_given(found.condition, node)
            name = self.numbers.take(found.source, found.form, test)
            if found.form == "u8":
                return Value(name, POSTFIX, 0, WIDEST, "wide")
            return Value(name, POSTFIX, 0, 0, "float")
        value = Calculator._number(self, found, node)  # noqa: SLF001  (of its own base)
        return self._taken(value, node, test)

    def _taken(self, value: Value, node: ast.Expression, test: str) -> Value:
        is_flag = kind(node.type) == "boolean"
        form = "flag" if is_flag else _form(value.low, value.high)
        name = self.numbers.take(value.source, form, test)
        return Value(name, POSTFIX, value.low, value.high, "bool" if is_flag else "int")

    def _test(self) -> str:
        """Return the test of rows for which this part of the expression is used."""
        return " and ".join(f"({each})" for each in self.path)

    def _builtin(self, value: ast.Expression, name: str, node: ast.Expression) -> Value:
        if isinstance(value.type, IoType):
            raise NotScannableError(node.location, f"scanners do not know `.{name}` of this")
        if name in {"length", "size"}:
            found = self.plain._builtin(value, name, node)  # noqa: SLF001  (of its own base)
            return self._taken(found, node, self._test())
        found = Calculator._builtin(self, value, name, node)  # noqa: SLF001  (of its own base)
        if found.form == "bool":
            return Value(f"{found.within(PRODUCT)} * 1", PRODUCT, 0, 1)
        return found

    # Operators

    def negated(self, value: Value) -> Value:
        """Return the source of the negation of *value*."""
        return Value(f"{value.within(BIT_XOR)} ^ True", BIT_XOR, 0, 1, "bool")

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if node.op == "not":
            return self.negated(self(node.operand))
        value = self(node.operand)
        if value.form == "float":
            return replace(value, source=f"{node.op}{value.within(UNARY)}", binds=UNARY)
        if value.form != "int":
            raise NotScannableError(node.location, "a sign before what has none")
        return Calculator._unaryop(self, node)  # noqa: SLF001  (of its own base)

    def _compare(self, node: ast.Compare) -> Value:
        left, right = self(node.left), self(node.right)
        forms = {left.form, right.form}
        if len(forms) > 1 and not self._compares(left, right):
            raise NotScannableError(node.location, "compares numbers that not all doubles can be")
        source = f"{left.within(BIT_OR)} {node.op} {right.within(BIT_OR)}"
        return Value(source, COMPARE, 0, 1, "bool")

    @staticmethod
    def _compares(left: Value, right: Value) -> bool:
        """Whether numbers of different forms compare as Python's do."""
        for one, other in ((left, right), (right, left)):
            if one.form == "int" and other.form == "float":
                return one.low >= -_EXACT and one.high <= _EXACT
            if one.form == "int" and other.form == "wide":
                return one.low == one.high
        return False

    def _boolop(self, node: ast.BoolOp) -> Value:
        level, op = (BIT_AND, "&") if node.op == "and" else (BIT_OR, "|")
        left = self(node.left)
        right = self._after(node.left, is_true=node.op == "and")(node.right)
        source = f"{left.within(level)} {op} {right.within(level + 1)}"
        return Value(source, level, 0, 1, "bool")

    def _ternary(self, node: ast.Ternary) -> Value:
        test = self(node.condition)
        yes = self._after(node.condition, is_true=True)(node.yes)
        no = self._after(node.condition, is_true=False)(node.no)
        form = yes.form
        if form != no.form:
            form = "float" if {form, no.form} == {"int", "float"} else "wide"
            if form == "wide" and ("bool" in {yes.form, no.form} or min(yes.low, no.low) < 0):
                raise NotScannableError(node.location, "a choice between kinds of numbers")
            if form == "wide":
                yes, no = (replace(each, source=_unsigned(each)) for each in (yes, no))
        source = f"chosen({test.source}, {yes.source}, {no.source})"
        return Value(source, POSTFIX, min(yes.low, no.low), max(yes.high, no.high), form)

    def _after(self, test: ast.Expression, *, is_true: bool) -> InstanceCalculator:
        """Return the calculator of expressions used only where *test* is true, or false."""
        plain = self.plain
        try:
            there = plain._where(plain(test), is_true=is_true)  # noqa: SLF001  (of its own base)
        except NotScannableError:
            return replace(self, is_lost=True)
        return replace(self, given=there.given, path=there.path)

    def outermost(self, node: ast.Expression) -> Value:
        """Return a whole calculation: a sum, difference or product that may leave 64 bits, too.

        Where it does, the record has no value for its column either.  Inside of a calculation that
        is not so.
        """
        while isinstance(node, ast.Cast):
            node = node.value
        is_exact = isinstance(node, ast.BinaryOp) and node.op in _EXACTLY
        if not isinstance(node, ast.BinaryOp) or not is_exact or node.joints is not None:
            return self(node)
        left, right = self(node.left), self(node.right)
        if not {left.form, right.form} <= {"int", "wide"}:
            return self._joined(node, left, right)
        low, high = range_of(node.op, (left.low, left.high), (right.low, right.high))
        has_sign = {left.form, right.form} == {"int"} and low >= LOWEST and high <= HIGHEST
        if has_sign or (low >= 0 and high <= WIDEST):
            return self._joined(node, left, right)
        source = f"{_EXACTLY[node.op]}({left.source}, {right.source})"
        return Value(source, POSTFIX, LOWEST, HIGHEST)

    def _binaryop(self, node: ast.BinaryOp) -> Value:
        return self._joined(node, self(node.left), self(node.right))

    def _joined(self, node: ast.BinaryOp, left: Value, right: Value) -> Value:
        """Return arithmetic of two operands."""
        level, op = BINARY[node.op], node.op
        if "float" in {left.form, right.form}:
            return self._of_floats(node, left, right)
        if op in {"/", "%"}:
            right = self._not_zero(node.right, right)
        try:
            low, high = range_of(op, (left.low, left.high), (right.low, right.high))
        except ValueError as error:
            raise NotScannableError(node.location, str(error)) from None
        shown = "//" if op == "/" else op
        if {left.form, right.form} == {"int"} and high <= HIGHEST:
            source = f"{left.within(level)} {shown} {right.within(level + 1)}"
            return Value(source, level, low, high)
        if not {left.form, right.form} <= {"int", "wide"} or min(left.low, right.low, low) < 0:
            raise NotScannableError(node.location, "calculates with what has no sign and 64 bits")
        source = f"{_unsigned(left)} {shown} {_unsigned(right)}"
        if high <= HIGHEST:
            return Value(f'({source}).astype("i8")', POSTFIX, low, high)
        return Value(source, level, low, high, "wide")

    def _of_floats(self, node: ast.BinaryOp, left: Value, right: Value) -> Value:
        """Return arithmetic of which a part is a double."""
        if node.op not in {"+", "-", "*", "/"}:
            raise NotScannableError(node.location, f"`{node.op}` of numbers with a fraction")
        if node.op == "/":
            literal = node.right.value if isinstance(node.right, ast.Literal_) else 0
            if right.form == "int":
                right = self._not_zero(node.right, right)
            elif not literal:
                raise NotScannableError(node.location, "divides by what may be 0")
        level = BINARY[node.op]
        source = f"{left.within(level)} {node.op} {right.within(level + 1)}"
        return Value(source, level, 0, 0, "float")

    def _not_zero(self, node: ast.Expression, value: Value) -> Value:
        """Return a divisor; a row in which it is 0 is refused."""
        if value.low > 0 or value.high < 0:
            return value
        if self.is_lost or value.form != "int" or value.high == 0:
            raise NotScannableError(node.location, "divides by what may be 0")
        plain = self.plain(node)
        self.numbers.checks.append((*self.path, f"{plain.within(BIT_OR)} == 0"))
        return replace(value, low=1) if value.low == 0 else value


def _unsigned(value: Value) -> str:
    """Return the source of integers, none of them negative, as words without a sign."""
    return (
        value.source
        if value.form == "wide" and value.binds == POSTFIX
        else f"unsigned({value.source})"
    )


def _form(low: int, high: int) -> str:
    """Return NumPy's name of the smallest type with numbers from *low* to *high*."""
    sign, bits = ("i", 1) if low < 0 else ("u", 0)
    needed = max((low + 1 if low < 0 else low).bit_length(), high.bit_length()) + bits
    found = next(size for size in (1, 2, 4, 8) if needed <= 8 * size)
    return f"{sign}{found}" if found < 8 else "i8"  # noqa: PLR2004  (bytes of a word)
