# Written by byteloom-codegen from specs/lance/file.proto; do not edit.
# To change it, edit that file and generate again.
"""The schema of a Lance file, and the facts that files of version 0.1 state about
themselves.

A schema is a list of fields in pre-order; each names its parent by id. Files of
2.x keep it in global buffer 0, those of 0.1 and datasets in a manifest.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source: https://github.com/lance-format/lance/blob/main/protos/file.proto
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

from byteloom.documents.messages import File, Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping, MutableSequence

__all__ = [
    "FILE",
    "Dictionary",
    "Encoding",
    "Field",
    "FileDescriptor",
    "Metadata",
    "Schema",
    "StatisticsMetadata",
]

FILE: Final = File("lance/file.proto", __name__)
"""What these classes are declared in; the end of this module has its descriptor."""


class Encoding(IntEnum):
    """How files of version 0.1 store a field."""

    NONE = 0
    """It has no values of its own."""

    PLAIN = 1
    """Values of fixed width."""

    VAR_BINARY = 2
    """Bytes or text."""

    DICTIONARY = 3
    """Indices into a dictionary."""

    RLE = 4
    """Runs."""


class FileDescriptor(Message, file=FILE, name="lance.file.FileDescriptor"):
    """The content of global buffer 0 of a file of 2.x.

    no  field   stored as
     1  schema  Schema
     2  length  uint64
    """

    schema: Schema
    """The fields of the file."""

    length: int
    """Rows of the file."""

    if TYPE_CHECKING:

        def __init__(
            self, *, schema: Schema | None = None, length: int | None = None
        ) -> None: ...


class Schema(Message, file=FILE, name="lance.file.Schema"):
    """The fields, and metadata of the schema as a whole.

    no  field     stored as
     1  fields    repeated Field
     5  metadata  map of string to bytes
    """

    fields: MutableSequence[Field]
    """In pre-order: a parent, then its children."""

    metadata: MutableMapping[str, bytes]
    """Metadata of the Arrow schema."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            fields: Iterable[Field] | None = None,
            metadata: Mapping[str, bytes] | None = None,
        ) -> None: ...


class Field(Message, file=FILE, name="lance.file.Field"):
    """A field of a schema.

    no  field                   stored as
     1  type                    Field.Type
     2  name                    string
     3  id                      int32
     4  parent_id               int32
     5  logical_type            string
     6  nullable                bool
     7  encoding                Encoding
     8  dictionary              Dictionary
     9  extension_name          string
    10  metadata                map of string to bytes
    11  storage_class           string
    12  unenforced_primary_key  bool
    """

    class Type(IntEnum):
        """What a field was in files of version 0.1; later writers leave it at 0."""

        PARENT = 0
        """Has children."""

        REPEATED = 1
        """A list."""

        LEAF = 2
        """Has values."""

    type: int

    name: str
    """Its name."""

    id: int
    """Its id, unique in a dataset."""

    parent_id: int
    """The id of its parent; -1 at the top."""

    logical_type: str
    """Its type: `int32`, `list.struct`, `timestamp:us:UTC`, ..."""

    nullable: bool
    """Whether it may be null."""

    encoding: int
    """How files of version 0.1 store it."""

    dictionary: Dictionary
    """Where files of version 0.1 keep the values of a dictionary."""

    extension_name: str
    """The name of the Arrow extension type."""

    metadata: MutableMapping[str, bytes]
    """Metadata of the Arrow field."""

    storage_class: str
    """`default` or `blob`, as releases from 0.19 to 0.39 wrote it. The values of a
    field at the top of a dataset whose class is `blob` are in a dataset of their
    own, see `blob_dataset_version` of a manifest.
    """

    unenforced_primary_key: bool
    """Whether it is part of the primary key, which is not enforced."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            type: int | None = None,
            name: str | None = None,
            id: int | None = None,
            parent_id: int | None = None,
            logical_type: str | None = None,
            nullable: bool | None = None,
            encoding: int | None = None,
            dictionary: Dictionary | None = None,
            extension_name: str | None = None,
            metadata: Mapping[str, bytes] | None = None,
            storage_class: str | None = None,
            unenforced_primary_key: bool | None = None,
        ) -> None: ...


class Dictionary(Message, file=FILE, name="lance.file.Dictionary"):
    """The place of a dictionary's values.

    no  field   stored as
     1  offset  int64
     2  length  int64
    """

    offset: int
    """Where they begin: in the data file by its own manifest, else in the manifest
    file.
    """

    length: int
    """How many there are."""

    if TYPE_CHECKING:

        def __init__(
            self, *, offset: int | None = None, length: int | None = None
        ) -> None: ...


class Metadata(Message, file=FILE, name="lance.file.Metadata"):
    """What the end of a file of version 0.1 points to.

    no  field                stored as
     1  manifest_position    uint64
     2  batch_offsets        repeated int32
     3  page_table_position  uint64
     5  statistics           StatisticsMetadata
    """

    manifest_position: int
    """Where the file's own manifest is, if it has one."""

    batch_offsets: MutableSequence[int]
    """The row that each batch begins with, and the number of rows."""

    page_table_position: int
    """Where the page table is."""

    statistics: StatisticsMetadata
    """The least and largest value of each batch."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            manifest_position: int | None = None,
            batch_offsets: Iterable[int] | None = None,
            page_table_position: int | None = None,
            statistics: StatisticsMetadata | None = None,
        ) -> None: ...


class StatisticsMetadata(Message, file=FILE, name="lance.file.StatisticsMetadata"):
    """Where statistics of a file of version 0.1 are.

    no  field                stored as
     1  schema               repeated Field
     2  fields               repeated int32
     3  page_table_position  uint64
    """

    schema: MutableSequence[Field]
    """The schema of the statistics."""

    fields: MutableSequence[int]
    """Ids of the fields that have them."""

    page_table_position: int
    """Where their page table is."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            schema: Iterable[Field] | None = None,
            fields: Iterable[int] | None = None,
            page_table_position: int | None = None,
        ) -> None: ...


