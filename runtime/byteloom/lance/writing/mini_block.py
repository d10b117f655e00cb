"""Pages of the layout MiniBlock: chunks of a power of two of values, each with its levels.

- All chunks but the last have the same number of values.  The entries of null and empty lists
  between two values are in the chunk of the first of them.
- Words and sizes of all chunks are put in one call, by loops that are generated from
  `specs/lance/chunks.ksy`.

Source: https://lance.org/format/file/encoding/#mini-block-page-layout
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.lance.units import UNIT
from byteloom.lance.writing.integers import levels_of
from byteloom.lance.writing.pieces import Pieces
from byteloom_generated.lance import encodings21 as e
from byteloom_generated.lance.chunks_scan import (
    PUT_CHUNK_HEADS,
    PUT_LARGE_WORDS,
    PUT_SMALL_WORDS,
)

if TYPE_CHECKING:
    from byteloom.lance.writing.compression import DictionaryBlock
    from byteloom.lance.writing.integers import EncodedLevels
    from byteloom.lance.writing.levels import Levels
    from byteloom.lance.writing.options import Options
    from byteloom.lance.writing.values import Encoded

__all__ = ["mini_block_page"]

_FILL: Final = 0xFE
_MOST_BYTES: Final = 1 << 15
"""Bytes of a chunk up to version 2.1."""

_MOST_LEVELS: Final = (1 << 16) - 1
"""Most levels of a chunk, and most bytes of them, which have counts of 16 bits."""

_FEWEST: Final = 8
"""Least values of a chunk, so that bitmaps begin at a whole byte."""


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Where chunks begin and end, in values and in entries."""

    values: np.ndarray
    entries: np.ndarray

    @property
    def count(self) -> int:
        """Return how many chunks there are."""
        return len(self.values) - 1


def mini_block_page(
    levels: Levels,
    values: Encoded,
    options: Options,
    dictionary: DictionaryBlock | None = None,
) -> tuple[e.PageLayout, list[np.ndarray]] | None:
    """Return the layout and the buffers of a page; None if its levels do not fit into chunks.

    Args:
        dictionary: The items whose numbers the values are.
    """
    most = values.most
    while most >= _FEWEST:
        cuts = _cuts(levels, values.count, most)
        if np.diff(cuts.entries).max() <= _MOST_LEVELS:
            rep, definition = _encoded(levels, cuts, options)
            pieces = _pieces((rep, definition), values, cuts, options)
            if pieces is not None and pieces.sizes.max() <= _MOST_BYTES:
                message = _layout(levels, values, options)
                if rep is not None:
                    message.rep_compression.CopyFrom(rep.encoding)
                if definition is not None:
                    message.def_compression.CopyFrom(definition.encoding)
                buffers = [_words(cuts, pieces, most, options), pieces.joined()]
                if dictionary is not None:
                    message.dictionary.CopyFrom(dictionary.encoding)
                    message.num_dictionary_items = dictionary.count
                    buffers.append(dictionary.data)
                if levels.rep is not None:
                    buffers.append(_index(levels.rep, levels.max_rep, cuts))
                return e.PageLayout(mini_block_layout=message), buffers
        most //= 2
    return None


def _cuts(levels: Levels, count: int, most: int) -> _Cuts:
    values = np.append(np.arange(0, count, most, dtype=np.int64), count)
    entries = values
    if levels.visible is not None:
        inner = levels.visible[values[1:-1]]
        entries = np.concatenate([[0], inner, [levels.entries]]).astype(np.int64)
    return _Cuts(values, entries)


def _encoded(
    levels: Levels, cuts: _Cuts, options: Options
) -> tuple[EncodedLevels | None, EncodedLevels | None]:
    """Repetition and definition levels, encoded for chunks."""
    rep = None if levels.rep is None else levels_of(levels.rep, cuts.entries, options)
    if levels.definition is None:
        return rep, None
    return rep, levels_of(levels.definition, cuts.entries, options)


def _pieces(
    levels: tuple[EncodedLevels | None, EncodedLevels | None],
    values: Encoded,
    cuts: _Cuts,
    options: Options,
) -> Pieces | None:
    """The bytes of all chunks; None if one has too many bytes of levels."""
    stored = [each.part(cuts.entries) for each in levels if each is not None]
    if any(each.sizes.max() > _MOST_LEVELS for each in stored):
        return None
    buffers = values.parts(cuts.values)
    has_rep, has_def = (each is not None for each in levels)
    pieces = Pieces(cuts.count)
    pieces.add_rows(
        _heads(
            np.diff(cuts.entries) * bool(stored),
            [each.sizes for each in stored],
            [each.sizes for each in buffers],
            {"has_rep": has_rep, "has_def": has_def, "is_large": options.is_large},
        )
    )
    pieces.pad(UNIT, _FILL)
    for part in (*stored, *buffers):
        pieces.add(part.data, part.starts, part.sizes)
        pieces.pad(UNIT, _FILL)
    return pieces


def _layout(levels: Levels, values: Encoded, options: Options) -> e.MiniBlockLayout:
    return e.MiniBlockLayout(
        value_compression=values.encoding,
        layers=levels.layers,
        num_buffers=values.num_buffers,
        repetition_index_depth=int(levels.rep is not None),
        num_items=values.count,
        has_large_chunk=options.is_large,
    )


def _words(cuts: _Cuts, pieces: Pieces, most: int, options: Options) -> np.ndarray:
    logs = np.full(cuts.count, most.bit_length() - 1, np.uint8)
    logs[-1] = 0
    put = PUT_LARGE_WORDS if options.is_large else PUT_SMALL_WORDS
    return put.whole(cuts.count, [logs, pieces.sizes], {})[0]


def _heads(
    num_levels: np.ndarray,
    levels: list[np.ndarray],
    buffers: list[np.ndarray],
    flags: dict[str, bool],
) -> np.ndarray:
    """The heads of chunks, as rows of bytes.

    Args:
        levels: The bytes of repetition and of definition levels, where there are any.
        buffers: The bytes of each buffer of values.
    """
    count, stored = len(num_levels), iter(levels)
    none, nowhere = np.zeros(count, np.uint16), np.zeros(count + 1, np.int64)
    rep = next(stored) if flags["has_rep"] else none
    definition = next(stored) if flags["has_def"] else none
    sizes = np.stack(buffers, 1).astype(np.uint32 if flags["is_large"] else np.uint16)
    items: list[np.ndarray] = [sizes.ravel(), np.arange(count + 1, dtype=np.int64) * len(buffers)]
    empty: list[np.ndarray] = [none[:0], nowhere]
    columns: list[np.ndarray] = [each.astype(np.uint16) for each in (num_levels, rep, definition)]
    columns += [*empty, *items] if flags["is_large"] else [*items, *empty]
    parameters = {**flags, "num_buffers": len(buffers)}
    data, _ = PUT_CHUNK_HEADS.whole(count, columns, parameters)
    return data.reshape(count, -1)


def _index(rep: np.ndarray, max_rep: int, cuts: _Cuts) -> np.ndarray:
    """For each chunk how many rows end in it, and how many levels belong to a row that does not."""
    rows = np.flatnonzero(rep == max_rep)
    starts, ends = cuts.entries[:-1], cuts.entries[1:]
    # A row ends where the next one begins; the last one at the end.
    finished = np.append(rows[1:], len(rep))
    ended = np.searchsorted(finished, ends, "right")
    counts = np.diff(ended, prepend=0)
    begins = np.append(rows, len(rep))[ended]
    left = np.where(begins < ends, ends - np.maximum(begins, starts), 0)
    return np.stack([counts, left], 1).astype("<u8").ravel()
