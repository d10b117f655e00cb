"""The rows of a page's tables: one for each field, instance and parameter of a type.

A row has the rules of its field in words: when it is present, how often, which values are valid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.expressions import Node
from byteloom_codegen.model import (
    Delimiting,
    EnumType,
    Field,
    Instance,
    IntType,
    Param,
    Process,
    Valid,
    ValidKind,
    ValueInstance,
)
from byteloom_codegen.reference.idioms import bits_of_mask
from byteloom_codegen.reference.phrases import ELEMENT, condition, explained, formula, phrase
from byteloom_codegen.reference.places import Place, bits_within, size_words
from byteloom_codegen.reference.prose import (
    Block,
    Line,
    Words,
    blocks,
    code,
    in_words,
    joined,
    spans,
)
from byteloom_codegen.reference.stream_names import stream_name
from byteloom_codegen.reference.wording import BYTE_ORDER, call, named_by, stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import DataType, TypeSpec
    from byteloom_codegen.reference.roles import Roles

__all__ = [
    "Row",
    "bytes_text",
    "computed_row",
    "elsewhere_row",
    "field_row",
    "param_row",
    "rules",
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


def rules(member: Field | ValueInstance, spec: TypeSpec) -> list[Words]:
    """Return the rules for *member* of *spec* apart from its type, a phrase for each rule."""
    found: list[Words] = []
    if member.condition is not None:
        found.append(in_words("only if ", condition(member.condition, spec)))
    if isinstance(member, Field):
        found += _repetition(member, spec)
        found += _ending(getattr(member.type, "delimiting", None))
        found += _processing(getattr(member.type, "process", None), spec)
    if member.valid is not None:
        found.append(_validity(member.valid, spec))
    is_fixed = member.valid is not None and member.valid.kind is ValidKind.EQ
    for key, value in sorted(member.loom.items()):
        if key not in _OURS and not (key == "default" and is_fixed):
            found.append(_extension(key, value, spec))
    return list(dict.fromkeys(found))


_OURS: Final = frozenset({"arrow", "column", "doc-clause", "varint"})
"""The keys that say nothing about the format."""


def _repetition(field: Field, spec: TypeSpec) -> Iterator[Words]:
    match field.repeat:
        case None:
            return
        case repeat if repeat.expression is None:
            yield in_words("repeated to the end of ", stream_name(spec))
        case repeat if repeat.kind == "expr":
            count = explained(repeat.expression, spec)
            few = len(count) == 1
            if few:
                yield in_words("repeated ", count, " times")
            else:
                yield in_words("repeated; how often: ", count)
        case repeat:
            until = condition(repeat.expression, spec, ELEMENT)
            yield in_words("repeated until ", until, "; that element is the last")


def _ending(delimiting: Delimiting | None) -> Iterator[Words]:
    if delimiting is None:
        return
    if delimiting.pad_right is not None:
        pad = code(f"{delimiting.pad_right:02x}")
        yield in_words("filled up on the right with ", pad, ", which is not part of the value")
    if delimiting.terminator is None:
        return
    inside = delimiting.size is not None or delimiting.size_eos
    if inside:
        end = code(delimiting.terminator.hex(" "))
        yield in_words("the value ends at the first ", end, ", if there is one in these bytes")
    if delimiting.include:
        yield in_words("the terminator is part of the value")
    else:
        yield in_words("the terminator is not part of the value")
    if not delimiting.consume and not inside:
        yield in_words("the next field begins at the terminator")
    if not delimiting.eos_error and not inside:
        yield in_words("the terminator may be missing at the end")


def _processing(process: Process | None, spec: TypeSpec) -> Iterator[Words]:
    if process is None:
        return
    match process.name, process.args:
        case "zlib", _:
            yield in_words("compressed as a zlib stream (RFC 1950)")
        case "xor", [key]:
            yield in_words("decoded by xor of each byte with ", explained(key, spec))
            yield in_words("a key of several bytes is used again and again")
        case "rol" | "ror" as name, [count]:
            way = "left" if name == "rol" else "right"
            words = in_words(f"decoded by rotating each byte {way} by ", explained(count, spec))
            yield in_words(words, " bits")
        case name, args:
            yield in_words("decoded by ", code(call(name, args)), ", which is described elsewhere")


def _validity(valid: Valid, spec: TypeSpec) -> Words:
    if valid.kind is ValidKind.RANGE:
        bounds = [("at least ", valid.minimum), ("at most ", valid.maximum)]
        limits = [in_words(how, explained(end, spec)) for how, end in bounds if end is not None]
        return tuple(joined(limits, ", "))
    if valid.kind is ValidKind.IN_ENUM:
        return in_words("only values that the enum names")
    if valid.kind is ValidKind.EXPR:
        return in_words("always such that ", condition(valid.values[0], spec))
    values = [explained(value, spec) for value in valid.values]
    head = "always " if valid.kind is ValidKind.EQ else "one of "
    return in_words(head, tuple(joined(values, ", ")))


def _extension(key: str, value: Any, spec: TypeSpec) -> Words:
    said = code(_yaml(value))
    match key, value:
        case "default", _:
            return in_words("writers put ", said, " if they have no other value")
        case "derive", Node():
            return in_words("always ", explained(value, spec))  # type: ignore[arg-type]  # the expressions are all the nodes there are
        case "crc", dict():
            first, last = value["over"]
            span = in_words(code(first))
            if first != last:
                span = in_words(span, " to ", code(last))
            return in_words(f"{value['algorithm']} of the bytes of ", span)
        case "since", _:
            return in_words("since version ", said)
        case "until", _:
            return in_words("until version ", said)
        case "order", int():
            way = "descending" if value < 0 else "ascending"
            return in_words(f"records are sorted by this, {way}: sort key {abs(value)}")
        case "limit", _:
            return in_words("byteloom's limits: ", said)
        case "codec", _:
            return in_words("compressed: ", said)
    return in_words(f"{key} ", said)


def _yaml(value: Any) -> str:
    match value:
        case Node():
            return formula(value)  # type: ignore[arg-type]  # the expressions are all the nodes there are
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case dict():
            return ", ".join(f"{key}: {_yaml(each)}" for key, each in value.items())
        case list() | tuple():
            return f"[{', '.join(map(_yaml, value))}]"
    return str(value)
