"""Metadata and manifests made to do harm are refused, with the place, in one line of text.

Parsers are tested by themselves where no table can be made to do the harm.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pytest
from tests.support.iceberg_fixtures import entry_schema
from tests.support.iceberg_manifests import Case, container, entry, manifest
from tests.support.iceberg_rows import File, TableMaker, arrow, deletion_vectors, parquet

from byteloom.avro.program import compile_blocks
from byteloom.errors import FormatError, LimitExceeded, StorageError
from byteloom.iceberg import PartitionSpec, Schema, open_table, parse_primitive, parse_transform
from byteloom.iceberg.manifests.program import compile_program
from byteloom.iceberg.metadata.opening import find_metadata
from byteloom.iceberg.metadata.relocation import Relocation
from byteloom.iceberg.transforms import UnknownTransform

if TYPE_CHECKING:
    from pathlib import Path


def schema_of(of: Any, number: int = 1) -> Schema:
    """Return a schema of one column."""
    column = {"id": number, "name": "c", "required": False, "type": of}
    return Schema.from_json({"type": "struct", "schema-id": 0, "fields": [column]})


@pytest.mark.parametrize("number", [-1, 1 << 31, 1 << 63, 10**400], ids=lambda each: str(each)[:9])
def test_field_ids_are_of_32_bits(number: int) -> None:
    """A field id beyond the 32 bits of manifests is refused."""
    with pytest.raises(FormatError, match=r"id: found .* wanted (0 to 2147483647|.* 32 bits)"):
        schema_of("int", number)


@pytest.mark.parametrize("number", [0, (1 << 31) - 1])
def test_field_ids_of_32_bits_are_read(number: int) -> None:
    """The smallest and the largest field id are read."""
    assert schema_of("int", number).fields[0].id == number


@pytest.mark.parametrize("kind", ["list", "map", "struct"])
def test_types_in_types_end(kind: str) -> None:
    """Types of any kind may be nested 100 deep, without exhausting the stack."""
    assert nested(kind, 99).field_by_id
    with pytest.raises(LimitExceeded, match="101 levels"):
        nested(kind, 5_000)


def nested(kind: str, levels: int) -> Schema:
    """Return a column of nested types."""
    of: Any = "int"
    for at in range(1, levels + 1):
        inner = {
            "list": {"element-id": 2 * at, "element": of, "element-required": False},
            "map": {
                "key-id": 2 * at,
                "key": "int",
                "value-id": 2 * at + 1,
                "value": of,
                "value-required": False,
            },
            "struct": {
                "fields": [{"id": 2 * at, "name": "x", "required": False, "type": of}],
            },
        }
        of = {"type": kind, **inner[kind]}
    return schema_of(of)


@pytest.mark.parametrize("digits", ["2147483648", "9" * 30, "9" * 5_000, "٣"])
def test_parameters_are_numbers_of_32_bits(digits: str) -> None:
    """A type whose parameter exceeds 32 bits is refused, and such a transform is unknown."""
    for text in (f"fixed[{digits}]", f"decimal({digits}, 2)", f"decimal(9, {digits})"):
        if text != "decimal(9, 2147483648)":
            with pytest.raises(FormatError, match=r"^type: found .*, wanted a "):
                parse_primitive(text)
    try:
        made = parse_transform(f"bucket[{digits}]")
    except FormatError:
        return
    assert isinstance(made, UnknownTransform)


@pytest.mark.parametrize("hint", ["²", "٣", "9" * 5_000, "-1", "1e3", "\0", "../v1.metadata.json"])
def test_hints_of_rubbish_are_passed_over(tmp_path: Path, hint: str) -> None:
    """A version hint that is neither a number nor a file's name is ignored."""
    (tmp_path / "metadata").mkdir()
    (tmp_path / "metadata" / "v1.metadata.json").write_text("{}")
    (tmp_path / "metadata" / "version-hint.text").write_text(hint, encoding="utf-8")
    found = find_metadata(str(tmp_path), Relocation({}))
    assert found == f"{tmp_path}/metadata/v1.metadata.json"


