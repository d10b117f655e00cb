# Written by byteloom-codegen from specs/parquet/footers.yaml; do not edit.
# To change it, edit that file and generate again.
"""A file ends with its footer, the footer's length in four bytes, and `PAR1`. The
footer is a FileMetaData; each page begins with a PageHeader. Both are structs
in Thrift's compact protocol.

Source: https://parquet.apache.org/docs/file-format/metadata/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "CODECS",
    "COLUMN_CHUNK",
    "COLUMN_META_DATA",
    "COLUMN_ORDER",
    "CONVERTED_TYPES",
    "DATA_PAGE_HEADER",
    "DATA_PAGE_HEADER_V2",
    "DECIMAL_TYPE",
    "DICTIONARY_PAGE_HEADER",
    "EDGE_ALGORITHMS",
    "ENCODINGS",
    "FILE_META_DATA",
    "GEOGRAPHY_TYPE",
    "GEOMETRY_TYPE",
    "INT_TYPE",
    "KEY_VALUE",
    "LOGICAL_TYPE",
    "PAGE_ENCODING_STATS",
    "PAGE_HEADER",
    "PAGE_TYPES",
    "REPETITIONS",
    "ROW_GROUP",
    "SCHEMA_ELEMENT",
    "SIZE_STATISTICS",
    "SORTING_COLUMN",
    "STATISTICS",
    "TIMESTAMP_TYPE",
    "TIME_TYPE",
    "TIME_UNIT",
    "TYPES",
    "VARIANT_TYPE",
    "ThriftField",
    "ThriftName",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThriftField:
    """A field of a struct."""

    number: int
    """Its number, from 1."""

    name: str
    """Its name."""

    kind: str
    """How it is stored; a name of a number as i32."""

    type: str
    """The kind of its value; of a list, the kind of its items."""

    doc: str
    """What it says."""

    required: bool = False
    """Whether it is always present."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThriftName:
    """A number that has a name."""

    number: int
    """The number."""

    name: str
    """Its name."""

    size: int | None = None
    """Bytes of a bound in statistics, where all have as many."""


FILE_META_DATA: Final = (
    ThriftField(
        number=1,
        name="version",
        kind="i32",
        type="i32",
        required=True,
        doc="Version of the format, 1 or 2; it says nothing about the file.",
    ),
    ThriftField(
        number=2,
        name="schema",
        kind="list",
        type="SchemaElement",
        required=True,
        doc="The schema as a tree in pre-order; the first element is the row.",
    ),
    ThriftField(
        number=3,
        name="num_rows",
        kind="i64",
        type="i64",
        required=True,
        doc="Rows of all row groups.",
    ),
    ThriftField(
        number=4,
        name="row_groups",
        kind="list",
        type="RowGroup",
        required=True,
        doc="The row groups, in the order of their rows.",
    ),
    ThriftField(
        number=5,
        name="key_value_metadata",
        kind="list",
        type="KeyValue",
        doc="Key-value pairs from the writer; `ARROW:schema` has a schema of Arrow.",
    ),
    ThriftField(
        number=6, name="created_by", kind="binary", type="string", doc="The writer."
    ),
    ThriftField(
        number=7,
        name="column_orders",
        kind="list",
        type="ColumnOrder",
        doc="How min_value and max_value of each leaf are ordered.",
    ),
    ThriftField(
        number=8,
        name="encryption_algorithm",
        kind="struct",
        type="EncryptionAlgorithm",
        doc="How columns are encrypted, if some are.",
    ),
    ThriftField(
        number=9,
        name="footer_signing_key_metadata",
        kind="binary",
        type="binary",
        doc="The key that signs the footer, if columns are encrypted.",
    ),
)
"""The footer.

Source: https://parquet.apache.org/docs/file-format/metadata/ "FileMetaData"
"""


