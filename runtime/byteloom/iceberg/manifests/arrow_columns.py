"""Decoded columns as Arrow arrays, of some rows or all; lists and maps, of which rows are chosen.

The rules:

- A kernel copies bytes once, run by run; no Python object is made for a value.
- Text must be valid UTF-8, and a number must fit the type of its column.
- Lists and maps are offsets into columns of their items.

Source: Iceberg table spec, "Manifests".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.iceberg.expressions.stats import Spans
from byteloom.iceberg.manifests.decoding import Runs
from byteloom.kernels.manifests import (
    fill_runs,
    gather_items,
    gather_runs,
    item_runs,
    map_numbers,
    map_runs,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rows = NDArray[np.intp]
    Numbers = NDArray[np.int64]

__all__ = [
    "Lists",
    "gathered",
    "items_of",
    "list_array",
    "long_lists",
    "map_array",
    "number_array",
    "packed_spans",
    "places_before",
    "texts",
    "validity",
]

_ASCII: Final = 0x7F
_INT: Final = np.iinfo(np.int32)
_WIDTHS: Final = {pa.int32(): np.int32}
"""Types of numbers that NumPy converts in a tenth of the time in which an Arrow cast starts."""


def number_array(
    numbers: NDArray[np.int64], of: pa.DataType, valid: NDArray[np.bool_], name: str
) -> pa.Array:
    """Return numbers as an array of type *of*, null where not *valid*; errors name it *name*."""
    if not valid.any():
        return pa.nulls(len(numbers), of)
    width = _WIDTHS.get(of)
    if width is not None and _INT.min <= numbers.min() <= numbers.max() <= _INT.max:
        held = [validity(valid), pa.py_buffer(numbers.astype(width))]
        return pa.Array.from_buffers(of, len(numbers), held)
    held = [validity(valid), pa.py_buffer(np.ascontiguousarray(numbers, np.int64))]
    array = pa.Array.from_buffers(pa.int64(), len(numbers), held)
    try:
        return array if of == array.type else array.cast(of)
    except pa.ArrowInvalid as error:
        least, most = int(numbers[valid].min()), int(numbers[valid].max())
        raise FormatError(name, None, f"{least} to {most}", f"numbers of type {of}") from error


def gathered(spans: Spans) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the runs in one buffer, and the offset of each and of the end."""
    offsets = np.zeros(len(spans) + 1, np.int64)
    np.cumsum(np.maximum(spans.sizes, 0), out=offsets[1:])
    out = np.empty(int(offsets[-1]), np.uint8)
    gather_runs(spans.data, spans.places, spans.sizes, offsets, out)
    return out, offsets


def runs_array(spans: Spans) -> pa.Array:
    """Return runs of bytes as a large_binary array, null for missing ones."""
    out, offsets = gathered(spans)
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(spans), [validity(spans.sizes >= 0), *_buffers(offsets, out)]
    )


def texts(spans: Spans, of: pa.DataType, name: str) -> pa.Array:
    """Return runs as large_string (which must be valid UTF-8), as large_binary or as floats."""
    if pa.types.is_floating(of):
        return _floats(spans, of)
    if pa.types.is_large_binary(of):
        return runs_array(spans)
    out, offsets = gathered(spans)
    held = [validity(spans.sizes >= 0), *_buffers(offsets, out)]
    is_ascii = not len(out) or out.max() <= _ASCII
    made = pa.large_string() if is_ascii else pa.large_binary()
    array = pa.Array.from_buffers(made, len(spans), held)
    try:
        return array if is_ascii else array.cast(pa.large_string())
    except pa.ArrowInvalid as error:
        raise FormatError(name, None, "bytes that are not UTF-8", "text") from error


def _floats(spans: Spans, of: pa.DataType) -> pa.Array:
    """Return runs of fixed width as floats."""
    valid = spans.sizes >= 0
    numbers = np.zeros(len(spans), of.to_pandas_dtype())
    numbers[valid] = gathered(spans)[0][: valid.sum() * numbers.itemsize].view(numbers.dtype)
    return pa.array(numbers, of, mask=~valid)


def list_array(runs: Runs, items: pa.Array) -> pa.Array:
    """Return lists whose items follow one another, in the order of the rows."""
    offsets = np.zeros(len(runs.starts) + 1, np.int64)
    np.cumsum(runs.ends - runs.starts, out=offsets[1:])
    return pa.LargeListArray.from_buffers(
        pa.large_list(items.type),
        len(runs.starts),
        [validity(runs.valid), pa.py_buffer(offsets)],
        children=[items],
    )


