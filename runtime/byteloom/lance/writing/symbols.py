"""Code text by a table of frequent pieces (FSST), made from a sample of the text.

The table is made in a few rounds.  Each codes the sample by the table before it, and takes those
symbols, symbols with the next byte, and pairs of symbols that follow each other, that save most.
The table of the round that coded the sample best is kept.

Source: https://www.vldb.org/pvldb/vol13/p2649-boncz.pdf
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.kernels.lance_fsst import (
    BYTES,
    COUNTED,
    ENTRIES,
    ESCAPE,
    MASKS,
    PAIRS,
    SYMBOLS,
    TABLE,
    code_values,
    count_codes,
    slot_of,
)
from byteloom.lance.writing.pieces import Pieces
from byteloom_generated.lance.fsst import Fsst

if TYPE_CHECKING:
    from byteloom.lance.writing.values import VariableValues

__all__ = ["SymbolTable", "coded"]

_ROUNDS: Final = 7
_LONGEST: Final = 8
_MOST: Final = ESCAPE
_TRIED: Final = 2 * _MOST
"""Symbols that are tried: some do not fit in the tables."""

_SAMPLE: Final = 1 << 15
"""Approximate bytes of a sample."""

_PIECES: Final = 512
_SIZE: Final = 2312
_SLACK: Final = np.zeros(_LONGEST, np.uint8)
_BYTE: Final = 8


def coded(values: VariableValues) -> VariableValues:
    """Return *values* coded by a table that is made for them."""
    data = np.concatenate([values.data, _SLACK])
    symbols = SymbolTable.of(*_sample(values))
    out = np.empty(2 * len(values.data), np.uint8)
    ends = np.empty(len(values.offsets), np.int64)
    code_values(data, values.offsets, symbols.tables, out, ends)
    return replace(values, offsets=ends, data=out[: ends[-1]].copy(), symbols=symbols.stored())


def _sample(values: VariableValues) -> tuple[np.ndarray, np.ndarray]:
    """Pieces of values from the whole page, with eight bytes after them; and their bounds."""
    total = len(values.data)
    size = _SAMPLE // _PIECES
    if total <= _SAMPLE:
        return np.concatenate([values.data, _SLACK]), values.offsets
    starts = np.linspace(0, total - size, _PIECES).astype(np.int64)
    rows = np.searchsorted(values.offsets, starts, "right") - 1
    # A piece begins where a value does, since text is coded from there on.
    starts = values.offsets[rows]
    ends = np.minimum(np.maximum(values.offsets[rows + 1], starts), starts + 4 * size)
    pieces = Pieces(len(starts))
    pieces.add(values.data, starts, ends - starts)
    offsets = np.append(0, np.cumsum(ends - starts))
    return np.concatenate([pieces.joined(), _SLACK]), offsets


class SymbolTable:
    """A table of symbols.

    Attributes:
        texts: The bytes of each, the first one lowest.
        lengths: How many bytes each has.
        tables: The lookup tables that kernels take.
    """

    def __init__(self, texts: np.ndarray, lengths: np.ndarray) -> None:
        """Insert symbols in the order of their savings, as many as fit in the tables."""
        self.tables = np.zeros(TABLE, np.int64)
        self.tables[MASKS : MASKS + _LONGEST] = (1 << _BYTE * np.arange(_LONGEST)) - 1
        self.tables[MASKS + _LONGEST] = -1
        none = ESCAPE + 256
        self.tables[BYTES : BYTES + 256] = none
        kept: list[tuple[int, int]] = []
        singles: dict[int, int] = {}
        pairs: dict[int, int] = {}
        for text, length in zip(texts.tolist(), lengths.tolist(), strict=True):
            if len(kept) == _MOST:
                break
            entry = len(kept) + 256 * length
            if length == 1:
                singles[text] = entry
            elif length == 2:  # noqa: PLR2004
                pairs[text] = entry
            else:
                slot = slot_of(text)
                if self.tables[ENTRIES + slot]:
                    continue
                self.tables[ENTRIES + slot], self.tables[SYMBOLS + slot] = entry, text
            kept.append((text, length))
        for text, entry in singles.items():
            self.tables[BYTES + text] = entry
        self.tables[PAIRS:TABLE] = np.tile(self.tables[BYTES : BYTES + 256], 256)
        for text, entry in pairs.items():
            self.tables[PAIRS + text] = entry
        self.texts = np.array([text for text, _ in kept], np.int64)
        self.lengths = np.array([length for _, length in kept], np.int64)

    @classmethod
    def of(cls, data: np.ndarray, offsets: np.ndarray) -> SymbolTable:
        """Return a table for text like the values of a sample."""
        none = np.zeros(0, np.int64)
        found = best = cls(none, none)
        counts, least = found.counts(data, offsets), 2 * len(data)
        for _ in range(_ROUNDS):
            found = cls(*found.improved(counts))
            counts = found.counts(data, offsets)
            # A byte without a symbol takes two codes.
            size = int(counts[-1].sum() + counts[-1][256:].sum())
            if size < least:
                best, least = found, size
        return best

    def counts(self, data: np.ndarray, offsets: np.ndarray) -> np.ndarray:
        """Return for each code how often each code follows it; the last row counts all."""
        found = np.zeros((COUNTED, COUNTED), np.int64)
        count_codes(data, offsets, self.tables, found)
        return found

    def improved(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the symbols of the next round and their lengths, what saves most first."""
        texts, lengths = np.zeros(COUNTED, np.int64), np.zeros(COUNTED, np.int64)
        texts[: len(self.texts)], lengths[: len(self.lengths)] = self.texts, self.lengths
        texts[256:], lengths[256:] = np.arange(256), 1
        (codes,) = np.nonzero(counts[-1] > 1)
        first, second = np.divmod(np.flatnonzero(counts[:-1].ravel() > 1), COUNTED)
        long = np.flatnonzero(lengths[second] > 1)
        # Symbols; pairs of them; and symbols with the first byte of a longer one.
        before = np.concatenate([first, first[long]])
        after = np.concatenate([texts[second], texts[second[long]] & 0xFF])
        joint = lengths[before] + np.concatenate([lengths[second], np.ones(len(long), np.int64)])
        times = np.concatenate([counts[first, second], counts[first[long], second[long]]])
        (fits,) = np.nonzero(joint <= _LONGEST)
        joined = texts[before[fits]] | after[fits] << (_BYTE * lengths[before[fits]])
        all_texts = np.concatenate([texts[codes], joined])
        all_lengths = np.concatenate([lengths[codes], joint[fits]])
        saved = np.concatenate([counts[-1][codes], times[fits]]) * all_lengths
        # A byte without a symbol takes two codes.
        saved[: len(codes)][lengths[codes] == 1] *= 8
        order = np.lexsort((all_lengths, all_texts))
        all_texts, all_lengths, saved = all_texts[order], all_lengths[order], saved[order]
        is_new = np.ones(len(order), bool)
        is_new[1:] = (all_texts[1:] != all_texts[:-1]) | (all_lengths[1:] != all_lengths[:-1])
        gains = np.add.reduceat(saved, np.flatnonzero(is_new)) if len(order) else saved
        best = np.argsort(-gains, kind="stable")[:_TRIED]
        return all_texts[is_new][best], all_lengths[is_new][best]

    def stored(self) -> bytes:
        """Return the table as it is stored in a page."""
        symbols = self.texts.astype("<i8").tobytes()
        record = Fsst(
            terminator=0,
            suffix_limit=0,
            is_coded=1,
            symbols=[symbols[at : at + _LONGEST] for at in range(0, len(symbols), _LONGEST)],
            lengths=self.lengths.tolist(),
            unused=b"",
        )
        return record.to_bytes().ljust(_SIZE, b"\0")
