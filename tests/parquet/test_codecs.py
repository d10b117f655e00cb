"""Pages decompress into memory of the size that their headers state, alone or many in one call."""

from __future__ import annotations

import gzip
from itertools import accumulate
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.support.kernel_ways import bytes_of, ways

from byteloom.kernels.compressed_blocks import decompress_frames
from byteloom.native.kernel import Kernel
from byteloom.parquet import codecs
from byteloom.parquet.codecs import COMPRESSED, decoder, frames_decompressed
from byteloom_generated.parquet.footers import CODECS

CONTENT = bytes(range(256)) * 9 + b"the end"
NAMES = {each.number: each.name.lower() for each in CODECS if each.number in COMPRESSED}
GZIP = next(number for number, name in NAMES.items() if name == "gzip")


def filled(codec: int, data: bytes, size: int) -> bytes | None:
    """Return what a page decompresses to; None if it is refused, or has another size."""
    out = bytearray(size)
    try:
        written = decoder(codec)(memoryview(data), memoryview(out))
    except Exception:  # noqa: BLE001  each library raises errors of its own
        return None
    return bytes(out) if written == size else None


@pytest.mark.parametrize("codec", NAMES, ids=NAMES.__getitem__)
def test_sizes(codec: int) -> None:
    """A page fills memory of its content's size, but none that is one byte larger or smaller."""
    page = pa.Codec(NAMES[codec]).compress(CONTENT, asbytes=True)
    size = len(CONTENT)
    assert [filled(codec, page, each) for each in (size - 1, size, size + 1)] == [
        None,
        CONTENT,
        None,
    ]


@pytest.mark.parametrize("codec", NAMES, ids=NAMES.__getitem__)
def test_every_prefix_is_refused(codec: int) -> None:
    """A page of which any number of last bytes is missing is refused."""
    page = pa.Codec(NAMES[codec]).compress(CONTENT, asbytes=True)
    assert not any(filled(codec, page[:end], len(CONTENT)) for end in range(len(page)))


def test_members_of_gzip() -> None:
    """A page of several members is their content; other bytes after them are refused."""
    page = gzip.compress(CONTENT[:100]) + gzip.compress(CONTENT[100:])
    assert filled(GZIP, page, len(CONTENT)) == CONTENT
    assert filled(GZIP, page + b"\0", len(CONTENT)) is None
    assert filled(GZIP, page, len(CONTENT) - 1) is None


def test_many_members_of_gzip_take_no_longer_for_each() -> None:
    """A page of very many empty members, is read in time that grows with its size alone."""
    page = gzip.compress(b"") * 80_000 + gzip.compress(CONTENT)
    begun = process_time()
    assert filled(GZIP, page, len(CONTENT)) == CONTENT
    assert process_time() - begun < 5


CONTENTS = [b"", b"a", bytes(range(256)) * 9, b"text " * 1000]


def frame(content: bytes, *, states_size: bool = True) -> bytes:
    """A frame of some bytes."""
    return zstandard.ZstdCompressor(write_content_size=states_size).compress(content)


def ranges_of(parts: list[bytes], sizes: list[int]) -> np.ndarray:
    """Where each frame begins and ends, and where its content has its place."""
    ends, places = list(accumulate(map(len, parts))), list(accumulate(sizes))
    rows = [
        (end - len(part), end, place - size, place)
        for part, end, size, place in zip(parts, ends, sizes, places, strict=True)
    ]
    return np.array(rows, np.int64).reshape(-1, 4)


def decompressed(way: Any, parts: list[bytes], sizes: list[int]) -> tuple[int, bytes]:
    """How many frames fill their places, in order, and all bytes of these places."""
    from zstandard import backend_cffi

    ffi, lib = backend_cffi.ffi, backend_cffi.lib  # type: ignore[attr-defined]
    context = ffi.gc(lib.ZSTD_createDCtx(), lib.ZSTD_freeDCtx)
    function = ffi.addressof(lib, "ZSTD_decompressDCtx")
    numbers = (int(ffi.cast("intptr_t", each)) for each in (function, context))
    out = np.zeros(sum(sizes), np.uint8)
    found = way(decompress_frames)(
        *numbers, bytes_of(b"".join(parts)), ranges_of(parts, sizes), out
    )
    return int(found), out.tobytes()


@ways
@given(
    contents=st.lists(st.sampled_from(CONTENTS) | st.binary(max_size=300), max_size=6),
    states_size=st.booleans(),
)
def test_all_frames(way: Any, contents: list[bytes], states_size: bool) -> None:
    """Frames of any content are decompressed, whether or not they state its size."""
    parts = [frame(each, states_size=states_size) for each in contents]
    found = decompressed(way, parts, list(map(len, contents)))
    assert found == (len(contents), b"".join(contents))


@ways
@pytest.mark.parametrize("more", [-1, 1])
def test_frames_of_another_size(way: Any, more: int) -> None:
    """A place that is a byte smaller or larger than the content ends the call at its frame."""
    sizes = [len(each) for each in CONTENTS]
    sizes[2] += more
    found, _ = decompressed(way, list(map(frame, CONTENTS)), sizes)
    assert found == 2


@ways
def test_frames_that_are_cut(way: Any) -> None:
    """A frame of which any number of last bytes is missing is never filled."""
    whole = frame(CONTENTS[3])
    assert all(
        decompressed(way, [whole[:end]], [len(CONTENTS[3])])[0] == 0 for end in range(len(whole))
    )


@ways
@pytest.mark.parametrize(
    ("field", "value"), [(0, -1), (0, 20), (1, 10_000), (2, -1), (2, 9), (3, 10_000)]
)
def test_places_outside(way: Any, field: int, value: int) -> None:
    """Ranges that are not inside their bytes end the call before the library is called."""
    part = frame(b"12345678")
    ranges = np.array([[0, len(part), 0, 8]], np.int64)
    ranges[0, field] = value
    # The address of no function: a call would end the process.
    assert way(decompress_frames)(0, 0, bytes_of(part), ranges, np.zeros(8, np.uint8)) == 0


def test_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where loops are compiled, frames are decompressed in one call, or refused."""
    monkeypatch.setattr(Kernel, "is_worth_it", lambda *_: True)
    parts = list(map(frame, CONTENTS))
    sizes = list(map(len, CONTENTS))
    data, out = bytes_of(b"".join(parts)), np.zeros(sum(sizes), np.uint8)
    assert frames_decompressed(data, ranges_of(parts, sizes), out) is True
    assert out.tobytes() == b"".join(CONTENTS)
    assert frames_decompressed(data, ranges_of(parts, sizes)[:, [0, 1, 2, 2]], out) is False


def test_without_exported_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package lacks what can be called by address, the caller goes another way."""
    monkeypatch.setattr(codecs, "find_spec", lambda _: None)
    codecs._library.cache_clear()
    try:
        assert frames_decompressed(bytes_of(b""), ranges_of([], []), np.zeros(0, np.uint8)) is None
    finally:
        codecs._library.cache_clear()
