"""The tables of Iceberg's spec are what its document says, copied from there by hand.

In the tables of fields a letter for each format version says what is asked of its writers:

    R  required, and readers refuse what lacks it
    r  required, but readers accept what lacks it
    o  optional
    d  deprecated: read, and written only if it was there
    -  not of that version
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import pytest

from byteloom.errors import FormatError
from byteloom.iceberg.transforms.arrays import hash_array, storage_array
from byteloom.iceberg.types import parse_primitive
from byteloom.iceberg.values import from_json
from byteloom_generated.iceberg import (
    expressions,
    file_types,
    manifests,
    partition_specs,
    reserved_fields,
    schemas,
    table_metadata,
    transforms,
    types,
)

if TYPE_CHECKING:
    from byteloom.documents.json_record import JsonRecord
    from byteloom_generated.iceberg.manifests import ManifestField

FIELDS: Final = """
manifest_entry
    0 status                 R R R  int
    1 snapshot_id            r o o  long
    3 sequence_number        - o o  long
    4 file_sequence_number   - o o  long
    2 data_file              R R R  struct<data_file>
data_file
    134 content              - r r  int
    100 file_path            R R R  string
    101 file_format          R R R  string
    102 partition            R R R  struct<partition>
    103 record_count         R R R  long
    104 file_size_in_bytes   R R R  long
    105 block_size_in_bytes  r - -  long
    106 file_ordinal         d - -  int
    107 sort_columns         d - -  list<112: int>
    108 column_sizes         o o o  map<117: int, 118: long>
    109 value_counts         o o o  map<119: int, 120: long>
    110 null_value_counts    o o o  map<121: int, 122: long>
    137 nan_value_counts     o o o  map<138: int, 139: long>
    111 distinct_counts      d d d  map<123: int, 124: long>
    125 lower_bounds         o o o  map<126: int, 127: binary>
    128 upper_bounds         o o o  map<129: int, 130: binary>
    131 key_metadata         o o o  binary
    132 split_offsets        o o o  list<133: long>
    135 equality_ids         - o o  list<136: int>
    140 sort_order_id        o o o  int
    142 first_row_id         - - o  long
    143 referenced_data_file - o o  string
    144 content_offset       - - o  long
    145 content_size_in_bytes - - o  long
manifest_file
    500 manifest_path        R R R  string
    501 manifest_length      R R R  long
    502 partition_spec_id    R R R  int
    517 content              - r r  int
    515 sequence_number      - r r  long
    516 min_sequence_number  - r r  long
    503 added_snapshot_id    r r r  long
    504 added_files_count    o r r  int
    505 existing_files_count o r r  int
    506 deleted_files_count  o r r  int
    512 added_rows_count     o r r  long
    513 existing_rows_count  o r r  long
    514 deleted_rows_count   o r r  long
    507 partitions           o o o  list<508: struct<field_summary>>
    519 key_metadata         o o o  binary
    520 first_row_id         - - o  long
field_summary
    509 contains_null        r r r  boolean
    518 contains_nan         o o o  boolean
    510 lower_bound          o o o  binary
    511 upper_bound          o o o  binary
"""
OBJECTS: Final = """
TableMetadata
    format-version           R R R  int
    table-uuid               o R R  uuid
    location                 R R R  string
    last-sequence-number     - R R  long
    last-updated-ms          R R R  long
    last-column-id           R R R  int
    schema                   r - -  json
    schemas                  o R R  list<json>
    current-schema-id        o R R  int
    partition-spec           r - -  list<json>
    partition-specs          o R R  list<json>
    default-spec-id          o R R  int
    last-partition-id        o R R  int
    properties               o o o  map<string>
    current-snapshot-id      o o o  long
    snapshots                o o o  list<Snapshot>
    snapshot-log             o o o  list<SnapshotLogEntry>
    metadata-log             o o o  list<MetadataLogEntry>
    sort-orders              o R R  list<json>
    default-sort-order-id    o R R  int
    refs                     o o o  map<SnapshotReference>
    statistics               o o o  list<StatisticsFile>
    partition-statistics     o o o  list<PartitionStatisticsFile>
    next-row-id              - - R  long
    encryption-keys          - - o  list<EncryptedKey>
