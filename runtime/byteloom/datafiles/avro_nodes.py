"""What to build from the columns that an Avro schema's program fills, as Arrow types.

Source: Apache Avro specification, "Schema Declaration".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.avro import nodes as avro

__all__ = ["Items", "Leaf", "Node", "Nullable", "Program", "Record"]


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
