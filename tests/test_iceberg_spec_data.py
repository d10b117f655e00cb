"""What the Iceberg tables say is what the runtime does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from byteloom.iceberg import values
from byteloom.iceberg.arrow_types import arrow_type
from byteloom.iceberg.manifests import fields
from byteloom.iceberg.transforms import parse_transform
from byteloom.iceberg.types import Type, parse_primitive
from byteloom_generated.iceberg.manifests import DATA_FILE, MANIFEST_ENTRY, MANIFEST_FILE
from byteloom_generated.iceberg.reserved_fields import (
    CHANGELOG_COLUMNS,
    DELETE_FILE_COLUMNS,
    METADATA_COLUMNS,
)
from byteloom_generated.iceberg.transforms import TRANSFORMS
from byteloom_generated.iceberg.types import HASHES, NESTED_TYPES, PRIMITIVE_TYPES

if TYPE_CHECKING:
    from byteloom_generated.iceberg.manifests import ManifestField
    from byteloom_generated.iceberg.transforms import TransformRow
    from byteloom_generated.iceberg.types import TypeRow

WITH_PARAMETERS = {"decimal": "decimal(9, 2)", "fixed": "fixed[4]"}
ARROW = {"decimal": "decimal128(9, 2)", "fixed": "fixed_size_binary[4]"}
by_name = pytest.mark.parametrize("row", PRIMITIVE_TYPES, ids=lambda row: row.name)


def type_of(row: TypeRow) -> Type:
    """The type of a row, with some parameters."""
    return parse_primitive(WITH_PARAMETERS.get(row.name, row.name))


@by_name
def test_a_type_is_known_since_its_version(row: TypeRow) -> None:
    """By its name."""
    of = type_of(row)
    assert (of.kind, of.since) == (row.name, row.since)


@by_name
def test_a_type_has_its_arrow_type(row: TypeRow) -> None:
    """As Arrow spells it."""
    assert str(arrow_type(type_of(row))) == ARROW.get(row.name, row.arrow)


@by_name
def test_a_type_has_its_json(row: TypeRow) -> None:
    """The example is read, and written again as it was."""
    if row.json_example is None:
        assert row.json is None
        return
    of, document = type_of(row), json.loads(row.json_example)
    assert values.to_json(of, values.from_json(of, document)) == document


@by_name
def test_a_type_has_its_bytes(row: TypeRow) -> None:
    """As many as the table says; fewer ones from before a promotion are read, others refused."""
    of = type_of(row)
    if row.binary_sizes and row.json_example:
        value = values.from_json(of, json.loads(row.json_example))
        assert len(values.to_binary(of, value)) == row.binary_sizes[0]
        for size in row.binary_sizes:
            assert values.from_binary(of, bytes(size)) is not None


@by_name
def test_a_hash_is_told(row: TypeRow) -> None:
    """And every type that a bucket takes has one."""
    bucketed = next(each.sources for each in TRANSFORMS if each.name == "bucket")
    assert row.hash is None or row.hash in {each.name for each in HASHES}
    assert row.hash is not None or row.name not in bucketed


@pytest.mark.parametrize("row", TRANSFORMS, ids=lambda row: row.name)
def test_a_transform_takes_and_gives_what_is_told(row: TransformRow) -> None:
    """All types that it names, and no other primitive one."""
    transform = parse_transform(f"{row.name}[4]" if row.parameter else row.name)
    assert transform.is_known
    assert transform.preserves_order is row.keeps_order
    for each in PRIMITIVE_TYPES:
        of = type_of(each)
        assert transform.can_transform(of) is (each.name in row.sources)
        if transform.can_transform(of):
            wanted = each.name if row.result == "source" else row.result
            assert transform.result_type(of).kind == wanted


def test_transforms_name_types_that_there_are() -> None:
    """No name is misspelled."""
    known = {each.name for each in (*PRIMITIVE_TYPES, *NESTED_TYPES)}
    assert {source for row in TRANSFORMS for source in row.sources} <= known


def test_reserved_ids_are_above_those_of_tables() -> None:
    """And all of them are different."""
    rows = (*METADATA_COLUMNS, *CHANGELOG_COLUMNS, *DELETE_FILE_COLUMNS)
    assert len({each.id for each in rows}) == len(rows)
    assert all((1 << 31) - 201 < each.id < 1 << 31 for each in rows)


@pytest.mark.parametrize("rows", [MANIFEST_ENTRY, DATA_FILE, MANIFEST_FILE], ids=len)
def test_every_field_that_is_written_is_kept(rows: tuple[ManifestField, ...]) -> None:
    """Columns are made for all but deprecated fields and records."""
    kept = {each.id: each for each in (*fields.ENTRY, *fields.LIST)}
    for row in rows:
        is_old = "deprecated" in {row.v1, row.v2, row.v3}
        if is_old or row.type.startswith("struct"):
            assert row.id not in kept
        else:
            assert kept[row.id].name == row.name