def test_a_hint_that_is_a_folder_is_an_error_or_passed_over(tmp_path: Path) -> None:
    """A version hint that is a folder is ignored."""
    (tmp_path / "metadata" / "version-hint.text").mkdir(parents=True)
    with pytest.raises(StorageError, match=r"no metadata file in .*/metadata, wanted"):
        find_metadata(str(tmp_path), Relocation({}))


def test_a_folder_of_tables_is_no_table(tmp_path: Path) -> None:
    """Opening a folder of tables is an error with the command that lists them, shell-quoted."""
    warehouse = tmp_path / "my warehouse"
    warehouse.mkdir()
    with pytest.raises(StorageError) as caught:
        find_metadata(str(warehouse), Relocation({}))
    advice = f"`byteloom table list '{warehouse}'` lists the tables below it"
    assert str(caught.value).endswith(f"or sqlite:///FILE#NAMESPACE.TABLE; {advice}")


def test_a_folder_of_parquet_files_is_no_table(tmp_path: Path) -> None:
    """Opening a folder of Parquet files is an error with the command that sketches them."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(StorageError) as caught:
        find_metadata(str(tmp_path), Relocation({}))
    advice = f"`byteloom puffin ndv {tmp_path} -o FILE` sketches its Parquet files"
    assert str(caught.value).endswith(f"; {advice}")


@pytest.mark.parametrize(
    ("inside", "advice"),
    [
        (".hoodie", "it is a Hudi table, whose files `byteloom hudi files {}` lists"),
        ("_versions", "it is a Lance dataset, whose rows `byteloom lance cat {}` prints"),
    ],
)
def test_a_table_of_another_format_is_named_with_its_command(
    tmp_path: Path, inside: str, advice: str
) -> None:
    """Opening a table of Hudi or a dataset of Lance is an error with a command for it."""
    (tmp_path / inside).mkdir()
    with pytest.raises(StorageError) as caught:
        find_metadata(str(tmp_path), Relocation({}))
    assert str(caught.value).endswith(f"; {advice.format(tmp_path)}")


def partition(of: str, transform: str, avro: Any, value: Any, field_id: int = 1000) -> Any:
    """Return the partition of an entry as it is read."""
    spec = PartitionSpec.from_fields(
        [{"name": "c", "transform": transform, "source-id": 1, "field-id": field_id}]
    )
    field = {"name": "c", "type": ["null", avro], "default": None, "field-id": field_id}
    made = [entry(0, partition={"c": value})]
    case = Case.of(made, manifest(made, entry_schema([field])))
    _, tuples = case.entries(specs={0: spec}, schema=schema_of(of)).partition(0)
    return tuples.field(0).to_pylist()


def test_partition_values_fit_their_type() -> None:
    """A value that its column could not hold is refused by the partition field's name."""
    with pytest.raises(FormatError, match=r"partition\.c"):
        partition("int", "identity", "long", 1 << 40)


@pytest.mark.parametrize("of", ["variant", "geometry"])
def test_partitions_of_what_has_none_are_read_as_written(of: str) -> None:
    """A partition value whose transform does not fit its column keeps its stored type."""
    assert partition(of, "identity", "string", "x") == ["x"]


@pytest.mark.parametrize("field_id", [1, 100, 108, 145])
def test_partition_fields_have_ids_of_their_own(field_id: int) -> None:
    """A partition field may not have the id of a field of manifests."""
    with pytest.raises(FormatError, match="which is a field of manifests"):
        partition("string", "identity", "string", "x", field_id)


@pytest.mark.parametrize(
    "test", ["= 'a'", "< 'a'", "in ('a', 'b')", "starts with 'a'", "is not null"]
)
def test_nothing_is_void(tmp_path: Path, test: str) -> None:
    """The transform void gives null for every value, which no comparison matches."""
    maker = TableMaker(tmp_path, [(1, "s", "string")])
    rows = arrow({(1, "s"): pa.array(["a", None])})
    table = maker.commit(parquet(tmp_path / "a.parquet", rows)).open()
    assert table.scan(f"void(s) {test}").to_table().num_rows == 0
    assert table.scan("void(s) is null").to_table().num_rows == 2


