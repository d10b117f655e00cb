"""Reading Puffin files: how few bytes are fetched, and which files are refused.

Requests are counted by a source, where they are made.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import lz4.frame
import pytest
import zstandard
from tests.support.puffin_files import MAGIC, blob, puffin

from byteloom.errors import (
    ByteloomError,
    FormatError,
    LimitExceeded,
    StorageError,
    Truncated,
    Unsupported,
)
from byteloom.limits import Limits
from byteloom.puffin import PuffinFile
from byteloom.puffin import open as open_puffin
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.storage import Source


class Requests(BytesSource):
    """Bytes that record their requests, and merge them as a remote file does."""

    gap = 1 << 20

    def __init__(self, data: bytes) -> None:
        """Serve *data*."""
        super().__init__(data)
        self.log: list[tuple[int, int]] = []

    def _fetch(self, offset: int, length: int) -> bytes:
        self.log.append((offset, length))
        return super()._fetch(offset, length)


TWO = puffin({"blobs": [blob(4, 3), blob(9, 2, fields=[2], type="b")]}, b"abc..de")
ZSTD, LZ4 = (
    zstandard.ZstdCompressor(write_checksum=True).compress(b"abc"),
    lz4.frame.compress(b"def"),
)
PACKED = puffin(
    {
        "blobs": [
            blob(4, len(ZSTD), compression_codec="zstd"),
            blob(4 + len(ZSTD), len(LZ4), compression_codec="lz4"),
        ]
    },
    ZSTD + LZ4,
)


def test_contents_come_in_the_order_asked_for() -> None:
    """`read_many` returns plain, Zstandard and LZ4 blobs in the order they are requested."""
    with open_puffin(TWO) as file:
        assert file.read_many(reversed(file.blobs)) == [b"de", b"abc"]
    with open_puffin(PACKED) as file:
        assert file.read_many(file.blobs) == [b"abc", b"def"]
        assert file.read(file.blobs[1]) == b"def"


def test_a_file_describes_itself() -> None:
    """The sizes of a file and of its footer are those that Iceberg's table metadata records."""
    file = open_puffin(puffin({"blobs": [], "properties": {"created-by": "me"}}, b"??"))
    assert file.properties == {"created-by": "me"}
    assert (file.size, file.ofs_footer, file.footer_size) == (71, 6, 65)
    assert file.footer_size == len(file.footer.to_bytes())


def test_find_looks_by_type_and_field() -> None:
    """`find` filters blobs by type, by field, by both, or not at all."""
    file = open_puffin(TWO)
    first, second = file.blobs
    assert file.find() == [first, second]
    assert file.find(type="b") == [second]
    assert file.find(field=1) == [first]
    assert file.find(type="b", field=1) == []


class TestRequests:
    def test_a_small_file_takes_one(self) -> None:
        """A small file is fetched by one request, and its leading magic is checked too."""
        source = Requests(TWO)
        open_puffin(source)
        assert source.log == [(0, len(TWO))]

    def test_a_large_file_takes_one(self) -> None:
        """Opening a large file fetches its last 64 KiB in one request."""
        data = puffin({"blobs": [blob(4, 1 << 20)]}, bytes(1 << 20))
        source = Requests(data)
        open_puffin(source)
        assert source.log == [(len(data) - 65536, 65536)]

    def test_a_large_footer_takes_two(self) -> None:
        """A footer larger than the first request takes a second one of its exact length."""
        data = puffin({"blobs": [], "properties": {"a": "b" * 70_000}})
        source = Requests(data)
        assert open_puffin(source).properties["a"] == "b" * 70_000
        assert source.log == [(len(data) - 65536, 65536), (4, len(data) - 4)]

    def test_only_blobs_asked_for_are_read(self) -> None:
        """Adjacent blobs share a request, a distant one has its own; no other blob is fetched."""
        far = 4 + (3 << 20)
        blobs = [blob(4, 10), blob(20, 10), blob(14, 6), blob(1 << 20, 1 << 20), blob(far, 5)]
        source = Requests(puffin({"blobs": blobs}, bytes(3 << 20) + b"12345"))
        file = open_puffin(source)
        source.log.clear()
        assert file.read_many([file.blobs[i] for i in (4, 1, 0)]) == [
            b"12345",
            bytes(10),
            bytes(10),
        ]
        assert source.log == [(4, 26), (far, 5)]
        source.log.clear()
        assert file.read_many([]) == []
        assert source.log == []


