"""What a table spec says, checked: the only thing templates see."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DocumentSpec", "JsonFieldSpec", "JsonKind", "JsonObjectSpec"]


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
