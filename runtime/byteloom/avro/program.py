"""From an Avro schema to the steps that decode its values.

- A part of the schema that nobody asks for is stepped over.
- Not here: schemas that contain themselves, and lists of items that take no bytes.

Source: https://avro.apache.org/docs/1.12.0/specification/#schema-declaration
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.avro.names import Names
from byteloom.avro.nodes import Enum, Field, Lists, Node, Plain, Program, Record, Union
from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    Keep: TypeAlias = Callable[[dict[str, Any]], bool]

__all__ = ["compile_blocks", "compile_values"]

_END, _BOOL, _FLOAT, _DOUBLE, _FIXED, _INT, _LONG, _BYTES, _ENUM, _UNION, _LIST, _NEXT = range(12)
"""What a step can do; the numbers are those of `byteloom.kernels.avro_columns`."""

_PLAIN: Final = {
    "boolean": _BOOL,
    "int": _INT,
    "long": _LONG,
    "float": _FLOAT,
    "double": _DOUBLE,
    "bytes": _BYTES,
    "string": _BYTES,
}
_SIZES: Final = {_FLOAT: 4, _DOUBLE: 8}

_STEPS: Final = 1 << 16
"""Steps of one program: a schema that names its types over and over could ask for any number."""

_TYPES: Final = 4 * _STEPS
"""Types of one program, those too that take no step: null, and records of nothing."""

Made: TypeAlias = "tuple[Node, int]"
"""What a type becomes, and the least number of bytes that it takes."""


def compile_values(schema: Any, keep: Keep | None = None) -> Program:
    """Return the program of values that each are one of *schema*.

    schema         as parsed from JSON
    keep           which fields are wanted, where it is that of a record; None for all
    FormatError    no Avro schema
    LimitExceeded  one that asks for too much
    Unsupported    one that contains itself, or has lists of nothing
    """
    compiler = _Compiler()
    compiler.out.root, _ = compiler.top(schema, keep)
    return compiler.done()


def compile_blocks(schema: Any, keep: Keep | None = None) -> Program:
    """Return the program of blocks of records, which are the items of list 0.

    Where each block begins, and how many records it has, is known to those who run it.
    Arguments and errors as for `compile_values`; a schema that is none of a record is wrong.
    """
    if not _is_record(schema):
        raise FormatError("schema", None, repr(schema)[:60], "the schema of a record")
    compiler = _Compiler()
    number = compiler.begin()
    compiler.out.root, least = compiler.top(schema, keep)
    compiler.end(number, -1, least)
    return compiler.done()


class _Compiler:
    """Makes one program, depth first."""

    def __init__(self) -> None:
        self.out = Program()
        self._names = Names()
        self._open: list[Any] = []
        self._path: list[str] = []
        self._level = 0
        self._outer: list[int] = []
        self._kept = True
        self._depth = 0
        self._types = 0

    def top(self, schema: Any, keep: Keep | None) -> Made:
        """Return what a value becomes, of whose fields some may be wanted."""
        return self._record(schema, "", keep) if _is_record(schema) else self._node(schema, "")

    def done(self) -> Program:
        """Return the program, ended."""
        self._step(_END)
        return self.out

    # What each kind of type becomes

    def _node(self, schema: Any, space: str) -> Made:
        self._depth += 1
        self._types += 1
        if self._types > _TYPES:
            raise LimitExceeded("schema", None, "more", f"at most {_TYPES} types")
        if self._depth > DEFAULT_LIMITS.nesting:
            wanted = f"{DEFAULT_LIMITS.nesting} types inside types"
            raise LimitExceeded("schema", None, "a deeper one", wanted)
        try:
            if isinstance(schema, list):
                return self._union(schema, space)
            return self._known(schema, space)
        finally:
            self._depth -= 1

    def _known(self, schema: Any, space: str) -> Made:
        """A type that is no union."""
        kind = _type_of(schema)
        if isinstance(kind, dict | list):
            return self._node(kind, space)
        if kind == "null" or kind in _PLAIN:
            return self._plain(kind, schema if isinstance(schema, dict) else {})
        if not isinstance(schema, dict) or kind not in _COMPLEX:
            return self._named(kind, space)
        if kind in {"array", "map"}:
            return self._items(schema, space, is_map=kind == "map")
        if kind in {"record", "error"}:
            return self._record(schema, space)
        self._name(schema, space)
        return self._fixed(schema) if kind == "fixed" else self._enum(schema)

    def _plain(self, kind: str, said: dict[str, Any]) -> Made:
        if kind == "null":
            return Plain(kind, -1), 0
        op = _PLAIN[kind]
        column = self._column(2 if op == _BYTES else 1)
        size = _SIZES.get(op, 1)
        self._step(op, column, size)
        return Plain(kind, column, said), size

    def _fixed(self, schema: dict[str, Any]) -> Made:
        size = schema.get("size")
        if type(size) is not int or not 0 <= size < 1 << 31:
            raise self._wrong(size, "the size of a fixed type")
        column = self._column()
        self._step(_FIXED, column, size)
        return Plain("fixed", column, schema, size), size

    def _enum(self, schema: dict[str, Any]) -> Made:
        symbols = schema.get("symbols")
        if not isinstance(symbols, list) or not all(isinstance(each, str) for each in symbols):
            raise self._wrong(symbols, "the symbols of an enum")
        column = self._column()
        self._step(_ENUM, column, len(symbols))
        return Enum(column, tuple(symbols)), 1

    def _record(self, schema: dict[str, Any], space: str, keep: Keep | None = None) -> Made:
        space = self._name(schema, space)
        fields = schema.get("fields")
        if not isinstance(fields, list):
            raise self._wrong(fields, "the fields of a record")
        self._open.append(schema)
        kept, least, held = self._kept, 0, []
        for each in fields:
            name = each.get("name") if isinstance(each, dict) else None
            if not isinstance(name, str) or "type" not in each:
                raise self._wrong(each, "a field with a name and a type")
            self._kept = kept and (keep is None or keep(each))
            self._path.append(name)
            node, size = self._node(each["type"], space)
            self._path.pop()
            least += size
            if self._kept:
                held.append(Field(name, each, node))
        self._kept = kept
        self._open.pop()
        return Record(tuple(held)), least

    def _union(self, schema: list[Any], space: str) -> Made:
        column = self._column()
        table = len(self.out.jumps)
        self.out.jumps += [0] * len(schema)
        if len(self.out.jumps) > _STEPS:
            raise LimitExceeded("schema", None, "more", f"at most {_STEPS} branches")
        self._step(_UNION, column, len(schema), table)
        branches, marks, null = [], [self._mark], -1
        for number, each in enumerate(schema):
            self.out.jumps[table + number] = len(self.out.code)
            node, _ = self._node(each, space)
            marks.append(self._mark)
            null = number if isinstance(node, Plain) and node.type == "null" else null
            branches.append((_label(each), node))
        self._meet(table, marks)
        return Union(column, null, tuple(branches)), 1

    @property
    def _mark(self) -> tuple[int, int]:
        return len(self.out.code), len(self.out.jumps)

    def _meet(self, table: int, marks: list[tuple[int, int]]) -> None:
        """Let all branches of a union go on behind the last of them.

        marks  steps and jumps before each branch, and behind the last
        """
        out, behind = self.out, len(self.out.code)
        for number, ((start, first), (end, last)) in enumerate(pairwise(marks)):
            if start == end:
                out.jumps[table + number] = behind
            for step in out.code[start:end]:
                if step[4] == end:
                    step[4] = behind
            for jump in range(first, last):
                if out.jumps[jump] == end:
                    out.jumps[jump] = behind

    def _items(self, schema: dict[str, Any], space: str, *, is_map: bool) -> Made:
        column = self._column(2)
        number = self.begin()
        keys = None
        if is_map:
            keys = Plain("string", self._column(2))
            self._step(_BYTES, keys.column, 1)
        items, least = self._node(schema.get("values" if is_map else "items"), space)
        self.end(number, column, least + is_map)
        return Lists(number, column, keys, items, schema), 1

    def begin(self) -> int:
        """Begin a list, whose items are made next; return its number."""
        self._step(_LIST)
        self.out.bodies.append(len(self.out.code))
        self._outer.append(self._level)
        self._level = len(self.out.bodies)
        return self._level - 1

    def end(self, number: int, column: int, least: int) -> None:
        """End a list, of whose items each takes *least* bytes."""
        if least == 0:
            raise Unsupported(self._where, None, "a list of items that take no bytes", "other ones")
        start = self.out.bodies[number] - 1
        self._step(_NEXT, number, column)
        self.out.code[start] = [_LIST, number, column, 0, len(self.out.code)]
        self._level = self._outer.pop()

    def _named(self, kind: Any, space: str) -> Made:
        known = self._names.find(kind, space)
        if known is None:
            raise self._wrong(kind, "a type that Avro has or that was named before")
        schema, around = known
        if any(schema is each for each in self._open):
            raise Unsupported(self._where, None, f"{kind} inside itself", "a schema that ends")
        return self._node(schema, around)

    # Bookkeeping

    def _name(self, schema: dict[str, Any], space: str) -> str:
        """Note a type by its name; return the namespace of what is inside."""
        if not isinstance(schema.get("name"), str):
            raise self._wrong(schema.get("name"), "the name of a type")
        return self._names.note(schema, space)

    def _column(self, count: int = 1) -> int:
        """Return the number of a new column, -1 for one that nobody asked for."""
        if not self._kept:
            return -1
        self.out.levels += [self._level] * count
        return len(self.out.levels) - count

    def _step(self, op: int, a: int = 0, b: int = 0, c: int = 0) -> None:
        if len(self.out.code) >= _STEPS:
            raise LimitExceeded("schema", None, "more", f"at most {_STEPS} types")
        self.out.code.append([op, a, b, c, len(self.out.code) + 1])
        self.out.names.append(self._where)

    @property
    def _where(self) -> str:
        return ".".join(self._path) or "value"

    def _wrong(self, found: object, wanted: str) -> FormatError:
        where = f"schema.{self._where}" if self._path else "schema"
        return FormatError(where, None, repr(found)[:60], wanted)


_COMPLEX: Final = frozenset({"record", "error", "array", "map", "fixed", "enum"})


def _is_record(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "record"


def _type_of(schema: Any) -> Any:
    return schema.get("type") if isinstance(schema, dict) else schema


def _label(schema: Any) -> str:
    """Return what a branch of a union is called: the name of its type without the namespace."""
    if isinstance(schema, dict):
        schema = schema.get("name") or schema.get("type")
    return str(schema).rpartition(".")[2]
