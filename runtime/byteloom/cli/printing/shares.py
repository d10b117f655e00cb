"""What share of a file each kind of its parts takes.

Parts are the outermost nodes of a report, or those in the only one, and the elements of one field
are one kind.  Bytes that no node has are a kind of their own, `UNNAMED`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.wire import Node

__all__ = ["UNNAMED", "parts_of", "percent"]

UNNAMED: Final = "(gap)"
"""The name of bytes that belong to no node: padding, and what was not read."""

_INDEX: Final = re.compile(r"\[\d+\]")


def parts_of(root: Node, *, by_value: bool) -> list[dict[str, Any]]:
    """Return a row for each kind of part: its name, how many there are, their bytes, their share.

    by_value  nodes whose value is text are called by it: blocks of an HFile by their types
    returns   the rows in file order; none where a file has one part, which is all of it
    """
    nodes = _placed(root)
    while len(nodes) == 1 and (inner := _placed(nodes[0])):
        nodes = inner
    found: dict[str, tuple[int, int]] = {}
    for node in nodes:
        is_kind = by_value and isinstance(node.value, str)
        name = str(node.value) if is_kind else _INDEX.sub("[]", node.name)
        count, size = found.get(name, (0, 0))
        found[name] = (count + (node.more or 1), size + node.size)
    gaps = list(_gaps(nodes, root.end))
    if len(found) + bool(gaps) < 2:  # noqa: PLR2004  a single part needs no share
        return []
    if gaps:
        found[UNNAMED] = (len(gaps), sum(gaps))
    return [
        {"name": name, "count": count, "size": size, "percent": percent(size, root.end)}
        for name, (count, size) in found.items()
    ]


def _placed(node: Node) -> list[Node]:
    """Return the nodes in *node* that are whole bytes of the file."""
    return [each for each in node.children if each.placed and each.bits is None]


def percent(size: int, whole: int) -> float:
    """Return how much of *whole* bytes *size* is, as a percentage with two digits."""
    return round(100 * size / whole, 2) if whole else 0.0


def _gaps(nodes: Iterable[Node], end: int) -> Iterable[int]:
    """Yield the size of each run of bytes that no node has."""
    at = 0
    for node in sorted(nodes, key=lambda each: each.start):
        if node.start > at:
            yield node.start - at
        at = max(at, node.end)
    if end > at:
        yield end - at
