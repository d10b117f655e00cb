# Written by byteloom-codegen from specs/lance/table.proto; do not edit.
# To change it, edit that file and generate again.
"""A version of a Lance dataset: its schema, its fragments, and the files that
these consist of.

How a message is stored, byte by byte, is in hfile/protobuf.ksy.

Source: https://github.com/lance-format/lance/blob/main/protos/table.proto
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

from byteloom.documents.messages import File, Message

from . import file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, MutableMapping, MutableSequence

__all__ = [
    "FILE",
    "BasePath",
    "DataFile",
    "DataFragment",
    "DataOverlayFile",
    "DeletionFile",
    "ExternalFile",
    "FeatureFlag",
    "FieldCoverage",
    "IndexFile",
    "IndexMetadata",
    "IndexSection",
    "Manifest",
    "Uuid",
]

FILE: Final = File("lance/table.proto", __name__, file.FILE)
"""What these classes are declared in; the end of this module has its descriptor."""


class FeatureFlag(IntEnum):
    """What readers and writers of a version must understand."""

    NO_FLAGS = 0
    """Nothing beyond the first version of the format."""

    DELETION_FILES = 1
    """Deletion files."""

    STABLE_ROW_IDS = 2
    """Row ids that stay with rows."""

    V2_FORMAT = 4
    """Files of 2.x, as early releases marked them."""

    TABLE_CONFIG = 8
    """Settings of the dataset."""

    BASE_PATHS = 16
    """Files below other roots."""

    NO_TRANSACTION_FILE = 32
    """No transaction file."""

    DATA_OVERLAYS = 64
    """Overlays of fragments. Release 14 reads them only where
    LANCE_ENABLE_UNSTABLE_DATA_OVERLAY_FILES is set.
    """

    COVERING_INDEX_COLUMNS = 128
    """Indices that have values of columns which they do not search."""

    MIXED_FILE_VERSIONS = 256
    """Data files of several versions of 2.x."""

    MOVED_ROWS_WITH_STABLE_ROW_IDS = 512
    """An index of rows that moved, beside row ids that stay with rows."""

    MOVED_ROWS_INDEX = 1024
    """An index of rows that moved which names the indices that it is for."""

    SEMANTIC_TYPES = 2048
    """Logical types apart from the Arrow types that are read, from files of 2.3 on."""


class Manifest(Message, file=FILE, name="lance.table.Manifest"):
    """A version of a dataset.

    no  field                      stored as
     1  fields                     repeated lance.file.Field
     2  fragments                  repeated DataFragment
     3  version                    uint64
     4  version_aux_data           uint64
     5  schema_metadata            map of string to bytes
     6  index_section              uint64
     7  timestamp                  google.protobuf.Timestamp
     8  tag                        string
     9  reader_feature_flags       uint64
    10  writer_feature_flags       uint64
    11  max_fragment_id            uint32
    12  transaction_file           string
    13  writer_version             Manifest.WriterVersion
    14  next_row_id                uint64
    15  data_format                Manifest.DataStorageFormat
    16  config                     map of string to string
    17  blob_dataset_version       uint64
    18  base_paths                 repeated BasePath
    19  table_metadata             map of string to string
    20  branch                     string
    21  early_transaction_section  uint64
    23  transaction_section        uint64
    """

    class WriterVersion(Message, file=FILE, name="lance.table.Manifest.WriterVersion"):
        """The library that wrote the version.

        no  field    stored as
         1  library  string
         2  version  string
        """

        library: str
        """`lance` for the Rust library."""

        version: str
        """Its version."""

        if TYPE_CHECKING:

            def __init__(
                self, *, library: str | None = None, version: str | None = None
            ) -> None: ...

    class DataStorageFormat(
        Message, file=FILE, name="lance.table.Manifest.DataStorageFormat"
    ):
        """The format of data files.

        no  field        stored as
         1  file_format  string
         2  version      string
        """

        file_format: str
        """`lance`."""

        version: str
        """`0.1`, `2.0`, `2.1` or `2.2`."""

        if TYPE_CHECKING:

            def __init__(
                self, *, file_format: str | None = None, version: str | None = None
            ) -> None: ...

    fields: MutableSequence[Any]
    """The schema in pre-order."""

    fragments: MutableSequence[DataFragment]
    """Rows of the dataset, in parts."""

    version: int
    """The number of the version, from 1."""

    version_aux_data: int
    """Where more of the version is; no release writes it."""

    schema_metadata: MutableMapping[str, bytes]
    """Metadata of the Arrow schema."""

    index_section: int
    """Where the indices are in the manifest file."""

    timestamp: Any
    """When the version was created."""

    tag: str
    """A name of the version."""

    reader_feature_flags: int
    """What a reader must understand; see `FeatureFlag`."""

    writer_feature_flags: int
    """What a writer must understand."""

    max_fragment_id: int
    """The largest fragment id ever used."""

    transaction_file: str
    """The file that describes the change that made the version."""

    writer_version: Manifest.WriterVersion

    next_row_id: int
    """The next stable row id."""

    data_format: Manifest.DataStorageFormat

    config: MutableMapping[str, str]
    """Settings of the dataset."""

    blob_dataset_version: int
    """The version of the dataset of blobs, in the folder `_blobs`, as releases from
    0.19 to 0.39 wrote it; 0 if there is none. It has the fields whose storage class
    is `blob`, under their ids, and its rows have the row ids of the dataset's rows,
    deleted ones included. Versions from 2^63 on are detached: their manifest is
    named by a `d` and the version, as in `_versions/d9806167375491129826.manifest`.
    """

    base_paths: MutableSequence[BasePath]
    """Other roots that files are below."""

    table_metadata: MutableMapping[str, str]
    """Metadata of the dataset."""

    branch: str
    """The branch of the version."""

    early_transaction_section: int
    """Where the transaction is in the manifest file, by releases 1.0 to 13."""

    transaction_section: int
    """Where the transaction is in the manifest file, by releases from 14 on."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            fields: Iterable[Any] | None = None,
            fragments: Iterable[DataFragment] | None = None,
            version: int | None = None,
            version_aux_data: int | None = None,
            schema_metadata: Mapping[str, bytes] | None = None,
            index_section: int | None = None,
            timestamp: Any | None = None,
            tag: str | None = None,
            reader_feature_flags: int | None = None,
            writer_feature_flags: int | None = None,
            max_fragment_id: int | None = None,
            transaction_file: str | None = None,
            writer_version: Manifest.WriterVersion | None = None,
            next_row_id: int | None = None,
            data_format: Manifest.DataStorageFormat | None = None,
            config: Mapping[str, str] | None = None,
            blob_dataset_version: int | None = None,
            base_paths: Iterable[BasePath] | None = None,
            table_metadata: Mapping[str, str] | None = None,
            branch: str | None = None,
            early_transaction_section: int | None = None,
            transaction_section: int | None = None,
        ) -> None: ...


