"""The runtime does what the tables of Iceberg's spec say.

What obeys the tables is internal: types, values, transforms and expressions.
"""

from __future__ import annotations

import itertools
import json
import math
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from byteloom.errors import FormatError, Unsupported
from byteloom.iceberg import (
    ListType,
    MapType,
    NestedField,
    Schema,
    StructType,
    Type,
    apply_value,
    bind,
    evaluate,
    parse,
    parse_primitive,
    parse_transform,
    values,
)
from byteloom.iceberg.arrow_types import arrow_schema, arrow_type
from byteloom.iceberg.evolution.schema_rules import can_promote
from byteloom.iceberg.expressions import json_form
from byteloom.iceberg.expressions.ast import Operation, Predicate
from byteloom.iceberg.manifests import fields
from byteloom.iceberg.transforms.arrays import hash_array, storage_array
from byteloom.iceberg.transforms.human import to_human
from byteloom.iceberg.types import PrimitiveType
from byteloom_generated.iceberg.expressions import OPERATIONS
from byteloom_generated.iceberg.manifests import DATA_FILE, MANIFEST_ENTRY, MANIFEST_FILE
from byteloom_generated.iceberg.transforms import HUMAN_FORMS, TRANSFORMS
from byteloom_generated.iceberg.types import (
    BINARY_FORMS,
    EXAMPLES,
    NESTED_TYPES,
    PARAMETERS,
    PRIMITIVE_TYPES,
    PROMOTIONS,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_generated.iceberg.expressions import OperationRow
    from byteloom_generated.iceberg.manifests import ManifestField
    from byteloom_generated.iceberg.transforms import HumanRow, TransformRow
    from byteloom_generated.iceberg.types import ExampleRow, ParameterRow, PromotionRow, TypeRow

WITH_PARAMETERS = {"decimal": "decimal(9, 2)", "fixed": "fixed[4]"}
ARROW = {"decimal": "decimal128(9, 2)", "fixed": "fixed_size_binary[4]"}
by_name = pytest.mark.parametrize("row", PRIMITIVE_TYPES, ids=lambda row: row.name)


def type_of(row: TypeRow) -> PrimitiveType:
    """Return the type of a row, with some parameters."""
    return named(row.name)


def named(name: str) -> PrimitiveType:
    """Return the type of that name, with some parameters."""
    return parse_primitive(WITH_PARAMETERS.get(name, name))


@by_name
def test_a_type_is_known_by_its_name(row: TypeRow) -> None:
    """A type is found by its name and has the data of its row."""
    of = type_of(row)
    assert (of.kind, of.row, of.since) == (row.name, row, row.since)


@by_name
def test_a_type_has_its_arrow_type(row: TypeRow) -> None:
    """A type has the Arrow type of its row."""
    assert str(arrow_type(type_of(row))) == ARROW.get(row.name, row.arrow)


@by_name
def test_a_type_has_its_json(row: TypeRow) -> None:
    """A type's example in JSON round-trips; a type without a JSON form accepts only null."""
    of = type_of(row)
    if row.json_example is None:
        assert row.json is None
        with pytest.raises(Unsupported, match=f"type {row.name}, wanted a type with a JSON"):
            values.from_json(of, "text")
        return
    document = json.loads(row.json_example)
    assert values.to_json(of, values.from_json(of, document)) == document


@pytest.mark.parametrize("row", NESTED_TYPES, ids=lambda row: row.name)
def test_a_nested_type_has_its_json(row: TypeRow) -> None:
    """A nested type's example in JSON round-trips."""
    kinds: dict[str, Type] = {
        "struct": StructType(
            (NestedField(1, "a", named("int")), NestedField(2, "b", named("string")))
        ),
        "list": ListType(1, named("int")),
        "map": MapType(1, named("string"), 2, named("int")),
    }
    of, document = kinds[row.name], json.loads(row.json_example or "")
    assert of.row is row
    assert values.to_json(of, values.from_json(of, document)) == document


@by_name
def test_a_type_has_its_bytes(row: TypeRow) -> None:
    """A type has the number of bytes of its form, and a type without a form is refused."""
    of = type_of(row)
    if row.binary is None:
        with pytest.raises(Unsupported, match=f"type {row.name}, wanted a type with a binary"):
            values.to_binary(of, 0)
        return
    size = {each.name: each.size for each in BINARY_FORMS}[row.binary]
    if size is not None and row.json_example:
        value = values.from_json(of, json.loads(row.json_example))
        assert len(values.to_binary(of, value)) == size
        with pytest.raises(FormatError, match=f"found {size + 1} bytes, wanted {size} for type"):
            values.from_binary(of, bytes(size + 1))


PROMOTED = [
    (each.old, new, each.since)
    for each in PROMOTIONS
    for new in ([row.name for row in PRIMITIVE_TYPES] if each.new == "any" else [each.new])
]


@pytest.mark.parametrize(("old", "new", "since"), PROMOTED)
def test_a_promotion_is_allowed_since_its_version(old: str, new: str, since: int) -> None:
    """A promotion is allowed since its version, and not before."""
    for version in (1, 2, 3):
        allowed = can_promote(named(old), named(new), version=version)
        assert allowed is (version >= since or old == new)


def test_other_pairs_of_types_are_not_promotions() -> None:
    """A pair of types that is not in the table is not a promotion in any version."""
    stated = {(old, new) for old, new, _ in PROMOTED}
    for old, new in itertools.product([each.name for each in PRIMITIVE_TYPES], repeat=2):
        if old != new and (old, new) not in stated:
            assert not can_promote(named(old), named(new), version=3)


@pytest.mark.parametrize("row", PROMOTIONS, ids=lambda row: f"{row.old}-{row.new}")
def test_a_promotion_keeps_the_partition_values_of_its_transforms(row: PromotionRow) -> None:
    """A promotion keeps the results of exactly the transforms that its row names."""
    examples = {each.name: each.json_example for each in PRIMITIVE_TYPES}
    if row.new == "any":
        return  # null gives null under every transform
    old, new = (
        named(row.old),
        parse_primitive("decimal(19, 2)") if row.old == "decimal" else named(row.new),
    )
    before = values.from_json(old, json.loads(examples[row.old] or ""))
    after = values.from_binary(new, values.to_binary(old, before))
    for each in TRANSFORMS:
        transform = parse_transform(f"{each.name}[1000003]" if each.parameter else each.name)
        if transform.can_transform(old) and transform.can_transform(new):
            is_same = apply_value(transform, old, before) == apply_value(transform, new, after)
            assert is_same is (not row.transforms or each.name in row.transforms), each.name


@pytest.mark.parametrize("row", PARAMETERS, ids=lambda row: f"{row.type}-{row.name}")
def test_a_parameter_is_held_to_its_range(row: ParameterRow) -> None:
    """A parameter may be at the ends of its range and not beyond, and may have a default."""
    write: dict[tuple[str, str], Callable[[Any], str]] = {
        ("decimal", "P"): "decimal({}, 0)".format,
        ("decimal", "S"): "decimal(9, {})".format,
        ("fixed", "L"): "fixed[{}]".format,
        ("geometry", "C"): "geometry({})".format,
        ("geography", "C"): "geography({})".format,
        ("geography", "A"): "geography(OGC:CRS84, {})".format,
    }
    text = write[row.type, row.name]
    taken = [each for each in (row.least, row.most, row.default, *row.words) if each is not None]
    for each in taken:
        assert parse_primitive(text(each)).kind == row.type
    if row.default is not None:
        assert parse_primitive(text(row.default)) == parse_primitive(row.type)
    beyond = [row.least - 1] if row.least is not None else []
    beyond += [row.most + 1] if row.most is not None else []
    for other in (*beyond, *(["straight"] if row.words else [])):
        with pytest.raises(FormatError, match=rf"^type: found .*{other}"):
            parse_primitive(text(other))


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: f"{row.type} {row.json}")
def test_an_example_is_so(row: ExampleRow) -> None:
    """An example has its value in JSON, in bytes and as a hash."""
    of = parse_primitive(row.type)
    value = values.from_json(of, json.loads(row.json))
    assert values.to_json(of, value) == json.loads(row.json)
    assert values.to_binary(of, value).hex() == row.binary
    assert values.from_binary(of, bytes.fromhex(row.binary)) == value
    assert hash_array(of, storage_array(of, [value])).tolist() == [row.hash]


