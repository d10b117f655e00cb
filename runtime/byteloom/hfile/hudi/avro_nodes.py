"""What a program of Avro's types consists of: steps, and what to build of the columns they fill.

Source: https://avro.apache.org/docs/1.12.0/specification/
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Enum", "Lists", "Node", "Plain", "Program", "Record", "Union"]


@dataclass(frozen=True, slots=True)
class Plain:
    """A value of a type that holds no others; *size* is that of a fixed one."""

    type: str
    column: int
    size: int = 0


@dataclass(frozen=True, slots=True)
class Enum:
    """One of some symbols."""

    column: int
    symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """Fields by name; those that nobody asked for are missing."""

    fields: dict[str, Node]


@dataclass(frozen=True, slots=True)
class Union:
    """One of several: *null* is the branch that is null, -1 for none."""

    column: int
    null: int
    branches: tuple[tuple[str, Node], ...]


@dataclass(frozen=True, slots=True)
class Lists:
    """An array, or a map where *keys* are its text; *column* and the next: first item, and end."""

    number: int
    column: int
    keys: Plain | None
    items: Node


Node: TypeAlias = "Plain | Enum | Record | Union | Lists"


@dataclass(slots=True)
class Program:
    """A schema, ready to be run.

    code    the steps, five numbers each
    jumps   where the branches of unions begin
    bodies  where the items of each list begin
    levels  of each column
    names   of the field that each step reads
    root    what there is to build from the columns
    """

    code: list[list[int]] = field(default_factory=list)
    jumps: list[int] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    root: Node = field(default_factory=lambda: Record({}))

    def arrays(self) -> tuple[NDArray[np.int64], ...]:
        """Return code, jumps, bodies and levels as a kernel takes them."""
        parts = (self.code, self.jumps or [0], self.bodies or [0], self.levels or [0])
        return tuple(np.array(part, np.int64).ravel() for part in parts)
