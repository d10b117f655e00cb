"""Decompressing takes one whole frame of the size it states, within the limit, or fails.

Files choose codecs and limits of their own; here each meets every kind of damage.
"""

import random
import re
import subprocess
import sys
import textwrap
from typing import Any

import lz4.frame
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.support.memory import PEAK

from byteloom.codecs.compression import (
    CODECS,
    compress,
    compress_block,
    decompress,
    decompress_sized,
    zstd_frames,
)
from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.limits import Limits

codecs = pytest.mark.parametrize("codec", CODECS)
SAMPLE = b"some content, some content, some content" * 20


@given(codec=st.sampled_from(CODECS), data=st.binary(max_size=2000))
def test_what_goes_in_comes_out(codec: str, data: bytes) -> None:
    """Compressed content decompresses to itself, even if it is empty."""
    assert decompress(codec, compress(codec, data)) == data


@given(codec=st.sampled_from(CODECS), junk=st.binary(max_size=200), whole=st.booleans())
def test_no_bytes_escape_the_error_family(codec: str, junk: bytes, whole: bool) -> None:
    """Arbitrary bytes, alone or after the beginning of a frame, raise a `FormatError`."""
    data = junk if whole else compress(codec, SAMPLE)[:20] + junk
    with pytest.raises(FormatError, match=r"^found .*, wanted (an?|one) (LZ4|Zstandard) frame"):
        decompress(codec, data)


@codecs
def test_other_libraries_read_our_frames(codec: str) -> None:
    """The reference binding of each codec reads our frames and finds the size in them."""
    frame = compress(codec, SAMPLE)
    if codec == "lz4":
        assert lz4.frame.decompress(frame) == SAMPLE
        assert lz4.frame.get_frame_info(frame)["content_size"] == len(SAMPLE)
        assert lz4.frame.decompress(compress(codec, b"")) == b""
    else:
        assert zstandard.ZstdDecompressor().decompress(frame) == SAMPLE
        assert zstandard.frame_content_size(frame) == len(SAMPLE)


@codecs
@pytest.mark.parametrize("content", [b"", SAMPLE], ids=["empty", "full"])
def test_only_one_frame_is_taken(codec: str, content: bytes) -> None:
    """A byte too many, a second frame, or a byte too few is refused, for empty content as well."""
    frame = compress(codec, content)
    for data in (frame + b"\x00", frame + frame, frame[:-1]):
        with pytest.raises(FormatError, match=r"^blob at byte 4 \(0x4\): found"):
            decompress(codec, data, name="blob", offset=4)


@codecs
def test_skippable_frame_is_no_frame(codec: str) -> None:
    """A frame that libraries skip silently is refused: a blob is one frame of content."""
    skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    with pytest.raises(FormatError, match="which begins"):
        decompress(codec, skippable + compress(codec, SAMPLE))


@codecs
def test_every_damaged_bit_is_noticed(codec: str) -> None:
    """Our frames carry a checksum: one flipped bit never gives other content."""
    frame = compress(codec, SAMPLE)
    for bit in range(8 * len(frame)):
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            assert decompress(codec, damaged) == SAMPLE
        except ByteloomError:
            continue


def with_size(size: int) -> bytes:
    """Return a raw Zstandard frame of nine bytes that states *size* and has no checksum."""
    frame = bytearray(zstandard.ZstdCompressor().compress(b"a" * 9))
    assert frame[:6] == b"\x28\xb5\x2f\xfd\x20\x09"
    frame[5] = size
    return bytes(frame)


@pytest.mark.parametrize("size", [0, 5, 8, 10, 200])
def test_size_has_to_be_true(size: int) -> None:
    """Content larger or smaller than its frame says is refused, a size of 0 included."""
    with pytest.raises(FormatError, match=f"{size} bytes"):
        decompress("zstd", with_size(size))


@pytest.mark.parametrize(
    ("codec", "frame"),
    [
        ("lz4", lz4.frame.compress(SAMPLE, store_size=False)),
        ("zstd", zstandard.ZstdCompressor(write_content_size=False).compress(SAMPLE)),
    ],
)
def test_size_has_to_be_present(codec: str, frame: bytes) -> None:
    """A frame that states no size is refused, as it cannot be bounded."""
    with pytest.raises(FormatError, match="content size"):
        decompress(codec, frame)


