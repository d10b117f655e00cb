"""The memory that rows of an ORC stripe need, computed before the library decodes them.

The rules:

- A few bytes of runs encode any number of lengths, and the library allocates memory for them
  before it checks that there are as many bytes.  So the runs of lengths are added up first.
- The library takes lengths below 0 for huge ones, and reads numbers of more than 64 bits as others.
  Both are damage, and refused.
- Each row of text in a dictionary counts as its longest entry.
- Bounds are never too low: they decide how many rows are read at a time.  The memory for one row,
  and for what a whole stripe keeps, is checked against limits.
- The longest list and the longest text may be in different rows.  If both together exceed a limit,
  the bytes of each row are added up (`byteloom.orc.heaviest`).

Source: https://orc.apache.org/specification/ORCv1/ ("Column Encodings", "Compression")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.kernels import orc_sizes
from byteloom.orc.heaviest import LISTS, TEXTS, VALUE, WIDE, heaviest_row
from byteloom.orc.kinds import check_kinds
from byteloom.orc.run_parts import take_parts
from byteloom.orc.scales import check_scales
from byteloom.orc.tags import check_tags
from byteloom_generated.orc.messages import ColumnEncoding, CompressionKind, Stream, Type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from byteloom.limits import Limits
    from byteloom.orc.layout import OrcLayout

__all__ = ["StripeWeights"]

_CODED: Final = (ColumnEncoding.Kind.DICTIONARY, ColumnEncoding.Kind.DICTIONARY_V2)
_OLD: Final = (ColumnEncoding.Kind.DIRECT, ColumnEncoding.Kind.DICTIONARY)
_EXPANDS: Final[dict[int, int]] = {
    CompressionKind.ZLIB: 1032,
    CompressionKind.SNAPPY: 22,
    CompressionKind.LZ4: 255,
}
"""Most bytes that a codec makes of one; other codecs have no bound."""


class _Lengths:
    """The lengths of a column, and the greatest sum of any number of consecutive ones.

    damage  what is wrong with the lengths, in words; None for nothing
    """

    def __init__(self, parts: Iterable[bytes], version: int, most: int) -> None:
        """Add up the runs of a stream of at most *most* values."""
        state = self._state = np.zeros(orc_sizes.HEAD + 4 * orc_sizes.LEVELS, np.int64)

        def take(data: bytes) -> tuple[int, bool]:
            taken = orc_sizes.add_runs(np.frombuffer(data, np.uint8), version, most, state)
            return int(taken), state[0] >= most

        is_cut_off = take_parts(parts, take)
        self.damage = "a run of lengths that does not end" if is_cut_off else None
        if self._state[orc_sizes.LOWEST] < 0:
            self.damage = "a length below 0"

    @property
    def total(self) -> int:
        """The sum of all lengths."""
        return int(self._state[1])

    @property
    def longest(self) -> int:
        """The largest length."""
        return int(self._state[2])

    def of(self, count: int) -> int:
        """Return the greatest sum of *count* consecutive lengths."""
        most = min(self.total, self.longest * count)
        for level in range(orc_sizes.LEVELS):
            if count <= 1 << (orc_sizes.FIRST + level):
                return min(most, int(self._state[orc_sizes.HEAD + 4 * level + 3]))
        return most


class StripeWeights:
    """The memory that rows of some columns of a stripe need.

    kept  bytes that the library keeps while it reads: dictionaries, and a chunk of each stream
    """

    def __init__(
        self, layout: OrcLayout, number: int, columns: Sequence[int], limits: Limits
    ) -> None:
        """Add up the lengths of a stripe.

        number the stripe's number
        columns        numbers of types, including those inside them
        FormatError    a stream of lengths, scales or tags is damaged, or there twice
        Unsupported    a type, an encoding or a stream of an unknown kind
        LimitExceeded  a dictionary, or everything that is kept, exceeds limits
        """
        self._types, self._limits, self._number = layout.types, limits, number
        self._layout = layout
        self._stripe = layout.stripes[number]
        self._columns = columns
        self._inner = sorted(_with_inner(layout.types, columns))
        found = layout.streams(self._stripe)
        self._encodings: Any = found.footer.columns
        check_kinds(layout.types, found.footer, set(self._inner), self._path())
        self._streams = {
            (each.column, each.kind): (offset, each.length)
            for each, offset in zip(found.footer.streams, found.offsets, strict=True)
        }
        self._lengths: dict[int, _Lengths] = {}
        self._entries: dict[int, int] = {}
        self.kept = self._buffers(layout)
        values = self._add_up(layout)
        self._check_scales(layout, values)
        self._check_tags(layout, values)
        size = self._stripe.dataLength + self._stripe.indexLength
        most = limits.decompressed_size + limits.expansion * size
        if self.kept > most:
            found_ = f"{self.kept} bytes of dictionaries and chunks"
            wanted = f"at most {most} (limits.decompressed_size, limits.expansion)"
            raise LimitExceeded(self._path(), self._stripe.offset, found_, wanted)

    def rows_within(self, size: int, most: int) -> int:
        """Return how many rows fit into *size* bytes: a power of 2, up to *most*.

        LimitExceeded  one row needs more than ``limits.decompressed_size``
        """
        rows = 1 << most.bit_length() - 1
        while rows > 1 and self.of(rows) > size:
            rows >>= 1
        if rows == 1:
            self.check(1)
        return rows

    def check(self, rows: int) -> None:
        """Refuse *rows* that need more than ``limits.decompressed_size``."""
        size = self.of(rows)
        if rows == 1 and size > self._limits.decompressed_size:
            size = min(size, self._heaviest_row() or size)
        if size <= self._limits.decompressed_size:
            return
        worst = max(self._columns, key=lambda each: self._of([each], rows))
        what = "a row" if rows == 1 else f"{rows} rows"
        wanted = f"at most {self._limits.decompressed_size} (limits.decompressed_size)"
        found = f"{what} of up to {size} bytes"
        raise LimitExceeded(self._path(worst), self._stripe.offset, found, wanted)

    def _heaviest_row(self) -> int | None:
        """Return the bytes of the heaviest row; None if they cannot be determined within limits."""
        rows, streams, encodings = self._stripe.numberOfRows, self._streams, self._encodings
        return heaviest_row(self._layout, streams, encodings, self._columns, rows, self._limits)

    def of(self, rows: int) -> int:
        """Return the most bytes that this number of consecutive rows can need."""
        return self._of(self._columns, rows)

    def _of(self, columns: Sequence[int], rows: int) -> int:
        """Return the memory that rows of columns need."""
        counts, size = dict.fromkeys(columns, rows), 0
        for number in self._inner:
            if (count := counts.get(number)) is None:
                continue
            kind, lengths = self._types[number].kind, self._lengths.get(number)
            size += (2 if kind in WIDE else 1) * VALUE * count + self._entries.get(
                number, 0
            ) * count
            inside = count
            if lengths is not None:
                inside = lengths.of(count)
                size += inside if kind in TEXTS else 0
            counts |= dict.fromkeys(self._types[number].subtypes, inside)
        return size

    def _buffers(self, layout: OrcLayout) -> int:
        """Return the bytes of a chunk of each stream."""
        codec = layout.postscript.compression
        if codec == CompressionKind.NONE:
            return 0
        chunk, wanted = layout.postscript.compressionBlockSize, set(self._inner)
        expands = _EXPANDS.get(codec, chunk)
        held = ((column, size) for (column, _), (_, size) in self._streams.items())
        return sum(min(chunk, expands * size) for column, size in held if column in wanted)

    def _add_up(self, layout: OrcLayout) -> dict[int, int]:
        """Add up the lengths of all columns, outer ones before inner ones.

        return  the most values that each column has
        """
        asked = [each for each in self._inner if (each, Stream.Kind.LENGTH) in self._streams]
        ranges = [self._streams[each, Stream.Kind.LENGTH] for each in asked]
        streams = dict(zip(asked, layout.parts(ranges), strict=True))
        values = dict.fromkeys(self._columns, self._stripe.numberOfRows)
        for number in self._inner:
            inside = values[number]
            if number in streams:
                inside = self._add(number, streams[number], inside)
            values |= dict.fromkeys(self._types[number].subtypes, inside)
        return values

    def _check_scales(self, layout: OrcLayout, values: dict[int, int]) -> None:
        """Check the scales of all decimals; *values* is the most that a column has."""
        for number, at, parts in self._opened(layout, Type.Kind.DECIMAL, Stream.Kind.SECONDARY):
            check_scales(parts, self._version(number), values[number], self._path(number), at)

    def _check_tags(self, layout: OrcLayout, values: dict[int, int]) -> None:
        """Check the tags of all unions; *values* is the most that a column has."""
        for number, at, parts in self._opened(layout, Type.Kind.UNION, Stream.Kind.DATA):
            inner = len(self._types[number].subtypes)
            check_tags(parts, inner, values[number], self._path(number), at)

    def _opened(
        self, layout: OrcLayout, of: int, kind: int
    ) -> Iterator[tuple[int, int, Iterator[bytes]]]:
        """Yield the columns of a type that have a stream of a kind, its offset and its parts."""
        asked = [
            each
            for each in self._inner
            if self._types[each].kind == of and (each, kind) in self._streams
        ]
        places = [self._streams[each, kind] for each in asked]
        for number, (at, _), parts in zip(asked, places, layout.parts(places), strict=True):
            yield number, at, parts

    def _version(self, number: int) -> int:
        """Return the version of the runs of a column."""
        return 1 if self._encoding(number) in _OLD else 2

    def _encoding(self, number: int) -> int:
        """Return the encoding of a column; the oldest if the stripe does not say."""
        return int(self._encodings[number].kind) if number < len(self._encodings) else 0

    def _add(self, number: int, parts: Iterator[bytes], values: int) -> int:
        """Add up the lengths of a column; return the number of values inside it."""
        encoding = self._encoding(number)
        at = self._streams[number, Stream.Kind.LENGTH][0]
        is_coded = self._types[number].kind not in LISTS and encoding in _CODED
        entries = self._encodings[number].dictionarySize if is_coded else values
        held = _Lengths(parts, self._version(number), entries)
        if held.damage is not None:
            raise FormatError(self._path(number), at, held.damage, "lengths from 0 to 2^63 - 1")
        if not is_coded:
            self._lengths[number] = held
            return held.total
        size = held.total + 8 * entries
        if size > self._limits.decompressed_size:
            wanted = f"at most {self._limits.decompressed_size} (limits.decompressed_size)"
            found = f"a dictionary of {entries} entries, up to {size} bytes"
            raise LimitExceeded(self._path(number), at, found, wanted)
        self.kept += size
        self._entries[number] = held.longest
        return values

    def _path(self, column: int | None = None) -> str:
        """Return the name of the stripe, or of a column of it, in errors."""
        path = f"orc.stripes[{self._number}]"
        return path if column is None else f"{path}.columns[{column}]"


def _with_inner(types: Sequence[Any], columns: Sequence[int]) -> set[int]:
    """Return the numbers of columns and of all columns inside them."""
    found: set[int] = set()
    waiting = list(columns)
    while waiting:
        each = waiting.pop()
        if each not in found and each < len(types):
            found.add(each)
            waiting.extend(types[each].subtypes)
    return found
