"""Compute the levels of a page from nested Arrow arrays, a layer at a time from the column inwards.

The levels are the ones that `byteloom.lance.pages21.nesting` reads: layers are numbered from the
leaf outwards, and a definition level of 0 is a value.

Source: https://lance.org/format/file/encoding/#repetition-and-definition-levels
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.lance.arrays import rows_at
from byteloom.lance.fields import BLOB, is_true
from byteloom.lance.writing.packed import is_packed
from byteloom_generated.lance.encodings21 import RepDefLayer

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Leaf", "Levels", "has_lists", "is_blob", "is_struct_list", "leaves_of", "shred", "walk"]

_ITEM, _NULLABLE = RepDefLayer.REPDEF_ALL_VALID_ITEM, RepDefLayer.REPDEF_NULLABLE_ITEM
_LISTS = {
    (False, False): RepDefLayer.REPDEF_ALL_VALID_LIST,
    (True, False): RepDefLayer.REPDEF_NULLABLE_LIST,
    (False, True): RepDefLayer.REPDEF_EMPTYABLE_LIST,
    (True, True): RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST,
}


@dataclass(frozen=True, slots=True)
class Levels:
    """A leaf of some rows.

    Attributes:
        layers: Kinds of its layers, the leaf first.
        rep: Repetition level of each entry; None without lists.
        definition: Its definition level; None where nothing is null or empty.
        visible: Numbers of the entries that have a value; None for all.
        max_rep: The repetition level that begins a row: how many lists there are.
        max_def: The highest definition level that there may be.
        values: The array of the leaf, an item for each value.
    """

    layers: list[RepDefLayer]
    rep: np.ndarray | None
    definition: np.ndarray | None
    visible: np.ndarray | None
    max_rep: int
    max_def: int
    values: pa.Array

    @property
    def entries(self) -> int:
        """Return how many entries there are."""
        found = self.rep if self.rep is not None else self.definition
        return len(self.values) if found is None else len(found)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf: a field without others inside, except those of a fixed-size list or a packed struct.

    Attributes:
        field: Its Arrow field.
        path: Its names from the column inwards: ``points.item.x``.
        way: The index of the child in each struct or map on the way to it.
        items: Number of items of fixed-size lists of structs in a row; 1 without such lists.
    """

    field: pa.Field
    path: str
    way: tuple[int, ...]
    items: int = 1

    @property
    def is_blob(self) -> bool:
        """Whether its values are written outside pages."""
        return is_blob(self.field)

    @property
    def is_bare(self) -> bool:
        """Whether it is a struct without fields."""
        return bool(pa.types.is_struct(self.field.type)) and not self.field.type.num_fields


def leaves_of(
    field: pa.Field, path: str = "", way: tuple[int, ...] = (), items: int = 1
) -> list[Leaf]:
    """Return the leaves of a column, in pre-order.

    Args:
        path: The path of the field around it.
        way: The way of the field around it.
        items: The items of the field around it.
    """
    type_, path = field.type, f"{path}.{field.name}" if path else field.name
    if pa.types.is_struct(type_) and type_.num_fields and not is_packed(field):
        children = enumerate(type_)
    elif pa.types.is_map(type_):
        path = f"{path}.entries"
        children = enumerate((type_.key_field, type_.item_field))
    elif _is_list(type_):
        return leaves_of(type_.value_field, path, way, items)
    elif is_struct_list(type_):
        return leaves_of(type_.value_field, path, way, items * type_.list_size)
    else:
        return [Leaf(field, path, way, items)]
    return [
        leaf for number, each in children for leaf in leaves_of(each, path, (*way, number), items)
    ]


