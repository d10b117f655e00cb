"""Pages of the layout MiniBlock: chunks of a few kilobytes, each decoded as a whole.

- A page is decoded by one call for each encoding, whatever the number of its chunks.
- Rows are taken by decoding the chunks that they are in.  Where there are lists, the repetition
  index says in which chunk a row begins and ends: for each chunk, how many rows end in it, and
  whether there are levels of one that does not.

Source: https://lance.org/format/file/encoding/#mini-block-page-layout
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.lance.pages21 import codecs
from byteloom.lance.pages21.blocks import decode_levels
from byteloom.lance.pages21.chunks import Words, cut, read_words
from byteloom.lance.pages21.leaves import blob_array, dictionary_of, looked_up, plain
from byteloom.lance.pages21.nesting import Nesting
from byteloom.lance.pages21.values import Fixed

if TYPE_CHECKING:
    from byteloom.lance.pages21.stored import StoredPage
    from byteloom.lance.pages21.values import Values
    from byteloom_generated.lance.encodings21 import MiniBlockLayout

__all__ = ["MiniBlockPage"]

_MOST_BUFFERS: Final = 64
_PLACE: Final = pa.struct([("position", pa.uint64()), ("size", pa.uint64())])


class MiniBlockPage:
    """A page whose chunks are decoded when their rows are asked for."""

    def __init__(self, page: StoredPage, layout: MiniBlockLayout, type_: pa.DataType) -> None:
        """Check what *layout* says of *page*, whose column has *type_*."""
        self._page, self._layout = page, layout
        self.nesting = Nesting(type_, list(layout.layers), page.path)
        self._has_dictionary = layout.HasField("dictionary")
        self._has_index = layout.repetition_index_depth > 0
        page.need(2 + self._has_dictionary + self._has_index)
        if not 0 < layout.num_buffers <= _MOST_BUFFERS:
            wanted = f"1 to {_MOST_BUFFERS}"
            raise FormatError(f"{page.path}.num_buffers", page.at, layout.num_buffers, wanted)
        if self.nesting.max_rep and not layout.HasField("rep_compression"):
            raise FormatError(f"{page.path}.rep_compression", page.at, "nothing", "one, for lists")

    def whole(self) -> pa.Array:
        """Return all rows."""
        words_data, data, *others = self._page.buffers(range(2 + self._has_dictionary))
        words = self._read_words(words_data)
        if others:
            self._keep_dictionary(others[0])
        return self._decoded(data, words.starts, words)

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers, which ascend."""
        if self.nesting.size > 1 or (self.nesting.max_rep and not self._has_index):
            return self.whole().take(pa.array(rows))
        words = self._words
        chosen, local = self._chosen(rows)
        sizes = words.sizes[chosen]
        data = self._page.pieces(1, words.starts[chosen], sizes)
        some = Words(words.starts[chosen], sizes, words.counts[chosen])
        found = self._decoded(data, np.cumsum(sizes) - sizes, some, is_part=True)
        if len(local) and local[-1] >= len(found):
            wanted = f"more than {local[-1]}, as the repetition index says"
            raise FormatError(self._page.path, self._page.at, f"{len(found)} rows", wanted)
        found = found.take(pa.array(local))
        return found if found.type == self.nesting.type else found.dictionary_decode()

    @cached_property
    def _words(self) -> Words:
        return self._read_words(self._page.buffers(range(1))[0])

    def _read_words(self, data: np.ndarray) -> Words:
        layout, page = self._layout, self._page
        return read_words(
            data,
            page.places[1][1],
            layout.num_items,
            is_large=layout.has_large_chunk,
            path=page.path,
            at=page.places[0][0],
        )

    @cached_property
    def _dictionary(self) -> pa.Array:
        return self._read_dictionary(self._page.buffers(range(2, 3))[0])

    def _keep_dictionary(self, data: np.ndarray) -> None:
        if "_dictionary" not in self.__dict__:
            self.__dict__["_dictionary"] = self._read_dictionary(data)

    def _read_dictionary(self, data: np.ndarray) -> pa.Array:
        layout = self._layout
        count, type_ = layout.num_dictionary_items, self.nesting.leaf
        return dictionary_of(self._page, layout.dictionary, count, data, type_)

    def _chosen(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The chunks that *rows* are in, and the number of each among the rows of these."""
        counts = self._words.counts
        if not self.nesting.max_rep:
            ends = np.cumsum(counts)
            found = np.searchsorted(ends, rows, "right")
            self._check_chunks(found)
            chosen = np.unique(found)
            before = np.zeros(len(counts), np.int64)
            before[chosen] = np.cumsum(counts[chosen]) - counts[chosen]
            return chosen, rows - (ends - counts)[found] + before[found]
        done, is_open = self._index
        ends = np.cumsum(done)
        # A row that an earlier chunk began is none of those that begin in a chunk.
        first = ends - done + np.concatenate([[False], is_open[:-1]])
        starts = np.concatenate([first[1:], [ends[-1]]]) - first
        begin = np.searchsorted(first, rows, "right") - 1
        finish = np.searchsorted(ends, rows, "right")
        self._check_chunks(finish)
        marks = np.zeros(len(counts) + 1, np.int64)
        np.add.at(marks, begin, 1)
        np.add.at(marks, finish + 1, -1)
        chosen = np.flatnonzero(np.cumsum(marks[:-1]) > 0)
        before = np.zeros(len(counts), np.int64)
        before[chosen] = np.cumsum(starts[chosen]) - starts[chosen]
        # What a first chunk has of a row before its own comes out as a row.
        extra = int(chosen[0] > 0 and is_open[chosen[0] - 1]) if len(chosen) else 0
        return chosen, rows - first[begin] + before[begin] + extra

    def _check_chunks(self, found: np.ndarray) -> None:
        if len(found) and found[-1] >= len(self._words.counts):
            wanted = f"{self._page.length} rows"
            raise FormatError(f"{self._page.path}.chunks", self._page.at, "fewer", wanted)

    @cached_property
    def _index(self) -> tuple[np.ndarray, np.ndarray]:
        """For each chunk the rows that end in it, and whether another goes on after it."""
        page, depth = self._page, self._layout.repetition_index_depth
        number = len(page.places) - 1
        offset, size = page.places[number]
        wanted, count = 8 * (depth + 1), len(self._words.counts)
        path = f"{page.path}.repetition_index"
        if depth > 1 or size != wanted * count or not count:
            raise FormatError(path, offset, f"{size} bytes", f"{wanted} for each chunk")
        data = page.buffers(range(number, number + 1))[0].view("<u8").reshape(count, -1)
        if (data[:, 0] > page.length).any() or data[:, 0].sum() != page.length:
            raise FormatError(path, offset, f"{data[:, 0].sum()} rows", f"{page.length}")
        return data[:, 0].astype(np.int64), data[:, 1] > 0

    def _decoded(
        self, data: np.ndarray, starts: np.ndarray, words: Words, *, is_part: bool = False
    ) -> pa.Array:
        """The rows of some chunks; of a part, those that are not nested stay in a dictionary."""
        layout, page = self._layout, self._page
        cuts = cut(
            data,
            starts,
            words,
            page.places[1][0] + words.starts,
            has_rep=layout.HasField("rep_compression"),
            has_definition=layout.HasField("def_compression"),
            num_buffers=layout.num_buffers,
            is_large=layout.has_large_chunk,
            path=f"{page.path}.chunks",
            limits=page.limits,
        )
        rep = definition = None
        if cuts.rep is not None and self.nesting.max_rep:
            rep = decode_levels(layout.rep_compression, cuts.rep)
        if cuts.definition is not None and self.nesting.has_levels:
            definition = decode_levels(layout.def_compression, cuts.definition)
        values = codecs.decode(layout.value_compression, cuts.values)
        entries = self._entries(rep, definition, values.count)
        if self.nesting.visible(definition, entries) != values.count:
            found = f"{self.nesting.visible(definition, entries)} levels of values"
            raise FormatError(f"{page.path}.chunks", page.at, found, f"{values.count}")
        is_coded = is_part and len(self.nesting.layers) == 1
        return self.nesting.arrays(
            rep, definition, lambda valid: self._leaf(values, valid, is_coded=is_coded)
        )

    def _entries(self, rep: Any, definition: Any, count: int) -> int:
        levels = {len(each) for each in (rep, definition) if each is not None}
        if len(levels) > 1:
            found = f"{sorted(levels)} repetition and definition levels"
            raise FormatError(f"{self._page.path}.chunks", self._page.at, found, "as many of each")
        return levels.pop() if levels else count

    def _leaf(self, values: Values, valid: np.ndarray | None, *, is_coded: bool) -> pa.Array:
        page, type_ = self._page, self.nesting.leaf
        if self._has_dictionary:
            if is_coded and isinstance(values, Fixed) and not pa.types.is_dictionary(type_):
                type_ = pa.dictionary(f"int{values.bits}", type_)
            return looked_up(page, values, self._dictionary, type_, valid)
        widths = tuple(getattr(values, "widths", ()))
        if widths == (64, 64) and not pa.types.is_struct(type_):
            # Releases 0.33 to 0.37 wrote blobs without the layout that says so.
            return blob_array(page, plain(page, values, _PLACE, valid), type_, None)
        return plain(page, values, type_, valid)
