"""Pages of the layout Constant: all values are equal, or null.

Source: https://lance.org/format/file/encoding/#constant-page-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.arrays import rows_at
from byteloom.lance.pages21.blocks import decode_levels
from byteloom.lance.pages21.nesting import Nesting
from byteloom.lance.pages21.parts import Buffers, Chunks
from byteloom.lance.pages21.values import Fixed, Lists, array_of
from byteloom.lance.units import LEVEL

if TYPE_CHECKING:
    from byteloom.lance.pages21.values import Values
    from byteloom.lance.stored_pages import StoredPage
    from byteloom_generated.lance.encodings21 import ConstantLayout

__all__ = ["ConstantPage"]

_WORD: Final = 4


class ConstantPage:
    """A page of one value."""

    def __init__(self, page: StoredPage, layout: ConstantLayout, type_: pa.DataType) -> None:
        """Check *layout* against *page*, whose column has *type_*."""
        self._page, self._layout = page, layout
        self.nesting = Nesting(type_, list(layout.layers), page.path)
        if not layout.layers and len(self.nesting.layers) > 1:
            # Releases 0.19 and 0.20 do not say which layer is null.
            wanted = f"those of {type_}"
            raise FormatError(f"{page.path}.layers", page.at, "no layers", wanted)
        page.need(0, 1, 2, 3)
        self.is_plain = len(page.places) < 2  # noqa: PLR2004  those of levels
        """Whether all rows are alike."""

    def rows(self, count: int) -> pa.Array:
        """Return *count* rows of a page that `is_plain`."""
        if self.nesting.max_rep:
            raise FormatError(f"{self._page.path}.buffers", self._page.at, "no levels", "some")
        return self._made(None, None, count * self.nesting.size)

    def whole(self) -> pa.Array:
        """Return all rows."""
        page, layout = self._page, self._layout
        if self.is_plain:
            return self.rows(page.length // self.nesting.size)
        first = len(page.places) - 2
        rep = self._levels(first, layout, "rep")
        definition = self._levels(first + 1, layout, "def")
        if rep is None and self.nesting.max_rep:
            raise FormatError(f"{page.path}.rep", page.at, "no levels", "some, for lists")
        rep = rep if self.nesting.max_rep else None
        counts = {len(each) for each in (rep, definition) if each is not None}
        if len(counts) > 1:
            raise FormatError(
                f"{page.path}.levels", page.at, f"{sorted(counts)}", "as many of each"
            )
        entries = counts.pop() if counts else page.length
        return self._made(rep, definition, self.nesting.visible(definition, entries))

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        if self.is_plain:
            return self.rows(len(rows))
        return rows_at(self.whole(), rows)

    def _made(self, rep: Any, definition: Any, count: int) -> pa.Array:
        page = self._page
        if count > page.limits.elements:
            wanted = f"at most {page.limits.elements} (limits.elements)"
            raise LimitExceeded(page.path, page.at, f"{count} values", wanted)
        return self.nesting.arrays(rep, definition, lambda valid: self._leaf(count, valid))

    def _leaf(self, count: int, valid: np.ndarray | None) -> pa.Array:
        type_ = self.nesting.leaf
        value = self._value(type_)
        if _is_bare(type_):
            # A struct without fields is written as null, but is not null.
            return _bare(type_, count, None if valid is None else pa.py_buffer(valid))
        if value is None:
            return pa.nulls(count, type_)
        zeros = np.zeros(count, np.int8)
        buffers = [None if valid is None else pa.py_buffer(valid), pa.py_buffer(zeros)]
        return value.take(pa.Array.from_buffers(pa.int8(), count, buffers))

    def _value(self, type_: pa.DataType) -> pa.Array | None:
        """An array with the one value; None if it is null."""
        page, layout = self._page, self._layout
        if layout.HasField("inline_value"):
            data = np.frombuffer(layout.inline_value, np.uint8)
            path = f"{page.path}.inline_value"
            return array_of(_one(type_, data), type_, None, path, page.at)
        if len(page.places) % 2 == 0:
            return None
        return self._stored_value(type_)

    def _stored_value(self, type_: pa.DataType) -> pa.Array:
        """The value in the first buffer: a count of Arrow's buffers, their sizes, the buffers."""
        page, path = self._page, f"{self._page.path}.value"
        at = page.places[0][0]
        data = page.buffers(range(1))[0]
        words = data[: len(data) // _WORD * _WORD].view("<u4")
        count = int(words[0]) if len(words) else 0
        sizes = words[1 : 1 + count].astype(np.int64)
        if len(sizes) != count or _WORD * (1 + count) + sizes.sum() > len(data) or not count:
            raise FormatError(path, at, f"{len(data)} bytes", "buffers of a value")
        ends = _WORD * (1 + count) + np.cumsum(sizes)
        parts = [
            data[end - size : end] for end, size in zip(ends.tolist(), sizes.tolist(), strict=True)
        ]
        is_text = type_ in {pa.string(), pa.binary(), pa.large_string(), pa.large_binary()}
        if count == 1 and not is_text:
            return array_of(_one(type_, parts[0]), type_, None, path, at)
        if count != 2 or not is_text:  # noqa: PLR2004  offsets and bytes
            raise FormatError(path, at, f"{count} buffers", f"those of {type_}")
        width = 8 if type_ in {pa.large_string(), pa.large_binary()} else 4
        ends = np.frombuffer(parts[0].tobytes()[: 2 * width], f"<i{width}")
        if len(ends) != 2 or not 0 <= ends[0] <= ends[1] <= len(parts[1]):  # noqa: PLR2004
            raise FormatError(path, at, f"offsets {ends.tolist()}", f"0 to {len(parts[1])}")
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(parts[1])]
        array = pa.Array.from_buffers(type_, 1, buffers)
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            raise FormatError(path, at, "invalid UTF-8", "text in UTF-8") from error
        return array

    def _levels(self, number: int, layout: ConstantLayout, name: str) -> np.ndarray | None:
        """The levels in a buffer; None where it is empty."""
        page, (at, size) = self._page, self._page.places[number]
        if not size:
            return None
        data = page.buffers(range(number, number + 1))[0]
        field = f"{name}_compression"
        encoding = getattr(layout, field) if layout.HasField(field) else None
        count = size // LEVEL if encoding is None else getattr(layout, f"num_{name}_values")
        if encoding is None and size % LEVEL:
            raise FormatError(f"{page.path}.{name}", at, f"{size} bytes", "levels of two bytes")
        if count > page.limits.elements:
            wanted = f"at most {page.limits.elements} (limits.elements)"
            raise LimitExceeded(f"{page.path}.{name}", at, f"{count} levels", wanted)
        buffers, counts = (Buffers.whole(data),), np.array([count])
        chunks = Chunks(f"{page.path}.{name}", np.array([at]), counts, buffers, page.limits)
        return decode_levels(encoding, chunks)


def _is_bare(type_: pa.DataType) -> bool:
    """Whether a type is a struct that has no fields, or only such structs."""
    return bool(pa.types.is_struct(type_)) and all(_is_bare(each.type) for each in type_)


def _bare(type_: pa.DataType, count: int, valid: pa.Buffer | None) -> pa.Array:
    """Return *count* structs without fields."""
    children = [_bare(each.type, count, None) for each in type_]
    return pa.Array.from_buffers(type_, count, [valid], children=children)


def _one(type_: pa.DataType, data: np.ndarray, count: int = 1) -> Values:
    """The value of *type_* in *data*, or *count* items of a list."""
    if pa.types.is_fixed_size_list(type_):
        size = type_.list_size
        return Lists(size, _one(type_.value_type, data, count * size), None, count)
    if pa.types.is_boolean(type_) and len(data) < count:
        return Fixed(1, data, count)
    return Fixed(8 * (len(data) // count), data, count)
