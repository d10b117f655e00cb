"""The layout of an ORC file: its types, its stripes and their streams.

The rules:

- The file is read from its end: postscript, footer, and the footers of the requested stripes.
- Every length is checked against the file before anything is read.
- An error in a compressed message has the offset at which the compressed bytes begin.

Source: https://orc.apache.org/specification/ORCv1/
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom.orc.chunks import parts, plain
from byteloom_generated.orc.messages import (
    CompressionKind,
    Footer,
    Metadata,
    PostScript,
    StripeFooter,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom.documents.messages import Message
    from byteloom.limits import Limits
    from byteloom.storage import Source
    from byteloom_generated.orc.messages import (
        ColumnStatistics,
        StripeInformation,
        Type,
    )

__all__ = ["OrcLayout", "StripeStreams"]

_M = TypeVar("_M", bound="Message")

_LONGEST: Final = 256
"""Most bytes of a postscript and of its length."""

_MOST_DIGITS: Final = 38
"""Most digits of a decimal; with more, the library aborts the whole process."""


@dataclass(frozen=True, slots=True)
class StripeStreams:
    """A stripe's footer, and where each of its streams begins."""

    footer: StripeFooter
    offsets: tuple[int, ...]


class OrcLayout:
    """The layout of a file.

    postscript  how the rest of the file is stored
    footer      types, stripes and statistics
    start       offset of the stored footer in the file
    """

    def __init__(self, source: Source, limits: Limits) -> None:
        """Read the end of the file.

        FormatError    it is damaged
        LimitExceeded  types inside each other, at more than ``limits.nesting`` levels
        """
        self._source, self._limits = source, limits
        tail = source.read_tail(_LONGEST)
        size = tail[-1] if tail else 0
        if size >= len(tail):
            raise Truncated("orc.postscript", source.size, f"{len(tail)} bytes", f"{size + 1}")
        at = source.size - 1 - size
        self.postscript = PostScript.parse(
            tail[-1 - size : -1], limits=limits, origin=at, path="orc.postscript"
        )
        length = self.postscript.footerLength
        self.start = at - length
        self.footer = self._message(Footer, self.start, length, "orc.footer")
        if not self.types:
            raise FormatError("orc.footer.types", self.start, "none", "the row and its columns")
        self._check_digits()
        self._check_levels()

    @property
    def types(self) -> Sequence[Type]:
        """The types of all columns, numbered depth first; 0 is the row."""
        return self.footer.types

    @property
    def stripes(self) -> Sequence[StripeInformation]:
        """The stripes, in their order."""
        return self.footer.stripes

    def statistics(self) -> list[Sequence[ColumnStatistics]]:
        """Return the statistics of each column of each stripe; an empty list if there are none."""
        length = self.postscript.metadataLength
        if not length:
            return []
        metadata = self._message(Metadata, self.start - length, length, "orc.metadata")
        return [each.colStats for each in metadata.stripeStats]

    def streams(self, stripe: StripeInformation) -> StripeStreams:
        """Return the footer of a stripe, and the places of its streams.

        FormatError  a damaged footer, or a zone that is no name of one
        """
        place = stripe.offset + stripe.indexLength + stripe.dataLength
        footer = self._message(StripeFooter, place, stripe.footerLength, "orc.stripe_footer")
        # The library opens the file of that name below the folder of zones.
        zone = footer.writerTimezone
        if ".." in zone.split("/") or "\0" in zone:
            path = "orc.stripe_footer.writerTimezone"
            raise FormatError(path, place, repr(zone), "the name of a time zone")
        offsets, at = [], stripe.offset
        for each in footer.streams:
            offsets.append(at)
            at += each.length
        return StripeStreams(footer, tuple(offsets))

    def plain(self, offset: int, length: int, most: int | None = None) -> bytes:
        """Return bytes of the file, decompressed; *most* as for `byteloom.orc.chunks.plain`."""
        return plain(self._source.read(offset, length), self.postscript, self._limits, most)

    def parts(self, ranges: Sequence[tuple[int, int]]) -> list[Iterator[bytes]]:
        """Return the bytes of each (offset, length), decompressed a chunk at a time."""
        held = self._source.read_ranges(ranges)
        return [parts(each, self.postscript, self._limits) for each in held]

    def _message(self, kind: type[_M], offset: int, length: int, path: str) -> _M:
        """Return the message stored at *offset* in *length* bytes of the file."""
        data = self.plain(offset, length, self._limits.metadata_size)
        try:
            return kind.parse(data, limits=self._limits, origin=offset, path=path)
        except FormatError as error:
            if self.postscript.compression != CompressionKind.NONE:
                error.offset = offset
            raise

    def _check_digits(self) -> None:
        """Refuse decimals with too many digits."""
        for at, each in enumerate(self.types):
            for name, digits in (("precision", each.precision), ("scale", each.scale)):
                if digits > _MOST_DIGITS:
                    path = f"orc.footer.types[{at}].{name}"
                    raise FormatError(path, self.start, digits, f"at most {_MOST_DIGITS}")

    def _check_levels(self) -> None:
        """Refuse types that are no tree, or one of many levels: the library calls itself for each.

        A type in two others would be made twice, those in it four times, and so on.
        """
        most, levels = self._limits.nesting, [0] * len(self.types)
        for at, each in enumerate(self.types):
            if levels[at] > most:
                wanted = f"at most {most} levels (limits.nesting)"
                found = f"{levels[at]} levels"
                raise LimitExceeded(f"orc.footer.types[{at}]", self.start, found, wanted)
            for inner in each.subtypes:
                if not at < inner < len(levels):
                    continue  # the library refuses it
                if levels[inner]:
                    path = f"orc.footer.types[{inner}]"
                    raise FormatError(path, self.start, "a type inside two others", "inside one")
                levels[inner] = levels[at] + 1