class TestDamage:
    @pytest.mark.parametrize("good", [puffin(), TWO, PACKED], ids=["empty", "two", "packed"])
    def test_every_prefix_is_truncated(self, good: bytes) -> None:
        """A file cut off anywhere is reported as truncated, not as another format."""
        for size in range(len(good)):
            with pytest.raises(
                Truncated, match=r"^(magic|footer|footer_tail\.\w+)\b.*: found .*, wanted "
            ):
                open_puffin(good[:size])

    @pytest.mark.parametrize("good", [puffin(), TWO, PACKED], ids=["empty", "two", "packed"])
    def test_every_flipped_bit_reads_or_is_refused(self, good: bytes) -> None:
        """A file with one flipped bit is read, or raises a ByteloomError."""
        for bit in range(8 * len(good)):
            damaged = bytearray(good)
            damaged[bit // 8] ^= 1 << bit % 8
            try:
                with open_puffin(damaged) as file:
                    file.verify()
            except ByteloomError:
                continue

    @pytest.mark.parametrize("at", [0, 5, len(puffin()) - 4])
    def test_each_magic_is_checked(self, at: int) -> None:
        """The three magics of a file are checked; an error shows the bytes found."""
        data = puffin({"blobs": []}, b"?")
        at = len(data) - 4 if at > 5 else at
        damaged = data[:at] + b"PAR1" + data[at + 4 :]
        with pytest.raises(FormatError, match="found b'PAR1', wanted b'PFA1'") as refused:
            open_puffin(damaged)
        assert refused.value.offset == at

    def test_leading_magic_of_a_large_file_is_checked_by_verify(self) -> None:
        """`verify` checks the leading magic of a large file; opening does not fetch it."""
        data = bytearray(puffin({"blobs": []}, bytes(1 << 17)))
        data[0] ^= 1
        file = open_puffin(data)
        with pytest.raises(FormatError, match="wanted b'PFA1'"):
            file.verify()

    def test_another_format_is_no_truncated_puffin(self) -> None:
        """A large Parquet file is distinguished from an unfinished Puffin file."""
        parquet = b"PAR1" + bytes(1 << 17) + b"PAR1"
        with pytest.raises(FormatError) as refused:
            open_puffin(parquet)
        assert not isinstance(refused.value, Truncated)

    @pytest.mark.parametrize("content", [b"", bytes(1 << 17)], ids=["small", "large"])
    @pytest.mark.parametrize("more", [b"\0", b"PFA", bytes(4000), b"PFA1" * 7 + b"\0"])
    def test_bytes_after_the_footer_are_counted(self, content: bytes, more: bytes) -> None:
        """Bytes after the footer, and up to 7 magics among them, are reported as such."""
        data = puffin({"blobs": []}, content)
        said = f"the end of a footer, {len(more)} bytes? before the end of the file, wanted"
        with pytest.raises(FormatError, match=said) as refused:
            open_puffin(data + more)
        assert (refused.value.path, refused.value.offset) == ("footer_tail", len(data))

    def test_a_footer_is_not_sought_beyond_8_magics(self) -> None:
        """After the eighth magic before the end, the file is reported as cut off."""
        with pytest.raises(Truncated, match=r"^footer_tail\.magic at byte .*found b'FA1\\x00'"):
            open_puffin(puffin({"blobs": []}) + b"PFA1" * 8 + b"\0")

    @pytest.mark.parametrize("content", [b"", bytes(1 << 17)], ids=["small", "large"])
    def test_a_damaged_last_magic_is_no_missing_footer(self, content: bytes) -> None:
        """Where only the last magic is damaged, the error names it and not a missing footer."""
        data = puffin({"blobs": []}, content)
        with pytest.raises(FormatError, match=r"found b'PFA2', wanted b'PFA1'$") as refused:
            open_puffin(data[:-1] + b"2")
        assert (refused.value.path, refused.value.offset) == ("footer_tail.magic", len(data) - 4)

    @pytest.mark.parametrize("size", [-1, -(1 << 31), 14, 1 << 30, (1 << 31) - 1])
    def test_a_wrong_payload_size_is_refused(self, size: int) -> None:
        """A payload size that is negative or exceeds the file is refused by its field."""
        with pytest.raises(FormatError, match=f"footer_tail.len_payload at byte 21 .*found {size}"):
            open_puffin(puffin(size=size))

    @pytest.mark.parametrize("size", [0, 1, 11])
    def test_a_payload_size_too_small_misses_the_magic(self, size: int) -> None:
        """A payload size that is too small is refused: the footer has no magic where it begins."""
        said = (
            rf"footer\.magic at byte .* wanted b'PFA1': .*\.len_payload \({size} at byte 21\) leads"
        )
        with pytest.raises(FormatError, match=said):
            open_puffin(puffin(size=size))

    def test_a_large_footer_meets_the_limit_before_it_is_fetched(self) -> None:
        """A footer over the limit is refused before it is fetched; the error names the limit."""
        source = Requests(puffin({"blobs": [], "properties": {"a": "b" * 70_000}}))
        with pytest.raises(LimitExceeded, match=r"limits\.metadata_size"):
            open_puffin(source, limits=Limits(metadata_size=70_000))
        assert len(source.log) == 1

    def test_a_damaged_blob_is_named(self) -> None:
        """A damaged blob is named by its index and its offset in the file; others can be read."""
        damaged = bytearray(PACKED)
        damaged[15] ^= 1
        file = open_puffin(damaged)
        with pytest.raises(FormatError, match=r"^blobs\[0\] at byte 4 \(0x4\): found"):
            file.read(file.blobs[0])
        assert file.read(file.blobs[1]) == b"def"

    def test_an_unknown_codec_matters_to_who_reads_it(self) -> None:
        """A file with a blob of an unknown codec opens; only reading that blob is an error."""
        blobs = [blob(4, 1), blob(5, 1, compression_codec="brotli")]
        file = open_puffin(puffin({"blobs": blobs}, b"xy"))
        assert file.read(file.blobs[0]) == b"x"
        message = (
            r"footer\.payload\.blobs\[1\]\.compression-codec .* found brotli, wanted one of lz4"
        )
        with pytest.raises(Unsupported, match=message):
            file.read(file.blobs[1])

    def test_a_bomb_is_refused(self) -> None:
        """A blob that decompresses beyond the limit is refused, and read with a higher limit."""
        bomb = zstandard.ZstdCompressor().compress(bytes(1 << 22))
        data = puffin({"blobs": [blob(4, len(bomb), compression_codec="zstd")]}, bomb)
        file = open_puffin(data, limits=Limits(decompressed_size=1 << 20))
        with pytest.raises(LimitExceeded, match=r"blobs\[0\] .*limits\.decompressed_size"):
            file.read(file.blobs[0])
        assert open_puffin(data).read(file.blobs[0]) == bytes(1 << 22)


def test_reserved_flags_are_kept() -> None:
    """All 31 reserved flags are kept, and none is taken for the compression flag."""
    footer = open_puffin(puffin(flags=0xFFFFFFFE)).footer
    assert (footer.payload_is_compressed, footer.reserved) == (False, 0x7FFFFFFF)


@pytest.mark.parametrize(
    "place",
    [
        lambda path: path,
        str,
        lambda path: path.as_uri(),
        lambda path: io.BytesIO(path.read_bytes()),
        lambda path: path.read_bytes(),
    ],
    ids=["path", "string", "URL", "file object", "bytes"],
)
def test_a_file_opens_wherever_it_lies(place: Callable[[Path], object], tmp_path: Path) -> None:
    """A file opens by path, URL, file object or bytes."""
    (tmp_path / "file").write_bytes(TWO)
    with open_puffin(place(tmp_path / "file")) as file:  # type: ignore[arg-type]
        assert file.read(file.blobs[0]) == b"abc"


def test_what_came_open_stays_open() -> None:
    """A source or a file object that the caller opened is not closed with the reader."""
    source: Source = BytesSource(MAGIC)
    handle = io.BytesIO(TWO)
    with pytest.raises(Truncated, match=r"^footer: found 4 bytes, wanted at least 20"):
        open_puffin(source)
    open_puffin(handle).close()
    assert source.read(0, 4) == MAGIC
    assert not handle.closed


def test_a_missing_file_is_a_storage_error(tmp_path: Path) -> None:
    """A missing file is a StorageError with its name."""
    with pytest.raises(StorageError, match=r"no\.puffin: No such file"):
        open_puffin(tmp_path / "no.puffin")


def test_a_source_is_closed_by_the_file_that_owns_it_alone() -> None:
    """A source is closed with a PuffinFile only if the file owns it."""

    class Closing(BytesSource):
        closed = 0

        def close(self) -> None:
            self.closed += 1

    for owns, closed in [(None, 0), (False, 0), (True, 1)]:
        source = Closing(TWO)
        with PuffinFile(source) if owns is None else PuffinFile(source, owns_source=owns) as file:
            assert len(file.blobs) == 2
        assert source.closed == closed
        with open_puffin(source) as file:
            assert len(file.blobs) == 2
        assert source.closed == closed


def test_the_codec_of_a_blob_has_its_place_in_the_footer() -> None:
    """The error for an unknown codec names its path, at the offset of the footer's payload."""
    file = open_puffin(puffin({"blobs": [blob(4, 1, compression_codec="brotli")]}, b"a"))
    with pytest.raises(Unsupported) as refused:
        file.read(0)
    assert (refused.value.path, refused.value.offset) == (
        "footer.payload.blobs[0].compression-codec",
        file.ofs_footer + 4,
    )


@pytest.mark.parametrize(
    ("start", "length", "found"),
    [
        (0, 4, "0 to 4"),
        (-1, 1, "-1 to 0"),
        (3, -1, "3 to 2"),
        (3, 1, "3 to 4"),
        (4, None, "4 to 3"),
    ],
)
def test_stored_bytes_are_those_of_the_blob(start: int, length: int | None, found: str) -> None:
    """`read_stored` returns bytes inside a blob, and refuses a range outside it."""
    file = open_puffin(TWO)
    assert file.read_stored(0) == file.read_stored(0, 0, 3) == b"abc"
    assert (file.read_stored(0, 1, 2), file.read_stored(0, 3)) == (b"bc", b"")
    said = rf"^blobs\[0\] at byte 4 .*: found bytes {found}, wanted 0 to 3$"
    with pytest.raises(FormatError, match=said):
        file.read_stored(0, start, length)
