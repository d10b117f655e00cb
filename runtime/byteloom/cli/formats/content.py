"""The common parts of explaining files: records read with a tracer, and messages as nodes.

Damage is kept as a value, beside what was understood.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from byteloom.cli.printing.report import Report
from byteloom.errors import ByteloomError, FormatError
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import Node, TracingReader
from byteloom.wire.nodes import Folding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from byteloom.documents.message_walk import Met
    from byteloom.documents.messages import Message
    from byteloom.parquet.structs import StructField
    from byteloom.storage import Source

__all__ = ["Content", "bare_report", "show_fields", "show_message", "tracer"]

_T = TypeVar("_T")

_GLANCE: Final = replace(DEFAULT_LIMITS, objects=1_000_000)
"""The most records of a tree that is folded anyway: some seconds of reading."""


@dataclass(slots=True, kw_only=True)
class Content:
    """What bytes of a known layout hold.

    nodes  their fields, as far as they were understood
    facts  what they mean, as JSON values
    error  what is wrong with them
    """

    nodes: list[Node]
    facts: dict[str, Any] = field(default_factory=dict)
    error: ByteloomError | None = None

    def attempt(self, call: Callable[[], _T]) -> _T | None:
        """Return what *call* returns; its error is kept, the first one only, and gives None."""
        if self.error is not None:
            return None
        try:
            return call()
        except ByteloomError as error:
            self.error = error
            return None


def tracer(data: bytes, origin: int, *, folding: Folding) -> TracingReader:
    """Return a tracing reader of *data*."""
    limits = DEFAULT_LIMITS if folding.full else _GLANCE
    return TracingReader(data, origin=origin, limits=limits, folding=folding)


def bare_report(source: Source, format_: str, title: str, content: Content) -> Report:
    """Return the report of a file that consists of *content* alone."""
    root = Node(name="", start=0, end=source.size, children=content.nodes)
    return Report(
        source=source,
        format=format_,
        title=title,
        root=root,
        facts=content.facts,
        error=content.error,
    )


_SHOWN = 64


def show_message(
    node: Node, kind: type[Message], data: bytes, *, folding: Folding | None = None
) -> None:
    """Add the fields of a message below *node*, whose bytes are *data*.

    folding  which fields of one message are folded into one node
    damage   the tree ends at the last field before any damage
    """
    show_fields(node, kind.walk(data, node.start), folding=folding)


def show_fields(
    node: Node, fields: Iterable[Met | StructField], *, folding: Folding | None = None
) -> None:
    """Add walked fields below *node*.

    folding  which fields of one message are folded into one node
    damage   the tree ends at the last field before any damage
    """
    folding = folding or Folding()
    node.value = None
    open_: list[Node | None] = [node]
    try:
        for met in fields:
            del open_[met.depth + 1 :]
            above = open_[met.depth]
            open_.append(None if above is None else _added(above, met, folding))
    except FormatError:
        return


def _added(above: Node, met: Met | StructField, folding: Folding) -> Node | None:
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
