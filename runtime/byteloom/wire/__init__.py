"""The runtime of generated code: bounds-checked reading and writing, field by field.

Every call names its field.  The name has three uses: it documents the layout, it becomes the
path in an error, and a `TracingReader` shows it beside the bytes.

    Reader         takes fields from bytes or a memory map, and never reads outside its window
    Writer         puts fields into a sink that grows
    Record         the base of every generated record: from_bytes, from_file, to_bytes
    FieldRun       the layout of adjacent numbers
    Bits           the layout of adjacent bit fields
    Stream         the interface that a record sees of both: a position and a size
    TracingReader  a Reader that records which field each byte belongs to, as Nodes
    Folding        how many fields of a list a TracingReader records, and which Window of others
"""

from byteloom.wire.layouts import Bits, FieldRun
from byteloom.wire.nodes import Folding, Node, Window
from byteloom.wire.reader import Buffer, Reader
from byteloom.wire.record import Record
from byteloom.wire.trace import TracingReader
from byteloom.wire.window import Stream
from byteloom.wire.writer import Writer

__all__ = [
    "Bits",
    "Buffer",
    "FieldRun",
    "Folding",
    "Node",
    "Reader",
    "Record",
    "Stream",
    "TracingReader",
    "Window",
    "Writer",
]


def __dir__() -> list[str]:
    return __all__
