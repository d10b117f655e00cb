"""Types in words: how a value of a type is stored, or what kind of value it is.

A number of an enum may be a word itself: ``0x44415441`` is stored as ``DATA``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from byteloom_codegen.model import (
    ArrayType,
    BitsType,
    BoolType,
    BytesType,
    ContentsType,
    DataType,
    EnumType,
    FloatType,
    IntType,
    IoType,
    OpaqueType,
    StrType,
    StructType,
    SwitchType,
    UserType,
)
from byteloom_codegen.python.sizes import literal
from byteloom_codegen.reference.phrases import explained, phrase
from byteloom_codegen.reference.prose import NEW_LINE, Word, Words, code, in_words, joined
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import Case, EnumSpec, TypeSpec

__all__ = ["BYTE_ORDER", "call", "in_short", "named_by", "stored", "texts_of"]


BYTE_ORDER: Final = {"le": "little-endian", "be": "big-endian"}
_TWO_DIGITS: Final = 10
_FIRST: Final = {"le": "lowest", "be": "highest"}
_PLAIN: Final[dict[type[Any], str]] = {
    BytesType: "bytes", BoolType: "true or false", IoType: "stream", StructType: "record",
}  # fmt: skip


def call(name: str, args: Sequence[Expression]) -> str:
    """Return a name with its arguments, if there are any."""
    return f"{name}({', '.join(map(unparse, args))})" if args else name


def in_short(type_: DataType) -> str:
    """Return how a value of *type_* is stored, in few letters, for a drawing."""
    match type_:
        case IntType(signed=signed, width=int(width), endian=endian):
            return f"{'s' if signed else 'u'}{width}{endian or ''}"
        case FloatType(width=int(width), endian=endian):
            return f"f{width}{endian or ''}"
        case IntType() | FloatType():
            return "integer" if isinstance(type_, IntType) else "number"
        case BitsType(width=width, endian=endian):
            return f"{width} bits, {_FIRST[endian]} first" if width > 1 else "1 bit"
        case EnumType(enum=enum, base=base):
            return f"{in_short(base)} as {enum.name}"
        case ContentsType(contents=contents):
            return f"always {contents.hex(' ')}{_as_text(contents)}"
        case StrType(encoding=encoding):
            return f"text in {encoding}" if encoding else "text"
        case UserType(type=spec):
            return spec.name
        case OpaqueType(name=name):
            return "::".join(name)
        case SwitchType():
            return "one of several"
        case ArrayType(element=element):
            return f"list of {in_short(element)}"
    return _PLAIN.get(type(type_), "anything")


def named_by(enum: EnumSpec) -> Words:
    """Return the words after a number for the enum that names it."""
    return in_words(", a value of ", Word(enum.name, target=enum))


def stored(type_: DataType, spec: TypeSpec) -> Words:
    """Return how a value of *type_* is stored as a member of *spec*."""
    match type_:
        case IntType(width=int()) | FloatType(width=int()):
            return in_words(code(in_short(type_)), " ", _number(type_))
        case BitsType(width=width, endian=endian):
            order = f", the {_FIRST[endian]} first" if width > 1 else ""
            return in_words(f"{width} bit{'s' if width > 1 else ''}{order}")
        case EnumType(enum=enum, base=base):
            return in_words(stored(base, spec), named_by(enum))
        case ContentsType(contents=contents):
            return in_words("always ", code(contents.hex(" ")), _as_text(contents))
        case UserType():
            return in_words(_record(type_, spec), _INSIDE if _is_inside(type_) else "")
        case OpaqueType(name=name, args=args):
            return in_words(code(call("::".join(name), args)), " (described elsewhere)")
        case SwitchType(on=on, cases=cases):
            inside = _INSIDE if any(_is_inside(case.type) for case in cases) else ""
            rows = [
                in_words("depends on ", explained(on, spec), f"{inside}:"),
                *_cases(cases, spec),
            ]
            return tuple(joined(rows, NEW_LINE))
        case ArrayType(element=element):
            return in_words("list of ", stored(element, spec))
    return in_words(in_short(type_))


_INSIDE: Final = ", in these bytes alone"


def _is_inside(type_: DataType) -> bool:
    """Whether *type_* is a record that is read from bytes of its own."""
    return isinstance(type_, UserType) and type_.delimiting is not None


def _record(type_: UserType, spec: TypeSpec) -> Words:
    words = in_words(Word(type_.type.name, target=type_.type), _arguments(type_, spec))
    return in_words(words, _parent(type_, spec))


def _number(type_: IntType | FloatType) -> str:
    kind = "IEEE 754"
    if isinstance(type_, IntType):
        kind = "signed" if type_.signed else "unsigned"
    if type_.width == 1:
        return kind
    order = BYTE_ORDER[type_.endian] if type_.endian else "in the byte order of this record"
    return f"{kind}, {order}"


def _as_text(data: bytes) -> str:
    text = data.decode("ascii", errors="replace")
    return f' ("{text}")' if text.isascii() and text.isprintable() else ""


def _arguments(type_: UserType, spec: TypeSpec) -> Words:
    if not type_.args:
        return ()
    given = [
        in_words(code(param.name), " = ", explained(arg, spec))
        for param, arg in zip(type_.type.params, type_.args, strict=False)
    ]
    return in_words(" with ", tuple(joined(given, ", ")))


def _parent(type_: UserType, spec: TypeSpec) -> Words:
    if type_.parent is None or type_.parent is False:
        return ()
    return in_words("; the record that encloses it is ", phrase(type_.parent, spec))


def _cases(cases: Sequence[Case], spec: TypeSpec) -> list[Words]:
    """Return a line for each type of a switch, with all values that choose it."""
    chosen: dict[Words, list[Words]] = {}
    otherwise = in_words("any other: nothing, no bytes")
    for case in cases:
        type_ = case.type
        words = _record(type_, spec) if isinstance(type_, UserType) else stored(type_, spec)
        if case.on is None:
            otherwise = in_words("any other: ", words)
        else:
            chosen.setdefault(words, []).append(_case_value(case.on, spec))
    rows = [in_words(tuple(joined(values, ", ")), ": ", words) for words, values in chosen.items()]
    return [*rows, otherwise]


def _case_value(on: Expression, spec: TypeSpec) -> Words:
    number = literal(on)
    if number is None or -_TWO_DIGITS < number < _TWO_DIGITS:
        return phrase(on, spec)
    return in_words(f"{number} ({number:#x})")


_SHORTEST: Final = 3
"""The least bytes of a number whose letters are taken for a word, not an accident."""


def texts_of(enum: EnumSpec) -> list[str]:
    """Return the letters that each member of *enum* is stored as; none where they are not letters.

    None where fields of its spec store the enum in several ways, or in none.
    """
    forms = set() if enum.owner is None else set(_forms(enum, enum.owner))
    if len(forms) != 1:
        return []
    ((width, endian),) = forms
    if width < _SHORTEST or any(not 0 <= each.value < 1 << 8 * width for each in enum.members):
        return []
    raws = [each.value.to_bytes(width, endian) for each in enum.members]
    if not all(raw.isascii() and raw.decode("ascii").isprintable() for raw in raws):
        return []
    return [raw.decode("ascii") for raw in raws]


def _forms(enum: EnumSpec, owner: TypeSpec) -> Iterator[tuple[int, Literal["big", "little"]]]:
    """Yield the width and the byte order of every field that holds a value of *enum*."""
    for each in owner.spec.top.walk():
        for member in (*each.seq, *each.instances):
            for type_ in _parts(getattr(member, "type", None)):
                if isinstance(type_, EnumType) and type_.enum is enum:
                    base = type_.base
                    if isinstance(base, IntType) and base.width and base.endian in _ORDERS:
                        yield base.width, _ORDERS[base.endian]


_ORDERS: Final[dict[str, Literal["big", "little"]]] = {"be": "big", "le": "little"}


def _parts(type_: DataType | None) -> Iterator[DataType]:
    if isinstance(type_, SwitchType):
        for case in type_.cases:
            yield from _parts(case.type)
    elif isinstance(type_, ArrayType):
        yield from _parts(type_.element)
    elif type_ is not None:
        yield type_