class BasePath(Message, file=FILE, name="lance.table.BasePath"):
    """A root that files are below.

    no  field            stored as
     1  id               uint32
     2  name             string
     3  is_dataset_root  bool
     4  path             string
    """

    id: int

    name: str
    """A name for people."""

    is_dataset_root: bool
    """Whether it is the root of a dataset, with the usual folders."""

    path: str

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            id: int | None = None,
            name: str | None = None,
            is_dataset_root: bool | None = None,
            path: str | None = None,
        ) -> None: ...


class DataFragment(Message, file=FILE, name="lance.table.DataFragment"):
    """Rows that were written together.

    no  field                      stored as
     1  id                         uint64
     2  files                      repeated DataFile
     3  deletion_file              DeletionFile
     4  physical_rows              uint64
     5  inline_row_ids             bytes, one of row_id_sequence
     6  external_row_ids           ExternalFile, one of row_id_sequence
     7  inline_updated_versions    bytes, one of updates
     8  external_updated_versions  ExternalFile, one of updates
     9  inline_created_versions    bytes, one of creations
    10  external_created_versions  ExternalFile, one of creations
    11  overlays                   repeated DataOverlayFile
    """

    id: int

    files: MutableSequence[DataFile]
    """Files that have some of the columns each; rows match by position."""

    deletion_file: DeletionFile
    """Which rows are deleted; absent if none is."""

    physical_rows: int
    """Rows of each file, deleted ones counted."""

    inline_row_ids: bytes
    """Stable row ids."""

    external_row_ids: ExternalFile
    """The file that has them."""

    inline_updated_versions: bytes
    """For runs of rows the version that last changed them."""

    external_updated_versions: ExternalFile
    """The file that has it."""

    inline_created_versions: bytes
    """For runs of rows the version that they were added in."""

    external_created_versions: ExternalFile
    """The file that has it."""

    overlays: MutableSequence[DataOverlayFile]
    """New values of some rows and fields. Of those for one value, the one of the
    highest version holds, and of one version the last.
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            id: int | None = None,
            files: Iterable[DataFile] | None = None,
            deletion_file: DeletionFile | None = None,
            physical_rows: int | None = None,
            inline_row_ids: bytes | None = None,
            external_row_ids: ExternalFile | None = None,
            inline_updated_versions: bytes | None = None,
            external_updated_versions: ExternalFile | None = None,
            inline_created_versions: bytes | None = None,
            external_created_versions: ExternalFile | None = None,
            overlays: Iterable[DataOverlayFile] | None = None,
        ) -> None: ...


class DataOverlayFile(Message, file=FILE, name="lance.table.DataOverlayFile"):
    """New values of some rows of a fragment, in a file of their own. A value is
    replaced whole: that of a field, or of a list or a map with all that is inside.
    Fields of a struct are replaced one by one; whether it is null stays as it is.

        no  field                 stored as
         1  data_file             DataFile
         2  shared_offset_bitmap  bytes, one of coverage
         4  field_coverage        FieldCoverage, one of coverage
         3  committed_version     uint64
    """

    data_file: DataFile
    """The values of a field, one for each row that its bitmap has, in their order."""

    shared_offset_bitmap: bytes
    """A Roaring bitmap of the positions of rows, deleted ones counted: of all fields."""

    field_coverage: FieldCoverage

    committed_version: int
    """The version that has the overlay first."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            data_file: DataFile | None = None,
            shared_offset_bitmap: bytes | None = None,
            field_coverage: FieldCoverage | None = None,
            committed_version: int | None = None,
        ) -> None: ...


