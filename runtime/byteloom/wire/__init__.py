"""What generated code is built on: bounds-checked reading and writing, field by field.

Every call names its field.  The name pays three times: it documents the layout, it becomes the
path of an error, and it is what a `TracingReader` shows beside the bytes.

    Reader         takes fields from bytes or a memory map, inside a window it never leaves
    Writer         puts fields into a sink that grows
    Record         the base of every generated record: from_bytes, from_file, to_bytes
    Bits           the layout of a run of bits
    Stream         what both are to a record: a position in so many bytes
    TracingReader  a Reader that remembers which field every byte belonged to
"""

from byteloom.wire.bits import Bits
from byteloom.wire.reader import Buffer, Reader
from byteloom.wire.record import Record, Stream
from byteloom.wire.trace import Node, TracingReader
from byteloom.wire.writer import Writer

__all__ = ["Bits", "Buffer", "Node", "Reader", "Record", "Stream", "TracingReader", "Writer"]


def __dir__() -> list[str]:
    return __all__
