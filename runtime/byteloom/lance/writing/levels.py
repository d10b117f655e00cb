"""From nested Arrow arrays to the levels of a page, a layer at a time from the column inwards.

Levels are those that `byteloom.lance.pages21.nesting` reads: layers are numbered from the leaf
outwards, and a definition level of 0 is a value.

Source: https://lance.org/format/file/encoding/#repetition-and-definition-levels
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom_generated.lance.encodings21 import RepDefLayer

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Leaf", "Levels", "leaves_of", "shred", "walk"]

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

    layers      kinds of its layers, the leaf first
    rep         repetition level of each entry; None without lists
    definition  its definition level; None where nothing is null or empty
    visible     which entries have a value, by their numbers; None for all of them
    max_rep     the repetition level that begins a row: how many lists there are
    max_def     the highest definition level that there may be
    values      the array of the leaf, an item for each value
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
    """A field without fields in it, or with those of a fixed-size list alone.

    field  its Arrow field
    path   its names from the column inwards: ``points.item.x``
    way    the number of the child in each struct or map on the way to it
    """

    field: pa.Field
    path: str
    way: tuple[int, ...]


def leaves_of(field: pa.Field, path: str = "", way: tuple[int, ...] = ()) -> list[Leaf]:
    """Return the leaves of a column, in pre-order.

    path, way  to the field that it is in
    """
    type_, path = field.type, f"{path}.{field.name}" if path else field.name
    if pa.types.is_struct(type_):
        children = enumerate(type_)
    elif pa.types.is_map(type_):
        path = f"{path}.entries"
        children = enumerate((type_.key_field, type_.item_field))
    elif _is_list(type_):
        return leaves_of(type_.value_field, path, way)
    else:
        return [Leaf(field, path, way)]
    return [leaf for number, each in children for leaf in leaves_of(each, path, (*way, number))]


def walk(array: pa.Array, path: Sequence[int]) -> list[pa.Array]:
    """Return the arrays of all layers on the way to a leaf, that of the column first.

    The child of a list has all values that its offsets are about, whether they are used or not.
    """
    ways, found = list(path), [array]
    while True:
        type_ = array.type
        if pa.types.is_struct(type_):
            array = array.field(ways.pop(0))
        elif pa.types.is_map(type_):
            array = array.items if ways.pop(0) else array.keys
        elif _is_list(type_):
            array = array.values
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
    kinds = [_kinds(each) for each in arrays]
    flat = [(*kind, each) for each, found in zip(arrays, kinds, strict=True) for kind in found]
    layers = [kind for kind, *_ in flat][::-1]
    max_def = sum(null + empty for _, null, empty, _ in flat)
    max_rep = sum(kind in _LISTS.values() for kind in layers)
    state = _Entries(len(array), max_rep)
    code = max_def
    for kind, null, empty, each in flat:
        code -= null + empty
        if kind in _LISTS.values():
            state.expand(each, code + 1 if null else 0, code + null + empty if empty else 0)
        elif null:
            state.mark(each, code + 1)
    visible = None if state.slots is None else np.flatnonzero(state.slots >= 0)
    values = arrays[-1]
    if state.slots is not None and visible is not None:
        values = _taken(values, state.slots[visible])
        visible = None if len(visible) == len(state.slots) else visible
    rep = state.rep if max_rep else None
    return Levels(
        layers, rep, state.definition if max_def else None, visible, max_rep, max_def, values
    )


class _Entries:
    """The entries of a leaf, known down to some layer.

    rep, definition  their levels so far
    slots            the item of the present layer that each has, or -1; None for one each
    """

    def __init__(self, count: int, max_rep: int) -> None:
        self.rep = np.full(count, max_rep, np.uint16)
        self.definition = np.zeros(count, np.uint16)
        self.slots: np.ndarray | None = None
        self._lists = max_rep

    def mark(self, array: pa.Array, level: int) -> None:
        """Give *level* to entries that are null in a layer of items, unless an outer one is."""
        null = self._of(_nulls(array), fill=False)
        self.definition[null & (self.definition == 0)] = level

    def expand(self, array: pa.Array, null: int, empty: int) -> None:
        """Replace entries of a layer of lists by those of its items."""
        offsets = array.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
        sizes = self._of(np.diff(offsets), fill=0)
        starts = self._of(offsets[:-1], fill=0)
        alive = self.definition == 0
        if self.slots is not None:
            alive &= self.slots >= 0
        if null:
            nulls = alive & self._of(_nulls(array), fill=False)
            self.definition[nulls] = null
            alive &= ~nulls
        if empty:
            self.definition[alive & (sizes == 0)] = empty
        grows = alive & (sizes > 0)
        counts = np.where(grows, sizes, 1)
        first = np.cumsum(counts) - counts
        slots = np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(starts - first, counts)
        slots[first[~grows]] = -1
        rep = np.full(len(slots), self._lists - 1, np.uint16)
        rep[first] = self.rep
        self._lists -= 1
        self.rep, self.slots = rep, slots
        self.definition = np.repeat(self.definition, counts)

    def _of(self, items: np.ndarray, *, fill: Any) -> np.ndarray:
        """What *items* of the present layer are to each entry; *fill* for those without one."""
        if self.slots is None:
            return items
        has = self.slots >= 0
        found = np.full(len(self.slots), fill, items.dtype)
        found[has] = items[self.slots[has]]
        return found


def _kinds(array: pa.Array) -> list[tuple[RepDefLayer, bool, bool]]:
    """The layers that an array makes, each with whether it may be null, and may be empty."""
    null = array.null_count > 0 and not pa.types.is_null(array.type)
    if pa.types.is_null(array.type):
        return [(_NULLABLE, True, False)]
    if not (_is_list(array.type) or pa.types.is_map(array.type)):
        return [(_NULLABLE if null else _ITEM, null, False)]
    offsets = array.offsets.to_numpy(zero_copy_only=False)
    empty = bool(((offsets[1:] == offsets[:-1]) & ~_nulls(array)).any())
    found = [(_LISTS[null, empty], null, empty)]
    # The entries of a map are structs that are never null.
    return [*found, (_ITEM, False, False)] if pa.types.is_map(array.type) else found


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _nulls(array: pa.Array) -> np.ndarray:
    found: np.ndarray = array.is_null().to_numpy(zero_copy_only=False)
    return found


def _taken(values: pa.Array, slots: np.ndarray) -> pa.Array:
    """The values at *slots*, a part of the array where they follow each other."""
    if not len(slots):
        return values[:0]
    first, last = int(slots[0]), int(slots[-1])
    if last - first + 1 == len(slots) and (np.diff(slots) == 1).all():
        return values.slice(first, len(slots))
    return values.take(pa.array(slots))
