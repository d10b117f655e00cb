"""Chunks of Lance pages decoded one value at a time, in plain Python; damage is a `ValueError`.

A value is its bytes, or an integer below 2 where it has one bit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import lz4.block
import zstandard

from byteloom_generated.lance.encodings21 import CompressionScheme
from byteloom_generated.lance.fsst import Fsst

__all__ = [
    "block_values",
    "check",
    "chunk_values",
    "coded_texts",
    "flat_values",
    "number_at",
    "unpacked",
]

_GROUPS: Final = (0, 4, 2, 6, 1, 5, 3, 7)
INTEGERS: Final = 1024


def check(*sound: bool) -> None:
    """Refuse what is not sound."""
    if not all(sound):
        raise ValueError


def _index(row: int, lane: int) -> int:
    """The number of the integer that a row of a lane has."""
    return _GROUPS[row // 8] * 16 + row % 8 * 128 + lane


def unpacked(data: bytes, bits: int, width: int) -> list[int]:
    """The 1,024 integers of *bits* bits whose lowest *width* are stored."""
    lanes, size = INTEGERS // bits, bits // 8
    found = [0] * INTEGERS
    for lane in range(lanes):
        stream = 0
        for at in range(width):
            place = (at * lanes + lane) * size
            stream |= int.from_bytes(data[place : place + size], "little") << bits * at
        for row in range(bits):
            found[_index(row, lane)] = stream >> row * width & (1 << width) - 1
    return found


def flat_values(bits: int, data: bytes, count: int) -> list[Any]:
    """Values of a given number of bits each, one after the other."""
    check(bits == 1 or (bits > 0 and bits % 8 == 0), len(data) >= (count * bits + 7) // 8)
    if bits == 1:
        return [data[at // 8] >> at % 8 & 1 for at in range(count)]
    size = bits // 8
    return [data[at * size : (at + 1) * size] for at in range(count)]


def number_at(data: bytes, at: int, size: int) -> int:
    """A word, which is signed where it has 64 bits."""
    return int.from_bytes(data[at : at + size], "little", signed=size == 8)


def _runs(bits: int, values: bytes, lengths: bytes, count: int) -> list[bytes]:
    size = bits // 8
    check(bits in {8, 16, 32, 64}, len(values) >= len(lengths) * size, sum(lengths) == count)
    found = list[bytes]()
    for at, length in enumerate(lengths):
        found += [values[at * size : (at + 1) * size]] * length
    return found


def _texts(data: bytes, begin: int, width: int, count: int, base: int) -> list[bytes]:
    """Values between offsets at *begin*, which count from *base*."""
    check(len(data) >= begin + (count + 1) * width)
    ends = [number_at(data, begin + at * width, width) + base for at in range(count + 1)]
    check(ends[0] >= begin + (count + 1) * width, ends[-1] <= len(data))
    check(all(low <= high for low, high in pairwise(ends)))
    return [data[low:high] for low, high in pairwise(ends)]


def decompressed(scheme: int, data: bytes) -> bytes:
    """The content of a compressed buffer: a frame of Zstandard, or after its size."""
    if scheme == CompressionScheme.COMPRESSION_ALGORITHM_LZ4:
        check(len(data) >= 4)
        size = int.from_bytes(data[:4], "little")
        try:
            content: bytes = lz4.block.decompress(data[4:], uncompressed_size=size)
        except (lz4.block.LZ4BlockError, OverflowError) as error:
            raise ValueError from error
        check(len(content) == size)
        return content
    stream, size = zstandard.ZstdDecompressor().decompressobj(), -1
    if data[:4] != zstandard.FRAME_HEADER:
        check(len(data) >= 8)
        size, data = int.from_bytes(data[:8], "little"), data[8:]
    try:
        content = stream.decompress(data)
    except zstandard.ZstdError as error:
        raise ValueError from error
    check(stream.eof, not stream.unused_data, size in {-1, len(content)})
    return content


def chunk_values(  # noqa: C901, PLR0911  a case for each encoding
    encoding: Any, buffers: list[bytes], count: int
) -> list[Any]:
    """The values of a chunk, whose first buffers are those of *encoding*."""
    kind = encoding.WhichOneof("compression")
    check(kind is not None)
    message = getattr(encoding, kind)
    data = buffers[0] if buffers else b""
    match kind:
        case "flat":
            return flat_values(message.bits_per_value, data, count)
        case "variable":
            return _texts(data, 0, message.offsets.flat.bits_per_value // 8, count, 0)
        case "inline_bitpacking":
            bits = message.uncompressed_bits_per_value
            size = bits // 8
            check(bits in {8, 16, 32, 64}, count <= INTEGERS)
            if not count:
                return []
            check(len(data) >= size)
            width = number_at(data, 0, size)
            check(0 <= width <= bits, len(data) >= size + width * INTEGERS // 8)
            found = unpacked(data[size:], bits, width)[:count]
            return [each.to_bytes(size, "little") for each in found]
        case "rle":
            bits = message.values.flat.bits_per_value
            check(len(buffers) > 1, message.run_lengths.flat.bits_per_value == 8)
            return _runs(bits, data, buffers[1], count)
        case "byte_stream_split":
            size = message.values.flat.bits_per_value // 8
            check(len(data) >= count * size)
            return [bytes(data[plane * count + at] for plane in range(size)) for at in range(count)]
        case "general":
            content = decompressed(message.compression.scheme, data)
            return chunk_values(message.values, [content, *buffers[1:]], count)
        case "fsst":
            return coded_texts(message.symbol_table, chunk_values(message.values, buffers, count))
        case "fixed_size_list":
            size, valid = message.items_per_value, None
            if message.has_validity:
                valid, buffers = flat_values(1, data, count * size), buffers[1:]
            items: list[Any] = chunk_values(message.values, buffers, count * size)
            if valid is not None:
                items = [
                    each if is_there else None for each, is_there in zip(items, valid, strict=True)
                ]
            return [items[at * size : (at + 1) * size] for at in range(count)]
    raise NotImplementedError(kind)


def block_values(encoding: Any, data: bytes, count: int) -> list[Any]:
    """The values of a block: of one buffer, whatever its encoding."""
    kind = encoding.WhichOneof("compression")
    message = getattr(encoding, kind)
    if kind == "rle":
        if not count and len(data) < 8:
            size, data = 0, bytes(8) + data
        else:
            check(len(data) >= 8)
            size = number_at(data, 0, 8)
        check(0 <= size <= len(data) - 8)
        values, lengths = data[8 : 8 + size], data[8 + size :]
        return _runs(message.values.flat.bits_per_value, values, lengths, count)
    if kind == "fsst":
        return coded_texts(message.symbol_table, block_values(message.values, data, count))
    if kind == "general":
        return block_values(message.values, decompressed(message.compression.scheme, data), count)
    if kind == "out_of_line_bitpacking":
        return _out_of_line(message, data, count)
    if kind == "variable":
        width = message.offsets.flat.bits_per_value // 8
        head = _head(data, width, count)
        begin = head + (count + 1) * width
        check(int.from_bytes(data[head - width : head], "little") == begin)
        check(number_at(data, head, width) == 0)
        return _texts(data, head, width, count, begin)
    return chunk_values(encoding, [data], count)


def _head(data: bytes, width: int, count: int) -> int:
    """Bytes before the offsets of values of any length, of releases since 0.38 and before."""
    word = int.from_bytes(data[:width], "little")
    check(len(data) >= (count + 3) * width)
    if word in {8 * width, count}:
        return 2 * width
    counted = int.from_bytes(data[1 : 1 + width], "little")
    check(data[0] == 8 * width, counted == count, len(data) >= 1 + (count + 3) * width)
    return 1 + 2 * width


def _out_of_line(message: Any, data: bytes, count: int) -> list[bytes]:
    bits, width = message.uncompressed_bits_per_value, message.values.flat.bits_per_value
    size, each = bits // 8, width * INTEGERS // 8
    full, tail = divmod(count, INTEGERS)
    is_plain = tail > 0 and len(data) // size == (full * each) // size + tail
    groups = full + (tail > 0 and not is_plain)
    check(len(data) >= groups * each + (tail * size if is_plain else 0))
    found = list[int]()
    for group in range(groups):
        found += unpacked(data[group * each : (group + 1) * each], bits, width)
    values = [number.to_bytes(size, "little") for number in found[:count]]
    if is_plain:
        values += flat_values(bits, data[full * each :], tail)
    return values


def coded_texts(table: bytes, values: list[bytes]) -> list[bytes]:
    """Texts whose pieces are symbols of a table; a byte after 255 is stored as it is."""
    symbols = Fsst.from_bytes(table[: _table_size(table)])
    if not symbols.is_coded:
        return values
    pieces = [
        piece[:length] for piece, length in zip(symbols.symbols, symbols.lengths, strict=True)
    ]
    found = list[bytes]()
    for value in values:
        text, codes = b"", iter(value)
        for code in codes:
            if code == 255:
                escaped = next(codes, None)
                check(escaped is not None)
                text += bytes([escaped or 0])
            else:
                check(code < len(pieces))
                text += pieces[code]
        found.append(text)
    return found


def _table_size(table: bytes) -> int:
    """Bytes of a table that has room for more symbols than it has."""
    return 8 + 9 * table[0]
