"""From an Avro schema to the steps that decode its values.

- A part of the schema that nobody asks for is stepped over, a list of plain items at once.
- Not here: schemas that contain themselves, and lists of items that take no bytes, where they are
  asked for.

Source: https://avro.apache.org/docs/1.12.0/specification/#schema-declaration
"""

from __future__ import annotations

from enum import Enum as Choices
from enum import auto
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.avro.names import Names
from byteloom.avro.nodes import (
    Enum,
    Field,
    Items,
    Lists,
    Node,
    Plain,
    Program,
    Record,
    Slots,
    Union,
)
from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    Keep: TypeAlias = Callable[[dict[str, Any]], bool]
    Choose: TypeAlias = Callable[[dict[str, Any], tuple[str, ...]], "Want"]

__all__ = ["Want", "compile_blocks", "compile_chosen", "compile_values"]


class Want(Choices):
    """What is wanted of a field.

    PASS   nothing
    LOOK   those of its fields, if it is a record, that are chosen
    KEEP   all
    PLACE  all; of floats, where their bytes are
    ROWS   of an array of records, those of their fields that are chosen
    ITEMS  an array of plain items, decoded at once
    SLOTS  of an array of pairs, what belongs to some keys
    """

    PASS = auto()
    LOOK = auto()
    KEEP = auto()
    PLACE = auto()
    ROWS = auto()
    ITEMS = auto()
    SLOTS = auto()


_END, _BOOL, _FLOAT, _DOUBLE, _FIXED, _INT, _LONG, _BYTES, _ENUM, _UNION, _LIST, _NEXT = range(12)
_PASS, _EMPTY, _NUMBERS, _PAIRS, _RUNS, _SLOT_NUMBER, _SLOT_RUN, _PREFIXED = range(12, 20)
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
    compiler = _Compiler(_of_record(keep))
    compiler.out.root, compiler.out.least = compiler.top(schema)
    return compiler.done()


def compile_blocks(schema: Any, keep: Keep | None = None) -> Program:
    """Return the program of blocks of records, which are the items of list 0.

    Where each block begins, and how many records it has, is known to those who run it.
    Arguments and errors as for `compile_values`; a schema that is none of a record is wrong.
    """
    return _blocks(schema, _Compiler(_of_record(keep)))


def compile_chosen(
    schema: Any, choose: Choose, slots: int = 0, *, is_prefixed: bool = False
) -> Program:
    """Return the program of blocks of records, of some fields at any depth.

    Numbers, and lengths of bytes, are -1 where there are none.  Errors as for `compile_blocks`.

    choose       what is wanted of a field, by what the schema says of it and the names that lead
                 to it
    slots        keys that `Want.SLOTS` has columns for
    is_prefixed  whether fixed values without a logical type have their length before them, against
                 Avro's specification
    """
    compiler = _Compiler(choose, absent=-1, slots=slots, is_prefixed=is_prefixed)
    return _blocks(schema, compiler)


def _blocks(schema: Any, compiler: _Compiler) -> Program:
    """Compile blocks of records."""
    if not _is_record(schema):
        raise FormatError("schema", None, repr(schema)[:60], "the schema of a record")
    number = compiler.begin()
    compiler.out.root, compiler.out.least = compiler.top(schema)
    compiler.end(number, -1, compiler.out.least)
    return compiler.done()


def _of_record(keep: Keep | None) -> Choose:
    """The choice among the fields of a record at the top; those inside of them go with them."""
    return lambda field, _: Want.KEEP if keep is None or keep(field) else Want.PASS


