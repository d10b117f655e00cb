"""Compile an Avro schema to the steps that decode its values.

- Unwanted parts of the schema are skipped; a list of plain items is skipped in one step.
- Recursive schemas, and lists of items that take no bytes, are not supported where they are wanted.

Source: https://avro.apache.org/docs/1.12.0/specification/#schema-declaration
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.avro.builder import Builder, BulkLists, Want
from byteloom.avro.nodes import (
    Enum,
    Field,
    Lists,
    Names,
    Node,
    Plain,
    Program,
    Record,
    Union,
    expanded_types,
)
from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.kernels import avro_columns as ops
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    Keep: TypeAlias = Callable[[dict[str, Any]], bool]
    Choose: TypeAlias = Callable[[dict[str, Any], tuple[str, ...]], "Want"]

__all__ = ["compile_blocks", "compile_chosen", "compile_values"]

_PLAIN: Final = {
    "boolean": ops.BOOL,
    "int": ops.INT,
    "long": ops.LONG,
    "float": ops.FLOAT,
    "double": ops.DOUBLE,
    "bytes": ops.BYTES,
    "string": ops.BYTES,
}
_SIZES: Final = {ops.FLOAT: 4, ops.DOUBLE: 8}

_TYPES: Final = 1 << 18
"""Most types of one program, including those without a step: null, and empty records."""

Made: TypeAlias = "tuple[Node, int]"
"""The node of a type, and the least number of bytes of its values."""


def compile_values(schema: Any, keep: Keep | None = None) -> Program:
    """Return the program that decodes values of *schema*.

    schema         as parsed from JSON
    keep           selects the wanted fields, if *schema* is a record; None for all
    FormatError    not an Avro schema
    LimitExceeded  a schema with too many types
    Unsupported    a schema that contains itself, or has lists of items without bytes
    """
    return _Compiler(_of_record(keep)).values(schema)


def compile_blocks(schema: Any, keep: Keep | None = None) -> Program:
    """Return the program that decodes blocks of records, which are the items of list 0.

    Whoever runs it supplies the start and the number of records of each block.  Arguments and
    errors as for `compile_values`; *schema* must be a record.
    """
    return _Compiler(_of_record(keep)).blocks(schema)


def compile_chosen(schema: Any, choose: Choose, slots: int, *, is_prefixed: bool) -> Program:
    """Return the program that decodes chosen fields, at any depth, of blocks of records.

    Absent numbers, and the lengths of absent bytes, are -1.  Errors as for `compile_blocks`.

    choose       returns what is wanted of a field, given its attributes and the names that lead to
                 it
    slots        number of keys for `Want.SLOTS`
    is_prefixed  whether ``fixed`` values without a logical type have a length in front, which
                 Avro's specification does not allow
    """
    compiler = _Compiler(choose, absent=-1, slots=slots, is_prefixed=is_prefixed)
    return compiler.blocks(schema)


def _of_record(keep: Keep | None) -> Choose:
    """Return the choice of top-level fields; fields inside a kept one are kept too."""
    return lambda field, _: Want.KEEP if keep is None or keep(field) else Want.PASS


class _Compiler:
    """Makes one program, depth first."""

    def __init__(
        self, choose: Choose, *, absent: int = 0, slots: int = 0, is_prefixed: bool = False
    ) -> None:
        self._builder = Builder()
        self._bulk = BulkLists(self._builder, slots, absent)
        self._choose, self._absent, self._is_prefixed = choose, absent, is_prefixed
        self._names = Names()
        self._open: list[Any] = []
        self._want = Want.LOOK
        self._depth = 0
        self._types = 0

    def values(self, schema: Any) -> Program:
        """Compile values."""
        self._top(schema)
        return self._ended()

    def blocks(self, schema: Any) -> Program:
        """Compile blocks of records."""
        if not _is_record(schema):
            raise FormatError("schema", None, repr(schema)[:60], "the schema of a record")
        number = self._builder.begin_list()
        self._builder.end_list(number, -1, self._top(schema))
        return self._ended()

    def _top(self, schema: Any) -> int:
        """Compile the type of a whole value; return the least number of bytes of a value."""
        if (types := expanded_types(schema)) > _TYPES:
            raise LimitExceeded("schema", None, f"{types} types", f"at most {_TYPES} types")
        self._want = Want.LOOK if _is_record(schema) else Want.KEEP
        program = self._builder.program
        program.root, program.least = self.node(schema, "")
        return program.least

    def _ended(self) -> Program:
        self._builder.step(ops.END)
        return self._builder.program

    # The node of each kind of type

    def node(self, schema: Any, space: str) -> Made:
        """Compile a type whose names are in namespace *space*."""
        self._depth += 1
        self._types += 1
        if self._types > _TYPES:  # names defined twice were counted with another definition
            raise LimitExceeded("schema", None, "more", f"at most {_TYPES} types")
        if self._depth > DEFAULT_LIMITS.nesting:
            wanted = f"at most {DEFAULT_LIMITS.nesting} types inside types"
            raise LimitExceeded("schema", None, "a deeper type", wanted)
        try:
            if isinstance(schema, list):
                return self._union(schema, space)
            return self._known(schema, space)
        finally:
            self._depth -= 1

    def _known(self, schema: Any, space: str) -> Made:
        """Compile a type other than a union."""
        kind = _type_of(schema)
        if isinstance(kind, dict | list):
            return self.node(kind, space)
        if kind == "null" or kind in _PLAIN:
            return self._plain(kind, schema if isinstance(schema, dict) else {})
        if not isinstance(schema, dict) or kind not in _COMPLEX:
            return self._named(kind, space)
        if kind in {"array", "map"}:
            return self._array(schema, space, is_map=kind == "map")
        if kind in {"record", "error"}:
            return self._record(schema, space)
        self._name(schema, space)
        return self._fixed(schema) if kind == "fixed" else self._enum(schema)

    def _plain(self, kind: str, said: dict[str, Any]) -> Made:
        if kind == "null":
            return Plain(kind, -1), 0
        op = _PLAIN[kind]
        size = _SIZES.get(op, 1)
        if op == ops.BYTES:
            column = self._column(0, self._absent)
        else:
            is_place = op in _SIZES and self._want is Want.PLACE
            op = ops.FIXED if is_place else op
            column = self._column(0 if is_place else self._absent)
        self._builder.step(op, column, size)
        return Plain(kind, column, said, size if op == ops.FIXED else 0), size

    def _fixed(self, schema: dict[str, Any]) -> Made:
        size = schema.get("size")
        if type(size) is not int or not 0 <= size < 1 << 31:
            raise self._wrong(size, "the size of a fixed type")
        is_plain = "logicalType" not in schema
        self._builder.program.fixed |= is_plain
        is_prefixed = is_plain and self._is_prefixed
        column = self._column(0)
        self._builder.step(ops.PREFIXED if is_prefixed else ops.FIXED, column, size)
        return Plain("fixed", column, schema, size), size + is_prefixed

    def _enum(self, schema: dict[str, Any]) -> Made:
        symbols = schema.get("symbols")
        if not isinstance(symbols, list) or not all(isinstance(each, str) for each in symbols):
            raise self._wrong(symbols, "the symbols of an enum")
        column = self._column(self._absent)
        self._builder.step(ops.ENUM, column, len(symbols))
        return Enum(column, tuple(symbols)), 1

    def _record(self, schema: dict[str, Any], space: str) -> Made:
        space = self._name(schema, space)
        fields = schema.get("fields")
        if not isinstance(fields, list):
            raise self._wrong(fields, "the fields of a record")
        self._open.append(schema)
        want, least, held = self._want, 0, []
        for each in fields:
            name = each.get("name") if isinstance(each, dict) else None
            if not isinstance(name, str) or "type" not in each:
                raise self._wrong(each, "a field with a name and a type")
            self._builder.path.append(name)
            if want is Want.LOOK:
                self._want = self._choose(each, tuple(self._builder.path))
            node, size = self.node(each["type"], space)
            self._builder.path.pop()
            least += size
            if self._want is not Want.PASS:
                held.append(Field(name, each, node))
        self._want = want
        self._open.pop()
        return Record(tuple(held)), least

    def _union(self, schema: list[Any], space: str) -> Made:
        builder, column = self._builder, self._column(0)
        table = builder.begin_union(column, len(schema))
        branches, marks, null = [], [builder.mark], -1
        for number, each in enumerate(schema):
            node, _ = self.node(each, space)
            marks.append(builder.mark)
            null = number if isinstance(node, Plain) and node.type == "null" else null
            branches.append((_label(each), node))
        builder.end_union(table, marks)
        if self._want is Want.LOOK and any(_is_held(node) for _, node in branches):
            builder.program.code[marks[0][0] - 1][1] = column = builder.columns(0)
        return Union(column, null, tuple(branches)), 1

    def _array(self, schema: dict[str, Any], space: str, *, is_map: bool) -> Made:
        want = self._want
        if is_map or want in {Want.LOOK, Want.PASS}:
            self._want = want if self._is_kept else Want.PASS
        elif want in {Want.ITEMS, Want.SLOTS}:
            self._want = Want.PASS
        elif want is Want.ROWS:
            self._want = Want.LOOK
        try:
            return self._list(schema, space, want, is_map=is_map)
        finally:
            self._want = want

    def _list(self, schema: dict[str, Any], space: str, want: Want, *, is_map: bool) -> Made:
        """Compile a list; *want* says what is wanted of its items."""
        is_kept = self._is_kept or want is Want.ROWS
        column = self._builder.columns(0, 0) if is_kept else -1
        number = self._builder.begin_list()
        keys = None
        if is_map:
            column_of_keys = self._column(0, self._absent)
            keys = Plain("string", column_of_keys)
            self._builder.step(ops.BYTES, column_of_keys, 1)
        items, least = self.node(schema.get("values" if is_map else "items"), space)
        if not is_kept and (made := self._bulk.end(number, want, least + is_map)):
            return made, 1
        self._builder.end_list(number, column, least + is_map)
        return Lists(number, column, keys, items, schema), 1

    def _named(self, kind: Any, space: str) -> Made:
        known = self._names.find(kind, space)
        if known is None:
            raise self._wrong(kind, "a type that Avro has or that was named before")
        schema, around = known
        if any(schema is each for each in self._open):
            found = f"{kind} inside itself"
            raise Unsupported(
                self._builder.where, None, found, "a type that does not contain itself"
            )
        return self.node(schema, around)

    # Bookkeeping

    def _name(self, schema: dict[str, Any], space: str) -> str:
        """Record a named type; return the namespace of what is inside."""
        if not isinstance(schema.get("name"), str):
            raise self._wrong(schema.get("name"), "the name of a type")
        return self._names.note(schema, space)

    @property
    def _is_kept(self) -> bool:
        """Whether the type that is compiled now gets columns."""
        return self._want not in {Want.PASS, Want.LOOK}

    def _column(self, *fills: int) -> int:
        """Add columns with these *fills*; return the number of the first, -1 if not wanted."""
        return self._builder.columns(*fills) if self._is_kept else -1

    def _wrong(self, found: object, wanted: str) -> FormatError:
        where = f"schema.{self._builder.where}" if self._builder.path else "schema"
        return FormatError(where, None, repr(found)[:60], wanted)


_COMPLEX: Final = frozenset({"record", "error", "array", "map", "fixed", "enum"})


def _is_held(node: Node) -> bool:
    """Whether a node, or a node inside it, fills a column."""
    if isinstance(node, Record):
        return any(_is_held(each.node) for each in node.fields)
    return node.column >= 0


def _is_record(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "record"


def _type_of(schema: Any) -> Any:
    return schema.get("type") if isinstance(schema, dict) else schema


def _label(schema: Any) -> str:
    """Return the label of a branch of a union: the name of its type without the namespace."""
    if isinstance(schema, dict):
        schema = schema.get("name") or schema.get("type")
    return str(schema).rpartition(".")[2]