Snapshot
    sequence-number          - r r  long
    snapshot-id              R R R  long
    parent-snapshot-id       o o o  long
    timestamp-ms             R R R  long
    summary                  o r r  map<string>
    manifest-list            o R R  string
    manifests                o - -  list<string>
    schema-id                o o o  int
    first-row-id             - - r  long
    added-rows               - - r  long
    key-id                   - - o  string
SnapshotLogEntry
    timestamp-ms             R R R  long
    snapshot-id              R R R  long
MetadataLogEntry
    timestamp-ms             R R R  long
    metadata-file            R R R  string
SnapshotReference
    snapshot-id              R R R  long
    type                     R R R  tag|branch
    min-snapshots-to-keep    o o o  int
    max-snapshot-age-ms      o o o  long
    max-ref-age-ms           o o o  long
StatisticsFile
    snapshot-id              R R R  long
    statistics-path          R R R  string
    file-size-in-bytes       R R R  long
    file-footer-size-in-bytes R R R  long
    key-metadata             o o o  string
    blob-metadata            R R R  list<BlobMetadata>
BlobMetadata
    type                     R R R  string
    snapshot-id              R R R  long
    sequence-number          R R R  long
    fields                   R R R  list<int>
    properties               o o o  map<string>
PartitionStatisticsFile
    snapshot-id              R R R  long
    statistics-path          R R R  string
    file-size-in-bytes       R R R  long
EncryptedKey
    key-id                   - - R  string
    encrypted-key-metadata   - - R  string
    encrypted-by-id          - - o  string
    properties               - - o  map<string>
PartitionSpec
    spec-id                  R R R  int
    fields                   R R R  list<json>
PartitionField
    source-id                r r r  int
    source-ids               - - o  list<int>
    field-id                 o r r  int
    name                     R R R  string
    transform                R R R  string
SortOrder
    order-id                 R R R  int
    fields                   R R R  list<json>
SortField
    transform                R R R  string
    source-id                r r r  int
    source-ids               - - o  list<int>
    direction                R R R  asc|desc
    null-order               R R R  nulls-first|nulls-last
Schema
    type                     R R R  struct
    schema-id                o r r  int
    identifier-field-ids     o o o  list<int>
    fields                   R R R  list<json>
StructType
    type                     R R R  struct
    fields                   R R R  list<json>
StructField
    id                       R R R  int
    name                     R R R  string
    required                 R R R  boolean
    type                     R R R  json
    doc                      o o o  string
    initial-default          - - o  json
    write-default            - - o  json
ListType
    type                     R R R  list
    element-id               R R R  int
    element                  R R R  json
    element-required         R R R  boolean
MapType
    type                     R R R  map
    key-id                   R R R  int
    key                      R R R  json
    value-id                 R R R  int
    value                    R R R  json
    value-required           R R R  boolean
MappedField
    field-id                 o o o  int
    names                    r r r  list<string>
    fields                   o o o  list<json>
"""
KEYS: Final = """
schema            required required required
schema-id         optional required required
partition-spec    required required required
partition-spec-id optional required required
format-version    optional required required
content           -        required required
"""
RESERVED: Final = """
metadata_columns
    2147483646 _file string required
    2147483645 _pos long required
    2147483644 _deleted boolean required
    2147483643 _spec_id int required
    2147483642 _partition struct
    2147483540 _row_id long stored from 3
    2147483539 _last_updated_sequence_number long stored from 3
changelog_columns
    2147483543 _change_type string required
    2147483542 _change_ordinal int required
    2147483541 _commit_snapshot_id long required
delete_file_columns
    2147483546 file_path string required stored from 2
    2147483545 pos long required stored from 2
    2147483544 row struct stored from 2
