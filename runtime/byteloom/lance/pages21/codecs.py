"""Compressive encodings of chunks: buffers in, values out, all chunks in one call.

An encoding is a tree: each node decodes the result of its inner nodes.  A decoder takes
the node's message and the `Chunks`, whose first buffers are its own.

Source: https://lance.org/format/file/encoding/#compressive-encodings
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom.kernels.lance_values import (
    join_bits,
    join_buffers,
    join_planes,
    join_variable,
)
from byteloom.lance.arrays import empty
from byteloom.lance.pages21.integers import inline_bitpacking, runs
from byteloom.lance.pages21.parts import Buffers, Tables, bytes_of
from byteloom.lance.pages21.symbols import (
    Coded,
    decoded,
    read_symbols,
    text_of,
    texts_of_pages,
)
from byteloom.lance.pages21.values import Fixed, Lists, Packed, Values, Variable, offset_type
from byteloom.lance.sized import decompressed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.lance.pages21.parts import Chunks
    from byteloom.lance.pages21.symbols import Symbols
    from byteloom_generated.lance.encodings21 import CompressiveEncoding

__all__ = [
    "check_count",
    "check_run_lengths",
    "decode",
    "decoded_text",
    "flat_bits",
    "flat_width",
    "inflated",
    "kind_of",
    "offset_words",
]

_BYTE: Final = 8
_MOST_BITS: Final = 1 << 31


def decode(encoding: CompressiveEncoding, chunks: Chunks) -> Values:
    """Return the values of all *chunks*.

    Raises:
        FormatError: For damage.
        Unsupported: For an encoding that chunks do not have.
        LimitExceeded: It takes more than the limits allow.
    """
    kind = kind_of(encoding, chunks.path)
    if kind not in _DECODERS:
        raise Unsupported(f"{chunks.path}.compression", None, kind, "an encoding of chunks")
    check_count(chunks)
    return _DECODERS[kind](getattr(encoding, kind), chunks)


def check_count(chunks: Chunks) -> None:
    """Refuse more values than one read may have."""
    if chunks.total > chunks.limits.elements:
        wanted = f"at most {chunks.limits.elements} (limits.elements)"
        raise LimitExceeded(chunks.path, None, f"{chunks.total} values", wanted)


def kind_of(encoding: CompressiveEncoding, path: str) -> str:
    """Return the name of the encoding.

    Raises:
        FormatError: There is none.
    """
    kind = encoding.WhichOneof("compression")
    if kind is None:
        raise FormatError(f"{path}.compression", None, "nothing", "an encoding")
    return kind


def flat_bits(encoding: CompressiveEncoding, path: str) -> int:
    """Return the bits of a value, 1 or a multiple of 8; refuse an encoding that is not flat."""
    if kind_of(encoding, path) != "flat":
        raise Unsupported(f"{path}.compression", None, kind_of(encoding, path), "flat")
    return flat_width(encoding.flat.bits_per_value, path)


def flat_width(bits: int, path: str) -> int:
    """Return *bits* if flat values have such a width: 1 or a multiple of 8."""
    if bits != 1 and (bits % _BYTE or not 0 < bits < _MOST_BITS):
        raise FormatError(f"{path}.bits_per_value", None, bits, "1, or a multiple of 8")
    return bits


def _flat(message: Any, chunks: Chunks) -> Values:
    bits = flat_width(message.bits_per_value, chunks.path)
    sizes = (chunks.counts * bits + 7) // _BYTE
    buffers = chunks.need(0, sizes)
    buffers = inflated(message.data, buffers, chunks) if message.HasField("data") else buffers
    total = chunks.total
    if len(buffers.starts) == 1:
        start = int(buffers.starts[0])
        return Fixed(bits, buffers.data[start : start + int(sizes[0])], total)
    if bits == 1 and (chunks.counts[:-1] % _BYTE).any():
        out = np.zeros((total + 7) // _BYTE, np.uint8)
        join_bits(buffers.data, buffers.starts, chunks.counts, out)
        return Fixed(bits, out, total)
    chunks.check_size(int(sizes.sum()))
    out = empty(int(sizes.sum()), np.uint8)
    join_buffers(buffers.data, buffers.starts, sizes, out)
    return Fixed(bits, out, total)


def offset_words(message: Any, chunks: Chunks) -> tuple[np.ndarray, Buffers]:
    """Return the words of the buffers of values of any length, which begin with offsets."""
    bits = flat_bits(message.offsets, f"{chunks.path}.offsets")
    if bits not in {32, 64}:
        raise FormatError(f"{chunks.path}.offsets", None, f"{bits} bits", "32 or 64")
    width = bits // _BYTE
    buffers = chunks.need(0, (chunks.counts + 1) * width)
    if message.HasField("values"):
        raise Unsupported(f"{chunks.path}.values", None, "compressed values", "General around it")
    return buffers.words(width), buffers


def _bounded_words(message: Any, chunks: Chunks) -> tuple[np.ndarray, Buffers, np.ndarray, int]:
    """The words of the buffers of values of any length, the first of each, and bytes of all values.

    The first and the last offset of each buffer were checked.
    """
    words, buffers = offset_words(message, chunks)
    width = words.itemsize
    first = buffers.starts // width
    begins = words[first].astype(np.int64)
    ends = words[first + chunks.counts].astype(np.int64)
    sound = (begins >= (chunks.counts + 1) * width) & (begins <= ends) & (ends <= buffers.sizes)
    chunks.check(sound, lambda i: (f"values at {begins[i]} to {ends[i]}", f"{buffers.sizes[i]}"))
    size = int((ends - begins).sum())
    chunks.check_size(size)
    return words, buffers, first, size


def _variable(message: Any, chunks: Chunks) -> Values:
    words, buffers, _, size = _bounded_words(message, chunks)
    out = empty(size, np.uint8)
    offsets = empty(chunks.total + 1, offset_type(size))
    bad = join_variable(buffers.data, words, buffers.starts, chunks.counts, offsets, out)
    if bad >= 0:
        raise _descending(chunks, bad)
    return Variable(offsets, out)


def _descending(chunks: Chunks, chunk: int) -> FormatError:
    return chunks.refused(chunk, "offsets that descend", "ascending offsets")


def _rle(message: Any, chunks: Chunks) -> Values:
    bits = flat_bits(message.values, f"{chunks.path}.values")
    check_run_lengths(message, chunks)
    none = np.zeros(len(chunks.counts), np.int64)
    values, lengths = chunks.need(0, none), chunks.need(1, none)
    return runs(bits, values, lengths, chunks)


def check_run_lengths(message: Any, chunks: Chunks) -> None:
    """Refuse run lengths that are not a byte each, as drafts of 2.3 have them."""
    if flat_bits(message.run_lengths, f"{chunks.path}.run_lengths") != _BYTE:
        raise Unsupported(f"{chunks.path}.run_lengths", None, "wider run lengths", "8 bits")


def _byte_stream_split(message: Any, chunks: Chunks) -> Values:
    bits = flat_bits(message.values, f"{chunks.path}.values")
    width = max(bits // _BYTE, 1)
    buffers = chunks.need(0, chunks.counts * width)
    chunks.check_size(chunks.total * width)
    out = empty(chunks.total * width, np.uint8)
    join_planes(buffers.data, buffers.starts, chunks.counts, width, out)
    return Fixed(bits, out, chunks.total)


def _fsst(message: Any, chunks: Chunks) -> Values:
    if kind_of(message.values, chunks.path) == "variable":
        none = np.zeros(len(chunks.counts), np.int64)
        tables = chunks.tables or Tables([message.symbol_table], none)
        symbols = [read_symbols(each, chunks.path) for each in tables.tables]
        if any(is_coded for is_coded, _, _ in symbols):
            return _decoded(message.values.variable, chunks, symbols, tables.pages)
    return decoded_text(message, decode(message.values, chunks), chunks, chunks.counts)


def _decoded(
    message: Any, chunks: Chunks, symbols: Sequence[Symbols], tables: np.ndarray
) -> Variable:
    """Text whose codes are decoded where they are stored, by one of the *tables* for each chunk."""
    check_count(chunks)
    words, buffers, firsts, size = _bounded_words(message, chunks)
    coded = Coded(buffers.data, words, firsts, buffers.starts, chunks.counts, tables, size)
    most = chunks.limits.decompressed_size
    return decoded(symbols, coded, chunks.path, most, partial(_descending, chunks))


def decoded_text(message: Any, coded: Values, chunks: Chunks, counts: np.ndarray) -> Variable:
    """Return text that is *coded* by the symbol table of *message*, or that of its page.

    Args:
        counts: How many of the values are of each chunk.
    """
    path, most, tables = chunks.path, chunks.limits.decompressed_size, chunks.tables
    if not isinstance(coded, Variable):
        raise FormatError(f"{path}.values", None, "values of fixed width", "of any length")
    if tables is None:
        return text_of(message.symbol_table, coded, path, most)
    of_pages = np.bincount(tables.pages, counts, len(tables.tables)).astype(np.int64)
    return texts_of_pages(tables.tables, of_pages.tolist(), coded, path, most)


def _general(message: Any, chunks: Chunks) -> Values:
    none = np.zeros(len(chunks.counts), np.int64)
    first = inflated(message.compression, chunks.need(0, none), chunks)
    return decode(message.values, chunks.with_(buffers=(first, *chunks.buffers[1:])))


def inflated(compression: Any, buffers: Buffers, chunks: Chunks) -> Buffers:
    """Return a buffer of each chunk, decompressed; each begins at a multiple of eight."""
    view, parts, left = buffers.data.data, [], chunks.limits.decompressed_size
    starts, ends = np.empty_like(buffers.starts), np.empty_like(buffers.ends)
    at = 0
    for number, (start, end) in enumerate(
        zip(buffers.starts.tolist(), buffers.ends.tolist(), strict=True)
    ):
        path, place = chunks.path_of(number), int(chunks.places[number])
        content = decompressed(compression.scheme, view[start:end], chunks.limits, path, place)
        left -= len(content)
        if left < 0:
            most = chunks.limits.decompressed_size
            raise LimitExceeded(path, place, "more", f"{most} bytes (limits.decompressed_size)")
        starts[number], ends[number] = at, at + len(content)
        parts += [content, bytes(-len(content) % _BYTE)]
        at += len(content) + -len(content) % _BYTE
    return Buffers(bytes_of(b"".join(parts)), starts, ends)


def _fixed_size_list(message: Any, chunks: Chunks) -> Values:
    size = message.items_per_value
    if not 0 < size < _MOST_BITS:
        raise FormatError(f"{chunks.path}.items_per_value", None, size, "1 to 2147483647")
    inner = chunks.with_(counts=chunks.counts * size)
    if inner.total > chunks.limits.elements:
        wanted = f"at most {chunks.limits.elements} (limits.elements)"
        raise LimitExceeded(chunks.path, None, f"{inner.total} items", wanted)
    valid = None
    if message.has_validity:
        buffers = inner.need(0, (inner.counts + 7) // _BYTE)
        valid = np.zeros((inner.total + 7) // _BYTE, np.uint8)
        join_bits(buffers.data, buffers.starts, inner.counts, valid)
        inner = inner.with_(buffers=inner.buffers[1:])
    return Lists(size, decode(message.values, inner), valid, chunks.total)


def _packed_struct(message: Any, chunks: Chunks) -> Values:
    widths = tuple(message.bits_per_value)
    rows = decode(message.values, chunks)
    for each in widths:
        if each % _BYTE:
            raise Unsupported(f"{chunks.path}.bits_per_value", None, each, "a multiple of 8")
    if not isinstance(rows, Fixed) or rows.bits != sum(widths):
        raise FormatError(f"{chunks.path}.bits_per_value", None, widths, "the width of a struct")
    return Packed(widths, rows.data, rows.count)


_DECODERS: Final[dict[str, Callable[[Any, Chunks], Values]]] = {
    "flat": _flat,
    "variable": _variable,
    "inline_bitpacking": inline_bitpacking,
    "rle": _rle,
    "byte_stream_split": _byte_stream_split,
    "fsst": _fsst,
    "general": _general,
    "fixed_size_list": _fixed_size_list,
    "packed_struct": _packed_struct,
}
