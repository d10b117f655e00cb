"""Pages of the layout FullZip: entries one after the other, each its levels and its value.

- A page whose entries have neither levels nor lengths has only values, which are not copied.
- Rows are found by the repetition index, or at multiples of an entry's size.

Source: https://lance.org/format/file/encoding/#full-zip-page-layout
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels.lance_rows import find_values
from byteloom.lance.arrays import rows_at
from byteloom.lance.pages21.leaf_arrays import plain
from byteloom.lance.pages21.nesting import Nesting
from byteloom.lance.pages21.zipped import fixed_values, gathered, variable_values
from byteloom.lance.units import LEVEL_BITS

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.lance.pages21.values import Values
    from byteloom.lance.stored_pages import StoredPage
    from byteloom_generated.lance.encodings21 import FullZipLayout

__all__ = ["FullZipPage", "RowPieces"]


@dataclass(frozen=True, slots=True)
class RowPieces:
    """A piece for each row.

    Attributes:
        starts: Offset of each piece in the buffer.
        sizes: Bytes of each.
    """

    starts: np.ndarray
    sizes: np.ndarray

    def place(self, at: int) -> int:
        """Return where in the buffer a byte of the joined pieces is."""
        ends = np.cumsum(self.sizes)
        piece = min(int(np.searchsorted(ends, at, "right")), len(ends) - 1)
        return int(self.starts[piece] + at - (ends[piece] - self.sizes[piece]))

    def misplaced(self, spans: np.ndarray, is_first: np.ndarray) -> int | None:
        """Return the offset in the buffer of the first entry that is not where its row should be.

        Args:
            spans: Bytes of each entry, from that at the beginning on.
            is_first: Whether an entry is the first of a row.

        Returns:
            None where each row is one piece.
        """
        empty = np.flatnonzero(self.sizes == 0)
        if len(empty):
            return int(self.starts[empty[0]])
        ends = np.cumsum(self.sizes)
        stops = np.cumsum(spans)
        begins = stops - spans
        piece = np.searchsorted(ends, begins, "right")
        begins_piece = begins == (ends - self.sizes)[piece]
        bad = np.flatnonzero((stops > ends[piece]) | (begins_piece != is_first))
        return self.place(int(begins[bad[0]])) if len(bad) else None


_BYTE: Final = 8


class FullZipPage:
    """A page whose entries are found one after the other."""

    def __init__(self, page: StoredPage, layout: FullZipLayout, type_: pa.DataType) -> None:
        """Check *layout* against *page*, whose column has *type_*."""
        self._page, self._layout = page, layout
        self.nesting = Nesting(type_, list(layout.layers), page.path)
        page.need(1, 2)
        for name in ("bits_rep", "bits_def"):
            bits = getattr(layout, name)
            if bits > LEVEL_BITS:
                raise FormatError(f"{page.path}.{name}", page.at, bits, f"at most {LEVEL_BITS}")
        self._is_variable = layout.WhichOneof("details") == "bits_per_offset"
        total = layout.bits_rep + layout.bits_def
        self._control = 0 if not total else 1 if total <= _BYTE else 2 if total <= LEVEL_BITS else 4
        bits = layout.bits_per_offset if self._is_variable else layout.bits_per_value
        if self._is_variable and bits not in {32, 64}:
            raise FormatError(f"{page.path}.bits_per_offset", page.at, bits, "32 or 64")
        if bits % _BYTE:
            raise FormatError(f"{page.path}.bits_per_value", page.at, bits, "a multiple of 8")
        self._size = 0 if self._is_variable else bits // _BYTE
        self._length = bits // _BYTE if self._is_variable else 0
        if self.nesting.max_rep and not layout.bits_rep:
            raise FormatError(f"{page.path}.bits_rep", page.at, 0, "1 or more, for lists")

    def whole(self) -> pa.Array:
        """Return all rows."""
        layout = self._layout
        return self._decoded(self._page.buffers(range(1))[0], layout.num_items)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        has_places = len(self._page.places) > 1
        if self.nesting.size > 1 or not (has_places or self._stride):
            return rows_at(self.whole(), rows)
        starts, ends = self._places(rows) if has_places else self._multiples(rows)
        size = self._page.places[0][1]
        if len(rows) and ((starts > ends).any() or starts.min() < 0 or ends.max() > size):
            found = f"rows at {starts.min()} to {ends.max()}"
            path = f"{self._page.path}.repetition_index"
            raise FormatError(path, self._page.at, found, f"ascending ones up to {size}")
        pieces = RowPieces(starts, ends - starts)
        return self._decoded(self._page.pieces(0, starts, pieces.sizes), None, pieces)

    @property
    def _stride(self) -> int:
        """Bytes of each row if all have the same size; otherwise 0."""
        return 0 if self._is_variable or self.nesting.max_rep else self._control + self._size

    def _multiples(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return rows * self._stride, (rows + 1) * self._stride

    def _places(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The beginning and the end of each row, by the repetition index."""
        page, (at, size) = self._page, self._page.places[1]
        width = size // (page.length + 1)
        if width not in {1, 2, 4, 8} or width * (page.length + 1) != size:
            path, wanted = f"{page.path}.repetition_index", f"{page.length + 1} places"
            raise FormatError(path, at, f"{size} bytes", wanted)
        data = page.buffers(range(1, 2))[0].view(f"<u{width}")
        return data[rows].astype(np.int64), data[rows + 1].astype(np.int64)

    def _decoded(
        self, data: np.ndarray, entries: int | None, pieces: RowPieces | None = None
    ) -> pa.Array:
        """Return the rows in *data*, which has this number of *entries* if that is known.

        Args:
            pieces: The pieces that *data* is joined from; None if it is the whole buffer.
        """
        page, layout = self._page, self._layout
        smallest = self._control or (self._size + self._length)
        most = len(data) // smallest if smallest else layout.num_items
        if entries is not None and entries > most:
            raise FormatError(f"{page.path}.num_items", page.at, entries, f"at most {most}")
        count = most if entries is None else entries
        if count > page.limits.elements:
            wanted = f"at most {page.limits.elements} (limits.elements)"
            raise LimitExceeded(f"{page.path}.num_items", page.at, count, wanted)
        if self._control == 0 and not self._is_variable:
            if pieces is not None:
                self._check_pieces(pieces, np.full(count, self._size), np.ones(count, np.bool_))
            values = self._fixed(data, None, count)
            return self.nesting.arrays(
                None, None, lambda valid: plain(page, values, self._leaf, valid)
            )
        rep, definition = np.zeros(count, np.uint16), np.zeros(count, np.uint16)
        places, sizes = np.empty(count, np.int64), np.empty(count, np.int64)
        visible = self.nesting.most_visible if self.nesting.has_levels else (1 << LEVEL_BITS)
        found, number, end = find_values(
            data,
            self._control,
            layout.bits_def,
            visible,
            self._size,
            self._length,
            rep,
            definition,
            places,
            sizes,
        )
        if pieces is not None:
            spans = self._spans(definition[:found], visible, sizes[:number])
            is_first = rep[:found] >= self.nesting.max_rep
            self._check_pieces(pieces, spans, is_first | (self.nesting.max_rep == 0))
        if end != len(data) or (entries is not None and found != entries):
            wanted = f"{count} entries of {len(data)} bytes"
            place = page.places[0][0] + (end if pieces is None else pieces.place(end))
            raise FormatError(f"{page.path}.values", place, f"{found} entries of {end}", wanted)
        places, sizes = places[:number], sizes[:number]
        zipped = self._variable(data, places, sizes) if self._is_variable else None
        values = zipped or self._fixed(data, places, number)
        levels = rep[:found] if self.nesting.max_rep else None
        states = definition[:found] if self.nesting.has_levels else None
        return self.nesting.arrays(
            levels, states, lambda valid: plain(page, values, self._leaf, valid)
        )

    def _spans(self, definition: np.ndarray, visible: int, sizes: np.ndarray) -> np.ndarray:
        """The bytes of each entry, including its value if it has one."""
        spans = np.full(len(definition), self._control, np.int64)
        has_value = definition <= visible
        lengths = np.where(definition[has_value] == 0, self._length, 0)
        spans[has_value] += sizes + lengths
        return spans

    def _check_pieces(self, pieces: RowPieces, spans: np.ndarray, is_first: np.ndarray) -> None:
        """Refuse rows that do not begin and end where the repetition index says."""
        bad = pieces.misplaced(spans, is_first)
        if bad is not None:
            place = self._page.places[0][0] + bad
            wanted = "rows that begin and end as the repetition index says"
            raise FormatError(f"{self._page.path}.values", place, "part of a row", wanted)

    @property
    def _leaf(self) -> pa.DataType:
        return self.nesting.leaf

    def _fixed(self, data: np.ndarray, places: np.ndarray | None, count: int) -> Values:
        """Values of fixed width at *places*; all of *data* if there are no *places*."""
        if places is not None:
            data = gathered(data, places, np.full(count, self._size)).data
        rows = data[: count * self._size].reshape(count, self._size)
        return fixed_values(self._layout.value_compression, rows, 1, self._page)

    def _variable(self, data: np.ndarray, places: np.ndarray, sizes: np.ndarray) -> Values:
        stored = gathered(data, places, sizes)
        return variable_values(self._layout.value_compression, stored, self._page)
