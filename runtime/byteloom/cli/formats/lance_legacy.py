"""Lance files of version 0.1: their tail, their messages, and the table of their pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.cli.formats.content import tracer
from byteloom.documents.message_nodes import show_message
from byteloom.lance.sized import read_framed
from byteloom.limits import DEFAULT_LIMITS
from byteloom.wire import Node
from byteloom_generated.lance.file import Metadata
from byteloom_generated.lance.table import Manifest
from byteloom_generated.lance.tail import LegacyTail

if TYPE_CHECKING:
    from byteloom.documents.messages import Message
    from byteloom.lance.reader import LanceFile
    from byteloom.wire.nodes import Folding

__all__ = ["trace_legacy"]


def trace_legacy(file: LanceFile, footer: LegacyTail, root: Node, *, folding: Folding) -> None:
    """Add the tail of a file, its messages and its page table to the tree of *root*."""
    at = file.tail.at
    reader = tracer(file.source.read(at, LegacyTail.SIZE), at, folding=folding)
    reader.record(LegacyTail.NAME, LegacyTail.read)
    root.children += reader.root.children
    metadata = file.tail.legacy or Metadata()
    root.children.append(_message(file, "metadata", footer.ofs_message, Metadata, folding))
    if metadata.manifest_position:
        at = metadata.manifest_position
        root.children.append(_message(file, "manifest", at, Manifest, folding))
    start, stop = file.legacy_pages.table
    root.children.append(Node(name="page_table", start=start, end=stop))


def _message(file: LanceFile, name: str, at: int, kind: type[Message], folding: Folding) -> Node:
    """A message that is stored after its size."""
    data, start = read_framed(file.source, at, file.tail.at, name, DEFAULT_LIMITS)
    node = Node(name=name, start=start, end=start + len(data))
    show_message(node, kind, data, folding=folding)
    return node
