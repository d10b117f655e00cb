"""Where each field of a record is, as far as the spec alone says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import BitsType, Field, base_of, is_bits
from byteloom_codegen.python.sizes import Size, field_size, fixed_bytes

if TYPE_CHECKING:
    from byteloom_codegen.model import Endian, TypeSpec

__all__ = ["Place", "Within", "bits_of", "bits_within", "places"]


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
