"""Runs and chunks of ORC have what a plain reader, and their records, find in them."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.kernel_ways import bytes_of, ways
from tests.support.orc_runs import CutOff, Source, first_form, second_form

from byteloom.errors import FormatError, Truncated
from byteloom.kernels.orc_runs import unsigned_runs
from byteloom.kernels.orc_sizes import FIRST, HEAD, LEVELS, MOST, add_runs
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.chunks import as_chunks, parts, plain
from byteloom.wire import Reader
from byteloom_generated.orc.chunks import Chunk, Chunks
from byteloom_generated.orc.messages import CompressionKind, PostScript

LONGEST = 130 * 8
"""More values than a run has."""


@st.composite
def runs(draw: st.DrawFn) -> bytes:
    """A few runs of version 2, of all kinds and widths, sound or not."""
    out = b""
    for _ in range(draw(st.integers(1, 3))):
        kind, code, count = draw(
            st.tuples(st.integers(0, 3), st.integers(0, 31), st.integers(1, 9))
        )
        if kind == 0:
            size = draw(st.integers(1, 8))
            out += bytes([size - 1 << 3 | draw(st.integers(0, 7))]) + draw(
                st.binary(min_size=size, max_size=size)
            )
            continue
        out += bytes([kind << 6 | code << 1, count - 1])
        if kind == 2:
            out += bytes(draw(st.tuples(st.integers(0, 255), st.integers(0, 255))))
        out += draw(st.binary(min_size=4, max_size=60))
    return out


def plain_runs(data: bytes, count: int) -> tuple[int, list[int]]:
    """What `unsigned_runs` should return, and the values of the runs before the damage."""
    source, values = Source(data), list[int]()
    try:
        while len(values) < count:
            values += second_form(source, count - len(values))
    except CutOff:
        return 1, values
    except ValueError:
        return 2, values
    return 0, values


@ways
@given(data=runs(), count=st.integers(1, 40))
@example(data=bytes([0xC0, 2]) + b"\xff" * 9 + b"\x01" + b"\x02", count=3)
@example(data=bytes([0xBE, 0, 0x1F, 1, 0x7F]) + b"\xff" * 16, count=1)  # entries of 65 bits
@example(data=bytes([0xBE, 0, 0, 1, 0]) + bytes(8) + b"\x40", count=1)  # bits above the highest
def test_a_column_has_the_values_of_its_runs(way: Any, data: bytes, count: int) -> None:
    """Runs have the plain reader's values, or the same code for their damage."""
    out = np.full(count, -99, np.int64)
    code, values = plain_runs(data, count)
    assert way(unsigned_runs)(bytes_of(data), out) == code
    assert out[: len(values)].tolist() == values


SOUND = bytes.fromhex(
    "0a2710 5e035ca1ab1edeadbeef c609020222424246"
    "8e132b2107d01e00147028323c46505a646e78828c96a0aab4befce8 c6041d0b4240"
)
"""A run of each kind: those of the specification, and one of steps down."""