"""
PRIMITIVES: Final = """
boolean        1  bool                   -    word     boolean  u1
int            1  int32                  -    word     s4       s4le
long           1  int64                  -    word     s8       s8le
float          1  float                  -    float    number   f4le
double         1  double                 -    float    number   f8le
decimal(P,S)   1  decimal128(P, S)       -    decimal  decimal  signed
date           1  date32[day]            day  word     date     s4le
time           1  time64[us]             us   word     time     s8le
timestamp      1  timestamp[us]          us   word     moment   s8le
timestamptz    1  timestamp[us, tz=UTC]  us   word     moment   s8le
timestamp_ns   3  timestamp[ns]          ns   nanos    moment   s8le
timestamptz_ns 3  timestamp[ns, tz=UTC]  ns   nanos    moment   s8le
string         1  large_string           -    run      text     utf8
uuid           1  fixed_size_binary[16]  -    run      uuid     u16be
fixed(L)       1  fixed_size_binary[L]   -    run      hex      bytes
binary         1  large_binary           -    run      hex      bytes
unknown        3  null                   -    -        nothing  -
variant        3  -                      -    -        -        -
geometry(C)    3  large_binary           -    -        -        corner
geography(C,A) 3  large_binary           -    -        -        corner
"""
TRANSFORMS: Final = """
identity - source ordered
bucket N int
truncate W source ordered
year - int ordered
month - int ordered
day - date ordered
hour - int ordered
void - source
"""
HUMAN: Final = """
year: 47 reads 2017
month: 575 reads 2017-12
day: 17501 reads 2017-12-01
hour: 420034 reads 2017-12-01-10
nothing: null reads null
boolean: true reads true
int: -7 reads -7
long: 34 reads 34
float: 0.1 reads 0.1
double: 12345678.0 reads 1.2345678E7
decimal: "14.20" reads 14.20
date: "2017-12-01" reads 2017-12-01
time: "10:12:00" reads 10:12
timestamp: "2017-12-01T10:12:55.500" reads 2017-12-01T10:12:55.5
timestamptz: "2017-12-01T10:12:55.038194+00:00" reads 2017-12-01T10:12:55.038194+00:00
timestamp_ns: "2017-12-01T10:12:55.038194789" reads 2017-12-01T10:12:55.038194789
timestamptz_ns: "2017-12-01T10:12:55.038194789+00:00" reads 2017-12-01T10:12:55.038194789+00:00
string: "a/b=c=d" reads a/b=c=d
uuid: "f79c3e09-677c-4bbd-a479-3f349cb785e7" reads f79c3e09-677c-4bbd-a479-3f349cb785e7
fixed: "000102ff" reads AAEC/w==
binary: "000102ff" reads AAEC/w==
"""
OPERATIONS: Final = """
is-null         not-null         -       null
not-null        is-null          -       nan
is-nan          not-nan          -       nan
not-nan         is-nan           -       null
lt              gt-eq            value   -
lt-eq           gt               value   -
gt              lt-eq            value   -
gt-eq           lt               value   -
eq              not-eq           value   -
not-eq          eq               value   null,nan
in              not-in           values  -
not-in          in               values  null,nan
starts-with     not-starts-with  value   -
not-starts-with starts-with      value   null
"""
AVRO: Final = """
boolean: boolean
int: int
long: long
float: float
double: double
decimal: fixed decimal
date: int date
time: long time-micros
timestamp: long timestamp-micros false
timestamptz: long timestamp-micros true
timestamp_ns: long timestamp-nanos false
timestamptz_ns: long timestamp-nanos true
string: string
uuid: fixed uuid
fixed: fixed
binary: bytes
unknown: null
variant: record variant
geometry: bytes
geography: bytes
struct: record
list: array
map: map
map: array map
read as string: enum
read as decimal: bytes decimal
read as time: int time-millis
read as timestamp: long timestamp-millis false
read as timestamptz: long timestamp-millis true
read as timestamp: long local-timestamp-millis
read as timestamp: long local-timestamp-micros
read as timestamp_ns: long local-timestamp-nanos
"""
PARQUET: Final = """
boolean: boolean
int: int32
long: int64
float: float
double: double
decimal: int32 DECIMAL(P, S) to 9
decimal: int64 DECIMAL(P, S) to 18
decimal: fixed_len_byte_array DECIMAL(P, S) to 38
date: int32 DATE
time: int64 TIME(isAdjustedToUTC=false, MICROS)
timestamp: int64 TIMESTAMP(isAdjustedToUTC=false, MICROS)
timestamptz: int64 TIMESTAMP(isAdjustedToUTC=true, MICROS)
timestamp_ns: int64 TIMESTAMP(isAdjustedToUTC=false, NANOS)
timestamptz_ns: int64 TIMESTAMP(isAdjustedToUTC=true, NANOS)
string: byte_array STRING
uuid: fixed_len_byte_array UUID
fixed: fixed_len_byte_array
binary: byte_array
unknown: none
variant: group VARIANT
geometry: byte_array GEOMETRY(C)
geography: byte_array GEOGRAPHY(C, A)
struct: group
list: group LIST
map: group MAP
read as int: int32 INT(8, true)
read as int: int32 INT(16, true)
read as int: int32 INT(32, true)
read as int: int32 INT(8, false)
read as int: int32 INT(16, false)
read as long: int32 INT(32, false)
read as long: int64 INT(64, true)
read as decimal: byte_array DECIMAL(P, S)
read as time: int32 TIME(isAdjustedToUTC=false, MILLIS)
read as time: int32 TIME(isAdjustedToUTC=true, MILLIS)
read as time: int64 TIME(isAdjustedToUTC=true, MICROS)
read as timestamp: int64 TIMESTAMP(isAdjustedToUTC=false, MILLIS)
read as timestamptz: int64 TIMESTAMP(isAdjustedToUTC=true, MILLIS)
read as timestamptz: int96
read as string: byte_array ENUM
read as string: byte_array JSON
read as binary: byte_array BSON
"""
ORC: Final = """
boolean: boolean
int: int
long: bigint
float: float
double: double
decimal: decimal(P, S)
date: date
time: bigint iceberg.long-type=TIME
timestamp: timestamp iceberg.timestamp-unit=MICROS
timestamptz: timestamp with local time zone iceberg.timestamp-unit=MICROS
timestamp_ns: timestamp iceberg.timestamp-unit=NANOS
timestamptz_ns: timestamp with local time zone iceberg.timestamp-unit=NANOS
string: string
uuid: binary iceberg.binary-type=UUID
fixed: binary iceberg.binary-type=FIXED iceberg.length=L
binary: binary
unknown: none
variant: struct iceberg.struct-type=VARIANT
geometry: binary
geography: binary
struct: struct
list: array
map: map
read as int: tinyint
read as int: smallint
read as string: varchar
read as string: char
read as timestamp: timestamp
read as timestamptz: timestamp with local time zone
"""
HASHES: Final = [
    ("boolean", "true", 1392991556),
    ("boolean", "false", 1669671676),
    ("int", "34", 2017239379),
    ("int", "-1", 1651860712),
    ("long", "34", 2017239379),
    ("float", "1.0", -142385009),
    ("double", "1.0", -142385009),
    ("double", "0.0", 1669671676),
    ("decimal(9, 2)", '"14.20"', -500754589),
    ("decimal(9, 2)", '"-14.20"', 667775751),
    ("date", '"2017-11-16"', -653330422),
    ("time", '"22:31:08"', -662762989),
    ("timestamp", '"2017-11-16T22:31:08"', -2047944441),
    ("timestamp", '"1969-12-31T23:59:59.999999"', 1651860712),
    ("timestamptz", '"2017-11-16T22:31:08+00:00"', -2047944441),
    ("timestamp_ns", '"2017-11-16T22:31:08.000001001"', -1207196810),
    ("timestamptz_ns", '"2017-11-16T22:31:08.000001001+00:00"', -1207196810),
    ("string", '"iceberg"', 1210000089),
    ("uuid", '"f79c3e09-677c-4bbd-a479-3f349cb785e7"', 1488055340),
    ("fixed[4]", '"00010203"', -188683207),
    ("binary", '"00010203"', -188683207),
]
MODULES: Final = (table_metadata, partition_specs, schemas)


def tables(text: str) -> dict[str, list[str]]:
    """Return the lines below each heading, without their indentation."""
    parts = [part.splitlines() for part in re.split(r"\n(?=\w)", text.strip())]
    return {
        heading: [re.sub(r"  +", " ", line.strip()) for line in below] for heading, *below in parts
    }


def lines(text: str) -> list[str]:
    """Return the lines of a table without headings, with one space between columns."""
    return [re.sub(r"  +", " ", line) for line in text.strip().splitlines()]


def field_letter(field: ManifestField, version: int) -> str:
    """Return what a version asks of writers and readers, as a letter."""
    asked: str | None = getattr(field, f"v{version}")
    if asked is None:
        return "-"
    return "R" if field.needed else {"required": "r", "optional": "o", "deprecated": "d"}[asked]


@pytest.mark.parametrize(("name", "wanted"), tables(FIELDS).items(), ids=str)
def test_records_of_manifests_have_the_fields_that_iceberg_defines(
    name: str, wanted: list[str]
) -> None:
    """Fields of manifests have the ids, types and requirements of the document, by version."""
    assert [
        f"{each.id} {each.name} {' '.join(field_letter(each, v) for v in (1, 2, 3))} {each.type}"
        for each in getattr(manifests, name.upper())
    ] == wanted


def test_old_names_and_fills_of_manifests() -> None:
    """Java once wrote counts of "data files"; version 1 writes a block size that nobody reads."""
    rows = [*manifests.MANIFEST_ENTRY, *manifests.DATA_FILE, *manifests.MANIFEST_FILE]
    assert {each.name: each.old_names for each in rows if each.old_names} == {
        f"{kind}_files_count": (f"{kind}_data_files_count",)
        for kind in ("added", "existing", "deleted")
    }
    assert {each.name: each.fill for each in rows if each.fill is not None} == {
        "block_size_in_bytes": 64 << 20
    }
    assert [each.name for each in rows if each.ignored] == ["block_size_in_bytes"]


def test_the_header_of_a_manifest_has_the_keys_that_iceberg_defines() -> None:
    """The header of a manifest has the keys of the document, as each version requires."""
    assert [
        " ".join([each.name, *(asked or "-" for asked in (each.v1, each.v2, each.v3))])
        for each in manifests.MANIFEST_KEYS
    ] == lines(KEYS)


def record_named(name: str) -> type[JsonRecord]:
    """Return the generated class of an object."""
    found: type[JsonRecord] = next(
        getattr(module, name) for module in MODULES if hasattr(module, name)
    )
    return found


def sample(of: str, version: int) -> Any:
    """Return a value of a type, with only what a version knows."""
    if inner := re.fullmatch(r"(list|map)<(\w+)>", of):
        one = sample(inner[2], version)
        return [one, one] if inner[1] == "list" else {"a": one, "b": one}
    if of[0].isupper():
        return whole(of, version)
    simple = {
        "int": (1 << 31) - 1,
        "long": (1 << 63) - 1,
        "string": "text",
        "boolean": True,
        "uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "json": {"any": ["thing"]},
    }
    return simple.get(of, of.rpartition("|")[2])


def whole(name: str, version: int) -> dict[str, Any]:
    """Return an object with every key that a version knows."""
    return {
        key: sample(of, version)
        for key, letters, of in keys_of(name)
        if letters[version - 1] != "-"
    }


def keys_of(name: str) -> list[tuple[str, str, str]]:
    """Return the key, the three letters and the type of each field of an object."""
    parts = [line.split(" ") for line in tables(OBJECTS)[name]]
    return [(key, "".join(letters), of) for key, *letters, of in parts]


def test_every_object_is_in_the_document() -> None:
    """Every class of the three modules is an object of the document."""
    made = {name for module in MODULES for name in module.__all__}
    assert made == set(tables(OBJECTS))


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("name", tables(OBJECTS))
class TestObjects:
    """Each object of the document is read and written in each version."""

    def test_every_key_is_read_and_written(self, name: str, version: int) -> None:
        """Every key of a version round-trips, and keys of other versions are kept as unknown."""
        document = whole(name, version)
        if not document:
            return
        record = record_named(name).from_json(document, version=version)
        assert (record.to_json(version=version), record.extra) == (document, {})
        others = {key: 1 for key, letters, _ in keys_of(name) if letters[version - 1] == "-"}
        record = record_named(name).from_json({**document, **others}, version=version)
        assert record.extra == others

    def test_a_missing_key_is_refused_where_it_is_required(self, name: str, version: int) -> None:
        """A missing required key is an error with its name, and an optional one may be absent."""
        document, record = whole(name, version), record_named(name)
        for key, letters, _ in keys_of(name):
            without = {each: value for each, value in document.items() if each != key}
            if letters[version - 1] == "R":
                with pytest.raises(FormatError, match=f"^{key}: found nothing, wanted"):
                    record.from_json(without, version=version)
            elif document:
                assert key not in record.from_json(without, version=version).given

    def test_a_value_of_another_type_is_refused(self, name: str, version: int) -> None:
        """A fraction, or a number beyond the type, is an error with the name of its key."""
        document, record = whole(name, version), record_named(name)
        for key, letters, of in keys_of(name):
            if letters[version - 1] == "-" or of == "json":
                continue
            for wrong in [1.5, *([1 << 31] * (of == "int")), *([1 << 63] * (of == "long"))]:
                with pytest.raises(FormatError, match=f"^{key}: found {wrong}, wanted"):
                    record.from_json({**document, key: wrong}, version=version)


def odd_fields(attribute: str) -> dict[str, Any]:
    """Return the fields for which an attribute is set, by object and key."""
    usual = {"absent": None, "none": None, "none_until": 0, "values": ()}[attribute]
    return {
        f"{name}.{field.key}": getattr(field, attribute)
        for name in tables(OBJECTS)
        for field in record_named(name).FIELDS
        if getattr(field, attribute) != usual
    }


def test_what_a_missing_key_means() -> None:
    """Sequence numbers of version 1 are 0, and so is the id of its schema."""
    assert odd_fields("absent") == {
        "TableMetadata.last-sequence-number": 0,
        "Snapshot.sequence-number": 0,
        "Schema.schema-id": 0,
    }


def test_where_a_number_means_nothing() -> None:
    """Java writes -1 for "no snapshot" in versions 1 and 2."""
    assert odd_fields("none") == {
        "TableMetadata.current-snapshot-id": -1,
        "Snapshot.parent-snapshot-id": -1,
    }
    assert odd_fields("none_until") == {"TableMetadata.current-snapshot-id": 2}


def test_the_only_values_that_keys_may_have() -> None:
    """References, orders and nested types have exactly the values of the document."""
    wanted = {
        f"{name}.{key}": tuple(of.split("|"))
        for name in tables(OBJECTS)
        for key, _, of in keys_of(name)
        if "|" in of or of in {"struct", "list", "map"}
    }
    assert odd_fields("values") == wanted


@pytest.mark.parametrize(("name", "wanted"), tables(RESERVED).items(), ids=str)
def test_reserved_columns_have_the_ids_that_iceberg_defines(name: str, wanted: list[str]) -> None:
    """Reserved columns have the document's ids and types, and the version that adds them."""
    found = []
    for each in getattr(reserved_fields, name.upper()):
        words = [str(each.id), each.name, each.type]
        words += ["required"] * bool(each.required) + ["stored"] * bool(each.is_stored)
        found.append(" ".join([*words, *([f"from {each.since}"] if each.since > 1 else [])]))
    assert found == wanted


