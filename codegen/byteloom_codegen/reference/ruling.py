"""The rules of fields in words: when a field is present, how often, and which values are valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.expressions import Node
from byteloom_codegen.model import Delimiting, Field, Process, Valid, ValidKind, ValueInstance
from byteloom_codegen.reference.phrases import ELEMENT, condition, explained, formula
from byteloom_codegen.reference.stream_names import stream_name
from byteloom_codegen.reference.wording import call
from byteloom_codegen.reference.words import Words, code, in_words, joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import TypeSpec

__all__ = ["rules"]


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
