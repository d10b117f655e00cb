"""One stripe of an ORC file as a file of its own, whose columns are named by their numbers.

The library reads the rows of a file in batches, but those of one stripe only all at once.  It also
takes names of columns as paths, so that a dot would lead into another column.  So it gets the
bytes of the file with another footer after them.

Source: https://orc.apache.org/specification/ORCv1/ ("File Tail")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.orc.chunks import as_chunks
from byteloom_generated.orc.messages import Footer, PostScript, Type

if TYPE_CHECKING:
    from byteloom.orc.layout import OrcLayout
    from byteloom.storage import Source

__all__ = ["MOMENTS", "StripeView"]

MOMENTS: Final = frozenset({Type.Kind.TIMESTAMP, Type.Kind.TIMESTAMP_INSTANT})
"""Types of timestamps."""


class StripeView:
    """A file whose only stripe is one stripe of another file.

    size  bytes of the file
    """

    def __init__(
        self, source: Source, layout: OrcLayout, stripe: int, *, moments: bool = True
    ) -> None:
        """Make the footer of a file with that stripe alone.

        moments  whether timestamps are declared as such; otherwise as integers
        """
        self._source = source
        footer, postscript = Footer(), PostScript()
        footer.CopyFrom(layout.footer)
        kept = layout.stripes[stripe]
        del footer.stripes[:], footer.statistics[:]
        footer.stripes.append(kept)
        footer.numberOfRows = kept.numberOfRows
        footer.types[0].fieldNames[:] = map(str, range(len(footer.types[0].fieldNames)))
        if not moments:
            for each in footer.types:
                if each.kind in MOMENTS:
                    each.kind = Type.Kind.LONG
        stored = as_chunks(footer.SerializeToString(), layout.postscript)
        postscript.CopyFrom(layout.postscript)
        postscript.footerLength, postscript.metadataLength = len(stored), 0
        end = postscript.SerializeToString()
        self._start = layout.start
        self._tail = stored + end + bytes([len(end)])
        self.size = self._start + len(self._tail)

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes of the file from *offset* on."""
        before = max(min(self._start - offset, length), 0)
        head = self._source.read(offset, before) if before else b""
        at = offset + before - self._start
        return head + self._tail[at : at + length - before]
