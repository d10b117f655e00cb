"""Pages of the layout MiniBlock: chunks of a power of two of values, each with its levels.

- All chunks but the last have as many values.  The entries of null and empty lists between two
  values are in the chunk of the first of them.
- Words and sizes are those of `specs/lance/chunks.ksy`, of all chunks at once.

Source: https://lance.org/format/file/encoding/#mini-block-page-layout
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.lance.writing.pieces import Pieces
from byteloom.lance.writing.values import FixedValues, VariableValues, flat
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.writing.levels import Levels
    from byteloom.lance.writing.values import Values

__all__ = ["mini_block_page"]

_ALIGN: Final = 8
_FILL: Final = 0xFE
_TEXT_FILL: Final = 0x48
_MOST_VALUES: Final = 4096
_FIXED_BYTES: Final = 8186
"""Bytes of values of one width that a chunk has fewer of."""

_VARIABLE_BYTES: Final = 4096
"""Bytes of values of any length that a chunk has on average at most."""

_MOST_BYTES: Final = 1 << 15
"""Bytes of a chunk up to version 2.1."""

_MOST_LEVELS: Final = (1 << 15) - 1
"""Levels of a chunk, whose bytes are counted in 16 bits."""

_FEWEST: Final = 8
"""Values of a chunk at least: bitmaps then begin at a whole byte."""


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Where chunks begin and end, in values and in entries."""

    values: np.ndarray
    entries: np.ndarray

    @property
    def count(self) -> int:
        """Return how many chunks there are."""
        return len(self.values) - 1

    @property
    def counts(self) -> np.ndarray:
        """Return the values of each."""
        return np.diff(self.values)


def mini_block_page(
    levels: Levels, values: Values, *, is_large: bool
) -> tuple[e.PageLayout, list[np.ndarray]] | None:
    """Return the layout and the buffers of a page; None where its levels do not fit into chunks.

    is_large  whether words and sizes have 32 bits, as from version 2.2 on
    """
    most = _most_values(values)
    while most >= _FEWEST:
        cuts = _cuts(levels, values.count, most)
        if np.diff(cuts.entries).max() <= _MOST_LEVELS:
            pieces = _pieces(levels, values, cuts, is_large=is_large)
            if pieces.sizes.max() <= _MOST_BYTES:
                return _layout(levels, values, is_large=is_large), _buffers(
                    levels, cuts, pieces, most, is_large=is_large
                )
        most //= 2
    return None


def _most_values(values: Values) -> int:
    """The values of a chunk: a power of two."""
    if isinstance(values, FixedValues):
        bits = max(1, sum(bits for bits, _ in values.buffers))
        room = (_FIXED_BYTES * 8 - 1) // bits
    else:
        mean = values.width + len(values.data) / max(1, values.count)
        room = int(_VARIABLE_BYTES / mean)
    return min(_MOST_VALUES, 1 << max(room, 1).bit_length() - 1)


def _cuts(levels: Levels, count: int, most: int) -> _Cuts:
    values = np.append(np.arange(0, count, most, dtype=np.int64), count)
    entries = values
    if levels.visible is not None:
        inner = levels.visible[values[1:-1]]
        entries = np.concatenate([[0], inner, [levels.entries]]).astype(np.int64)
    return _Cuts(values, entries)


def _pieces(levels: Levels, values: Values, cuts: _Cuts, *, is_large: bool) -> Pieces:
    pieces, starts, sizes = Pieces(cuts.count), cuts.entries[:-1] * 2, np.diff(cuts.entries) * 2
    stored = [each for each in (levels.rep, levels.definition) if each is not None]
    buffers = _parts(values, cuts)
    wide = "<u4" if is_large else "<u2"
    columns: list[tuple[str, np.ndarray]] = [("<u2", sizes // 2 if stored else sizes * 0)]
    columns += [("<u2", sizes)] * len(stored)
    columns += [(wide, each[2]) for each in buffers]
    head = np.zeros(cuts.count, [(f"f{n}", kind) for n, (kind, _) in enumerate(columns)])
    for number, (_, each) in enumerate(columns):
        head[f"f{number}"] = each
    pieces.add_rows(head.view(np.uint8).reshape(cuts.count, -1))
    pieces.pad(_ALIGN, _FILL)
    for each in stored:
        pieces.add(each, starts, sizes)
        pieces.pad(_ALIGN, _FILL)
    for data, begin, size in buffers:
        pieces.add(data, begin, size)
        pieces.pad(_ALIGN, _FILL)
    return pieces


def _parts(values: Values, cuts: _Cuts) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The bytes of each buffer, where those of each chunk begin, and how many they are."""
    if isinstance(values, VariableValues):
        return [_variable(values, cuts)]
    return [
        (data, cuts.values[:-1] * bits // 8, (cuts.counts * bits + 7) // 8)
        for bits, data in values.buffers
    ]


def _variable(values: VariableValues, cuts: _Cuts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offsets from the beginning of each chunk on, its bytes, and what makes them even."""
    width, counts = values.width, cuts.counts
    heads = (counts + 1) * width
    first = values.offsets[cuts.values[:-1]]
    chunk = np.repeat(np.arange(cuts.count), counts + 1)
    number = np.arange(len(chunk)) - chunk
    offsets = (values.offsets[number] - first[chunk] + heads[chunk]).astype(f"<u{width}")
    pieces = Pieces(cuts.count)
    pieces.add(offsets, np.cumsum(heads) - heads, heads)
    pieces.add(values.data, first, values.offsets[cuts.values[1:]] - first)
    pieces.pad(width, _TEXT_FILL)
    sizes = pieces.sizes
    return pieces.joined(), np.cumsum(sizes) - sizes, sizes


def _layout(levels: Levels, values: Values, *, is_large: bool) -> e.PageLayout:
    message = e.MiniBlockLayout(
        rep_compression=None if levels.rep is None else flat(16),
        def_compression=None if levels.definition is None else flat(16),
        value_compression=values.encoding,
        layers=levels.layers,
        num_buffers=len(values.buffers) if isinstance(values, FixedValues) else 1,
        repetition_index_depth=int(levels.rep is not None),
        num_items=values.count,
        has_large_chunk=is_large,
    )
    return e.PageLayout(mini_block_layout=message)


def _buffers(
    levels: Levels, cuts: _Cuts, pieces: Pieces, most: int, *, is_large: bool
) -> list[np.ndarray]:
    logs = np.full(cuts.count, most.bit_length() - 1)
    logs[-1] = 0
    words = (pieces.sizes // _ALIGN - 1) << 4 | logs
    found = [words.astype("<u4" if is_large else "<u2"), pieces.joined()]
    return found if levels.rep is None else [*found, _index(levels.rep, levels.max_rep, cuts)]


def _index(rep: np.ndarray, max_rep: int, cuts: _Cuts) -> np.ndarray:
    """For each chunk how many rows end in it, and how many levels it has of one that does not."""
    rows = np.flatnonzero(rep == max_rep)
    starts, ends = cuts.entries[:-1], cuts.entries[1:]
    # A row ends where the next one begins; the last one at the end.
    finished = np.append(rows[1:], len(rep))
    ended = np.searchsorted(finished, ends, "right")
    counts = np.diff(ended, prepend=0)
    begins = np.append(rows, len(rep))[ended]
    left = np.where(begins < ends, ends - np.maximum(begins, starts), 0)
    return np.stack([counts, left], 1).astype("<u8").ravel()