@pytest.mark.parametrize(
    "said", [{}, {"precision": "x"}, {"precision": 99}, {"precision": 9, "scale": []}]
)
def test_decimals_of_partitions_say_how_long_they_are(said: dict[str, Any]) -> None:
    """A partition value stored as a decimal without precision is an error with its field."""
    stored = {"type": "bytes", "logicalType": "decimal", **said}
    plain, bad = (
        entry_schema([{"name": "c", "type": each, "field-id": 1000}]) for each in ("bytes", stored)
    )
    spec = PartitionSpec.from_fields([{"name": "c", "transform": "unheard", "source-id": 1}])
    made = [entry(0, partition={"c": b"1"})]
    header = {"avro.schema": json.dumps(bad), "partition-spec-id": "0", "format-version": "2"}
    case = Case.of(made, container([made], plain, header=header))
    with pytest.raises(FormatError, match=r"partition\.c"):
        case.entries(specs={0: spec}, schema=schema_of("string"))


def laughs(inner: dict[str, Any], *, in_array: bool) -> list[dict[str, Any]]:
    """Return types that refer to each other, so that the last has a billion of the first."""
    made = [inner]
    for at in range(1, 9 if in_array else 24):
        parts: list[dict[str, Any]] = [
            {"name": f"f{each}", "type": f"L{at - 1}"} for each in range(16)
        ]
        parts[0]["type"] = made[-1]
        made.append({"type": "record", "name": f"L{at}", "fields": parts})
    of = {"type": "array", "items": made[-1]} if in_array else made[-1]
    return [{"name": "z", "type": of}]


@pytest.mark.parametrize("in_array", [False, True])
@pytest.mark.parametrize("fields", [[], [{"name": "n", "type": "null"}]])
def test_schemas_of_a_billion_types_end(fields: list[Any], in_array: bool) -> None:
    """Types that expand to a billion are refused, even if they take no bytes."""
    inner = {"type": "record", "name": "L0", "fields": fields}
    schema = entry_schema()
    schema["fields"] += laughs(inner, in_array=in_array)
    with pytest.raises(LimitExceeded, match=r"found \d{10,} types, wanted at most 262144 types"):
        compile_program(schema, {})
    with pytest.raises(LimitExceeded, match=r"found \d{10,} types, wanted at most 262144 types"):
        compile_blocks(schema)


@pytest.mark.parametrize("records", [0, 2, 1 << 62])
def test_deletion_vectors_delete_what_is_in_them(tmp_path: Path, records: int) -> None:
    """A deletion vector whose entry has a wrong row count deletes its own positions."""
    maker = TableMaker(tmp_path, [(1, "x", "long")], version=3)
    data = parquet(tmp_path / "a.parquet", arrow({(1, "x"): pa.array([1, 2, 3])}))
    (vector,) = deletion_vectors(tmp_path / "v.puffin", {data.path: [1]})
    table = maker.commit(data).commit(replace(vector, records=records)).open()
    for test in ("true", "x > 0"):
        assert table.scan(test).to_table()["x"].to_pylist() == [1, 3]


WRONGLY_STORED = [
    ("identity", "string", "int", 5),
    ("identity", "long", "string", "x"),
    ("identity", "boolean", "int", 5),
    ("identity", "double", "bytes", b"x"),
    ("identity", "decimal(9, 2)", "long", 5),
    ("identity", "date", "double", 1.5),
    ("bucket[4]", "long", "string", "x"),
    ("truncate[2]", "string", "long", 5),
    ("day", "timestamp", "string", "x"),
    ("year", "timestamp", "float", 1.5),
]


_STORED = r"1-m\.avro: partition\.p\.type: found values stored as [a-z]+, wanted as [^ ]"


@pytest.mark.parametrize(("transform", "of", "stored", "value"), WRONGLY_STORED)
def test_partition_values_are_stored_as_their_transform_gives_them(
    tmp_path: Path, transform: str, of: str, stored: str, value: Any
) -> None:
    """A partition value of a wrong type is an error with manifest and field; nulls fit any."""
    rows = parquet(tmp_path / "a.parquet", arrow({(1, "id"): pa.array([1], pa.int64())}))
    fields = {0: [(2, 1000, "p", transform, stored)]}
    for given in (value, None):
        maker = TableMaker(tmp_path, [(1, "id", "long"), (2, "c", of)], partitions=fields)
        table = maker.commit(replace(rows, partition={"p": given})).open()
        if given is None:
            assert table.scan("c is null").to_table().num_rows == 1
            assert table.verify() == []
            continue
        for read in (
            lambda: table.scan("c is not null").plan(),  # noqa: B023  called at once
            lambda: table.metadata_table("partitions"),  # noqa: B023
        ):
            with pytest.raises(FormatError, match=_STORED):
                read()
        assert "partition.p.type" in str(table.verify()[0])


