"""What calculating an instance costs, and whether it depends on itself.

A calculated value is calculated each time it is used, since it follows from fields that may change.
If each value uses the next one twice, the cost doubles with every level; and a place may be
calculated from what is read there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import BoolType, Field, Instance, IntType, ValueInstance
from byteloom_codegen.nodes import of_member, walk
from byteloom_codegen.python.absence import is_optional

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["asks_itself", "is_costly", "is_short"]

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
