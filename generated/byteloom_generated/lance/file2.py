# Written by byteloom-codegen from specs/lance/file2.proto; do not edit.
# To change it, edit that file and generate again.
"""The columns of a Lance file of version 2.x: where the pages of each are, and how
they are encoded.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source: https://github.com/lance-format/lance/blob/main/protos/file2.proto
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.documents.messages import File, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence

__all__ = [
    "FILE",
    "ColumnMetadata",
    "DeferredEncoding",
    "Described",
    "DirectEncoding",
    "EarlyColumnMetadata",
    "Empty",
    "Encoding",
    "Page",
]

FILE: Final = File("lance/file2.proto", __name__)
"""What these classes are declared in; the end of this module has its descriptor."""


class ColumnMetadata(Message, file=FILE, name="lance.file.v2.ColumnMetadata"):
    """A column of a file. In 2.0 each field has one, from 2.1 on each leaf.

    no  field           stored as
     1  encoding        Encoding
     2  pages           repeated Page
     3  buffer_offsets  repeated uint64
     4  buffer_sizes    repeated uint64
    """

    encoding: Encoding
    """How the column as a whole is encoded: `Values`, or a blob column of 2.0."""

    pages: MutableSequence[Page]
    """Its rows, divided into pages."""

    buffer_offsets: MutableSequence[int]
    """Where its own buffers begin; no released writer makes any."""

    buffer_sizes: MutableSequence[int]
    """The sizes of these buffers in bytes."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            encoding: Encoding | None = None,
            pages: Iterable[Page] | None = None,
            buffer_offsets: Iterable[int] | None = None,
            buffer_sizes: Iterable[int] | None = None,
        ) -> None: ...


class EarlyColumnMetadata(Message, file=FILE, name="lance.file.v2.EarlyColumnMetadata"):
    """A column of a file by release 0.10.18, which describes only its pages.

    no  field  stored as
     1  pages  repeated Page
    """

    pages: MutableSequence[Page]
    """Its rows, divided into pages."""

    if TYPE_CHECKING:

        def __init__(self, *, pages: Iterable[Page] | None = None) -> None: ...


class Page(Message, file=FILE, name="lance.file.v2.Page"):
    """Some rows of a column.

    no  field           stored as
     1  buffer_offsets  repeated uint64
     2  buffer_sizes    repeated uint64
     3  length          uint64
     4  encoding        Encoding
     5  priority        uint64
    """

    buffer_offsets: MutableSequence[int]
    """Where its buffers begin in the file."""

    buffer_sizes: MutableSequence[int]
    """The sizes of these buffers in bytes."""

    length: int
    """Number of rows; in 2.0, of items for a column inside a list."""

    encoding: Encoding
    """How it is encoded."""

    priority: int
    """The number of its first row from 2.1 on; 0 in 2.0."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            buffer_offsets: Iterable[int] | None = None,
            buffer_sizes: Iterable[int] | None = None,
            length: int | None = None,
            encoding: Encoding | None = None,
            priority: int | None = None,
        ) -> None: ...


class Encoding(Message, file=FILE, name="lance.file.v2.Encoding"):
    """A description of an encoding, or where it is.

    no  field     stored as
     1  indirect  DeferredEncoding, one of location
     2  direct    DirectEncoding, one of location
     3  none      Empty, one of location
    """

    indirect: DeferredEncoding
    """It is elsewhere in the file; no writer uses this."""

    direct: DirectEncoding
    """It is here."""

    none: Empty
    """There is no description; releases 0.11 and 0.12 wrote this for columns."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            indirect: DeferredEncoding | None = None,
            direct: DirectEncoding | None = None,
            none: Empty | None = None,
        ) -> None: ...


class DeferredEncoding(Message, file=FILE, name="lance.file.v2.DeferredEncoding"):
    """Where the description of an encoding is.

    no  field            stored as
     1  buffer_location  uint64
     2  buffer_length    uint64
    """

    buffer_location: int
    """Where it begins."""

    buffer_length: int
    """Its bytes."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            buffer_location: int | None = None,
            buffer_length: int | None = None,
        ) -> None: ...


class DirectEncoding(Message, file=FILE, name="lance.file.v2.DirectEncoding"):
    """The description of an encoding.

    no  field     stored as
     1  encoding  bytes
    """

    encoding: bytes
    """A serialized `google.protobuf.Any`."""

    if TYPE_CHECKING:

        def __init__(self, *, encoding: bytes | None = None) -> None: ...


class Described(Message, file=FILE, name="lance.file.v2.Described"):
    """A message whose type is named beside it, `google.protobuf.Any` on the wire.

    no  field     stored as
     1  type_url  string
     2  value     bytes
    """

    type_url: str
    """The type: `/lance.encodings21.PageLayout`."""

    value: bytes
    """The message."""

    if TYPE_CHECKING:

        def __init__(
            self, *, type_url: str | None = None, value: bytes | None = None
        ) -> None: ...


class Empty(Message, file=FILE, name="lance.file.v2.Empty"):
    """Nothing."""

    if TYPE_CHECKING:

        def __init__(self) -> None: ...


FILE.descriptor = (
    b"\n\x11lance/file2.proto\x12\rlance.file.v2\x22\x8d\x01\n\x0eColumnMetadata\x12)"
    b"\n\x08encoding\x18\x01 \x01(\x0b2\x17.lance.file.v2.Encoding\x12\x22\n\x05pages"
    b"\x18\x02 \x03(\x0b2\x13.lance.file.v2.Page\x12\x16\n\x0ebuffer_offsets\x18\x03 "
    b"\x03(\x04\x12\x14\n\x0cbuffer_sizes\x18\x04 \x03(\x04\x229\n\x13EarlyColumnMetad"
    b"ata\x12\x22\n\x05pages\x18\x01 \x03(\x0b2\x13.lance.file.v2.Page\x22\x81\x01\n"
    b"\x04Page\x12\x16\n\x0ebuffer_offsets\x18\x01 \x03(\x04\x12\x14\n\x0cbuffer_sizes"
    b"\x18\x02 \x03(\x04\x12\x0e\n\x06length\x18\x03 \x01(\x04\x12)\n\x08encoding\x18"
    b"\x04 \x01(\x0b2\x17.lance.file.v2.Encoding\x12\x10\n\x08priority\x18\x05 \x01("
    b"\x04\x22\xa2\x01\n\x08Encoding\x123\n\x08indirect\x18\x01 \x01(\x0b2\x1f.lance.f"
    b"ile.v2.DeferredEncodingH\x00\x12/\n\x06direct\x18\x02 \x01(\x0b2\x1d.lance.file."
    b"v2.DirectEncodingH\x00\x12$\n\x04none\x18\x03 \x01(\x0b2\x14.lance.file.v2.Empty"
    b"H\x00B\n\n\x08location\x22B\n\x10DeferredEncoding\x12\x17\n\x0fbuffer_location"
    b"\x18\x01 \x01(\x04\x12\x15\n\rbuffer_length\x18\x02 \x01(\x04\x22\x22\n\x0eDirec"
    b"tEncoding\x12\x10\n\x08encoding\x18\x01 \x01(\x0c\x22,\n\tDescribed\x12\x10\n"
    b"\x08type_url\x18\x01 \x01(\t\x12\r\n\x05value\x18\x02 \x01(\x0c\x22\x07\n\x05Emp"
    b"tyb\x08editionsp\xe8\x07"
)