SCHEMA_ELEMENT: Final = (
    ThriftField(
        number=1,
        name="type",
        kind="i32",
        type="Type",
        doc="The physical type of a leaf; absent in a group.",
    ),
    ThriftField(
        number=2,
        name="type_length",
        kind="i32",
        type="i32",
        doc="Bytes of FIXED_LEN_BYTE_ARRAY.",
    ),
    ThriftField(
        number=3,
        name="repetition_type",
        kind="i32",
        type="FieldRepetitionType",
        doc="How often it occurs; absent in the row.",
    ),
    ThriftField(
        number=4,
        name="name",
        kind="binary",
        type="string",
        required=True,
        doc="Its name.",
    ),
    ThriftField(
        number=5, name="num_children", kind="i32", type="i32", doc="Nodes of a group."
    ),
    ThriftField(
        number=6,
        name="converted_type",
        kind="i32",
        type="ConvertedType",
        doc="The logical type, in old files.",
    ),
    ThriftField(
        number=7,
        name="scale",
        kind="i32",
        type="i32",
        doc="Digits after the point of a decimal, in old files.",
    ),
    ThriftField(
        number=8,
        name="precision",
        kind="i32",
        type="i32",
        doc="Digits of a decimal, in old files.",
    ),
    ThriftField(
        number=9,
        name="field_id",
        kind="i32",
        type="i32",
        doc="Its id, as Iceberg has them.",
    ),
    ThriftField(
        number=10,
        name="logicalType",
        kind="struct",
        type="LogicalType",
        doc="What it means.",
    ),
)
"""A node of the schema.

Source: https://parquet.apache.org/docs/file-format/metadata/ "SchemaElement"
"""


ROW_GROUP: Final = (
    ThriftField(
        number=1,
        name="columns",
        kind="list",
        type="ColumnChunk",
        required=True,
        doc="A chunk for each leaf.",
    ),
    ThriftField(
        number=2,
        name="total_byte_size",
        kind="i64",
        type="i64",
        required=True,
        doc="Bytes of all chunks, decompressed.",
    ),
    ThriftField(
        number=3,
        name="num_rows",
        kind="i64",
        type="i64",
        required=True,
        doc="Its rows.",
    ),
    ThriftField(
        number=4,
        name="sorting_columns",
        kind="list",
        type="SortingColumn",
        doc="The columns by which its rows are sorted.",
    ),
    ThriftField(
        number=5,
        name="file_offset",
        kind="i64",
        type="i64",
        doc="Where its first page begins.",
    ),
    ThriftField(
        number=6,
        name="total_compressed_size",
        kind="i64",
        type="i64",
        doc="Bytes of all chunks, as stored.",
    ),
    ThriftField(
        number=7, name="ordinal", kind="i16", type="i16", doc="Its number in the file."
    ),
)
"""Rows whose columns are stored one after another.

Source: https://parquet.apache.org/docs/file-format/metadata/ "RowGroup"
"""


COLUMN_CHUNK: Final = (
    ThriftField(
        number=1,
        name="file_path",
        kind="binary",
        type="string",
        doc="The file that has them, where it is another one.",
    ),
    ThriftField(
        number=2,
        name="file_offset",
        kind="i64",
        type="i64",
        required=True,
        doc="Where a copy of the metadata was once stored; 0 in new files.",
    ),
    ThriftField(
        number=3,
        name="meta_data",
        kind="struct",
        type="ColumnMetaData",
        doc="What they are.",
    ),
    ThriftField(
        number=4,
        name="offset_index_offset",
        kind="i64",
        type="i64",
        doc="Where the places of pages are listed.",
    ),
    ThriftField(
        number=5,
        name="offset_index_length",
        kind="i32",
        type="i32",
        doc="Bytes of these.",
    ),
    ThriftField(
        number=6,
        name="column_index_offset",
        kind="i64",
        type="i64",
        doc="Where the bounds of pages are listed.",
    ),
    ThriftField(
        number=7,
        name="column_index_length",
        kind="i32",
        type="i32",
        doc="Bytes of these.",
    ),
    ThriftField(
        number=8,
        name="crypto_metadata",
        kind="struct",
        type="ColumnCryptoMetaData",
        doc="How the column is encrypted, if it is.",
    ),
    ThriftField(
        number=9,
        name="encrypted_column_metadata",
        kind="binary",
        type="binary",
        doc="The metadata of the column, if it is encrypted.",
    ),
)
"""The pages of one leaf in a row group.

Source: https://parquet.apache.org/docs/file-format/metadata/ "ColumnChunk"
"""


