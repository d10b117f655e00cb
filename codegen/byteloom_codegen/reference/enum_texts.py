"""Numbers of enums that are words: ``0x44415441`` is stored as ``DATA``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from byteloom_codegen.model import ArrayType, EnumType, IntType, SwitchType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import DataType, EnumSpec, TypeSpec

__all__ = ["texts_of"]

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
