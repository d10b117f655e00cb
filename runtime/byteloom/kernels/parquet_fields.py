"""Numbers and header bytes of the fields of Parquet's structs, by their names in the spec's tables.

Loops look them up when they are imported, and raise a KeyError for a name that the tables lack.

Source: specs/parquet/footers.yaml; Apache Thrift, ``thrift-compact-protocol.md``
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.kernels.thrift import BINARY, I16, I32, I64, LIST, STRUCT, TRUE

if TYPE_CHECKING:
    from byteloom_generated.parquet.footers import ThriftField, ThriftName

__all__ = ["KINDS", "heads", "numbers"]

KINDS: Final = {
    "bool": TRUE, "i16": I16, "i32": I32, "i64": I64, "binary": BINARY, "list": LIST,
    "struct": STRUCT,
}  # fmt: skip
_LONGEST_STEP: Final = 15


def numbers(
    table: tuple[ThriftField, ...] | tuple[ThriftName, ...], *names: str
) -> tuple[int, ...]:
    """Return the numbers of *names* in a table."""
    known = {each.name: each.number for each in table}
    return tuple(known[each] for each in names)


def heads(struct: tuple[ThriftField, ...], *names: str) -> tuple[int, ...]:
    """Return the header byte of each of the fields *names*, which are stored in this order.

    ValueError  a difference of field numbers that does not fit the byte
    """
    known = {each.name: each for each in struct}
    found, before = list[int](), 0
    for each in map(known.__getitem__, names):
        step = each.number - before
        if not 0 < step <= _LONGEST_STEP:
            raise ValueError(f"{each.name}: found a step of {step}, wanted 1 to {_LONGEST_STEP}")
        found.append(step << 4 | KINDS[each.kind])
        before = each.number
    return tuple(found)
