"""Where each field of a record is, and how large, as far as the spec alone says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.expressions import Node
from byteloom_codegen.model import (
    BitsType,
    DataType,
    Delimiting,
    EnumType,
    Field,
    SwitchType,
    base_of,
    is_bits,
)
from byteloom_codegen.python.sizes import Size, field_size, fixed_bytes, least_bytes, value_size
from byteloom_codegen.reference.phrases import explained, formula
from byteloom_codegen.reference.prose import Word, Words, code, in_words, listed
from byteloom_codegen.reference.stream_names import stream_name

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import Endian, TypeSpec

__all__ = ["Place", "Within", "bits_of", "bits_within", "places", "size_in_short", "size_words"]


@dataclass(frozen=True, slots=True)
class Place:
    """One field of ``seq``.

    at     its first byte, from the start of the record; None where the file decides
    bit    for bits: the first one, counted as they are read from the byte *at* on; else None
    width  its bytes where it is present, None where the file decides; for bits None
    run    numbers runs of adjacent bit fields; None for whole bytes
    skip   for bits: those of its run before it; None where the file decides; else 0
    """

    field: Field
    at: int | None
    bit: int | None
    width: int | None
    run: int | None
    skip: int | None = 0


def bits_of(field: Field) -> int | None:
    """Return the bits of a field of bits, all its elements counted; None for whole bytes."""
    return field_size(field).most if is_bits(field.type) else None


def places(spec: TypeSpec) -> list[Place]:
    """Return the places of all fields of *spec*, in file order."""
    found: list[Place] = []
    at, run, skipped = Size(0, 0), 0, Size(0, 0)
    for field in spec.seq:
        size = field_size(field)
        if not is_bits(field.type):
            run += bool(found) and found[-1].run is not None
            skipped = Size(0, 0)
            at = _aligned(at)
            present = field_size(replace(field, condition=None))
            found.append(Place(field, fixed_bytes(at), None, fixed_bytes(present), None))
        else:
            known = at.most == at.least
            start, bit = (at.least // 8, at.least % 8) if known else (None, None)
            skip = skipped.least if skipped.most == skipped.least else None
            found.append(Place(field, start, bit, None, run, skip))
            skipped += size
        at += size
    return found


def _aligned(size: Size) -> Size:
    most = None if size.most is None else (size.most + 7) // 8 * 8
    return Size((size.least + 7) // 8 * 8, most)


@dataclass(frozen=True, slots=True)
class Within:
    """The bits of a field within the bytes that hold them, taken as one number.

    first   the first of these bytes, from the start of the record, or of the run of bits
    count   how many bytes
    lowest  the lowest of its bits; bit 0 is the lowest of the number
    width   how many bits
    endian  the byte order of the number
    """

    first: int
    count: int
    lowest: int
    width: int
    endian: Endian


def bits_within(place: Place) -> Within | None:
    """Return the bits of one field of bits; None where only the file says which they are."""
    type_ = place.field.type
    base = base_of(type_)
    if not isinstance(base, BitsType) or place.field.repeat or place.skip is None:
        return None
    start = place.skip if place.at is None else 8 * place.at + (place.bit or 0)
    first = start // 8
    count = (start + base.width + 7) // 8 - first
    before = start - 8 * first
    lowest = before if base.endian == "le" else 8 * count - before - base.width
    return Within(first, count, lowest, base.width, base.endian)


_TIMES: Final = " × "  # noqa: RUF001  (a multiplication sign is meant)


def size_words(field: Field, spec: TypeSpec) -> Words:
    """Return the size of *field* of *spec* in words; empty where its type says it."""
    return _Sizes(spec).of(field)


def size_in_short(field: Field) -> Words:
    """Return the bytes that *field* takes, with formulas instead of words."""
    return _Sizes(None).of(field)


class _Sizes:
    """Puts the sizes of one type's fields in words, or in formulas where *spec* is None."""

    def __init__(self, spec: TypeSpec | None) -> None:
        self.spec = spec

    def _expressed(self, node: Expression) -> Words:
        return (code(formula(node)),) if self.spec is None else explained(node, self.spec)

    def of(self, field: Field) -> Words:
        each = self._element(field.type)
        if field.repeat is None or not each:
            return each
        count = field.repeat.expression
        if field.repeat.kind == "expr" and count is not None and _is_factor(formula(count)):
            return in_words(each, _TIMES, code(formula(count)))
        is_number = len(each) == 1 and each[0].text.isdigit()
        if not is_number:
            return each
        unit = " byte each" if each[0].text == "1" else " bytes each"
        return in_words(each, " each" if self.spec else unit)

    def _element(self, type_: DataType) -> Words:
        if isinstance(type_, BitsType) or (
            isinstance(type_, EnumType) and isinstance(type_.base, BitsType)
        ):
            bits = value_size(type_).least
            return in_words(f"{bits} bit{'s' if bits > 1 else ''}")
        size = fixed_bytes(value_size(type_))
        if size is not None:
            return in_words(str(size))
        if isinstance(type_, SwitchType):
            return self._of_cases(type_)
        match getattr(type_, "delimiting", None):
            case Delimiting(size=Node() as expression):
                return self._expressed(expression)
            case Delimiting(size_eos=True):
                end = () if self.spec is None else in_words(" of ", stream_name(self.spec))
                return in_words("to the end", end)
            case Delimiting(terminator=bytes(terminator), consume=consume):
                how = "up to and including the next " if consume else "up to the next "
                return in_words("up to " if self.spec is None else how, code(terminator.hex(" ")))
        return ()

    def _of_cases(self, type_: SwitchType) -> Words:
        """Return the sizes that the types of a switch have, or the one that all of them have."""
        each = [self._element(case.type) for case in type_.cases]
        without = not any(case.on is None for case in type_.cases)  # no case may be met
        if each[0] and not without and all(words == each[0] for words in each):
            return each[0]
        sizes = [value_size(case.type) for case in type_.cases]
        known = {least_bytes(size) for size in sizes}
        if any(fixed_bytes(size) is None for size in sizes):
            least = f"{min(known)} or more"
            return (Word(f"{least}, or 0" if without and min(known) else least),)
        return (Word(listed([*map(str, sorted(known | ({0} if without else set())))], "or")),)


def _is_factor(text: str) -> bool:
    """Whether *text* needs no parentheses beside a multiplication sign."""
    return " " not in text
