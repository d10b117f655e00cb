"""The rows of a page's tables: one for each field, instance and parameter of a type."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import EnumType, Field, Instance, IntType, Param, ValueInstance
from byteloom_codegen.reference.masks import bits_of_mask
from byteloom_codegen.reference.phrases import explained, phrase
from byteloom_codegen.reference.places import Place, bits_within
from byteloom_codegen.reference.prose import Block, Line, blocks, spans
from byteloom_codegen.reference.ruling import rules
from byteloom_codegen.reference.sizing import size_words
from byteloom_codegen.reference.stream_names import stream_name
from byteloom_codegen.reference.wording import BYTE_ORDER, named_by, stored
from byteloom_codegen.reference.words import Words, in_words

if TYPE_CHECKING:
    from byteloom_codegen.model import DataType, TypeSpec
    from byteloom_codegen.reference.roles import Roles

__all__ = [
    "Row",
    "bytes_text",
    "computed_row",
    "elsewhere_row",
    "field_row",
    "param_row",
    "sources",
    "with_role",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A field, instance or parameter; each cell may be empty.

    role  what others follow from it, where the spec has no doc for it
    """

    name: str
    orig_ids: tuple[str, ...]
    at: Words
    size: Words
    form: Words
    rules: list[Words]
    doc: tuple[Block, ...]
    sources: list[Line]
    role: Words = ()

    @property
    def has_meaning(self) -> bool:
        """Whether the spec says what it means."""
        return bool(self.doc or self.sources or self.role)


def param_row(param: Param, spec: TypeSpec) -> Row:
    """Return the row of a parameter of *spec*."""
    return Row(
        name=param.name, orig_ids=(), at=(), size=(), form=_kind(param.type, spec), rules=[],
        doc=blocks(param.doc), sources=sources(param.doc_ref),
    )  # fmt: skip


def _kind(type_: DataType, spec: TypeSpec) -> Words:
    """Return what kind of value a parameter is: it is not stored."""
    if isinstance(type_, IntType) and type_.width is not None:
        kind = "signed" if type_.signed else "unsigned"
        return in_words(f"{kind} integer of {bytes_text(type_.width)}")
    return stored(type_, spec)


def field_row(place: Place, spec: TypeSpec) -> Row:
    """Return the row of a field of *spec*."""
    member = place.field
    at = () if place.at is None else in_words(str(place.at))
    size = size_words(member, spec) if place.width is None else in_words(str(place.width))
    return _row(member, spec, at, size, _stored(place, spec))


def _stored(place: Place, spec: TypeSpec) -> Words:
    """Return how a field is stored; for bits, which bits of which bytes they are."""
    within = bits_within(place)
    if within is None:
        return stored(place.field.type, spec)
    bits = bits_of_mask((1 << within.width) - 1 << within.lowest)
    last = within.first + within.count - 1
    of = f"byte {within.first}"
    type_ = place.field.type
    if within.count > 1:
        of = f"bytes {within.first} to {last} as a {BYTE_ORDER[within.endian]} number"
    if place.at is None:
        of += " of these bits"
    named = named_by(type_.enum) if isinstance(type_, EnumType) else ()
    return in_words(f"{bits} of {of}", named)


def elsewhere_row(member: Instance, spec: TypeSpec) -> Row:
    """Return the row of an instance of *spec* that is stored."""
    stream = stream_name(spec) if member.io is None else phrase(member.io, spec)
    if member.pos is None:
        at = in_words("the position in ", stream, " when it is asked for")
    else:
        at = in_words("from the start of ", stream, ": ", explained(member.pos, spec))
    return _row(member, spec, at, size_words(member, spec), stored(member.type, spec))


def computed_row(member: ValueInstance, spec: TypeSpec) -> Row:
    """Return the row of an instance of *spec* that is computed: its form is the value in words."""
    value = explained(member.value, spec)
    if isinstance(member.type, EnumType):
        value = in_words(value, named_by(member.type.enum))
    return _row(member, spec, (), (), value)


def _row(member: Field | ValueInstance, spec: TypeSpec, at: Words, size: Words, form: Words) -> Row:
    clause = member.loom.get("doc-clause")
    return Row(
        name="" if member.name.startswith("_unnamed") else member.name,
        orig_ids=member.orig_ids,
        at=at,
        size=size,
        form=form,
        rules=rules(member, spec),
        doc=blocks(member.doc),
        sources=sources(member.doc_ref + ((clause,) if clause else ())),
    )


def with_role(row: Row, member: Field | ValueInstance | Param, roles: Roles) -> Row:
    """Return *row* of *member* with what others follow from it, unless it has a doc."""
    return row if row.doc else replace(row, role=roles.of(member))


def sources(references: tuple[str, ...]) -> list[Line]:
    """Return the documents that a spec refers to, a line for each."""
    return [spans(reference) for reference in references]


def bytes_text(count: int) -> str:
    """Return a number of bytes in words."""
    return f"{count} byte" if count == 1 else f"{count} bytes"
