"""The legend of a page: the meaning of the words that it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import (
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
    base_of,
    is_bits,
)
from byteloom_codegen.nodes import expressions_of, user_types
from byteloom_codegen.reference.idioms import selected
from byteloom_codegen.reference.prose import Line, spans

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.model import DataType, Spec, TypeSpec

__all__ = ["legend"]


class _Contents:
    """What the records of a page contain, as far as a note asks for it."""

    def __init__(self, types: list[TypeSpec]) -> None:
        self.members = [each for spec in types for each in (*spec.seq, *spec.instances)]
        self.fields = [each for each in self.members if isinstance(each, Field)]
        self.types = [each.type for each in self.fields]
        self.nodes = [node for spec in types for node in expressions_of(spec)]
        self.masks = [bits for bits in map(selected, self.nodes) if bits is not None]  # type: ignore[arg-type]  # the expressions are all the nodes there are

    def has_members(self, kind: type) -> bool:
        """Whether a member of a record is of *kind*."""
        return any(isinstance(each, kind) for each in self.members)

    def has_nodes(self, kind: type) -> bool:
        """Whether a part of an expression is of *kind*."""
        return any(isinstance(each, kind) for each in self.nodes)

    def has_types(self, is_such: Callable[[DataType], bool]) -> bool:
        """Whether a field has such a type."""
        return any(map(is_such, self.types))

    def is_checked(self) -> bool:
        """Whether a field has a rule that bytes can break."""
        return any(
            each.valid is not None
            or isinstance(getattr(each, "type", None), ContentsType)
            or not _CHECKS.isdisjoint(each.loom)
            for each in self.members
        )

    def asks_stream(self) -> bool:
        """Whether an expression names a stream."""
        return any(getattr(each, "name", getattr(each, "id", "")) == "_io" for each in self.nodes)


_CHECKS: Final = frozenset({"crc", "derive"})


_PLACES: Final = (
    "Fields follow one another without gaps, in the order of their table. `at` counts bytes "
    "from the first byte of the record and is empty where earlier fields decide it; `size` is "
    "in bytes, and empty where the field is as long as its own fields are."
)


class _Note(NamedTuple):
    """A line that explains words of a page, and whether a page with such contents has them."""

    is_needed: Callable[[_Contents], bool]
    text: str


_NOTES: Final = (
    _Note(
        lambda page: page.has_types(_is_number),
        "`u2be` is an unsigned integer of 2 bytes, big-endian (the highest byte first); `s` is "
        "signed (two's complement), `f` a floating point number of IEEE 754, `le` "
        "little-endian (the lowest byte first).",
    ),
    _Note(
        lambda page: page.has_types(_is_text),
        "`text in UTF-8` is bytes that are characters in that encoding; others are damaged, "
        "and a reader refuses them.",
    ),
    _Note(
        _Contents.is_checked,
        "Bytes that break a rule of their field (`always`, `at least`, `at most`, `one of`, "
        "`only values`, a checksum) are damaged or of another format, and so are those that "
        "end within a record: a reader refuses them.",
    ),
    _Note(
        lambda page: not page.is_checked(),
        "Bytes that end within a record are damaged: a reader refuses them.",
    ),
    _Note(
        lambda page: any(each.condition is not None for each in page.fields),
        "A field with `only if` takes no bytes where that is not so.",
    ),
    _Note(
        lambda page: page.has_types(is_bits) or bool(page.masks),
        "Bit 0 is the lowest bit of a number: its mask is 0x1.",
    ),
    _Note(
        lambda page: any(each.shifted for each in page.masks),
        "Bits that are taken out of a number are a number themselves, whose lowest bit is the "
        "lowest of them: `bits 4 to 7 (0xf0)` of 0x35 are 3.",
    ),
    _Note(
        lambda page: page.has_types(is_bits),
        "In pictures, `1: 6-4` are bits 6, 5 and 4 of byte 1, in the order of their fields.",
    ),
    _Note(
        lambda page: page.has_types(_has_sized_record),
        "A record, `in these bytes alone`, is read from the bytes of its field and from no "
        "others: positions in it count from the first of them, `the end` is their end, and "
        "bytes that it leaves over are skipped.",
    ),
    _Note(
        lambda page: page.has_members(Instance) or page.asks_stream(),
        "`The input` is all of the bytes that the outermost record is read from, such as the "
        "file, or the payload of a block. `The current stream` is the bytes of the nearest "
        "record around this one that is read in bytes of its own, or the input.",
    ),
    _Note(
        lambda page: page.has_members(Instance),
        "A value that is stored elsewhere takes no bytes of the record: go to its offset, read "
        "it, and go back to where you were.",
    ),
    _Note(
        lambda page: page.has_nodes(ast.Ternary),
        "In formulas, `a ? b : c` is `b` if `a` is true, else `c`.",
    ),
    _Note(
        lambda page: page.has_members(ValueInstance),
        "A computed value takes no bytes: it follows from the fields.",
    ),
    _Note(
        lambda page: page.has_nodes(ast.Index),
        "The elements of a list are numbered from 0.",
    ),
    _Note(
        lambda page: page.has_types(_is_enum),
        "A number that its enum does not name is not an error, unless a rule says so.",
    ),
    _Note(
        lambda page: page.has_types(_is_sized_switch),
        "Where the type depends on another field, the size does not: the field takes all of "
        "its bytes, whatever its type leaves over.",
    ),
)


def legend(spec: Spec) -> list[Line]:
    """Return what a reader of the page of *spec* has to know about its words, a line for each."""
    types = spec.top.walk()
    page = _Contents(types)
    return [
        spans(f"Unless the text says otherwise, the first record is `{types[0].name}`."),
        spans(_PLACES),
        *(spans(note.text) for note in _NOTES if note.is_needed(page)),
    ]


def _is_number(type_: DataType) -> bool:
    base = base_of(type_)
    if isinstance(base, SwitchType):
        return any(_is_number(case.type) for case in base.cases)
    return isinstance(base, IntType | FloatType)


def _is_text(type_: DataType) -> bool:
    return isinstance(type_, StrType)


def _is_enum(type_: DataType) -> bool:
    return isinstance(type_, EnumType)


def _has_sized_record(type_: DataType) -> bool:
    return any(user.delimiting for user in user_types(type_) if isinstance(user, UserType))


def _is_sized_switch(type_: DataType) -> bool:
    if not isinstance(type_, SwitchType):
        return False
    return any(getattr(case.type, "delimiting", None) is not None for case in type_.cases)
