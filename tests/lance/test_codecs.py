"""Codecs of chunks and blocks: the values that they give, and the damage that they refuse."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest
import zstandard
from tests.support.lance_chunks import chunks, encoding, flat, ints, symbols, texts, variable

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Unsupported
from byteloom.lance.pages21.blocks import decode_blocks, decode_levels
from byteloom.lance.pages21.codecs import decode
from byteloom.lance.pages21.picking import decode_some
from byteloom.lance.pages21.symbols import text_of
from byteloom.lance.pages21.values import Fixed, Lists, Packed, Variable
from byteloom.limits import Limits
from byteloom_generated.lance import bit_packing
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from byteloom.lance.pages21.parts import Chunks
    from byteloom.lance.pages21.values import Values
    from byteloom_generated.lance.encodings21 import CompressiveEncoding

ZSTD: Final = e.BufferCompression(scheme=e.CompressionScheme.COMPRESSION_ALGORITHM_ZSTD)
ONE: Final = chunks([1], [b"\1"])
NONE: Final = chunks([0], [b""])


def rle(bits: int = 16, length_bits: int = 8) -> CompressiveEncoding:
    """Runs."""
    return encoding(rle=e.Rle(values=flat(bits), run_lengths=flat(length_bits)))


def split(bits: int) -> CompressiveEncoding:
    """The first bytes of all values, then the second ones."""
    return encoding(byte_stream_split=e.ByteStreamSplit(values=flat(bits)))


def fsst(values: CompressiveEncoding, table: bytes = b"") -> CompressiveEncoding:
    """Text that is coded by a table of symbols."""
    return encoding(fsst=e.Fsst(symbol_table=table, values=values))


def lists(size: int, values: CompressiveEncoding, *, valid: bool = False) -> CompressiveEncoding:
    """Lists of a given number of items."""
    made = e.FixedSizeList(items_per_value=size, values=values, has_validity=valid)
    return encoding(fixed_size_list=made)


def structs(values: CompressiveEncoding, *widths: int) -> CompressiveEncoding:
    """Structs, each its fields one after the other."""
    return encoding(packed_struct=e.PackedStruct(bits_per_value=widths, values=values))


def compressed(values: CompressiveEncoding) -> CompressiveEncoding:
    """Chunks that are frames."""
    return encoding(general=e.General(compression=ZSTD, values=values))


def inline(bits: int) -> CompressiveEncoding:
    """Integers that begin with how many bits of each are stored."""
    return encoding(inline_bitpacking=e.InlineBitpacking(uncompressed_bits_per_value=bits))


def outside(bits: int, values: CompressiveEncoding) -> CompressiveEncoding:
    """Integers whose description says how many bits of each are stored."""
    made = e.OutOfLineBitpacking(uncompressed_bits_per_value=bits, values=values)
    return encoding(out_of_line_bitpacking=made)


def packed(width: int, values: np.ndarray) -> bytes:
    """A chunk of integers of 16 bits, of which *width* bits are stored."""
    padded = np.zeros(1024, np.uint16)
    padded[: len(values)] = values
    out = np.zeros(width * 64, np.uint16)
    first = np.array([0])
    bit_packing.pack_16(padded, first, np.array([width]), out, first)
    return bytes(out.tobytes())


def frame(data: bytes) -> bytes:
    """A frame after its size."""
    return ints("<u8", len(data)) + zstandard.ZstdCompressor().compress(data)


def plain(values: Values) -> Any:
    """Decoded values as lists of Python."""
    if isinstance(values, Fixed):
        if values.bits == 1:
            found = np.unpackbits(values.data, count=values.count, bitorder="little")
            return found.tolist()
        width = values.bits // 8
        rows = values.data[: values.count * width].reshape(values.count, width)
        return [int.from_bytes(row.tobytes(), "little") for row in rows]
    if isinstance(values, Variable):
        ends = values.offsets.tolist()
        data = values.data.tobytes()
        return [data[a:b] for a, b in pairwise(ends)]
    if isinstance(values, Packed):
        return list(zip(*map(plain, values.fields()), strict=True))
    assert isinstance(values, Lists)
    items = plain(values.items)
    if values.valid is not None:
        valid = np.unpackbits(values.valid, count=len(items), bitorder="little")
        items = [item if one else None for item, one in zip(items, valid, strict=True)]
    return [items[at : at + values.size] for at in range(0, len(items), values.size)]


PAIRS: Final = ints("<u2", *range(6)), ints("<u2", *range(6, 10))

GIVEN: Final[dict[str, tuple[CompressiveEncoding, Chunks, list[Any]]]] = {
    "bits": (
        flat(1),
        chunks([3, 9, 2], [b"\5", b"\xff\1", b"\2"]),
        [1, 0, 1, *[1] * 9, 0, 1],
    ),
    "coded text": (
        fsst(variable(), symbols(b"abc", b"x")),
        chunks([2, 1], [texts(b"\0\xffz", b""), texts(b"\1\1")]),
        [b"abcz", b"", b"xx"],
    ),
    "text that is not coded": (
        fsst(variable(), symbols(is_coded=False)),
        chunks([1], [texts(b"\0\xff")]),
        [b"\0\xff"],
    ),
    "pairs": (
        lists(2, flat(16)),
        chunks([3, 2], PAIRS),
        [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]],
    ),
    "pairs of pairs": (
        lists(2, lists(2, flat(8))),
        chunks([1, 1], [b"\1\2\3\4", b"\5\6\7\x08"]),
        [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
    ),
    "structs": (
        structs(flat(24), 8, 16),
        chunks([2, 1], [b"\1\2\0\3\4\0", b"\5\6\0"]),
        [(1, 2), (3, 4), (5, 6)],
    ),
}


@pytest.mark.parametrize("case", GIVEN)
def test_a_codec_gives_the_values_of_all_chunks(case: str) -> None:
    """Each codec decodes all values of its chunks, and any of them by their numbers."""
    message, stored, expected = GIVEN[case]
    got = plain(decode(message, stored))
    assert _flattened(got) == _flattened(expected)
    count = len(expected)
    for numbers in ([], [0], [count - 1], range(0, count, 2), range(count)):
        some = plain(decode_some(message, stored, np.array(numbers, np.int64)))
        assert some == [got[each] for each in numbers]


def _flattened(values: Any) -> list[Any]:
    if not isinstance(values, list):
        return [values]
    return [one for each in values for one in _flattened(each)]


def words(begin: int, *offsets: int, bits: int = 32) -> bytes:
    """The head of a block of text: the bits of an offset, where bytes begin, and offsets."""
    return ints("<u4", bits, begin, *offsets)


BLOCKS: Final[dict[str, tuple[CompressiveEncoding, Chunks, list[Any]]]] = {
    "coded text": (
        fsst(variable(), symbols(b"abc")),
        chunks([1], [words(16, 0, 3) + b"\0\xffz"]),
        [b"abcz"],
    ),
    "frames": (
        compressed(variable()),
        chunks([1], [frame(words(16, 0, 3) + b"abc")]),
        [b"abc"],
    ),
    "bytes": (flat(8), chunks([2], [b"ab"]), [97, 98]),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_a_block_gives_its_values(case: str) -> None:
    """Each codec decodes the values of a block, where blocks differ from chunks too."""
    message, stored, expected = BLOCKS[case]
    assert plain(decode_blocks(message, stored)) == expected


AT: Final = "p[1] at byte 1100 (0x44c)"
FIRST: Final = "p[0] at byte 1000 (0x3e8)"
SOUND: Final = texts(b"ab", b"c")
HUGE: Final = 1 << 31


def offsets(*values: int) -> Chunks:
    """Chunks of two texts: a sound one, and one of these offsets and four bytes."""
    return chunks([2, 2], [SOUND, ints("<u4", *values) + b"wxyz"])


def runs_of(values: bytes, lengths: bytes, count: int = 3) -> Chunks:
    """Chunks of runs: a sound one, and one of these."""
    return chunks([1, count], [ints("<u2", 5), values], [b"\1", lengths])


def few(number: int) -> Limits:
    """A limit on values."""
    return Limits(elements=number)


def small(number: int) -> Limits:
    """A limit on what is decompressed."""
    return Limits(decompressed_size=number)


REFUSED: Final[list[tuple[CompressiveEncoding, Chunks, type[ByteloomError], str]]] = [
    (encoding(), ONE, FormatError, "p.compression: found nothing, wanted an encoding"),
    (
        outside(16, flat(3)),
        ONE,
        Unsupported,
        "p.compression: found out_of_line_bitpacking, wanted an encoding of chunks",
    ),
    (
        flat(8),
        chunks([2, 2], [b"ab", b"cd"], limits=few(3)),
        LimitExceeded,
        "p: found 4 values, wanted at most 3 (limits.elements)",
    ),
    *(
        (flat(bits), NONE, FormatError, f"p.bits_per_value: found {bits}, wanted 1, or a")
        for bits in (0, 2, 12, HUGE)
    ),
    (flat(8), chunks([2, 3], [b"ab", b"cd"]), FormatError, f"{AT}: found 2 bytes, wanted 3"),
    (flat(1), chunks([8, 9], [b"a", b"b"]), FormatError, f"{AT}: found 1 bytes, wanted 2"),
    (
        flat(16),
        chunks([1, 1], [b"ab", b"cd"], limits=small(3)),
        LimitExceeded,
        "p: found 4 bytes, wanted at most 3 (limits.decompressed_size)",
    ),
    (
        encoding(variable=e.Variable(offsets=rle())),
        ONE,
        Unsupported,
        "p.offsets.compression: found rle, wanted flat",
    ),
    (variable(16), ONE, FormatError, "p.offsets: found 16 bits, wanted 32 or 64"),
    (
        encoding(variable=e.Variable(offsets=flat(32), values=ZSTD)),
        chunks([0], [ints("<u4", 4)]),
        Unsupported,
        "p.values: found compressed values, wanted General around it",
    ),
    (
        variable(),
        chunks([2, 2], [SOUND, bytes(11)]),
        FormatError,
        f"{AT}: found 11 bytes, wanted 12",
    ),
    (variable(), offsets(11, 12, 16), FormatError, f"{AT}: found values at 11 to 16, wanted 16"),
    (variable(), offsets(12, 12, 17), FormatError, f"{AT}: found values at 12 to 17, wanted 16"),
    (variable(), offsets(13, 12, 12), FormatError, f"{AT}: found values at 13 to 12, wanted 16"),
    (
        variable(),
        offsets(12, 14, 13),
        FormatError,
        f"{AT}: found offsets that descend, wanted ascending offsets",
    ),
    (
        variable(),
        chunks([2], [SOUND], limits=small(2)),
        LimitExceeded,
        "p: found 3 bytes, wanted at most 2 (limits.decompressed_size)",
    ),
    (rle(), chunks([1], [b"ab"]), FormatError, f"{FIRST}: found 1 buffers, wanted more than 1"),
    (
        rle(length_bits=16),
        ONE,
        Unsupported,
        "p.run_lengths: found wider run lengths, wanted 8 bits",
    ),
    (rle(24), runs_of(b"", b""), FormatError, "p.bits_per_value: found 24, wanted 8, 16, 32 or 64"),
    (rle(), runs_of(b"abc", b"\1\2"), FormatError, f"{AT}: found 3 bytes, wanted 2 values"),
    (
        rle(),
        runs_of(b"abcd", b"\1\1"),
        FormatError,
        f"{AT}: found runs of the wrong length, wanted 3",
    ),
    (
        rle(),
        runs_of(b"abcd", b"\1\3"),
        FormatError,
        f"{AT}: found runs of the wrong length, wanted 3",
    ),
    (
        rle(),
        chunks([3], [b"ab"], [b"\3"], limits=small(5)),
        LimitExceeded,
        "p: found 6 bytes, wanted at most 5 (limits.decompressed_size)",
    ),
    (
        split(32),
        chunks([1, 3], [bytes(4), bytes(11)]),
        FormatError,
        f"{AT}: found 11 bytes, wanted 12",
    ),
    (
        split(32),
        chunks([3], [bytes(12)], limits=small(11)),
        LimitExceeded,
        "p: found 12 bytes, wanted at most 11 (limits.decompressed_size)",
    ),
    (
        fsst(flat(8)),
        ONE,
        FormatError,
        "p.values: found values of fixed width, wanted of any length",
    ),
    (
        fsst(variable(), symbols(b"abc")),
        chunks([2], [texts(b"\0", b"\1")]),
        FormatError,
        "p.values[1]: found a code, wanted one of the symbol table",
    ),
    (lists(0, flat(8)), NONE, FormatError, "p.items_per_value: found 0, wanted 1 to 2147483647"),
    (
        lists(HUGE, flat(8)),
        NONE,
        FormatError,
        f"p.items_per_value: found {HUGE}, wanted 1 to 2147483647",
    ),
    (
        lists(3, flat(8)),
        chunks([1], [b"abc"], limits=few(2)),
        LimitExceeded,
        "p: found 3 items, wanted at most 2 (limits.elements)",
    ),
    (
        lists(3, flat(8), valid=True),
        chunks([2, 3], [b"a", b"b"], [bytes(6), bytes(9)]),
        FormatError,
        f"{AT}: found 1 bytes, wanted 2",
    ),
    (
        structs(flat(16), 4, 12),
        chunks([1], [b"ab"]),
        Unsupported,
        "p.bits_per_value: found 4, wanted a multiple of 8",
    ),
    (
        structs(flat(16), 8, 16),
        chunks([1], [b"ab"]),
        FormatError,
        "p.bits_per_value: found (8, 16), wanted the width of a struct",
    ),
    (
        structs(variable(), 8),
        chunks([1], [texts(b"a")]),
        FormatError,
        "p.bits_per_value: found (8,), wanted the width of a struct",
    ),
    (inline(24), ONE, FormatError, "p.bits_per_value: found 24, wanted 8, 16, 32 or 64"),
    (
        inline(16),
        chunks([1, 1025], [bytes(2), ints("<u2", 1) + bytes(256)]),
        FormatError,
        f"{AT}: found 1025 values, wanted 1024",
    ),
    (
        inline(16),
        chunks([1, 1], [bytes(2), ints("<u2", 17)]),
        FormatError,
        f"{AT}: found a width of 17 bits, wanted at most 16",
    ),
    (
        inline(16),
        chunks([1, 1], [bytes(2), ints("<u2", 2) + bytes(255)]),
        FormatError,
        f"{AT}: found 257 bytes, wanted 258",
    ),
    (inline(16), chunks([1, 1], [bytes(2), b"\0"]), FormatError, f"{AT}: found 1 bytes, wanted 2"),
    (
        inline(16),
        chunks([1], [bytes(2)], limits=small(2049)),
        LimitExceeded,
        "p: found 2050 bytes, wanted at most 2049 (limits.decompressed_size)",
    ),
]


@pytest.mark.parametrize(("message", "stored", "error", "wanted"), REFUSED)
def test_a_damaged_chunk_is_refused(
    message: CompressiveEncoding, stored: Chunks, error: type[ByteloomError], wanted: str
) -> None:
    """The error names the first damaged chunk, its place, what was found and what was wanted."""
    with pytest.raises(error, match=f"^{re.escape(wanted)}"):
        decode(message, stored)


@pytest.mark.parametrize(
    ("message", "stored"),
    [
        (flat(8), chunks([2, 2], [b"ab", b"cd"], limits=few(4))),
        (flat(HUGE - 8), NONE),
        (flat(16), chunks([1, 1], [b"ab", b"cd"], limits=small(4))),
        (variable(), offsets(12, 12, 16)),
        (variable(), offsets(13, 13, 13)),
        (variable(), chunks([2], [SOUND], limits=small(3))),
        (rle(), chunks([3], [b"ab"], [b"\3"], limits=small(6))),
        (split(32), chunks([3], [bytes(12)], limits=small(12))),
        (lists(HUGE - 1, flat(8)), NONE),
        (lists(3, flat(8)), chunks([1], [b"abc"], limits=few(3))),
        (inline(16), chunks([1024], [ints("<u2", 16) + bytes(2048)])),
        (inline(16), chunks([1], [bytes(2)], limits=small(2050))),
    ],
)
def test_a_chunk_at_its_limits_is_read(message: CompressiveEncoding, stored: Chunks) -> None:
    """A chunk that exactly reaches a limit is decoded."""
    decode(message, stored)


REFUSED_BLOCKS: Final[list[tuple[CompressiveEncoding, Chunks, type[ByteloomError], str]]] = [
    (
        outside(24, flat(3)),
        ONE,
        FormatError,
        "p.bits_per_value: found 24, wanted 8, 16, 32 or 64",
    ),
    (outside(16, variable()), ONE, FormatError, "p.values: found another encoding, wanted flat"),
    (outside(16, flat(17)), ONE, FormatError, "p.bits_per_value: found 17, wanted at most 16"),
    (
        outside(16, flat(3)),
        chunks([1, 1024], [packed(3, np.zeros(1)), bytes(383)]),
        FormatError,
        f"{AT}: found 383 bytes, wanted 384",
    ),
    (
        outside(16, flat(3)),
        chunks([1, 1025], [packed(3, np.zeros(1)), bytes(384)]),
        FormatError,
        f"{AT}: found 384 bytes, wanted 768",
    ),
    (
        outside(16, flat(3)),
        chunks([2, 2], [bytes(384), bytes(384)], limits=few(3)),
        LimitExceeded,
        "p: found 4 values, wanted at most 3 (limits.elements)",
    ),
    (rle(), chunks([0, 1], [b"", bytes(7)]), FormatError, f"{AT}: found 7 bytes, wanted 8"),
    (
        rle(),
        chunks([0, 1], [b"", ints("<u8", 4) + b"abc"]),
        FormatError,
        f"{AT}: found 4 bytes of values, wanted 11",
    ),
    (
        rle(),
        chunks([0, 1], [b"", ints("<i8", -1) + b"abc"]),
        FormatError,
        f"{AT}: found -1 bytes of values, wanted 11",
    ),
    (
        fsst(flat(8)),
        ONE,
        FormatError,
        "p.values: found values of fixed width, wanted of any length",
    ),
    (variable(16), ONE, FormatError, "p.offsets: found 16 bits, wanted 32 or 64"),
    *(
        (variable(), chunks([0, 1], [words(12, 0), data]), FormatError, f"{AT}: found {said}")
        for data, said in [
            (words(16, 0), "12 bytes, wanted 16 and more"),
            (words(17, 0, 1) + b"ab", "values from byte 17 on, wanted 16"),
            (words(15, 0, 1) + b"ab", "values from byte 15 on, wanted 16"),
            (words(16, 1, 1) + b"ab", "offsets that descend or are too large, wanted offsets of"),
            (words(16, 0, 3) + b"ab", "offsets that descend or are too large, wanted offsets of"),
            (words(16, 0, 1, bits=64) + b"ab", "offsets of 64 bits, wanted offsets of 32 bits"),
            (b"\x20" + ints("<u4", 2, 17, 0, 1) + b"a", "offsets of 544 bits, wanted offsets of"),
        ]
    ),
    (
        variable(),
        chunks([2], [words(20, 0, 2, 1) + b"ab"]),
        FormatError,
        f"{FIRST}: found offsets that descend or are too large, wanted offsets of the values",
    ),
]


@pytest.mark.parametrize(("message", "stored", "error", "wanted"), REFUSED_BLOCKS)
def test_a_damaged_block_is_refused(
    message: CompressiveEncoding, stored: Chunks, error: type[ByteloomError], wanted: str
) -> None:
    """The error names the damaged block, its place, what was found and what was wanted."""
    with pytest.raises(error, match=f"^{re.escape(wanted)}"):
        decode_blocks(message, stored)


def test_levels_have_16_bits() -> None:
    """Levels of 16 bits are decoded, encoded or as they are; other widths are refused."""
    two = [ints("<u2", 1, 2, 3), ints("<u2", 4)]
    assert decode_levels(None, chunks([3, 1], two)).tolist() == [1, 2, 3, 4]
    assert decode_levels(flat(16), chunks([3, 1], two)).tolist() == [1, 2, 3, 4]
    for message in (flat(32), variable()):
        stored = chunks([1], [words(16, 0, 1) + b"a"])
        with pytest.raises(FormatError, match=r"^p: found levels of another width, wanted .* 16 b"):
            decode_levels(message, stored)


@pytest.mark.parametrize(
    ("message", "stored", "wanted"),
    [
        (variable(), offsets(12, 14, 13), f"{AT}: found a value at 14 to 13, wanted 16"),
        (variable(), offsets(12, 11, 12), f"{AT}: found a value at 11 to 12, wanted 16"),
        (variable(), offsets(12, 16, 17), f"{AT}: found a value at 16 to 17, wanted 16"),
        (fsst(flat(8)), chunks([4], [b"abcd"]), "p.values: found values of fixed width, wanted of"),
        (flat(8), chunks([2, 2], [b"ab", b"c"]), f"{AT}: found 1 bytes, wanted 2"),
    ],
)
def test_a_damaged_value_is_refused_when_it_is_wanted(
    message: CompressiveEncoding, stored: Chunks, wanted: str
) -> None:
    """Reading the last of four values in two chunks reports the damage to it."""
    with pytest.raises(FormatError, match=f"^{re.escape(wanted)}"):
        decode_some(message, stored, np.array([3]))


def test_values_that_are_picked_are_bounded() -> None:
    """Picking values is bounded by how many all chunks have, and by the bytes of those picked."""
    some = np.array([0])
    stored = chunks([2], [SOUND], limits=Limits(elements=2, decompressed_size=2))
    assert plain(decode_some(variable(), stored, some)) == [b"ab"]
    with pytest.raises(LimitExceeded, match=r"^p: found 2 values, wanted at most 1 \(limits\.elem"):
        decode_some(variable(), chunks([2], [SOUND], limits=few(1)), some)
    with pytest.raises(LimitExceeded, match=r"^p: found 2 bytes, wanted at most 1 \(limits\.decom"):
        decode_some(variable(), chunks([2], [SOUND], limits=small(1)), some)


@pytest.mark.parametrize(("most", "is_read"), [(6, True), (5, False), (1, False)])
def test_decoded_text_is_bounded(most: int, is_read: bool) -> None:
    """Coded text is bounded both as it is stored and as it is decoded."""
    coded = Variable(np.array([0, 2], np.int64), np.zeros(2, np.uint8))
    if is_read:
        assert plain(text_of(symbols(b"abc"), coded, "p", most)) == [b"abcabc"]
        return
    found = "6" if most > 1 else "more"
    with pytest.raises(
        LimitExceeded,
        match=rf"^p: found {found}, wanted {most} bytes \(limits\.decompressed_size\)",
    ):
        text_of(symbols(b"abc"), coded, "p", most)
