"""How many bits of a byte are taken before each field: 0 to 7, or None where the file decides.

Records are assumed to begin at a whole byte, which generated code checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.model import BitsType, EnumType, Instance, OpaqueType, SwitchType, UserType

if TYPE_CHECKING:
    from byteloom_codegen.model import DataType, Field, Spec, TypeSpec

__all__ = ["Alignment"]


class Alignment:
    """The places of the fields in the types of one spec."""

    def __init__(self, spec: Spec) -> None:
        """Find the types that end between bytes where they begin so."""
        types = spec.top.walk()
        self._whole = {id(each) for each in types}
        while broken := {id(each) for each in types if not self._is_whole(each)} & self._whole:
            self._whole -= broken
        self.is_known = all(
            self._of_type(each.type, 0) == 0
            for imported in spec.with_imports()
            for type_ in imported.top.walk()
            for each in type_.instances
            if isinstance(each, Instance) and each.pos is None
        )
        """Whether an instance, which any expression may read, leaves its stream at a whole byte."""

    def after(self, field: Field, at: int | None) -> int | None:
        """Return the place after *field*, the first of whose values begins at *at*."""
        found = self._of_type(field.type, self.each(field, at))
        always = field.condition is None and field.repeat is None
        return found if always else _joined(at, found)

    def each(self, field: Field, at: int | None) -> int | None:
        """Return the place where every value of *field* begins."""
        return at if field.repeat is None else _joined(at, self._of_type(field.type, at))

    def _is_whole(self, spec: TypeSpec) -> bool:
        at: int | None = 0
        for field in spec.seq:
            at = self.after(field, at)
        return at == 0

    def _of_type(self, type_: DataType, at: int | None) -> int | None:
        match type_:
            case EnumType(base=base):
                return self._of_type(base, at)
            case BitsType(width=width):
                return None if at is None else (at + width) % 8
            case SwitchType(cases=cases):
                is_open = all(case.on is not None for case in cases)
                return _joined(
                    *(self._of_type(case.type, at) for case in cases), *([at] if is_open else [])
                )
            case UserType(delimiting=None, type=spec):
                return 0 if at == 0 and id(spec) in self._whole else None
            case OpaqueType(delimiting=None):
                return None
        return 0


def _joined(*places: int | None) -> int | None:
    """Return the place that all *places* are equal to, or None."""
    return places[0] if len(set(places)) == 1 else None
