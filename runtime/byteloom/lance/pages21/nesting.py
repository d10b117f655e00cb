"""Make nested Arrow arrays from the levels of a page, layer by layer from the leaf outwards.

- Layers are in the order of pages, the leaf first.  A nullable item has one definition level,
  null; a list has one for null, one for empty, or both in this order; levels are numbered from the
  leaf outwards, and 0 is a value.
- An entry whose definition level is above those of the items of a list is that of a null or empty
  list further out: there is no item for it.
- Each item of a fixed-size list of structs has the levels of the list.

Source: https://lance.org/format/file/encoding/#repetition-and-definition-levels
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.kernels.lance_rows import fold_lists
from byteloom.lance.arrays import empty
from byteloom.lance.pages21.values import bitmap
from byteloom_generated.lance.encodings21 import RepDefLayer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["CODES", "LISTS", "Nesting", "nesting_of"]

LISTS: Final = frozenset(
    {
        RepDefLayer.REPDEF_ALL_VALID_LIST,
        RepDefLayer.REPDEF_NULLABLE_LIST,
        RepDefLayer.REPDEF_EMPTYABLE_LIST,
        RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST,
    }
)
"""The layers that are lists of any length."""

CODES: Final[dict[int, int]] = {
    RepDefLayer.REPDEF_ALL_VALID_ITEM: 0,
    RepDefLayer.REPDEF_ALL_VALID_LIST: 0,
    RepDefLayer.REPDEF_NULLABLE_ITEM: 1,
    RepDefLayer.REPDEF_NULLABLE_LIST: 1,
    RepDefLayer.REPDEF_EMPTYABLE_LIST: 1,
    RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST: 2,
}
"""The number of definition levels of each layer."""

_EMPTYABLE: Final = frozenset(
    {RepDefLayer.REPDEF_EMPTYABLE_LIST, RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST}
)
_NULLABLE: Final = frozenset(
    {RepDefLayer.REPDEF_NULLABLE_LIST, RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST}
)


@dataclass(frozen=True, slots=True)
class _Layer:
    """A layer of a page.

    Attributes:
        type: The Arrow type of its array.
        is_list: Whether it has lists of any length.
        size: Items of its fixed-size lists; 1 for anything else.
        null: The definition level of null; 0 where there is none.
        empty: The definition level of an empty list; 0 where there is none.
        most: The highest definition level of its items, including null and empty ones.
    """

    type: pa.DataType
    is_list: bool
    size: int
    null: int
    empty: int
    most: int


class Nesting:
    """The layers between the leaf of a page and its column.

    Attributes:
        type: Type of the column.
        layers: The leaf first.
        leaf: The Arrow type of the leaf.
        max_rep: The highest repetition level, which begins a row.
        most_visible: The highest definition level of an entry that has a value.
        has_levels: Whether there are definition levels at all.
        size: Entries of a row without lists: more than 1 in fixed-size lists of structs.
        path: The name of the page in errors.
    """

    def __init__(self, type_: pa.DataType, kinds: Sequence[int], path: str) -> None:
        """Match the layers of these *kinds*, the leaf first, with a column of *type_*.

        Raises:
            FormatError: For layers that do not fit the type.
        """
        self.path, self.type = path, type_
        types = _types(type_, len(kinds) or None)
        if len(types) < len(kinds):
            types = _types(type_, len(kinds), through_lists=True)
        # Releases 0.19 and 0.20 wrote no layers where nothing is null.
        kinds = kinds or [RepDefLayer.REPDEF_ALL_VALID_ITEM] * len(types)
        # Releases 2.0 to 6 wrote a layer for the fields of descriptors of blobs, too.
        if len(kinds) > len(types) and pa.types.is_struct(types[-1]) and not CODES.get(kinds[0], 1):
            kinds = kinds[1:]
        if len(types) != len(kinds):
            raise FormatError(f"{path}.layers", None, len(kinds), f"at most {len(types)}")
        self.leaf = types[-1]
        self.layers: list[_Layer] = []
        code = 1
        for number, (kind, each) in enumerate(zip(kinds, reversed(types), strict=True)):
            if kind not in CODES:
                raise FormatError(f"{path}.layers[{number}]", None, kind, "a kind of layer")
            is_list = number > 0 and not _is_item(each)
            if is_list != (kind in LISTS):
                wanted = f"a layer of {each}"
                raise FormatError(f"{path}.layers[{number}]", None, RepDefLayer(kind).name, wanted)
            null = code if kind in _NULLABLE or (CODES[kind] and not is_list) else 0
            empty = code + CODES[kind] - 1 if kind in _EMPTYABLE else 0
            code += CODES[kind]
            size = each.list_size if number and pa.types.is_fixed_size_list(each) else 1
            self.layers.append(_Layer(each, is_list, size, null, empty, 0))
        self._set_most(kinds)
        self.has_levels = code > 1
        self.max_level = code - 1
        self.max_rep = sum(each.is_list for each in self.layers)
        self.most_visible = self.layers[0].most
        self.size = int(np.prod([each.size for each in self.layers]))

    def _set_most(self, kinds: Sequence[int]) -> None:
        """Set the levels of all layers below the next outer list in each layer."""
        ends = np.cumsum([CODES[kind] for kind in kinds]).tolist()
        most = ends[-1]
        for number in reversed(range(len(self.layers))):
            each = self.layers[number]
            self.layers[number] = _Layer(
                each.type, each.is_list, each.size, each.null, each.empty, most
            )
            if each.is_list:
                most = ends[number - 1]

    def hidden(self, definition: np.ndarray | None) -> np.ndarray | None:
        """Return the numbers of the entries that have no value; None if all have one."""
        if definition is None or self.max_rep == 0 or self.most_visible == self.max_level:
            return None
        return np.flatnonzero(definition > self.most_visible)

    def visible(self, definition: np.ndarray | None, entries: int) -> int:
        """Return how many of *entries* entries have a value."""
        hidden = self.hidden(definition)
        return entries if hidden is None else entries - len(hidden)

    def arrays(
        self,
        rep: np.ndarray | None,
        definition: np.ndarray | None,
        leaf: Callable[[np.ndarray | None], pa.Array],
        *,
        is_own: bool = False,
    ) -> pa.Array:
        """Return the array of the column.

        Args:
            rep: The repetition level of each entry; None without lists.
            definition: Its definition level; None where nothing is null or empty.
            leaf: Makes the leaf's array, given the bitmap of values that are not null, or None.
            is_own: Whether levels may be changed, since nobody else needs them.
        """
        if definition is not None and len(definition) and definition.max() > self.max_level:
            found = int(definition.max())
            wanted = f"at most {self.max_level}"
            raise FormatError(f"{self.path}.definition_levels", None, found, wanted)
        if rep is not None and len(rep) and rep[0] < self.max_rep:
            wanted = f"{self.max_rep}, since a row begins here"
            raise FormatError(f"{self.path}.repetition_levels[0]", None, int(rep[0]), wanted)
        levels: list[np.ndarray | None] = [rep, definition]
        array = leaf(self._valid(self.layers[0], definition))
        for layer in self.layers[1:]:
            if layer.is_list:
                if not is_own:
                    levels, is_own = [_own(each) for each in levels], True
                array = self._list(layer, levels, array)
            else:
                if layer.size > 1:
                    levels = [None if each is None else each[:: layer.size] for each in levels]
                array = self._item(layer, levels[1], array)
        return array

    def _valid(self, layer: _Layer, definition: np.ndarray | None) -> np.ndarray | None:
        """The bitmap of items that are not null in a layer."""
        if definition is None or not layer.null:
            return None
        if layer.most < self.max_level:
            definition = definition[definition <= layer.most]
        return bitmap(definition < layer.null)

    def _item(self, layer: _Layer, definition: np.ndarray | None, array: pa.Array) -> pa.Array:
        """Structs, or fixed-size lists, of *array*."""
        if len(array) % layer.size:
            wanted = f"a multiple of {layer.size}"
            raise FormatError(self.path, None, f"{len(array)} items", wanted)
        return _made(layer, len(array) // layer.size, [self._valid(layer, definition)], array)

    def _list(self, layer: _Layer, levels: list[np.ndarray | None], items: pa.Array) -> pa.Array:
        """Lists of *items*; their levels become those of the lists."""
        rep, definition = levels
        number = 1 + sum(each.is_list for each in self.layers[: self.layers.index(layer)])
        none = np.zeros(0, np.uint16)
        rep = none if rep is None else np.ascontiguousarray(rep)
        definition = none if definition is None else np.ascontiguousarray(definition)
        below = self.layers[self.layers.index(layer) - 1].most
        is_large = pa.types.is_large_list(layer.type)
        offsets = empty(len(rep) + 1, np.int64 if is_large else np.int32)
        states = empty(len(rep), np.uint16)
        entries, lists, found, bad = fold_lists(
            rep, definition, number, below, layer.most, offsets, states
        )
        if bad >= 0:
            path = f"{self.path}.repetition_levels"
            damage = f"entry {bad} in the middle of a list"
            wanted = "only items there, and no null or empty list around them"
            raise FormatError(path, None, damage, wanted)
        if found != len(items):
            wanted = f"{found}, as levels say"
            raise FormatError(self.path, None, f"{len(items)} items in lists", wanted)
        levels[:] = [rep[:entries], definition[:entries] if len(definition) else None]
        valid = None
        if layer.null and len(definition):
            states = states[:lists]
            valid = bitmap((states <= below) | ((states == layer.empty) & (layer.empty > 0)))
        return _made(layer, lists, [valid, offsets[: lists + 1]], items)


def _own(levels: np.ndarray | None) -> np.ndarray | None:
    """A copy of levels, which is changed when lists are made of them."""
    if levels is None:
        return None
    copied = empty(len(levels), np.uint16)
    copied[:] = levels
    return copied


_known: Final[dict[tuple[int, tuple[int, ...]], Nesting]] = {}
"""The last layers of some types, by the type's id: each page of a column has the same."""