def test_ranges_of_ids() -> None:
    """The last 200 ids of 31 bits are reserved; partition fields begin at 1000."""
    highest = (1 << 31) - 1
    assert [(each.name, each.first, each.last) for each in reserved_fields.ID_RANGES] == [
        ("columns", 1, highest - 200),
        ("partition_fields", 1000, highest - 200),
        ("reserved", highest - 199, highest),
    ]


def test_primitive_types_have_the_forms_that_iceberg_defines() -> None:
    """Primitive types have the version, Arrow type, unit, hash and single values defined."""
    wanted = [re.split(r"  +| (?=[13]  )", line) for line in PRIMITIVES.strip().splitlines()]
    found = [
        [
            each.name + (f"({','.join(each.parameters)})" if each.parameters else ""),
            str(each.since),
            "-" if each.name == "variant" else each.arrow,
            *(form or "-" for form in (each.unit, each.hash, each.json, each.binary)),
        ]
        for each in types.PRIMITIVE_TYPES
    ]
    assert found == wanted
    zoned = [each.name for each in types.PRIMITIVE_TYPES if each.zoned]
    assert zoned == ["timestamptz", "timestamptz_ns"]


def test_nested_types_have_the_forms_that_iceberg_defines() -> None:
    """Nested types are of version 1, and have a JSON form, no hash and no bytes."""
    assert [(each.name, each.since, each.arrow, each.json) for each in types.NESTED_TYPES] == [
        ("struct", 1, "struct", "by-id"),
        ("list", 1, "large_list", "array"),
        ("map", 1, "map", "pairs"),
    ]
    assert not any(each.hash or each.binary for each in types.NESTED_TYPES)


