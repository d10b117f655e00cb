"""The legend of a page: the meaning of the words that it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import (
    BitsType,
    ContentsType,
    EnumType,
    Field,
    FloatType,
    Instance,
    IntType,
    StrType,
    SwitchType,
    UserType,
    ValueInstance,
)
from byteloom_codegen.python.uses import expressions_of, user_types
from byteloom_codegen.reference.masks import selected
from byteloom_codegen.reference.prose import Line, spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import DataType, Spec, TypeSpec

__all__ = ["legend"]


def legend(spec: Spec) -> list[Line]:
    """Return what a reader of the page of *spec* has to know about its words, a line for each."""
    return [spans(line) for line in _lines(spec.top.walk())]


def _lines(types: list[TypeSpec]) -> Iterator[str]:
    fields = [each for spec in types for each in (*spec.seq, *spec.instances)]
    stored = [each for each in fields if isinstance(each, Field)]
    values = [each.type for each in stored]
    nodes = [node for spec in types for node in expressions_of(spec)]
    yield f"Unless the text says otherwise, the first record is `{types[0].name}`."
    yield (
        "Fields follow one another without gaps, in the order of their table. `at` counts bytes "
        "from the first byte of the record and is empty where earlier fields decide it; `size` is "
        "in bytes, and empty where the field is as long as its own fields are."
    )
    if any(_is_number(each) for each in values):
        yield (
            "`u2be` is an unsigned integer of 2 bytes, big-endian (the highest byte first); `s` is "
            "signed (two's complement), `f` a floating point number of IEEE 754, `le` "
            "little-endian (the lowest byte first)."
        )
    if any(isinstance(each, StrType) for each in values):
        yield (
            "`text in UTF-8` is bytes that are characters in that encoding; others are damaged, "
            "and a reader refuses them."
        )
    if _are_checked(types):
        yield (
            "Bytes that break a rule of their field (`always`, `at least`, `at most`, `one of`, "
            "`only values`, a checksum) are damaged or of another format, and so are those that "
            "end within a record: a reader refuses them."
        )
    else:
        yield "Bytes that end within a record are damaged: a reader refuses them."
    if any(each.condition is not None for each in stored):
        yield "A field with `only if` takes no bytes where that is not so."
    if any(_is_bits(each) for each in values) or any(map(selected, nodes)):  # type: ignore[arg-type]  # the expressions are all the nodes there are
        yield "Bit 0 is the lowest bit of a number: its mask is 0x1."
    if any(bits is not None and bits.shifted for bits in map(selected, nodes)):  # type: ignore[arg-type]  # the expressions are all the nodes there are
        yield (
            "Bits that are taken out of a number are a number themselves, whose lowest bit is the "
            "lowest of them: `bits 4 to 7 (0xf0)` of 0x35 are 3."
        )
    if any(_is_bits(each) for each in values):
        yield "In pictures, `1: 6-4` are bits 6, 5 and 4 of byte 1, in the order of their fields."
    if any(user.delimiting for type_ in values for user in user_types(type_) if _is_record(user)):
        yield (
            "A record, `in these bytes alone`, is read from the bytes of its field and from no "
            "others: positions in it count from the first of them, `the end` is their end, and "
            "bytes that it leaves over are skipped."
        )
    if any(isinstance(each, Instance) for each in fields) or _asks_stream(nodes):
        yield (
            "`The input` is all of the bytes that the outermost record is read from, such as the "
            "file, or the payload of a block. `The current stream` is the bytes of the nearest "
            "record around this one that is read in bytes of its own, or the input."
        )
    if any(isinstance(each, Instance) for each in fields):
        yield (
            "A value that is stored elsewhere takes no bytes of the record: go to its offset, read "
            "it, and go back to where you were."
        )
    if any(isinstance(each, ast.Ternary) for each in nodes):
        yield "In formulas, `a ? b : c` is `b` if `a` is true, else `c`."
    if any(isinstance(each, ValueInstance) for each in fields):
        yield "A computed value takes no bytes: it follows from the fields."
    if any(isinstance(each, ast.Index) for each in nodes):
        yield "The elements of a list are numbered from 0."
    if any(isinstance(each, EnumType) for each in values):
        yield "A number that its enum does not name is not an error, unless a rule says so."
    if any(isinstance(each, SwitchType) and _is_sized(each) for each in values):
        yield (
            "Where the type depends on another field, the size does not: the field takes all of "
            "its bytes, whatever its type leaves over."
        )


def _are_checked(types: list[TypeSpec]) -> bool:
    """Whether a field of *types* has a rule that bytes can break."""
    members = [each for spec in types for each in (*spec.seq, *spec.instances)]
    return any(
        each.valid is not None
        or isinstance(getattr(each, "type", None), ContentsType)
        or not _CHECKS.isdisjoint(each.loom)
        for each in members
    )


_CHECKS: Final = frozenset({"crc", "derive"})


def _is_number(type_: DataType) -> bool:
    base = type_.base if isinstance(type_, EnumType) else type_
    if isinstance(base, SwitchType):
        return any(_is_number(case.type) for case in base.cases)
    return isinstance(base, IntType | FloatType)


def _is_bits(type_: DataType) -> bool:
    return isinstance(type_.base if isinstance(type_, EnumType) else type_, BitsType)


def _is_record(user: object) -> bool:
    return isinstance(user, UserType)


def _is_sized(type_: SwitchType) -> bool:
    return any(getattr(case.type, "delimiting", None) is not None for case in type_.cases)


def _asks_stream(nodes: list[ast.Node]) -> bool:
    return any(getattr(each, "name", getattr(each, "id", "")) == "_io" for each in nodes)
