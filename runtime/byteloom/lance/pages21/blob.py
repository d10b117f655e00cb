"""Pages of the layout Blob: where each value is in the file.

Source: https://lance.org/format/file/encoding/#blob-page-layout
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError, Unsupported
from byteloom.lance.pages21.leaf_arrays import blob_array
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom.lance.pages21.nesting import Nesting

if TYPE_CHECKING:
    from byteloom.lance.stored_pages import StoredPage
    from byteloom_generated.lance.encodings21 import BlobLayout

__all__ = ["BlobPage"]

_PLACE: Final = pa.struct([("position", pa.uint64()), ("size", pa.uint64())])
_LEVEL_BITS: Final = 16


class BlobPage:
    """A page whose values are read when their rows are asked for."""

    def __init__(self, page: StoredPage, layout: BlobLayout, type_: pa.DataType) -> None:
        """Check *layout* against *page*, whose column has *type_*."""
        self._page = page
        self.nesting = Nesting(type_, list(layout.layers), page.path)
        kind = layout.inner_layout.WhichOneof("layout")
        if self.nesting.max_rep or kind != "mini_block_layout":
            found = "lists of blobs" if self.nesting.max_rep else f"places as {kind}"
            raise Unsupported(f"{page.path}.layers", page.at, found, "blobs, one for each row")
        leaf = self.nesting.leaf
        if leaf not in {pa.binary(), pa.large_binary()}:
            raise FormatError(f"{page.path}.layout", page.at, "blobs", f"values of {leaf}")
        inner = layout.inner_layout.mini_block_layout
        self._inner = MiniBlockPages([page], [inner], _PLACE)

    def whole(self) -> pa.Array:
        """Return all rows."""
        return self._made(self._inner.whole())

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        return self._made(self._inner.take(rows))

    def _made(self, places: pa.Array) -> pa.Array:
        """The blobs at these *places*; the position of a null is its levels."""
        positions = places.field(0).to_numpy(zero_copy_only=False).astype(np.uint64)
        sizes = places.field(1).to_numpy(zero_copy_only=False)
        levels = np.where(sizes == 0, positions >> np.uint64(_LEVEL_BITS), np.uint64(0))
        if len(levels) and levels.max() > self.nesting.max_level:
            found = f"a definition level of {levels.max()}"
            raise FormatError(self._page.path, self._page.at, found, f"{self.nesting.max_level}")
        definition = levels.astype(np.uint16) if self.nesting.has_levels else None
        valid = levels == 0
        return self.nesting.arrays(
            None,
            definition,
            lambda _: blob_array(self._page, places, self.nesting.leaf, valid),
        )
