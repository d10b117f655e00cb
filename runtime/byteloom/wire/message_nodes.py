"""Messages as nodes: what a tree of fields shows inside the bytes of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import FormatError
from byteloom.wire.nodes import MAX_SIBLINGS, Node

if TYPE_CHECKING:
    from byteloom.wire.message_walk import Met
    from byteloom.wire.messages import Message

__all__ = ["show_message"]

_SHOWN = 64


def show_message(
    node: Node, kind: type[Message], data: bytes, *, siblings: int = MAX_SIBLINGS
) -> None:
    """Hang the fields of a message below *node*, whose bytes are *data*.

    siblings  fields of one message before the rest is folded into one node
    damage    ends the tree at the last field before it
    """
    node.value = None
    open_: list[Node | None] = [node]
    try:
        for met in kind.walk(data, node.start):
            del open_[met.depth + 1 :]
            above = open_[met.depth]
            open_.append(None if above is None else _added(above, met, siblings))
    except FormatError:
        return


def _added(above: Node, met: Met, siblings: int) -> Node | None:
    """The node of a field; None for one that was folded."""
    beside = above.children
    if len(beside) >= siblings:
        last = beside[-1]
        if not last.more:
            last.name, last.value, last.children, last.more = f"{last.name}…", None, [], 1
        last.more += 1
        last.end = met.end
        return None
    value = met.value[:_SHOWN] if isinstance(met.value, bytes | list | str) else met.value
    beside.append(Node(name=met.name, start=met.place, end=met.end, value=value))
    return beside[-1]
