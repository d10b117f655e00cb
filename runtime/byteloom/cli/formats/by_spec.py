"""A file of any format, by its spec, compiled on the spot: the generated parser reads it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.formats.instances import Instances
from byteloom.cli.printing.report import Decoded, Report
from byteloom.errors import ByteloomError, LimitExceeded
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import TracingReader

if TYPE_CHECKING:
    from byteloom.cli.inputs.specs import Format
    from byteloom.storage import Source
    from byteloom.wire import Node, Record
    from byteloom.wire.nodes import Folding

__all__ = ["report"]

_OBJECTS: Final = 1_000_000
"""The most records of a tree that is folded anyway: some seconds of reading."""


def report(format_: Format, source: Source, params: dict[str, Any], *, folding: Folding) -> Report:
    """Return the report of *source*; *folding* says which nodes of its trees are folded."""
    reader = _reader(source.read(0, source.size), folding)
    instances = Instances(reader, format_.types)
    error = _damage(reader, format_.top, params)
    reader.trail.traced.settle()
    instances.evaluate()
    return Report(
        source=source,
        format=format_.spec.name,
        title=format_.spec.title or format_.spec.name,
        root=reader.root,
        facts=_left(reader.root, source.size) if error is None else {},
        decoded=[
            Decoded(name=each.path, root=each.root, load=lambda data=each.data: data)  # type: ignore[misc]
            for each in reader.trail.traced.made
            if each.root.children
        ],
        error=error or next(iter(instances.errors), None),
    )


def _left(root: Node, size: int) -> dict[str, int]:
    """Return how many bytes follow the last field, if there are any."""
    end, nodes = 0, list(root.children)
    while nodes:
        node = nodes.pop()
        if node.placed:
            end = max(end, node.end)
        nodes += node.children
    return {"bytes_after_last_field": size - end} if end < size else {}


def _reader(data: bytes, folding: Folding) -> TracingReader:
    limits = DEFAULT_LIMITS if folding.full else replace(DEFAULT_LIMITS, objects=_OBJECTS)
    return TracingReader(data, limits=limits, folding=folding)


def _damage(
    reader: TracingReader, top: type[Record], params: dict[str, Any]
) -> ByteloomError | None:
    """Read the file; return its error, or None."""
    try:
        reader.whole(top.NAME, partial(top.read, **params))
    except RecursionError:
        return LimitExceeded(top.NAME, None, "records inside records", "fewer levels")
    except ByteloomError as error:
        return error
    return None