def test_nested_types_have_the_json_of_appendix_c() -> None:
    """The JSON of a struct is by field id, and that of a map is two lists."""
    found = [json.loads(each.json_example or "") for each in types.NESTED_TYPES]
    assert found == [{"1": 1, "2": "bar"}, [1, 2, 3], {"keys": ["a", "b"], "values": [1, 2]}]


def test_columns_may_become_what_iceberg_defines() -> None:
    """The allowed promotions, their versions and their transforms are those of the document."""
    kept = ("year", "month", "day", "void")
    assert [(each.old, each.new, each.since, each.transforms) for each in types.PROMOTIONS] == [
        ("int", "long", 1, ()),
        ("float", "double", 1, ()),
        ("decimal", "decimal", 1, ()),
        ("unknown", "any", 3, ()),
        ("date", "timestamp", 3, kept),
        ("date", "timestamp_ns", 3, kept),
    ]


def test_every_form_of_a_type_is_described() -> None:
    """Exactly the hash and JSON forms that types have are described."""
    rows = [*types.PRIMITIVE_TYPES, *types.NESTED_TYPES]
    described = [{each.name for each in table} for table in (types.HASHES, types.JSON_FORMS)]
    assert described[0] == {each.hash for each in rows} - {None}
    assert described[1] == {each.json for each in rows} - {None}


