"""The common part of explaining records: read them with a tracer, and keep damage as a value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from byteloom.cli.printing.report import Report
from byteloom.errors import ByteloomError
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import Node, TracingReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding

__all__ = ["Content", "bare_report", "tracer"]

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
