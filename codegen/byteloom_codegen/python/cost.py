"""What calculating an instance costs, and whether it depends on itself.

A calculated value is calculated each time it is used, since it follows from fields that may change.
If each value uses the next one twice, the cost doubles with every level; and a place may be
calculated from what is read there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import Instance, ValueInstance
from byteloom_codegen.python.uses import of_member

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import Field

__all__ = ["asks_itself", "is_costly"]

_MANY: Final = 1_000
"""The most values that one instance may use, which take some tenths of a millisecond."""


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
