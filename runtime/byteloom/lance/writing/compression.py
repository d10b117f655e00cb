"""Compress values by a general codec: the first buffer of each chunk, or each large value.

Each part is compressed on its own.

Source: https://lance.org/format/file/encoding/#general
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.lance.writing.values import FixedValues, Part, flat
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.writing.options import Codec
    from byteloom.lance.writing.values import Encoded, VariableValues

__all__ = ["ByteStreams", "Compressed", "compressed_each"]

_BYTE: Final = 8


def compressed_each(values: VariableValues, codec: Codec) -> VariableValues:
    """Return values compressed one by one, including empty ones, which have a size."""
    ends = values.offsets.tolist()
    parts = [codec.compressed(values.data[start:end]) for start, end in pairwise(ends)]
    offsets = np.append(0, np.cumsum([len(each) for each in parts], dtype=np.int64))
    data = np.frombuffer(b"".join(parts), np.uint8)
    return replace(values, offsets=offsets, data=data, codec=codec)


class Compressed:
    """Values of which a codec has compressed the first buffer of each chunk.

    Attributes:
        inner: The values to compress.
        codec: The codec that compresses them.
    """

    def __init__(self, inner: Encoded, codec: Codec) -> None:
        """Set up the codec; nothing is compressed yet."""
        self.inner, self.codec = inner, codec
        self.count, self.num_buffers, self.most = inner.count, inner.num_buffers, inner.most
        self._cuts = np.zeros(0, np.int64)
        self._parts: Sequence[Part] = ()

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return the message that describes the encoding."""
        return self.codec.around(self.inner.encoding)

    @property
    def size(self) -> int:
        """Return the bytes of all values."""
        cuts = np.append(np.arange(0, self.count, self.most, dtype=np.int64), self.count)
        return int(sum(each.sizes.sum() for each in self.parts(cuts)))

    def parts(self, cuts: np.ndarray) -> Sequence[Part]:
        """Return the buffers of chunks; those of the last cuts are kept."""
        if not np.array_equal(cuts, self._cuts):
            first, *others = self.inner.parts(cuts)
            ends = (first.starts + first.sizes).tolist()
            found = [
                self.codec.compressed(first.data[start:end])
                for start, end in zip(first.starts.tolist(), ends, strict=True)
            ]
            sizes = np.array([len(each) for each in found], np.int64)
            joined = Part.joined(np.frombuffer(b"".join(found), np.uint8), sizes)
            self._cuts, self._parts = cuts, [joined, *others]
        return self._parts


@dataclass(frozen=True, slots=True)
class ByteStreams:
    """Numbers whose bytes are split by significance in each chunk, the lowest first."""

    values: FixedValues

    @property
    def count(self) -> int:
        """Return the number of values."""
        return self.values.count

    @property
    def encoding(self) -> e.CompressiveEncoding:
        """Return the message that describes the encoding."""
        message = e.ByteStreamSplit(values=flat(self.values.bits))
        return e.CompressiveEncoding(byte_stream_split=message)

    @property
    def num_buffers(self) -> int:
        """Return the number of buffers of values in a chunk."""
        return 1

    @property
    def most(self) -> int:
        """Return the most values of a chunk."""
        return self.values.most

    @property
    def size(self) -> int:
        """Return the bytes of all values."""
        return self.values.size

    def parts(self, cuts: np.ndarray) -> list[Part]:
        """Return the buffers of chunks; all but the last have the same number of values."""
        width = self.values.bits // _BYTE
        rows = self.values.buffers[0][1].reshape(-1, width)
        each = int(cuts[1]) if len(cuts) > 2 else 0  # noqa: PLR2004  the last chunk is apart
        whole = rows[: cuts[-2]].reshape(len(cuts) - 2, each, width).transpose(0, 2, 1)
        data = np.concatenate([whole.ravel(), rows[cuts[-2] :].T.ravel()])
        return [Part.joined(data, np.diff(cuts) * width)]