@pytest.mark.parametrize("row", TRANSFORMS, ids=lambda row: row.name)
def test_a_transform_takes_and_gives_what_is_reported(row: TransformRow) -> None:
    """A transform takes exactly the types in its row and gives the result type there."""
    transform = parse_transform(f"{row.name}[4]" if row.parameter else row.name)
    assert transform.is_known
    assert transform.preserves_order is row.keeps_order
    for each in PRIMITIVE_TYPES:
        of = type_of(each)
        assert transform.can_transform(of) is (each.name in row.sources)
        if transform.can_transform(of):
            wanted = each.name if row.result == "source" else row.result
            assert transform.result_type(of).kind == wanted


@pytest.mark.parametrize("row", HUMAN_FORMS, ids=lambda row: row.name)
def test_a_partition_value_reads_as_stated(row: HumanRow) -> None:
    """A partition value of each type and transform has the text of its row."""
    transform = next((each.name for each in TRANSFORMS if each.human == row.name), "identity")
    is_type = transform == "identity"
    of = named(row.name) if is_type else named("timestamp")
    value = json.loads(row.value)
    held = values.from_json(of, value) if is_type else value
    assert to_human(parse_transform(transform), of, held) == row.text
    assert to_human(parse_transform(transform), of, None) == "null"


@pytest.mark.parametrize("rows", [MANIFEST_ENTRY, DATA_FILE, MANIFEST_FILE], ids=len)
def test_every_field_that_is_written_is_kept(rows: tuple[ManifestField, ...]) -> None:
    """Every field of manifests is a column, except deprecated fields and records."""
    kept = {each.id: each for each in (*fields.ENTRY, *fields.LIST)}
    for row in rows:
        is_old = row.ignored or "deprecated" in {row.v1, row.v2, row.v3}
        if is_old or row.type.startswith("struct"):
            assert row.id not in kept
        else:
            assert kept[row.id].name == row.name


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
class TestOperations:
    """Each operation of the table is one of the runtime."""

    @staticmethod
    def document(row: OperationRow, number: float = 1.5) -> dict[str, Any]:
        """Return a predicate of the operation, as JSON."""
        literal: Any = "a" if "starts" in row.name else number
        stated = {"value": literal, "values": [literal, literal]}
        return {"type": row.name, "term": "c"} | ({row.key: stated[row.key]} if row.key else {})

    def test_it_is_one_of_ours(self, row: OperationRow) -> None:
        """An operation exists and has the opposite of its row."""
        operation = Operation(row.name)
        assert operation.negated.value == row.negated
        assert operation.negated.negated is operation
        assert {each.value for each in Operation} == {each.name for each in OPERATIONS}

    def test_it_is_written_as_its_row_says(self, row: OperationRow) -> None:
        """A predicate is written as JSON with its row's key, and as text that is read again."""
        document = self.document(row)
        predicate = json_form.from_json(document)
        assert isinstance(predicate, Predicate)
        assert predicate.operation is Operation(row.name)
        assert json_form.to_json(predicate) == document
        assert f" {row.text}" in str(predicate)
        assert parse(str(predicate)) == predicate
        for key in {"value", "values"} - {row.key}:
            with pytest.raises(FormatError, match=key):
                json_form.from_json({**document, key: 1})

    def test_null_and_nan_satisfy_it_as_its_row_says(self, row: OperationRow) -> None:
        """Null and NaN in a row match a predicate exactly if the table says so."""
        of = parse_primitive("string" if "starts" in row.name else "double")
        schema = Schema((NestedField(1, "c", of),))
        held = pa.array([None] if of.kind == "string" else [None, math.nan], arrow_type(of))
        batch = pa.RecordBatch.from_arrays([held], schema=arrow_schema(schema))
        found = evaluate(bind(json_form.from_json(self.document(row)), schema), batch).to_pylist()
        assert found == [row.takes_null, row.takes_nan][: len(held)]
