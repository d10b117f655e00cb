"""Small Lance files of version 2.x, put together from the records and messages of the specs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from byteloom_generated.lance.file import Field, FileDescriptor, Schema
from byteloom_generated.lance.file2 import (
    ColumnMetadata,
    Described,
    DirectEncoding,
    Empty,
    Encoding,
    Page,
)
from byteloom_generated.lance.tail import Extent, Footer, Version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.documents.messages import Message

__all__ = ["StoredPage", "lance_field", "lance_file"]

PAIRS = {"0.1": (0, 2), "2.0": (0, 3), "2.1": (2, 1), "2.2": (2, 2), "2.3": (2, 3)}
VALUES = Described(type_url="/lance.encodings.ColumnEncoding", value=b"\x0a\x00")


@dataclass
class StoredPage:
    """A page to be: rows, what its encoding is, and the bytes of its buffers."""

    length: int
    url: str
    encoding: Message | bytes
    buffers: Sequence[bytes] = ()
    priority: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)


def lance_field(name: str, logical_type: str, number: int = 0, **values: Any) -> Field:
    """Return a field at the top that may be null, unless *values* say something else."""
    given = {"parent_id": -1, "nullable": True, **values}
    return Field(name=name, logical_type=logical_type, id=number, **given)


def lance_file(
    fields: Sequence[Field],
    columns: Sequence[Sequence[StoredPage]],
    *,
    rows: int,
    version: str = "2.0",
    pair: tuple[int, int] | None = None,
    column_encoding: Described | None = VALUES,
) -> bytes:
    """Return a file of these columns, its buffers at multiples of 64 bytes.

    column_encoding  how columns are encoded as a whole; None says ``none``
    """
    out = bytearray()
    whole = Encoding(none=Empty()) if column_encoding is None else _direct(column_encoding)
    messages = [_column(pages, out, whole) for pages in columns]
    descriptor = FileDescriptor(schema=Schema(fields=fields), length=rows).SerializeToString()
    buffers = [Extent(offset=_place(out, descriptor), size=len(descriptor))]
    extents = []
    for each in messages:
        extents.append(Extent(offset=len(out), size=len(each)))
        out += each
    tables = []
    for table in (extents, buffers):
        tables.append(len(out))
        out += b"".join(each.to_bytes() for each in table)
    major, minor = pair or PAIRS[version]
    footer = Footer(
        ofs_columns=extents[0].offset if extents else tables[0],
        ofs_column_extents=tables[0],
        ofs_buffer_extents=tables[1],
        num_buffers=len(buffers),
        num_columns=len(extents),
        version=Version(major=major, minor=minor),
    )
    return bytes(out + footer.to_bytes())


def _place(out: bytearray, data: bytes) -> int:
    """Put *data* at the next multiple of 64, and return where that is."""
    out += b"H" * (-len(out) % 64)
    out += data
    return len(out) - len(data)


def _column(pages: Sequence[StoredPage], out: bytearray, whole: Encoding) -> bytes:
    stored = []
    for each in pages:
        data = (
            each.encoding if isinstance(each.encoding, bytes) else each.encoding.SerializeToString()
        )
        values: dict[str, Any] = {
            "buffer_offsets": [_place(out, buffer) for buffer in each.buffers],
            "buffer_sizes": [len(buffer) for buffer in each.buffers],
            "length": each.length,
            "priority": each.priority,
            "encoding": _direct(Described(type_url=each.url, value=data)),
        }
        stored.append(Page(**values | each.metadata))
    return ColumnMetadata(encoding=whole, pages=stored).SerializeToString()


def _direct(described: Described) -> Encoding:
    return Encoding(direct=DirectEncoding(encoding=described.SerializeToString()))
