# Written by byteloom-codegen from specs/lance/encodings.yaml; do not edit.
# To change it, edit that file and generate again.
"""A version decides how pages are encoded: by array encodings in 2.0, from 2.1 on
by a structural layout, which says where lists and nulls are, and compressive
encodings inside of it. Numbers are those of fields in the messages.

Source: https://lance.org/format/file/versioning/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "ARRAY_ENCODINGS",
    "BLOB_DESCRIPTOR",
    "BLOB_KINDS",
    "COMPRESSIVE_ENCODINGS",
    "JSON_CONTAINERS",
    "JSON_NUMBERS",
    "JSON_TYPES",
    "PAGE_LAYOUTS",
    "VERSIONS",
    "Code",
    "Encoding",
    "Kind",
    "Part",
    "Version",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of the format."""

    name: str
    """Its usual name."""

    file_pair: str
    """Major and minor at the end of files."""

    manifest_pair: str
    """Major and minor of data files in manifests."""

    is_stable: bool
    """Whether later releases will still read its files."""

    alignment: int
    """What the places of buffers are multiples of; in 2.0 from release 0.19.2 on, in
    2.1 from 0.19.
    """

    doc: str
    """What it brought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """A way to store values."""

    number: int
    """Its field in the message."""

    name: str
    """Its name there."""

    since: str
    """The first version whose released writers use it; nothing where none does."""

    doc: str
    """What it encodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A place of the bytes of a blob."""

    number: int
    """What descriptors have."""

    name: str
    """Its name."""

    doc: str
    """Which file has the bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A number that says what follows in JSON in its binary form."""

    number: int
    """What is stored."""

    name: str
    """Its name."""

    doc: str
    """What follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A field of a struct that says where a blob is."""

    name: str
    """Its name."""

    logical_type: str
    """Its type; it is never null."""

    doc: str
    """What it says."""


VERSIONS: Final = (
    Version(
        name="0.1",
        file_pair="0/0 to 0/2",
        manifest_pair="0/2",
        is_stable=True,
        alignment=1,
        doc="Batches of rows; no nulls in values of fixed width.",
    ),
    Version(
        name="2.0",
        file_pair="0/3",
        manifest_pair="2/0",
        is_stable=True,
        alignment=64,
        doc="Columns in pages of their own; no null structs.",
    ),
    Version(
        name="2.1",
        file_pair="2/1",
        manifest_pair="2/1",
        is_stable=True,
        alignment=64,
        doc="A column for each leaf, nulls at every level, compression.",
    ),
    Version(
        name="2.2",
        file_pair="2/2",
        manifest_pair="2/2",
        is_stable=True,
        alignment=64,
        doc="Larger chunks, constant pages, maps.",
    ),
    Version(
        name="2.3",
        file_pair="2/3",
        manifest_pair="2/3",
        is_stable=False,
        alignment=64,
        doc="Changes with every release.",
    ),
)
"""All versions, in their order.

Source: https://lance.org/format/file/versioning/ "Versioning"
"""


ARRAY_ENCODINGS: Final = (
    Encoding(
        number=1, name="flat", since="2.0", doc="Values of fixed width: bits, or bytes."
    ),
    Encoding(
        number=2,
        name="nullable",
        since="2.0",
        doc="Values of which none, some or all are null.",
    ),
    Encoding(
        number=3,
        name="fixed_size_list",
        since="2.0",
        doc="Lists of the same number of items.",
    ),
    Encoding(
        number=4,
        name="list",
        since="2.0",
        doc="Where lists end; their items are in the next column.",
    ),
    Encoding(
        number=5,
        name="struct",
        since="2.0",
        doc="Nothing: the fields are in the next columns.",
    ),
    Encoding(number=6, name="binary", since="2.0", doc="Text or bytes of any length."),
    Encoding(number=7, name="dictionary", since="2.0", doc="Indices into items."),
    Encoding(
        number=8, name="fsst", since="2.0", doc="Text coded by a table of symbols."
    ),
    Encoding(
        number=9,
        name="packed_struct",
        since="2.0",
        doc="Structs row after row, and where blobs are.",
    ),
    Encoding(
        number=10,
        name="bitpacked",
        since="2.0",
        doc="Integers of some bits each, one after the other; release 0.15 alone.",
    ),
    Encoding(
        number=11,
        name="fixed_size_binary",
        since="2.1",
        doc="Text or bytes that are all as long as each other; releases 0.17 and 0.18 alone.",
    ),
    Encoding(
        number=12,
        name="bitpacked_for_non_neg",
        since="2.1",
        doc="Integers of some bits each in chunks of 1,024; release 0.18.2 alone.",
    ),
    Encoding(number=13, name="constant", since="", doc="One value for all."),
)
"""Encodings of 2.0, a tree of them for each page.

Source: https://lance.org/format/file/versioning/ "Encodings of 2.0"
"""


PAGE_LAYOUTS: Final = (
    Encoding(
        number=1,
        name="mini_block_layout",
        since="2.1",
        doc="Small values in chunks of some kilobytes.",
    ),
    Encoding(
        number=2,
        name="constant_layout",
        since="2.1",
        doc="One value for all rows; in 2.1 null, from 2.2 on any.",
    ),
    Encoding(
        number=3,
        name="full_zip_layout",
        since="2.1",
        doc="Large values one after the other, each after its levels.",
    ),
    Encoding(
        number=4, name="blob_layout", since="2.1", doc="Where values are in the file."
    ),
)
"""Structural layouts from 2.1 on, one for each page.

