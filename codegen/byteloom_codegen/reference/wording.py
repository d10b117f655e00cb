"""Types, sizes and rules of a field in words, with KSY text where the spec has an expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom_codegen.expressions import Node
from byteloom_codegen.model import (
    ArrayType,
    BitsType,
    BoolType,
    BytesType,
    ContentsType,
    DataType,
    Delimiting,
    EnumSpec,
    EnumType,
    Field,
    FloatType,
    IntType,
    IoType,
    OpaqueType,
    Process,
    StrType,
    StructType,
    SwitchType,
    TypeSpec,
    UserType,
    Valid,
    ValidKind,
    ValueInstance,
)
from byteloom_codegen.python.sizes import fixed_bytes, least_bytes, value_size
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom_codegen.expressions import Expression

__all__ = ["Word", "Words", "call", "plain", "rules", "size_words", "stored"]


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of a phrase: plain, code, or the name of a type or an enum of some spec."""

    text: str
    code: bool = False
    target: TypeSpec | EnumSpec | None = None


Words: TypeAlias = tuple[Word, ...]


def _code(text: str) -> Word:
    return Word(text, code=True)


def plain(words: Words) -> str:
    """Return a phrase without its markup."""
    return "".join(word.text for word in words)


def call(name: str, args: Sequence[Expression]) -> str:
    """Return a name with its arguments, if there are any."""
    return f"{name}({', '.join(map(unparse, args))})" if args else name


def _hex(data: bytes) -> str:
    return data.hex(" ")


# Types


def stored(type_: DataType) -> Words:
    """Return how a value of *type_* is stored, or what kind of value it is."""
    match type_:
        case IntType(signed=signed, width=width, endian=endian):
            return (_code(f"{'s' if signed else 'u'}{width}{endian or ''}"),) if width else _INTEGER
        case FloatType(width=width, endian=endian):
            return (_code(f"f{width}{endian or ''}"),) if width else (Word("number"),)
        case BitsType(width=width, endian=endian):
            return (Word(f"{width} bit{'s' if width > 1 else ''}, {_FIRST[endian]} first"),)
        case EnumType(enum=enum, base=base):
            return (*stored(base), Word(" as "), Word(enum.name, target=enum))
        case ContentsType(contents=contents):
            return (Word("always "), _code(_hex(contents)), *_as_text(contents))
        case StrType(encoding=encoding):
            return (Word(f"text in {encoding}" if encoding else "text"),)
        case UserType(type=spec, args=args):
            return (Word(spec.name, target=spec), *_arguments(args))
        case OpaqueType(name=name, args=args):
            return (_code(call("::".join(name), args)), Word(" (described elsewhere)"))
        case SwitchType(on=on, cases=cases):
            chosen = [_case(case.on, case.type) for case in cases]
            return (Word("by "), _code(unparse(on)), Word(": "), *_joined(chosen, "; "))
        case ArrayType(element=element):
            return (Word("list of "), *stored(element))
    return (Word(_PLAIN.get(type(type_), "anything")),)


_INTEGER: Final = (Word("integer"),)
_FIRST: Final = {"le": "lowest", "be": "highest"}
_PLAIN: Final[dict[type[Any], str]] = {
    BytesType: "bytes", BoolType: "true or false", IoType: "stream", StructType: "record",
}  # fmt: skip


def _as_text(data: bytes) -> Words:
    text = data.decode("ascii", errors="replace")
    return (Word(f' ("{text}")'),) if text.isascii() and text.isprintable() else ()


def _arguments(args: Sequence[Expression]) -> Words:
    return (Word(" given "), _code(", ".join(map(unparse, args)))) if args else ()


def _case(on: Expression | None, type_: DataType) -> Words:
    head = Word("otherwise ") if on is None else _code(unparse(on))
    return (head, *([] if on is None else [Word(" ")]), *stored(type_))


def _joined(phrases: list[Words], between: str) -> Iterator[Word]:
    for number, phrase in enumerate(phrases):
        if number:
            yield Word(between)
        yield from phrase


# Sizes


def size_words(field: Field) -> Words:
    """Return the bytes that *field* takes; empty where its type says it all."""
    each = _element_size(field.type)
    if field.repeat is None:
        return each
    if field.repeat.kind != "expr" or field.repeat.expression is None or not each:
        return ()
    count = _factor(unparse(field.repeat.expression))
    return (*each[:-1], Word(_factor(each[-1].text), each[-1].code), Word(_TIMES), _code(count))


def _factor(text: str) -> str:
    return (
        text if text.replace("_", "").replace(".", "").isalnum() or " " not in text else f"({text})"
    )


