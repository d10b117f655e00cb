"""The bytes of the heaviest row of some columns of an ORC stripe, value by value.

The rules:

- It is computed only where the longest lists and texts, taken together from different rows, would
  be refused.
- Rows are read some thousands at a time, and items of lists as many at a time; each stream
  continues where it stopped.  So a stripe of any size takes a few MiB for each column, plus the
  chunks of its streams and the lengths of dictionary entries.
- The limit on the decompressed size of a file also bounds how many values are read.
- A damaged stream, or one of an unknown kind, ends the computation; then the bound that ignores
  values is used.

Source: https://orc.apache.org/specification/ORCv1/ ("Column Encodings")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError
from byteloom.orc.run_values import PRESENT, RunValues
from byteloom_generated.orc.messages import ColumnEncoding, Stream, Type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from byteloom.limits import Limits
    from byteloom.orc.layout import OrcLayout

__all__ = ["LISTS", "TEXTS", "VALUE", "WIDE", "heaviest_row"]

VALUE: Final = 8
"""Bytes that count for a value besides its text: a number, or an offset."""

WIDE: Final = frozenset({Type.Kind.DECIMAL, Type.Kind.TIMESTAMP, Type.Kind.TIMESTAMP_INSTANT})
"""Types whose values count twice as many bytes."""

TEXTS: Final = frozenset({Type.Kind.STRING, Type.Kind.BINARY, Type.Kind.VARCHAR, Type.Kind.CHAR})
LISTS: Final = frozenset({Type.Kind.LIST, Type.Kind.MAP})

WINDOW: Final = 1 << 15
"""Most values that are in memory at a time."""

_MOST: Final = 1 << 40
"""A size of a value beyond any limit, low enough that the sum of a window does not overflow."""

_OLD: Final = (ColumnEncoding.Kind.DIRECT, ColumnEncoding.Kind.DICTIONARY)
_DIRECT: Final = (ColumnEncoding.Kind.DIRECT, ColumnEncoding.Kind.DIRECT_V2)


def heaviest_row(  # noqa: PLR0913, PLR0917  (what a stripe consists of)
    layout: OrcLayout,
    streams: Mapping[tuple[int, int], tuple[int, int]],
    encodings: Sequence[Any],
    columns: Sequence[int],
    rows: int,
    limits: Limits,
    window: int = WINDOW,
) -> int | None:
    """Return the bytes of the heaviest row; None if they cannot be determined.

    streams    offset and length by column and kind
    encodings  of the columns, by number
    columns    numbers of types; each includes the types inside it
    rows       number of rows in the stripe
    window     number of rows, or of items of lists, in memory at a time
    """
    stripe = _Stripe(layout, streams, encodings, limits, window)
    try:
        found = _heaviest([stripe.column(each) for each in columns], rows, window)
    except (FormatError, RecursionError):
        return None
    return None if any(each.is_beyond for each in stripe.read) else found


def _heaviest(columns: Sequence[_Column], rows: int, window: int) -> int:
    """Return the bytes of the heaviest of the first *rows* rows."""
    fixed = sum(each.fixed or 0 for each in columns)
    varying = [each for each in columns if each.fixed is None]
    heaviest = 0
    for at in range(0, rows if varying else 0, window):
        count = min(window, rows - at)
        heaviest = max(heaviest, int(_added(each.take(count) for each in varying).max()))
    return fixed + heaviest


def _added(sizes: Iterator[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the bytes of all columns for each value; `FormatError` for a sum beyond any limit."""
    total = next(sizes)
    for each in sizes:
        total += each
        _sound(total, _MOST)
    return total


