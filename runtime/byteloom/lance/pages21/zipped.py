"""Values of FullZip pages: each compressed on its own.

Source: https://lance.org/format/file/encoding/#full-zip-page-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.kernels.lance_rows import find_fields
from byteloom.kernels.lance_values import join_buffers
from byteloom.lance.pages21 import codecs
from byteloom.lance.pages21.parts import bytes_of
from byteloom.lance.pages21.symbols import text_of
from byteloom.lance.pages21.values import (
    Fixed,
    Lists,
    Nulls,
    Packed,
    Structs,
    Values,
    Variable,
    bitmap,
)
from byteloom.lance.sized import decompressed

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.lance.stored_pages import StoredPage
    from byteloom_generated.lance.encodings21 import CompressiveEncoding

__all__ = ["fixed_values", "gathered", "variable_values"]

_BYTE: Final = 8


def gathered(data: np.ndarray, places: np.ndarray, sizes: np.ndarray) -> Variable:
    """Return the values of these *sizes* at these *places*, one after the other."""
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    out = np.empty(int(offsets[-1]), np.uint8)
    join_buffers(data, places, sizes, out)
    return Variable.of(offsets, out)


def fixed_values(
    encoding: CompressiveEncoding, rows: np.ndarray, items: int, page: StoredPage
) -> Values:
    """Return values of fixed width.

    Args:
        rows: The bytes of each, as a matrix.
        items: How many items of lists a row has; 1 for anything else.

    Raises:
        FormatError: For another width.
        Unsupported: For other encodings.
    """
    kind, path = codecs.kind_of(encoding, page.path), f"{page.path}.value_compression"
    if kind not in _FIXED:
        raise Unsupported(path, page.at, kind, "an encoding of values of fixed width")
    return _FIXED[kind](getattr(encoding, kind), rows, items, page)


def _flat(message: Any, rows: np.ndarray, items: int, page: StoredPage) -> Values:
    path, (count, size) = f"{page.path}.value_compression", rows.shape
    bits = message.bits_per_value
    if bits == 1 and items > 1 and size == (items + 7) // _BYTE:
        return Fixed(1, _bits(rows, items), count * items)
    if bits == 1 and size == items:
        return Fixed(_BYTE, np.ascontiguousarray(rows).ravel(), count * items)
    if bits * items != size * _BYTE:
        raise FormatError(path, page.at, f"{bits} bits", f"{size * _BYTE // items} bits")
    return Fixed(bits, np.ascontiguousarray(rows).ravel(), count * items)


def _lists(message: Any, rows: np.ndarray, items: int, page: StoredPage) -> Values:
    path, (count, size) = f"{page.path}.value_compression", rows.shape
    inner, valid = items * message.items_per_value, None
    if not 0 < message.items_per_value < 1 << 31 or inner > size * _BYTE:
        raise FormatError(path, page.at, f"lists of {message.items_per_value}", "fewer items")
    if message.has_validity:
        width = (inner + 7) // _BYTE
        valid, rows = _bits(rows[:, :width], inner), rows[:, width:]
    values = fixed_values(message.values, rows, inner, page)
    return Lists(message.items_per_value, values, valid, count * items)


def _packed(message: Any, rows: np.ndarray, items: int, page: StoredPage) -> Values:
    path, (count, size) = f"{page.path}.value_compression", rows.shape
    widths = tuple(message.bits_per_value)
    if sum(widths) * items != size * _BYTE or any(each % _BYTE for each in widths):
        raise FormatError(path, page.at, widths, f"{size * _BYTE} bits, of whole bytes")
    return Packed(widths, np.ascontiguousarray(rows).ravel(), count * items)


def _nulls(message: Any, rows: np.ndarray, items: int, page: StoredPage) -> Values:
    """Return nulls: lists that are all null, by releases 0.38.0 to 2.0.1, or all items null."""
    if message.HasField("value") or rows.shape[1]:
        raise Unsupported(f"{page.path}.value_compression", page.at, "constant", "no value in it")
    return Nulls(len(rows) * items)


_FIXED: Final[dict[str, Callable[[Any, np.ndarray, int, StoredPage], Values]]] = {
    "flat": _flat,
    "fixed_size_list": _lists,
    "packed_struct": _packed,
    "constant": _nulls,
}


def _bits(rows: np.ndarray, count: int) -> np.ndarray:
    """The first *count* bits of each row as one bitmap."""
    return bitmap(np.unpackbits(rows, axis=1, count=count, bitorder="little").ravel())


def variable_values(encoding: CompressiveEncoding, stored: Variable, page: StoredPage) -> Values:
    """Return values of any length, each of which is compressed on its own."""
    kind, path = codecs.kind_of(encoding, page.path), f"{page.path}.value_compression"
    message: Any = getattr(encoding, kind)
    if kind == "variable":
        return stored
    if kind == "fsst":
        coded = variable_values(message.values, stored, page)
        if isinstance(coded, Variable):
            most = page.limits.decompressed_size
            return text_of(message.symbol_table, coded, path, most)
    if kind == "general":
        scheme = message.compression.scheme
        return variable_values(message.values, _inflated(scheme, stored, page), page)
    if kind == "variable_packed_struct":
        return _structs(message, stored, page)
    raise Unsupported(path, page.at, kind, "an encoding of values of any length")


def _inflated(scheme: int, stored: Variable, page: StoredPage) -> Variable:
    """Values decompressed one by one; null and empty ones are skipped."""
    view, parts = stored.data.data, []
    ends, left = stored.offsets.tolist(), page.limits.decompressed_size
    for number in range(stored.count):
        start, end = ends[number], ends[number + 1]
        path = f"{page.path}.values[{number}]"
        content = b""
        if start < end:
            content = decompressed(scheme, view[start:end], page.limits, path, page.at)
        left -= len(content)
        if left < 0:
            wanted = f"at most {page.limits.decompressed_size} (limits.decompressed_size)"
            raise LimitExceeded(path, page.at, "more bytes", wanted)
        parts.append(content)
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(each) for each in parts], out=offsets[1:])
    data = bytes_of(b"".join(parts))
    return Variable.of(offsets, data)


def _structs(message: Any, stored: Variable, page: StoredPage) -> Values:
    """The fields of structs, one after the other in each."""
    at, ends = stored.offsets[:-1].astype(np.int64), stored.offsets[1:].astype(np.int64)
    fields: list[Values] = []
    # A null struct has no bytes, and gets arbitrary fields.
    is_there = ends > at
    at, ends = at[is_there], ends[is_there]
    for number, each in enumerate(message.fields):
        path = f"{page.path}.value_compression.fields[{number}]"
        is_fixed = each.WhichOneof("layout") == "bits_per_value"
        bits = each.bits_per_value if is_fixed else each.bits_per_length
        if bits % _BYTE or not bits or (not is_fixed and bits not in {32, 64}) or bits >= 1 << 31:
            raise FormatError(path, page.at, f"{bits} bits", "whole bytes; 32 or 64 of a length")
        places, sizes = np.empty(len(at), np.int64), np.empty(len(at), np.int64)
        size, length = (bits // _BYTE, 0) if is_fixed else (0, bits // _BYTE)
        bad = find_fields(stored.data, at, ends, size, length, places, sizes)
        if bad >= 0:
            raise FormatError(path, page.at, f"struct {bad}, which ends in it", "a whole field")
        found, all_sizes = np.zeros(len(is_there), np.int64), np.zeros(len(is_there), np.int64)
        found[is_there], all_sizes[is_there] = places, sizes
        if is_fixed:
            rows = np.zeros((len(is_there), size), np.uint8)
            joined = gathered(stored.data, places, sizes).data
            rows[is_there] = joined.reshape(len(at), size)
            fields.append(fixed_values(each.value, rows, 1, page))
        else:
            values = gathered(stored.data, found, all_sizes)
            fields.append(variable_values(each.value, values, page))
    return Structs(fields, stored.count)
