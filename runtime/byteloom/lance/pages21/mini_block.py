"""Pages of the layout MiniBlock: chunks of a few kilobytes, each decoded as a whole.

- Pages of one layout are decoded together, by one call for each encoding, whatever the number of
  pages and of their chunks.
- To take rows, the levels of their chunks are decoded, and only the values of these rows if the
  encoding allows it.

Source: https://lance.org/format/file/encoding/#mini-block-page-layout
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from byteloom.errors import FormatError
from byteloom.lance.arrays import rows_at
from byteloom.lance.pages21 import codecs
from byteloom.lance.pages21.blocks import decode_levels
from byteloom.lance.pages21.chunks import Cut, Words, cut, cut_early, read_words
from byteloom.lance.pages21.leaf_arrays import Dictionary, blob_array, plain
from byteloom.lance.pages21.nesting import nesting_of
from byteloom.lance.pages21.parts import Tables
from byteloom.lance.pages21.picking import decode_some
from byteloom.lance.pages21.row_index import by_index, by_values
from byteloom.lance.stored_pages import (
    StoredPages,
    buffers_of,
    fetched_from,
    held_buffers,
    places_of,
    sources_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.pages21.parts import Chunks
    from byteloom.lance.pages21.values import Values
    from byteloom.lance.stored_pages import StoredPage
    from byteloom_generated.lance.encodings21 import MiniBlockLayout

__all__ = ["MiniBlockPages", "has_symbols"]

_MOST_BUFFERS: Final = 64
_WORDS, _CHUNKS, _DICTIONARY, _INDEX = 0, 1, 2, -1
_COUNT: Final = 4
"""Bytes of the number of items, with which dictionaries by releases 0.19 to 0.25 begin."""

_PLACE: Final = pa.struct([("position", pa.uint64()), ("size", pa.uint64())])


class _Levels(NamedTuple):
    """The parts of some chunks, and the levels of all of them together.

    Attributes:
        cuts: The parts.
        rep: The repetition level of each entry; None without lists.
        definition: Its definition level; None where nothing is null or empty.
        hidden: The numbers of the entries that have no value; None if all have one.
    """

    cuts: Cut
    rep: np.ndarray | None
    definition: np.ndarray | None
    hidden: np.ndarray | None


class MiniBlockPages:
    """Pages of one layout, whose chunks are decoded when their rows are asked for."""

    def __init__(
        self,
        pages: Sequence[StoredPage],
        layouts: Sequence[MiniBlockLayout],
        type_: pa.DataType,
        *,
        has_early_chunks: bool = False,
    ) -> None:
        """Check the *layouts* of *pages*, whose column has *type_*.

        layouts           equal except for the counts of values and of dictionary items, and for
                          symbol tables if they have any (`has_symbols`)
        has_early_chunks  whether chunks have the form of releases 0.19 to 0.25
        """
        self._has_early_chunks = has_early_chunks
        page, layout = pages[0], layouts[0]
        self._pages, self._page, self._layout = pages, page, layout
        self._counts = [each.num_items for each in layouts]
        self._items = [each.num_dictionary_items for each in layouts]
        self._layouts = layouts
        self.nesting = nesting_of(type_, layout.layers, page.path)
        self._has_index = layout.repetition_index_depth > 0
        self._inner = [_DICTIONARY] if layout.HasField("dictionary") else []
        for each in [page] if isinstance(pages, StoredPages) else pages:
            each.need(2 + len(self._inner) + self._has_index)
        if not 0 < layout.num_buffers <= _MOST_BUFFERS:
            wanted = f"1 to {_MOST_BUFFERS}"
            raise FormatError(f"{page.path}.num_buffers", page.at, layout.num_buffers, wanted)
        if self.nesting.max_rep and not layout.HasField("rep_compression"):
            raise FormatError(
                f"{page.path}.rep_compression", page.at, "nothing", "an encoding, for lists"
            )

    def whole(self) -> pa.Array:
        """Return all rows."""
        data, buffers, places = buffers_of(self._pages, [_WORDS, _CHUNKS, *self._inner])
        words = self._words(buffers[_WORDS])
        shifts, coded_by = places[_CHUNKS] - places_of(self._pages, _CHUNKS)[:, 0], None
        if len(self._pages) > 1:
            chunks = np.diff(words.ends, prepend=0)
            shifts, coded_by = np.repeat(shifts, chunks), np.repeat(np.arange(len(chunks)), chunks)
        cuts, rep, definition, _ = self._levels(data, words.places + shifts, words)
        if rep is not None and cuts.rep is not None and len(self._pages) > 1:
            self._check_rows(rep, cuts.rep.counts, words.ends)
        coded = cuts.values if coded_by is None else self._with_tables(cuts.values, coded_by)
        values = codecs.decode(self._layout.value_compression, coded)
        dictionary = self._dictionary(buffers)
        has_pages = dictionary is not None and len(self._pages) > 1
        pages = np.array(self._counts) if has_pages else None
        return self.nesting.arrays(
            rep,
            definition,
            lambda valid: self._leaf(values, valid, dictionary, pages),
            is_own=True,
        )

    def take(self, rows: np.ndarray) -> pa.Array:
        """Return rows by their numbers among those of all pages, which ascend."""
        if self.nesting.size > 1 or (self.nesting.max_rep and not self._has_index):
            return rows_at(self.whole(), rows)
        index = [_INDEX] if self.nesting.max_rep else []
        data, buffers, _ = buffers_of(self._pages, [_WORDS, *self._inner, *index])
        words = self._words(buffers[_WORDS])
        if index:
            chosen = by_index(self._pages, buffers[_INDEX], words, rows)
        else:
            chosen = by_values(self._pages, self._counts, words, rows)
        some = words.chosen(chosen.chunks)
        page_of = words.ends.searchsorted(chosen.chunks, "right")
        if self._page.held is None:
            sources, files = sources_of(self._pages)
            data, starts = fetched_from(sources, files[page_of], some.places, some.sizes)
        else:
            _, held, _ = held_buffers(self._pages, _CHUNKS)
            starts = some.places + (held - places_of(self._pages, _CHUNKS)[:, 0])[page_of]
        cuts, rep, definition, hidden = self._levels(data, starts, some)
        picked = numbers = chosen.entries(cuts.rep, rep, self.nesting.max_rep)
        if hidden is not None:
            before = hidden.searchsorted(picked, "right")
            is_hidden = hidden[before - 1] == picked if len(hidden) else before > 0
            numbers = (picked - before)[~is_hidden]
        coded = self._with_tables(cuts.values, page_of)
        owners = chosen.owners
        if owners is None:
            owners = coded.rows.searchsorted(numbers, "right") - 1
        values = decode_some(self._layout.value_compression, coded, numbers, owners)
        dictionary, pages = self._dictionary(buffers), None
        if dictionary is not None and len(self._pages) > 1:
            pages = np.bincount(page_of[owners], minlength=len(self._pages))
        return self.nesting.arrays(
            None if rep is None else rep[picked],
            None if definition is None else definition[picked],
            lambda valid: self._leaf(values, valid, dictionary, pages),
        )

    def _with_tables(self, chunks: Chunks, pages: np.ndarray) -> Chunks:
        """The *chunks* with the symbol tables of their *pages*, if there are several."""
        if len(self._layouts) == 1 or not has_symbols(self._layout):
            return chunks
        tables = [each.value_compression.fsst.symbol_table for each in self._layouts]
        return replace(chunks, tables=Tables(tables, pages))

    def _words(self, stored: Sequence[np.ndarray]) -> Words:
        is_large = self._layout.has_large_chunk
        return read_words(stored, self._pages, self._counts, is_large=is_large)

    def _levels(self, data: np.ndarray, starts: np.ndarray, words: Words) -> _Levels:
        """The parts of chunks, and their repetition and definition levels, if there are any."""
        layout = self._layout
        cuts = self._cut(data, starts, words)
        rep = definition = None
        if cuts.rep is not None and self.nesting.max_rep:
            encoding = None if self._has_early_chunks else layout.rep_compression
            rep = decode_levels(encoding, cuts.rep)
        if cuts.definition is not None and self.nesting.has_levels:
            encoding = None if self._has_early_chunks else layout.def_compression
            definition = decode_levels(encoding, cuts.definition)
        hidden = self.nesting.hidden(definition)
        self._check_levels(rep, definition, hidden, cuts.values.total)
        self._check_counts(cuts, hidden)
        return _Levels(cuts, rep, definition, hidden)

    def _check_rows(self, rep: np.ndarray, chunks: np.ndarray, ends: np.ndarray) -> None:
        """Refuse pages whose levels begin another number of rows than the page has.

        chunks  the number of levels of each chunk
        ends    for each page the number of its last chunk, and 1
        """
        bounds = np.concatenate([[0], chunks.cumsum()])[np.concatenate([[0], ends])].tolist()
        for page, start, end in zip(self._pages, bounds[:-1], bounds[1:], strict=True):
            found = int(np.count_nonzero(rep[start:end] >= self.nesting.max_rep))
            if found * self.nesting.size != page.length:
                wanted = f"{page.length // self.nesting.size}"
                raise FormatError(f"{page.path}.length", page.at, f"{found} rows", wanted)

    def _cut(self, data: np.ndarray, starts: np.ndarray, words: Words) -> Cut:
        layout, page = self._layout, self._page
        has_rep, has_definition = map(layout.HasField, ("rep_compression", "def_compression"))
        if self._has_early_chunks:
            return cut_early(
                data,
                starts,
                words,
                has_rep=has_rep,
                has_definition=has_definition,
                path=page.path,
                limits=page.limits,
            )
        return cut(
            data,
            starts,
            words,
            has_rep=has_rep,
            has_definition=has_definition,
            num_buffers=layout.num_buffers,
            is_large=layout.has_large_chunk,
            path=page.path,
            limits=page.limits,
        )

    def _check_counts(self, cuts: Cut, hidden: np.ndarray | None) -> None:
        """Refuse chunks that have levels of values in other chunks."""
        levels = cuts.rep if self.nesting.max_rep else None
        if cuts.definition is not None and self.nesting.has_levels:
            levels = cuts.definition
        if levels is None or len(levels.counts) == 1:
            return
        found, wanted = levels.counts, cuts.values.counts
        if hidden is not None:
            ends = found.cumsum()
            found = np.diff(ends - hidden.searchsorted(ends), prepend=0)
        levels.check(found == wanted, lambda i: (f"{found[i]} levels", f"{wanted[i]}"))

    def _check_levels(
        self,
        rep: np.ndarray | None,
        definition: np.ndarray | None,
        hidden: np.ndarray | None,
        values: int,
    ) -> None:
        """Refuse counts of levels that do not fit *values*."""
        path, at = f"{self._page.path}.chunks", self._page.at
        counts = {len(each) for each in (rep, definition) if each is not None}
        if len(counts) > 1:
            found = f"{sorted(counts)} repetition and definition levels"
            raise FormatError(path, at, found, "as many of each")
        entries = counts.pop() if counts else values
        visible = entries - (0 if hidden is None else len(hidden))
        if visible != values:
            raise FormatError(path, at, f"{visible} levels of values", f"{values}")

    def _dictionary(self, buffers: dict[int, list[np.ndarray]]) -> Dictionary | None:
        """The dictionary items, if values are numbers of items."""
        if not self._inner:
            return None
        stored, counts = buffers[_DICTIONARY], self._items
        if self._has_early_chunks:
            counts = [int.from_bytes(each[:_COUNT].tobytes(), "little") for each in stored]
        return Dictionary.read(
            self._pages, self._layout.dictionary, counts, stored, self.nesting.leaf
        )

    def _leaf(
        self,
        values: Values,
        valid: np.ndarray | None,
        dictionary: Dictionary | None,
        pages: np.ndarray | None,
    ) -> pa.Array:
        """The array of the leaf.

        pages  how many values are of each page; None where there is one, or no dictionary
        """
        page, type_ = self._page, self.nesting.leaf
        if dictionary is not None:
            return dictionary.looked_up(page, values, type_, valid, pages)
        widths: Any = getattr(values, "widths", ())
        if widths == (64, 64) and not pa.types.is_struct(type_):
            # Releases 0.33 to 0.37 wrote blobs without the layout for blobs.
            return blob_array(page, plain(page, values, _PLACE, valid), type_, None)
        return plain(page, values, type_, valid)


def has_symbols(layout: MiniBlockLayout) -> bool:
    """Return whether values are text that is coded by a symbol table of the page."""
    values = layout.value_compression
    if values.WhichOneof("compression") != "fsst":
        return False
    return values.fsst.values.WhichOneof("compression") == "variable"