COLUMN_META_DATA: Final = (
    ThriftField(
        number=1,
        name="type",
        kind="i32",
        type="Type",
        required=True,
        doc="The physical type, the same as in the schema.",
    ),
    ThriftField(
        number=2,
        name="encodings",
        kind="list",
        type="Encoding",
        required=True,
        doc="All encodings that its pages have.",
    ),
    ThriftField(
        number=3,
        name="path_in_schema",
        kind="list",
        type="string",
        required=True,
        doc="Names from the row down to the leaf.",
    ),
    ThriftField(
        number=4,
        name="codec",
        kind="i32",
        type="CompressionCodec",
        required=True,
        doc="How its pages are compressed.",
    ),
    ThriftField(
        number=5,
        name="num_values",
        kind="i64",
        type="i64",
        required=True,
        doc="The number of values, nulls included.",
    ),
    ThriftField(
        number=6,
        name="total_uncompressed_size",
        kind="i64",
        type="i64",
        required=True,
        doc="Bytes of pages with their headers, decompressed.",
    ),
    ThriftField(
        number=7,
        name="total_compressed_size",
        kind="i64",
        type="i64",
        required=True,
        doc="Bytes of pages with their headers, as stored.",
    ),
    ThriftField(
        number=8,
        name="key_value_metadata",
        kind="list",
        type="KeyValue",
        doc="A property that the writer adds to the file, a name and a text.",
    ),
    ThriftField(
        number=9,
        name="data_page_offset",
        kind="i64",
        type="i64",
        required=True,
        doc="Where the first data page begins.",
    ),
    ThriftField(
        number=10,
        name="index_page_offset",
        kind="i64",
        type="i64",
        doc="Where an index page begins.",
    ),
    ThriftField(
        number=11,
        name="dictionary_page_offset",
        kind="i64",
        type="i64",
        doc="Where the dictionary page begins; 0 means that there is none.",
    ),
    ThriftField(
        number=12,
        name="statistics",
        kind="struct",
        type="Statistics",
        doc="Counts and bounds.",
    ),
    ThriftField(
        number=13,
        name="encoding_stats",
        kind="list",
        type="PageEncodingStats",
        doc="How many pages have which encoding.",
    ),
    ThriftField(
        number=14,
        name="bloom_filter_offset",
        kind="i64",
        type="i64",
        doc="Where a Bloom filter begins.",
    ),
    ThriftField(
        number=15,
        name="bloom_filter_length",
        kind="i32",
        type="i32",
        doc="Size of the Bloom filter in bytes.",
    ),
    ThriftField(
        number=16,
        name="size_statistics",
        kind="struct",
        type="SizeStatistics",
        doc="Sizes of the values.",
    ),
    ThriftField(
        number=17,
        name="geospatial_statistics",
        kind="struct",
        type="GeospatialStatistics",
        doc="Bounds of shapes.",
    ),
)
"""What is in a column chunk.

Source: https://parquet.apache.org/docs/file-format/metadata/ "ColumnMetaData"
"""


