"""What calculating an instance costs, whether it depends on itself, and how large it can become.

A calculated value is calculated each time it is used, since it follows from fields that may change.
If each value uses the next one twice, the cost doubles with every level; and a place may be
calculated from what is read there.

Numbers from a file have at most 64 bits, and texts are no longer than the file.  What is calculated
from them is a little larger, unless it goes on growing: from value to value, each twice the one
before, or through parameters from record to record.  Where that cannot be ruled out, generated code
looks at the result.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.joints import kept
from byteloom_codegen.model import (
    BitsType,
    BoolType,
    EnumType,
    Field,
    Instance,
    IntType,
    Param,
    StrType,
    UserType,
    ValueInstance,
)
from byteloom_codegen.nodes import is_optional, of_member, user_types, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import DataType, Spec

__all__ = ["Growth", "asks_itself", "is_costly", "is_short"]


_MANY: Final = 1_000
"""The most values that one instance may use, which take some tenths of a millisecond."""

_SHORT: Final = 16
"""The most nodes of an expression that `read` and `write` have in place of an instance."""

_SIMPLE: Final = (ast.Literal_, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.EnumLabel)


def is_short(instance: ValueInstance) -> bool:
    """Whether *instance* is a short calculation with fields of its record, which cannot fail."""
    return _nodes(instance, _SHORT) <= _SHORT


def _nodes(instance: ValueInstance, room: int) -> int:
    """Return how many nodes *instance* is calculated by; more than *room* if it is not short."""
    if not isinstance(instance.type, IntType | BoolType) or instance.valid or is_optional(instance):
        return room + 1
    count = 0
    for node in walk(instance.value):
        count += 1
        if node.joints is not None or count > room:
            return room + 1
        if isinstance(node, ast.Name) and isinstance(node.target, ValueInstance):
            count += _nodes(node.target, room - count)
        elif isinstance(node, ast.Name):
            if type(node.target) is not Field or is_optional(node.target):
                return room + 1
        elif isinstance(node, ast.BinaryOp):
            if str(node.op) not in "+-&|^":
                return room + 1
        elif not isinstance(node, _SIMPLE):
            return room + 1
    return count


def is_costly(instance: ValueInstance) -> bool:
    """Whether *instance* uses more values than allowed, or may depend on itself."""
    return _cost(instance, {}) > _MANY or asks_itself(instance)


def asks_itself(instance: Field | ValueInstance) -> bool:
    """Whether *instance* may depend on itself."""
    seen: set[int] = set()
    waiting = list(_asked(instance))
    while waiting:
        each = waiting.pop()
        if each is instance or each is None:
            return True
        if id(each) not in seen:
            seen.add(id(each))
            waiting += _asked(each)
    return False


def _cost(instance: Instance | ValueInstance | None, known: dict[int, int]) -> int:
    """Return how many values are calculated; what is read is read once."""
    if not isinstance(instance, ValueInstance):
        return 1
    if id(instance) not in known:
        known[id(instance)] = 1  # an instance that depends on itself is reported elsewhere
        known[id(instance)] = 1 + sum(_cost(each, known) for each in _asked(instance))
    return known[id(instance)]


def _asked(member: Field | ValueInstance) -> Iterator[Instance | ValueInstance | None]:
    """Yield the instances that *member* uses; None for one that only the record itself has."""
    for node in of_member(member):
        if isinstance(node, ast.Name | ast.Attribute):
            if isinstance(node.target, Instance | ValueInstance):
                yield node.target
            elif node.late:
                yield None


_WIDEST: Final = 1023
"""The most bits of a number in generated code: the largest exponent of a float."""

_LARGEST: Final = 64
"""The most bits of a size, a position or an index, and of a value that a caller passes."""

_PARTS: Final = 1_000
"""The most texts of a file that one text may be joined from."""


class Growth:
    """Bounds the values of one spec's expressions."""

    def __init__(self, spec: Spec) -> None:
        """Find out which values are passed to the parameters of *spec*'s types."""
        self._handed: dict[int, list[ast.Expression]] = {}
        self._known: dict[int, float] = {}
        self._sizes: dict[int, tuple[ast.BinaryOp, float]] = {}
        self._asking = 0
        for each in spec.top.walk():
            for member in (*each.seq, *each.instances):
                for user in user_types(member.type):
                    if isinstance(user, UserType):
                        for param, arg in zip(user.type.params, user.args, strict=False):
                            self._handed.setdefault(id(param), []).append(arg)

    def may_grow(self, node: ast.Expression) -> bool:
        """Whether the number or text that *node* calculates may grow enough to need a check."""
        if isinstance(node.type, StrType):
            return self._size(node) > _PARTS
        if not isinstance(node, ast.BinaryOp) or not isinstance(node.type, IntType):
            return False
        left, right = self._size(node.left), self._size(node.right)
        match node.op:
            case "*":
                return left + right > _WIDEST
            case "+" | "-":  # adding a small number takes as many steps as the sum is large
                return min(left, right) >= _WIDEST
            case "<<":
                return left + _value(node.right) > _WIDEST
        return False

    def _size(self, node: ast.Expression) -> float:
        """Return the most bits of a number, or parts of a text; infinity where unbounded."""
        return kept(self._known, node, self._calculated)

    def _calculated(self, node: ast.Node) -> float:
        match node:
            case ast.Literal_(value=int(value)):
                return value.bit_length()
            case ast.Name() | ast.Attribute() if isinstance(node.target, ValueInstance | Param):
                return self._of_member(node.target)
            case ast.UnaryOp(operand=operand):
                return self._size(operand) + 1
            case ast.Ternary(yes=yes, no=no):
                return max(self._size(yes), self._size(no))
            case ast.FString(parts=parts):
                return sum(1 if isinstance(part, str) else self._size(part) for part in parts)
            case ast.BinaryOp():
                return self._of_operation(node)
            case ast.Cast():
                return inf
            case ast.Call(method="to_i") | ast.Attribute(name="to_i", target=None):
                return _WIDEST
            case ast.Call(method="substring", value=value):
                return self._size(value)
        return _width(node.type)

    def _of_member(self, target: ValueInstance | Param) -> float:
        if id(target) not in self._known:
            self._known[id(target)] = inf  # a value that follows from itself
            self._asking += 1
            if isinstance(target, ValueInstance):
                size = self._size(target.value)
            else:
                handed = self._handed.get(id(target), [])
                size = max(map(self._size, handed), default=_width(target.type))
            self._asking -= 1
            self._known[id(target)] = size
        return self._known[id(target)]

    def _of_operation(self, node: ast.BinaryOp) -> float:
        """Return the size of a result, kept: each operation above asks for it again.

        What is found while a member waits for its own size is not: that may follow from itself.
        """
        if self._asking:
            return self._of_operands(node)
        if id(node) not in self._sizes:  # with the node, so that no other gets its id
            self._sizes[id(node)] = node, self._of_operands(node)
        return self._sizes[id(node)][1]

    def _of_operands(self, node: ast.BinaryOp) -> float:
        left, right = self._size(node.left), self._size(node.right)
        if isinstance(node.type, StrType):
            return left + right
        match node.op:
            case "+" | "-":
                return max(left, right) + 1 if min(left, right) < _WIDEST else _WIDEST
            case "*":
                return min(left + right, _WIDEST)
            case "<<":
                return min(left + _value(node.right), _WIDEST)
            case "/" | ">>":
                return left
            case "%":
                return right
        return max(left, right)


def _value(node: ast.Expression) -> float:
    value = node.value if isinstance(node, ast.Literal_) else None
    return value if isinstance(value, int) else inf


def _width(type_: DataType) -> float:
    """Return how large a value of *type_* may be that was read or counted."""
    match type_:
        case IntType(width=int(width)):
            return 8 * width
        case BitsType(width=width):
            return width
        case EnumType(base=base):
            return _width(base)
        case BoolType() | StrType():
            return 1
    return _LARGEST
