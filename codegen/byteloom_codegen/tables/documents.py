"""Specs of JSON documents: what they say, checked, and how it is loaded from YAML.

All mistakes of a file are reported together; templates see the checked spec alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

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

__all__ = ["DocumentSpec", "JsonFieldSpec", "JsonKind", "JsonObjectSpec", "load_documents"]


@dataclass(frozen=True, slots=True)
class JsonKind:
    """The kind of a JSON value.

    name   ``int``, ``long``, ``string``, ``boolean``, ``uuid``, ``json``, ``list``, ``map`` or the
           name of an object
    inner  the kind of a list's elements or a map's values
    """

    name: str
    inner: JsonKind | None = None
    is_object: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonFieldSpec:
    """One key of an object; `byteloom.documents.json_record.JsonField` says what each means."""

    key: str
    kind: JsonKind
    versions: dict[int, str]
    doc: str
    absent: str | None = None
    empty: str | None = None
    empty_until: int = 0
    values: tuple[str, ...] = ()
    is_relaxed: bool = False


@dataclass(frozen=True, slots=True)
class JsonObjectSpec:
    """One kind of object."""

    name: str
    doc: str
    clause: str
    fields: tuple[JsonFieldSpec, ...]


@dataclass(frozen=True, slots=True)
class DocumentSpec:
    """A spec of JSON documents."""

    file: str
    name: str
    title: str
    doc: str
    doc_ref: str
    objects: tuple[JsonObjectSpec, ...]


SCALARS: Final = ("int", "long", "string", "boolean", "uuid", "json")
_NEEDS: Final = ("required", "optional", "deprecated")
_VERSION: Final = re.compile(r"v([1-9])")
_KEY: Final = re.compile(r"[a-z][a-z0-9-]*")
_WRAPPED: Final = re.compile(r"(list|map)<(.+)>")
_FIELD_KEYS: Final = ("name", "type", "doc", "absent", "empty", "empty-until", "values", "relaxed")


def load_documents(root: Place) -> DocumentSpec:
    """Return the checked spec of JSON documents; `SpecErrors` lists all mistakes."""
    return checked(_documents, root)


def _documents(root: Place, problems: Problems) -> DocumentSpec:
    """The whole file."""
    only(root, ("meta", "objects"), problems)
    meta, objects = needed(root, "meta"), needed(root, "objects")
    only(meta, META_KEYS, problems)
    names = [name for name, _ in objects.pairs()]
    made = [
        problems.attempt(_object, name, place, names, problems) for name, place in objects.pairs()
    ]
    return DocumentSpec(
        file=root.source.file,
        name=matching(needed(meta, "id"), NAME, "a name like table_metadata"),
        title=text_of(meta, "title"),
        doc=text_of(meta, "doc"),
        doc_ref=text_of(meta, "doc-ref"),
        objects=tuple(each for each in made if each is not None),
    )


def _object(name: str, place: Place, names: list[str], problems: Problems) -> JsonObjectSpec:
    """Return the JSON object that *place* describes."""
    if not NAME.fullmatch(name):
        raise place.key_error(f"expected a name like snapshot_reference, got '{name}'")
    only(place, ("doc", "clause", "fields"), problems)
    fields = [
        problems.attempt(_field, each, names, problems) for each in needed(place, "fields").items()
    ]
    found = [each for each in fields if each is not None]
    distinct(place, (each.key for each in found), problems)
    return JsonObjectSpec(name, text_of(place, "doc"), text_of(place, "clause"), tuple(found))


def _field(place: Place, names: list[str], problems: Problems) -> JsonFieldSpec:
    """One key."""
    versions = {}
    for key, value in place.pairs():
        if found := _VERSION.fullmatch(key):
            if value.string() not in _NEEDS:
                raise value.error(f"expected {' | '.join(_NEEDS)}, got {value.found}")
            versions[int(found[1])] = value.string()
        elif key not in _FIELD_KEYS:
            problems.error(value.key_error(f"unknown key '{key}'", one_of(_FIELD_KEYS)))
    if not versions:
        raise place.error("expected a version that has the field", "v1: required")
    absent, empty, values = place.get("absent"), place.get("empty"), place.get("values")
    relaxed, until = place.get("relaxed"), place.get("empty-until")
    return JsonFieldSpec(
        key=matching(needed(place, "name"), _KEY, "a key like snapshot-id"),
        kind=_kind(needed(place, "type"), names),
        versions=versions,
        doc=text_of(place, "doc"),
        absent=absent.text() if absent else None,
        empty=empty.text() if empty else None,
        empty_until=until.integer() if until else 0,
        values=tuple(values.strings()) if values else (),
        is_relaxed=relaxed.boolean() if relaxed else False,
    )


def _kind(place: Place, names: list[str]) -> JsonKind:
    """``list<snapshot>``."""

    def parse_kind(text: str) -> JsonKind:
        if found := _WRAPPED.fullmatch(text):
            return JsonKind(found[1], parse_kind(found[2]))
        if text in SCALARS:
            return JsonKind(text)
        if text in names:
            return JsonKind(text, is_object=True)
        raise place.error(
            f"unknown type '{text}'", one_of((*SCALARS, "list<...>", "map<...>", *names))
        )

    return parse_kind(place.string())