class _Compiler:
    """Makes one program, depth first."""

    def __init__(
        self, choose: Choose, *, absent: int = 0, slots: int = 0, is_prefixed: bool = False
    ) -> None:
        self.out = Program()
        self._choose, self._absent, self._slots = choose, absent, slots
        self._is_prefixed = is_prefixed
        self._names = Names()
        self._open: list[Any] = []
        self._path: list[str] = []
        self._level = 0
        self._outer: list[tuple[int, int]] = []
        self._want = Want.LOOK
        self._unions = 0
        self._items: tuple[int, int] | None = None
        self._depth = 0
        self._types = 0

    def top(self, schema: Any) -> Made:
        """Compile the type of a value, of whose fields some may be wanted."""
        self._want = Want.LOOK if _is_record(schema) else Want.KEEP
        return self.node(schema, "")

    def done(self) -> Program:
        """Return the program, ended."""
        self._step(_END)
        return self.out

    # What each kind of type becomes

    def node(self, schema: Any, space: str) -> Made:
        """Compile a type; its names are those of *space*."""
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
        if op == _BYTES:
            column = self._column(0, self._absent)
        else:
            is_place = op in _SIZES and self._want is Want.PLACE
            op = _FIXED if is_place else op
            column = self._column(0 if is_place else self._absent)
        self._step(op, column, size)
        return Plain(kind, column, said, size if op == _FIXED else 0), size

    def _fixed(self, schema: dict[str, Any]) -> Made:
        size = schema.get("size")
        if type(size) is not int or not 0 <= size < 1 << 31:
            raise self._wrong(size, "the size of a fixed type")
        is_plain = "logicalType" not in schema
        self.out.fixed |= is_plain
        is_prefixed = is_plain and self._is_prefixed
        column = self._column(0)
        self._step(_PREFIXED if is_prefixed else _FIXED, column, size)
        return Plain("fixed", column, schema, size), size + is_prefixed

    def _enum(self, schema: dict[str, Any]) -> Made:
        symbols = schema.get("symbols")
        if not isinstance(symbols, list) or not all(isinstance(each, str) for each in symbols):
            raise self._wrong(symbols, "the symbols of an enum")
        column = self._column(self._absent)
        self._step(_ENUM, column, len(symbols))
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
            self._path.append(name)
            self._want = self._choose(each, tuple(self._path)) if want is Want.LOOK else want
            node, size = self.node(each["type"], space)
            self._path.pop()
            least += size
            if self._want is not Want.PASS:
                held.append(Field(name, each, node))
        self._want = want
        self._open.pop()
        return Record(tuple(held)), least

    def _union(self, schema: list[Any], space: str) -> Made:
        column = self._column(0)
        table = len(self.out.jumps)
        self.out.jumps += [0] * len(schema)
        if len(self.out.jumps) > _STEPS:
            raise LimitExceeded("schema", None, "more", f"at most {_STEPS} branches")
        self._step(_UNION, column, len(schema), table)
        branches, marks, null = [], [self._mark], -1
        self._unions += 1
        for number, each in enumerate(schema):
            self.out.jumps[table + number] = len(self.out.code)
            node, _ = self.node(each, space)
            marks.append(self._mark)
            null = number if isinstance(node, Plain) and node.type == "null" else null
            branches.append((_label(each), node))
        self._unions -= 1
        if self._want is Want.LOOK and any(_is_held(node) for _, node in branches):
            column = self._new_columns(0)
            self.out.code[marks[0][0] - 1][1] = column
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
        """A list, whose items are wanted as is set."""
        is_kept = self._is_kept or want is Want.ROWS
        column = self._new_columns(0, 0) if is_kept else -1
        number = self.begin()
        keys = None
        if is_map:
            column_of_keys = self._column(0, self._absent)
            keys = Plain("string", column_of_keys)
            self._step(_BYTES, column_of_keys, 1)
        items, least = self.node(schema.get("values" if is_map else "items"), space)
        if not is_kept and (made := self._at_once(number, want, least + is_map)):
            return made, 1
        self.end(number, column, least + is_map)
        return Lists(number, column, keys, items, schema), 1

    def _at_once(self, number: int, want: Want, least: int) -> Node | None:
        """End a list with a step that goes through its items, if there is one for their types.

        least  bytes of an item
        """
        out = self.out
        start = out.bodies[number] - 1
        ops = [step[0] for step in out.code[start + 1 :]]
        numbers = sum(op in {_INT, _LONG} for op in ops)
        runs = sum(op == _BYTES for op in ops)
        is_sorted = all(op == _BYTES for op in ops[numbers:])
        kind = _KINDS.get((numbers, runs))
        if least > 0 and not (ops and is_sorted and numbers + runs == len(ops)):
            return None
        del out.code[start + 1 :], out.names[start + 1 :]
        self._level, self._unions = self._outer.pop()
        node: Node = Plain("array", -1)
        if least == 0:
            step = [_EMPTY, 0, 0, 0]
        elif want is Want.ITEMS and kind is not None:
            column = self._new_columns(0, 0)
            shared, keys = self._shared(number)
            step = [_NUMBERS + kind, shared, column, keys]
            node = Items(shared, column, _NAMES[kind], keys)
        elif want is Want.SLOTS and kind in {_PAIRS - _NUMBERS, _RUNS - _NUMBERS}:
            is_run = kind == _RUNS - _NUMBERS
            column = self._slot_columns(0 if is_run else self._absent)
            sizes = self._slot_columns(self._absent) if is_run else -1
            step = [_SLOT_RUN if is_run else _SLOT_NUMBER, column, sizes, 0]
            node = Slots(_NAMES[kind], column, sizes)
        else:
            step = [_PASS, numbers, runs, 0]
        out.code[start] = [*step, start + 1]
        return node

    def _shared(self, number: int) -> tuple[int, int]:
        """Return the list whose rows all lists have that are decoded at once, and its columns.

        number  that list, if there was none before
        """
        if self._items is None:
            outer, self._level = self._level, number + 1
            self._items = number, self._new_columns(None, None)
            self._level = outer
        return self._items

    def _slot_columns(self, fill: int) -> int:
        """Return the number of the first of columns for all slots, each of which may be missing."""
        first = self._new_columns(*[fill] * self._slots)
        self.out.fills[first:] = [fill] * self._slots
        return first

    def begin(self) -> int:
        """Begin a list, whose items are made next; return its number."""
        self._step(_LIST)
        self.out.bodies.append(len(self.out.code))
        self._outer.append((self._level, self._unions))
        self._level, self._unions = len(self.out.bodies), 0
        return self._level - 1

    def end(self, number: int, column: int, least: int) -> None:
        """End a list, of whose items each takes *least* bytes."""
        if least == 0:
            raise Unsupported(self._where, None, "a list of items that take no bytes", "other ones")
        start = self.out.bodies[number] - 1
        self._step(_NEXT, number, column)
        self.out.code[start] = [_LIST, number, column, 0, len(self.out.code)]
        self._level, self._unions = self._outer.pop()

    def _named(self, kind: Any, space: str) -> Made:
        known = self._names.find(kind, space)
        if known is None:
            raise self._wrong(kind, "a type that Avro has or that was named before")
        schema, around = known
        if any(schema is each for each in self._open):
            raise Unsupported(self._where, None, f"{kind} inside itself", "a schema that ends")
        return self.node(schema, around)

    # Bookkeeping

    def _name(self, schema: dict[str, Any], space: str) -> str:
        """Note a type by its name; return the namespace of what is inside."""
        if not isinstance(schema.get("name"), str):
            raise self._wrong(schema.get("name"), "the name of a type")
        return self._names.note(schema, space)

    @property
    def _is_kept(self) -> bool:
        """Whether what is compiled now has columns."""
        return self._want not in {Want.PASS, Want.LOOK}

    def _column(self, *fills: int) -> int:
        """Return the number of a new column, -1 for one that nobody asked for.

        fills  what it holds where nothing is, and what those behind it do
        """
        return self._new_columns(*fills) if self._is_kept else -1

    def _new_columns(self, *fills: int | None) -> int:
        """Return the number of the first of some new columns."""
        self.out.levels += [self._level] * len(fills)
        self.out.fills += [each if self._unions else None for each in fills]
        return len(self.out.levels) - len(fills)

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


_KINDS: Final = {(1, 0): 0, (2, 0): 1, (1, 1): 2}
"""Kinds of lists that have a step of their own, by the numbers and the runs of bytes in an item."""

_NAMES: Final = ("number", "number number", "number bytes")

_COMPLEX: Final = frozenset({"record", "error", "array", "map", "fixed", "enum"})


def _is_held(node: Node) -> bool:
    """Whether a node fills a column, or one inside of it does."""
    if isinstance(node, Record):
        return any(_is_held(each.node) for each in node.fields)
    return node.column >= 0


def _is_record(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "record"


def _type_of(schema: Any) -> Any:
    return schema.get("type") if isinstance(schema, dict) else schema


def _label(schema: Any) -> str:
    """Return what a branch of a union is called: the name of its type without the namespace."""
    if isinstance(schema, dict):
        schema = schema.get("name") or schema.get("type")
    return str(schema).rpartition(".")[2]