def walk(array: pa.Array, path: Sequence[int]) -> list[pa.Array]:
    """Return the arrays of all layers on the way to a leaf, that of the column first.

    The child of a list has all values in the range of its offsets, used or not.
    """
    ways, found = list(path), [array]
    while True:
        type_ = array.type
        if pa.types.is_struct(type_) and ways:
            array = array.field(ways.pop(0))
        elif pa.types.is_map(type_):
            array = array.items if ways.pop(0) else array.keys
        elif _is_list(type_):
            array = array.values
        elif is_struct_list(type_):
            size = type_.list_size
            array = array.values.slice(array.offset * size, len(array) * size)
        else:
            found[-1] = _without_null_items(array)
            return found
        found.append(array)


def _without_null_items(array: pa.Array) -> pa.Array:
    """A dictionary array whose nulls are all among the indices; any other array as it is."""
    if not pa.types.is_dictionary(array.type) or not array.dictionary.null_count:
        return array
    made, type_ = array.dictionary_decode().dictionary_encode(), array.type
    indices = made.indices.cast(type_.index_type)
    return pa.DictionaryArray.from_arrays(indices, made.dictionary, ordered=type_.ordered)


def shred(array: pa.Array, path: Sequence[int]) -> Levels:
    """Return the levels and the values of the leaf of *array* at *path*."""
    arrays = walk(array, path)
    max_rep = sum(has_lists(each.type) for each in arrays)
    state = _Entries(len(array), max_rep)
    for each in arrays:
        if has_lists(each.type):
            state.expand(each)
        else:
            state.mark(each)
        if is_struct_list(each.type):
            state.multiply(each.type.list_size)
    visible, values = None, state.within(arrays[-1])
    if state.slots is not None:
        visible = np.flatnonzero(state.slots >= 0)
        values = _taken(values, state.slots[visible])
        visible = None if len(visible) == len(state.slots) else visible
    rep = state.rep if max_rep else None
    definition, max_def = state.definitions()
    return Levels(state.layers[::-1], rep, definition, visible, max_rep, max_def, values)