@pytest.mark.parametrize("of", ["struct", "list", "key", "value"])
def test_nothing_of_type_unknown_is_required(of: str) -> None:
    """A required field of type unknown, which is always null, is refused at every level."""
    held: Any = {
        "struct": {"type": "struct", "fields": [{"id": 2, "name": "x", "type": "unknown"}]},
        "list": {"type": "list", "element-id": 2, "element": "unknown", "element-required": True},
        "key": {"type": "map", "key-id": 2, "key": "unknown", "value-id": 3, "value": "int"},
        "value": {"type": "map", "key-id": 2, "key": "int", "value-id": 3, "value": "unknown"},
    }[of]
    if of == "struct":
        held["fields"][0]["required"] = True
    held |= {"value-required": of == "value"} if held["type"] == "map" else {}
    with pytest.raises(FormatError, match="a required field of type unknown"):
        schema_of(held)


@pytest.mark.parametrize("number", [[1], {}, "1", 1.0, True, None])
def test_field_ids_in_data_files_are_numbers(tmp_path: Path, number: Any) -> None:
    """A field of an Avro file whose id is not a number has no id, and its column is null."""
    fields = [
        {"name": "a", "type": "long", "field-id": 7},
        {"name": "c", "type": "long", "field-id": number},
    ]
    path = tmp_path / "a.avro"
    with path.open("wb") as file:
        fastavro.writer(file, {"type": "record", "name": "r", "fields": fields}, [{"a": 1, "c": 2}])
    table = TableMaker(tmp_path, [(1, "c", "long")]).commit(File(path, 1)).open()
    assert table.scan().to_table().to_pylist() == [{"c": None}]


def test_a_location_may_be_any_text(tmp_path: Path) -> None:
    """A null character in a location is reported by verification and does not stop a scan."""
    rows = parquet(tmp_path / "a.parquet", arrow({(1, "id"): pa.array([1], pa.int64())}))
    TableMaker(tmp_path, [(1, "id", "long")]).commit(rows).open()
    path = tmp_path / "metadata" / "v1.metadata.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"location": "/a\0b"}))
    table = open_table(path)
    assert table.scan().to_table().num_rows == 1
    assert [str(each) for each in table.verify()] == [
        r"location: found '/a\x00b', wanted a path without control characters"
    ]


def test_a_column_may_have_become_unknown(tmp_path: Path) -> None:
    """An unknown column is read as null, and its old partitions and bounds are ignored."""
    rows = parquet(tmp_path / "a.parquet", arrow({(2, "s"): pa.array(["x"])}))
    rows = replace(rows, partition={"s": "x"}, bounds={2: b"x"})
    maker = TableMaker(
        tmp_path,
        [(1, "id", "long"), (2, "s", "unknown")],
        old_columns=[[(1, "id", "long"), (2, "s", "string")]],
        partitions={0: [(2, 1000, "s", "identity", "string")]},
        version=3,
    )
    maker.commit(rows)
    summarise(tmp_path / "metadata" / "snap-1.avro", b"x")
    table = maker.open()
    assert table.verify() == []
    assert table.scan("s is null").to_table().num_rows == 1


def summarise(path: Path, bound: bytes) -> None:
    """Give the manifests of a list a summary of one partition field."""
    with path.open("rb") as file:
        reader: Any = fastavro.reader(file)
        schema, rows = reader.writer_schema, list(reader)
    stated = {"contains_null": False, "contains_nan": False}
    for each in rows:
        each["partitions"] = [stated | {"lower_bound": bound, "upper_bound": bound}]
    with path.open("wb") as out:
        fastavro.writer(out, schema, rows)
