"""The parts of an Avro schema's program: steps, the nesting of the columns they fill, named types.

The rules:

- A type is known by its full name or, where writers forgot its namespace, by its short one.
- A schema of a kilobyte may repeat the names of its types so often that their definitions do not
  fit in memory: its types are counted first, as if each name were replaced by its definition.

Source: https://avro.apache.org/docs/1.12.0/specification/#schema-declaration, #names
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "NO_FIELDS",
    "Enum",
    "Field",
    "Frame",
    "Items",
    "Known",
    "Lists",
    "Names",
    "Node",
    "Plain",
    "Program",
    "Record",
    "Slots",
    "Union",
    "expanded_types",
]

Known: TypeAlias = tuple[dict[str, Any], str]
"""A type and its namespace."""


class Names:
    """The types that have been named so far."""

    def __init__(self) -> None:
        """Begin without any named types."""
        self._known: dict[str, Known] = {}

    def note(self, schema: dict[str, Any], space: str) -> str:
        """Record a named type; return the namespace for the types inside it.

        space  the namespace around the type
        """
        name: str = schema["name"]
        around, _, short = name.rpartition(".")
        if not around:
            said = schema.get("namespace")
            around = said if isinstance(said, str) else space
        self._known[f"{around}.{short}" if around else short] = schema, space
        self._known.setdefault(short, (schema, space))
        return around

    def find(self, name: Any, space: str) -> Known | None:
        """Return the type that *name* refers to in a namespace."""
        if not isinstance(name, str):
            return None
        return self._known.get(f"{space}.{name}") or self._known.get(name)


_ITEMS: Final = {"array": "items", "map": "values"}
_NAMED: Final = frozenset({"record", "error", "enum", "fixed"})


def expanded_types(schema: Any) -> int:
    """Return the number of types in *schema*, including those that take no bytes.

    Errors count as one type: undefined names, and types that contain themselves or are nested too
    deeply.
    """
    return _Counter().count(schema, "", DEFAULT_LIMITS.nesting)


class _Counter:
    """Counts each definition once.

    A name that is defined twice counts with the definition that was known when it was used.
    """

    def __init__(self) -> None:
        self._names = Names()
        self._counts: dict[int, int] = {}

    def count(self, schema: Any, space: str, depth: int) -> int:
        """Return the number of types in *schema*, itself included, in namespace *space*."""
        if depth < 0:
            return 1
        if isinstance(schema, list):
            return 1 + sum(self.count(each, space, depth - 1) for each in schema)
        kind = schema.get("type") if isinstance(schema, dict) else schema
        if isinstance(kind, dict | list):
            return 1 + self.count(kind, space, depth - 1)
        if isinstance(schema, dict) and isinstance(kind, str):
            if kind in _ITEMS:
                return 1 + self.count(schema.get(_ITEMS[kind]), space, depth - 1)
            if kind in _NAMED:
                return self._defined(schema, space, depth)
        known = self._names.find(kind, space)
        return 1 if known is None else 1 + self._counts.get(id(known[0]), 0)

    def _defined(self, schema: dict[str, Any], space: str, depth: int) -> int:
        """Count a type that defines a name."""
        if isinstance(schema.get("name"), str):
            space = self._names.note(schema, space)
        count, fields = 1, schema.get("fields")
        for each in fields if isinstance(fields, list) else ():
            field = each.get("type") if isinstance(each, dict) else each
            count += self.count(field, space, depth - 1)
        self._counts[id(schema)] = count
        return count


@dataclass(frozen=True, slots=True)
class Plain:
    """A value of a type without inner types.

    type    ``null``, ``boolean``, ``int``, ``long``, ``float``, ``double``, ``bytes``, ``string``
            or ``fixed``
    column  -1 for null; bytes and text use two columns, for the place and the length
    said    its other attributes in the schema, such as ``logicalType``
    size    bytes of a ``fixed`` value
    """

    type: str
    column: int
    said: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0

    @property
    def scale(self) -> int | None:
        """The scale of a decimal; None for another type, and for an invalid scale."""
        scale = self.said.get("scale", 0)
        is_decimal = self.said.get("logicalType") == "decimal" and self.type in {"bytes", "fixed"}
        return scale if is_decimal and type(scale) is int and scale >= 0 else None


@dataclass(frozen=True, slots=True)
class Enum:
    """One of some symbols, whose number is in *column*."""

    column: int
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record; *said* are all its attributes in the schema."""

    name: str
    said: Mapping[str, Any]
    node: Node


@dataclass(frozen=True, slots=True)
class Record:
    """The wanted fields of a record, in order."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """One of several branches, whose number is in *column*.

    null      the branch that is null, -1 for none
    branches  each with its label: its type, or its name without the namespace
    """

    column: int
    null: int
    branches: tuple[tuple[str, Node], ...]

    @property
    def is_optional(self) -> bool:
        """Whether it has no more than one branch besides null."""
        return len(self.branches) - (self.null >= 0) <= 1


@dataclass(frozen=True, slots=True)
class Lists:
    """An array or a map, whose items have rows of their own.

    number  of the list in its program; its rows are those of level *number* + 1
    column  has the first item of each list; the column after it has the end
    keys    the text of a map's keys; None for an array
    said    its attributes in the schema
    """

    number: int
    column: int
    keys: Plain | None
    items: Node
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Items:
    """An array decoded in one step: numbers, pairs of them, or pairs of a number and bytes.

    number  as in `Lists`; all arrays that are decoded in one step share their rows
    column  as in `Lists`
    kind    the types of an item: ``number``, ``number number`` or ``number bytes``
    keys    column of the first value of a pair; the second is in the column after it; bytes are
            one word: the place in the upper 32 bits, the length in the lower
    """

    number: int
    column: int
    kind: str
    keys: int


@dataclass(frozen=True, slots=True)
class Slots:
    """An array of pairs of a key and a value, of which the values of some keys are kept.

    kind    as in `Items`
    column  the first of the slots' columns, one for each kept key: numbers, or where bytes begin
    sizes   the first of the columns with the lengths of bytes; -1 for numbers
    """

    kind: str
    column: int
    sizes: int = -1


Node: TypeAlias = "Plain | Enum | Record | Union | Lists | Items | Slots"

NO_FIELDS = Record(())


@dataclass(frozen=True, slots=True)
class Frame:
    """The parts of a program that all its runs have in common.

    steps     in the form that the loop takes, except for the words below
    cells     the words to fill with the starts of columns, and the columns
    strides   the words to fill with the distances of slots, and the levels
    branches  the steps at which the branches of unions begin
    """

    steps: NDArray[np.int64]
    cells: NDArray[np.int64]
    columns: NDArray[np.int64]
    strides: NDArray[np.int64]
    levels: NDArray[np.int64]
    branches: NDArray[np.int64]


@dataclass(slots=True)
class Program:
    """A schema compiled to steps; see `byteloom.kernels.avro_columns`.

    code    the steps, five numbers each
    jumps   where the branches of unions begin
    bodies  where the items of each list begin
    levels  of each column: 0 if it has a row for each value, n + 1 for each item of list n
    names   the field that each step reads
    fills   for each column, the value of an empty row; None if no row can be empty
    least   least bytes of a value, or of a record of a block
    fixed   whether there are ``fixed`` values without a logical type
    root    the node of the whole value, from which Arrow arrays are built
    frame   the parts that its runs have in common, once it has run
    """

    code: list[list[int]] = field(default_factory=list)
    jumps: list[int] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    fills: list[int | None] = field(default_factory=list)
    least: int = 0
    fixed: bool = False
    root: Node = NO_FIELDS
    frame: Frame | None = None
