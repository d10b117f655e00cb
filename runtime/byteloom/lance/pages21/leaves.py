"""Values of a leaf as Arrow has them, dictionaries and blobs included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.pages21.blocks import decode_blocks
from byteloom.lance.pages21.parts import Buffers, Chunks
from byteloom.lance.pages21.values import Fixed, array_of, bitmap

if TYPE_CHECKING:
    from byteloom.lance.pages21.stored import StoredPage
    from byteloom.lance.pages21.values import Values
    from byteloom_generated.lance.encodings21 import CompressiveEncoding

__all__ = ["blob_array", "dictionary_of", "looked_up", "plain"]

_INTEGERS = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}
_POSITION, _SIZE = 0, 1


def plain(
    page: StoredPage, values: Values, type_: pa.DataType, valid: np.ndarray | None
) -> pa.Array:
    """Return values that are stored as they are."""
    if pa.types.is_null(type_):
        return pa.nulls(values.count)
    return array_of(values, type_, valid, f"{page.path}.values", page.at)


def dictionary_of(
    page: StoredPage, encoding: CompressiveEncoding, count: int, data: np.ndarray, type_: Any
) -> pa.Array:
    """Return the dictionary of a page, whose buffer is *data*.

    count  its items
    type_  that of the leaf
    """
    path = f"{page.path}.dictionary"
    if count > page.limits.elements:
        wanted = f"at most {page.limits.elements} (limits.elements)"
        raise LimitExceeded(path, page.at, f"{count} items", wanted)
    place = np.array([page.places[2][0]])
    buffers = (Buffers.whole(data),)
    chunks = Chunks(path, place, np.array([count]), buffers, page.limits)
    items = decode_blocks(encoding, chunks)
    inner = type_.value_type if pa.types.is_dictionary(type_) else type_
    return array_of(items, inner, None, path, page.at)


def looked_up(
    page: StoredPage, values: Values, items: pa.Array, type_: Any, valid: np.ndarray | None
) -> pa.Array:
    """Return the *items* of a dictionary that *values* are the numbers of."""
    path = f"{page.path}.values"
    if not isinstance(values, Fixed) or values.bits not in _INTEGERS:
        raise FormatError(path, page.at, "another kind of values", "indices into a dictionary")
    kind = _INTEGERS[values.bits]
    if pa.types.is_dictionary(type_):
        if type_.index_type.bit_width != values.bits:
            raise FormatError(path, page.at, f"indices of {values.bits} bits", str(type_))
        kind = type_.index_type
    indices = array_of(values, kind, valid, path, page.at)
    _check_indices(page, indices, len(items))
    if pa.types.is_dictionary(type_):
        return pa.DictionaryArray.from_arrays(indices, items, ordered=type_.ordered, safe=False)
    return items.take(indices)


def _check_indices(page: StoredPage, indices: pa.Array, count: int) -> None:
    """Refuse a number that no item has; null ones may be anything."""
    import pyarrow.compute as pc

    found = pc.min_max(indices).as_py()
    if found["min"] is not None and not 0 <= found["min"] <= found["max"] < count:
        worst = found["min"] if found["min"] < 0 else found["max"]
        raise FormatError(f"{page.path}.values", page.at, f"index {worst}", f"0 to {count - 1}")


def blob_array(
    page: StoredPage, places: pa.Array, type_: pa.DataType, valid: np.ndarray | None
) -> pa.Array:
    """Return the blobs that *places*, structs of a position and a size, are about.

    valid   which are not null, as truth values; None for all but those of position 1 and size 0
    raises  `FormatError` for one outside of the file, `LimitExceeded` for more than the file has
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