Source: https://lance.org/format/file/versioning/ "Structural encodings"
"""


COMPRESSIVE_ENCODINGS: Final = (
    Encoding(number=1, name="flat", since="2.1", doc="Values of fixed width."),
    Encoding(
        number=2,
        name="variable",
        since="2.1",
        doc="Values of any length after their offsets.",
    ),
    Encoding(
        number=3,
        name="constant",
        since="2.1",
        doc="No values at all: fixed-size lists that are all null.",
    ),
    Encoding(
        number=4,
        name="out_of_line_bitpacking",
        since="2.1",
        doc="Integers of some bits each in chunks of 1,024; levels alone.",
    ),
    Encoding(
        number=5,
        name="inline_bitpacking",
        since="2.1",
        doc="The same, each chunk with the number of bits before it.",
    ),
    Encoding(
        number=6, name="fsst", since="2.1", doc="Text coded by a table of symbols."
    ),
    Encoding(
        number=7,
        name="dictionary",
        since="",
        doc="Indices into items; a layout has its dictionary itself.",
    ),
    Encoding(
        number=8,
        name="rle",
        since="2.1",
        doc="Runs: values, and how often each comes; of levels from 2.2 on.",
    ),
    Encoding(
        number=9,
        name="byte_stream_split",
        since="2.1",
        doc="Bytes of values by their significance.",
    ),
    Encoding(
        number=10,
        name="general",
        since="2.1",
        doc="LZ4 or Zstandard around another encoding.",
    ),
    Encoding(
        number=11,
        name="fixed_size_list",
        since="2.1",
        doc="Lists of the same number of items.",
    ),
    Encoding(
        number=12,
        name="packed_struct",
        since="2.1",
        doc="Structs of fields of fixed width, row after row.",
    ),
    Encoding(
        number=13,
        name="variable_packed_struct",
        since="2.2",
        doc="Structs of which some fields have any length.",
    ),
    Encoding(
        number=14,
        name="range",
        since="",
        doc="Numbers that grow by the same step; drafts of 2.3.",
    ),
    Encoding(
        number=15,
        name="delta",
        since="",
        doc="Differences from the number before; drafts of 2.3.",
    ),
)
"""Encodings of values, levels and dictionaries from 2.1 on, a tree of them for
each.

Source: https://lance.org/format/file/versioning/ "Compressive encodings"
"""


BLOB_DESCRIPTOR: Final = (
    Part(
        name="kind",
        logical_type="uint8",
        doc="Which file has its bytes, see `blob_kinds`.",
    ),
    Part(
        name="position",
        logical_type="uint64",
        doc="Where the blob begins in that file.",
    ),
    Part(
        name="size",
        logical_type="uint64",
        doc="Bytes of the blob; 0 if it is a whole file elsewhere.",
    ),
    Part(
        name="blob_id",
        logical_type="uint32",
        doc="The number of the file of blobs. For a file elsewhere, the id of the base path that the file is below, or 0 without one.",
    ),
    Part(
        name="blob_uri",
        logical_type="string",
        doc="Where a file elsewhere is: a URL, or a path below the base path.",
    ),
)
"""How data files by releases from 2.0.1 on store a field with the extension type
`lance.blob.v2`: as a packed struct of these fields, whose ids and parents are
all stored as -1. Manifests have the fields in which values were given: `data`,
`uri`, `position` and `size`.

Source: https://lance.org/format/file/versioning/ "Blobs of version 2"
"""


BLOB_KINDS: Final = (
    Kind(number=0, name="inline", doc="The data file, between its pages."),
    Kind(number=1, name="packed", doc="A file of blobs, shared by several blobs."),
    Kind(number=2, name="dedicated", doc="A file of blobs that has only this one."),
    Kind(number=3, name="external", doc="A file that does not belong to the dataset."),
)
"""Where the bytes of a blob of version 2 are. Files of blobs are in a folder that
is named as the data file, without `.lance`; each is named by its number as 32
binary digits, the lowest first, and `.blob`: number 6 is
`01100000000000000000000000000000.blob`.

Source: https://lance.org/format/file/versioning/ "Blobs of version 2"
"""


JSON_CONTAINERS: Final = (
    Code(number=1, name="scalar", doc="One item alone, though the header says 0."),
    Code(
        number=2,
        name="object",
        doc="Items with keys; the entries and bytes of all keys come first.",
    ),
    Code(number=4, name="array", doc="Items."),
)
"""Kinds of containers, in the upper 3 bits of a header.

Source: https://lance.org/format/file/versioning/ "JSONB"
"""


JSON_TYPES: Final = (
    Code(number=0, name="null", doc="Nothing."),
    Code(number=1, name="text", doc="UTF-8."),
    Code(number=2, name="number", doc="A byte of `json_numbers`, and the number."),
    Code(number=3, name="false", doc="Nothing."),
    Code(number=4, name="true", doc="Nothing."),
    Code(
        number=5, name="container", doc="A header, entries, and the bytes of the items."
    ),
)
"""Types of items, in bits 28 to 30 of an entry.

Source: https://lance.org/format/file/versioning/ "JSONB"
"""


JSON_NUMBERS: Final = (
    Code(number=0, name="zero", doc="Nothing."),
    Code(
        number=64, name="integer", doc="An integer with a sign, in 1, 2, 4 or 8 bytes."
    ),
    Code(
        number=80,
        name="natural",
        doc="An integer without a sign, in 1, 2, 4 or 8 bytes.",
    ),
    Code(number=96, name="double", doc="A double in 8 bytes."),
)
"""Forms of numbers, in their first byte.

Source: https://lance.org/format/file/versioning/ "JSONB"
"""