STATISTICS: Final = (
    ThriftField(
        number=1,
        name="max",
        kind="binary",
        type="binary",
        doc="By an order that no version defined; not for text.",
    ),
    ThriftField(
        number=2, name="min", kind="binary", type="binary", doc="The same as max."
    ),
    ThriftField(
        number=3, name="null_count", kind="i64", type="i64", doc="The number of nulls."
    ),
    ThriftField(
        number=4,
        name="distinct_count",
        kind="i64",
        type="i64",
        doc="The number of distinct values.",
    ),
    ThriftField(
        number=5,
        name="max_value",
        kind="binary",
        type="binary",
        doc="In the encoding PLAIN; text without its length.",
    ),
    ThriftField(
        number=6,
        name="min_value",
        kind="binary",
        type="binary",
        doc="The same as max_value.",
    ),
    ThriftField(
        number=7,
        name="is_max_value_exact",
        kind="bool",
        type="bool",
        doc="False where it was cut off.",
    ),
    ThriftField(
        number=8,
        name="is_min_value_exact",
        kind="bool",
        type="bool",
        doc="False where it was cut off.",
    ),
)
"""Counts and bounds of values.

Source: https://parquet.apache.org/docs/file-format/metadata/ "Statistics"
"""


SIZE_STATISTICS: Final = (
    ThriftField(
        number=1,
        name="unencoded_byte_array_data_bytes",
        kind="i64",
        type="i64",
        doc="Bytes of all values of BYTE_ARRAY, and of no other type.",
    ),
    ThriftField(
        number=2,
        name="repetition_level_histogram",
        kind="list",
        type="i64",
        doc="Values of each repetition level; empty where there is only one.",
    ),
    ThriftField(
        number=3,
        name="definition_level_histogram",
        kind="list",
        type="i64",
        doc="Values of each definition level; empty where there is only one.",
    ),
)
"""Sizes of the values, and how deeply they are nested.

Source: https://parquet.apache.org/docs/file-format/metadata/ "SizeStatistics"
"""


KEY_VALUE: Final = (
    ThriftField(
        number=1,
        name="key",
        kind="binary",
        type="string",
        required=True,
        doc="Its name.",
    ),
    ThriftField(number=2, name="value", kind="binary", type="string", doc="Its value."),
)
"""A property that the writer adds to the file, a name and a text.

Source: https://parquet.apache.org/docs/file-format/metadata/ "KeyValue"
"""


SORTING_COLUMN: Final = (
    ThriftField(
        number=1,
        name="column_idx",
        kind="i32",
        type="i32",
        required=True,
        doc="The number of the leaf.",
    ),
    ThriftField(
        number=2,
        name="descending",
        kind="bool",
        type="bool",
        required=True,
        doc="Whether the values descend.",
    ),
    ThriftField(
        number=3,
        name="nulls_first",
        kind="bool",
        type="bool",
        required=True,
        doc="Whether nulls come before values.",
    ),
)
"""A column by which the rows of a row group are sorted.

Source: https://parquet.apache.org/docs/file-format/metadata/ "SortingColumn"
"""


PAGE_ENCODING_STATS: Final = (
    ThriftField(
        number=1,
        name="page_type",
        kind="i32",
        type="PageType",
        required=True,
        doc="The type of the pages.",
    ),
    ThriftField(
        number=2,
        name="encoding",
        kind="i32",
        type="Encoding",
        required=True,
        doc="The encoding of their values.",
    ),
    ThriftField(
        number=3,
        name="count",
        kind="i32",
        type="i32",
        required=True,
        doc="The number of pages.",
    ),
)
"""How many pages of a type have an encoding.

Source: https://parquet.apache.org/docs/file-format/metadata/ "PageEncodingStats"
"""


COLUMN_ORDER: Final = (
    ThriftField(
        number=1,
        name="TYPE_ORDER",
        kind="struct",
        type="TypeDefinedOrder",
        doc="As its type defines.",
    ),
    ThriftField(
        number=2,
        name="IEEE_754_TOTAL_ORDER",
        kind="struct",
        type="IEEE754TotalOrder",
        doc="As IEEE 754 orders all numbers, NaNs too.",
    ),
)
"""How bounds of a leaf are ordered.

Source: https://parquet.apache.org/docs/file-format/metadata/ "ColumnOrder"
"""


