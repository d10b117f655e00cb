"""Read structs of Parquet's footers and page headers, by one loop that the spec's tables drive.

- `layout` makes a table of the wanted fields, given by their paths; a name that the spec lacks is
  refused when the module with the layout is imported.
- `take_struct` walks a struct and those nested in it, and puts wanted fields into slots.
  Fields that a layout lacks, or that have a different type, are skipped.

Source: specs/parquet/footers.yaml; Apache Thrift, ``thrift-compact-protocol.md``
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.kernels.parquet_fields import KINDS
from byteloom.kernels.thrift import (
    BINARY,
    I16,
    I64,
    LIST,
    STRUCT,
    TRUE,
    list_head,
    next_field,
    number_at,
    passed,
    varint,
)
from byteloom.native.kernel import kernel
from byteloom_generated.parquet import footers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom_generated.parquet.footers import ThriftField

__all__ = ["END", "OTHERS", "layout", "take_struct"]

OTHERS: Final = 0
"""The slot that counts the fields of the outermost struct that the layout lacks."""

END: Final = " end"
"""The suffix of a struct's path that stands for the offset of its end."""

_FALSE: Final = 2
_CASE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def layout(struct: str, slots: Mapping[str, int]) -> np.ndarray:
    """Return the layout of a struct of the spec, given by its name there.

    slots   the slots, from 1 on, by paths such as ``meta_data.statistics.max``
    return  int64[struct, field]: the field's type, its slot or 0, and the struct nested in it, with
            8 bits each; field 0 has the struct's number in the enclosing one, the slot for its end,
            and the enclosing struct
    """
    structs = {"": (0, _fields(struct))}
    found = np.zeros((1 + sum("." in each for each in slots), 32), np.int64)
    for path, slot in slots.items():
        *around, name = path.removesuffix(END).split(".")
        node, fields = _inside(structs, found, ".".join(around))
        field = fields[name]
        if path.endswith(END):
            inner, _ = _inside(structs, found, path.removesuffix(END))
            found[inner, 0] |= slot << 8
        else:
            found[node, field.number] |= KINDS[field.kind] | slot << 8
    return found[: len(structs)].copy()


def _inside(
    structs: dict[str, tuple[int, dict[str, ThriftField]]], found: np.ndarray, path: str
) -> tuple[int, dict[str, ThriftField]]:
    """Return the index and the fields of the struct at *path*, which is added if it is new."""
    if path not in structs:
        around, _, name = path.rpartition(".")
        node, fields = _inside(structs, found, around)
        field, inner = fields[name], len(structs)
        structs[path] = inner, _fields(field.type)
        found[node, field.number] |= KINDS[field.kind] | inner << 16
        found[inner, 0] = field.number | node << 16
    return structs[path]


def _fields(struct: str) -> dict[str, ThriftField]:
    """Return the fields of a struct by name."""
    return {each.name: each for each in getattr(footers, _CASE.sub("_", struct).upper())}


@kernel
def take_struct(data: np.ndarray, at: int, layout: np.ndarray, found: np.ndarray) -> int:
    """Read a struct, and return the offset after it.

    found  int64[slot]: the value of a number, 1 or 0 for a bool, the size of bytes and lists, the
           offset of a struct; slots of absent fields are not changed
    """
    node = number = 0
    while True:
        number, kind, at = next_field(data, at, number)
        if not kind:
            if not node:
                return at
            entry = int(layout[node, 0])
            if entry >> 8 & 255:
                found[entry >> 8 & 255] = at
            node, number = entry >> 16, entry & 255
            continue
        entry = int(layout[node, number]) if 0 < number < layout.shape[1] else 0
        if entry & 255 != (kind if kind != _FALSE else TRUE):
            found[OTHERS] += not node
            at = passed(data, at, kind)
            continue
        slot = entry >> 8 & 255
        if I16 <= kind <= I64:
            found[slot], at = number_at(data, at)
        elif kind == STRUCT:
            if slot:
                found[slot] = at
            if entry >> 16:
                node, number = entry >> 16, 0
            else:
                at = passed(data, at, kind)
        else:
            if kind == BINARY:
                found[slot], _ = varint(data, at)
            elif kind == LIST:
                found[slot], _, _ = list_head(data, at)
            else:
                found[slot] = kind == TRUE
            at = passed(data, at, kind)