@ways
def test_each_flipped_bit_and_each_cut_of_runs(way: Any) -> None:
    """Each flipped bit and each cut of runs has the plain reader's values and code."""
    count = len(plain_runs(SOUND, 44)[1])
    assert plain_runs(SOUND, count)[0] == 0
    flipped = [
        bytes(byte ^ (at == bit // 8) << bit % 8 for at, byte in enumerate(SOUND))
        for bit in range(8 * len(SOUND))
    ]
    for data in [*flipped, *(SOUND[:size] for size in range(len(SOUND) + 1))]:
        out = np.full(count, -99, np.int64)
        code, values = plain_runs(data, count)
        assert way(unsigned_runs)(bytes_of(data), out) == code
        assert out[: len(values)].tolist() == values


def plain_windows(
    data: bytes, form: int, wanted: int, *, is_signed: bool = False
) -> tuple[bool, int, list[int]]:
    """Whether runs are sound, how many bytes the whole ones have, and their values."""
    source, values, at = Source(data), list[int](), 0
    while len(values) < wanted and at < len(data):
        try:
            values += (
                first_form(source, is_signed=is_signed)
                if form == 1
                else second_form(source, wanted + LONGEST - len(values), is_signed=is_signed)
            )
        except CutOff:
            break
        except ValueError:
            return False, at, values
        at = source.at
    return True, at, values


@ways
@pytest.mark.parametrize("form", [1, 2])
@given(data=runs() | st.binary(max_size=60), most=st.integers(1, 40))
@example(data=bytes.fromhex("c404000000010100000000"), most=5)
@example(data=bytes.fromhex("c0030703"), most=4)  # 7, 5, 3 and 1
@example(data=bytes.fromhex("c0040703"), most=5)  # one more step, to -1
@example(data=bytes.fromhex("c603070341"), most=4)  # 7, 5, 1 and 0, by steps of their own
@example(data=bytes.fromhex("c603070342"), most=4)  # a last step to -1
@example(data=bytes.fromhex("c4040000ff80"), most=5)  # a first step of 0, and then some of 7
@example(data=bytes.fromhex("8204150200000000400000000400"), most=1)  # two patches of one value
def test_lengths_come_to_no_less_than_they_are(way: Any, form: int, data: bytes, most: int) -> None:
    """Lengths are added up for all whole runs, up to the first that is cut off."""
    state = np.zeros(HEAD + 4 * LEVELS, np.int64)
    sound, at, values = plain_windows(data, form, most)
    end = way(add_runs)(bytes_of(data), form, False, most, state)
    if not sound:
        return  # a patch outside of its run, which is not added
    count, total, largest, lowest = state[:HEAD].tolist()
    assert (end, count) == (at, len(values))
    if values and min(values) < 0:
        assert lowest < 0 or largest == MOST  # a word of 64 bits, or a sum beyond it
    if values and min(values) >= 0 and max(values) <= MOST:
        assert largest >= max(values)
        assert total >= sum(values)
        assert state[HEAD + 3] >= min(total, 0)
        assert state[HEAD + 1] == count if count < 1 << FIRST else True


@ways
@pytest.mark.parametrize("form", [1, 2])
@given(data=runs() | st.binary(max_size=60), most=st.integers(1, 40))
@example(data=bytes.fromhex("c0030803"), most=4)  # 4, 2, 0 and -2
@example(data=bytes.fromhex("c60308034141"), most=4)  # steps of their own
@example(data=bytes.fromhex("4e01040503ff"), most=9)  # packed: 4 bits each
@example(data=bytes.fromhex("0a4e21"), most=5)  # one number
@example(data=bytes.fromhex("07ff0d"), most=10)  # of version 1, from -7 down
@example(data=bytes.fromhex("fd0d0e01"), most=3)  # of version 1, one by one
def test_signed_numbers_are_between_their_bounds(
    way: Any, form: int, data: bytes, most: int
) -> None:
    """Signed numbers of all whole runs are between the bounds, which are exact without patches."""
    state = np.zeros(HEAD + 4 * LEVELS, np.int64)
    sound, at, values = plain_windows(data, form, most, is_signed=True)
    end = way(add_runs)(bytes_of(data), form, True, most, state)
    if not sound:
        return  # a patch outside of its run, which is not added
    count, _, largest, lowest = state[:HEAD].tolist()
    assert (end, count) == (at, len(values))
    farthest = max(map(abs, values), default=0)
    assert max(-lowest, largest) >= min(farthest, MOST)
    if farthest < MOST:
        assert lowest <= min(values, default=0)
        assert largest >= max(values, default=0)
    if farthest < MOST and (form == 1 or not has_patches(data[:at])):
        assert (lowest, largest) == (min([0, *values]), max([0, *values]))


def has_patches(data: bytes) -> bool:
    """Whether one of the runs of version 2 has patches."""
    source = Source(data)
    while source.at < len(data):
        if data[source.at] >> 6 == 2:
            return True
        second_form(source, 1 << 10, is_signed=True)
    return False


ZLIB = PostScript(compression=CompressionKind.ZLIB, compressionBlockSize=9)
chunks = st.tuples(st.booleans(), st.binary(max_size=9))


def stored(is_original: bool, data: bytes) -> Chunk:
    """A chunk that holds some bytes, compressed or as they are."""
    deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    kept = data if is_original else deflate.compress(data) + deflate.flush()
    return Chunk(is_original=is_original, data=kept)


def by_record(data: bytes) -> tuple[list[bytes], type[FormatError] | None]:
    """What the chunks hold, as records read them up to damage, and the damage."""
    reader, found = Reader(data), list[bytes]()
    try:
        while not reader.eof:
            chunk = Chunk.read(reader)
            held = chunk.data
            if not chunk.is_original:
                inflate = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
                held = inflate.decompress(held, 10)
                if len(held) > 9 or not inflate.eof:
                    return found, FormatError
            found.append(held)
    except (FormatError, zlib.error) as error:
        return found, Truncated if isinstance(error, Truncated) else FormatError
    return found, None


def by_loop(data: bytes) -> tuple[list[bytes], type[FormatError] | None]:
    """What the chunks hold as the loop over streams reads them, and the damage."""
    found: list[bytes] = []
    try:
        for each in parts(data, ZLIB, DEFAULT_LIMITS):
            found.append(each)  # noqa: PERF402  those before an error count
    except FormatError as error:
        return found, type(error)
    return found, None


@given(st.lists(chunks, max_size=3))
def test_chunks_are_those_of_their_records(held: list[tuple[bool, bytes]]) -> None:
    """The loop reads the chunks of the records; cut or damaged ones are refused alike."""
    records = [stored(*each) for each in held]
    data = Chunks(chunks=records).to_bytes()
    assert by_loop(data) == ([each for _, each in held], None)
    flips = [bytes([*data[: bit // 8], data[bit // 8] ^ 1 << bit % 8, *data[bit // 8 + 1 :]])
             for bit in range(8 * Chunk.MIN_SIZE * bool(data))]  # fmt: skip
    for each in [data, *(data[:size] for size in range(len(data))), *flips]:
        assert by_loop(each) == by_record(each)


@pytest.mark.parametrize("size", [0, 1, 9, 10, 18, 19, 40])
def test_bytes_that_are_left_as_they_are_are_written_by_the_record(size: int) -> None:
    """Uncompressed bytes are written in chunks of the block size, and the loop reads them back."""
    data = bytes(range(size))
    made = as_chunks(data, ZLIB)
    records = Chunks.from_bytes(made).chunks
    assert [each.data for each in records] == [data[at : at + 9] for at in range(0, size, 9)]
    assert all(each.is_original for each in records)
    assert plain(made, ZLIB, DEFAULT_LIMITS) == data