def test_dictionary_is_unsupported() -> None:
    """A Zstandard frame that needs a dictionary is valid, and refused as unsupported."""
    trained = zstandard.train_dictionary(1000, [bytes([i]) * 50 + SAMPLE for i in range(100)])
    frame = zstandard.ZstdCompressor(dict_data=trained).compress(SAMPLE)
    with pytest.raises(Unsupported, match="dictionary"):
        decompress("zstd", frame)


def test_unknown_codec_is_unsupported() -> None:
    """The error for an unknown codec lists the known ones."""
    for call in (compress, decompress):
        with pytest.raises(Unsupported, match="found codec 'brotli', wanted one of lz4, zstd"):
            call("brotli", b"")


def test_bomb_is_refused_in_constant_memory_and_read_when_the_limit_is_raised() -> None:
    """A frame of 520 MiB of zeros in less than 1 MiB is refused without allocating its content.

    With a higher limit it is read, in little more memory than its content takes.
    """
    script = """
        import zstandard
        from byteloom.codecs.compression import decompress
        from byteloom.errors import LimitExceeded
        from byteloom.limits import Limits

        SIZE = 520 << 20
        packer = zstandard.ZstdCompressor().compressobj(size=SIZE)
        piece = bytes(1 << 20)
        bomb = b"".join([*(packer.compress(piece) for _ in range(520)), packer.flush()])
        assert len(bomb) < 1 << 20
        before = peak()
        try:
            decompress("zstd", bomb)
        except LimitExceeded:
            refused = peak() - before
        content = decompress("zstd", bomb, limits=Limits(decompressed_size=SIZE))
        assert len(content) == SIZE
        assert all(content.startswith(piece, at) for at in range(0, SIZE, len(piece)))
        print(refused, peak() - before)
    """
    program = PEAK + textwrap.dedent(script)
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    refused, read = map(int, ran.stdout.split())
    assert refused < 8 << 20
    assert read < (520 + 64) << 20


