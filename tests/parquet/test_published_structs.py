"""The spec's table of Parquet's structs equals Parquet's own definition, in its notation."""

from __future__ import annotations

import re
from typing import Final

import pytest

from byteloom_generated.parquet import footers
from byteloom_generated.parquet.footers import ThriftField, ThriftName

STRUCTS: Final = """
FileMetaData: 1 required i32 version, 2 required list<SchemaElement> schema,
    3 required i64 num_rows, 4 required list<RowGroup> row_groups,
    5 list<KeyValue> key_value_metadata, 6 string created_by, 7 list<ColumnOrder> column_orders,
    8 EncryptionAlgorithm encryption_algorithm, 9 binary footer_signing_key_metadata
SchemaElement: 1 Type type, 2 i32 type_length, 3 FieldRepetitionType repetition_type,
    4 required string name, 5 i32 num_children, 6 ConvertedType converted_type, 7 i32 scale,
    8 i32 precision, 9 i32 field_id, 10 LogicalType logicalType
RowGroup: 1 required list<ColumnChunk> columns, 2 required i64 total_byte_size,
    3 required i64 num_rows, 4 list<SortingColumn> sorting_columns, 5 i64 file_offset,
    6 i64 total_compressed_size, 7 i16 ordinal
ColumnChunk: 1 string file_path, 2 required i64 file_offset, 3 ColumnMetaData meta_data,
    4 i64 offset_index_offset, 5 i32 offset_index_length, 6 i64 column_index_offset,
    7 i32 column_index_length, 8 ColumnCryptoMetaData crypto_metadata,
    9 binary encrypted_column_metadata
ColumnMetaData: 1 required Type type, 2 required list<Encoding> encodings,
    3 required list<string> path_in_schema, 4 required CompressionCodec codec,
    5 required i64 num_values, 6 required i64 total_uncompressed_size,
    7 required i64 total_compressed_size, 8 list<KeyValue> key_value_metadata,
    9 required i64 data_page_offset, 10 i64 index_page_offset, 11 i64 dictionary_page_offset,
    12 Statistics statistics, 13 list<PageEncodingStats> encoding_stats,
    14 i64 bloom_filter_offset, 15 i32 bloom_filter_length, 16 SizeStatistics size_statistics,
    17 GeospatialStatistics geospatial_statistics
Statistics: 1 binary max, 2 binary min, 3 i64 null_count, 4 i64 distinct_count,
    5 binary max_value, 6 binary min_value, 7 bool is_max_value_exact, 8 bool is_min_value_exact
SizeStatistics: 1 i64 unencoded_byte_array_data_bytes, 2 list<i64> repetition_level_histogram,
    3 list<i64> definition_level_histogram
SortingColumn: 1 required i32 column_idx, 2 required bool descending, 3 required bool nulls_first
PageEncodingStats: 1 required PageType page_type, 2 required Encoding encoding,
    3 required i32 count
ColumnOrder: 1 TypeDefinedOrder TYPE_ORDER, 2 IEEE754TotalOrder IEEE_754_TOTAL_ORDER
LogicalType: 1 StringType STRING, 2 MapType MAP, 3 ListType LIST, 4 EnumType ENUM,
    5 DecimalType DECIMAL, 6 DateType DATE, 7 TimeType TIME, 8 TimestampType TIMESTAMP,
    10 IntType INTEGER, 11 NullType UNKNOWN, 12 JsonType JSON, 13 BsonType BSON, 14 UUIDType UUID,
    15 Float16Type FLOAT16, 16 VariantType VARIANT, 17 GeometryType GEOMETRY,
    18 GeographyType GEOGRAPHY
DecimalType: 1 required i32 scale, 2 required i32 precision
TimeUnit: 1 MilliSeconds MILLIS, 2 MicroSeconds MICROS, 3 NanoSeconds NANOS
TimeType: 1 required bool isAdjustedToUTC, 2 required TimeUnit unit
TimestampType: 1 required bool isAdjustedToUTC, 2 required TimeUnit unit
IntType: 1 required i8 bitWidth, 2 required bool isSigned
VariantType: 1 i8 specification_version
GeometryType: 1 string crs
GeographyType: 1 string crs, 2 EdgeInterpolationAlgorithm algorithm
KeyValue: 1 required string key, 2 string value
PageHeader: 1 required PageType type, 2 required i32 uncompressed_page_size,
    3 required i32 compressed_page_size, 4 i32 crc, 5 DataPageHeader data_page_header,
    6 IndexPageHeader index_page_header, 7 DictionaryPageHeader dictionary_page_header,
    8 DataPageHeaderV2 data_page_header_v2
DataPageHeader: 1 required i32 num_values, 2 required Encoding encoding,
    3 required Encoding definition_level_encoding, 4 required Encoding repetition_level_encoding,
    5 Statistics statistics
DictionaryPageHeader: 1 required i32 num_values, 2 required Encoding encoding, 3 bool is_sorted
DataPageHeaderV2: 1 required i32 num_values, 2 required i32 num_nulls, 3 required i32 num_rows,
    4 required Encoding encoding, 5 required i32 definition_levels_byte_length,
    6 required i32 repetition_levels_byte_length, 7 bool is_compressed, 8 Statistics statistics
"""
ENUMS: Final = """
Type: 0 BOOLEAN, 1 INT32, 2 INT64, 3 INT96, 4 FLOAT, 5 DOUBLE, 6 BYTE_ARRAY,
    7 FIXED_LEN_BYTE_ARRAY
FieldRepetitionType: 0 REQUIRED, 1 OPTIONAL, 2 REPEATED
ConvertedType: 0 UTF8, 1 MAP, 2 MAP_KEY_VALUE, 3 LIST, 4 ENUM, 5 DECIMAL, 6 DATE, 7 TIME_MILLIS,
    8 TIME_MICROS, 9 TIMESTAMP_MILLIS, 10 TIMESTAMP_MICROS, 11 UINT_8, 12 UINT_16, 13 UINT_32,
    14 UINT_64, 15 INT_8, 16 INT_16, 17 INT_32, 18 INT_64, 19 JSON, 20 BSON, 21 INTERVAL
CompressionCodec: 0 UNCOMPRESSED, 1 SNAPPY, 2 GZIP, 3 LZO, 4 BROTLI, 5 LZ4, 6 ZSTD, 7 LZ4_RAW
Encoding: 0 PLAIN, 2 PLAIN_DICTIONARY, 3 RLE, 4 BIT_PACKED, 5 DELTA_BINARY_PACKED,
    6 DELTA_LENGTH_BYTE_ARRAY, 7 DELTA_BYTE_ARRAY, 8 RLE_DICTIONARY, 9 BYTE_STREAM_SPLIT
PageType: 0 DATA_PAGE, 1 INDEX_PAGE, 2 DICTIONARY_PAGE, 3 DATA_PAGE_V2
EdgeInterpolationAlgorithm: 0 SPHERICAL, 1 VINCENTY, 2 THOMAS, 3 ANDOYER, 4 KARNEY
"""
TABLES: Final = {
    "Type": footers.TYPES,
    "FieldRepetitionType": footers.REPETITIONS,
    "ConvertedType": footers.CONVERTED_TYPES,
    "CompressionCodec": footers.CODECS,
    "Encoding": footers.ENCODINGS,
    "PageType": footers.PAGE_TYPES,
    "EdgeInterpolationAlgorithm": footers.EDGE_ALGORITHMS,
}