class FieldCoverage(Message, file=FILE, name="lance.table.FieldCoverage"):
    """Which rows of each field have new values.

    no  field           stored as
     1  offset_bitmaps  repeated bytes
    """

    offset_bitmaps: MutableSequence[bytes]
    """A Roaring bitmap for each of the fields of the file, in their order."""

    if TYPE_CHECKING:

        def __init__(
            self, *, offset_bitmaps: Iterable[bytes] | None = None
        ) -> None: ...


class ExternalFile(Message, file=FILE, name="lance.table.ExternalFile"):
    """Part of a file.

    no  field   stored as
     1  path    string
     2  offset  uint64
     3  size    uint64
    """

    path: str

    offset: int

    size: int

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            path: str | None = None,
            offset: int | None = None,
            size: int | None = None,
        ) -> None: ...


class DataFile(Message, file=FILE, name="lance.table.DataFile"):
    """A file of a fragment.

    no  field               stored as
     1  path                string
     2  fields              repeated int32
     3  column_indices      repeated int32
     4  file_major_version  uint32
     5  file_minor_version  uint32
     6  file_size_bytes     uint64
     7  base_id             uint32
    """

    path: str
    """Its name, below `data/`."""

    fields: MutableSequence[int]
    """Ids of its fields; -2 for one that was dropped or written elsewhere."""

    column_indices: MutableSequence[int]
    """The column of each field; -1 if it has none."""

    file_major_version: int
    """The version of the file: 0 and 2 for 0.1, 2 and 0 for 2.0."""

    file_minor_version: int

    file_size_bytes: int
    """Bytes of the file; 0 if unknown."""

    base_id: int
    """The root that it is below; absent for the dataset's own."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            path: str | None = None,
            fields: Iterable[int] | None = None,
            column_indices: Iterable[int] | None = None,
            file_major_version: int | None = None,
            file_minor_version: int | None = None,
            file_size_bytes: int | None = None,
            base_id: int | None = None,
        ) -> None: ...


class DeletionFile(Message, file=FILE, name="lance.table.DeletionFile"):
    """Which rows of a fragment are deleted.

    no  field             stored as
     1  file_type         DeletionFile.DeletionFileType
     2  read_version      uint64
     3  id                uint64
     4  num_deleted_rows  uint64
     7  base_id           uint32
    """

    class DeletionFileType(IntEnum):
        """How they are stored."""

        ARROW_ARRAY = 0
        """An Arrow file of a column of positions."""

        BITMAP = 1
        """A Roaring bitmap of positions."""

    file_type: int

    read_version: int
    """The version that was read when rows were deleted: part of the file's name."""

    id: int
    """Part of the file's name."""

    num_deleted_rows: int
    """How many rows; 0 if unknown."""

    base_id: int
    """The root that it is below; absent for the dataset's own."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            file_type: int | None = None,
            read_version: int | None = None,
            id: int | None = None,
            num_deleted_rows: int | None = None,
            base_id: int | None = None,
        ) -> None: ...


class IndexSection(Message, file=FILE, name="lance.table.IndexSection"):
    """The indices of a version, at the place that its manifest names.

    no  field    stored as
     1  indices  repeated IndexMetadata
    """

    indices: MutableSequence[IndexMetadata]

    if TYPE_CHECKING:

        def __init__(
            self, *, indices: Iterable[IndexMetadata] | None = None
        ) -> None: ...


class IndexMetadata(Message, file=FILE, name="lance.table.IndexMetadata"):
    """An index, or a part of one: several have the same name.

    no  field            stored as
     1  uuid             Uuid
     2  fields           repeated int32
     3  name             string
     4  dataset_version  uint64
     5  fragment_bitmap  bytes
     9  base_id          uint32
    10  files            repeated IndexFile
    """

    uuid: Uuid
    """Names its folder in `_indices`."""

    fields: MutableSequence[int]
    """Ids of the fields that it has."""

    name: str

    dataset_version: int
    """The version of the dataset that it was made from."""

    fragment_bitmap: bytes
    """A Roaring bitmap of the ids of the fragments that it has; absent in early
    releases.
    """

    base_id: int
    """The root that it is below; absent for the dataset's own."""

    files: MutableSequence[IndexFile]
    """Its files, by releases from 14 on."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            uuid: Uuid | None = None,
            fields: Iterable[int] | None = None,
            name: str | None = None,
            dataset_version: int | None = None,
            fragment_bitmap: bytes | None = None,
            base_id: int | None = None,
            files: Iterable[IndexFile] | None = None,
        ) -> None: ...


class Uuid(Message, file=FILE, name="lance.table.Uuid"):
    """A UUID of 16 bytes.

    no  field  stored as
     1  uuid   bytes
    """

    uuid: bytes

    if TYPE_CHECKING:

        def __init__(self, *, uuid: bytes | None = None) -> None: ...


class IndexFile(Message, file=FILE, name="lance.table.IndexFile"):
    """A file of an index.

    no  field  stored as
     1  path   string
     2  size   uint64
    """

    path: str
    """Its name, in the folder of the index."""

    size: int
    """Bytes of the file."""

    if TYPE_CHECKING:

        def __init__(
            self, *, path: str | None = None, size: int | None = None
        ) -> None: ...


FILE.descriptor = (
    b"\n\x11lance/table.proto\x12\x0blance.table\x1a\x1fgoogle/protobuf/timestamp.prot"
    b"o\x1a\x10lance/file.proto\x22\xb4\x08\n\x08Manifest\x12!\n\x06fields\x18\x01 "
    b"\x03(\x0b2\x11.lance.file.Field\x12,\n\tfragments\x18\x02 \x03(\x0b2\x19.lance.t"
    b"able.DataFragment\x12\x0f\n\x07version\x18\x03 \x01(\x04\x12\x18\n\x10version_au"
    b"x_data\x18\x04 \x01(\x04\x12B\n\x0fschema_metadata\x18\x05 \x03(\x0b2).lance.tab"
    b"le.Manifest.SchemaMetadataEntry\x12\x15\n\rindex_section\x18\x06 \x01(\x04\x12-"
    b"\n\ttimestamp\x18\x07 \x01(\x0b2\x1a.google.protobuf.Timestamp\x12\x0b\n\x03tag"
    b"\x18\x08 \x01(\t\x12\x1c\n\x14reader_feature_flags\x18\t \x01(\x04\x12\x1c\n\x14"
    b"writer_feature_flags\x18\n \x01(\x04\x12\x17\n\x0fmax_fragment_id\x18\x0b \x01("
    b"\r\x12\x18\n\x10transaction_file\x18\x0c \x01(\t\x12;\n\x0ewriter_version\x18\r "
    b"\x01(\x0b2#.lance.table.Manifest.WriterVersion\x12\x13\n\x0bnext_row_id\x18\x0e "
    b"\x01(\x04\x12<\n\x0bdata_format\x18\x0f \x01(\x0b2'.lance.table.Manifest.DataSto"
    b"rageFormat\x121\n\x06config\x18\x10 \x03(\x0b2!.lance.table.Manifest.ConfigEntry"
    b"\x12\x1c\n\x14blob_dataset_version\x18\x11 \x01(\x04\x12)\n\nbase_paths\x18\x12 "
    b"\x03(\x0b2\x15.lance.table.BasePath\x12@\n\x0etable_metadata\x18\x13 \x03(\x0b2("
    b".lance.table.Manifest.TableMetadataEntry\x12\x0e\n\x06branch\x18\x14 \x01(\t\x12"
    b"!\n\x19early_transaction_section\x18\x15 \x01(\x04\x12\x1b\n\x13transaction_sect"
    b"ion\x18\x17 \x01(\x04\x1a1\n\rWriterVersion\x12\x0f\n\x07library\x18\x01 \x01(\t"
    b"\x12\x0f\n\x07version\x18\x02 \x01(\t\x1a9\n\x11DataStorageFormat\x12\x13\n\x0bf"
    b"ile_format\x18\x01 \x01(\t\x12\x0f\n\x07version\x18\x02 \x01(\t\x1a5\n\x13Schema"
    b"MetadataEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n\x05value\x18\x02 \x01("
    b"\x0c:\x028\x01\x1a-\n\x0bConfigEntry\x12\x0b\n\x03key\x18\x01 \x01(\t\x12\r\n"
    b"\x05value\x18\x02 \x01(\t:\x028\x01\x1a4\n\x12TableMetadataEntry\x12\x0b\n\x03ke"
    b"y\x18\x01 \x01(\t\x12\r\n\x05value\x18\x02 \x01(\t:\x028\x01\x22K\n\x08BasePath"
    b"\x12\n\n\x02id\x18\x01 \x01(\r\x12\x0c\n\x04name\x18\x02 \x01(\t\x12\x17\n\x0fis"
    b"_dataset_root\x18\x03 \x01(\x08\x12\x0c\n\x04path\x18\x04 \x01(\t\x22\xfb\x03\n"
    b"\x0cDataFragment\x12\n\n\x02id\x18\x01 \x01(\x04\x12$\n\x05files\x18\x02 \x03("
    b"\x0b2\x15.lance.table.DataFile\x120\n\rdeletion_file\x18\x03 \x01(\x0b2\x19.lanc"
    b"e.table.DeletionFile\x12\x15\n\rphysical_rows\x18\x04 \x01(\x04\x12\x18\n\x0einl"
    b"ine_row_ids\x18\x05 \x01(\x0cH\x00\x125\n\x10external_row_ids\x18\x06 \x01(\x0b2"
    b"\x19.lance.table.ExternalFileH\x00\x12!\n\x17inline_updated_versions\x18\x07 "
    b"\x01(\x0cH\x01\x12>\n\x19external_updated_versions\x18\x08 \x01(\x0b2\x19.lance."
    b"table.ExternalFileH\x01\x12!\n\x17inline_created_versions\x18\t \x01(\x0cH\x02"
    b"\x12>\n\x19external_created_versions\x18\n \x01(\x0b2\x19.lance.table.ExternalFi"
    b"leH\x02\x12.\n\x08overlays\x18\x0b \x03(\x0b2\x1c.lance.table.DataOverlayFileB"
    b"\x11\n\x0frow_id_sequenceB\t\n\x07updatesB\x0b\n\tcreations\x22\xb8\x01\n\x0fDat"
    b"aOverlayFile\x12(\n\tdata_file\x18\x01 \x01(\x0b2\x15.lance.table.DataFile\x12"
    b"\x1e\n\x14shared_offset_bitmap\x18\x02 \x01(\x0cH\x00\x124\n\x0efield_coverage"
    b"\x18\x04 \x01(\x0b2\x1a.lance.table.FieldCoverageH\x00\x12\x19\n\x11committed_ve"
    b"rsion\x18\x03 \x01(\x04B\n\n\x08coverage\x22'\n\rFieldCoverage\x12\x16\n\x0eoffs"
    b"et_bitmaps\x18\x01 \x03(\x0c\x22:\n\x0cExternalFile\x12\x0c\n\x04path\x18\x01 "
    b"\x01(\t\x12\x0e\n\x06offset\x18\x02 \x01(\x04\x12\x0c\n\x04size\x18\x03 \x01("
    b"\x04\x22\xa2\x01\n\x08DataFile\x12\x0c\n\x04path\x18\x01 \x01(\t\x12\x0e\n\x06fi"
    b"elds\x18\x02 \x03(\x05\x12\x16\n\x0ecolumn_indices\x18\x03 \x03(\x05\x12\x1a\n"
    b"\x12file_major_version\x18\x04 \x01(\r\x12\x1a\n\x12file_minor_version\x18\x05 "
    b"\x01(\r\x12\x17\n\x0ffile_size_bytes\x18\x06 \x01(\x04\x12\x0f\n\x07base_id\x18"
    b"\x07 \x01(\r\x22\xcb\x01\n\x0cDeletionFile\x12=\n\tfile_type\x18\x01 \x01(\x0e2*"
    b".lance.table.DeletionFile.DeletionFileType\x12\x14\n\x0cread_version\x18\x02 "
    b"\x01(\x04\x12\n\n\x02id\x18\x03 \x01(\x04\x12\x18\n\x10num_deleted_rows\x18\x04 "
    b"\x01(\x04\x12\x0f\n\x07base_id\x18\x07 \x01(\r\x22/\n\x10DeletionFileType\x12"
    b"\x0f\n\x0bARROW_ARRAY\x10\x00\x12\n\n\x06BITMAP\x10\x01\x22;\n\x0cIndexSection"
    b"\x12+\n\x07indices\x18\x01 \x03(\x0b2\x1a.lance.table.IndexMetadata\x22\xb8\x01"
    b"\n\rIndexMetadata\x12\x1f\n\x04uuid\x18\x01 \x01(\x0b2\x11.lance.table.Uuid\x12"
    b"\x0e\n\x06fields\x18\x02 \x03(\x05\x12\x0c\n\x04name\x18\x03 \x01(\t\x12\x17\n"
    b"\x0fdataset_version\x18\x04 \x01(\x04\x12\x17\n\x0ffragment_bitmap\x18\x05 \x01("
    b"\x0c\x12\x0f\n\x07base_id\x18\t \x01(\r\x12%\n\x05files\x18\n \x03(\x0b2\x16.lan"
    b"ce.table.IndexFile\x22\x14\n\x04Uuid\x12\x0c\n\x04uuid\x18\x01 \x01(\x0c\x22'\n"
    b"\tIndexFile\x12\x0c\n\x04path\x18\x01 \x01(\t\x12\x0c\n\x04size\x18\x02 \x01("
    b"\x04*\xa8\x02\n\x0bFeatureFlag\x12\x0c\n\x08NO_FLAGS\x10\x00\x12\x12\n\x0eDELETI"
    b"ON_FILES\x10\x01\x12\x12\n\x0eSTABLE_ROW_IDS\x10\x02\x12\r\n\tV2_FORMAT\x10\x04"
    b"\x12\x10\n\x0cTABLE_CONFIG\x10\x08\x12\x0e\n\nBASE_PATHS\x10\x10\x12\x17\n\x13NO"
    b"_TRANSACTION_FILE\x10 \x12\x11\n\rDATA_OVERLAYS\x10@\x12\x1b\n\x16COVERING_INDEX"
    b"_COLUMNS\x10\x80\x01\x12\x18\n\x13MIXED_FILE_VERSIONS\x10\x80\x02\x12#\n\x1eMOVE"
    b"D_ROWS_WITH_STABLE_ROW_IDS\x10\x80\x04\x12\x15\n\x10MOVED_ROWS_INDEX\x10\x80\x08"
    b"\x12\x13\n\x0eSEMANTIC_TYPES\x10\x80\x10b\x08editionsp\xe8\x07"
)