class _Entries:
    """The entries of a leaf, known down to some layer.

    Attributes:
        layers: The kinds of the layers so far, the outermost first.
        rep: The repetition levels so far.
        slots: The item of the present layer that each entry has, or -1; None where each has one, in
            order.
    """

    def __init__(self, count: int, max_rep: int) -> None:
        self.layers: list[RepDefLayer] = []
        self.rep = np.full(count, max_rep, np.uint16)
        self.slots: np.ndarray | None = None
        self._lists = max_rep
        self._first = 0
        """The first item that has an entry, if every entry has an item."""

        self._definition: np.ndarray | None = None
        self._codes = 0
        """The definition levels so far, counted from the outermost layer inwards."""

    def within(self, array: pa.Array) -> pa.Array:
        """Return the items of a layer that *slots* refer to."""
        return array if self.slots is not None else array.slice(self._first, len(self.rep))

    def definitions(self) -> tuple[np.ndarray | None, int]:
        """Return definition levels as they are stored, counted outwards, and the highest."""
        if self._definition is None:
            return None, 0
        order = np.append(0, np.arange(self._codes, 0, -1)).astype(np.uint16)
        return order[self._definition], self._codes

    def mark(self, array: pa.Array) -> None:
        """Note entries that are null in a layer of items, unless an outer one is."""
        is_null = pa.types.is_null(array.type)
        marked = bool(array.null_count) and self._note(self._alive(self._nulls(array)))
        if is_null and not marked:
            self._codes, self._definition = self._codes + 1, self._noted()
        self.layers.append(_NULLABLE if marked or is_null else _ITEM)

    def multiply(self, size: int) -> None:
        """Replace entries of fixed-size lists, which are not in other lists, by their items."""
        self.rep = np.repeat(self.rep, size)
        if self._definition is not None:
            self._definition = np.repeat(self._definition, size)

    def expand(self, array: pa.Array) -> None:
        """Replace entries of a layer of lists by those of its items."""
        offsets = self._offsets(array)
        sizes = self._of(np.diff(offsets), fill=0)
        nulls = self._alive(self._nulls(array)) if array.null_count else None
        empties = self._alive(sizes == 0)
        if nulls is not None:
            empties &= ~nulls
        has_empty = self._note(empties)
        has_null = nulls is not None and self._note(nulls)
        if not has_null and _NULLABLE in self.layers:
            # Lists in null structs are null: pylance counts items of pages without values by that.
            self._codes, has_null = self._codes + 1, True
        self.layers.append(_LISTS[has_null, has_empty])
        if pa.types.is_map(array.type):
            self.layers.append(_ITEM)  # the entries of a map are structs that are never null
        if self.slots is None and self._definition is None:
            self._repeat(sizes)
            self._first = int(offsets[0])
            return
        starts = self._of(offsets[:-1], fill=0)
        grows = sizes > 0 if self._definition is None else (self._definition == 0) & (sizes > 0)
        counts = np.where(grows, sizes, 1)
        first = self._repeat(counts)
        slots = np.arange(len(self.rep), dtype=np.int64) + np.repeat(starts - first, counts)
        slots[first[~grows]] = -1
        self.slots = slots

    def _repeat(self, counts: np.ndarray) -> np.ndarray:
        """Replace each entry by *counts* entries; return the number of the first of each."""
        first: np.ndarray = np.cumsum(counts) - counts
        rep = np.full(int(counts.sum()), self._lists - 1, np.uint16)
        rep[first] = self.rep
        self._lists -= 1
        self.rep = rep
        if self._definition is not None:
            self._definition = np.repeat(self._definition, counts)
        return first

    def _offsets(self, array: pa.Array) -> np.ndarray:
        found = array.offsets.to_numpy(zero_copy_only=False)
        if self.slots is None:
            found = found[self._first :][: len(self.rep) + 1]
        offsets: np.ndarray = found.astype(np.int64)
        return offsets

    def _nulls(self, array: pa.Array) -> np.ndarray:
        found: np.ndarray = self.within(array).is_null().to_numpy(zero_copy_only=False)
        return self._of(found, fill=False)

    def _of(self, items: np.ndarray, *, fill: Any) -> np.ndarray:
        """Return each entry's item among *items* of the present layer; *fill* for those without."""
        if self.slots is None:
            return items
        has = self.slots >= 0
        found = np.full(len(self.slots), fill, items.dtype)
        found[has] = items[self.slots[has]]
        return found

    def _alive(self, entries: np.ndarray) -> np.ndarray:
        """Those of *entries* that no outer layer has ended."""
        if self._definition is None:
            return entries
        found: np.ndarray = entries & (self._definition == 0)
        return found

    def _note(self, entries: np.ndarray) -> bool:
        """Give *entries* a new definition level, if there are any."""
        if not entries.any():
            return False
        self._codes, self._definition = self._codes + 1, self._noted()
        self._definition[entries] = self._codes
        return True

    def _noted(self) -> np.ndarray:
        if self._definition is None:
            return np.zeros(len(self.rep), np.uint16)
        return self._definition


def is_blob(field: pa.Field) -> bool:
    """Return whether the values of a field are written outside pages."""
    return field.type == pa.large_binary() and is_true(field.metadata or {}, BLOB.encode())


def is_struct_list(type_: pa.DataType) -> bool:
    """Return whether a type is a fixed-size list of structs."""
    return bool(pa.types.is_fixed_size_list(type_) and pa.types.is_struct(type_.value_type))


def has_lists(type_: pa.DataType) -> bool:
    """Return whether arrays of a type make a layer of lists, as maps do."""
    is_map = pa.types.is_map(type_)
    return bool(is_map or pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _taken(values: pa.Array, slots: np.ndarray) -> pa.Array:
    """The values at *slots*; a slice of the array if they are consecutive."""
    if not len(slots):
        return values[:0]
    first, last = int(slots[0]), int(slots[-1])
    if last - first + 1 == len(slots) and (np.diff(slots) == 1).all():
        return values.slice(first, len(slots))
    return rows_at(values, slots)
