"""From the schema of an Avro data file to the steps that decode it, and what they make.

The rules:

- Fields are known by their ids; what is not wanted is stepped over.
- Iceberg's logical types become Arrow's; an array of pairs marked ``map`` is a map.
- A block of records is taken as one Avro array: its count before it, an empty block behind it.

Source: Iceberg table spec, "Appendix A", Avro; Apache Avro specification, "Schema Declaration".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.iceberg.arrow_types import FIELD_ID
from byteloom.iceberg.reading.avro_nodes import Items, Leaf, Nullable, Program, Record
from byteloom.limits import DEFAULT_LIMITS
from byteloom_generated.iceberg.file_types import AVRO_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.iceberg.reading.avro_nodes import Node

__all__ = ["compile_records"]

_END, _BOOL, _FLOAT, _DOUBLE, _FIXED, _INT, _LONG, _BYTES, _ENUM, _UNION, _LIST, _NEXT = range(12)
"""What a step can do; the numbers are those of `byteloom.kernels.avro_columns`."""

_PLAIN: Final[dict[str, tuple[int, pa.DataType]]] = {
    "boolean": (_BOOL, pa.bool_()),
    "int": (_INT, pa.int32()),
    "long": (_LONG, pa.int64()),
    "float": (_FLOAT, pa.float32()),
    "double": (_DOUBLE, pa.float64()),
    "bytes": (_BYTES, pa.large_binary()),
    "string": (_BYTES, pa.large_string()),
}
_SIZES: Final = {"float": 4, "double": 8}
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
"""What the numbers of a logical type count."""
_MOST: Final = 1 << 16
"""Steps of one program."""


def compile_records(schema: Any, keep: Callable[[dict[str, Any]], bool]) -> Program:
    """Return the program of blocks of records.

    schema       that of a record, as JSON
    keep         whether a field of it is wanted
    FormatError  no Avro schema of a record
    Unsupported  a schema that contains itself
    """
    return _Compiler(keep).run(schema)


class _Compiler:
    """Makes one program, depth first."""

    def __init__(self, keep: Callable[[dict[str, Any]], bool]) -> None:
        self._keep = keep
        self._out = Program()
        self._types: dict[str, Any] = {}
        self._open: list[str] = []
        self._path: list[str] = []
        self._level = 0
        self._kept = True
        self._depth = 0

    def run(self, schema: Any) -> Program:
        """The records, as items of list 0."""
        if not isinstance(schema, dict) or schema.get("type") != "record":
            raise FormatError("avro.schema", None, repr(schema)[:60], "the schema of a record")
        self._list(lambda: self._fields(schema), -1)
        self._step(_END)
        return self._out

    def _fields(self, schema: dict[str, Any]) -> Node:
        """The steps of the records themselves."""
        self._out.root = self._record(schema, self._keep)
        return self._out.root

    def _list(self, body: Callable[[], Node], column: int) -> tuple[int, Node]:
        """The steps of an array with this body."""
        number = len(self._out.bodies)
        start = len(self._out.code)
        self._step(_LIST)
        self._out.bodies.append(start + 1)
        outer, self._level = self._level, number + 1
        item = body()
        self._level = outer
        if len(self._out.code) == start + 1:
            raise Unsupported(self._where, None, "items that take no bytes", "other ones")
        self._step(_NEXT, number, column)
        self._out.code[start] = [_LIST, number, column, 0, len(self._out.code)]
        return number, item

    def _node(self, schema: Any) -> Node:
        """The steps of a value of any type."""
        self._depth += 1
        if self._depth > DEFAULT_LIMITS.nesting:
            raise LimitExceeded("avro.schema", None, "a deeper one", "fewer types inside types")
        try:
            return self._union(schema) if isinstance(schema, list) else self._known(schema)
        finally:
            self._depth -= 1

    def _known(self, schema: Any) -> Node:
        """A type that is no union."""
        kind = schema.get("type") if isinstance(schema, dict) else schema
        if isinstance(kind, dict | list):
            return self._node(kind)
        if kind == "null" or kind in _PLAIN:
            return self._plain(kind, schema if isinstance(schema, dict) else {})
        if kind == "record":
            return self._record(schema, lambda _: True)
        if kind in {"array", "map"}:
            return self._items(schema, kind)
        if kind == "fixed":
            return self._fixed(schema)
        return self._enum(schema) if kind == "enum" else self._named(kind)

    def _plain(self, kind: str, schema: dict[str, Any]) -> Leaf:
        """Nothing, a number, text or bytes."""
        if kind == "null":
            return Leaf(pa.null(), -1)
        op, of = _PLAIN[kind]
        logical = schema.get("logicalType")
        if kind == "bytes" and logical == "decimal":
            of = self._decimal(schema)
        column = self._column(2 if op == _BYTES else 1)
        self._step(op, column, _SIZES.get(kind, 1))
        return Leaf(_LOGICAL.get((kind, str(logical)), of), column)

    def _fixed(self, schema: Any) -> Leaf:
        """Bytes of one width."""
        self._name(schema)
        size = schema.get("size")
        if type(size) is not int or not 0 <= size < 1 << 31:
            raise self._wrong(size, "the size of a fixed type")
        is_decimal = schema.get("logicalType") == "decimal"
        column = self._column()
        self._step(_FIXED, column, size)
        return Leaf(self._decimal(schema) if is_decimal else pa.binary(size), column, size)

    def _decimal(self, schema: Any) -> pa.DataType:
        """The type of a decimal."""
        try:
            return pa.decimal128(schema.get("precision"), schema.get("scale", 0))
        except (TypeError, ValueError) as error:
            raise self._wrong(schema, "precision and scale of a decimal") from error

    def _enum(self, schema: Any) -> Leaf:
        """One of some symbols."""
        self._name(schema)
        symbols = schema.get("symbols")
        if not isinstance(symbols, list) or not all(isinstance(each, str) for each in symbols):
            raise self._wrong(symbols, "the symbols of an enum")
        column = self._column()
        self._step(_ENUM, column, len(symbols))
        return Leaf(pa.large_string(), column, symbols=tuple(symbols))

    def _record(self, schema: Any, keep: Callable[[dict[str, Any]], bool]) -> Record:
        """Fields one after the other."""
        name, fields = self._name(schema), schema.get("fields")
        if not isinstance(fields, list):
            raise self._wrong(fields, "the fields of a record")
        self._open.append(name)
        kept, held = self._kept, []
        for each in fields:
            if not isinstance(each, dict) or not isinstance(each.get("name"), str):
                raise self._wrong(each, "a field with a name and a type")
            self._kept = kept and keep(each)
            self._path.append(each["name"])
            node = self._node(each.get("type"))
            self._path.pop()
            if self._kept:
                # Names that Avro does not allow are escaped, and kept in this property.
                label = each.get("iceberg-field-name", each["name"])
                held.append((str(label), self._id(each, "field-id"), node))
        self._kept = kept
        self._open.pop()
        return Record(tuple(held))

    def _union(self, branches: list[Any]) -> Node:
        """One of several."""
        column = self._column()
        table = len(self._out.jumps)
        self._out.jumps += [0] * len(branches)
        if len(self._out.jumps) > _MOST:
            raise LimitExceeded("avro.schema", None, "more", f"at most {_MOST} branches")
        self._step(_UNION, column, len(branches), table)
        nodes, ends = [], []
        for number, each in enumerate(branches):
            start = len(self._out.code), len(self._out.jumps)
            self._out.jumps[table + number] = start[0]
            nodes.append(self._node(each))
            ends.append((start, (len(self._out.code), len(self._out.jumps))))
        self._meet(table, ends)
        others = [each for each in nodes if each != Leaf(pa.null(), -1)]
        if len(others) != 1 and self._kept:
            found = f"a union of {len(others)}"
            raise Unsupported(self._where, None, found, "null and one other type")
        null = next((at for at, each in enumerate(nodes) if each not in others), -1)
        return Nullable(column, null, others[0] if others else Leaf(pa.null(), -1))

    def _meet(self, table: int, ends: list[Any]) -> None:
        """Let all branches of a union go on behind the last of them."""
        out, behind = self._out, len(self._out.code)
        for number, ((start, first), (end, last)) in enumerate(ends):
            if start == end:
                out.jumps[table + number] = behind
            for step in out.code[start:end]:
                step[4] = behind if step[4] == end else step[4]
            for jump in range(first, last):
                out.jumps[jump] = behind if out.jumps[jump] == end else out.jumps[jump]

    def _items(self, schema: Any, kind: str) -> Items:
        """An array or a map."""
        column = self._column(2)
        keys: list[Leaf] = []

        def pair() -> Node:
            keys.append(Leaf(pa.large_string(), self._column(2)))
            self._step(_BYTES, keys[0].column, 1)
            return self._node(schema.get("values"))

        if kind == "map":
            number, item = self._list(pair, column)
            ids = (self._id(schema, "key-id"), self._id(schema, "value-id"))
            return Items(number, column, keys[0], item, ids)
        number, item = self._list(lambda: self._node(schema.get("items")), column)
        is_pairs = schema.get("logicalType") == "map" and _is_pair(item)
        return Items(number, column, None, item, (self._id(schema, "element-id"),), is_pairs)

    def _named(self, kind: Any) -> Node:
        """A type that was declared before."""
        if kind in self._open:
            raise Unsupported(self._where, None, f"{kind} inside itself", "a schema that ends")
        if not isinstance(kind, str) or kind not in self._types:
            raise self._wrong(kind, "a type that Avro has or that was declared before")
        return self._node(self._types[kind])

    def _id(self, schema: dict[str, Any], key: str) -> dict[bytes, bytes]:
        """The id of a field as Arrow's metadata."""
        number = schema.get(key)
        return {FIELD_ID: str(number).encode()} if type(number) is int else {}

    def _name(self, schema: dict[str, Any]) -> str:
        """Note a type by its names."""
        name = schema.get("name")
        if not isinstance(name, str):
            raise self._wrong(name, "the name of a type")
        self._types[name] = schema
        if isinstance(schema.get("namespace"), str):
            self._types[f"{schema['namespace']}.{name}"] = schema
        return name

    def _column(self, count: int = 1) -> int:
        """The number of a new column; -1 for one that nobody asked for."""
        if not self._kept:
            return -1
        self._out.levels += [self._level] * count
        return len(self._out.levels) - count

    def _step(self, op: int, a: int = 0, b: int = 0, c: int = 0) -> None:
        """Append a step."""
        if len(self._out.code) >= _MOST:
            raise LimitExceeded("avro.schema", None, "more", f"at most {_MOST} types")
        self._out.code.append([op, a, b, c, len(self._out.code) + 1])
        self._out.names.append(self._where)

    @property
    def _where(self) -> str:
        return ".".join(self._path) or "record"

    def _wrong(self, found: object, wanted: str) -> FormatError:
        return FormatError(f"avro.schema.{self._where}", None, repr(found)[:60], wanted)


def _is_pair(item: Node) -> bool:
    """Whether an item is a record of two fields."""
    return isinstance(item, Record) and len(item.fields) == 2  # noqa: PLR2004  key and value
