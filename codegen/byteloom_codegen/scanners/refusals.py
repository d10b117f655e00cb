"""What scanners do not support, as an error with its place in the spec.

A loop begins each field other than bits, each record and each condition at a whole byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.model import BitsType, SwitchType, UserType, base_of
from byteloom_codegen.python.bit_runs import bit_runs

if TYPE_CHECKING:
    from byteloom_codegen.model import Location, TypeSpec

__all__ = ["NotScannableError", "check_shared_bytes"]


class NotScannableError(Exception):
    """Scanners do not support something in a record; the text says what, and where."""

    def __init__(self, location: Location, reason: str) -> None:
        """Keep both as attributes."""
        super().__init__(f"{location}: {reason}")
        self.location = location
        self.reason = reason


def check_shared_bytes(spec: TypeSpec) -> None:
    """Refuse a record in which the bit at which a field begins depends on values.

    raises  `NotScannableError`, as for bits of both orders in one byte, or bits that go on in
            another record
    """
    if id(spec) in bit_runs(spec.spec).carried:
        raise NotScannableError(spec.location, "bits that go on in what follows it")
    begun, order = 0, "be"
    for each in spec.seq:
        base = base_of(each.type)
        if each.condition is not None and (begun or isinstance(base, BitsType)):
            raise NotScannableError(each.location, "a condition among bits")
        if isinstance(base, UserType | SwitchType) and begun:
            raise NotScannableError(each.location, "a record in a byte that bits have begun")
        if not isinstance(base, BitsType):
            begun = 0
            continue
        if begun and base.endian != order:
            raise NotScannableError(each.location, "bits of both orders in a byte")
        begun, order = (begun + base.width) % 8, base.endian
