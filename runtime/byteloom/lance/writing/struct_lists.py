"""Fixed-size lists of structs: where pylance can read them.

- Pages count their items as rows, and pylance refuses a struct whose fields have different numbers
  of them.  It reads such columns one at a time.
- Pylance does not write them inside or around lists and maps, or its process ends.  It does write
  a struct of numbers and a list, which byteloom does not.

Source: https://lance.org/format/file/encoding/#fixed-size-list
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["check_nesting", "has_lists", "is_struct_list"]


def is_struct_list(type_: pa.DataType) -> bool:
    """Return whether a type is a fixed-size list of structs."""
    return bool(pa.types.is_fixed_size_list(type_) and pa.types.is_struct(type_.value_type))


def check_nesting(type_: pa.DataType, path: str) -> None:
    """Refuse fixed-size lists of structs inside or around lists and maps.

    Args:
        path: The field's name in errors.

    Raises:
        Unsupported: The type has one inside the other.
    """
    wanted = "neither of them inside the other"
    if has_lists(type_) and _holds(type_, is_struct_list):
        raise Unsupported(path, None, "a list of fixed-size lists of structs", wanted)
    if is_struct_list(type_) and _holds(type_, has_lists):
        raise Unsupported(path, None, "a fixed-size list of structs with lists", wanted)


def _holds(type_: pa.DataType, is_wanted: Callable[[pa.DataType], bool]) -> bool:
    """Whether a type has another inside it."""
    inner = [type_.field(number).type for number in range(type_.num_fields)]
    return any(is_wanted(each) or _holds(each, is_wanted) for each in inner)


def has_lists(type_: pa.DataType) -> bool:
    """Return whether arrays of a type make a layer of lists, as maps do."""
    is_map = pa.types.is_map(type_)
    return bool(is_map or pa.types.is_list(type_) or pa.types.is_large_list(type_))
