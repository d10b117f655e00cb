"""Values, hashes and bounds in the tables of the spec and of Java's tests are reproduced."""

from __future__ import annotations

import itertools
import json
import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.corpus import corpus_cases, corpus_root
from tests.support.iceberg_manifests import SCHEMA, entry, listed
from tests.support.iceberg_plans import ListedFile, table_of
from tests.support.iceberg_schemas import a_field, a_map, a_struct
from tests.support.iceberg_vectors import type_of, value

from byteloom import puffin
from byteloom.errors import ChecksumMismatch, FormatError
from byteloom.iceberg import (
    NestedField,
    PartitionSpec,
    Schema,
    StructType,
    Type,
    bind,
    evaluate,
    open_table,
    parse,
    parse_primitive,
    values,
)
from byteloom.iceberg.arrow_types import arrow_field, arrow_schema
from byteloom.iceberg.evolution import can_promote
from byteloom.iceberg.expressions.stats import Bounds, Spans
from byteloom.iceberg.geo_bounds import GeoBound
from byteloom.iceberg.manifests.entries import read_entries
from byteloom.iceberg.manifests.manifest_list import read_manifest_list
from byteloom.iceberg.manifests.writing import (
    with_first_row_ids,
    write_manifest,
    write_manifest_list,
)
from byteloom.iceberg.reading.column_projection import Columns, project
from byteloom.iceberg.transforms.arrays import hash_array, storage_array
from byteloom.iceberg.type_json import type_from_json
from byteloom_generated.iceberg.types import PRIMITIVE_TYPES
from byteloom_generated.puffin.puffin import FooterTail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FOLDER = "iceberg/vectors"
COLUMN: dict[str, Any] = a_struct(a_field(1, "id", "int")) | {"schema-id": 0}
PARTS = {"X": "x", "Y": "y", "Z": "z", "M": "m"}
NESTED: dict[str, Any] = {
    "list<int>": {"type": "list", "element-id": 1, "element-required": True, "element": "int"},
    "map<int,string>": a_map(1, "int", 2, "string", required=True),
    "struct<4:int,5:string>": a_struct(
        a_field(4, "a", "int", required=True), a_field(5, "b", "string", required=True)
    ),
}


def rows_of(table: str) -> Callable[[Path], Iterator[Any]]:
    """Return a finder of one table's rows."""

    def find(folder: Path) -> Iterator[Any]:
        path = folder / "spec_tables.json"
        if path.is_file():
            for number, row in enumerate(json.loads(path.read_text()).get(table, [])):
                yield pytest.param(row, id=f"{table}[{number}]")

    return find


def type_named(name: str) -> Type:
    """Return the type of that name, nested ones included."""
    return type_from_json(NESTED[name]) if name in NESTED else parse_primitive(name)


def storage_value(of: Type, written: Any) -> Any:
    """Return the storage value that a row writes as JSON or as in the vectors."""
    if isinstance(written, str) and of.kind in {"fixed", "binary", "float", "double"}:
        first = written.split(maxsplit=1)[0]
        return bytes.fromhex(first) if of.kind in {"fixed", "binary"} else float(first)
    return values.from_json(of, written) if isinstance(written, str) else value(written)


@corpus_cases(FOLDER, rows_of("single_value_binary"))
def test_a_value_has_the_bytes_of_appendix_d(case: list[Any]) -> None:
    """A value is written as the bytes in Appendix D, and these are read as the value."""
    name, written, wanted = case
    of = parse_primitive(name)
    found = storage_value(of, written)
    assert values.to_binary(of, found).hex() == wanted
    assert values.from_binary(of, bytes.fromhex(wanted)) == found


@corpus_cases(FOLDER, rows_of("single_value_json"))
def test_a_value_has_the_json_of_appendix_c(case: list[str]) -> None:
    """A value in the JSON of Appendix C round-trips, apart from the case of hexadecimal."""
    name, text = case
    of, document = type_named(name), json.loads(text)
    written = values.to_json(of, values.from_json(of, document))
    if of.kind in {"fixed", "binary"}:
        assert written.lower() == document.lower()
    else:
        assert written == document


