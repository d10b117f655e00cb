"""Arrow arrays of a leaf: of its values, of codes and their dictionary, of places of blobs.

`values` makes the arrays of values; here is what a page adds to these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.arrays import empty, items_at
from byteloom.lance.pages21.blocks import decode_blocks
from byteloom.lance.pages21.parts import Buffers, Chunks
from byteloom.lance.pages21.values import Fixed, array_of, bitmap
from byteloom.lance.stored_pages import places_of
from byteloom.late import pc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.pages21.values import Values
    from byteloom.lance.stored_pages import StoredPage
    from byteloom_generated.lance.encodings21 import CompressiveEncoding

__all__ = ["Dictionary", "blob_array", "plain"]

_INTEGERS = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}
_POSITION, _SIZE = 0, 1
_DICTIONARY = 2


def plain(
    page: StoredPage, values: Values, type_: pa.DataType, valid: np.ndarray | None
) -> pa.Array:
    """Return values that are stored without a dictionary."""
    if pa.types.is_null(type_):
        return pa.nulls(values.count)
    return array_of(values, type_, valid, f"{page.path}.values", page.at)


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The items of the dictionaries of pages.

    Attributes:
        items: The items of all pages.
        counts: Number of items of each page.
    """

    items: pa.Array
    counts: np.ndarray

    @classmethod
    def read(
        cls,
        pages: Sequence[StoredPage],
        encoding: CompressiveEncoding,
        counts: Sequence[int],
        stored: Sequence[np.ndarray],
        type_: Any,
    ) -> Self:
        """Return the dictionaries of *pages*, whose buffers are *stored*.

        Args:
            counts: Number of items of each.
            type_: Type of the leaf.
        """
        page = pages[0]
        path, limits = f"{page.path}.dictionary", page.limits
        if sum(counts) > limits.elements:
            wanted = f"at most {limits.elements} (limits.elements)"
            raise LimitExceeded(path, page.at, f"{sum(counts)} items", wanted)
        places = places_of(pages, _DICTIONARY)[:, 0]
        buffers = (Buffers.of(stored),)
        found = decode_blocks(encoding, Chunks(path, places, np.array(counts), buffers, limits))
        inner = type_.value_type if pa.types.is_dictionary(type_) else type_
        return cls(array_of(found, inner, None, path, int(places[0])), np.array(counts))

    def looked_up(
        self,
        page: StoredPage,
        values: Values,
        type_: Any,
        valid: np.ndarray | None,
        pages: np.ndarray | None,
    ) -> pa.Array:
        """Return the dictionary items with the numbers *values*.

        Args:
            pages: How many values are of each page; None where there is one page.
        """
        path = f"{page.path}.values"
        if not isinstance(values, Fixed) or values.bits not in _INTEGERS:
            found = "another kind of values"
            raise FormatError(path, page.at, found, "indices into a dictionary")
        if pages is not None:
            return items_at(self.items, self._numbers(path, values, valid, pages))
        kind = _INTEGERS[values.bits]
        if pa.types.is_dictionary(type_):
            if type_.index_type.bit_width != values.bits:
                raise FormatError(path, page.at, f"indices of {values.bits} bits", str(type_))
            kind = type_.index_type
        indices = array_of(values, kind, valid, path, page.at)
        _check_indices(page, indices, len(self.items))
        if pa.types.is_dictionary(type_):
            ordered = type_.ordered
            return pa.DictionaryArray.from_arrays(indices, self.items, ordered=ordered, safe=False)
        return items_at(self.items, indices)

    def _numbers(
        self, path: str, values: Fixed, valid: np.ndarray | None, pages: np.ndarray
    ) -> pa.Array:
        """The numbers of values of several pages among the items of all of these."""
        words = values.data[: values.count * values.bits // 8].view(f"<i{values.bits // 8}")
        is_wide = int(self.counts.sum()) > np.iinfo(np.int32).max
        numbers = empty(values.count, np.int64 if is_wide else np.int32)
        start = before = 0
        for rows, count in zip(pages.tolist(), self.counts.tolist(), strict=True):
            own = words[start : start + rows]
            if rows and not 0 <= own.min() <= own.max() < count:
                outside = (own < 0) | (own >= count)
                if valid is not None:
                    bits = np.unpackbits(valid, count=start + rows, bitorder="little")
                    outside &= bits[start:] == 1
                if outside.any():
                    raise FormatError(path, None, "an index", "one of an item")
            np.add(own, before, out=numbers[start : start + rows], casting="unsafe")
            start, before = start + rows, before + count
        bitmap = None if valid is None else pa.py_buffer(valid)
        type_ = pa.int64() if is_wide else pa.int32()
        return pa.Array.from_buffers(type_, len(numbers), [bitmap, pa.py_buffer(numbers)])


def _check_indices(page: StoredPage, indices: pa.Array, count: int) -> None:
    """Refuse a number without an item; numbers of nulls may be anything."""
    found = pc.min_max(indices).as_py()
    if found["min"] is not None and not 0 <= found["min"] <= found["max"] < count:
        worst = found["min"] if found["min"] < 0 else found["max"]
        raise FormatError(f"{page.path}.values", page.at, f"index {worst}", f"0 to {count - 1}")


def blob_array(
    page: StoredPage, places: pa.Array, type_: pa.DataType, valid: np.ndarray | None
) -> pa.Array:
    """Return the blobs at *places*, structs of a position and a size.

    Args:
        valid: Which are not null, as truth values; None for all but those of position 1 and size 0.

    Raises:
        FormatError: For one outside the file.
        LimitExceeded: For more than the file has.
    """
    positions = places.field(_POSITION).to_numpy(zero_copy_only=False).astype(np.uint64)
    sizes = places.field(_SIZE).to_numpy(zero_copy_only=False).astype(np.uint64)
    if valid is None:
        valid = places.is_valid().to_numpy(zero_copy_only=False)
        valid = valid & ~((sizes == 0) & (positions == 1))
    end = np.uint64(page.source.size)
    has = valid & (sizes > 0)
    sound = ~has | ((sizes <= end) & (positions <= end - np.minimum(sizes, end)))
    if not sound.all():
        row = int(np.argmin(sound))
        found = f"{sizes[row]} bytes at {positions[row]}"
        raise FormatError(f"{page.path}.blobs[{row}]", page.at, found, f"a file of {end} bytes")
    kept = np.where(has, sizes, np.uint64(0)).astype(np.float64).sum()
    if kept > page.source.size:
        raise LimitExceeded(f"{page.path}.blobs", page.at, f"{kept:.0f} bytes", f"{end}")
    lengths = np.where(has, sizes, np.uint64(0)).astype(np.int64)
    ranges = list(zip(positions[has].tolist(), sizes[has].tolist(), strict=True))
    data = b"".join(page.source.read_ranges(ranges))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if not pa.types.is_large_binary(type_):
        offsets = offsets.astype(np.int32)
    buffers = [pa.py_buffer(bitmap(valid)), pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(type_, len(valid), buffers)
