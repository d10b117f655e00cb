"""Layers of Lance pages, and what is refused of them, one row at a time, in plain Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from tests.support.lance_plain import check

from byteloom.errors import FormatError
from byteloom_generated.lance.encodings21 import RepDefLayer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from byteloom.lance.column_metadata import Page

__all__ = [
    "PAGE",
    "Layers",
    "Refused",
    "buffer_of",
    "each_of",
    "leaf_values",
    "refused_at",
    "split",
]

PAGE: Final = -1
"""The place of what is wrong with a page as a whole."""

_NULLS: Final[dict[int, tuple[bool, bool]]] = {
    RepDefLayer.REPDEF_ALL_VALID_ITEM: (False, False),
    RepDefLayer.REPDEF_ALL_VALID_LIST: (False, False),
    RepDefLayer.REPDEF_NULLABLE_ITEM: (True, False),
    RepDefLayer.REPDEF_NULLABLE_LIST: (True, False),
    RepDefLayer.REPDEF_EMPTYABLE_LIST: (False, True),
    RepDefLayer.REPDEF_NULL_AND_EMPTY_LIST: (True, True),
}
"""For each kind of layer, whether it may be null, and whether it may be empty."""


class Refused(Exception):
    """Damage at *places* of a file."""

    def __init__(self, *places: int) -> None:
        """Keep the places."""
        super().__init__(*places)
        self.places = set(places)


def refused_at(place: int, read: Callable[[], Any]) -> Any:
    """What *read* returns; what it refuses is refused at *place*."""
    try:
        return read()
    except (ValueError, FormatError) as error:
        raise Refused(place) from error


def each_of(places: Iterable[tuple[int, Any]], read: Callable[[Any], Any]) -> list[Any]:
    """What *read* returns for each of some items; all that it refuses are refused together."""
    found, bad = list[Any](), list[int]()
    for place, item in places:
        try:
            found.append(read(item))
        except (ValueError, FormatError):
            bad.append(place)
    if bad:
        raise Refused(*bad)
    return found


@dataclass(frozen=True)
class _Layer:
    """A layer: its type, and its definition levels of null and of empty, 0 where it has none."""

    type: pa.DataType
    null: int
    empty: int

    @property
    def is_list(self) -> bool:
        """Whether it has lists."""
        found: bool = pa.types.is_list(self.type) or pa.types.is_large_list(self.type)
        return found


class Layers:
    """The layers of a page, the outermost first."""

    def __init__(self, kinds: Sequence[int], type_: pa.DataType) -> None:
        """Number the definition levels of layers of these *kinds*, the leaf first."""
        types = [type_]
        while len(types) < len(kinds):
            types.append(types[-1].field(0).type)
        self.layers, code = list[_Layer](), 0
        for kind, each in zip(kinds, reversed(types), strict=True):
            levels = []
            for has in _NULLS[kind]:
                code += has
                levels.append(code if has else 0)
            self.layers.insert(0, _Layer(each, *levels))
        self.most, self.leaf = code, types[-1]
        self.lists = sum(each.is_list for each in self.layers)
        # Levels above those of the items of the innermost list have no value.
        self.visible = 0
        for layer in reversed(self.layers):
            if layer.is_list:
                break
            self.visible = max(self.visible, layer.null)

    def value(self, entries: Sequence[tuple[int, int, Any]], depth: int = 0) -> Any:
        """The value of a layer that *entries*, each its levels and its leaf, make up."""
        layer, state = self.layers[depth], entries[0][1]
        if state and state in {layer.null, layer.empty}:
            check(len(entries) == 1)
            return None if state == layer.null else []
        if depth == len(self.layers) - 1:
            check(len(entries) == 1, state == 0)
            return entries[0][2]
        if not layer.is_list:
            return {layer.type.field(0).name: self.value(entries, depth + 1)}
        within = sum(each.is_list for each in self.layers[depth + 1 :])
        return [self.value(each, depth + 1) for each in split(entries, within)]


def split(entries: Sequence[tuple[int, int, Any]], level: int) -> list[list[Any]]:
    """Entries in groups, each of which a repetition level of *level* or more begins."""
    groups = list[list[Any]]()
    for number, each in enumerate(entries):
        if each[0] >= level or not number:
            groups.append([])
        groups[-1].append(each)
    return groups


def leaf_values(of: pa.DataType, found: list[Any]) -> list[Any]:
    """Values of a type, of their bytes."""
    if pa.types.is_fixed_size_list(of):
        return [None if each is None else leaf_values(of.value_type, each) for each in found]
    if pa.types.is_string(of):
        return [None if each is None else each.decode() for each in found]
    if pa.types.is_boolean(of):
        numbers = [each if each is None or isinstance(each, int) else each[0] for each in found]
        check(all(each in {None, 0, 1} for each in numbers))
        return [None if each is None else bool(each) for each in numbers]
    if pa.types.is_binary(of) or pa.types.is_large_binary(of):
        return found
    size = of.bit_width // 8
    data = b"".join(bytes(size) if each is None else each for each in found)
    array = pa.Array.from_buffers(of, len(found), [None, pa.py_buffer(data)])
    return [
        None if raw is None else each for raw, each in zip(found, array.to_pylist(), strict=True)
    ]


def buffer_of(file: bytes, page: Page, number: int) -> bytes:
    """The bytes of a buffer of a page."""
    at, size = page.buffers[number]
    return file[at : at + size]