@corpus_cases(FOLDER, rows_of("hash32"))
def test_a_value_has_the_hash_of_appendix_b(case: list[Any]) -> None:
    """A value has the hash in Appendix B."""
    name, written, wanted = case
    kind = name.split(" (")[0]
    held = Decimal(written) if kind == "decimal" else written
    of = type_of(kind, held)
    found = held if kind == "decimal" else storage_value(of, written)
    assert hash_array(of, storage_array(of, [found])).tolist() == [wanted]


@corpus_cases(FOLDER, rows_of("geo_bounds_binary"))
def test_a_geospatial_bound_has_its_bytes(case: list[Any]) -> None:
    """A geospatial bound of two to four numbers round-trips through its bytes."""
    parts, numbers, wanted = case
    corner = GeoBound(**{PARTS[part]: each for part, each in zip(parts, numbers, strict=True)})
    assert corner.to_bytes().hex() == wanted
    assert GeoBound.from_bytes(bytes.fromhex(wanted)) == corner


@corpus_cases(FOLDER, rows_of("bound_type_at_write"))
def test_a_bound_from_before_a_promotion_is_reported(case: list[Any]) -> None:
    """A bound of any length that the column's type ever had is read; one of another is not."""
    name, size, before = case
    if "(" in name:
        of, old = parse_primitive("decimal(20, 2)"), parse_primitive("decimal(9, 2)")
        first: Any = Decimal("1.25")
    else:
        of, old, first = parse_primitive(name), parse_primitive(before), 1
    written = values.to_binary(old, first)
    assert size in {len(written), "any"}
    bounds = Bounds.read(of, Spans.of([written, written + bytes(20)]))
    promoted = values.from_binary(of, written)
    assert bounds.is_known.tolist()[0]
    assert bounds.signs(promoted).tolist()[0] == 0


def nan_patterns(folder: Path) -> Iterator[Any]:
    """Yield each bit pattern of a NaN, with its type."""
    path = folder / "spec_tables.json"
    tables = json.loads(path.read_text()) if path.is_file() else {}
    found = tables.get("nan_patterns_same_hash_as_7ff8000000000000", {})
    for name, patterns in found.items():
        for pattern in patterns:
            yield pytest.param((name, pattern), id=f"nan {name} {pattern}")


@corpus_cases(FOLDER, nan_patterns)
def test_all_nans_hash_alike(case: tuple[str, str]) -> None:
    """Every NaN, whatever its bits, has the hash of the canonical one."""
    name, pattern = case
    of = parse_primitive("float" if name == "float32" else "double")
    raw = np.frombuffer(bytes.fromhex(pattern)[::-1], name)
    canonical = struct.unpack(">d", bytes.fromhex("7ff8000000000000"))
    double = parse_primitive("double")
    assert hash_array(of, pa.array(raw)) == hash_array(double, pa.array(canonical))


def table_named(name: str) -> Callable[[Path], Iterator[Any]]:
    """Return a finder of one table as a whole."""

    def find(folder: Path) -> Iterator[Any]:
        path = folder / "spec_tables.json"
        found = json.loads(path.read_text()).get(name) if path.is_file() else None
        if found is not None:
            yield pytest.param(found, id=name)

    return find


@corpus_cases(FOLDER, table_named("type_promotion"))
def test_a_type_may_be_promoted_to_these_and_no_others(
    case: dict[str, dict[str, list[str]]],
) -> None:
    """A type may be promoted only to the types that its format version lists.

    A decimal may be promoted to more digits of the same scale.
    """
    plain = [each.name for each in PRIMITIVE_TYPES if not each.parameters]
    for version in (1, 2, 3):
        reported = [*case["v1_v2"].items(), *(case["v3_adds"].items() if version == 3 else ())]
        allowed = {
            (old, each)
            for old, news in reported
            for new in news
            for each in (plain if new == "any" else [new])
        }
        for old, new in itertools.permutations(plain, 2):
            may = can_promote(parse_primitive(old), parse_primitive(new), version=version)
            assert may is ((old, new) in allowed), (version, old, new)
        digits = [parse_primitive(f"decimal({each}, 2)") for each in (9, 10)]
        assert can_promote(digits[0], digits[1], version=version)
        assert not can_promote(digits[1], digits[0], version=version)
        assert not can_promote(digits[0], parse_primitive("decimal(10, 3)"), version=version)