def _element_size(type_: DataType) -> Words:
    if isinstance(type_, BitsType) or (
        isinstance(type_, EnumType) and isinstance(type_.base, BitsType)
    ):
        bits = value_size(type_).least
        return (Word(f"{bits} bit{'s' if bits > 1 else ''}"),)
    size = fixed_bytes(value_size(type_))
    if size is not None:
        return (Word(str(size)),)
    if isinstance(type_, SwitchType):
        return _size_of_cases(type_)
    match getattr(type_, "delimiting", None):
        case Delimiting(size=Node() as expression):
            return (_code(unparse(expression)),)
        case Delimiting(size_eos=True):
            return (Word("to the end"),)
        case Delimiting(terminator=bytes(terminator)):
            return (Word("up to "), _code(_hex(terminator)))
    return ()


def _size_of_cases(type_: SwitchType) -> Words:
    """Return the sizes that the types of a switch have, or the one that all of them are given."""
    each = [_element_size(case.type) for case in type_.cases]
    without = not any(case.on is None for case in type_.cases)  # no case may be met
    if each[0] and not without and all(words == each[0] for words in each):
        return each[0]
    sizes = [value_size(case.type) for case in type_.cases]
    known = {least_bytes(size) for size in sizes}
    if any(fixed_bytes(size) is None for size in sizes):
        least = f"{min(known)} or more"
        return (Word(f"{least}, or 0" if without and min(known) else least),)
    *others, last = map(str, sorted(known | ({0} if without else set())))
    return (Word(f"{', '.join(others)} or {last}" if others else last),)


_TIMES: Final = " × "  # noqa: RUF001  (a multiplication sign is meant)


# Rules


def rules(member: Field | ValueInstance) -> list[Words]:
    """Return the rules for *member* apart from its type, a phrase for each rule."""
    found: list[Words] = []
    if member.condition is not None:
        found.append((Word("only if "), _code(unparse(member.condition))))
    if isinstance(member, Field):
        found += _repetition(member)
        found += _ending(getattr(member.type, "delimiting", None))
        found += _processing(getattr(member.type, "process", None))
    if member.valid is not None:
        found.append(_validity(member.valid))
    return found + [_extension(key, value) for key, value in sorted(member.loom.items())]


def _repetition(field: Field) -> Iterator[Words]:
    match field.repeat:
        case None:
            return
        case repeat if repeat.expression is None:
            yield (Word("repeated to the end"),)
        case repeat if repeat.kind == "expr":
            yield (Word("repeated "), _code(unparse(repeat.expression)), Word(" times"))
        case repeat:
            yield (Word("repeated until "), _code(unparse(repeat.expression)))


def _ending(delimiting: Delimiting | None) -> Iterator[Words]:
    if delimiting is None:
        return
    if delimiting.pad_right is not None:
        yield (Word("padded on the right with "), _code(f"{delimiting.pad_right:02x}"))
    if delimiting.terminator is None:
        return
    inside = delimiting.size is not None or delimiting.size_eos
    if inside:
        yield (Word("ends at "), _code(_hex(delimiting.terminator)), Word(" if that comes first"))
    if delimiting.include:
        yield (Word("the terminator is part of the value"),)
    if not delimiting.consume:
        yield (Word("the terminator is left for the next field"),)
    if not delimiting.eos_error and not inside:
        yield (Word("the terminator may be missing at the end"),)


def _processing(process: Process | None) -> Iterator[Words]:
    if process is not None:
        yield (Word("decoded by "), _code(call(process.name, process.args)))


def _validity(valid: Valid) -> Words:
    values = [(_code(unparse(value)),) for value in valid.values]
    if valid.kind is ValidKind.RANGE:
        bounds = [("at least ", valid.minimum), ("at most ", valid.maximum)]
        limits: list[Words] = [
            (Word(how), _code(unparse(end))) for how, end in bounds if end is not None
        ]
        return tuple(_joined(limits, ", "))
    if valid.kind is ValidKind.IN_ENUM:
        return (Word("only values that the enum names"),)
    head = {ValidKind.EQ: "always ", ValidKind.ANY_OF: "one of "}.get(valid.kind, "such that ")
    return (Word(head), *_joined(list(values), ", "))


def _extension(key: str, value: Any) -> Words:
    said = _code(_yaml(value))
    match key:
        case "default":
            return (said, Word(" by default"))
        case "derive":
            return (Word("writers put "), said)
        case "crc":
            first, last = value["over"]
            span = [_code(first)] if first == last else [_code(first), Word(" to "), _code(last)]
            return (Word(f"{value['algorithm']} of "), *span)
        case "since":
            return (Word("since version "), said)
        case "until":
            return (Word("until version "), said)
    return (Word(f"{key} "), said)


def _yaml(value: Any) -> str:
    match value:
        case Node():
            return unparse(value)  # type: ignore[arg-type]  # the expressions are all the nodes there are
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case dict():
            return ", ".join(f"{key}: {_yaml(each)}" for key, each in value.items())
        case list() | tuple():
            return f"[{', '.join(map(_yaml, value))}]"
    return str(value)
