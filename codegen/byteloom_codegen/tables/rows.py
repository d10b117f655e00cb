"""Specs of rows: records, tables of them and enums, checked, and how they are loaded from YAML.

All mistakes of a file are reported together; templates see the checked spec alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.frontend.outline import read_enum
from byteloom_codegen.tables.checks import (
    META_KEYS,
    NAME,
    checked,
    distinct,
    matching,
    needed,
    one_of,
    only,
    text_of,
)

if TYPE_CHECKING:
    from byteloom_codegen.errors import Problems
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.model import EnumMember

__all__ = ["CodesSpec", "ColumnSpec", "RecordSpec", "RowsSpec", "TableSpec", "load_rows"]


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


_SCALARS: Final = ("int", "string", "boolean")
_KINDS: Final = (*_SCALARS, *(f"list<{each}>" for each in _SCALARS))
_COLUMN: Final = re.compile(r"[a-z][a-z0-9-]*")
_COLUMN_KEYS: Final = ("name", "type", "doc", "optional", "key", "values", "pattern")


def load_rows(root: Place) -> RowsSpec:
    """Return the checked spec of rows; `SpecErrors` for all its mistakes."""
    return checked(_spec, root)


def _spec(root: Place, problems: Problems) -> RowsSpec:
    """The whole file."""
    only(root, ("meta", "records", "tables", "enums"), problems)
    meta = needed(root, "meta")
    only(meta, META_KEYS, problems)
    made = [
        problems.attempt(_record, name, place, problems)
        for name, place in needed(root, "records").pairs()
    ]
    problems.raise_if_any()  # rows cannot be checked against invalid columns
    records = {each.name: each for each in made if each is not None}
    tables = [
        problems.attempt(_table, name, place, records, problems)
        for name, place in needed(root, "tables").pairs()
    ]
    enums = root.get("enums")
    codes = [
        problems.attempt(_codes, name, place, problems)
        for name, place in (enums.pairs() if enums else ())
    ]
    return RowsSpec(
        file=root.source.file,
        name=matching(needed(meta, "id"), NAME, "a name like transforms"),
        title=text_of(meta, "title"),
        doc=text_of(meta, "doc"),
        doc_ref=text_of(meta, "doc-ref"),
        records=tuple(records.values()),
        tables=tuple(each for each in tables if each is not None),
        enums=tuple(each for each in codes if each is not None),
    )


def _record(name: str, place: Place, problems: Problems) -> RecordSpec:
    """One kind of row."""
    _named(name, place)
    only(place, ("doc", "columns"), problems)
    made = [problems.attempt(_column, each, problems) for each in needed(place, "columns").items()]
    columns = [each for each in made if each is not None]
    distinct(place, (each.name for each in columns), problems)
    return RecordSpec(name, text_of(place, "doc"), tuple(columns))


def _column(place: Place, problems: Problems) -> ColumnSpec:
    """One column."""
    only(place, _COLUMN_KEYS, problems)
    kind, values = needed(place, "type"), place.get("values")
    if kind.string() not in _KINDS:
        raise kind.error(f"unknown type {kind.found}", one_of(_KINDS))
    optional, key = place.get("optional"), place.get("key")
    pattern = place.get("pattern")
    return ColumnSpec(
        name=matching(needed(place, "name"), _COLUMN, "a name like since-version"),
        kind=kind.string(),
        doc=text_of(place, "doc"),
        is_optional=optional.boolean() if optional else False,
        is_key=key.boolean() if key else False,
        values=tuple(values.strings()) if values else (),
        pattern=_pattern(pattern) if pattern else None,
    )


def _pattern(place: Place) -> str:
    """A regular expression."""
    try:
        return re.compile(place.string()).pattern
    except re.error as error:
        raise place.error(f"expected a regular expression, got {place.found}") from error


def _table(
    name: str, place: Place, records: dict[str, RecordSpec], problems: Problems
) -> TableSpec:
    """One table."""
    _named(name, place)
    only(place, ("doc", "clause", "record", "rows"), problems)
    of = needed(place, "record")
    record = records.get(of.string())
    if record is None:
        raise of.error(f"unknown record {of.found}", one_of(records))
    found = [(each, problems.attempt(_row, each, record)) for each in needed(place, "rows").items()]
    rows = [(where, row) for where, row in found if row is not None]
    for column in record.columns:
        if column.is_key:
            _unique(column, rows, problems)
    return TableSpec(
        name, text_of(place, "doc"), text_of(place, "clause"), record, tuple(r for _, r in rows)
    )


def _codes(name: str, place: Place, problems: Problems) -> CodesSpec:
    """One enum."""
    _named(name, place)
    only(place, ("doc", "clause", "values"), problems)
    values = needed(place, "values")
    for _, value in values.pairs():
        if value.is_map:
            only(value, ("id", "doc"), problems)
    members = read_enum(values, problems)
    return CodesSpec(name, text_of(place, "doc"), text_of(place, "clause"), members)


def _row(place: Place, record: RecordSpec) -> dict[str, Any]:
    """One row."""
    columns = {each.name: each for each in record.columns}
    row: dict[str, Any] = {}
    for name, value in place.pairs():
        if name not in columns:
            raise value.key_error(f"unknown key '{name}'", one_of(columns))
        row[name] = _value(columns[name], value)
    for column in record.columns:
        if not column.is_optional and column.name not in row:
            raise place.error(f"expected key '{column.name}'")
    return row


def _value(column: ColumnSpec, place: Place) -> Any:
    """The value of a column."""
    if column.kind.startswith("list<"):
        kind = column.kind.removeprefix("list<").removesuffix(">")
        return tuple(_scalar(kind, column, each) for each in place.items())
    return _scalar(column.kind, column, place)


def _scalar(kind: str, column: ColumnSpec, place: Place) -> int | str | bool:
    """One value, among the allowed ones."""
    if kind == "int":
        return place.integer()
    if kind == "boolean":
        return place.boolean()
    if column.values and place.string() not in column.values:
        raise place.error(f"expected {' | '.join(column.values)}, got {place.found}")
    text = place.text().strip()
    if column.pattern is not None and not re.fullmatch(column.pattern, text):
        raise place.error(f"expected text like {column.pattern}, got {place.found}")
    return text


def _unique(
    column: ColumnSpec, rows: list[tuple[Place, dict[str, Any]]], problems: Problems
) -> None:
    """Note every row whose key came before."""
    seen: set[Any] = set()
    for place, row in rows:
        value = row.get(column.name)
        if value is not None and value in seen:
            problems.error(place.error(f"two rows with the {column.name} {value!r}"))
        seen.add(value)


def _named(name: str, place: Place) -> None:
    """Refuse a name that is not valid in Python."""
    if not NAME.fullmatch(name):
        raise place.key_error(f"expected a name like manifest_field, got '{name}'")
