"""Name mappings: which field ids the columns of files without ids have.

A table property, ``schema.name-mapping.default``, holds a list of objects: the names a field has
had, its id, and the same of the fields inside it.

Source: Iceberg table spec, "Column Projection" and "Appendix C", Name Mapping Serialization.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded
from byteloom.iceberg.documents import an_object, optional, shortly
from byteloom.iceberg.types import NestedField, NestedType
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from byteloom.iceberg.schema import Schema

__all__ = ["NAME_MAPPING_PROPERTY", "MappedField", "NameMapping"]

NAME_MAPPING_PROPERTY: Final = "schema.name-mapping.default"

_KEYS: Final = frozenset({"field-id", "names", "fields"})


@dataclass(frozen=True)
class MappedField:
    """What a field is called in files that carry no ids.

    names     every name it has had; none for a field that files never hold
    field_id  None for names that stand for no column
    fields    the same of the fields inside it
    extra     JSON keys that the spec does not know, written back as they were
    """

    names: tuple[str, ...]
    field_id: int | None = None
    fields: NameMapping | None = None
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class NameMapping:
    """The mapped fields of a schema, or of a field with fields inside."""

    fields: tuple[MappedField, ...]

    @classmethod
    def parse(cls, text: str) -> NameMapping:
        """Return the mapping of the table property's text; `FormatError` for any other text."""
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise FormatError("name mapping", None, shortly(text), "JSON") from error
        return cls.from_json(document)

    @classmethod
    def from_json(cls, document: Any, *, depth: int = 0) -> NameMapping:
        """Return the mapping of a JSON list; `FormatError` also for one name with two ids.

        Source: Iceberg table spec, "Appendix C", Name Mapping Serialization.
        """
        if depth > DEFAULT_LIMITS.nesting:
            raise LimitExceeded("fields", None, f"{depth} levels", "fewer")
        if not isinstance(document, list):
            raise FormatError("name mapping", None, shortly(document), "a list")
        mapping = cls(tuple(_field_from_json(each, depth) for each in document))
        _ = mapping._by_name
        return mapping

    @classmethod
    def of(cls, schema: Schema) -> NameMapping:
        """Return the mapping by which each field has the one name it has in *schema*."""
        return cls(_mapped(schema.fields))

    def to_json(self) -> list[dict[str, Any]]:
        """Return the JSON list; `from_json` reads it back."""
        return [_field_to_json(each) for each in self.fields]

    def find(self, name: str) -> MappedField | None:
        """Return the field that has had that name, or None."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, MappedField]:
        """Fields by each of their names."""
        by_name: dict[str, MappedField] = {}
        for each in self.fields:
            for name in each.names:
                if name in by_name:
                    raise FormatError("name mapping", None, f"{name!r} twice", "distinct names")
                by_name[name] = each
        return by_name


def _mapped(fields: Iterable[NestedField]) -> tuple[MappedField, ...]:
    """A mapped field for each field, and for those inside it."""
    return tuple(
        MappedField(
            (each.name,),
            each.id,
            NameMapping(_mapped(each.type.fields)) if isinstance(each.type, NestedType) else None,
        )
        for each in fields
    )


def _field_from_json(document: Any, depth: int) -> MappedField:
    """A mapped field."""
    document = an_object(document, "mapped field")
    names = optional(document, "names", list) or []
    if any(type(each) is not str for each in names):
        raise FormatError("names", None, shortly(names), "a list of text")
    inner = document.get("fields")
    return MappedField(
        names=tuple(names),
        field_id=optional(document, "field-id", int),
        fields=None if inner is None else NameMapping.from_json(inner, depth=depth + 1),
        extra={key: value for key, value in document.items() if key not in _KEYS},
    )


def _field_to_json(mapped: MappedField) -> dict[str, Any]:
    """The JSON object of a mapped field."""
    document: dict[str, Any] = {}
    if mapped.field_id is not None:
        document["field-id"] = mapped.field_id
    document["names"] = list(mapped.names)
    if mapped.fields is not None:
        document["fields"] = mapped.fields.to_json()
    return document | dict(mapped.extra)
