"""KSY expressions as integer arithmetic that Python and numba agree on.

Compiled, an integer has 64 bits and wraps silently; interpreted, it is unbounded.  So every
expression carries the range of its values, and one that could leave 64 bits is not printed at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import (
    BitsType,
    BoolType,
    EnumType,
    IntType,
    IoType,
    ValueInstance,
)
from byteloom_codegen.precedence import (
    AND,
    BINARY,
    BIT_OR,
    COMPARE,
    NOT,
    OR,
    POSTFIX,
    SUM,
    TERNARY,
    UNARY,
)
from byteloom_codegen.scanners.flattening import check_depth, flattened
from byteloom_codegen.scanners.numbers import HIGHEST, LOWEST, WIDEST, range_of
from byteloom_codegen.scanners.refusals import NotScannableError
from byteloom_codegen.scanners.variables import (
    BytesVariable,
    Environment,
    ListVariable,
    Value,
    Variable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom_codegen.scanners.variables import Member

__all__ = ["Calculator", "all_true"]

_FARTHEST: Final = 1 << 60
"""More bytes than any stream has; sums of several still fit a word."""


@dataclass(frozen=True, slots=True)
class Calculator:
    """Prints expressions in one environment.

    given  conditions known to be true where the expression is used
    path   the tests on the way to this part of an expression
    """

    here: Environment
    given: frozenset[str] = frozenset()
    path: tuple[str, ...] = ()

    @property
    def plain(self) -> Calculator:
        """What prints tests of one row."""
        return self

    def __call__(self, node: ast.Expression) -> Value:
        """Return *node* as source with its range."""
        if node.joints is not None:
            node = flattened(node)
        method: Callable[[ast.Expression], Value] | None
        method = getattr(self, f"_{type(node).__name__.strip('_').lower()}", None)
        if method is None:
            raise NotScannableError(node.location, "scanners calculate with integers only")
        value: Value = method(node)
        if value.low < LOWEST or value.high > (WIDEST if value.form == "wide" else HIGHEST):
            raise NotScannableError(node.location, f"`{value.source}` can leave 64 bits")
        return value

    # Leaves

    def _literal(self, node: ast.Literal_) -> Value:
        if not isinstance(node.value, int):
            raise NotScannableError(node.location, "scanners calculate with integers only")
        binds = UNARY if node.value < 0 else POSTFIX
        return Value(repr(node.value), binds, int(node.value), int(node.value))

    def _sizeof(self, node: ast.SizeOf) -> Value:
        return Value(str(node.value), POSTFIX, node.value, node.value)

    def _enumlabel(self, node: ast.EnumLabel) -> Value:
        value = next(each.value for each in node.enum.members if each.name == node.label)
        return Value(str(value), UNARY if value < 0 else POSTFIX, value, value)

    def _name(self, node: ast.Name) -> Value:
        if isinstance(node.target, ValueInstance):
            return self._instance(node.target, self.here)
        return self._number(self._resolved(node), node)

    def _attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.target, ValueInstance):
            where = self._environment(node.value)
            if node.name in where.members:  # the value of a varint is known, not calculated
                return self._number(where.members[node.name], node)
            return self._instance(node.target, where)
        if node.target is not None:
            return self._number(self._resolved(node), node)
        return self._builtin(node.value, node.name, node)

    def _index(self, node: ast.Index) -> Value:
        return self._number(self._resolved(node), node)

    def _call(self, node: ast.Call) -> Value:
        return self._builtin(node.value, node.method, node)

    def _cast(self, node: ast.Cast) -> Value:
        return self(node.value)

    # Names

    def _instance(self, instance: ValueInstance, where: Environment) -> Value:
        calculator, test = replace(self, here=where), instance.condition
        if instance.valid is not None or (
            test is not None and calculator.plain(test).source not in self.given
        ):
            raise NotScannableError(
                instance.location, f"`{instance.name}` has conditions of its own"
            )
        return calculator(instance.value)

    def _resolved(self, node: ast.Expression) -> Member:
        check_depth(node)
        found: Member | None = None
        if isinstance(node, ast.Name):
            here = self.here
            special = {
                "_parent": here.parent, "_": here.item, "_index": here.index,
                "_root": self._root(),
            }  # fmt: skip
            found = here.members.get(node.id) if node.target else special.get(node.id)
        elif isinstance(node, ast.Attribute):
            if node.name == "_parent":
                found = self._environment(node.value).parent
            else:
                found = self._environment(node.value).members.get(node.name)
        elif isinstance(node, ast.Index):
            found = self._element(node)
        if found is None:
            raise NotScannableError(
                node.location, f"`{_name_of(node)}` is not known while scanning"
            )
        return found

    def _element(self, node: ast.Index) -> Member | None:
        """Return an element of a list, which may not exist."""
        found = self._resolved(node.value) if isinstance(node.value, _PATHS) else None
        if not isinstance(found, ListVariable):
            return None
        self._check_given(found.condition, node)
        return found.item(self(node.index), self.path)

    def _root(self) -> Environment | None:
        found: Environment | None = self.here
        while found is not None and found.root is None and found.spec.owner is not None:
            found = found.parent
        return found if found is None or found.root is None else found.root

    def _environment(self, node: ast.Expression) -> Environment:
        if isinstance(node, ast.Cast):
            return self._environment(node.value)
        found = self._resolved(node)
        if not isinstance(found, Environment):
            raise NotScannableError(node.location, f"`{_name_of(node)}` is not a record")
        self._check_given(found.condition, node)
        return found

    def _number(self, found: Member, node: ast.Expression) -> Value:
        if not isinstance(found, Variable):
            raise NotScannableError(node.location, "scanners calculate with integers only")
        self._check_given(found.condition, node)
        return Value(found.source, POSTFIX, found.low, found.high)

    def _check_given(self, condition: str, node: ast.Expression) -> None:
        if condition and condition not in self.given:
            reason = f"calculates with `{_name_of(node)}`, which a record may lack"
            raise NotScannableError(node.location, reason)

    def _builtin(self, value: ast.Expression, name: str, node: ast.Expression) -> Value:
        if isinstance(value.type, IoType) and isinstance(value, ast.Name):
            start, end = self.here.start, self.here.end
            if name == "size" and end and not start:
                return Value(end, POSTFIX, 0, _FARTHEST)
            streams = {
                "pos": Value(f"at - {start}", SUM, 0, _FARTHEST),
                "size": Value(f"{end} - {start}", SUM, 0, _FARTHEST),
                "eof": Value(f"at >= {end}", COMPARE, 0, 1),
            }
            if name in streams and start and end:  # elements of one size are not read one by one
                return streams[name]
        if name == "to_i" and isinstance(value.type, EnumType | BoolType | BitsType | IntType):
            return self(value)
        if name in {"length", "size"} and isinstance(value, ast.Name | ast.Attribute):
            found = self._resolved(value)
            if isinstance(found, BytesVariable | ListVariable):
                self._check_given(found.condition, value)
                return Value(found.size, POSTFIX, 0, _FARTHEST)
        raise NotScannableError(node.location, f"scanners do not know `.{name}` of this")

    # Operators

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if node.op == "not":
            return self.negated(self(node.operand))
        value = self(node.operand)
        one = 1 if node.op == "~" else 0
        return Value(f"{node.op}{value.within(UNARY)}", UNARY, -value.high - one, -value.low - one)

    def negated(self, value: Value) -> Value:
        """Return the source of the negation of *value*."""
        return Value(f"not {value.within(NOT)}", NOT, 0, 1)

    def all_of(self, tests: list[str]) -> str:
        """Return the source of the conjunction of comparisons."""
        return " and ".join(tests)

    def _compare(self, node: ast.Compare) -> Value:
        left, right = self(node.left), self(node.right)
        return Value(f"{left.within(BIT_OR)} {node.op} {right.within(BIT_OR)}", COMPARE, 0, 1)

    def _boolop(self, node: ast.BoolOp) -> Value:
        level = AND if node.op == "and" else OR
        left = self(node.left)
        right = self._where(left, is_true=node.op == "and")(node.right)
        return Value(f"{left.within(level)} {node.op} {right.within(level)}", level, 0, 1)

    def _ternary(self, node: ast.Ternary) -> Value:
        test = self(node.condition)
        yes = self._where(test, is_true=True)(node.yes)
        no = self._where(test, is_true=False)(node.no)
        source = f"{yes.within(OR)} if {test.within(OR)} else {no.within(TERNARY)}"
        return Value(source, TERNARY, min(yes.low, no.low), max(yes.high, no.high))

    def _where(self, test: Value, *, is_true: bool) -> Calculator:
        """Return the calculator of expressions used only where *test* is true, or false."""
        if not is_true:
            return replace(self, path=(*self.path, self.negated(test).source))
        return replace(self, given=self.given | {test.source}, path=(*self.path, test.source))

    def _binaryop(self, node: ast.BinaryOp) -> Value:
        left, right, level = self(node.left), self(node.right), BINARY[node.op]
        try:
            low, high = range_of(node.op, (left.low, left.high), (right.low, right.high))
        except ValueError as error:
            raise NotScannableError(node.location, str(error)) from None
        op = "//" if node.op == "/" else node.op
        return Value(f"{left.within(level)} {op} {right.within(level + 1)}", level, low, high)


def all_true(tests: Sequence[str], operator: str = "and") -> str:
    """Return the source of whether all *tests* are true."""
    return tests[0] if len(tests) == 1 else f" {operator} ".join(f"({each})" for each in tests)


_PATHS: Final = ast.Name, ast.Attribute, ast.Index
"""Expressions that refer to a field."""


def _name_of(node: ast.Expression) -> str:
    if isinstance(node, ast.Index):
        return f"{_name_of(node.value)}[...]"
    if isinstance(node, ast.Name):
        return node.id
    return node.name if isinstance(node, ast.Attribute) else "a value"
