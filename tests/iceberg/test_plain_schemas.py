"""Metadata files so large that their schemas are decoded first are read as small ones are."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.iceberg_columns import COLUMNS, LAST, PLAIN, POINT, SOUND, WITH_NESTED

from byteloom.errors import ByteloomError
from byteloom.iceberg.metadata.plain_schemas import outline
from byteloom.iceberg.metadata.table_metadata import TableMetadata
from byteloom.iceberg.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Callable

LARGE = 1 << 15
"""Bytes from which on schemas are decoded first."""

COLUMN = {**PLAIN, "doc": "what it is"}
ANYTHING: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.text() | st.just([])
)


def document(*schemas: Any, **changed: Any) -> dict[str, Any]:
    """The JSON object of a table with these schemas; a key whose value is ... is left out."""
    made = {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "/t",
        "last-sequence-number": 0,
        "last-updated-ms": 1,
        "last-column-id": 9,
        "current-schema-id": 0,
        "schemas": list(schemas),
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "last-partition-id": 999,
        "default-sort-order-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "properties": {"a": "b"},
        "what others know": [1.5, None],
    } | {name.replace("_", "-"): value for name, value in changed.items()}
    return {name: value for name, value in made.items() if value is not ...}


def schema(columns: Any, **changed: Any) -> dict[str, Any]:
    """The JSON object of a schema."""
    made = {"type": "struct", "schema-id": 0, "fields": columns} | {
        name.replace("_", "-"): value for name, value in changed.items()
    }
    return {name: value for name, value in made.items() if value is not ...}


def padded(made: Any) -> bytes:
    """Return JSON with so much space after it that its schemas are decoded first."""
    return json.dumps(made).encode().ljust(LARGE)


def refusal(read: Callable[[], TableMetadata]) -> tuple[type[ByteloomError], str] | None:
    """Return the error that a call raises, if any."""
    try:
        read()
    except ByteloomError as error:
        # A JSON object has no places.
        return type(error), re.sub(r" at byte \d+ \(0x\w+\)", "", str(error))
    return None


def compare(made: Any) -> None:
    """Check that a large file has the content, or the error, of the JSON object."""
    large = partial(TableMetadata.from_bytes, padded(made))
    small = partial(TableMetadata.from_json, made)
    refused = refusal(small)
    assert refusal(large) == refused
    if refused is None:
        assert_equal(large(), small())


def assert_equal(found: TableMetadata, wanted: TableMetadata) -> None:
    """Check that a large file has the content of a small one."""
    assert found.schemas == wanted.schemas
    assert list(found.schemas) == list(wanted.schemas)
    for each, other in zip(found.schemas.values(), wanted.schemas.values(), strict=True):
        assert each.to_json() == other.to_json()
        assert each.identifier_field_ids == other.identifier_field_ids
    assert found.current_schema_id == wanted.current_schema_id
    assert found.document == wanted.document
    assert found.to_json() == wanted.to_json()


@given(st.lists(COLUMNS, max_size=4) | SOUND | WITH_NESTED)
@example([COLUMN, {**PLAIN, "id": 2}])
@example([COLUMN, {**PLAIN, "name": "b"}])
@example([{**PLAIN, "id": LAST}])
@example([{**PLAIN, "id": 1.0}])
@example([{**PLAIN, "id": -1}])
@example([{**PLAIN, "id": 1 << 31}])
@example([{**PLAIN, "type": "unknown", "required": True}])
@example([{**PLAIN, "type": "int9"}])
@example([{**PLAIN, "type": POINT}])
@example([{**PLAIN, "doc": None}])
@example([{**PLAIN, "initial-default": 5}])
def test_columns_do_not_depend_on_the_size_of_the_file(columns: list[Any]) -> None:
    """Columns of a large file equal those of a small one, or are refused with the same error."""
    compare(document(schema(columns)))


@pytest.mark.parametrize(
    "made",
    [
        document(schema([COLUMN]), schema([COLUMN], schema_id=3)),
        document(schema([COLUMN]), schema([COLUMN])),
        document(schema([COLUMN], schema_id=...)),
        document(schema([COLUMN], schema_id=1 << 31)),
        document(schema([COLUMN], identifier_field_ids=[1])),
        document(schema([COLUMN], identifier_field_ids=None)),
        document(schema([COLUMN], identifier_field_ids=["1"])),
        document(schema([COLUMN], colour="red")),
        document(schema([COLUMN], type="list")),
        document(schema([COLUMN], type=...)),
        document(schema(None)),
        document(schema(...)),
        document(schema([])),
        document(),
        document(5),
        document(schemas=...),
        document(schemas=None),
        document(schema([COLUMN]), current_schema_id=7),
        document(schema([COLUMN]), current_schema_id=...),
        document(format_version=1, schema=schema([COLUMN])),
        document(format_version=1, schema=schema([COLUMN]), current_schema_id=...),
        document(schema([COLUMN]), format_version=1, schema=schema([PLAIN], schema_id=4)),
        document(schema([COLUMN]), format_version=4),
        document(schema([COLUMN]), format_version=...),
        document(schema([COLUMN]), location=5),
        document(schema([COLUMN]), default_spec_id=5),
        [document(schema([COLUMN]))],
    ],
)
def test_documents_do_not_depend_on_the_size_of_the_file(made: Any) -> None:
    """A large file is read, or refused, as its JSON object is."""
    compare(made)


@given(st.sampled_from(sorted(document())), ANYTHING)
def test_any_value_of_any_key_is_judged_alike(key: str, value: Any) -> None:
    """Whatever a key of a large file holds, it is read or refused as in a small one."""
    compare(document(schema([COLUMN])) | {key: value})


@pytest.mark.parametrize("end", range(1, 400, 7))
def test_a_large_file_that_was_truncated_is_refused(end: int) -> None:
    """A large file that ends too early is refused as invalid JSON."""
    text = b" " * LARGE + json.dumps(document(schema([COLUMN]))).encode()
    said = rf"^table-metadata at byte {len(text) - end} .*: found invalid JSON"
    with pytest.raises(ByteloomError, match=said):
        TableMetadata.from_bytes(text[:-end])


def test_only_plain_schemas_are_decoded_first() -> None:
    """Plain schemas are decoded first; one column with a key or a type beside these ends that."""
    plain = document(schema([COLUMN, {**PLAIN, "id": 2, "name": "b"}]))
    found = outline(padded(plain))
    assert found is not None
    assert found.schemas == {0: Schema.from_json(plain["schemas"][0])}
    for changed in ({"colour": "red"}, {"write-default": 5}, {"type": POINT}, {"type": "unknown"}):
        assert outline(padded(document(schema([COLUMN, {**PLAIN, **changed}])))) is None


@pytest.mark.parametrize(("size", "is_large"), [(LARGE - 1, False), (LARGE, True)])
def test_the_document_of_a_large_file_is_parsed_when_asked_for(size: int, is_large: bool) -> None:
    """Of a file of 32 KiB or more the columns' JSON is parsed when the document is asked for."""
    made = document(schema([COLUMN]))
    metadata = TableMetadata.from_bytes(json.dumps(made).encode().ljust(size))
    assert metadata.outline.schemas == ([{"schema-id": 0}] if is_large else made["schemas"])
    assert metadata.document.schemas == made["schemas"]
