"""Iceberg's types as schemas of Avro files.

The rules:

- The table of Avro types says with which Avro type each type is written.
- An optional field is a union of null and its type, with null as its default.
- A record is named by the id of its field (``r102``), pairs of a map by theirs (``k117_v118``), and
  a name used twice is defined once, as in the files of Java.

Source: Iceberg table spec, "Appendix A", Avro.
"""

from __future__ import annotations

from typing import Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.file_types.numbering import decimal_size
from byteloom.iceberg.types import (
    DecimalType,
    FixedType,
    ListType,
    MapType,
    NestedField,
    StringType,
    StructType,
    Type,
    VariantType,
)
from byteloom_generated.iceberg.file_types import AVRO_TYPES

__all__ = ["avro_name", "to_avro"]

_WRITTEN: Final = {each.type: each for each in reversed(AVRO_TYPES) if each.written}
_VARIANT: Final = ("metadata", "value")


def to_avro(of: StructType, name: str = "table") -> dict[str, Any]:
    """Return the schema of records of a struct, as the JSON of Avro.

    Args:
        name: Name of the record.

    Raises:
        FormatError: Two names that are equal after escaping.
    """
    made: dict[str, Any] = _Writer().record(of, name)
    return made


class _Writer:
    """Makes one schema, in which each named type is defined once."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def record(self, of: StructType, name: str) -> Any:
        """Return the schema of a record, whose field names must differ after escaping, too."""
        fields = [self._field(each) for each in of.fields]
        spelt = {made["name"]: each.name for made, each in zip(fields, of.fields, strict=True)}
        if len(spelt) != len(fields):
            lost = next(each.name for each in of.fields if each.name not in spelt.values())
            found = f"{avro_name(lost)} for {lost!r} and {spelt[avro_name(lost)]!r}"
            raise FormatError("avro.schema", None, found, "names that stay distinct in Avro")
        return self._named(name, "record", fields=fields)

    def _named(self, name: str, kind: str, **keys: Any) -> Any:
        """Return a type with a name, or only its name if it was defined before."""
        if name in self._names:
            return name
        self._names.add(name)
        return {"type": kind, "name": name, **keys}

    def _field(self, field: NestedField) -> dict[str, Any]:
        """Return a field of a record."""
        of = self._type(field.type, field.id)
        made: dict[str, Any] = {"name": avro_name(field.name), "type": of}
        if not field.required and of != "null":
            made = {**made, "type": ["null", of], "default": None}
        if made["name"] != field.name:
            made["iceberg-field-name"] = field.name
        if field.doc is not None:
            made["doc"] = field.doc
        return {**made, "field-id": field.id}

    def _inner(self, field: NestedField) -> Any:
        """Return the schema of an element or a value, which may be null."""
        of = self._type(field.type, field.id)
        return of if field.required or of == "null" else ["null", of]

    def _type(self, of: Type, holder: int) -> Any:
        """Return the schema of a type, that of the field with the id *holder*."""
        if isinstance(of, StructType):
            return self.record(of, f"r{holder}")
        if isinstance(of, ListType):
            return {
                "type": "array",
                "items": self._inner(of.fields[0]),
                "element-id": of.element_id,
            }
        if isinstance(of, MapType):
            return self._map(of)
        if isinstance(of, VariantType):
            fields = [{"name": each, "type": "bytes"} for each in _VARIANT]
            row = _WRITTEN[of.kind]
            return self._named(f"r{holder}", row.avro, fields=fields, logicalType=row.logical)
        return self._primitive(of)

    def _map(self, of: MapType) -> dict[str, Any]:
        """Return the schema of a map: an array of pairs if keys are not text."""
        key, value = of.fields
        if isinstance(of.key, StringType):
            ids = {"key-id": of.key_id, "value-id": of.value_id}
            return {"type": "map", "values": self._inner(value), **ids}
        name = f"k{of.key_id}_v{of.value_id}"
        pair = self._named(name, "record", fields=[self._field(key), self._field(value)])
        return {"type": "array", "items": pair, "logicalType": "map"}

    def _primitive(self, of: Type) -> Any:
        """Return the schema of a primitive type."""
        row = _WRITTEN[of.kind]
        keys: dict[str, Any] = {"logicalType": row.logical} if row.logical else {}
        if row.adjust_to_utc:
            keys["adjust-to-utc"] = row.adjust_to_utc == "true"
        if isinstance(of, DecimalType):
            keys |= {"precision": of.precision, "scale": of.scale}
            name, size = f"decimal_{of.precision}_{of.scale}", decimal_size(of.precision)
        elif isinstance(of, FixedType):
            name, size = f"fixed_{of.length}", of.length
        elif row.size:
            name, size = f"{of.kind}_{row.avro}", int(row.size)
        else:
            return {"type": row.avro, **keys} if keys else row.avro
        return self._named(name, row.avro, size=size, **keys)


def avro_name(name: str) -> str:
    """Return a name that Avro allows: other characters escaped, letters of any alphabet kept."""
    made = "".join(each if each == "_" or each.isalnum() else f"_x{ord(each):X}" for each in name)
    return f"_{made}" if made[:1].isdigit() else made