class TestSized:
    """Content is decompressed by a size from elsewhere, or without a size."""

    def test_blocks_come_back(self) -> None:
        """Blocks decompress to the content of the size that is given, even if it is empty."""
        for codec in CODECS:
            for content in (b"", b"a", SAMPLE):
                packed = compress_block(codec, content)
                assert decompress_sized(codec, packed, len(content)) == content

    @pytest.mark.parametrize("level", [None, 1, 19])
    def test_frames_come_back_whatever_the_level(self, level: int | None) -> None:
        """Frames of any compression level decompress, and the default level is 3."""
        content = bytes(random.Random(1).choices(b"some letters", k=5_000))
        packed = compress_block("zstd", content, level)
        assert decompress_sized("zstd", packed, 5_000) == content
        assert (packed == compress_block("zstd", content, 3)) == (level is None)

    @codecs
    @pytest.mark.parametrize("off", [-1, 1])
    def test_content_has_the_size_that_was_given(self, codec: Any, off: int) -> None:
        """A block is refused if the size that is given is a byte too large or too small."""
        packed = compress_block(codec, SAMPLE)
        with pytest.raises(FormatError, match=r"^part at byte 7 \(0x7\): found ") as refused:
            decompress_sized(codec, packed, len(SAMPLE) + off, name="part", offset=7)
        assert f"{len(SAMPLE) + off} bytes" in str(refused.value)
        if codec == "zstd":
            assert f"found a frame of {len(SAMPLE)} bytes" in str(refused.value)

    @pytest.mark.parametrize("size", [0, 1])
    def test_a_frame_that_says_no_size_has_the_one_that_was_given(self, size: int) -> None:
        """A frame that states no size is refused unless its content has the size that is given."""
        for content in (b"", b"a", b"ab"):
            stream = zstandard.ZstdCompressor(write_content_size=False).compressobj()
            packed = stream.compress(content) + stream.flush()
            if len(content) == size:
                assert decompress_sized("zstd", packed, size) == content
            else:
                with pytest.raises(FormatError, match=rf"{size} bytes"):
                    decompress_sized("zstd", packed, size)

    def test_an_unknown_size_is_bounded(self) -> None:
        """The limit bounds content of unknown size; an LZ4 block is refused without a size."""
        stream = zstandard.ZstdCompressor(write_content_size=False).compressobj()
        packed = stream.compress(SAMPLE) + stream.flush()
        limits = Limits(decompressed_size=len(SAMPLE))
        assert decompress_sized("zstd", packed, None, limits=limits) == SAMPLE
        most = len(SAMPLE) - 1
        said = (
            rf"^part at byte 7 .*: found more bytes when decompressed, wanted at most {most} "
            r"\(limits\.decompressed_size\)$"
        )
        limits = Limits(decompressed_size=most)
        with pytest.raises(LimitExceeded, match=said):
            decompress_sized("zstd", packed, None, limits=limits, name="part", offset=7)
        with pytest.raises(FormatError, match=r"^found an LZ4 block alone, wanted its size before"):
            decompress_sized("lz4", compress_block("lz4", SAMPLE), None)

    @codecs
    def test_a_known_size_is_bounded(self, codec: Any) -> None:
        """A size that is given and exceeds the limit is refused before decompression."""
        packed, size = compress_block(codec, SAMPLE), len(SAMPLE)
        limits = Limits(decompressed_size=size)
        assert decompress_sized(codec, packed, size, limits=limits) == SAMPLE
        said = (
            rf"^part at byte 7 .*: found {size} bytes when decompressed, wanted at most {size - 1} "
        )
        with pytest.raises(LimitExceeded, match=said):
            decompress_sized(
                codec, packed, size, limits=Limits(decompressed_size=size - 1),
                name="part", offset=7,
            )  # fmt: skip

    @codecs
    def test_damage_is_refused(self, codec: Any) -> None:
        """Every prefix of a block is refused, as are bytes of no codec."""
        packed = compress_block(codec, SAMPLE)
        for data in (b"", b"\xff" * 20, *(packed[:size] for size in range(len(packed)))):
            with pytest.raises(FormatError, match=r"^part at byte 7 "):
                decompress_sized(codec, data, len(SAMPLE), name="part", offset=7)


def test_metadata_has_its_own_limit() -> None:
    """Metadata is bounded by `limits.metadata_size`, which its error names."""
    frame = compress("lz4", SAMPLE)
    limits = Limits(metadata_size=len(SAMPLE), decompressed_size=0)
    assert decompress("lz4", frame, limits=limits, bound="metadata_size") == SAMPLE
    limits = Limits(metadata_size=len(SAMPLE) - 1)
    with pytest.raises(LimitExceeded, match=r"wanted at most \d+ \(limits\.metadata_size\)$"):
        decompress("lz4", frame, limits=limits, bound="metadata_size")
    assert decompress("lz4", frame, limits=limits) == SAMPLE


def test_a_frame_of_a_dictionary_need_not_say_its_size() -> None:
    """The size and the dictionary number of an LZ4 frame are optional independently."""
    for flags, has_size in [(0x61, False), (0x60, False), (0x68, True), (0x69, True)]:
        frame = b"\x04\x22\x4d\x18" + bytes([flags, 0x40]) + b"\1" * 30
        with pytest.raises(FormatError, match=r"^found ") as refused:
            decompress("lz4", frame)
        assert ("content size" in str(refused.value)) != has_size


LZ4 = b"\x04\x22\x4d\x18"
ZSTD = b"\x28\xb5\x2f\xfd"


