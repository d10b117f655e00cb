"""What a spec of rows says, checked: records, tables of them, and enums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from byteloom_codegen.model import EnumMember

__all__ = ["CodesSpec", "ColumnSpec", "RecordSpec", "RowsSpec", "TableSpec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSpec:
    """One column of a record.

    kind         ``int``, ``string``, ``boolean`` or ``list<...>`` of one of them
    is_optional  rows may leave it out: its value is then None, False or nothing
    is_key       no two rows of a table have the same
    values       all allowed values; empty if any value is allowed
    pattern      a pattern that the whole text of each cell matches; None if any text is allowed
    """

    name: str
    kind: str
    doc: str
    is_optional: bool = False
    is_key: bool = False
    values: tuple[str, ...] = ()
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class RecordSpec:
    """The columns that rows of some tables have."""

    name: str
    doc: str
    columns: tuple[ColumnSpec, ...]


@dataclass(frozen=True, slots=True)
class TableSpec:
    """Rows of one record: each a dict by column name, without the columns that were left out."""

    name: str
    doc: str
    clause: str
    record: RecordSpec
    rows: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class CodesSpec:
    """An enum: the numbers that a field may have, and their names."""

    name: str
    doc: str
    clause: str
    members: tuple[EnumMember, ...]


@dataclass(frozen=True, slots=True)
class RowsSpec:
    """A spec of rows."""

    file: str
    name: str
    title: str
    doc: str
    doc_ref: str
    records: tuple[RecordSpec, ...]
    tables: tuple[TableSpec, ...]
    enums: tuple[CodesSpec, ...]