def long_lists(runs: Runs, items: NDArray[np.int64], of: pa.DataType, name: str) -> pa.Array:
    """Return lists of numbers."""
    values = items_of(runs, items[:1])[0]
    everywhere = np.ones(len(values), np.bool_)
    return list_array(runs, number_array(values, of.value_type, everywhere, name))


def map_array(
    runs: Runs, items: NDArray[np.int64], of: pa.DataType, name: str, data: NDArray[np.uint8] | None
) -> pa.Array:
    """Return maps from column ids to numbers, or to the bytes of *data*."""
    offsets = np.zeros(len(runs.starts) + 1, np.int32)
    np.cumsum(runs.ends - runs.starts, out=offsets[1:])
    count = int(offsets[-1])
    keys, values = np.empty(count, np.int32), np.empty(count + 1, np.int64)
    copied = map_numbers if data is None else map_runs
    if copied(items, runs.starts, runs.ends, keys, values) < 0:
        number_array(items_of(runs, items)[0], of.key_type, np.ones(count, np.bool_), name)
    buffers = [None, pa.py_buffer(values)]
    if data is not None:
        out = np.empty(int(values[-1]), np.uint8)
        fill_runs(items, runs.starts, runs.ends, data, out)
        buffers.append(pa.py_buffer(out))
    entries = pa.StructArray.from_arrays(
        [pa.array(keys), pa.Array.from_buffers(of.item_type, count, buffers)],
        fields=[of.key_field, of.item_field],
    )
    return pa.MapArray.from_buffers(
        of, len(runs.starts), [validity(runs.valid), pa.py_buffer(offsets)], children=[entries]
    )


def packed_spans(packed: NDArray[np.int64], data: NDArray[np.uint8]) -> Spans:
    """Return the runs of bytes given by words: offset in the upper half, size in the lower."""
    places, sizes = np.empty_like(packed), np.empty_like(packed)
    item_runs(packed, places, sizes)
    return Spans(data, places, sizes)


def items_of(runs: Runs, items: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the items of all rows, one row after the other."""
    out = np.empty((len(items), int((runs.ends - runs.starts).sum())), np.int64)
    gather_items(items, runs.starts, runs.ends, out)
    return out


def validity(valid: NDArray[np.bool_]) -> Any:
    """Return an array's validity as bits; None if all values are valid."""
    return None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))


def _buffers(offsets: NDArray[np.int64], out: NDArray[np.uint8]) -> list[Any]:
    """Return offsets and content as Arrow buffers."""
    return [pa.py_buffer(offsets), pa.py_buffer(out)]


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists or maps of numbers; of bytes if *data* is not None, the numbers then being places."""

    runs: Runs
    items: Numbers
    data: NDArray[np.uint8] | None = None

    def view(self, rows: Rows) -> Lists:
        """Return some of the lists, which share the same items."""
        runs = self.runs.of(rows)
        return Lists(runs, self.items, self.data)

    def take(self, rows: Rows) -> Lists:
        """Return some of the lists, with their items copied."""
        runs = self.runs.of(rows)
        items = items_of(runs, self.items)
        ends = np.cumsum(runs.ends - runs.starts)
        made = Runs(ends - (runs.ends - runs.starts), ends, runs.valid)
        if self.data is None:
            return Lists(made, items)
        spans = packed_spans(items[1], self.data)
        data, offsets = gathered(spans)
        items[1] = offsets[:-1] << 32 | spans.sizes
        return Lists(made, items, data)

    @classmethod
    def joined(cls, parts: Sequence[Lists]) -> Lists:
        """Return the lists of several parts, one after the other."""
        before = places_before([each.items.shape[1] for each in parts])
        starts = [each.runs.starts + start for each, start in zip(parts, before, strict=True)]
        ends = [each.runs.ends + start for each, start in zip(parts, before, strict=True)]
        runs = Runs(np.concatenate(starts), np.concatenate(ends), _all_valid(parts))
        if parts[0].data is None:
            return cls(runs, np.concatenate([each.items for each in parts], axis=1))
        data = [each.data for each in parts if each.data is not None]
        places = places_before([len(each) for each in data])
        moved = [each.items.copy() for each in parts]
        for items, place in zip(moved, places, strict=True):
            items[1] += place << 32
        return cls(runs, np.concatenate(moved, axis=1), np.concatenate(data))


def places_before(sizes: Sequence[int]) -> list[int]:
    """Return the sum of all sizes before each."""
    return [0, *np.cumsum(sizes[:-1]).tolist()]


def _all_valid(parts: Sequence[Lists]) -> NDArray[np.bool_]:
    """Return which lists of all parts are not null."""
    return np.concatenate([each.runs.valid for each in parts])
