"""Pages of version 2.0: a column for each field, whose pages have array encodings.

- A list has a column with the ends of lists, followed by the columns of its items; a struct has a
  column of one page without buffers, followed by the columns of its fields.  Structs are never
  null.

Source: https://lance.org/format/file/encoding/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import Unsupported
from byteloom.lance.memory import empty
from byteloom.lance.writing.arrays import ArrayBuffers
from byteloom.lance.writing.blobs import is_blob, written_blobs
from byteloom.lance.writing.options import options_of
from byteloom.lance.writing.packed import is_packed, packed_rows, packed_widths
from byteloom.lance.writing.plan import MadePage, PlannedPage
from byteloom_generated.lance import encodings20 as e

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.lance.writing.options import Options
    from byteloom_generated.lance.tail import Extent

__all__ = ["ArrayColumns"]

_VERSION: Final = "2.0"
_REASON: Final = "version 2.0 has nothing smaller for its type"


class ArrayColumns:
    """The columns of a top-level field, in pre-order, and their pages.

    Attributes:
        count: How many there are.
    """

    def __init__(self, field: pa.Field, put: Callable[[Any], Extent]) -> None:
        """Number the columns of *field*.

        Args:
            put: Writes the bytes of a blob, and returns their place.

        Raises:
            FormatError: For invalid values of the format's own metadata.
        """
        self._top = _ArrayColumn(field, "", 0, put)
        self.count = self._top.count

    def pages(self, array: pa.Array, first: int) -> Iterator[tuple[int, MadePage]]:
        """Yield pages of some rows with the numbers of their columns.

        Args:
            first: The number of the first row.

        Raises:
            Unsupported: For structs that are null.
        """
        return self._top.pages(array, first)

    def last(self) -> Iterator[tuple[int, MadePage]]:
        """Yield the pages of structs; each struct has one page for all rows."""
        return self._top.last()

    def encoding(self, number: int) -> e.ColumnEncoding:
        """Return the encoding of a column as a whole."""
        plain = e.ColumnEncoding(values=e.Values())
        is_blob = any(each.number == number and each.is_blob for each in self._top.walk())
        return e.ColumnEncoding(blob=e.Blob(inner=plain)) if is_blob else plain


class _ArrayColumn:
    """A field: its column, and the columns of its inner fields."""

    def __init__(
        self, field: pa.Field, above: str, number: int, put: Callable[[Any], Extent]
    ) -> None:
        self.path = f"{above}.{field.name}" if above else field.name
        self.options: Options = options_of(field, self.path, _VERSION)
        self.number = number
        self.is_blob = is_blob(field)
        self.is_struct = bool(pa.types.is_struct(field.type)) and not is_packed(field)
        self._put = put
        self._structs: int | None = None
        self.children: list[_ArrayColumn] = []
        at = number + 1
        for each in _children(field):
            self.children.append(_ArrayColumn(each, self.path, at, put))
            at += self.children[-1].count
        self.count: int = at - number

    def pages(self, array: pa.Array, first: int) -> Iterator[tuple[int, MadePage]]:
        """Yield the page of the column, and those inside it."""
        if pa.types.is_struct(array.type) and array.null_count:
            wanted = "structs that are not null: version 2.0 has no others"
            raise Unsupported(f"rows.{self.path}", None, f"{array.null_count} nulls", wanted)
        if self.is_struct:
            self._structs = (self._structs or 0) + len(array)
            inner = [array.field(number) for number in range(array.type.num_fields)]
        elif self.children:
            items = array.flatten()
            yield self._lists(array, len(items), first)
            inner = [items]
        else:
            page = ArrayBuffers(self.options, f"rows.{self.path}")
            encoding = self._leaf(array, page)
            yield self._made(encoding, page.buffers, page.encoding, first, len(array))
            return
        for child, each in zip(self.children, inner, strict=True):
            yield from child.pages(each, first)

    def walk(self) -> Iterator[_ArrayColumn]:
        """Yield the column and all inside it."""
        yield self
        for each in self.children:
            yield from each.walk()

    def _leaf(self, array: pa.Array, page: ArrayBuffers) -> e.ArrayEncoding:
        if self.is_blob:
            nulls = array.is_null().to_numpy(zero_copy_only=False).astype(np.uint64)
            return page.packed([8, 8], written_blobs(array, nulls, self._put).view(np.uint8))
        if pa.types.is_struct(array.type):
            return page.packed(packed_widths(array.type, self.path), packed_rows(array, self.path))
        return page.add(array)

    def last(self) -> Iterator[tuple[int, MadePage]]:
        """Yield the page of structs, if there were any rows, and those inside it."""
        if self._structs is not None:
            encoding = e.ArrayEncoding(struct=e.SimpleStruct())
            yield self._made(encoding, [], "struct", 0, self._structs)
        for each in self.children:
            yield from each.last()

    def _lists(self, array: pa.Array, items: int, first: int) -> tuple[int, MadePage]:
        """The end of each list among the items of the lists that are not null."""
        offsets = array.offsets.to_numpy(zero_copy_only=False)
        if array.null_count:
            nulls = array.is_null().to_numpy(zero_copy_only=False)
            sizes = np.diff(offsets.astype(np.int64))
            ends = np.cumsum(np.where(nulls, 0, sizes)) + nulls * (items + 1)
        else:
            ends = np.subtract(offsets[1:], offsets[0], out=empty(len(array), np.int64))
        page = ArrayBuffers(self.options, f"rows.{self.path}")
        lists = e.List(offsets=page.ends(ends), null_offset_adjustment=items + 1, num_items=items)
        encoding = e.ArrayEncoding(list=lists)
        return self._made(encoding, page.buffers, "list", first, len(array))

    def _made(
        self, encoding: e.ArrayEncoding, buffers: list[np.ndarray], name: str, first: int, rows: int
    ) -> tuple[int, MadePage]:
        size = sum(each.nbytes for each in buffers)
        plan = PlannedPage(self.path, first, rows, "array", name, size, _REASON)
        return self.number, MadePage(encoding, buffers, plan)


def _children(field: pa.Field) -> list[pa.Field]:
    """The fields that have columns of their own."""
    type_ = field.type
    if pa.types.is_struct(type_):
        return [] if is_packed(field) else list(type_)
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return [type_.value_field]
    return []
