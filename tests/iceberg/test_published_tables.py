"""The tables of Iceberg's spec are what its document says: `tests/cases/iceberg/published.yaml`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

from byteloom.errors import FormatError
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
    from byteloom_generated.iceberg.manifests import ManifestField

PUBLISHED: Final[dict[str, str]] = yaml.safe_load(
    (Path(__file__).parents[1] / "cases/iceberg/published.yaml").read_text()
)
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


@pytest.mark.parametrize(("name", "wanted"), tables(PUBLISHED["FIELDS"]).items(), ids=str)
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
    ] == lines(PUBLISHED["KEYS"])


def record_named(name: str) -> Any:
    """Return the generated class of an object."""
    found: Any = next(getattr(module, name) for module in MODULES if hasattr(module, name))
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
    parts = [line.split(" ") for line in tables(PUBLISHED["OBJECTS"])[name]]
    return [(key, "".join(letters), of) for key, *letters, of in parts]


def test_every_object_is_in_the_document() -> None:
    """Every class of the three modules is an object of the document."""
    made = {name for module in MODULES for name in module.__all__}
    assert made == set(tables(PUBLISHED["OBJECTS"]))


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("name", tables(PUBLISHED["OBJECTS"]))
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
        for name in tables(PUBLISHED["OBJECTS"])
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
        for name in tables(PUBLISHED["OBJECTS"])
        for key, _, of in keys_of(name)
        if "|" in of or of in {"struct", "list", "map"}
    }
    assert odd_fields("values") == wanted


@pytest.mark.parametrize(("name", "wanted"), tables(PUBLISHED["RESERVED"]).items(), ids=str)
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
    wanted = [
        re.split(r"  +| (?=[13]  )", line) for line in PUBLISHED["PRIMITIVES"].strip().splitlines()
    ]
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


def test_values_have_the_hashes_of_appendix_b() -> None:
    """The hashes of Appendix B are in the table of examples, which `test_spec_data` tries."""
    stated = {f"{each.type} | {each.json} | {each.hash}" for each in types.EXAMPLES}
    assert set(lines(PUBLISHED["HASHES"])) <= stated


def test_transforms_give_what_iceberg_defines() -> None:
    """Transforms have the document's parameters and results, and keep order as it says."""
    found = [
        " ".join(
            [each.name, each.parameter or "-", each.result, *["ordered"] * bool(each.keeps_order)]
        )
        for each in transforms.TRANSFORMS
    ]
    assert found == lines(PUBLISHED["TRANSFORMS"])


def test_partition_values_read_as_java_shows_them() -> None:
    """Partition values of each type and transform of time have the text that Java shows."""
    found = [f"{each.name}: {each.value} reads {each.text}" for each in transforms.HUMAN_FORMS]
    assert found == lines(PUBLISHED["HUMAN"])


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
    assert found == lines(PUBLISHED["OPERATIONS"])


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
    ] == lines(PUBLISHED["AVRO"])


def test_types_in_parquet_are_those_of_appendix_a() -> None:
    """Parquet types have the logical types and decimal digits of Appendix A."""
    assert [
        row_text(each, each.physical, each.logical, each.digits and f"to {each.digits}")
        for each in file_types.PARQUET_TYPES
    ] == lines(PUBLISHED["PARQUET"])


def test_types_in_orc_are_those_of_appendix_a() -> None:
    """ORC types have the attributes of Appendix A that distinguish them."""
    assert [row_text(each, each.orc, *each.attributes) for each in file_types.ORC_TYPES] == lines(
        PUBLISHED["ORC"]
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