LOGICAL_TYPE: Final = (
    ThriftField(
        number=1, name="STRING", kind="struct", type="StringType", doc="Text in UTF-8."
    ),
    ThriftField(number=2, name="MAP", kind="struct", type="MapType", doc="A map."),
    ThriftField(number=3, name="LIST", kind="struct", type="ListType", doc="A list."),
    ThriftField(
        number=4,
        name="ENUM",
        kind="struct",
        type="EnumType",
        doc="The name of a constant.",
    ),
    ThriftField(
        number=5, name="DECIMAL", kind="struct", type="DecimalType", doc="A decimal."
    ),
    ThriftField(
        number=6,
        name="DATE",
        kind="struct",
        type="DateType",
        doc="Days since 1970-01-01.",
    ),
    ThriftField(
        number=7,
        name="TIME",
        kind="struct",
        type="TimeType",
        doc="Time since midnight.",
    ),
    ThriftField(
        number=8,
        name="TIMESTAMP",
        kind="struct",
        type="TimestampType",
        doc="Time since 1970-01-01.",
    ),
    ThriftField(
        number=10,
        name="INTEGER",
        kind="struct",
        type="IntType",
        doc="An integer of some width.",
    ),
    ThriftField(
        number=11, name="UNKNOWN", kind="struct", type="NullType", doc="Always null."
    ),
    ThriftField(
        number=12, name="JSON", kind="struct", type="JsonType", doc="A JSON document."
    ),
    ThriftField(
        number=13, name="BSON", kind="struct", type="BsonType", doc="A BSON document."
    ),
    ThriftField(
        number=14,
        name="UUID",
        kind="struct",
        type="UUIDType",
        doc="A UUID of 16 bytes.",
    ),
    ThriftField(
        number=15,
        name="FLOAT16",
        kind="struct",
        type="Float16Type",
        doc="A floating-point number of two bytes.",
    ),
    ThriftField(
        number=16,
        name="VARIANT",
        kind="struct",
        type="VariantType",
        doc="A value of any type.",
    ),
    ThriftField(
        number=17,
        name="GEOMETRY",
        kind="struct",
        type="GeometryType",
        doc="A shape on a plane.",
    ),
    ThriftField(
        number=18,
        name="GEOGRAPHY",
        kind="struct",
        type="GeographyType",
        doc="A shape on a globe.",
    ),
)
"""What the values of a node mean; one of these is present.

Source: https://parquet.apache.org/docs/file-format/metadata/ "LogicalType"
"""


VARIANT_TYPE: Final = (
    ThriftField(
        number=1,
        name="specification_version",
        kind="i8",
        type="i8",
        doc="The version of its encoding.",
    ),
)
"""The form of a variant.

Source: https://parquet.apache.org/docs/file-format/metadata/ "VariantType"
"""


GEOMETRY_TYPE: Final = (
    ThriftField(
        number=1,
        name="crs",
        kind="binary",
        type="string",
        doc="The coordinate reference system; OGC:CRS84 if absent.",
    ),
)
"""The form of a shape on a plane.

Source: https://parquet.apache.org/docs/file-format/metadata/ "GeometryType"
"""


GEOGRAPHY_TYPE: Final = (
    ThriftField(
        number=1,
        name="crs",
        kind="binary",
        type="string",
        doc="The coordinate reference system; OGC:CRS84 if absent.",
    ),
    ThriftField(
        number=2,
        name="algorithm",
        kind="i32",
        type="EdgeInterpolationAlgorithm",
        doc="How an edge runs between two points; spherical if absent.",
    ),
)
"""The form of a shape on a globe.

Source: https://parquet.apache.org/docs/file-format/metadata/ "GeographyType"
"""