FILE.descriptor = (
    b"\n\x10lance/file.proto\x12\nlance.file\x22D\n\x0eFileDescriptor\x12\x22\n\x06sch"
    b"ema\x18\x01 \x01(\x0b2\x12.lance.file.Schema\x12\x0e\n\x06length\x18\x02 \x01("
    b"\x04\x22\x90\x01\n\x06Schema\x12!\n\x06fields\x18\x01 \x03(\x0b2\x11.lance.file."
    b"Field\x122\n\x08metadata\x18\x05 \x03(\x0b2 .lance.file.Schema.MetadataEntry\x1a"
    b"/\n\rMetadataEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n\x05value\x18\x02 "
    b"\x01(\x0c:\x028\x01\x22\xb5\x03\n\x05Field\x12$\n\x04type\x18\x01 \x01(\x0e2\x16"
    b".lance.file.Field.Type\x12\x0c\n\x04name\x18\x02 \x01(\t\x12\n\n\x02id\x18\x03 "
    b"\x01(\x05\x12\x11\n\tparent_id\x18\x04 \x01(\x05\x12\x14\n\x0clogical_type\x18"
    b"\x05 \x01(\t\x12\x10\n\x08nullable\x18\x06 \x01(\x08\x12&\n\x08encoding\x18\x07 "
    b"\x01(\x0e2\x14.lance.file.Encoding\x12*\n\ndictionary\x18\x08 \x01(\x0b2\x16.lan"
    b"ce.file.Dictionary\x12\x16\n\x0eextension_name\x18\t \x01(\t\x121\n\x08metadata"
    b"\x18\n \x03(\x0b2\x1f.lance.file.Field.MetadataEntry\x12\x15\n\rstorage_class"
    b"\x18\x0b \x01(\t\x12\x1e\n\x16unenforced_primary_key\x18\x0c \x01(\x08\x1a/\n\rM"
    b"etadataEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n\x05value\x18\x02 \x01(\x0c"
    b":\x028\x01\x22*\n\x04Type\x12\n\n\x06PARENT\x10\x00\x12\x0c\n\x08REPEATED\x10"
    b"\x01\x12\x08\n\x04LEAF\x10\x02\x22,\n\nDictionary\x12\x0e\n\x06offset\x18\x01 "
    b"\x01(\x03\x12\x0e\n\x06length\x18\x02 \x01(\x03\x22\x8d\x01\n\x08Metadata\x12"
    b"\x19\n\x11manifest_position\x18\x01 \x01(\x04\x12\x15\n\rbatch_offsets\x18\x02 "
    b"\x03(\x05\x12\x1b\n\x13page_table_position\x18\x03 \x01(\x04\x122\n\nstatistics"
    b"\x18\x05 \x01(\x0b2\x1e.lance.file.StatisticsMetadata\x22d\n\x12StatisticsMetada"
    b"ta\x12!\n\x06schema\x18\x01 \x03(\x0b2\x11.lance.file.Field\x12\x0e\n\x06fields"
    b"\x18\x02 \x03(\x05\x12\x1b\n\x13page_table_position\x18\x03 \x01(\x04*H\n\x08Enc"
    b"oding\x12\x08\n\x04NONE\x10\x00\x12\t\n\x05PLAIN\x10\x01\x12\x0e\n\nVAR_BINARY"
    b"\x10\x02\x12\x0e\n\nDICTIONARY\x10\x03\x12\x07\n\x03RLE\x10\x04b\x08editionsp"
    b"\xe8\x07"
)
