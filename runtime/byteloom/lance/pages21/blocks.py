"""Compressive encodings of blocks: one buffer each, for levels and for dictionaries.

Some encodings are stored differently than in chunks: where chunks have two buffers, a block has
the length of the first one in front, and offsets count from 0.

Source: https://lance.org/format/file/encoding/#block-compression
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.arrays import empty
from byteloom.lance.pages21 import codecs
from byteloom.lance.pages21.integers import runs, unpack_into
from byteloom.lance.pages21.parts import Buffers
from byteloom.lance.pages21.symbols import text_of
from byteloom.lance.pages21.values import Fixed, Variable
from byteloom.lance.units import LEVEL_BITS
from byteloom_generated.lance import bit_packing

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.lance.pages21.parts import Chunks
    from byteloom.lance.pages21.values import Values
    from byteloom_generated.lance.encodings21 import CompressiveEncoding

__all__ = ["decode_blocks", "decode_levels"]

_BYTE: Final = 8
_LENGTH: Final = 8
_HEAD: Final = 2
"""Words before the offsets of a block of values of any length: their bits, or count, and a size."""


def decode_levels(encoding: CompressiveEncoding | None, chunks: Chunks) -> np.ndarray:
    """Return the levels of all *chunks*, as integers of 16 bits in memory of their own.

    Args:
        encoding: How they are encoded; None if they are stored unencoded.
    """
    if encoding is None:
        buffers = chunks.need(0, chunks.counts * 2)
        starts = buffers.starts // 2
        words = buffers.words(2)
        return np.concatenate(
            [words[s : s + n] for s, n in zip(starts.tolist(), chunks.counts.tolist(), strict=True)]
        )
    found = decode_blocks(encoding, chunks)
    if not isinstance(found, Fixed) or found.bits != LEVEL_BITS:
        raise FormatError(chunks.path, None, "levels of another width", "levels of 16 bits")
    levels = found.data[: 2 * found.count].view("<u2")
    is_shared = any(np.may_share_memory(levels, each.data) for each in chunks.buffers)
    return levels.copy() if is_shared else levels


def decode_blocks(encoding: CompressiveEncoding, chunks: Chunks) -> Values:
    """Return the values of blocks; each block is the only buffer of a chunk.

    Raises:
        FormatError: For damage.
        Unsupported: For an encoding that blocks do not have.
        LimitExceeded: It takes more than the limits allow.
    """
    kind = codecs.kind_of(encoding, chunks.path)
    if kind not in _DECODERS:
        return codecs.decode(encoding, chunks)
    if chunks.total > chunks.limits.elements:
        wanted = f"at most {chunks.limits.elements} (limits.elements)"
        raise LimitExceeded(chunks.path, None, f"{chunks.total} values", wanted)
    return _DECODERS[kind](getattr(encoding, kind), chunks)


def _out_of_line_bitpacking(message: Any, chunks: Chunks) -> Values:
    bits = message.uncompressed_bits_per_value
    if bits not in {8, 16, 32, 64}:
        raise FormatError(f"{chunks.path}.bits_per_value", None, bits, "8, 16, 32 or 64")
    if codecs.kind_of(message.values, chunks.path) != "flat":
        raise FormatError(f"{chunks.path}.values", None, "another encoding", "flat")
    packed = message.values.flat.bits_per_value
    if packed > bits:
        raise FormatError(f"{chunks.path}.bits_per_value", None, packed, f"at most {bits}")
    width, most = bits // _BYTE, bit_packing.INTEGERS
    each = packed * most // bits
    full, tail = chunks.counts // most, chunks.counts % most
    buffers = chunks.need(0, full * each * width)
    # The rest is a chunk of its own, or unpacked; only its size shows which.
    is_plain = (tail > 0) & (buffers.sizes // width == full * each + tail)
    groups = full + ((tail > 0) & ~is_plain)
    chunks.need(0, (groups * each + np.where(is_plain, tail, 0)) * width)
    words, first = buffers.words(width), buffers.starts // width
    within = np.arange(groups.sum()) - np.repeat(np.cumsum(groups) - groups, groups)
    places = np.repeat(first, groups) + within * each
    targets = np.repeat(chunks.rows, groups) + within * most
    out = empty(chunks.total + most, f"<u{width}")
    unpack_into(bits, words, places, np.full(len(places), packed), out, targets)
    for i in np.flatnonzero(is_plain).tolist():
        count, at = int(tail[i]), int(first[i] + full[i] * each)
        to = int(chunks.rows[i] + full[i] * most)
        out[to : to + count] = words[at : at + count]
    return Fixed(bits, out[: chunks.total].view(np.uint8), chunks.total)


def _rle(message: Any, chunks: Chunks) -> Values:
    bits = codecs.flat_bits(message.values, f"{chunks.path}.values")
    codecs.check_run_lengths(message, chunks)
    buffers = chunks.need(0, np.where(chunks.counts > 0, _LENGTH, 0))
    sizes = np.zeros(len(chunks.counts), np.int64)
    has = buffers.sizes >= _LENGTH
    sizes[has] = buffers.words(_LENGTH)[buffers.starts[has] // _LENGTH].view(np.int64)
    after = buffers.starts + np.where(has, _LENGTH, 0)
    sound = (sizes >= 0) & (sizes <= buffers.ends - after)
    chunks.check(sound, lambda i: (f"{sizes[i]} bytes of values", f"{buffers.sizes[i]}"))
    values = Buffers(buffers.data, after, after + sizes)
    lengths = Buffers(buffers.data, after + sizes, buffers.ends)
    return runs(bits, values, lengths, chunks)


def _general(message: Any, chunks: Chunks) -> Values:
    none = np.zeros(len(chunks.counts), np.int64)
    whole = codecs.inflated(message.compression, chunks.need(0, none), chunks)
    return decode_blocks(message.values, chunks.with_(buffers=(whole,)))


def _fsst(message: Any, chunks: Chunks) -> Values:
    coded = decode_blocks(message.values, chunks)
    if not isinstance(coded, Variable):
        raise FormatError(f"{chunks.path}.values", None, "values of fixed width", "of any length")
    most = chunks.limits.decompressed_size
    return text_of(message.symbol_table, coded, chunks.path, most)


def _variable(message: Any, chunks: Chunks) -> Values:
    """Values of any length: the bits of offsets, where the bytes begin, offsets, bytes.

    Releases 0.32.1 to 0.37 wrote the bits as one byte and a count after it, those before the count
    alone, others the bits as one offset.
    """
    bits = codecs.flat_bits(message.offsets, f"{chunks.path}.offsets")
    none = np.zeros(len(chunks.counts), np.int64)
    buffers = chunks.need(0, none)
    if not len(chunks.counts) or bits not in {32, 64}:
        raise FormatError(f"{chunks.path}.offsets", None, f"{bits} bits", "32 or 64")
    joined = _joined(buffers, chunks.counts, bits // _BYTE)
    if joined is not None:
        return joined
    ends, parts, before = [np.zeros(1, np.int64)], [], 0
    for number in range(len(chunks.counts)):
        data = buffers.data[buffers.starts[number] : buffers.ends[number]]
        offsets, values = _block_values(data, number, bits // _BYTE, chunks)
        ends.append(offsets[1:] + before)
        parts.append(values)
        before += len(values)
    data = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return Variable.of(np.concatenate(ends), data)


def _joined(buffers: Buffers, counts: np.ndarray, width: int) -> Variable | None:
    """The values of many blocks of today's form; None if any has another, or is damaged."""
    starts, sizes = buffers.starts, buffers.sizes
    begins = (_HEAD + counts + 1) * width
    if (sizes < begins).any():
        return None
    words, head = buffers.words(width), starts // width
    is_known = (words[head] == width * _BYTE) | (words[head] == counts)
    if not (is_known & (words[head + 1] == begins)).all():
        return None
    items = counts + 1
    before = np.cumsum(items) - items
    places = np.arange(int(items.sum())) + np.repeat(head + _HEAD - before, items)
    offsets = words[places].astype(np.int64)
    ended = offsets[before + counts]
    ascends = np.diff(offsets) >= 0
    ascends[before[1:] - 1] = True
    if offsets[before].any() or (ended > sizes - begins).any() or not ascends.all():
        return None
    firsts = starts + begins
    pairs = zip(firsts.tolist(), (firsts + ended).tolist(), strict=True)
    out = np.concatenate([buffers.data[first:end] for first, end in pairs])
    offsets += np.repeat(np.cumsum(ended) - ended, items)
    kept = np.ones(len(offsets), np.bool_)
    kept[before[1:]] = False
    return Variable.of(offsets[kept], out)


