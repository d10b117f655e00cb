"""A table spec becomes the text of a Python module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.python.docs import prose
from byteloom_codegen.python.names import attribute_name, camel
from byteloom_codegen.python.templates import templates

if TYPE_CHECKING:
    from byteloom_codegen.tables.documents import (
        DocumentSpec,
        JsonFieldSpec,
        JsonKind,
        JsonObjectSpec,
    )

__all__ = ["emit_documents"]

_PYTHON: Final = {
    "int": "int",
    "long": "int",
    "string": "str",
    "boolean": "bool",
    "uuid": "UUID",
    "json": "Any",
}


@dataclass(frozen=True, slots=True)
class _FieldView:
    """A field as the template prints it."""

    declared: str
    doc: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _RecordView:
    """An object as the template prints it."""

    name: str
    label: str
    doc: tuple[str, ...]
    fields: tuple[_FieldView, ...]
    table: tuple[str, ...]


def emit_documents(spec: DocumentSpec, source: str) -> str:
    """Return the module of *spec*; *source* is the path that its header names."""
    records = [_record(each, spec) for each in spec.objects]
    kinds = [each.kind for record in spec.objects for each in record.fields]
    names = {name for kind in kinds for name in _names(kind)}
    text = (
        templates()
        .get_template("documents.py.jinja")
        .render(
            source=source,
            doc=(*prose(spec.doc), "", f"Source: {spec.doc_ref}"),
            records=records,
            exports=sorted(each.name for each in records),
            has_any="json" in names,
            has_uuid="uuid" in names,
            has_record=any(map(_has_object, kinds)),
            kinds=sorted(
                {"scalar"}
                | ({"list_of"} if "list" in names else set())
                | ({"map_of"} if "map" in names else set())
            ),
        )
    )
    return text.rstrip() + "\n"


def _record(spec: JsonObjectSpec, document: DocumentSpec) -> _RecordView:
    """One object."""
    ordered = sorted(spec.fields, key=lambda each: not _is_always(each, document))
    return _RecordView(
        name=camel(spec.name),
        label=spec.name.replace("_", "-"),
        doc=(*prose(spec.doc), "", f'Source: {document.doc_ref} "{spec.clause}"'),
        fields=tuple(_field(each, document) for each in ordered),
        table=tuple(_table(_attribute(each), each) for each in spec.fields),
    )


def _field(spec: JsonFieldSpec, document: DocumentSpec) -> _FieldView:
    """One field."""
    return _FieldView(
        declared=_declared(_attribute(spec), spec, document),
        doc=tuple(prose(f"{spec.doc} {_version_needs(spec)}")),
    )


def _attribute(spec: JsonFieldSpec) -> str:
    """The Python name of a key."""
    return attribute_name(spec.key.replace("-", "_"))


def _is_always(spec: JsonFieldSpec, document: DocumentSpec) -> bool:
    """Whether every version requires it."""
    versions = {v for each in document.objects for f in each.fields for v in f.versions}
    is_required = all(spec.versions.get(version) == "required" for version in versions)
    return is_required and not spec.is_relaxed and spec.kind.name not in {"list", "map"}


def _declared(attribute: str, spec: JsonFieldSpec, document: DocumentSpec) -> str:
    """The line of the dataclass."""
    python = _annotation(spec.kind)
    if _is_always(spec, document):
        return f"{attribute}: {python}"
    if spec.kind.name in {"list", "map"}:
        factory = "list" if spec.kind.name == "list" else "dict"
        return f"{attribute}: {python} = field(default_factory={factory})"
    if spec.absent is not None:
        return f"{attribute}: {python} = {spec.absent}"
    return f"{attribute}: {python if python == 'Any' else f'{python} | None'} = None"


def _table(attribute: str, spec: JsonFieldSpec) -> str:
    """The entry of the table of fields."""
    required = tuple(v for v, need in spec.versions.items() if need == "required")
    parts = [
        f'key="{spec.key}"',
        f'attribute="{attribute}"',
        f"kind={_kind(spec.kind)}",
        f"versions={_tuple(tuple(spec.versions))}",
    ]
    parts += [f"required={_tuple(required)}"] if required else []
    parts += ["is_relaxed=True"] if spec.is_relaxed else []
    parts += [f"absent={spec.absent}"] if spec.absent is not None else []
    parts += [f"none={spec.empty}"] if spec.empty is not None else []
    parts += [f"none_until={spec.empty_until}"] if spec.empty_until else []
    if spec.values:
        words = ", ".join(f'"{each}"' for each in spec.values)
        parts.append(f"values=({words}{',' if len(spec.values) == 1 else ''})")
    return f"JsonField({', '.join(parts)})"


def _tuple(numbers: tuple[int, ...]) -> str:
    """``(1, 2)``."""
    return f"({numbers[0]},)" if len(numbers) == 1 else f"({', '.join(map(str, numbers))})"


def _version_needs(spec: JsonFieldSpec) -> str:
    """The versions in which a field is required or optional, in words."""
    needs = [f"v{version} {need}" for version, need in spec.versions.items()]
    return f"({', '.join(needs)})"


def _annotation(kind: JsonKind) -> str:
    """The Python type."""
    if kind.inner is not None:
        inner = _annotation(kind.inner)
        return f"list[{inner}]" if kind.name == "list" else f"dict[str, {inner}]"
    return camel(kind.name) if kind.is_object else _PYTHON[kind.name]


def _kind(kind: JsonKind) -> str:
    """The expression that makes a `Kind`."""
    if kind.inner is not None:
        return f"{kind.name}_of({_kind(kind.inner)})"
    if kind.is_object:
        return f"record_of(lambda: {camel(kind.name)})"
    return f'scalar("{kind.name}")'


def _names(kind: JsonKind) -> set[str]:
    """The kinds in a kind."""
    return {kind.name} | (_names(kind.inner) if kind.inner else set())


def _has_object(kind: JsonKind) -> bool:
    """Whether it holds a record."""
    return kind.is_object or (kind.inner is not None and _has_object(kind.inner))
