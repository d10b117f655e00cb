"""Partition specs: how a tuple of partition values is computed from a row.

The rules:

- A field takes one source column, or several in version 3, and has an id of its own.  Version 1 may
  leave the ids out; they then count from 1000.
- The partition tuple is a struct with the fields' ids and names; a field whose source column was
  dropped keeps its place.

Source: Iceberg table spec, "Partitioning" and "Appendix C", Partition Specs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.documents import extra_of, read_record, to_document
from byteloom.iceberg.transforms import Transform, Void, parse_transform
from byteloom.iceberg.types import IntegerType, NestedField, StringType, StructType
from byteloom_generated.iceberg import partition_specs as documents
from byteloom_generated.iceberg.reserved_fields import ID_RANGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.iceberg.schema import Schema

__all__ = ["FIRST_PARTITION_FIELD_ID", "PartitionField", "PartitionSpec"]

FIRST_PARTITION_FIELD_ID: Final = next(
    each.first for each in ID_RANGES if each.name == "partition_fields"
)

_SPEC: Final = frozenset({"spec_id", "fields"})
_FIELD: Final = frozenset({"source_id", "source_ids", "field_id", "name", "transform"})


@dataclass(frozen=True, slots=True)
class PartitionField:
    """One value of the partition tuple.

    Attributes:
        source_ids: Ids of the columns that the transform takes: one, or several in version 3.
        field_id: Unique in the table, 1000 and above.
        extra: JSON keys that the spec does not know, written back as they were.
    """

    source_ids: tuple[int, ...]
    field_id: int
    name: str
    transform: Transform
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def source_id(self) -> int:
        """The first, and mostly the only, source column."""
        return self.source_ids[0]


@dataclass(frozen=True, slots=True)
class PartitionSpec:
    """The fields of a table's partition tuple at one time; empty for an unpartitioned table.

    Attributes:
        extra: JSON keys that the spec does not know, written back as they were.
    """

    fields: tuple[PartitionField, ...] = ()
    spec_id: int = 0
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_json(cls, document: Any) -> PartitionSpec:
        """Return the spec of ``{"spec-id": 0, "fields": [...]}``; `FormatError` says what is wrong.

        Source: Iceberg table spec, "Appendix C", Partition Specs.
        """
        record = read_record(documents.PartitionSpec, document, "partition-spec")
        spec = cls.from_fields(record.fields, record.spec_id)
        return replace(spec, extra=extra_of(record, _SPEC))

    @classmethod
    def from_fields(cls, documents: list[Any], spec_id: int = 0) -> PartitionSpec:
        """Return the spec of a plain list of fields, as in manifests and in version 1."""
        fields = []
        for number, document in enumerate(documents):
            try:
                fields.append(_field_from_json(document, FIRST_PARTITION_FIELD_ID + number))
            except FormatError as error:
                raise error.inside(f"fields[{number}]") from None
        return cls(tuple(fields), spec_id)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of this spec; `from_json` reads it back."""
        fields = [_field_to_json(each) for each in self.fields]
        return to_document(documents.PartitionSpec, self.extra, spec_id=self.spec_id, fields=fields)

    @property
    def is_unpartitioned(self) -> bool:
        """Whether there is only one partition: every field is void, or there is none."""
        return all(isinstance(each.transform, Void) for each in self.fields)

    def partition_type(self, schema: Schema) -> StructType:
        """Return the struct of the partition tuple, its types from the columns of *schema*.

        A field whose source column is not in *schema* is an int if its transform returns ints,
        otherwise a string.
        """
        return StructType(
            tuple(
                NestedField(each.field_id, each.name, _result_type(each, schema))
                for each in self.fields
            )
        )


def _result_type(field: PartitionField, schema: Schema) -> Any:
    """The type of a partition value."""
    source = schema.find(field.source_id)
    if source is not None:
        return field.transform.result_type(source.type)
    made = field.transform.result_type(StringType())
    return made if made != StringType() else field.transform.result_type(IntegerType())


def _field_from_json(document: Any, default_id: int) -> PartitionField:
    """Return the field of a JSON object; its id is *default_id* if version 1 left it out."""
    record = read_record(documents.PartitionField, document, "field")
    return PartitionField(
        source_ids=source_ids_of(record),
        field_id=default_id if record.field_id is None else record.field_id,
        name=record.name,
        transform=parse_transform(record.transform),
        extra=extra_of(record, _FIELD),
    )


def _field_to_json(field: PartitionField) -> dict[str, Any]:
    """The JSON object of a field."""
    return to_document(
        documents.PartitionField,
        field.extra,
        **source_id_or_ids(field.source_ids),
        field_id=field.field_id,
        name=field.name,
        transform=str(field.transform),
    )


def source_ids_of(record: documents.PartitionField | documents.SortField) -> tuple[int, ...]:
    """Return the ids under ``source-ids``, or the one under ``source-id``."""
    if record.source_ids:
        return tuple(record.source_ids)
    if "source-ids" in record.given:
        raise FormatError("source-ids", None, "[]", "a list of one id or more")
    if record.source_id is None:
        raise FormatError("source-id", None, "nothing", "an integer")
    return (record.source_id,)


def source_id_or_ids(source_ids: tuple[int, ...]) -> dict[str, Any]:
    """Return the attributes of a document: ``source_id`` for one id, ``source_ids`` for several."""
    is_one = len(source_ids) == 1
    return {
        "source_id": source_ids[0] if is_one else None,
        "source_ids": [] if is_one else list(source_ids),
    }
