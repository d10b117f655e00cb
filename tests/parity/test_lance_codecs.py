"""Encodings of Lance's pages give what a plain decoder of one chunk gives, damaged or not."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.support.lance_chunks import chunks, encoding, flat, variable
from tests.support.lance_plain import block_values, chunk_values, packed_words

from byteloom.errors import FormatError, LimitExceeded
from byteloom.lance.pages21.blocks import decode_blocks
from byteloom.lance.pages21.codecs import decode
from byteloom.lance.pages21.picking import decode_some
from byteloom.lance.pages21.values import Fixed, Lists, Variable
from byteloom_generated.lance import encodings21 as e

Case = tuple[e.CompressiveEncoding, list[list[bytes]], list[int]]
"""An encoding, the buffers of each chunk, and how many values it has."""


def values_of(found: Any) -> list[Any]:
    """Decoded values one by one."""
    if isinstance(found, Variable):
        return [found.data[a:b].tobytes() for a, b in pairwise(found.offsets.tolist())]
    if isinstance(found, Lists):
        items = values_of(found.items)
        if found.valid is not None:
            bits = np.unpackbits(found.valid, bitorder="little")[: len(items)]
            items = [each if bit else None for each, bit in zip(items, bits, strict=True)]
        return [items[at * found.size : (at + 1) * found.size] for at in range(found.count)]
    assert isinstance(found, Fixed)
    if found.bits == 1:
        bits = np.unpackbits(found.data, bitorder="little")[: found.count]
        return [int(each) for each in bits]
    size = found.bits // 8
    return [found.data[at * size : (at + 1) * size].tobytes() for at in range(found.count)]


def offsets(values: list[bytes], width: int, first: int) -> bytes:
    """Where values begin, and where the last one ends."""
    ends = np.cumsum([first, *map(len, values)])
    return ends.astype(f"<u{width}").tobytes()


def framed(content: bytes) -> bytes:
    """A buffer that is compressed by Zstandard."""
    return len(content).to_bytes(8, "little") + zstandard.ZstdCompressor().compress(content)


def general(values: e.CompressiveEncoding) -> e.CompressiveEncoding:
    """An encoding whose buffer is compressed by Zstandard, around another encoding."""
    scheme = e.BufferCompression(scheme=e.CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
    return encoding(general=e.General(compression=scheme, values=values))


@st.composite
def chunk(  # noqa: PLR0911  a case for each encoding
    draw: st.DrawFn, kind: str, bits: int
) -> tuple[list[bytes], int]:
    """The buffers of one sound chunk, and how many values it has."""
    size, count = bits // 8, draw(st.integers(int(kind == "packed"), 6))
    value = st.binary(min_size=size, max_size=size)
    values = draw(st.lists(value, min_size=count, max_size=count))
    texts = draw(st.lists(st.binary(max_size=9), min_size=count, max_size=count))
    whole = b"".join(values)
    plain = offsets(texts, size, (count + 1) * size) + b"".join(texts) if size in {4, 8} else b""
    match kind:
        case "bits":
            return [draw(st.binary(min_size=1, max_size=2))], count
        case "flat":
            return [whole], count
        case "variable":
            return [plain], count
        case "general":
            return [framed(whole)], count
        case "general variable":
            return [framed(plain)], count
        case "split":
            planes = [bytes(each[plane] for each in values) for plane in range(size)]
            return [b"".join(planes)], count
        case "rle":
            lengths = draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
            return [whole, bytes(lengths)], sum(lengths)
        case "lists":
            return [draw(st.binary(min_size=2, max_size=2)), whole * 2], count
    width = draw(st.integers(0, bits))
    numbers = [int.from_bytes(each, "little") for each in values]
    return [width.to_bytes(size, "little") + packed_words(numbers, bits, width)], count


KINDS: dict[str, tuple[e.CompressiveEncoding, int]] = {
    "bits": (flat(1), 8),
    **{f"flat {bits}": (flat(bits), bits) for bits in (8, 24, 64)},
    **{f"variable {bits}": (variable(bits), bits) for bits in (32, 64)},
    **{
        f"packed {bits}": (
            encoding(inline_bitpacking=e.InlineBitpacking(uncompressed_bits_per_value=bits)),
            bits,
        )
        for bits in (8, 16, 32, 64)
    },
    **{
        f"rle {bits}": (encoding(rle=e.Rle(values=flat(bits), run_lengths=flat(8))), bits)
        for bits in (8, 16, 32, 64)
    },
    **{
        f"split {bits}": (encoding(byte_stream_split=e.ByteStreamSplit(values=flat(bits))), bits)
        for bits in (32, 64)
    },
    "general 32": (general(flat(32)), 32),
    "general variable 32": (general(variable(32)), 32),
    "lists 16": (
        encoding(
            fixed_size_list=e.FixedSizeList(items_per_value=2, has_validity=True, values=flat(16))
        ),
        16,
    ),
}


@st.composite
def cases(draw: st.DrawFn, name: str) -> Case:
    """A few sound chunks of one encoding."""
    of, bits = KINDS[name]
    kind = name.rstrip("0123456789 ")
    drawn = draw(st.lists(chunk(kind, bits), min_size=1, max_size=3))
    return of, [buffers for buffers, _ in drawn], [count for _, count in drawn]


def damaged(draw: Any, case: Case) -> tuple[Case, int]:
    """Chunks with bits of one flipped, or a buffer of it cut off; and the number of that chunk."""
    of, parts, counts = case
    number = draw(st.integers(0, len(parts) - 1))
    buffers = [bytearray(each) for each in parts[number]]
    buffer = draw(st.sampled_from(buffers))
    for _ in range(draw(st.integers(1, 2))):
        if buffer:
            # Beginnings say most: widths, offsets, sizes.
            at = draw(st.integers(0, len(buffer) - 1) | st.integers(0, min(len(buffer) - 1, 11)))
            buffer[at] ^= 1 << draw(st.integers(0, 7))
            del buffer[draw(st.integers(0, len(buffer))) or len(buffer) :]
    parts = [*parts]
    parts[number] = [bytes(each) for each in buffers]
    return (of, parts, counts), number


def plain(case: Case, values: Any = chunk_values) -> list[Any] | int:
    """The *values* of all chunks, or the number of the first that is damaged."""
    of, parts, counts = case
    found = list[Any]()
    for number, (buffers, count) in enumerate(zip(parts, counts, strict=True)):
        try:
            found += values(of, buffers, count)
        except ValueError:
            return number
    return found


def outcome(use: Any, case: Case) -> list[Any] | int:
    """The result of a decoder for all chunks: values, or the number of a refused chunk."""
    of, parts, counts = case
    stored = chunks(counts, *zip(*parts, strict=True))
    try:
        return values_of(use(of, stored))
    except (FormatError, LimitExceeded) as error:
        (number,) = re.findall(r"^p\[(\d+)\]", str(error.path)) or re.findall(
            r"^p(\d?)", str(error.path)
        )
        return int(number)


names = pytest.mark.parametrize("name", KINDS)


@names
@given(data=st.data())
def test_chunks_have_the_values_of_each(name: str, data: st.DataObject) -> None:
    """Chunks of every encoding, decoded in one call, have the plain decoder's values."""
    case = data.draw(cases(name))
    assert outcome(decode, case) == plain(case)


