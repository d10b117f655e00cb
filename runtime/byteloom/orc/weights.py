"""The memory that rows of an ORC stripe need, computed before the library decodes them.

The rules:

- A few bytes of runs encode any number of lengths, and the library allocates memory for them
  before it checks that there are as many bytes.  So the runs of lengths are added up first.
- The library takes lengths below 0 for huge ones, and reads numbers of more than 64 bits as others.
  Both are damage, and refused.
- The library takes a kind that it does not know for the first one, which it then misreads: a type
  for BOOLEAN, an encoding for DIRECT, and a stream for PRESENT.  Of two streams of a kind it reads
  one.  So kinds are checked as well.
- Each row of text in a dictionary counts as its longest entry.
- Bounds are never too low: they decide how many rows are read at a time.  The memory for one row,
  and for what a whole stripe keeps, is checked against limits.
- The longest list and the longest text may be in different rows; they count as if they were in one.

Source: https://orc.apache.org/specification/ORCv1/ ("Stripes", "Column Encodings", "Compression")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.orc.runs import Numbers, check_scales, check_tags
from byteloom_generated.orc.messages import ColumnEncoding, CompressionKind, Stream, Type

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from byteloom.limits import Limits
    from byteloom.orc.layout import OrcLayout
    from byteloom_generated.orc.messages import StripeFooter

__all__ = ["StripeWeights", "check_kinds"]

_TYPES: Final = frozenset(map(int, Type.Kind))
_ENCODINGS: Final = frozenset(map(int, ColumnEncoding.Kind))
_STREAMS: Final = frozenset(map(int, Stream.Kind))


def check_kinds(
    types: Sequence[Type], footer: StripeFooter, columns: Collection[int], where: str
) -> None:
    """Refuse columns of a stripe that the library would misread.

    columns      numbers of types, including those inside them
    where        the name of the stripe in errors
    Unsupported  a kind of type, encoding or stream that version 1 of the format does not have; a
                 map with null keys
    FormatError  two streams of a kind
    """
    for each in sorted(columns):
        _check(f"{where}.columns[{each}]", "a type", types[each].kind, _TYPES)
        if each < len(footer.columns):
            _check(f"{where}.columns[{each}]", "an encoding", footer.columns[each].kind, _ENCODINGS)
    seen = set()
    for stream in footer.streams:
        if stream.column in columns:
            _check(f"{where}.columns[{stream.column}]", "a stream", stream.kind, _STREAMS)
            if (stream.column, stream.kind) in seen:
                found = f"two streams of kind {Stream.Kind(stream.kind).name}"
                raise FormatError(f"{where}.columns[{stream.column}]", None, found, "one")
            seen.add((stream.column, stream.kind))
    for each in sorted(columns):
        keys = types[each].subtypes[:1] if types[each].kind == Type.Kind.MAP else ()
        if any((key, Stream.Kind.PRESENT) in seen for key in keys):
            # Writers leave the stream out where nothing is null; Arrow ends the process.
            raise Unsupported(f"{where}.columns[{each}]", None, "null keys of a map", "keys")


def _check(where: str, what: str, kind: int, known: Collection[int]) -> None:
    """Refuse a kind that is not known."""
    if kind not in known:
        raise Unsupported(where, None, f"{what} of kind {kind}", "a kind that ORC has")


_CODED: Final = (ColumnEncoding.Kind.DICTIONARY, ColumnEncoding.Kind.DICTIONARY_V2)
_OLD: Final = (ColumnEncoding.Kind.DIRECT, ColumnEncoding.Kind.DICTIONARY)
_EXPANDS: Final[dict[int, int]] = {
    CompressionKind.ZLIB: 1032,
    CompressionKind.SNAPPY: 22,
    CompressionKind.LZ4: 255,
}
"""Most bytes that a codec makes of one; other codecs have no bound."""

_VALUE: Final = 8
"""Bytes that count for a value besides its text: a number, or an offset."""

_WIDE: Final = frozenset({Type.Kind.DECIMAL, Type.Kind.TIMESTAMP, Type.Kind.TIMESTAMP_INSTANT})
"""Types whose values count twice as many bytes."""

_TEXTS: Final = frozenset({Type.Kind.STRING, Type.Kind.BINARY, Type.Kind.VARCHAR, Type.Kind.CHAR})
_LISTS: Final = frozenset({Type.Kind.LIST, Type.Kind.MAP})


class StripeWeights:
    """The memory that rows of some columns of a stripe need.

    kept  bytes that the library keeps while it reads: dictionaries, and a chunk of each stream
    """

    def __init__(
        self, layout: OrcLayout, number: int, columns: Sequence[int], limits: Limits
    ) -> None:
        """Add up the lengths of a stripe.

        number         the stripe's number
        columns        numbers of types, including those inside them
        FormatError    a stream of lengths, scales or tags is damaged, or there twice
        Unsupported    a type, an encoding or a stream of an unknown kind
        LimitExceeded  a dictionary, or everything that is kept, exceeds limits
        """
        self._types, self._limits, self._number = layout.types, limits, number
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
        self._lengths: dict[int, Numbers] = {}
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
        if size <= self._limits.decompressed_size:
            return
        worst = max(self._columns, key=lambda each: self._of([each], rows))
        what = "a row" if rows == 1 else f"{rows} rows"
        wanted = f"at most {self._limits.decompressed_size} (limits.decompressed_size)"
        found = f"{what} of up to {size} bytes"
        raise LimitExceeded(self._path(worst), self._stripe.offset, found, wanted)

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
            size += ((2 if kind in _WIDE else 1) * _VALUE + self._entries.get(number, 0)) * count
            inside = count
            if lengths is not None:
                inside = lengths.of(count)
                size += inside if kind in _TEXTS else 0
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
        is_coded = self._types[number].kind not in _LISTS and encoding in _CODED
        entries = self._encodings[number].dictionarySize if is_coded else values
        held = Numbers(parts, self._version(number), entries)
        if held.lowest < 0 or held.is_cut_off:
            found = "a length below 0" if held.lowest < 0 else "a run of lengths that does not end"
            raise FormatError(self._path(number), at, found, "lengths from 0 to 2^63 - 1")
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