def test_parameters_have_the_ranges_that_iceberg_defines() -> None:
    """Parameters have the document's ranges, and shapes are in OGC:CRS84 by default."""
    assert [
        (each.type, each.name, each.least, each.most, each.default) for each in types.PARAMETERS
    ] == [
        ("decimal", "P", 1, 38, None),
        ("decimal", "S", None, None, None),
        ("fixed", "L", 0, None, None),
        ("geometry", "C", None, None, "OGC:CRS84"),
        ("geography", "C", None, None, "OGC:CRS84"),
        ("geography", "A", None, None, "spherical"),
    ]
    words = [set(each.words) for each in types.PARAMETERS if each.words]
    assert words == [{"spherical", "vincenty", "thomas", "andoyer", "karney"}]


def test_single_values_of_fixed_width_have_their_sizes() -> None:
    """Single values of fixed width have the sizes of Appendix D."""
    sizes = {each.name: each.size for each in types.BINARY_FORMS}
    assert sizes == {
        "u1": 1,
        "s4le": 4,
        "s8le": 8,
        "f4le": 4,
        "f8le": 8,
        "u16be": 16,
        **dict.fromkeys(["signed", "utf8", "bytes", "corner"]),
    }


@pytest.mark.parametrize(("of", "text", "hashed"), HASHES)
def test_values_have_the_hashes_of_appendix_b(of: str, text: str, hashed: int) -> None:
    """Values have the hashes of Appendix B, and each is in the table of examples."""
    kind = parse_primitive(of)
    value = from_json(kind, json.loads(text))
    assert hash_array(kind, storage_array(kind, [value])).tolist() == [hashed]
    assert (of, text, hashed) in {(each.type, each.json, each.hash) for each in types.EXAMPLES}