@corpus_cases(FOLDER, table_named("row_lineage_example"))
def test_rows_have_the_ids_of_the_example(case: dict[str, Any]) -> None:
    """Row ids are those of the spec's example, in manifest lists, manifests and the table."""
    rows = [
        {
            **listed(b"", [], manifest_path=each["name"]),
            "added_rows_count": each["added_rows"],
            "existing_rows_count": each["existing_rows"],
            "first_row_id": each["first_row_id_in"],
        }
        for each in case["manifests"]
    ]
    made, after = with_first_row_ids(rows, case["table_next_row_id"])
    assert [each["first_row_id"] for each in made] == [
        each["first_row_id_out"] for each in case["manifests"]
    ]
    assert after == case["table_next_row_id_after"]
    stated = case["entries_of_added1"]
    entries = [
        flat_entry(
            number,
            status=["EXISTING", "ADDED"].index(each["status"]),
            snapshot_id=1,
            sequence_number=1 if each["status"] == "EXISTING" else None,
            file_sequence_number=1 if each["status"] == "EXISTING" else None,
            record_count=each["record_count"],
            first_row_id=each["first_row_id_in"],
        )
        for number, each in enumerate(stated)
    ]
    data = write_manifest(entries, version=3, schema=SCHEMA, spec=PartitionSpec())
    first = next(each for each in made if each["manifest_path"] == "added1")
    first |= {"manifest_length": len(data), "added_files_count": 2, "existing_files_count": 1}
    manifests = read_manifest_list(write_manifest_list([first], version=3))
    read = read_entries(manifests, lambda _: data, {0: PartitionSpec()}, SCHEMA)
    assert read.first_row_id.tolist() == [each["read_as"] for each in stated]


def flat_entry(number: int, **changes: Any) -> dict[str, Any]:
    """Return an entry for our writer, without statistics."""
    made = entry(number, partition={}, **changes)
    row = {**made, **made["data_file"], **changes}
    del row["data_file"]
    return {key: value for key, value in row.items() if not isinstance(value, list)}


@corpus_cases(FOLDER, rows_of("default_values_struct_point"))
def test_a_struct_has_the_defaults_of_its_fields(case: dict[str, Any]) -> None:
    """A struct that a file has fully, partly or not at all gets the defaults of its fields."""
    point = StructType(
        tuple(
            NestedField(number, name, parse_primitive("int"), initial_default=case[name])
            for number, name in ((2, "x"), (3, "y"))
        )
    )
    default = values.from_json(point, case["point_default"])
    wanted = NestedField(1, "point", point, initial_default=default)
    if case["data"] == "missing":
        columns = Columns([], [], 1)
    else:
        inner = [each for each in point.fields if each.name in case["data"]]
        field = arrow_field(NestedField(1, "point", StructType(tuple(inner))))
        columns = Columns([field], [pa.array([case["data"]], field.type)], 1)
    assert project(wanted, columns).to_pylist() == [case["result"]]


@corpus_cases(FOLDER, rows_of("delete_scope"))
def test_deletes_apply_to_the_files_of_their_scope(case: dict[str, str], tmp_path: Path) -> None:
    """Deletes apply to the data files that their age, partition and named file select."""
    specs = {0: (), 1: ((1, 1000, "id", "identity", "int"),)}
    parts: list[tuple[int, dict[str, Any]]] = [(0, {}), (1, {"id": 1}), (1, {"id": 2})]
    data = [
        ListedFile(f"{place}-{age}", 0, spec_id, partition, age)
        for (place, (spec_id, partition)), age in itertools.product(enumerate(parts), (1, 2, 3))
    ]
    is_vector, is_equality = case["kind"] == "dv", case["kind"] == "equality"
    named: list[tuple[Any, str | None]] = [(part, None) for part in parts[:2] if not is_vector]
    # A position delete file that names a file is of its partition, so that others are not tried.
    named += [
        (part, each.path)
        for part, each in itertools.product(parts[:2], data)
        if is_vector or part == (each.spec_id, each.partition)
    ]
    for number, ((spec_id, partition), path) in enumerate(named):
        delete = ListedFile(
            "deletes",
            2 if is_equality else 1,
            spec_id,
            partition,
            2,
            equality_ids=(1,) if is_equality else None,
            referenced=None if is_equality else path,
            offset=4 if is_vector else None,
        )
        wanted = {each.path for each in data if in_scope(case, each, delete)}
        table = table_of(tmp_path / str(number), COLUMN, specs, [*data, delete])
        if is_vector and not wanted:
            with pytest.raises(
                FormatError, match=r": found .*, wanted "
            ):  # a vector is made for its file: no other is right
                table.scan().plan()
        else:
            tasks = table.scan().plan().tasks()
            assert {each.file_path for each in tasks if each.deletes} == wanted


