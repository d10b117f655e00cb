"""Deep expressions in pieces.

An expression may have ten thousand operators, each in the operand of another.  A function that
goes down from node to node would exhaust the stack, and so would Python's own compiler on what is
printed.  Hence every node that has many others below it is a joint: functions take the joints one
by one, the deepest first, keep what they found, and go down from each to the next ones only.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final, TypeVar

from byteloom_codegen.expressions import Node

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["deepest_first", "is_deep", "jointed", "kept", "operands"]

_APART: Final = 40
"""How many nodes are between a joint and the next: as many brackets nest in what is printed."""

_NAMES: Final[dict[type[Node], list[str]]] = {}
"""The attributes of each kind of node in which others may be."""

_PASSED: Final = {"location", "type", "target", "name"}

_Node = TypeVar("_Node", bound=Node)
_Result = TypeVar("_Result")


def jointed(node: _Node) -> _Node:
    """Make joints of some nodes of a whole expression, unless it is not deep; return it."""
    nodes: list[Node] = [node]
    for each in nodes:
        nodes += operands(each)
    if len(nodes) <= _APART:
        return node
    heights, joints, numbered = dict[int, int](), dict[int, tuple[Node, ...]](), 0
    for each in reversed(nodes):
        parts = operands(each)
        height = 1 + max((heights.pop(id(part)) for part in parts), default=0)
        below = tuple(joint for part in parts for joint in joints.pop(id(part)))
        if height > _APART:
            numbered += 1
            each.joints, each.number = below, numbered
            height, below = 0, (each,)
        heights[id(each)], joints[id(each)] = height, below
    return node


def deepest_first(node: Node) -> list[Node]:
    """Return a joint and all those below it, each after those below itself."""
    found, waiting = list[Node](), [node]
    while waiting:
        each = waiting.pop()
        found.append(each)
        waiting += each.joints or ()
    return found[::-1]


def is_deep(node: Node) -> bool:
    """Whether *node* is too deep to go down to its end: it has joints below a joint."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.joints:
            return True
        waiting += operands(each)
    return False


def kept(known: dict[int, _Result], node: Node, calculated: Callable[[Node], _Result]) -> _Result:
    """Return what is *calculated* of a node; of a joint what is *known*, or calculated now.

    Those below a joint are calculated before it, and known from then on.
    """
    if node.joints is None:
        return calculated(node)
    if id(node) not in known:
        for each in deepest_first(node):
            if id(each) not in known:
                known[id(each)] = calculated(each)
    return known[id(node)]


def operands(node: Node) -> list[Node]:
    """Return the nodes that are directly inside *node*."""
    found: list[Node] = []
    kind = node.__class__
    if kind not in _NAMES:
        _NAMES[kind] = [
            each.name for each in fields(kind) if each.init and each.name not in _PASSED
        ]
    for name in _NAMES[kind]:
        value = getattr(node, name)
        if isinstance(value, list):
            found += [part for part in value if isinstance(part, Node)]
        elif isinstance(value, Node):
            found.append(value)
    return found