DECIMAL_TYPE: Final = (
    ThriftField(
        number=1,
        name="scale",
        kind="i32",
        type="i32",
        required=True,
        doc="Digits after the point.",
    ),
    ThriftField(
        number=2, name="precision", kind="i32", type="i32", required=True, doc="Digits."
    ),
)
"""The form of a decimal.

Source: https://parquet.apache.org/docs/file-format/metadata/ "DecimalType"
"""


TIME_UNIT: Final = (
    ThriftField(
        number=1, name="MILLIS", kind="struct", type="MilliSeconds", doc="Milliseconds."
    ),
    ThriftField(
        number=2, name="MICROS", kind="struct", type="MicroSeconds", doc="Microseconds."
    ),
    ThriftField(
        number=3, name="NANOS", kind="struct", type="NanoSeconds", doc="Nanoseconds."
    ),
)
"""The unit of times; one of these is present.

Source: https://parquet.apache.org/docs/file-format/metadata/ "TimeUnit"
"""


TIME_TYPE: Final = (
    ThriftField(
        number=1,
        name="isAdjustedToUTC",
        kind="bool",
        type="bool",
        required=True,
        doc="Whether it is in UTC.",
    ),
    ThriftField(
        number=2,
        name="unit",
        kind="struct",
        type="TimeUnit",
        required=True,
        doc="Its unit.",
    ),
)
"""The form of a time of day.

Source: https://parquet.apache.org/docs/file-format/metadata/ "TimeType"
"""


TIMESTAMP_TYPE: Final = (
    ThriftField(
        number=1,
        name="isAdjustedToUTC",
        kind="bool",
        type="bool",
        required=True,
        doc="Whether it is in UTC; if not, it is a local time.",
    ),
    ThriftField(
        number=2,
        name="unit",
        kind="struct",
        type="TimeUnit",
        required=True,
        doc="Its unit.",
    ),
)
"""The form of a moment.

Source: https://parquet.apache.org/docs/file-format/metadata/ "TimestampType"
"""


INT_TYPE: Final = (
    ThriftField(
        number=1,
        name="bitWidth",
        kind="i8",
        type="i8",
        required=True,
        doc="8, 16, 32 or 64 bits.",
    ),
    ThriftField(
        number=2,
        name="isSigned",
        kind="bool",
        type="bool",
        required=True,
        doc="Whether it may be below 0.",
    ),
)
"""The form of an integer.

Source: https://parquet.apache.org/docs/file-format/metadata/ "IntType"
"""


PAGE_HEADER: Final = (
    ThriftField(
        number=1,
        name="type",
        kind="i32",
        type="PageType",
        required=True,
        doc="What it is.",
    ),
    ThriftField(
        number=2,
        name="uncompressed_page_size",
        kind="i32",
        type="i32",
        required=True,
        doc="Bytes of the page, decompressed.",
    ),
    ThriftField(
        number=3,
        name="compressed_page_size",
        kind="i32",
        type="i32",
        required=True,
        doc="Bytes of the page, as stored.",
    ),
    ThriftField(
        number=4,
        name="crc",
        kind="i32",
        type="i32",
        doc="CRC-32 of the page, as stored.",
    ),
    ThriftField(
        number=5,
        name="data_page_header",
        kind="struct",
        type="DataPageHeader",
        doc="The header of a DATA_PAGE.",
    ),
    ThriftField(
        number=6,
        name="index_page_header",
        kind="struct",
        type="IndexPageHeader",
        doc="The header of an INDEX_PAGE, which no writer writes.",
    ),
    ThriftField(
        number=7,
        name="dictionary_page_header",
        kind="struct",
        type="DictionaryPageHeader",
        doc="The header of a DICTIONARY_PAGE.",
    ),
    ThriftField(
        number=8,
        name="data_page_header_v2",
        kind="struct",
        type="DataPageHeaderV2",
        doc="The header of a DATA_PAGE_V2.",
    ),
)
"""The header before each page. Which of the headers inside is present says what
kind of page it is.

Source: https://parquet.apache.org/docs/file-format/metadata/ "PageHeader"
"""


