"""Every field of every message has its number, type and label, as literal bytes show."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

import pytest

import byteloom_generated.hfile.messages as hfile
import byteloom_generated.orc.messages as orc
from byteloom.errors import FormatError

MODULES: Final = {"hfile": hfile, "orc": orc}
MESSAGES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "hfile.TrailerProto": (
        "08feffffffffffffffff0110fdffffffffffffffff0118fcffffffffffffffff0120fbffffffffffffffff0128faffffff0f30f9ffffff0f38f8ffffffffffffffff0140f7ffffff0f48f6ffffffffffffffff0150f5ffffffffffffffff015a04c3a9313160086a02ff0d",
        {
            "file_info_offset": 18446744073709551614,
            "load_on_open_data_offset": 18446744073709551613,
            "uncompressed_data_index_size": 18446744073709551612,
            "total_uncompressed_bytes": 18446744073709551611,
            "data_index_count": 4294967290,
            "meta_index_count": 4294967289,
            "entry_count": 18446744073709551608,
            "num_data_index_levels": 4294967287,
            "first_data_block_offset": 18446744073709551606,
            "last_data_block_offset": 18446744073709551605,
            "comparator_class_name": "é11",
            "compression_codec": 8,
            "encryption_key": b"\xff\r",
        },
    ),
    "hfile.BytesBytesPair": ("0a02ff011202ff02", {"first": b"\xff\x01", "second": b"\xff\x02"}),
    "hfile.InfoProto": (
        "0a080a02ff011202ff01",
        {"map_entry": [{"first": b"\xff\x01", "second": b"\xff\x01"}]},
    ),
    "hfile.WrappedKey": (
        "0a03c3a93110fdffffff0f1a02ff032202ff042a02ff053203c3a936",
        {
            "algorithm": "é1",
            "length": 4294967293,
            "data": b"\xff\x03",
            "iv": b"\xff\x04",
            "hash": b"\xff\x05",
            "hash_algorithm": "é6",
        },
    ),
    "orc.PostScript": (
        "08feffffffffffffffff01100618fcffffffffffffffff01220afbffffff0ffbffffff0f28faffffffffffffffff0130f9ffffff0f38f8ffffffffffffffff0182f40306c3a938303030",
        {
            "footerLength": 18446744073709551614,
            "compression": 6,
            "compressionBlockSize": 18446744073709551612,
            "version": [4294967291, 4294967291],
            "metadataLength": 18446744073709551610,
            "writerVersion": 4294967289,
            "stripeStatisticsLength": 18446744073709551608,
            "magic": "é8000",
        },
    ),
    "orc.Footer": (
        "08feffffffffffffffff0110fdffffffffffffffff011a4608fcffffffffffffffff0110fcffffffffffffffff0118fcffffffffffffffff0120fcffffffffffffffff0128fcffffffffffffffff0130fcffffffffffffffff013a02ff03221e1205fbffffff0f1a03c3a93420fbffffff0f28fbffffff0f30fbffffff0f2a090a03c3a9351202ff0530f9ffffffffffffffff013a1808f8ffffffffffffffff01500158f8ffffffffffffffff0140f7ffffff0f48f6ffffff0f5202ff0a58f4ffffff0f6204c3a93132",
        {
            "headerLength": 18446744073709551614,
            "contentLength": 18446744073709551613,
            "stripes": [
                {
                    "offset": 18446744073709551612,
                    "indexLength": 18446744073709551612,
                    "dataLength": 18446744073709551612,
                    "footerLength": 18446744073709551612,
                    "numberOfRows": 18446744073709551612,
                    "encryptStripeId": 18446744073709551612,
                    "encryptedLocalKeys": [b"\xff\x03"],
                }
            ],
            "types": [
                {
                    "subtypes": [4294967291],
                    "fieldNames": ["é4"],
                    "maximumLength": 4294967291,
                    "precision": 4294967291,
                    "scale": 4294967291,
                }
            ],
            "metadata": [{"name": "é5", "value": b"\xff\x05"}],
            "numberOfRows": 18446744073709551609,
            "statistics": [
                {
                    "numberOfValues": 18446744073709551608,
                    "hasNull": True,
                    "bytesOnDisk": 18446744073709551608,
                }
            ],
            "rowIndexStride": 4294967287,
            "writer": 4294967286,
            "encryption": b"\xff\n",
            "calendar": 4294967284,
            "softwareVersion": "é12",
        },
    ),
    "orc.StripeInformation": (
        "08feffffffffffffffff0110fdffffffffffffffff0118fcffffffffffffffff0120fbffffffffffffffff0128faffffffffffffffff0130f9ffffffffffffffff013a02ff073a02ff07",
        {
            "offset": 18446744073709551614,
            "indexLength": 18446744073709551613,
            "dataLength": 18446744073709551612,
            "footerLength": 18446744073709551611,
            "numberOfRows": 18446744073709551610,
            "encryptStripeId": 18446744073709551609,
            "encryptedLocalKeys": [b"\xff\x07", b"\xff\x07"],
        },
    ),
    "orc.Type": (
        "0812120afdffffff0ffdffffff0f1a03c3a9331a03c3a93320fbffffff0f28faffffff0f30f9ffffff0f3a0a0a03c3a9371203c3a937",
        {
            "kind": 18,
            "subtypes": [4294967293, 4294967293],
            "fieldNames": ["é3", "é3"],
            "maximumLength": 4294967291,
            "precision": 4294967290,
            "scale": 4294967289,
            "attributes": [{"key": "é7", "value": "é7"}],
        },
    ),
    "orc.StringPair": ("0a03c3a9311203c3a932", {"key": "é1", "value": "é2"}),
    "orc.UserMetadataItem": ("0a03c3a9311202ff02", {"name": "é1", "value": b"\xff\x02"}),
    "orc.ColumnStatistics": (
        "08feffffffffffffffff0112210883808080808080808001108380808080808080800118838080808080808080011a1b0900000000000004c01100000000000004c01900000000000004c0221b0a02ff041202ff0418878080808080808080012202ff042a02ff042a0c0a0afaffffffffffffffff01320c0a02ff061202ff061a02ff063a0408171017420b088f8080808080808080014a42089180808080808080800110918080808080808080011891808080808080808001209180808080808080800128f2ffffffffffffffff0130f2ffffffffffffffff01500158f4ffffffffffffffff01622108f3ffffffffffffffff0110f3ffffffffffffffff0118f3ffffffffffffffff01",
        {
            "numberOfValues": 18446744073709551614,
            "intStatistics": {
                "minimum": -4611686018427387906,
                "maximum": -4611686018427387906,
                "sum": -4611686018427387906,
            },
            "doubleStatistics": {"minimum": -2.5, "maximum": -2.5, "sum": -2.5},
            "stringStatistics": {
                "minimum": b"\xff\x04",
                "maximum": b"\xff\x04",
                "sum": -4611686018427387908,
                "lowerBound": b"\xff\x04",
                "upperBound": b"\xff\x04",
            },
            "bucketStatistics": {"count": [18446744073709551610]},
            "decimalStatistics": {
                "minimum": b"\xff\x06",
                "maximum": b"\xff\x06",
                "sum": b"\xff\x06",
            },
            "dateStatistics": {"minimum": -12, "maximum": -12},
            "binaryStatistics": {"sum": -4611686018427387912},
            "timestampStatistics": {
                "minimum": -4611686018427387913,
                "maximum": -4611686018427387913,
                "minimumUtc": -4611686018427387913,
                "maximumUtc": -4611686018427387913,
                "minimumNanos": -14,
                "maximumNanos": -14,
            },
            "hasNull": True,
            "bytesOnDisk": 18446744073709551604,
            "collectionStatistics": {
                "minChildren": 18446744073709551603,
                "maxChildren": 18446744073709551603,
                "totalChildren": 18446744073709551603,
            },
        },
    ),
    "orc.IntegerStatistics": (
        "088180808080808080800110838080808080808080011885808080808080808001",
        {
            "minimum": -4611686018427387905,
            "maximum": -4611686018427387906,
            "sum": -4611686018427387907,
        },
    ),
    "orc.DoubleStatistics": (
        "09000000000000e0bf11000000000000f8bf1900000000000004c0",
        {"minimum": -0.5, "maximum": -1.5, "sum": -2.5},
    ),
    "orc.StringStatistics": (
        "0a02ff011202ff0218858080808080808080012202ff042a02ff05",
        {
            "minimum": b"\xff\x01",
            "maximum": b"\xff\x02",
            "sum": -4611686018427387907,
            "lowerBound": b"\xff\x04",
            "upperBound": b"\xff\x05",
        },
    ),
    "orc.BucketStatistics": (
        "0a14feffffffffffffffff01feffffffffffffffff01",
        {"count": [18446744073709551614, 18446744073709551614]},
    ),
    "orc.DecimalStatistics": (
        "0a02ff011202ff021a02ff03",
        {"minimum": b"\xff\x01", "maximum": b"\xff\x02", "sum": b"\xff\x03"},
    ),
    "orc.DateStatistics": ("080b100d", {"minimum": -6, "maximum": -7}),
    "orc.TimestampStatistics": (
        "088180808080808080800110838080808080808080011885808080808080808001208780808080808080800128f6ffffffffffffffff0130f5ffffffffffffffff01",
        {
            "minimum": -4611686018427387905,
            "maximum": -4611686018427387906,
            "minimumUtc": -4611686018427387907,
            "maximumUtc": -4611686018427387908,
            "minimumNanos": -10,
            "maximumNanos": -11,
        },
    ),
    "orc.BinaryStatistics": ("0881808080808080808001", {"sum": -4611686018427387905}),
    "orc.CollectionStatistics": (
        "08feffffffffffffffff0110fdffffffffffffffff0118fcffffffffffffffff01",
        {
            "minChildren": 18446744073709551614,
            "maxChildren": 18446744073709551613,
            "totalChildren": 18446744073709551612,
        },
    ),
    "orc.Metadata": ("0a00", {"stripeStats": [{}]}),
    "orc.StripeStatistics": (
        "0a1808feffffffffffffffff01500158feffffffffffffffff01",
        {
            "colStats": [
                {
                    "numberOfValues": 18446744073709551614,
                    "hasNull": True,
                    "bytesOnDisk": 18446744073709551614,
                }
            ]
        },
    ),
    "orc.StripeFooter": (
        "0a1110feffffff0f18feffffffffffffffff01120c10fdffffff0f18fdffffff0f1a03c3a933",
        {
            "streams": [{"column": 4294967294, "length": 18446744073709551614}],
            "columns": [{"dictionarySize": 4294967293, "bloomEncoding": 4294967293}],
            "writerTimezone": "é3",
        },
    ),
    "orc.Stream": (
        "086510fdffffff0f18fcffffffffffffffff01",
        {"kind": 101, "column": 4294967293, "length": 18446744073709551612},
    ),
    "orc.ColumnEncoding": (
        "080310fdffffff0f18fcffffff0f",
        {"kind": 3, "dictionarySize": 4294967293, "bloomEncoding": 4294967292},
    ),
}
"""Messages by name: bytes with all of their fields, in hex, and their values."""

ENUMS: Final = {
    "hfile.Codec": {
        "LZO": 0,
        "GZ": 1,
        "NONE": 2,
        "SNAPPY": 3,
        "LZ4": 4,
        "BZIP2": 5,
        "ZSTD": 6,
        "LZMA": 7,
        "BROTLI": 8,
    },
    "orc.CompressionKind": {
        "NONE": 0,
        "ZLIB": 1,
        "SNAPPY": 2,
        "LZO": 3,
        "LZ4": 4,
        "ZSTD": 5,
        "BROTLI": 6,
    },
    "orc.Type.Kind": {
        "BOOLEAN": 0,
        "BYTE": 1,
        "SHORT": 2,
        "INT": 3,
        "LONG": 4,
        "FLOAT": 5,
        "DOUBLE": 6,
        "STRING": 7,
        "BINARY": 8,
        "TIMESTAMP": 9,
        "LIST": 10,
        "MAP": 11,
        "STRUCT": 12,
        "UNION": 13,
        "DECIMAL": 14,
        "DATE": 15,
        "VARCHAR": 16,
        "CHAR": 17,
        "TIMESTAMP_INSTANT": 18,
    },
    "orc.Stream.Kind": {
        "PRESENT": 0,
        "DATA": 1,
        "LENGTH": 2,
        "DICTIONARY_DATA": 3,
        "DICTIONARY_COUNT": 4,
        "SECONDARY": 5,
        "ROW_INDEX": 6,
        "BLOOM_FILTER": 7,
        "BLOOM_FILTER_UTF8": 8,
        "ENCRYPTED_INDEX": 9,
        "ENCRYPTED_DATA": 10,
        "STRIPE_STATISTICS": 100,
        "FILE_STATISTICS": 101,
    },
    "orc.ColumnEncoding.Kind": {"DIRECT": 0, "DICTIONARY": 1, "DIRECT_V2": 2, "DICTIONARY_V2": 3},
}
"""The numbers of all values of each enum."""


def of(name: str) -> Any:
    """Return the class of a name."""
    module, _, rest = name.partition(".")
    return attrgetter(rest)(MODULES[module])


def plain(value: Any) -> Any:
    """Return a value, and of a message the fields that are present, by name."""
    if hasattr(value, "ListFields"):
        return {field.name: plain(held) for field, held in value.ListFields()}
    if isinstance(value, (str, bytes, int, float)):
        return value
    return [plain(each) for each in value]


@pytest.mark.parametrize("name", MESSAGES)
def test_all_fields_are_read_and_written(name: str) -> None:
    """Every field has its number, type and label: its bytes are read and written as listed."""
    data, fields = bytes.fromhex(MESSAGES[name][0]), MESSAGES[name][1]
    message = of(name).parse(data)
    assert plain(message) == fields
    assert message.SerializeToString() == data
    assert {each.name for each in message.DESCRIPTOR.fields} == fields.keys()


@pytest.mark.parametrize("name", ENUMS)
def test_all_values_have_their_numbers(name: str) -> None:
    """Every enum has exactly the listed values and numbers."""
    assert {each.name: each.value for each in of(name)} == ENUMS[name]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("hfile.BytesBytesPair", "first"),
        ("hfile.BytesBytesPair", "second"),
        ("hfile.WrappedKey", "algorithm"),
        ("hfile.WrappedKey", "length"),
        ("hfile.WrappedKey", "data"),
    ],
)
def test_required_fields_are_there(name: str, field: str) -> None:
    """A message without a required field is refused by the name of the field."""
    message = of(name).parse(bytes.fromhex(MESSAGES[name][0]))
    message.ClearField(field)
    with pytest.raises(FormatError, match=field):
        of(name).parse(message.SerializePartialToString())


def test_absent_fields_have_their_defaults() -> None:
    """Absent fields have the defaults that are neither zero nor empty."""
    assert hfile.TrailerProto.parse(b"").compression_codec == hfile.Codec.NONE
    key = hfile.WrappedKey(algorithm="AES", length=16, data=b"k")
    assert key.hash_algorithm == "MD5"
    assert orc.PostScript.parse(b"").compressionBlockSize == 262_144
