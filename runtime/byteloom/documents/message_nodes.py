"""Show the fields of a message as nodes of a tree of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import FormatError
from byteloom.wire.nodes import Folding, Node

if TYPE_CHECKING:
    from byteloom.documents.message_walk import Met
    from byteloom.documents.messages import Message

__all__ = ["show_message"]

_SHOWN = 64


def show_message(
    node: Node, kind: type[Message], data: bytes, *, folding: Folding | None = None
) -> None:
    """Add the fields of a message below *node*, whose bytes are *data*.

    folding  which fields of one message are folded into one node
    damage   the tree ends at the last field before any damage
    """
    folding = folding or Folding()
    node.value = None
    open_: list[Node | None] = [node]
    try:
        for met in kind.walk(data, node.start):
            del open_[met.depth + 1 :]
            above = open_[met.depth]
            open_.append(None if above is None else _added(above, met, folding))
    except FormatError:
        return


def _added(above: Node, met: Met, folding: Folding) -> Node | None:
    """Return the node added for a field; None if it was folded."""
    is_full = len(above.children) >= folding.siblings
    node = Node(name=met.name, start=met.place, end=met.end)
    if folding.shows(above, met.place, is_full=is_full):
        folding.show(above, node)
    elif not is_full:
        above.children.append(node)
    else:
        if not folding.folds(above, met.place, met.end):
            folding.begin(above, Node(name=f"{met.name}…", start=met.place, end=met.end, more=1))
        return None
    node.value = met.value[:_SHOWN] if isinstance(met.value, bytes | list | str) else met.value
    return node
