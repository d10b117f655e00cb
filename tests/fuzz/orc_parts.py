"""Damage to the parts of an ORC file: its messages, and the streams of its stripes.

A damaged file is stored anew, so that all lengths fit, except where one of them is the damage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import zstandard
from tests.fuzz.mutations import damaged_bytes
from tests.support.orc_runs import WIDTHS
from tests.support.varints import varint

from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.layout import OrcLayout
from byteloom.storage.sources import BytesSource
from byteloom_generated.orc.messages import (
    ColumnEncoding,
    CompressionKind,
    Footer,
    PostScript,
    Stream,
    StripeFooter,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["damaged_orc", "with_room"]

_INDEX: Final = (Stream.Kind.ROW_INDEX, Stream.Kind.BLOOM_FILTER, Stream.Kind.BLOOM_FILTER_UTF8)
_SMALL: Final = (0, 1, 2, 3, 5, 127, 128, 255, 1000, 65_535, 1 << 20, (1 << 31) - 1, (1 << 32) - 1)
_LARGE: Final = (*_SMALL, 1 << 32, 1 << 40, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
_CHUNK: Final = 1 << 16


@dataclass
class _Orc:
    """A file of one stripe in its parts.

    streams  the bytes of each, decompressed
    kept     streams whose length in the stripe's footer is not made to fit
    """

    footer: Footer
    postscript: PostScript
    stripe: StripeFooter
    streams: list[bytes]
    kept: list[Stream]

    @classmethod
    def of(cls, data: bytes) -> _Orc:
        layout = OrcLayout(BytesSource(data), DEFAULT_LIMITS)
        found = layout.streams(layout.stripes[0])
        pairs = zip(found.footer.streams, found.offsets, strict=True)
        streams = [layout.plain(at, each.length) for each, at in pairs]
        parts = _Orc(Footer(), PostScript(), StripeFooter(), streams, [])
        parts.footer.CopyFrom(layout.footer)
        parts.postscript.CopyFrom(layout.postscript)
        parts.stripe.CopyFrom(found.footer)
        return parts

    @property
    def is_coded(self) -> bool:
        """Whether the file is compressed."""
        return self.postscript.compression != CompressionKind.NONE

    def packed(self, data: bytes) -> bytes:
        """Return bytes as they are stored, compressed by Zstandard if at all."""
        if not self.is_coded:
            return data
        parts = (data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK))
        coded = (zstandard.compress(each) for each in parts)
        return b"".join((len(each) << 1).to_bytes(3, "little") + each for each in coded)

    def data(self, size: int = 0, room: int = 0) -> bytes:
        """Return the file in *size* bytes, if that is enough, or with *room* before the footer."""
        if self.is_coded:
            self.postscript.compression = CompressionKind.ZSTD
            self.postscript.compressionBlockSize = _CHUNK
        out, index, stripe = b"ORC", 0, self.footer.stripes[0]
        for each, data in zip(self.stripe.streams, self.streams, strict=True):
            stored = self.packed(data)
            out += stored
            index += len(stored) if each.kind in _INDEX else 0
            if not any(each is other for other in self.kept):
                each.length = len(stored)
        end = self.packed(self.stripe.SerializeToString())
        stripe.offset, stripe.indexLength = 3, index
        stripe.dataLength, stripe.footerLength = len(out) - 3 - index, len(end)
        footer = self.packed(self.footer.SerializeToString())
        self.postscript.footerLength, self.postscript.metadataLength = len(footer), 0
        tail = self.postscript.SerializeToString()
        tail += bytes([len(tail)])
        left = size - len(out) - len(end) - len(footer) - len(tail)
        return out + end + bytes(max(left, room)) + footer + tail


def with_room(data: bytes, room: int) -> bytes:
    """Return a file with bytes of no meaning before its footer, and without statistics there."""
    return _Orc.of(data).data(room=room)


def damaged_orc(chance: Random, data: bytes) -> bytes:
    """Return a file of the same size with one to three changes to its parts."""
    file = _Orc.of(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        chance.choice(_CHANGES)(chance, file)
    found = file.data(len(data))
    return found if len(found) == len(data) else damaged_bytes(chance, data)


def _change_bytes(chance: Random, file: _Orc) -> None:
    """Change bytes of a stream."""
    at = chance.choice(_stored(file))
    if file.streams[at]:
        file.streams[at] = damaged_bytes(chance, file.streams[at])


def _change_runs(chance: Random, file: _Orc) -> None:
    """Put runs with values of any size into a stream, of lengths more often than of others."""
    places = _stored(file)
    lengths = [each for each in places if file.stripe.streams[each].kind == Stream.Kind.LENGTH]
    at = chance.choice(lengths if lengths and chance.random() < 0.7 else places)
    column = file.stripe.streams[at].column
    encodings = file.stripe.columns
    is_old = column >= len(encodings) or encodings[column].kind < ColumnEncoding.Kind.DIRECT_V2
    make = _first_form if is_old else _second_form
    runs = b"".join(make(chance) for _ in range(chance.choice((1, 1, 2, 3))))
    old = file.streams[at]
    cut = old[: chance.randrange(len(old) + 1)]
    file.streams[at] = chance.choice((runs, runs + old, old + runs, cut + runs))


def _change_stream(chance: Random, file: _Orc) -> None:
    """Change what a stream is, drop it, or put another one of its kind beside it."""
    at = chance.choice(_stored(file))
    stream, kind = file.stripe.streams[at], chance.randrange(5)
    if kind == 0:
        stream.column = chance.randrange(len(file.footer.types) + 2)
    elif kind == 1:
        _set_kind(stream, chance.choice((0, 1, 2, 3, 4, 5, 50)))
    elif kind == 2:
        stream.length = chance.choice(_LARGE)
        file.kept.append(stream)
    elif kind == 3:
        del file.stripe.streams[at], file.streams[at]
    else:
        at += chance.randrange(2)
        new = Stream(column=stream.column, length=0)
        _set_kind(new, stream.kind)
        file.stripe.streams.insert(at, new)
        make = chance.choice((_first_form, _second_form))
        file.streams.insert(at, make(chance))


def _change_encoding(chance: Random, file: _Orc) -> None:
    """Change an encoding or its entries, drop the last one, or change the zone."""
    encodings, kind = file.stripe.columns, chance.randrange(4)
    if not encodings or kind == 0:
        file.stripe.writerTimezone = chance.choice(("", "X", "../x", "Asia/Kolkata", "GMT\0"))
    elif kind == 1:
        del encodings[-1]
    elif kind == 2:
        _set_kind(chance.choice(encodings), chance.choice((0, 1, 2, 3, 9)))
    else:
        chance.choice(encodings).dictionarySize = chance.choice(_SMALL)


def _change_type(chance: Random, file: _Orc) -> None:
    """Change a type, its digits or what is inside it."""
    of, kind = chance.choice(file.footer.types), chance.randrange(6)
    if kind == 0:
        _set_kind(of, chance.choice((*map(int, Type.Kind), 19, 99)))
    elif kind == 1:
        of.precision = chance.choice((0, 1, 9, 18, 19, 30, 38))
    elif kind == 2:
        of.scale = chance.choice((0, 1, 9, 18, 19, 30, 38))
    elif kind == 3:
        of.maximumLength = chance.choice(_SMALL)
    elif kind == 4 or not of.subtypes:
        of.subtypes.append(chance.randrange(len(file.footer.types) + 1))
    else:
        del of.subtypes[-1]


def _change_rows(chance: Random, file: _Orc) -> None:
    """Change the number of rows, or what the postscript says."""
    kind, rows = chance.randrange(4), chance.choice(_LARGE)
    if kind == 0:
        file.footer.stripes[0].numberOfRows = file.footer.numberOfRows = rows
    elif kind == 1:
        rows = min(max(0, file.footer.numberOfRows + chance.choice((-1, 1, 5, 1000))), _LARGE[-1])
        file.footer.stripes[0].numberOfRows = file.footer.numberOfRows = rows
    elif kind == 2:
        file.footer.rowIndexStride = chance.choice(_SMALL)
    else:
        file.postscript.version[:] = [0, chance.randrange(14)]


_CHANGES: Final[tuple[Callable[[Random, _Orc], None], ...]] = (
    _change_bytes, _change_bytes, _change_runs, _change_runs, _change_stream, _change_encoding,
    _change_type, _change_rows,
)  # fmt: skip


def _stored(file: _Orc) -> list[int]:
    """Return the numbers of streams that are no index."""
    streams = file.stripe.streams
    return [at for at, each in enumerate(streams) if each.kind not in _INDEX]


def _set_kind(message: Any, kind: int) -> None:
    """Set the kind of a message, which may be one that does not exist."""
    message.MergeFromString(b"\x08" + varint(kind))


def _first_form(chance: Random) -> bytes:
    """Return a run of version 1."""
    if chance.random() < 0.6:
        head = bytes([chance.choice((0, 5, 27, 127)), chance.randrange(256)])
        return head + _number(chance)
    count = chance.choice((1, 5, 30, 128))
    return bytes([256 - count]) + b"".join(_number(chance) for _ in range(count))


def _second_form(chance: Random) -> bytes:
    """Return a run of version 2: one value, packed ones, ones with patches, or steps."""
    kind, code = chance.randrange(5), chance.randrange(32)
    if kind == 0:
        size = chance.randrange(1, 9)
        value = chance.choice((chance.randbytes(size), b"\xff" * size, bytes(size)))
        return bytes([size - 1 << 3 | chance.randrange(8)]) + value
    count = chance.choice((1, 2, 3, 10, 30, 512))
    packed = chance.randbytes((WIDTHS[code] * count + 7) // 8)
    code = 0 if kind == 4 else code
    head = bytes([min(kind, 3) << 6 | code << 1 | count - 1 >> 8, count - 1 & 255])
    if kind == 1:
        return head + packed
    if kind == 2:
        more = chance.randbytes(2)
        return head + more + chance.randbytes((more[0] >> 5) + 1) + packed + chance.randbytes(40)
    steps = b"" if kind == 4 else packed
    return head + _number(chance) + _number(chance) + steps


def _number(chance: Random) -> bytes:
    """Return a number of variable length, now and then one of too many bytes."""
    kind = chance.random()
    if kind < 0.05:
        return b"\xff" * chance.randrange(9, 25) + b"\x01"
    return varint(chance.randrange(200) if kind < 0.6 else chance.choice(_LARGE))
