"""A spec of rows becomes a module: dataclasses for records, tuples for tables, and enums."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.python.docs import prose
from byteloom_codegen.python.names import attribute_name, camel, member_name
from byteloom_codegen.python.templates import templates
from byteloom_codegen.python.view import EnumView, Label

if TYPE_CHECKING:
    from byteloom_codegen.tables.rows import (
        CodesSpec,
        ColumnSpec,
        RecordSpec,
        RowsSpec,
        TableSpec,
    )

__all__ = ["emit_rows"]

_PYTHON: Final = {"int": "int", "string": "str", "boolean": "bool"}


@dataclass(frozen=True, slots=True)
class _ColumnView:
    """A column as the template prints it."""

    declared: str
    doc: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _RecordView:
    """A record as the template prints it."""

    name: str
    doc: tuple[str, ...]
    columns: tuple[_ColumnView, ...]


@dataclass(frozen=True, slots=True)
class _TableView:
    """A table as the template prints it."""

    name: str
    assigned: str
    doc: tuple[str, ...]


def emit_rows(spec: RowsSpec, source: str) -> str:
    """Return the module of *spec*; *source* is the path that its header names."""
    records, tables = (
        [_record(each) for each in spec.records],
        [_table(each, spec) for each in spec.tables],
    )
    enums = [_enum(each, spec) for each in spec.enums]
    classes = sorted([*(each.name for each in records), *(each.name for each in enums)])
    text = (
        templates()
        .get_template("rows.py.jinja")
        .render(
            source=source,
            doc=(*prose(spec.doc), "", f"Source: {spec.doc_ref}"),
            records=records,
            tables=tables,
            enums=enums,
            exports=[*sorted(each.name for each in tables), *classes],
        )
    )
    return text.rstrip() + "\n"


def _record(spec: RecordSpec) -> _RecordView:
    """One record; columns that must be given come first, as in its rows."""
    ordered = sorted(spec.columns, key=lambda each: each.is_optional)
    columns = tuple(_ColumnView(_declared(each), tuple(prose(each.doc))) for each in ordered)
    return _RecordView(camel(spec.name), tuple(prose(spec.doc)), columns)


def _declared(spec: ColumnSpec) -> str:
    """The line of the dataclass."""
    name = _attribute(spec.name)
    if spec.kind.startswith("list<"):
        inner = _PYTHON[spec.kind.removeprefix("list<").removesuffix(">")]
        return f"{name}: tuple[{inner}, ...]" + (" = ()" if spec.is_optional else "")
    python = _PYTHON[spec.kind]
    if not spec.is_optional:
        return f"{name}: {python}"
    return f"{name}: bool = False" if python == "bool" else f"{name}: {python} | None = None"


def _table(spec: TableSpec, document: RowsSpec) -> _TableView:
    """Return one table as the template shows it."""
    rows = ", ".join(_row(each, spec.record) for each in spec.rows)
    name = spec.name.upper()
    return _TableView(
        name=name,
        assigned=f"{name}: Final = ({rows},)",
        doc=(*prose(spec.doc), "", f'Source: {document.doc_ref} "{spec.clause}"'),
    )


def _enum(spec: CodesSpec, document: RowsSpec) -> EnumView:
    """Return one enum as the template shows it."""
    return EnumView(
        name=camel(spec.name),
        doc=(*prose(spec.doc), "", f'Source: {document.doc_ref} "{spec.clause}"'),
        labels=[
            Label(
                name=member_name(each.name),
                value=str(each.value),
                doc=tuple(prose(each.doc)) if each.doc else (),
            )
            for each in spec.members
        ],
    )


def _row(row: dict[str, Any], record: RecordSpec) -> str:
    """The call that makes a row."""
    given = [each.name for each in record.columns if each.name in row]
    arguments = [f"{_attribute(name)}={_literal(row[name])}" for name in given]
    return f"{camel(record.name)}({', '.join(arguments)})"


def _literal(value: Any) -> str:
    """A value as Python spells it, in double quotes."""
    if isinstance(value, tuple):
        inner = ", ".join(map(_literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if not isinstance(value, str):
        return repr(value)
    quoted = json.dumps(value, ensure_ascii=False)
    return repr(value) if '"' in value and "'" not in value else quoted


def _attribute(name: str) -> str:
    """The Python name of a column."""
    return attribute_name(name.replace("-", "_"))