def in_scope(case: dict[str, str], data: ListedFile, delete: ListedFile) -> bool:
    """Return whether a row's rules apply a delete file to a data file."""
    is_old = (
        data.sequence <= delete.sequence if "<=" in case["seq"] else data.sequence < delete.sequence
    )
    is_same = (data.spec_id, data.partition) == (delete.spec_id, delete.partition)
    is_global = "global" in case["partition"] and not delete.partition
    is_named = "match" not in case or delete.referenced in {data.path, None}
    return is_old and is_named and (is_same or is_global)


@corpus_cases(FOLDER, rows_of("null_safe_comparison"))
def test_comparisons_with_null_are_true_or_false(case: list[Any]) -> None:
    """Comparing with null, on either side, is true or false, and never unknown."""
    left, operator, right, wanted = case
    number = left if right == "null" else right
    if right == "null" and left != "null":
        operator = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
    if number == "null":
        text = {"=": "x is null", "!=": "x is not null", "<": "x < 0 and x > 0"}
        text["<="] = f"x is null or ({text['<']})"
        expression = text[operator]
    else:
        expression = f"x {operator} {number}"
    schema = Schema((NestedField(1, "x", parse_primitive("int")),))
    null = pa.RecordBatch.from_arrays([pa.nulls(1, pa.int32())], schema=arrow_schema(schema))
    assert evaluate(bind(parse(expression), schema), null).to_pylist() == [wanted]


@corpus_cases(FOLDER, rows_of("puffin_int_le"))
def test_an_integer_of_a_puffin_footer_is_little_endian(case: list[Any]) -> None:
    """The payload size in a Puffin footer is little-endian, and a negative one is an error."""
    number, written = case
    data = bytes.fromhex(written) + bytes(4) + b"PFA1"
    if number < 0:
        with pytest.raises(FormatError, match=f"len_payload.*{number}"):
            FooterTail.from_bytes(data)
    else:
        assert FooterTail.from_bytes(data).len_payload == number
        assert FooterTail.from_bytes(data).to_bytes() == data


@corpus_cases(FOLDER, table_named("puffin_wrong_footer_size"))
def test_a_wrong_footer_size_is_reported(case: dict[str, Any], tmp_path: Path) -> None:
    """Verifying a table reports the footer size of a Puffin file if its metadata has another."""
    path = next((corpus_root() / "iceberg/files").rglob(case["file"]))
    true = case["true_footer_size"]
    with puffin.open(path) as file:
        assert file.footer_size == true
    table_of(tmp_path, COLUMN, {0: ()}, [])
    metadata = tmp_path / "v1.metadata.json"
    document = json.loads(metadata.read_text())
    for change in ("0", *(key for key in case if key.lstrip("+-").isdigit())):
        document["statistics"] = [
            {
                "snapshot-id": 1,
                "statistics-path": str(path),
                "file-size-in-bytes": path.stat().st_size,
                "file-footer-size-in-bytes": true + int(change),
                "blob-metadata": [],
            }
        ]
        metadata.write_text(json.dumps(document))
        found = [str(each) for each in open_table(metadata).verify() if "footer" in str(each)]
        assert len(found) == (change != "0")
        assert all(str(true) in each for each in found)


@corpus_cases(FOLDER, table_named("dv_bad_crc"))
def test_a_deletion_vector_with_a_wrong_checksum_is_refused(case: dict[str, Any]) -> None:
    """A deletion vector with a wrong checksum is an error that gives both checksums."""
    data = bytearray(puffin.DeletionVector.from_positions(case["positions"]).to_bytes())
    assert data[-4:].hex() == case["computed"]
    data[-1] ^= 1
    assert data[-4:].hex() == case["stored_crc_after_flip"]
    with pytest.raises(ChecksumMismatch, match=case["computed"]) as caught:
        puffin.DeletionVector.from_bytes(bytes(data))
    assert case["stored_crc_after_flip"] in str(caught.value)
