"""The bytes of the heaviest row of some columns of an ORC stripe, value by value.

The rules:

- It is looked for only where the longest lists and texts, of whichever rows, would together be
  refused, and only of so many values that limits allow a number for each of them.
- A stream that is damaged, or of a kind that is not known here, gives no answer: then the bound
  counts that does not look at values.

Source: https://orc.apache.org/specification/ORCv1/ ("Column Encodings")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom_generated.orc.messages import ColumnEncoding, Stream, Type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.orc.layout import OrcLayout

__all__ = ["LISTS", "TEXTS", "VALUE", "WIDE", "heaviest_row"]

VALUE: Final = 8
"""Bytes of a value beside its text: a number, or a place."""

WIDE: Final = frozenset({Type.Kind.DECIMAL, Type.Kind.TIMESTAMP, Type.Kind.TIMESTAMP_INSTANT})
"""Types whose values are as much again."""

TEXTS: Final = frozenset({Type.Kind.STRING, Type.Kind.BINARY, Type.Kind.VARCHAR, Type.Kind.CHAR})
LISTS: Final = frozenset({Type.Kind.LIST, Type.Kind.MAP})

_ARRAYS: Final = 4
"""Arrays of a number for each value that are held at a time, at most."""


class _UnknownError(Exception):
    """A stream says nothing that can be used."""


def heaviest_row(  # noqa: PLR0913, PLR0917  (what a stripe consists of)
    layout: OrcLayout,
    streams: Mapping[tuple[int, int], tuple[int, int]],
    encodings: Sequence[Any],
    columns: Sequence[int],
    rows: int,
    most: int,
) -> int | None:
    """Return the bytes of the heaviest row; None if that cannot be found out.

    streams    offset and length by column and kind
    encodings  of the columns
    columns    numbers of types; those inside of them belong to them
    rows       of the stripe
    most       bytes that may be held to find it out
    """
    if rows < 1 or rows * VALUE * _ARRAYS > most:
        return None
    found = _Sizes(layout, streams, encodings, most)
    try:
        return int(sum(found.of(each, rows) for each in columns).max())  # type: ignore[union-attr]
    except _UnknownError:
        return None


class _Sizes:
    """The bytes of each value of the columns of a stripe."""

    def __init__(
        self,
        layout: OrcLayout,
        streams: Mapping[tuple[int, int], tuple[int, int]],
        encodings: Sequence[Any],
        most: int,
    ) -> None:
        self._layout, self._streams, self._encodings = layout, streams, encodings
        self._most = most

    def of(self, column: int, count: int) -> NDArray[np.int64]:
        """Return the bytes of each of so many values, nulls included."""
        if column >= len(self._layout.types):
            raise _UnknownError
        own = VALUE * (2 if self._layout.types[column].kind in WIDE else 1)
        sizes = np.full(count, own, np.int64)
        present = self._present(column, count)
        there = count if present is None else int(present.sum())
        inside = self._inside(column, there)
        if inside is not None:
            sizes[slice(None) if present is None else present] += inside
        return sizes

    def _inside(self, column: int, count: int) -> NDArray[np.int64] | None:
        """The bytes of each value that is there beside its own; None for none."""
        of = self._layout.types[column]
        if any(each <= column for each in of.subtypes):  # types are numbered depth first
            raise _UnknownError
        if of.kind in TEXTS:
            return self._texts(column, count)
        if of.kind in LISTS:
            return self._lists(column, count)
        if of.kind == Type.Kind.STRUCT:
            return sum((self.of(each, count) for each in of.subtypes), np.zeros(count, np.int64))
        if len(of.subtypes):
            raise _UnknownError
        return None

    def _texts(self, column: int, count: int) -> NDArray[np.int64]:
        """The lengths of texts."""
        encoding = self._encodings[column] if column < len(self._encodings) else None
        if encoding is None or encoding.kind in {
            ColumnEncoding.Kind.DIRECT,
            ColumnEncoding.Kind.DIRECT_V2,
        }:
            return self._numbers(column, Stream.Kind.LENGTH, count)
        entries = self._numbers(column, Stream.Kind.LENGTH, encoding.dictionarySize)
        codes = self._numbers(column, Stream.Kind.DATA, count)
        if count and (int(codes.min()) < 0 or int(codes.max()) >= len(entries)):
            raise _UnknownError
        return entries[codes]

    def _lists(self, column: int, count: int) -> NDArray[np.int64]:
        """The bytes of what is in lists."""
        lengths = self._numbers(column, Stream.Kind.LENGTH, count)
        if count and int(lengths.min()) < 0:
            raise _UnknownError
        ends = np.cumsum(lengths)
        items = int(ends[-1]) if count else 0
        if items * VALUE * _ARRAYS > self._most or (count and int(lengths.max()) > items):
            raise _UnknownError
        sums = np.zeros(items + 1, np.int64)
        for each in self._layout.types[column].subtypes:
            sums[1:] += np.cumsum(self.of(each, items))
        found: NDArray[np.int64] = sums[ends] - sums[ends - lengths]
        return found

    def _present(self, column: int, count: int) -> NDArray[np.bool_] | None:
        """Which values are there; None for all."""
        from byteloom.kernels.orc_values import present_values

        if (column, Stream.Kind.PRESENT) not in self._streams:
            return None
        out = np.zeros(count, np.bool_)
        if present_values(self._stream(column, Stream.Kind.PRESENT), out) < count:
            raise _UnknownError
        return out

    def _numbers(self, column: int, kind: int, count: int) -> NDArray[np.int64]:
        """Lengths or codes."""
        from byteloom.kernels.orc_runs import unsigned_runs
        from byteloom.kernels.orc_values import first_form_runs

        if count * VALUE * _ARRAYS > self._most:
            raise _UnknownError
        out, data = np.zeros(count, np.int64), self._stream(column, kind)
        encoding = self._encodings[column].kind if column < len(self._encodings) else 0
        if encoding in {ColumnEncoding.Kind.DIRECT, ColumnEncoding.Kind.DICTIONARY}:
            if first_form_runs(data, out) < count:
                raise _UnknownError
        elif count and unsigned_runs(data, out):
            raise _UnknownError
        return out

    def _stream(self, column: int, kind: int) -> NDArray[np.uint8]:
        """The bytes of a stream."""
        if (column, kind) not in self._streams:
            return np.zeros(0, np.uint8)
        try:
            return np.frombuffer(self._layout.plain(*self._streams[column, kind]), np.uint8)
        except FormatError as error:
            raise _UnknownError from error
