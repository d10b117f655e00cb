"""Fixed-size lists of structs: where files have them, so that pylance reads them.

- Pages count their items as rows, and pylance refuses a struct whose fields have other numbers of
  these.  It reads columns of other numbers one at a time.
- In lists and maps, and around them, pylance does not write them, or its process ends; of what it
  does write, a struct of numbers and a list, byteloom writes none.

Source: https://lance.org/format/file/encoding/#fixed-size-list
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.lance.writing.levels import Leaf

__all__ = ["check_items", "check_nesting", "is_struct_list"]


def is_struct_list(type_: pa.DataType) -> bool:
    """Return whether a type is a fixed-size list of structs."""
    return bool(pa.types.is_fixed_size_list(type_) and pa.types.is_struct(type_.value_type))


def check_nesting(type_: pa.DataType, path: str) -> None:
    """Refuse fixed-size lists of structs in lists and maps, and these in them.

    path    what errors call the field
    raises  `Unsupported`
    """
    wanted = "neither in the other"
    if _is_list(type_) and _holds(type_, is_struct_list):
        raise Unsupported(path, None, "a list of fixed-size lists of structs", wanted)
    if is_struct_list(type_) and _holds(type_, _is_list):
        raise Unsupported(path, None, "a fixed-size list of structs with lists", wanted)


def _holds(type_: pa.DataType, is_wanted: Callable[[pa.DataType], bool]) -> bool:
    """Whether a type has another inside of it."""
    inner = [type_.field(number).type for number in range(type_.num_fields)]
    return any(is_wanted(each) or _holds(each, is_wanted) for each in inner)


def _is_list(type_: pa.DataType) -> bool:
    is_map = pa.types.is_map(type_)
    return bool(is_map or pa.types.is_list(type_) or pa.types.is_large_list(type_))


def check_items(field: pa.Field, leaves: list[Leaf]) -> None:
    """Refuse a struct whose leaves have different numbers of items in a row.

    field   at the top
    leaves  of it
    raises  `Unsupported`
    """
    counts = sorted({each.items for each in leaves})
    if pa.types.is_struct(field.type) and len(counts) > 1:
        found = f"fields of {' and '.join(map(str, counts))} items a row"
        wanted = "as many in each, with fixed-size lists of structs in a struct"
        raise Unsupported(f"schema.{field.name}", None, found, wanted)
