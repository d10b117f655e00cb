"""What a program of an Avro schema consists of: steps, and how the columns hang together they fill.

Source: https://avro.apache.org/docs/1.12.0/specification/#schema-declaration
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["NO_FIELDS", "Enum", "Field", "Lists", "Node", "Plain", "Program", "Record", "Union"]


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


Node: TypeAlias = "Plain | Enum | Record | Union | Lists"

NO_FIELDS = Record(())


@dataclass(slots=True)
class Program:
    """A schema, ready to be run; see `byteloom.kernels.avro_columns`.

    code    the steps, five numbers each
    jumps   where the branches of unions begin
    bodies  where the items of each list begin
    levels  of each column: 0 for a row a value, n + 1 for a row an item of list n
    names   of the field that each step reads
    root    what there is to build from the columns
    """

    code: list[list[int]] = field(default_factory=list)
    jumps: list[int] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    root: Node = NO_FIELDS

    def arrays(self) -> tuple[NDArray[np.int64], ...]:
        """Return code, jumps, bodies and levels as a kernel takes them."""
        parts = (self.code, self.jumps or [0], self.bodies or [0], self.levels or [0])
        return tuple(np.array(part, np.int64).ravel() for part in parts)