DATA_PAGE_HEADER: Final = (
    ThriftField(
        number=1,
        name="num_values",
        kind="i32",
        type="i32",
        required=True,
        doc="The number of values, nulls included.",
    ),
    ThriftField(
        number=2,
        name="encoding",
        kind="i32",
        type="Encoding",
        required=True,
        doc="The encoding of the values.",
    ),
    ThriftField(
        number=3,
        name="definition_level_encoding",
        kind="i32",
        type="Encoding",
        required=True,
        doc="RLE.",
    ),
    ThriftField(
        number=4,
        name="repetition_level_encoding",
        kind="i32",
        type="Encoding",
        required=True,
        doc="RLE.",
    ),
    ThriftField(
        number=5,
        name="statistics",
        kind="struct",
        type="Statistics",
        doc="The statistics of the page.",
    ),
)
"""The header of a page whose levels are compressed with its values.

Source: https://parquet.apache.org/docs/file-format/metadata/ "DataPageHeader"
"""


DICTIONARY_PAGE_HEADER: Final = (
    ThriftField(
        number=1,
        name="num_values",
        kind="i32",
        type="i32",
        required=True,
        doc="The number of values.",
    ),
    ThriftField(
        number=2,
        name="encoding",
        kind="i32",
        type="Encoding",
        required=True,
        doc="PLAIN, or PLAIN_DICTIONARY in old files.",
    ),
    ThriftField(
        number=3,
        name="is_sorted",
        kind="bool",
        type="bool",
        doc="Whether the values ascend.",
    ),
)
"""The header of a page of values that data pages refer to by number.

Source: https://parquet.apache.org/docs/file-format/metadata/ "DictionaryPageHeader"
"""


DATA_PAGE_HEADER_V2: Final = (
    ThriftField(
        number=1,
        name="num_values",
        kind="i32",
        type="i32",
        required=True,
        doc="The number of values, nulls included.",
    ),
    ThriftField(
        number=2,
        name="num_nulls",
        kind="i32",
        type="i32",
        required=True,
        doc="The number of nulls.",
    ),
    ThriftField(
        number=3,
        name="num_rows",
        kind="i32",
        type="i32",
        required=True,
        doc="The number of rows; a page begins with a new row.",
    ),
    ThriftField(
        number=4,
        name="encoding",
        kind="i32",
        type="Encoding",
        required=True,
        doc="The encoding of the values.",
    ),
    ThriftField(
        number=5,
        name="definition_levels_byte_length",
        kind="i32",
        type="i32",
        required=True,
        doc="Bytes of definition levels.",
    ),
    ThriftField(
        number=6,
        name="repetition_levels_byte_length",
        kind="i32",
        type="i32",
        required=True,
        doc="Bytes of repetition levels.",
    ),
    ThriftField(
        number=7,
        name="is_compressed",
        kind="bool",
        type="bool",
        doc="Whether the values are compressed; true where absent.",
    ),
    ThriftField(
        number=8,
        name="statistics",
        kind="struct",
        type="Statistics",
        doc="The statistics of the page.",
    ),
)
"""The header of a page whose levels come first and are never compressed.

Source: https://parquet.apache.org/docs/file-format/metadata/ "DataPageHeaderV2"
"""


TYPES: Final = (
    ThriftName(number=0, name="BOOLEAN", size=1),
    ThriftName(number=1, name="INT32", size=4),
    ThriftName(number=2, name="INT64", size=8),
    ThriftName(number=3, name="INT96", size=12),
    ThriftName(number=4, name="FLOAT", size=4),
    ThriftName(number=5, name="DOUBLE", size=8),
    ThriftName(number=6, name="BYTE_ARRAY"),
    ThriftName(number=7, name="FIXED_LEN_BYTE_ARRAY"),
)
"""What is stored of a value.

Source: https://parquet.apache.org/docs/file-format/metadata/ "Type"
"""