def entries(text: str) -> dict[str, list[str]]:
    """Return the entries of each struct or enum, by its name."""
    found = {}
    for each in re.split(r"\n(?=\w)", text.strip()):
        name, _, listed = each.partition(":")
        found[name] = [re.sub(r"\s+", " ", entry).strip() for entry in listed.split(",")]
    return found


def field_text(field: ThriftField) -> str:
    """Return a row of the table in Thrift's notation; its kind is how Thrift stores the type."""
    kind = "i32" if field.type in TABLES else {"string": "binary"}.get(field.type, field.type)
    if field.kind == "list":
        return _entry(field, f"list<{field.type}>")
    if field.kind == "struct":
        assert field.type[0].isupper()
        assert field.type not in TABLES
    else:
        assert field.kind == kind
    return _entry(field, field.type)


def _entry(field: ThriftField, of: str) -> str:
    return f"{field.number} {'required ' if field.required else ''}{of} {field.name}"


@pytest.mark.parametrize(("name", "wanted"), entries(STRUCTS).items(), ids=str)
def test_a_struct_has_the_fields_that_parquet_defines(name: str, wanted: list[str]) -> None:
    """Each field of a struct has the number, the type and the requiredness that Parquet defines."""
    table = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
    assert [field_text(field) for field in getattr(footers, table)] == wanted


def test_no_struct_is_defined_here_alone() -> None:
    """Every table of fields is one of Parquet's structs."""
    tables = {
        name
        for name in footers.__all__
        if name.isupper() and isinstance(getattr(footers, name)[0], ThriftField)
    }
    assert len(tables) == len(entries(STRUCTS))


@pytest.mark.parametrize(("name", "wanted"), entries(ENUMS).items(), ids=str)
def test_an_enum_has_the_names_that_parquet_defines(name: str, wanted: list[str]) -> None:
    """Each name of an enum has the number that Parquet defines."""
    table: tuple[ThriftName, ...] = TABLES[name]
    assert [f"{each.number} {each.name}" for each in table] == wanted


def test_plain_values_have_the_sizes_that_parquet_defines() -> None:
    """Plain values have Parquet's sizes: a boolean takes a byte, byte arrays have no fixed size."""
    assert {each.name: each.size for each in footers.TYPES} == {
        "BOOLEAN": 1,
        "INT32": 4,
        "INT64": 8,
        "INT96": 12,
        "FLOAT": 4,
        "DOUBLE": 8,
        "BYTE_ARRAY": None,
        "FIXED_LEN_BYTE_ARRAY": None,
    }