def _block_values(
    data: np.ndarray, number: int, width: int, chunks: Chunks
) -> tuple[np.ndarray, np.ndarray]:
    """The offsets of the values of a block, from 0 on, and their bytes."""
    count = int(chunks.counts[number])
    head = _head(data, number, count, width, chunks)
    begin = int.from_bytes(data[head - width : head].tobytes(), "little")
    stored = np.frombuffer(data[head : head + (count + 1) * width].tobytes(), f"<u{width}")
    if begin != head + (count + 1) * width:
        wanted = f"{head + (count + 1) * width}"
        raise chunks.refused(number, f"values from byte {begin} on", wanted)
    offsets = stored.astype(np.int64)
    is_sound = (
        offsets[0] == 0 and offsets[-1] <= len(data) - begin and (np.diff(offsets) >= 0).all()
    )
    if not is_sound:
        found = "offsets that descend or are too large"
        raise chunks.refused(number, found, "offsets of the values")
    return offsets, data[begin : begin + int(offsets[-1])]


def _head(data: np.ndarray, number: int, count: int, width: int, chunks: Chunks) -> int:
    """Bytes before the offsets."""
    bits = width * _BYTE
    today, early = 2 * width, 1 + 2 * width
    if len(data) >= today + (count + 1) * width:
        word = int.from_bytes(data[:width].tobytes(), "little")
        if word in {bits, count}:
            return today
        counted = int.from_bytes(data[1 : 1 + width].tobytes(), "little")
        if data[0] == bits and counted == count and len(data) >= early + (count + 1) * width:
            return early
        raise chunks.refused(number, f"offsets of {word} bits", f"offsets of {bits} bits")
    raise chunks.refused(number, f"{len(data)} bytes", f"{today + (count + 1) * width} and more")


_DECODERS: Final[dict[str, Callable[[Any, Chunks], Values]]] = {
    "out_of_line_bitpacking": _out_of_line_bitpacking,
    "rle": _rle,
    "general": _general,
    "fsst": _fsst,
    "variable": _variable,
}
