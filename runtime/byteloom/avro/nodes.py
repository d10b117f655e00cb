"""The parts of a program of an Avro schema: its steps, and how the columns they fill are nested.

Source: https://avro.apache.org/docs/1.12.0/specification/#schema-declaration
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "NO_FIELDS",
    "Enum",
    "Field",
    "Frame",
    "Items",
    "Lists",
    "Node",
    "Plain",
    "Program",
    "Record",
    "Slots",
    "Union",
]


@dataclass(frozen=True, slots=True)
class Plain:
    """A value of a type that holds no others.

    type    ``null``, ``boolean``, ``int``, ``long``, ``float``, ``double``, ``bytes``, ``string``
            or ``fixed``
    column  -1 for null; bytes and text have the next one too: where they begin, and their length
    said    what the schema says beside its type, such as ``logicalType``
    size    of a fixed one, in bytes
    """

    type: str
    column: int
    said: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0


@dataclass(frozen=True, slots=True)
class Enum:
    """One of some symbols: *column* holds which."""

    column: int
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record; *said* is all that the schema says of it."""

    name: str
    said: Mapping[str, Any]
    node: Node


@dataclass(frozen=True, slots=True)
class Record:
    """Fields in their order, those that nobody asked for left out."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """One of several: *column* holds which.

    null      the branch that is null, -1 for none
    branches  each with what it is called: its type, or its name without the namespace
    """

    column: int
    null: int
    branches: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Lists:
    """An array or a map, whose items have rows of their own.

    number  of the list in its program; its rows are those of level *number* + 1
    column  holds the first item of each, the next one the end
    keys    the text of a map's keys; None for an array
    said    what the schema says of it
    """

    number: int
    column: int
    keys: Plain | None
    items: Node
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Items:
    """An array of numbers, of pairs of them, or of pairs of a number and bytes, decoded at once.

    number  as of `Lists`; all that are decoded at once share their rows
    column  as of `Lists`
    kind    the types of an item: ``number``, ``number number`` or ``number bytes``
    keys    the column of the first of a pair, the next one that of the second; bytes are one word,
            their place, 32 bits further up, and their length
    """

    number: int
    column: int
    kind: str
    keys: int


@dataclass(frozen=True, slots=True)
class Slots:
    """An array of pairs of which the second is kept for some values of the first.

    kind    as of `Items`
    column  the first of as many columns as there are slots: the numbers, or where bytes begin
    sizes   the first of the columns of their lengths; -1 for numbers
    """

    kind: str
    column: int
    sizes: int = -1


Node: TypeAlias = "Plain | Enum | Record | Union | Lists | Items | Slots"

NO_FIELDS = Record(())


@dataclass(frozen=True, slots=True)
class Frame:
    """What all runs of a program have in common.

    steps     as the loop takes them, but for
    cells     the words that say where columns begin: those of *columns*
    strides   the words that say how far slots are apart: the rooms of *levels*
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
    """A schema, ready to be run; see `byteloom.kernels.avro_columns`.

    code    the steps, five numbers each
    jumps   where the branches of unions begin
    bodies  where the items of each list begin
    levels  of each column: 0 for a row a value, n + 1 for a row an item of list n
    names   of the field that each step reads
    fills   of each column, the value of an empty row; None if no row can be empty
    least   bytes that a value, or a record of a block, takes at least
    fixed   whether there are fixed values that are not of a logical type
    root    what there is to build from the columns
    frame   what its runs have in common, once it has run
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