@pytest.mark.parametrize(
    ("codec", "frame", "said"),
    [
        ("lz4", LZ4[:3], rf"{re.escape(repr(LZ4[:3]))}, wanted an LZ4 frame, which begins b'.*'"),
        ("lz4", LZ4, "4 bytes, wanted an LZ4 frame"),
        ("lz4", LZ4 + bytes(2), "6 bytes, wanted an LZ4 frame"),
        (
            "lz4",
            LZ4 + bytes(3),
            "an LZ4 frame without a content size, wanted an LZ4 frame with one",
        ),
        ("lz4", LZ4 + bytes(4), r"damaged data \(.*\), wanted one LZ4 frame of 0 bytes"),
        ("lz4", LZ4 + bytes(11), r"damaged data \(.*\), wanted one LZ4 frame of 0 bytes"),
        (
            "lz4",
            LZ4 + bytes(12),
            "an LZ4 frame without a content size, wanted an LZ4 frame with one",
        ),
        (
            "lz4",
            LZ4 + bytes(3) + b"\1",
            "an LZ4 frame without a content size, wanted an LZ4 frame with one",
        ),
        ("zstd", ZSTD[:3], rf"{re.escape(repr(ZSTD[:3]))}, wanted a Zstandard frame, which .*"),
        ("zstd", ZSTD, r"a damaged header \(.*\), wanted a Zstandard frame"),
        ("zstd", ZSTD + b"\x20\0", "bytes after it, wanted one Zstandard frame of 0 bytes"),
        ("zstd", with_size(8), r"damaged data \(.*\), wanted one Zstandard frame of 8 bytes"),
    ],
)
def test_a_frame_that_is_refused_says_why(codec: str, frame: bytes, said: str) -> None:
    """A refused frame is an error with the name of the field, its offset and the reason."""
    with pytest.raises(FormatError, match=rf"^blob at byte 9 \(0x9\): found {said}$"):
        decompress(codec, frame, name="blob", offset=9)


@codecs
def test_a_frame_over_the_limit_is_refused(codec: str) -> None:
    """Content one byte over the limit is refused, with its offset, its size and the limit."""
    frame, most = compress(codec, SAMPLE), len(SAMPLE) - 1
    assert decompress(codec, frame, limits=Limits(decompressed_size=len(SAMPLE))) == SAMPLE
    said = (
        rf"^blob at byte 9 \(0x9\): found {len(SAMPLE)} bytes when decompressed, "
        rf"wanted at most {most} \(limits\.decompressed_size\)$"
    )
    with pytest.raises(LimitExceeded, match=said):
        decompress(codec, frame, limits=Limits(decompressed_size=most), name="blob", offset=9)


def test_a_block_of_a_size_that_no_memory_has_is_refused() -> None:
    """A frame that states a size beyond any memory is an error, and not a `MemoryError`."""
    frame = bytearray(compress("lz4", SAMPLE))
    frame[6:14] = (1 << 60).to_bytes(8, "little")
    with pytest.raises(FormatError, match=rf"^blob at byte 9 .*found .*{1 << 60} bytes"):
        decompress(
            "lz4", bytes(frame), limits=Limits(decompressed_size=1 << 61), name="blob", offset=9
        )


@pytest.mark.parametrize("content", [b"", b"abc", b"text " * 40_000, bytes(range(256)) * 600])
@pytest.mark.parametrize("has_size", [True, False])
def test_frames_are_read_whole_or_refused(content: bytes, has_size: bool) -> None:
    """One or two Zstandard frames are read whole, and refused if they are cut off anywhere."""
    frame = zstandard.ZstdCompressor(write_content_size=has_size).compress(content)
    assert zstd_frames(frame, len(content)) == content
    assert zstd_frames(frame * 2, 2 * len(content) + 1) == content * 2
    if content:
        assert zstd_frames(frame, len(content) - 1) == content
    for size in {*range(0, len(frame), 1 + len(frame) // 300), len(frame) - 1}:
        with pytest.raises((Truncated, zstandard.ZstdError)):
            zstd_frames(frame[:size], len(content))


def test_a_block_without_a_size_is_read_whole() -> None:
    """A frame that states no size is read whole, and refused if it is cut off."""
    frame = zstandard.ZstdCompressor(write_content_size=False).compress(b"text " * 99)
    assert decompress_sized("zstd", frame, None) == b"text " * 99
    for size in range(10, len(frame)):
        with pytest.raises(FormatError, match=r"^block at byte 7 .* wanted .*Zstandard frame"):
            decompress_sized("zstd", frame[:size], None, name="block", offset=7)
