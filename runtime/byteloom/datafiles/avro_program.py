"""Compile the schema of an Avro data file to steps, and describe their result in Arrow types.

The rules:

- Fields are identified by their ids; fields that are not wanted are skipped.
- Iceberg's logical types become Arrow's; an array of pairs marked ``map`` is a map.
- A block is treated as a list of records, whose length is in the block's header.

Source: Iceberg table spec, "Appendix A", Avro; Apache Avro specification, "Schema Declaration".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa

from byteloom.avro import nodes as avro
from byteloom.avro.program import compile_blocks
from byteloom.datafiles.fields import FIELD_ID
from byteloom.errors import FormatError, Unsupported, beginning
from byteloom_generated.iceberg.file_types import AVRO_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


__all__ = ["Items", "Leaf", "Node", "Nullable", "Program", "Record", "compile_records"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value in one column, or in two for bytes; *size* is that of a fixed value, else -1."""

    type: pa.DataType
    column: int
    size: int = -1
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """The wanted fields of a record; unions other than with null are dropped."""

    fields: tuple[tuple[str, dict[bytes, bytes], Node], ...]


@dataclass(frozen=True, slots=True)
class Nullable:
    """A value or null: *column* has the number of the branch, *null* that of the null branch."""

    column: int
    null: int
    inner: Node


@dataclass(frozen=True, slots=True)
class Items:
    """List *number*: *column* and the next one have the first item and the end of each list.

    keys      the keys of a map; None for an array
    metadata  Arrow metadata of the element, or of key and value
    is_pairs  an array of records that represents a map
    """

    number: int
    column: int
    keys: Leaf | None
    item: Node
    metadata: tuple[dict[bytes, bytes], ...]
    is_pairs: bool = False


Node: TypeAlias = "Leaf | Record | Nullable | Items"


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled schema: its steps, and the records built from the columns that they fill."""

    steps: avro.Program
    root: Record


_PLAIN: Final = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.large_binary(),
    "string": pa.large_string(),
}
_OF_UNIT: Final[dict[tuple[str, str], pa.DataType]] = {
    ("int", "day"): pa.date32(),
    ("int", "ms"): pa.time32("ms"),
    ("time", "us"): pa.time64("us"),
    ("long", "ms"): pa.timestamp("ms"),
    ("long", "us"): pa.timestamp("us"),
    ("long", "ns"): pa.timestamp("ns"),
}
_LOGICAL: Final = {
    (each.avro, each.logical): _OF_UNIT.get((each.type, each.unit))
    or _OF_UNIT[each.avro, each.unit]
    for each in AVRO_TYPES
    if each.unit
}
"""The unit of the numbers of each logical type."""


def compile_records(schema: Any, keep: Callable[[dict[str, Any]], bool]) -> Program:
    """Return the program that decodes blocks of records.

    schema       the schema of a record, as JSON
    keep         returns whether a field is wanted
    FormatError  not an Avro schema of a record
    Unsupported  a schema that contains itself; a wanted union of several types
    """
    try:
        steps = compile_blocks(schema, keep)
        return Program(steps, _record(steps.root, ()))
    except FormatError as error:
        raise error.inside("avro") from error.__cause__


def _node(node: avro.Node, path: tuple[str, ...]) -> Node:
    """Return what to build from a node of the program."""
    match node:
        case avro.Plain():
            return Leaf(_type(node, path), node.column, _size(node))
        case avro.Enum(column, symbols):
            return Leaf(pa.large_string(), column, symbols=symbols)
        case avro.Record():
            return _record(node, path)
        case avro.Union():
            return _nullable(node, path)
        case avro.Lists():
            return _items(node, path)
        case _:
            raise TypeError(node)  # no value that is kept whole compiles to this node


def _record(node: avro.Node, path: tuple[str, ...]) -> Record:
    """Return what to build from a record; names that Avro does not allow are kept in a property."""
    fields = node.fields if isinstance(node, avro.Record) else ()
    return Record(
        tuple(
            (
                str(each.said.get("iceberg-field-name", each.name)),
                _id(each.said, "field-id"),
                _node(each.node, (*path, each.name)),
            )
            for each in fields
        )
    )


def _type(node: avro.Plain, path: tuple[str, ...]) -> pa.DataType:
    """Return the type of a plain value, or of the logical type that it represents."""
    logical = str(node.said.get("logicalType"))
    if logical == "decimal" and node.type in {"bytes", "fixed"}:
        return _decimal(node.said, path)
    if node.type == "fixed":
        return pa.binary(node.size)
    return _LOGICAL.get((node.type, logical), _PLAIN[node.type])


def _decimal(said: Mapping[str, Any], path: tuple[str, ...]) -> pa.DataType:
    """Return the type of a decimal."""
    try:
        return pa.decimal128(said.get("precision"), said.get("scale", 0))
    except (TypeError, ValueError) as error:
        found, wanted = beginning(dict(said), 60), "precision and scale of a decimal"
        raise FormatError(".".join(("schema", *path)), None, found, wanted) from error


def _size(node: avro.Plain) -> int:
    """Return the bytes of a value of fixed width; -1 for others."""
    return node.size if node.type == "fixed" else -1


def _nullable(node: avro.Union, path: tuple[str, ...]) -> Nullable:
    """Return what to build from a union, which must be of null and one other type."""
    others = [each for number, (_, each) in enumerate(node.branches) if number != node.null]
    if len(others) != 1:
        where, found = ".".join(("schema", *path)), f"a union of {len(others)}"
        raise Unsupported(where, None, found, "null and one other type")
    return Nullable(node.column, node.null, _node(others[0], path))


def _items(node: avro.Lists, path: tuple[str, ...]) -> Items:
    """Return what to build from an array, a map, or an array of pairs that represents a map."""
    item = _node(node.items, path)
    if node.keys is not None:
        keys = Leaf(pa.large_string(), node.keys.column)
        ids = (_id(node.said, "key-id"), _id(node.said, "value-id"))
        return Items(node.number, node.column, keys, item, ids)
    is_pairs = node.said.get("logicalType") == "map" and _is_pair(item)
    element = (_id(node.said, "element-id"),)
    return Items(node.number, node.column, None, item, element, is_pairs)


def _id(said: Mapping[str, Any], key: str) -> dict[bytes, bytes]:
    """Return the Arrow metadata of a field with an id; empty without an id."""
    number = said.get(key)
    return {FIELD_ID: str(number).encode()} if type(number) is int else {}


def _is_pair(item: Node) -> bool:
    """Return whether an item is a record of two fields."""
    return isinstance(item, Record) and len(item.fields) == 2  # noqa: PLR2004  key and value
