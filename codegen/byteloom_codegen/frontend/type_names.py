"""Names of types: the language's own (``u4le``, ``b12``, ``strz``) and the spec's, with its enums.

A name is looked up in the type in which it is used, then in each of its owners; then among the top
types of the file itself, of all files it imports, and of all that were loaded with it.  A name that
starts with ``::`` (its first part is empty) is looked up from the top type only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, cast

from byteloom_codegen.errors import SpecError, did_you_mean
from byteloom_codegen.frontend.kinds import described
from byteloom_codegen.model import (
    AnyType,
    ArrayType,
    BitsType,
    BoolType,
    BytesType,
    DataType,
    Endian,
    EndianSwitch,
    EnumType,
    FloatType,
    IntType,
    IoType,
    OpaqueType,
    StrType,
    StructType,
    TypeSpec,
    UserType,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.expressions import TypeName
    from byteloom_codegen.frontend.outline import Unit
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.model import EnumSpec

__all__ = ["Scope", "enum_type", "needs_endian", "number_type", "pure_type", "record_type"]


_NUMBER: Final = re.compile(r"([us])([1248])(le|be)?|(f)([48])(le|be)?|(b)([0-9]+)(le|be)?")
_ONE_BYTE: Final = re.compile(r"[us]1(le|be)")
_NEARLY: Final = re.compile(
    r"([us]|u?int|float|f|b)_?[0-9]+(_?[lb]e)?|bytes?|string|char|byte|float|double|int"
)
MAX_BITS: Final = 64

_PURE: Final[dict[str, DataType]] = {
    "bytes": BytesType(),
    "str": StrType(),
    "bool": BoolType(),
    "struct": StructType(),
    "io": IoType(),
    "any": AnyType(),
}


def needs_endian(name: str) -> bool:
    """Whether the type takes its byte order from a default."""
    return bool(re.fullmatch(r"[us][248]|f[48]", name))


def number_type(
    name: str, endian: Endian | EndianSwitch | None, bit_endian: Endian
) -> DataType | None:
    """Return the type that is one of the language's numbers; None for any other name."""
    match = _NUMBER.fullmatch(name)
    if match is None or _ONE_BYTE.fullmatch(name):
        return None
    default = endian if isinstance(endian, str) else None
    sign, width, order, float_, float_width, float_order, bits, bit_width, bit_order = (
        match.groups()
    )
    if sign:
        one = width == "1"
        return IntType(
            sign == "s", int(width), None if one else cast("Endian | None", order or default)
        )
    if float_:
        return FloatType(int(float_width), cast("Endian | None", float_order or default))
    if bits and 1 <= int(bit_width[:3]) <= MAX_BITS and bit_width[0] != "0":
        return BitsType(
            int(bit_width), cast("Literal['le', 'be']", bit_order or bit_endian), bit_width == "1"
        )
    return None


def pure_type(name: TypeName, scope: Scope) -> DataType:
    """Return the type that a parameter or a cast names: no layout, so no byte order is wanted."""
    return ArrayType(_element(name, scope)) if name.array else _element(name, scope)


def _element(name: TypeName, scope: Scope) -> DataType:
    if len(name.names) == 1:
        only = name.names[0]
        ordered = only[:1] in {"u", "s", "f"} and only.endswith(("le", "be"))
        own = _PURE.get(only) or number_type(only, None, scope.type.bit_endian)
        if own is not None and not ordered:
            return own
    found = record_type(name, scope)
    return UserType(found) if isinstance(found, TypeSpec) else OpaqueType(found)


def enum_type(base: DataType, place: Place, scope: Scope) -> DataType:
    """Return the integer *base* with the names of the enum that *place* names."""
    if not isinstance(base, IntType | BitsType):
        raise place.error(f"tried to resolve non-integer {described(base)} to enum")
    if isinstance(base, BitsType):  # an enum of one bit is a number, not a truth value
        base = replace(base, is_bool=False)
    return EnumType(scope.enum(place), base)


def record_type(name: TypeName, scope: Scope) -> TypeSpec | tuple[str, ...]:
    """Return the record that *name* names; its names where it is a class written elsewhere."""
    found = scope.find_type(name.names)
    if found is not None:
        return found
    if scope.unit.opaque:
        return name.names
    raise SpecError(
        name.location,
        f"unable to find type '{'::'.join(name.names)}', searching from {scope}",
        _hint(name, scope),
    )


def _hint(name: TypeName, scope: Scope) -> str:
    last = name.names[-1]
    if len(name.names) == 1 and _ONE_BYTE.fullmatch(last):
        return f"one byte has no byte order: {last[:2]}"
    if len(name.names) == 1 and _NEARLY.fullmatch(last):
        return "numbers are u1 to u8, s1 to s8, f4, f8 and b1 to b64; bytes have a size and no type"
    return did_you_mean(last, {each.name for each in scope.unit.spec.top.walk()})


@dataclass(frozen=True, slots=True)
class Scope:
    """A type, as the place that names are looked up from."""

    type: TypeSpec
    unit: Unit

    def find_type(self, names: tuple[str, ...]) -> TypeSpec | None:
        """Return the type that ``a::b`` names here; None if there is none."""
        return next(self._types(names), None)

    def find_enum(self, names: tuple[str, ...]) -> EnumSpec | None:
        """Return the enum that ``type::enum`` names here; None if there is none."""
        *owners, name = names
        candidates = self._types(tuple(owners)) if owners else self._outwards()
        return next((found.enums[name] for found in candidates if name in found.enums), None)

    def enum(self, place: Place) -> EnumSpec:
        """Return the enum that the key ``enum`` names."""
        name = place.text()
        found = self.find_enum(tuple(name.split("::")))
        if found is None:
            raise place.error(f"unable to find enum '{name}', searching from {self}")
        return found

    def _types(self, names: tuple[str, ...]) -> Iterator[TypeSpec]:
        for start in self._starts(names[0]):
            found: TypeSpec | None = start
            for name in names[1:]:
                found = found and found.types.get(name)
            if found is not None:
                yield found

    def _starts(self, name: str) -> Iterator[TypeSpec]:
        if not name:
            yield self.unit.spec.top
            return
        for level in self._outwards():
            if name in level.types:
                yield level.types[name]
        unit = self.unit.named(name)
        if unit is not None:
            yield unit.spec.top

    def _outwards(self) -> Iterator[TypeSpec]:
        level: TypeSpec | None = self.type
        while level is not None:
            yield level
            level = level.owner

    def __str__(self) -> str:
        return "::".join(self.type.path)
