"""The loop over an ORC stream's chunks takes the chunks that their records take."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError, Truncated
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.chunks import as_chunks, parts, plain
from byteloom.wire import Reader
from byteloom_generated.orc.chunks import Chunk, Chunks
from byteloom_generated.orc.messages import CompressionKind, PostScript

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