_MOST_KNOWN: Final = 256


def nesting_of(type_: pa.DataType, kinds: Sequence[int], path: str) -> Nesting:
    """Return the layers of a page, as `Nesting` makes them; their arguments are the same."""
    key = id(type_), tuple(kinds)
    found = _known.get(key)
    if found is None or found.type is not type_:
        found = Nesting(type_, list(kinds), path)
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = found
    found = copy(found)
    found.path = path
    return found


def _types(
    type_: pa.DataType, count: int | None, *, through_lists: bool = False
) -> list[pa.DataType]:
    """The types from the column to the leaf, at most *count* of them.

    Args:
        through_lists: Whether fixed-size lists of anything have a layer, as by releases 0.21 to
            0.25.
    """
    types = [type_]
    while count is None or len(types) < count:
        inner = _inner(types[-1])
        if inner is None and through_lists and pa.types.is_fixed_size_list(types[-1]):
            inner = types[-1].value_type
        if inner is None:
            break
        types.append(inner)
    return types


def _inner(type_: pa.DataType) -> pa.DataType | None:
    """The next inner type of *type_* that has a layer of its own."""
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return type_.value_type
    if pa.types.is_fixed_size_list(type_) and pa.types.is_struct(type_.value_type):
        return type_.value_type
    if pa.types.is_struct(type_) and type_.num_fields == 1:
        return type_.field(0).type
    return None


def _is_item(type_: pa.DataType) -> bool:
    return not (pa.types.is_list(type_) or pa.types.is_large_list(type_))


def _made(layer: _Layer, count: int, buffers: list[np.ndarray | None], child: pa.Array) -> pa.Array:
    made: list[Any] = [None if each is None else pa.py_buffer(each) for each in buffers]
    nulls = 0 if buffers[0] is None else -1
    return pa.Array.from_buffers(layer.type, count, made, nulls, children=[child])