def test_transforms_give_what_iceberg_defines() -> None:
    """Transforms have the document's parameters and results, and keep order as it says."""
    found = [
        " ".join(
            [each.name, each.parameter or "-", each.result, *["ordered"] * bool(each.keeps_order)]
        )
        for each in transforms.TRANSFORMS
    ]
    assert found == lines(TRANSFORMS)


def test_partition_values_read_as_java_shows_them() -> None:
    """Partition values of each type and transform of time have the text that Java shows."""
    found = [f"{each.name}: {each.value} reads {each.text}" for each in transforms.HUMAN_FORMS]
    assert found == lines(HUMAN)


def test_predicates_are_those_that_iceberg_defines() -> None:
    """Predicates have the document's opposites, literals and answers for null and NaN."""
    found = [
        " ".join(
            [
                each.name,
                each.negated,
                each.key or "-",
                ",".join(["null"] * bool(each.takes_null) + ["nan"] * bool(each.takes_nan)) or "-",
            ]
        )
        for each in expressions.OPERATIONS
    ]
    assert found == lines(OPERATIONS)


def test_other_expressions_have_the_keys_that_iceberg_defines() -> None:
    """Expressions that are not predicates have the document's keys besides their type."""
    assert {each.name: tuple(each.keys) for each in expressions.OBJECTS} == {
        "literal": ("value",),
        "and": ("left", "right"),
        "or": ("left", "right"),
        "not": ("child",),
        "reference": ("term",),
        "transform": ("transform", "term"),
    }


