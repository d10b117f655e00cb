# Written by byteloom-codegen from specs/lance/rowids.proto; do not edit.
# To change it, edit that file and generate again.
"""Row ids that stay with rows, and the versions in which rows were created and
last changed.

A fragment has a sequence of ids, one for each of its rows, deleted ones
included.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source: https://lance.org/format/table/row_id_lineage/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.documents.messages import File, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableSequence

__all__ = [
    "FILE",
    "EncodedU64Array",
    "RowDatasetVersionRun",
    "RowDatasetVersionSequence",
    "RowIdSequence",
    "U64Segment",
]

FILE: Final = File("lance/rowids.proto", __name__)
"""What these classes are declared in; the end of this module has its descriptor."""


class RowIdSequence(Message, file=FILE, name="lance.rowids.RowIdSequence"):
    """The ids of the rows of a fragment, in their order.

    no  field     stored as
     1  segments  repeated U64Segment
    """

    segments: MutableSequence[U64Segment]

    if TYPE_CHECKING:

        def __init__(self, *, segments: Iterable[U64Segment] | None = None) -> None: ...


class U64Segment(Message, file=FILE, name="lance.rowids.U64Segment"):
    """Some of the ids, in the form that takes the fewest bytes.

    no  field              stored as
     1  range              U64Segment.Range, one of segment
     2  range_with_holes   U64Segment.RangeWithHoles, one of segment
     3  range_with_bitmap  U64Segment.RangeWithBitmap, one of segment
     4  sorted_array       EncodedU64Array, one of segment
     5  array              EncodedU64Array, one of segment
    """

    class Range(Message, file=FILE, name="lance.rowids.U64Segment.Range"):
        """All ids from one up to but not including another.

        no  field  stored as
         1  start  uint64
         2  end    uint64
        """

        start: int

        end: int
        """The id after the last."""

        if TYPE_CHECKING:

            def __init__(
                self, *, start: int | None = None, end: int | None = None
            ) -> None: ...

    class RangeWithHoles(
        Message, file=FILE, name="lance.rowids.U64Segment.RangeWithHoles"
    ):
        """The same, without some of the ids.

        no  field  stored as
         1  start  uint64
         2  end    uint64
         3  holes  EncodedU64Array
        """

        start: int

        end: int

        holes: EncodedU64Array
        """The ids that are left out, ascending."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                start: int | None = None,
                end: int | None = None,
                holes: EncodedU64Array | None = None,
            ) -> None: ...

    class RangeWithBitmap(
        Message, file=FILE, name="lance.rowids.U64Segment.RangeWithBitmap"
    ):
        """The same, with a bit for each id.

        no  field   stored as
         1  start   uint64
         2  end     uint64
         3  bitmap  bytes
        """

        start: int

        end: int

        bitmap: bytes
        """The lowest bit comes first; 0 leaves an id out."""

        if TYPE_CHECKING:

            def __init__(
                self,
                *,
                start: int | None = None,
                end: int | None = None,
                bitmap: bytes | None = None,
            ) -> None: ...

    range: U64Segment.Range

    range_with_holes: U64Segment.RangeWithHoles

    range_with_bitmap: U64Segment.RangeWithBitmap

    sorted_array: EncodedU64Array
    """Ascending ids."""

    array: EncodedU64Array
    """In any order."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            range: U64Segment.Range | None = None,
            range_with_holes: U64Segment.RangeWithHoles | None = None,
            range_with_bitmap: U64Segment.RangeWithBitmap | None = None,
            sorted_array: EncodedU64Array | None = None,
            array: EncodedU64Array | None = None,
        ) -> None: ...


class EncodedU64Array(Message, file=FILE, name="lance.rowids.EncodedU64Array"):
    """Numbers of 64 bits.

    no  field      stored as
     1  u16_array  EncodedU64Array.U16Array, one of array
     2  u32_array  EncodedU64Array.U32Array, one of array
     3  u64_array  EncodedU64Array.U64Array, one of array
    """

    class U16Array(Message, file=FILE, name="lance.rowids.EncodedU64Array.U16Array"):
        """Numbers within 2^16 of a base.

        no  field    stored as
         1  base     uint64
         2  offsets  bytes
        """

        base: int

        offsets: bytes
        """What is added to the base for each number, in two bytes."""

        if TYPE_CHECKING:

            def __init__(
                self, *, base: int | None = None, offsets: bytes | None = None
            ) -> None: ...

    class U32Array(Message, file=FILE, name="lance.rowids.EncodedU64Array.U32Array"):
        """Numbers within 2^32 of a base.

        no  field    stored as
         1  base     uint64
         2  offsets  bytes
        """

        base: int

        offsets: bytes
        """What is added to the base for each number, in four bytes."""

        if TYPE_CHECKING:

            def __init__(
                self, *, base: int | None = None, offsets: bytes | None = None
            ) -> None: ...

    class U64Array(Message, file=FILE, name="lance.rowids.EncodedU64Array.U64Array"):
        """Any numbers.

        no  field   stored as
         2  values  bytes
        """

        values: bytes
        """Eight bytes each."""

        if TYPE_CHECKING:

            def __init__(self, *, values: bytes | None = None) -> None: ...

    u16_array: EncodedU64Array.U16Array

    u32_array: EncodedU64Array.U32Array

    u64_array: EncodedU64Array.U64Array

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            u16_array: EncodedU64Array.U16Array | None = None,
            u32_array: EncodedU64Array.U32Array | None = None,
            u64_array: EncodedU64Array.U64Array | None = None,
        ) -> None: ...


class RowDatasetVersionSequence(
    Message, file=FILE, name="lance.rowids.RowDatasetVersionSequence"
):
    """For each row of a fragment a version of the dataset, as runs.

    no  field  stored as
     1  runs   repeated RowDatasetVersionRun
    """

    runs: MutableSequence[RowDatasetVersionRun]

    if TYPE_CHECKING:

        def __init__(
            self, *, runs: Iterable[RowDatasetVersionRun] | None = None
        ) -> None: ...


class RowDatasetVersionRun(
    Message, file=FILE, name="lance.rowids.RowDatasetVersionRun"
):
    """Rows that have the same version.

    no  field    stored as
     1  span     U64Segment
     2  version  uint64
    """

    span: U64Segment
    """Positions of the rows in the fragment."""

    version: int

    if TYPE_CHECKING:

        def __init__(
            self, *, span: U64Segment | None = None, version: int | None = None
        ) -> None: ...


FILE.descriptor = (
    b"\n\x12lance/rowids.proto\x12\x0clance.rowids\x22;\n\rRowIdSequence\x12*\n\x08seg"
    b"ments\x18\x01 \x03(\x0b2\x18.lance.rowids.U64Segment\x22\xfb\x03\n\nU64Segment"
    b"\x12/\n\x05range\x18\x01 \x01(\x0b2\x1e.lance.rowids.U64Segment.RangeH\x00\x12C"
    b"\n\x10range_with_holes\x18\x02 \x01(\x0b2'.lance.rowids.U64Segment.RangeWithHole"
    b"sH\x00\x12E\n\x11range_with_bitmap\x18\x03 \x01(\x0b2(.lance.rowids.U64Segment.R"
    b"angeWithBitmapH\x00\x125\n\x0csorted_array\x18\x04 \x01(\x0b2\x1d.lance.rowids.E"
    b"ncodedU64ArrayH\x00\x12.\n\x05array\x18\x05 \x01(\x0b2\x1d.lance.rowids.EncodedU"
    b"64ArrayH\x00\x1a#\n\x05Range\x12\r\n\x05start\x18\x01 \x01(\x04\x12\x0b\n\x03end"
    b"\x18\x02 \x01(\x04\x1aZ\n\x0eRangeWithHoles\x12\r\n\x05start\x18\x01 \x01(\x04"
    b"\x12\x0b\n\x03end\x18\x02 \x01(\x04\x12,\n\x05holes\x18\x03 \x01(\x0b2\x1d.lance"
    b".rowids.EncodedU64Array\x1a=\n\x0fRangeWithBitmap\x12\r\n\x05start\x18\x01 \x01("
    b"\x04\x12\x0b\n\x03end\x18\x02 \x01(\x04\x12\x0e\n\x06bitmap\x18\x03 \x01(\x0cB\t"
    b"\n\x07segment\x22\xc3\x02\n\x0fEncodedU64Array\x12;\n\tu16_array\x18\x01 \x01("
    b"\x0b2&.lance.rowids.EncodedU64Array.U16ArrayH\x00\x12;\n\tu32_array\x18\x02 \x01"
    b"(\x0b2&.lance.rowids.EncodedU64Array.U32ArrayH\x00\x12;\n\tu64_array\x18\x03 "
    b"\x01(\x0b2&.lance.rowids.EncodedU64Array.U64ArrayH\x00\x1a)\n\x08U16Array\x12"
    b"\x0c\n\x04base\x18\x01 \x01(\x04\x12\x0f\n\x07offsets\x18\x02 \x01(\x0c\x1a)\n"
    b"\x08U32Array\x12\x0c\n\x04base\x18\x01 \x01(\x04\x12\x0f\n\x07offsets\x18\x02 "
    b"\x01(\x0c\x1a\x1a\n\x08U64Array\x12\x0e\n\x06values\x18\x02 \x01(\x0cB\x07\n\x05"
    b"array\x22M\n\x19RowDatasetVersionSequence\x120\n\x04runs\x18\x01 \x03(\x0b2\x22."
    b"lance.rowids.RowDatasetVersionRun\x22O\n\x14RowDatasetVersionRun\x12&\n\x04span"
    b"\x18\x01 \x01(\x0b2\x18.lance.rowids.U64Segment\x12\x0f\n\x07version\x18\x02 "
    b"\x01(\x04b\x08editionsp\xe8\x07"
)
