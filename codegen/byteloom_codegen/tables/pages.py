"""The pages of JSON documents and of rows: the same keys and rows as the code has, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.python.names import camel
from byteloom_codegen.reference.prose import blocks, spans
from byteloom_codegen.reference.table_pages import Section, TablePage, with_links

if TYPE_CHECKING:
    from byteloom_codegen.reference.prose import Line
    from byteloom_codegen.tables.documents import (
        DocumentSpec,
        JsonFieldSpec,
        JsonKind,
        JsonObjectSpec,
    )
    from byteloom_codegen.tables.rows import CodesSpec, RowsSpec, TableSpec

__all__ = ["page_of_documents", "page_of_rows"]


def page_of_rows(spec: RowsSpec, source: str) -> TablePage:
    """Return the page of a spec of rows; *source* is the path that it names."""
    sections = [_section_of_rows(each) for each in spec.tables]
    anchors = {
        # Types of Thrift have names like SchemaElement.
        spelled: each.name
        for each in spec.tables
        for spelled in (each.name, camel(each.name))
    }
    codes = [_section_of_codes(each) for each in spec.enums]
    shown = with_links([*sections, *codes], anchors, _OF_TYPES)
    return TablePage(spec.title, source, blocks(spec.doc), spans(spec.doc_ref), shown)


def page_of_documents(spec: DocumentSpec, source: str) -> TablePage:
    """Return the page of a spec of JSON documents; *source* is the path that it names."""
    sections = [_section_of_object(each) for each in spec.objects]
    shown = with_links(sections, {each.name: each.name for each in spec.objects}, _OF_TYPES)
    return TablePage(spec.title, source, blocks(spec.doc), spans(spec.doc_ref), shown)


_OF_TYPES: Final = "type"
"""The column with the types of values, which may be tables of the same page."""


def _section_of_rows(spec: TableSpec) -> Section:
    """A table of rows."""
    first = spec.record.columns[0].name
    others = [
        each.name
        for each in spec.record.columns[1:]
        if any(row.get(each.name) not in {None, ()} for row in spec.rows)
    ]
    return Section(
        title=spec.name.replace("_", " ").capitalize(),
        anchor=spec.name,
        doc=blocks(spec.doc),
        clause=spec.clause,
        headers=(first, *("meaning" if name == "doc" else name for name in others)),
        rows=tuple(
            (_as_text(row[first]), tuple(spans(_as_text(row.get(name))) for name in others))
            for row in spec.rows
        ),
    )


def _section_of_codes(spec: CodesSpec) -> Section:
    """An enum."""
    return Section(
        title=spec.name.replace("_", " ").capitalize(),
        anchor=spec.name,
        doc=blocks(spec.doc),
        clause=spec.clause,
        headers=("value", "name", "meaning"),
        rows=tuple((str(each.value), (spans(each.name), spans(each.doc))) for each in spec.members),
    )


def _as_text(value: Any) -> str:
    """A value as text."""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _section_of_object(spec: JsonObjectSpec) -> Section:
    """A kind of JSON object."""
    versions = sorted({version for each in spec.fields for version in each.versions})
    return Section(
        title=spec.name.replace("_", " ").capitalize(),
        anchor=spec.name,
        doc=blocks(spec.doc),
        clause=spec.clause,
        headers=("key", "type", *(f"v{version}" for version in versions), "meaning"),
        rows=tuple(_row_of_key(each, versions) for each in spec.fields),
    )


def _row_of_key(spec: JsonFieldSpec, versions: list[int]) -> tuple[str, tuple[Line, ...]]:
    """A key of an object."""
    needs = [spec.versions.get(version, "") for version in versions]
    absent = "" if spec.absent is None else f" Absent means `{spec.absent}`."
    empty = "" if spec.empty is None else f" `{spec.empty}` is read as none."
    values = f" One of {', '.join(f'`{each}`' for each in spec.values)}." if spec.values else ""
    relaxed = " Readers accept its absence." if spec.is_relaxed else ""
    cells = (f"`{_kind(spec.kind)}`", *needs, f"{spec.doc}{values}{absent}{empty}{relaxed}")
    return spec.key, tuple(map(spans, cells))


def _kind(kind: JsonKind) -> str:
    """``list<snapshot>``."""
    return f"{kind.name}<{_kind(kind.inner)}>" if kind.inner else kind.name
