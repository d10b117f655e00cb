"""Schemas of Avro files as Iceberg's types, and the reverse.

The rules:

- The table of Avro types says which type is read as which, and with which each is written; an
  unknown logical type is ignored, as Avro requires.
- An optional type is a union of null and one other; as a field it has null as its default.
- A field without an id gets an unused one.
- A record is named by the id of its field (``r102``), pairs of a map by theirs (``k117_v118``), and
  a name used twice is defined once, as in the files of Java.

Source: Iceberg table spec, "Appendix A", Avro; Apache Avro specification, "Schema Declaration".
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded, beginning
from byteloom.iceberg.file_types.arrow_walk import Numbering, decimal_size
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
    parse_primitive,
)
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.iceberg.file_types import AVRO_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


__all__ = ["avro_name", "from_avro", "to_avro"]

_READ: Final = {
    (each.avro, each.logical, each.adjust_to_utc): each.type for each in reversed(AVRO_TYPES)
}
_VARIANT: Final = ("metadata", "value")
_MOST: Final = 1 << 16
"""Most fields of one schema; a named type counts each time it is used."""
_NESTING: Final = f"at most {DEFAULT_LIMITS.nesting} (limits.nesting)"


def from_avro(schema: Any) -> StructType:
    """Return the struct that an Avro record schema describes; fields without ids get unused ones.

    Raises:
        FormatError: Not an Avro schema of records, or one with a type that Iceberg does not have.
        LimitExceeded: Types nested deeper than ``limits.nesting``.
    """
    of = _Reader(schema).type_of(schema, ())
    if not isinstance(of, StructType):
        raise FormatError("avro.schema", None, str(of), "the schema of a record")
    return of


class _Reader:
    """Reads one Avro schema."""

    def __init__(self, schema: Any) -> None:
        self._types: dict[str, Any] = {}
        self._count = 0
        self._ids = Numbering(set(_ids(schema, 0)))

    def type_of(self, schema: Any, path: tuple[str, ...]) -> Type:
        """Return the type of a schema; for a union that of the branch other than null."""
        if len(path) > DEFAULT_LIMITS.nesting:
            raise LimitExceeded("avro.schema", None, f"{len(path)} levels", _NESTING)
        definition = self._definition(schema, path)
        name = self._row(definition.get("type"), definition, path)
        make = self._NESTED.get(name)
        return make(self, definition, path) if make else parse_primitive(name)

    def _definition(self, schema: Any, path: tuple[str, ...]) -> dict[str, Any]:
        """Return the object of a type, unwrapped from a union, a name or another object."""
        for _ in range(DEFAULT_LIMITS.nesting):
            if isinstance(schema, list):
                others = [each for each in schema if each != "null"]
                if len(others) > 1:
                    raise _wrong(path, f"a union of {len(others)}", "null and one other type")
                schema = others[0] if others else "null"
            elif isinstance(schema, str) and schema in self._types:
                schema = self._types[schema]
            elif isinstance(schema, dict) and isinstance(schema.get("type"), dict | list):
                schema = schema["type"]
            else:
                definition = schema if isinstance(schema, dict) else {"type": schema}
                if isinstance(definition.get("name"), str):
                    self._types[definition["name"]] = definition
                return definition
        raise LimitExceeded("avro.schema", None, "a deeper type", _NESTING)

    @staticmethod
    def _row(kind: Any, definition: dict[str, Any], path: tuple[str, ...]) -> str:
        """Return the name of the Iceberg type for an Avro type."""
        utc = "true" if definition.get("adjust-to-utc") is True else "false"
        logical = definition.get("logicalType")
        for key in ((kind, logical, utc), (kind, logical, None), (kind, None, None)):
            if all(isinstance(each, str | None) for each in key) and (name := _READ.get(key)):
                return name
        raise _wrong(path, beginning(kind, 60), "a type of Avro that Iceberg has")

    def _struct(self, definition: dict[str, Any], path: tuple[str, ...]) -> Type:
        """Return the type of a record; one of metadata and value without ids is a variant."""
        if _is_variant(definition.get("fields")):
            return VariantType()
        return StructType(tuple(self._fields(definition, path)))

    def _fields(self, definition: dict[str, Any], path: tuple[str, ...]) -> Iterator[NestedField]:
        """Yield the fields of a record."""
        fields = definition.get("fields")
        if not isinstance(fields, list):
            raise _wrong(path, beginning(fields, 60), "the fields of a record")
        for each in fields:
            if not isinstance(each, dict) or not isinstance(each.get("name"), str):
                raise _wrong(path, beginning(each, 60), "a field with a name")
            name = str(each.get("iceberg-field-name", each["name"]))
            yield self._nested(each.get("field-id"), name, each.get("type"), path)

    def _nested(self, stored_id: Any, name: str, schema: Any, path: tuple[str, ...]) -> NestedField:
        """Return the field for a record's field, an element, a key or a value."""
        number = self._ids.id_of(stored_id)
        self._count += 1
        if self._count > _MOST:
            raise LimitExceeded("avro.schema", None, "more", f"at most {_MOST} fields")
        of = self.type_of(schema, (*path, name))
        is_optional = of.kind == "unknown" or (isinstance(schema, list) and "null" in schema)
        return NestedField(number, name, of, not is_optional)

    def _list(self, definition: dict[str, Any], path: tuple[str, ...]) -> ListType:
        """Return the type of an array."""
        element = self._nested(
            definition.get("element-id"), "element", definition.get("items"), path
        )
        return ListType(element.id, element.type, element.required)

    def _map(self, definition: dict[str, Any], path: tuple[str, ...]) -> MapType:
        """Return the type of a map, or of an array of pairs that represents one."""
        if definition.get("type") == "map":
            key = NestedField(self._ids.id_of(definition.get("key-id")), "key", StringType(), True)  # noqa: FBT003
            value = self._nested(
                definition.get("value-id"), "value", definition.get("values"), path
            )
        else:
            pair = self.type_of(definition.get("items"), (*path, "element"))
            inner = pair.fields if isinstance(pair, StructType) else ()
            if len(inner) != 2:  # noqa: PLR2004  key and value
                raise _wrong(path, str(pair), "pairs of a key and a value")
            key, value = inner
        return MapType(key.id, key.type, value.id, value.type, value.required)

    _NESTED: Final[dict[str, Callable[[_Reader, dict[str, Any], tuple[str, ...]], Type]]] = {
        "struct": _struct,
        "list": _list,
        "map": _map,
        "decimal": lambda _, definition, path: _decimal(definition, path),
        "fixed": lambda _, definition, path: FixedType(_number(definition, "size", path)),
    }
    """The functions for Avro types that have more than a name."""


