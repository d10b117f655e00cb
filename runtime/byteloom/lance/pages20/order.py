"""Find the order in which the buffers of a page are stored.

Releases 0.10.18 and 0.11.1 stored them in the reverse of their indices.  The first is known by its
footer.  The second wrote columns without an encoding, as 0.12.0 did, whose buffers are in order:
sizes of buffers that fit only one of the two orders decide.

Source: specs/lance/SOURCE.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom.errors import Unsupported
from byteloom.lance.encodings import array_encoding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.lance.stored_columns import StoredColumns
    from byteloom_generated.lance.encodings20 import ArrayEncoding

__all__ = ["is_reversed"]


def is_reversed(file: StoredColumns) -> bool:
    """Return whether the buffers of all pages are stored in the reverse of their indices.

    Raises:
        Unsupported: The file may be by either release.
    """
    if file.version != "2.0" or file.tail.is_early:
        return file.tail.is_early
    if not file.tail.columns or file.columns([0])[0].encoding.type:
        return False
    pages = [page for column in file.columns() for page in column.pages if len(page.buffers) > 1]
    for page in pages:
        sizes = [size for _, size in page.buffers]
        expected = dict(_sizes(array_encoding(page, file.limits), page.length))
        fits = [
            all(order[index] == size for index, size in expected.items() if index < len(order))
            for order in (sizes, sizes[::-1])
        ]
        if fits[0] != fits[1]:
            return fits[1]
    if not pages:
        return False
    path = f"{pages[0].path}.buffers"
    raise Unsupported(path, pages[0].at, "buffers in either order", "sizes that show the order")


def _sizes(encoding: ArrayEncoding, count: int) -> Iterator[tuple[int, int]]:
    """Yield the sizes of buffers that are known without reading, by their indices."""
    kind = encoding.WhichOneof("array_encoding")
    if kind == "flat" and not encoding.flat.HasField("compression"):
        bits = encoding.flat.bits_per_value
        yield encoding.flat.buffer.buffer_index, -(-count * bits // 8)
    elif kind == "nullable":
        nullable = encoding.nullable
        if nullable.WhichOneof("nullability") == "no_nulls":
            yield from _sizes(nullable.no_nulls.values, count)
        elif nullable.WhichOneof("nullability") == "some_nulls":
            yield from _sizes(nullable.some_nulls.validity, count)
            yield from _sizes(nullable.some_nulls.values, count)
    elif kind == "fixed_size_list":
        lists = encoding.fixed_size_list
        yield from _sizes(lists.items, count * lists.dimension)
    elif kind == "list":
        yield from _sizes(encoding.list.offsets, count)
    elif kind == "binary":
        yield from _sizes(encoding.binary.indices, count)
    elif kind == "dictionary":
        yield from _sizes(encoding.dictionary.indices, count)
        items = encoding.dictionary.num_dictionary_items
        yield from _sizes(encoding.dictionary.items, items)