REPETITIONS: Final = (
    ThriftName(number=0, name="REQUIRED"),
    ThriftName(number=1, name="OPTIONAL"),
    ThriftName(number=2, name="REPEATED"),
)
"""How often a node occurs in its parent.

Source: https://parquet.apache.org/docs/file-format/metadata/ "FieldRepetitionType"
"""


CONVERTED_TYPES: Final = (
    ThriftName(number=0, name="UTF8"),
    ThriftName(number=1, name="MAP"),
    ThriftName(number=2, name="MAP_KEY_VALUE"),
    ThriftName(number=3, name="LIST"),
    ThriftName(number=4, name="ENUM"),
    ThriftName(number=5, name="DECIMAL"),
    ThriftName(number=6, name="DATE"),
    ThriftName(number=7, name="TIME_MILLIS"),
    ThriftName(number=8, name="TIME_MICROS"),
    ThriftName(number=9, name="TIMESTAMP_MILLIS"),
    ThriftName(number=10, name="TIMESTAMP_MICROS"),
    ThriftName(number=11, name="UINT_8"),
    ThriftName(number=12, name="UINT_16"),
    ThriftName(number=13, name="UINT_32"),
    ThriftName(number=14, name="UINT_64"),
    ThriftName(number=15, name="INT_8"),
    ThriftName(number=16, name="INT_16"),
    ThriftName(number=17, name="INT_32"),
    ThriftName(number=18, name="INT_64"),
    ThriftName(number=19, name="JSON"),
    ThriftName(number=20, name="BSON"),
    ThriftName(number=21, name="INTERVAL"),
)
"""The logical type in old files.

Source: https://parquet.apache.org/docs/file-format/metadata/ "ConvertedType"
"""


CODECS: Final = (
    ThriftName(number=0, name="UNCOMPRESSED"),
    ThriftName(number=1, name="SNAPPY"),
    ThriftName(number=2, name="GZIP"),
    ThriftName(number=3, name="LZO"),
    ThriftName(number=4, name="BROTLI"),
    ThriftName(number=5, name="LZ4"),
    ThriftName(number=6, name="ZSTD"),
    ThriftName(number=7, name="LZ4_RAW"),
)
"""How pages are compressed.

Source: https://parquet.apache.org/docs/file-format/metadata/ "CompressionCodec"
"""


ENCODINGS: Final = (
    ThriftName(number=0, name="PLAIN"),
    ThriftName(number=2, name="PLAIN_DICTIONARY"),
    ThriftName(number=3, name="RLE"),
    ThriftName(number=4, name="BIT_PACKED"),
    ThriftName(number=5, name="DELTA_BINARY_PACKED"),
    ThriftName(number=6, name="DELTA_LENGTH_BYTE_ARRAY"),
    ThriftName(number=7, name="DELTA_BYTE_ARRAY"),
    ThriftName(number=8, name="RLE_DICTIONARY"),
    ThriftName(number=9, name="BYTE_STREAM_SPLIT"),
)
"""How values of a page are stored.

Source: https://parquet.apache.org/docs/file-format/metadata/ "Encoding"
"""


PAGE_TYPES: Final = (
    ThriftName(number=0, name="DATA_PAGE"),
    ThriftName(number=1, name="INDEX_PAGE"),
    ThriftName(number=2, name="DICTIONARY_PAGE"),
    ThriftName(number=3, name="DATA_PAGE_V2"),
)
"""What a page is.

Source: https://parquet.apache.org/docs/file-format/metadata/ "PageType"
"""


EDGE_ALGORITHMS: Final = (
    ThriftName(number=0, name="SPHERICAL"),
    ThriftName(number=1, name="VINCENTY"),
    ThriftName(number=2, name="THOMAS"),
    ThriftName(number=3, name="ANDOYER"),
    ThriftName(number=4, name="KARNEY"),
)
"""How an edge runs between two points of a globe.

Source: https://parquet.apache.org/docs/file-format/metadata/ "EdgeInterpolationAlgorithm"
"""
