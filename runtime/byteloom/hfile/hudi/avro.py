"""Avro values without a container, to Arrow, by the schema that is kept beside them.

- A schema becomes a program that a compiled loop obeys, so that no Python object is made per row;
  a part of it that nobody asks for is stepped over.
- A union of null and one other type is that type with nulls.  A union of several is a struct with
  ``branch``, the number among those that are not null, and a field for each of them.
- Logical types are left as they are stored, for Hudi keeps the true ones elsewhere.
- Not here: schemas that contain themselves, and lists of items that take no bytes.

Source: https://avro.apache.org/docs/1.12.0/specification/
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.hfile.hudi.avro_nodes import Enum, Lists, Node, Plain, Program, Record, Union
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["program"]

_END, _BOOL, _FLOAT, _DOUBLE, _FIXED, _INT, _LONG, _BYTES, _ENUM, _UNION, _LIST, _NEXT = range(12)
"""What a step can do; the numbers are those of `byteloom.kernels.avro_columns`."""

_PLAIN: Final = {
    "null": None,
    "boolean": _BOOL,
    "int": _INT,
    "long": _LONG,
    "float": _FLOAT,
    "double": _DOUBLE,
    "bytes": _BYTES,
    "string": _BYTES,
}

_STEPS: Final = 1 << 16
"""Steps of one program: a schema that names its types over and over could ask for any number."""


@lru_cache(maxsize=64)
def program(schema: str, wanted: tuple[str, ...] | None = None) -> Program:
    """Return the program of *schema*.

    schema  JSON
    wanted  top-level fields to keep; None for all.  What the schema does not have is left out
    raises  `FormatError` for anything but a schema, `Unsupported` for one that contains itself
    """
    return _Compiler(wanted).run(_parsed(schema))


def _parsed(schema: str) -> Any:
    from json import loads

    try:
        return loads(schema)
    except (ValueError, RecursionError) as error:
        raise FormatError("schema", None, str(error), "an Avro schema in JSON") from error


class _Compiler:
    """Makes one program, depth first."""

    def __init__(self, wanted: Iterable[str] | None) -> None:
        self._out = Program()
        self._wanted = None if wanted is None else frozenset(wanted)
        self._types: dict[str, Any] = {}
        self._open: list[str] = []
        self._path: list[str] = []
        self._level = 0
        self._kept = True
        self._depth = 0

    def run(self, schema: Any) -> Program:
        out = self._out
        if _type_of(schema) == "record":
            out.root, _ = self._record(schema, self._wanted)
        else:
            out.root, _ = self._node(schema)
        self._step(_END)
        return out

    # What each kind of type becomes; beside it comes the least number of bytes that it takes

    def _node(self, schema: Any, space: str = "") -> tuple[Node, int]:
        self._depth += 1
        if self._depth > DEFAULT_LIMITS.nesting:
            raise LimitExceeded("schema", None, "a deeper one", "200 types inside types")
        try:
            union = isinstance(schema, list)
            return self._union(schema, space) if union else self._known(schema, space)
        finally:
            self._depth -= 1

    def _known(self, schema: Any, space: str) -> tuple[Node, int]:
        kind = _type_of(schema)
        if isinstance(kind, dict | list):
            return self._node(kind, space)
        if kind in _PLAIN:
            return self._plain(kind)
        if kind in {"record", "error"}:
            return self._record(schema, None, space)
        if kind in {"array", "map"}:
            return self._list(schema, kind, space)
        if kind in {"fixed", "enum"}:
            return self._flat(schema, kind, space)
        return self._named(kind, space)

    def _plain(self, kind: str) -> tuple[Node, int]:
        op = _PLAIN[kind]
        if op is None:
            return Plain(kind, -1), 0
        column = self._column(2 if op == _BYTES else 1)
        size = {_FLOAT: 4, _DOUBLE: 8}.get(op, 1)
        self._step(op, column, size)
        return Plain(kind, column), size

    def _flat(self, schema: Any, kind: str, space: str) -> tuple[Node, int]:
        self._name(schema, space)
        return self._fixed(schema) if kind == "fixed" else self._enum(schema)

    def _fixed(self, schema: Any) -> tuple[Node, int]:
        size = schema.get("size")
        if not isinstance(size, int) or not 0 <= size < 1 << 31:
            raise self._wrong(size, "the size of a fixed type")
        column = self._column()
        self._step(_FIXED, column, size)
        return Plain("fixed", column, size), size

    def _enum(self, schema: Any) -> tuple[Node, int]:
        symbols = schema.get("symbols")
        if not isinstance(symbols, list) or not all(isinstance(each, str) for each in symbols):
            raise self._wrong(symbols, "the symbols of an enum")
        column = self._column()
        self._step(_ENUM, column, len(symbols))
        return Enum(column, tuple(symbols)), 1

    def _record(
        self, schema: Any, wanted: frozenset[str] | None, space: str = ""
    ) -> tuple[Node, int]:
        name, space = self._name(schema, space)
        fields = schema.get("fields")
        if not isinstance(fields, list):
            raise self._wrong(fields, "the fields of a record")
        self._open.append(name)
        kept, least, nodes = self._kept, 0, {}
        for each in fields:
            label = each.get("name") if isinstance(each, dict) else None
            if not isinstance(label, str) or "type" not in each:
                raise self._wrong(each, "a field with a name and a type")
            self._kept = kept and (wanted is None or label in wanted)
            self._path.append(label)
            node, size = self._node(each["type"], space)
            self._path.pop()
            least += size
            if self._kept:
                nodes[label] = node
        self._kept = kept
        self._open.pop()
        return Record(nodes), least

    def _union(self, schema: list[Any], space: str) -> tuple[Node, int]:
        column = self._column()
        table = len(self._out.jumps)
        self._out.jumps += [0] * len(schema)
        if len(self._out.jumps) > _STEPS:
            raise LimitExceeded("schema", None, "more", f"at most {_STEPS} branches")
        self._step(_UNION, column, len(schema), table)
        branches, marks, null = [], [self._mark], -1
        for number, each in enumerate(schema):
            self._out.jumps[table + number] = len(self._out.code)
            node, _ = self._node(each, space)
            marks.append(self._mark)
            null = number if node == Plain("null", -1) else null
            branches.append((_label(each), node))
        self._meet(table, marks)
        return Union(column, null, tuple(branches)), 1

    @property
    def _mark(self) -> tuple[int, int]:
        return len(self._out.code), len(self._out.jumps)

    def _meet(self, table: int, marks: list[tuple[int, int]]) -> None:
        """Let all branches of a union go on behind the last of them.

        marks  steps and jumps before each branch, and behind the last
        """
        out, behind = self._out, len(self._out.code)
        for number, ((start, first), (end, last)) in enumerate(pairwise(marks)):
            if start == end:
                out.jumps[table + number] = behind
            for step in out.code[start:end]:
                if step[4] == end:
                    step[4] = behind
            for jump in range(first, last):
                if out.jumps[jump] == end:
                    out.jumps[jump] = behind

    def _list(self, schema: Any, kind: str, space: str) -> tuple[Node, int]:
        number = len(self._out.bodies)
        column = self._column(2)
        start = len(self._out.code)
        self._step(_LIST)
        self._out.bodies.append(start + 1)
        outer, self._level = self._level, number + 1
        keys = None
        if kind == "map":
            keys = Plain("string", self._column(2))
            self._step(_BYTES, keys.column)
        items, least = self._node(schema.get("items" if kind == "array" else "values"), space)
        if least == 0 and keys is None:
            raise Unsupported(self._where, None, "a list of items that take no bytes", "other ones")
        self._level = outer
        self._step(_NEXT, number, column)
        self._out.code[start] = [_LIST, number, column, 0, len(self._out.code)]
        return Lists(number, column, keys, items), 1

    def _named(self, kind: Any, space: str) -> tuple[Node, int]:
        for name in (f"{space}.{kind}" if space else kind, kind):
            if name in self._open:
                raise Unsupported(self._where, None, f"{name} inside itself", "a schema that ends")
            if name in self._types:
                return self._node(self._types[name], name.rpartition(".")[0])
        raise self._wrong(kind, "a type that Avro has or that was named before")

    # Bookkeeping

    def _name(self, schema: Any, space: str) -> tuple[str, str]:
        """Note a type by its name; return it, and the namespace of what is inside."""
        name = schema.get("name")
        if not isinstance(name, str):
            raise self._wrong(name, "the name of a type")
        if "." not in name:
            space = schema.get("namespace", space)
            name = f"{space}.{name}" if space else name
        self._types[name] = schema
        return name, name.rpartition(".")[0]

    def _column(self, count: int = 1) -> int:
        """Return the number of a new column, -1 for one that nobody asked for."""
        if not self._kept:
            return -1
        self._out.levels += [self._level] * count
        return len(self._out.levels) - count

    def _step(self, op: int, a: int = 0, b: int = 0, c: int = 0) -> None:
        if len(self._out.code) >= _STEPS:
            raise LimitExceeded("schema", None, "more", f"at most {_STEPS} types")
        self._out.code.append([op, a, b, c, len(self._out.code) + 1])
        self._out.names.append(self._where)

    @property
    def _where(self) -> str:
        return ".".join(self._path) or "value"

    def _wrong(self, found: object, wanted: str) -> FormatError:
        where = "schema" if not self._path else f"schema.{self._where}"
        return FormatError(where, None, repr(found)[:60], wanted)


def _type_of(schema: Any) -> Any:
    return schema.get("type") if isinstance(schema, dict) else schema


def _label(schema: Any) -> str:
    """Return what a branch of a union is called: the name of its type without the namespace."""
    if isinstance(schema, dict):
        schema = schema.get("name") or schema.get("type")
    return str(schema).rpartition(".")[2]