def _sound(numbers: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return numbers of a stream, or sums; `FormatError` unless each is from 0 to *most*."""
    if len(numbers) and (int(numbers.min()) < 0 or int(numbers.max()) > most):
        raise FormatError("orc.stream", None, "a number out of range", f"0 to {most}")
    return numbers


class _Stripe:
    """The streams and encodings of a stripe's columns.

    read  the streams that have been read
    left  number of values that may still be read
    """

    def __init__(
        self,
        layout: OrcLayout,
        streams: Mapping[tuple[int, int], tuple[int, int]],
        encodings: Sequence[Any],
        limits: Limits,
        window: int,
    ) -> None:
        self.types, self.limits, self.window = layout.types, limits, window
        self.read: list[RunValues] = []
        self._layout, self._streams, self._encodings = layout, streams, encodings
        stored = sum(length for _, length in streams.values())
        self.left = limits.elements + limits.expansion * stored

    def column(self, number: int) -> _Column:
        """Return the column with this number."""
        if number >= len(self.types):
            raise _unknown("a column")
        return _Column(self, number)

    def encoding(self, column: int) -> Any:
        """Return how a column is stored; None if the file does not say."""
        return self._encodings[column] if column < len(self._encodings) else None

    def present(self, column: int) -> RunValues | None:
        """Return the stream of which values of a column are present; None if all are."""
        if (column, Stream.Kind.PRESENT) not in self._streams:
            return None
        return self._values(column, Stream.Kind.PRESENT, PRESENT)

    def numbers(self, column: int, kind: int) -> RunValues:
        """Return the lengths or codes of a column."""
        encoding = self.encoding(column)
        return self._values(column, kind, 1 if encoding is None or encoding.kind in _OLD else 2)

    def take(self, values: RunValues, count: int, most: int = _MOST) -> NDArray[np.int64]:
        """Return the next numbers of a stream, each from 0 to *most*."""
        self.left -= count
        if self.left < 0:
            raise _unknown("a number of values")
        return _sound(values.take(count), most)

    def _values(self, column: int, kind: int, version: int) -> RunValues:
        """Return the values of a stream."""
        place = self._streams.get((column, kind))
        (parts,) = self._layout.parts([place]) if place is not None else [iter(())]
        self.read.append(RunValues(parts, version))
        return self.read[-1]


class _Column:
    """The bytes of the values of a column, in their order.

    fixed  bytes of each value if all have the same size; otherwise None
    """

    fixed: int | None

    def __init__(self, stripe: _Stripe, number: int) -> None:
        """Read the lengths of dictionary entries, and no other values yet."""
        of = stripe.types[number]
        if any(each <= number for each in of.subtypes):  # types are numbered depth first
            raise _unknown("an order of types")
        self._stripe = stripe
        self._own = VALUE * (2 if of.kind in WIDE else 1)
        self._is_list = of.kind in LISTS
        self._present = stripe.present(number)
        self._numbers: RunValues | None = None
        self._entries: NDArray[np.int64] | None = None
        if of.kind in TEXTS:
            self._numbers = self._text_numbers(number)
        elif self._is_list:
            self._numbers = stripe.numbers(number, Stream.Kind.LENGTH)
        elif of.kind != Type.Kind.STRUCT and len(of.subtypes):
            raise _unknown("a kind of column")
        inner = [stripe.column(each) for each in of.subtypes]
        self._inner = sum(each.fixed or 0 for each in inner)
        self._varying = [each for each in inner if each.fixed is None]
        is_fixed = self._present is None and self._numbers is None and not self._varying
        self.fixed = self._own + self._inner if is_fixed else None

    def take(self, count: int) -> NDArray[np.int64]:
        """Return the bytes of each of the next *count* values, nulls included."""
        sizes = np.full(count, self._own, np.int64)
        if self._present is None:
            sizes += self._inside(count)
            return _sound(sizes, _MOST)
        present = self._stripe.take(self._present, count).astype(np.bool_)
        if there := int(np.count_nonzero(present)):
            sizes[present] += self._inside(there)
        return _sound(sizes, _MOST)

    def _inside(self, count: int) -> NDArray[np.int64] | int:
        """Return the bytes of the text or the items of each value that is not null."""
        if self._numbers is None:
            inner = _added(each.take(count) for each in self._varying) if self._varying else 0
            return inner + self._inner
        if self._is_list:
            return self._lists(self._stripe.take(self._numbers, count))
        if self._entries is None:
            return self._stripe.take(self._numbers, count)
        return self._entries[self._stripe.take(self._numbers, count, len(self._entries) - 1)]

    def _text_numbers(self, number: int) -> RunValues:
        """Return the lengths of texts, or their codes if they are in a dictionary."""
        encoding = self._stripe.encoding(number)
        if encoding is None or encoding.kind in _DIRECT:
            return self._stripe.numbers(number, Stream.Kind.LENGTH)
        if encoding.dictionarySize * VALUE > self._stripe.limits.decompressed_size:
            raise _unknown("a size of dictionary")
        lengths = self._stripe.numbers(number, Stream.Kind.LENGTH)
        self._entries = self._stripe.take(lengths, encoding.dictionarySize)
        return self._stripe.numbers(number, Stream.Kind.DATA)

    def _lists(self, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bytes of the items in lists of these *lengths*, read in windows."""
        if self._inner:
            _sound(lengths, _MOST // self._inner)
        sizes = lengths * self._inner
        ends = np.cumsum(lengths)
        items = int(ends[-1]) if self._varying and len(ends) else 0
        for at in range(0, items, self._stripe.window):
            count = min(self._stripe.window, items - at)
            held = _added(each.take(count) for each in self._varying)
            sums = np.concatenate([[0], np.cumsum(held)])
            last = np.clip(ends - at, 0, count)
            sizes += sums[last] - sums[np.clip(ends - lengths - at, 0, count)]
            _sound(sizes, _MOST)
        return sizes


def _unknown(what: str) -> FormatError:
    """Return the error for an unknown form, which ends the computation."""
    return FormatError("orc.stream", None, f"{what} that is not known here", "a known one")