@names
@given(data=st.data())
def test_the_damaged_chunk_is_refused(name: str, data: st.DataObject) -> None:
    """A damaged chunk has the plain decoder's values, or is refused by number as by it."""
    case, number = damaged(data.draw, data.draw(cases(name)))
    wanted = plain(case)
    assert wanted == number or isinstance(wanted, list)
    assert outcome(decode, case) == wanted


@names
@given(data=st.data())
def test_some_values_are_those_of_all(name: str, data: st.DataObject) -> None:
    """Picked values are those of the whole, or their damaged chunk is refused by number."""
    sound = data.draw(cases(name))
    case, number = damaged(data.draw, sound) if data.draw(st.booleans()) else (sound, -1)
    total = sum(case[2])
    picked = (
        sorted(data.draw(st.sets(st.integers(0, max(total - 1, 0)), max_size=5))) if total else []
    )
    wanted = plain(case)
    found = outcome(lambda of, stored: decode_some(of, stored, np.array(picked, np.int64)), case)
    if isinstance(wanted, list):
        assert found == [wanted[each] for each in picked]
    else:
        # Offsets between values that are not picked are not read.
        is_picky = name.startswith("variable") and isinstance(found, list)
        assert found == number or is_picky


@st.composite
def block(draw: st.DrawFn, kind: str, bits: int, width: int) -> tuple[bytes, int]:
    """A sound block of one buffer, and how many values it has."""
    count, size = draw(st.integers(1, 6)), bits // 8
    if kind.startswith("variable"):
        texts = draw(st.lists(st.binary(max_size=9), min_size=count, max_size=count))
        head = (count if kind.endswith("count") else bits).to_bytes(size, "little")
        if kind.endswith("early"):
            head = bytes([bits]) + count.to_bytes(size, "little")
        begin = len(head) + size + (count + 1) * size
        return head + begin.to_bytes(size, "little") + offsets(texts, size, 0) + b"".join(
            texts
        ), count
    if kind == "rle":
        lengths = draw(st.lists(st.integers(0, 9), min_size=count, max_size=count))
        values = draw(st.binary(min_size=size * count, max_size=size * count))
        return len(values).to_bytes(8, "little") + values + bytes(lengths), sum(lengths)
    full = draw(st.integers(0, 1))
    numbers = draw(st.lists(st.integers(0, (1 << width) - 1), min_size=count, max_size=count))
    data = packed_words([7] * 1024, bits, width) * full
    if draw(st.booleans()):
        data += b"".join(each.to_bytes(size, "little") for each in numbers)
    else:
        data += packed_words(numbers, bits, width)
    return data, 1024 * full + count


def encoding_of_blocks(kind: str, bits: int, width: int) -> e.CompressiveEncoding:
    """The encoding of blocks."""
    if kind.startswith("variable"):
        return variable(bits)
    if kind == "rle":
        return encoding(rle=e.Rle(values=flat(bits), run_lengths=flat(8)))
    of = e.OutOfLineBitpacking(uncompressed_bits_per_value=bits, values=flat(width))
    return encoding(out_of_line_bitpacking=of)


@pytest.mark.parametrize(
    "kind", ["variable", "variable, count", "variable, early", "rle", "packed"]
)
@given(data=st.data())
def test_blocks_have_the_values_of_a_plain_decoder(kind: str, data: st.DataObject) -> None:
    """Blocks, one of them damaged or none, have the plain decoder's values, or both refuse one."""
    widths = (32, 64) if kind.startswith("variable") else (8, 16, 32, 64)
    bits = data.draw(st.sampled_from(widths))
    width = data.draw(st.integers(1, bits))
    drawn = data.draw(st.lists(block(kind, bits, width), min_size=1, max_size=3))
    of, counts = encoding_of_blocks(kind, bits, width), [count for _, count in drawn]
    case = of, [[stored] for stored, _ in drawn], counts
    if data.draw(st.booleans()):
        case, _ = damaged(data.draw, case)
    wanted = plain(case, lambda of, buffers, count: block_values(of, buffers[0], count))
    assert outcome(decode_blocks, case) == wanted