def row_text(row: Any, *parts: object) -> str:
    """Return a row of a table of file types as text."""
    words = " ".join(str(part) for part in parts if part not in {None, ""})
    return f"{'' if row.written else 'read as '}{row.type}: {words}"


def test_types_in_avro_are_those_of_appendix_a() -> None:
    """Avro types have the logical types of Appendix A, and other readable forms."""
    assert [
        row_text(each, each.avro, each.logical, each.adjust_to_utc)
        for each in file_types.AVRO_TYPES
    ] == lines(AVRO)


def test_types_in_parquet_are_those_of_appendix_a() -> None:
    """Parquet types have the logical types and decimal digits of Appendix A."""
    assert [
        row_text(each, each.physical, each.logical, each.digits and f"to {each.digits}")
        for each in file_types.PARQUET_TYPES
    ] == lines(PARQUET)


def test_types_in_orc_are_those_of_appendix_a() -> None:
    """ORC types have the attributes of Appendix A that distinguish them."""
    assert [row_text(each, each.orc, *each.attributes) for each in file_types.ORC_TYPES] == lines(
        ORC
    )


def test_numbers_in_files_count_the_units_that_their_names_say() -> None:
    """Times in files have the unit that the name of their logical type says."""
    units = {"millis": "ms", "micros": "us", "nanos": "ns", "MILLIS": "ms", "date": "day"}
    for each in file_types.AVRO_TYPES:
        named = (each.logical or "").rpartition("-")[2]
        assert each.unit == units.get(named), each
    for row in file_types.PARQUET_TYPES:
        named = (row.logical or "").rstrip(")").rpartition(" ")[2]
        assert row.unit == ("ms" if named == "MILLIS" else None), row
    sizes = {("decimal", "fewest"), ("uuid", "16"), ("fixed", "L")}
    for rows in (file_types.AVRO_TYPES, file_types.PARQUET_TYPES):
        assert {(each.type, each.size) for each in rows if each.size} == sizes


def test_field_ids_in_avro_have_the_properties_of_appendix_a() -> None:
    """A map whose keys are not text is an array of records, with ids in their fields."""
    found = {(each.avro, each.logical): each.ids for each in file_types.AVRO_TYPES if each.ids}
    assert found == {
        ("record", None): ("field-id",),
        ("array", None): ("element-id",),
        ("map", None): ("key-id", "value-id"),
        ("array", "map"): ("field-id",),
    }
    assert [each.keys for each in file_types.AVRO_TYPES if each.keys] == ["string"]
