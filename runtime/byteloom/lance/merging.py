"""Merge the arrays of the leaves of a field.

From version 2.1 on each leaf has a column with all its layers: a struct of two numbers comes as two
structs of one number each.  Their common layers are taken from the first of them.

Source: https://lance.org/format/file/encoding/#repetition-and-definition-levels
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.lance.types import arrow_field, arrow_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.fields import Field

__all__ = ["Branch", "branches", "leaf_type", "merged"]

Branch = tuple["Field", ...]
"""The fields from a top-level or inner field down to a leaf."""


def branches(field: Field) -> list[Branch]:
    """Return the branch to each leaf of *field*, in the order of its columns."""
    if field.is_blob or field.is_packed or not field.children:
        return [(field,)]
    return [(field, *rest) for child in field.children for rest in branches(child)]


def leaf_type(branch: Branch) -> pa.DataType:
    """Return the type of the array of a leaf: the type of the field narrowed to this leaf.

    A map, which cannot lack its key or its values, is a list of structs.
    """
    if len(branch) == 1:
        return arrow_type(branch[0])
    field, *rest = branch
    child = arrow_field(rest[0])
    inner = pa.field(child.name, leaf_type(tuple(rest)), child.nullable, child.metadata)
    if field.is_struct:
        return pa.struct([inner])
    if field.type.startswith("fixed_size_list"):
        return pa.list_(inner, int(field.type.rpartition(":")[2]))
    return pa.large_list(inner) if field.type.startswith("large_list") else pa.list_(inner)


def merged(field: Field, leaves: Sequence[pa.Array]) -> pa.Array:
    """Return the array of *field*, from one of each of its `branches`.

    raises  `FormatError` if the arrays have different lengths
    """
    type_ = arrow_type(field)
    if len(leaves) == 1 and type_ == leaves[0].type:
        return leaves[0]
    if len({len(each) for each in leaves}) > 1:
        found = f"columns of {', '.join(str(len(each)) for each in leaves)} rows"
        raise FormatError(field.path, None, found, "as many in each")
    first, count = leaves[0], len(leaves[0])
    if field.is_struct:
        children = _children(field, [each.field(0) for each in leaves])
        return pa.Array.from_buffers(type_, count, [_bitmap(first)], children=children)
    if pa.types.is_fixed_size_list(type_):
        size = type_.list_size
        inner = [each.values.slice(each.offset * size, count * size) for each in leaves]
        children = _children(field, inner)
        return pa.Array.from_buffers(type_, count, [_bitmap(first)], children=children)
    offsets = [each.offsets.to_numpy(zero_copy_only=False) for each in leaves]
    relative = offsets[0] - offsets[0][0]
    if any(not np.array_equal(each - each[0], relative) for each in offsets[1:]):
        raise FormatError(field.path, None, "lists of other lengths", "the same in all columns")
    inner = [
        leaf.values.slice(int(each[0]), int(each[-1] - each[0]))
        for leaf, each in zip(leaves, offsets, strict=True)
    ]
    buffers = [_bitmap(first), pa.py_buffer(relative)]
    return pa.Array.from_buffers(type_, count, buffers, children=_children(field, inner))


def _children(field: Field, leaves: Sequence[pa.Array]) -> list[pa.Array]:
    """The arrays of the fields inside *field*, each of the leaves that belong to it."""
    found, at = [], 0
    for child in field.children:
        count = len(branches(child))
        found.append(merged(child, leaves[at : at + count]))
        at += count
    return found


def _bitmap(array: pa.Array) -> pa.Buffer | None:
    """The validity bitmap of an array, from its first value on."""
    bitmap = array.buffers()[0]
    if bitmap is None or not array.offset:
        return bitmap
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    return pa.py_buffer(np.packbits(valid, bitorder="little"))