def _is_variant(fields: Any) -> bool:
    """Whether the fields of a record are those of a variant."""
    held = [each for each in fields if isinstance(each, dict)] if isinstance(fields, list) else []
    names = {str(each.get("name")) for each in held if "field-id" not in each}
    return len(held) == len(_VARIANT) and names == set(_VARIANT)


def _ids(schema: Any, depth: int) -> Iterator[int]:
    """Yield all ids in a schema."""
    if depth > 4 * DEFAULT_LIMITS.nesting:
        return
    if isinstance(schema, list):
        for each in schema:
            yield from _ids(each, depth + 1)
    elif isinstance(schema, dict):
        names = {name for each in AVRO_TYPES for name in each.ids} & set(schema)
        yield from (schema[each] for each in names if type(schema[each]) is int)
        for each in schema.values():
            yield from _ids(each, depth + 1)


def _decimal(definition: dict[str, Any], path: tuple[str, ...]) -> DecimalType:
    """Return the type of a decimal."""
    scale = _number(definition, "scale", path) if "scale" in definition else 0
    return DecimalType(_number(definition, "precision", path), scale)


def _number(definition: dict[str, Any], key: str, path: tuple[str, ...]) -> int:
    """Return a numeric attribute of a type."""
    number = definition.get(key)
    if type(number) is not int:
        raise _wrong(path, beginning(number, 60), f"the {key} of a type")
    return number


def _wrong(path: tuple[str, ...], found: str, wanted: str) -> FormatError:
    """Return the error about a place of a schema."""
    return FormatError(".".join(("avro.schema", *path)), None, found, wanted)


_WRITTEN: Final = {each.type: each for each in reversed(AVRO_TYPES) if each.written}


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


@cache
def avro_name(name: str) -> str:
    """Return a name that Avro allows: other characters escaped, letters of any alphabet kept."""
    made = "".join(each if each == "_" or each.isalnum() else f"_x{ord(each):X}" for each in name)
    return f"_{made}" if made[:1].isdigit() else made
