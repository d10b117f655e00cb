"""An Avro container has a header and blocks, which are found and decompressed or refused."""

from __future__ import annotations

import ctypes
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pytest
from isal import isal_zlib
from tests.support.avro_files import PACKED, SYNC, block, container, number

from byteloom.avro import codecs, headers
from byteloom.avro.codecs import Content
from byteloom.avro.container import (
    _inflate_each,
    find_blocks,
    inflate_into,
    inflate_some,
    open_avro,
)
from byteloom.errors import ChecksumMismatch, FormatError, LimitExceeded, Truncated, Unsupported
from byteloom.limits import DEFAULT_LIMITS, FREE_EXPANSION, Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from byteloom.avro.container import AvroFile

Way: TypeAlias = "Callable[[AvroFile, Content, int], NDArray[np.int64] | None]"

HEAD: Final = len(container())


def opened(*contents: bytes, codec: str = "null") -> AvroFile:
    """Open a file with a block of one record for each of *contents*."""
    return open_avro(container([block(1, each, codec) for each in contents], codec=codec))


class TestHeaders:
    """The header before the first block is read, and refused where it is invalid."""

    def test_a_header_gives_its_parts(self) -> None:
        """A header gives schema, codec, sync marker and the offset of the first block."""
        file = open_avro(container(schema={"type": "long"}, codec="xz"))
        assert (file.schema, file.codec, file.sync) == ({"type": "long"}, "xz", SYNC)
        assert file.first_block == len(file.data)
        assert file.metadata["avro.codec"] == b"xz"

    @pytest.mark.parametrize("codec", [None, ""])
    def test_without_a_codec_blocks_are_plain(self, codec: str | None) -> None:
        """A header without a codec, or with an empty name for it, means uncompressed blocks."""
        assert open_avro(container(codec=codec)).codec == "null"

    def test_a_codec_that_nobody_knows_is_unsupported(self) -> None:
        """The error for an unknown codec names it and lists the known ones."""
        known = "bzip2, deflate, null, snappy, xz, zstandard"
        with pytest.raises(
            Unsupported, match=rf"^avro\.codec at byte 37 .*: found 'lzo', wanted {known}$"
        ):
            open_avro(container(codec="lzo"))

    def test_a_header_has_a_schema(self) -> None:
        """A header without a schema, or whose schema is not JSON, is refused."""
        with pytest.raises(FormatError, match=r"^avro\.schema at byte 4 .*nothing, wanted the"):
            open_avro(container(schema=None))
        data = container(schema="bytes").replace(b'"bytes"', b'"bytes,')
        with pytest.raises(FormatError, match=r"^avro\.schema at byte (\d+) .*invalid JSON") as at:
            open_avro(data)
        assert at.value.offset == data.index(b'"bytes,')
        data = container(schema="bytes").replace(b'"bytes"', b'"byt\xffs"')
        with pytest.raises(FormatError, match=r"found byte 0xff, wanted UTF-8") as at:
            open_avro(data)
        assert at.value.offset == data.index(b"\xff")

    def test_every_prefix_of_a_header_is_truncated(self) -> None:
        """Each prefix of a header raises `Truncated`, as more bytes might complete it."""
        data = container()
        for size in range(len(data)):
            with pytest.raises(Truncated, match=r"^avro\.header\.(magic|metadata|sync)\b"):
                open_avro(data[:size])


class TestBlocks:
    """Blocks are found by their record counts, sizes and sync markers."""

    @pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 129])
    def test_blocks_are_found_however_many_there_are(self, count: int) -> None:
        """Any number of blocks is found, each with its records, its start and its size."""
        data = b"".join(block(i + 1, bytes(i)) for i in range(count))
        table, refused = find_blocks(np.frombuffer(b"..." + data, np.uint8), 3, SYNC)
        at, wanted = 3, []
        for i in range(count):
            start = at + len(number(i + 1)) + len(number(i))
            wanted.append([i + 1, start, i])
            at = start + i + 16
        assert (table.tolist(), refused) == (wanted, None)

    @pytest.mark.parametrize(
        ("broken", "field", "place", "kind"),
        [
            (b"\x80", "head.num_objects", 0, Truncated),
            (b"\x80" * 9, "head.num_objects", 0, Truncated),
            (b"\x80" * 10, "head.num_objects", 0, FormatError),
            (b"\x80" * 30, "head.num_objects", 0, FormatError),
            (b"\2" + b"\x80" * 9, "head.len_objects", 1, Truncated),
            (b"\2" + b"\x80" * 10, "head.len_objects", 1, FormatError),
            (b"\1\4ab" + SYNC, "head.num_objects", 0, FormatError),
            (b"\2\1ab" + SYNC, "head.len_objects", 1, FormatError),
            (b"\2\6ab", "objects", 2, Truncated),
            (b"\2\4ab" + SYNC[:-1], "sync", 4, Truncated),
            (b"\2\4ab" + bytes(1) + SYNC[1:], "sync", 4, FormatError),
            (b"\2\4ab" + SYNC[:8] + bytes(1) + SYNC[9:], "sync", 4, FormatError),
            (b"\2\4ab" + SYNC[:-1] + bytes(1), "sync", 4, FormatError),
        ],
    )
    def test_what_is_no_block_is_refused(
        self, broken: bytes, field: str, place: int, kind: type[FormatError]
    ) -> None:
        """A broken block is an error with its number, field and place; earlier ones are found."""
        before = block(3, b"abc")
        data = np.frombuffer(b"." + before + broken, np.uint8)
        table, refused = find_blocks(data, 1, SYNC, origin=1000, before=7)
        assert table.tolist() == [[3, 3, 3]]
        assert type(refused) is kind
        at = 1001 + len(before) + place
        assert str(refused).startswith(f"avro.blocks[8].{field} at byte {at} ")

    def test_bytes_after_the_last_block_are_refused(self) -> None:
        """A byte after the last block makes the file truncated at that byte."""
        said = rf"^avro\.blocks\[0\]\.head\.num_objects at byte {HEAD} "
        with pytest.raises(Truncated, match=said):
            inflate_into(Content(), open_avro(container([b"\x80"])), DEFAULT_LIMITS)


class TestCodecs:
    """Blocks of every codec decompress to their content, within limits, or are refused."""

    CONTENTS: Final = (b"one", b"", bytes(200_000), b"four" * 10)

    @pytest.mark.parametrize("codec", PACKED)
    def test_blocks_come_back(self, codec: str) -> None:
        """Blocks are decompressed one after the other, after content that was there before."""
        content = Content()
        content.append(b"before")
        found = inflate_into(content, opened(*self.CONTENTS, codec=codec), DEFAULT_LIMITS)
        assert content.held.tobytes() == b"before" + b"".join(self.CONTENTS)
        ends = np.cumsum([6, *map(len, self.CONTENTS)])
        assert found.tolist() == [[1, *pair] for pair in pairwise(ends)]

    @pytest.mark.parametrize("codec", PACKED)
    def test_a_file_without_blocks_is_empty(self, codec: str) -> None:
        """A file without blocks has no records."""
        assert inflate_into(Content(), opened(codec=codec), DEFAULT_LIMITS).shape == (0, 3)

    @pytest.mark.parametrize("codec", PACKED)
    def test_content_has_the_allowance_and_no_more(self, codec: str) -> None:
        """Blocks within the allowance are added; the first one beyond it ends reading."""
        file = opened(*self.CONTENTS, codec=codec)
        table, _ = find_blocks(file.data, file.first_block, file.sync)
        ends = np.cumsum([*map(len, self.CONTENTS)]).tolist()
        for allowance, fits in [(ends[-1], 4), (ends[-1] - 1, 3), (ends[2] - 1, 2), (2, 0)]:
            content = Content()
            found = inflate_some(content, file, table, allowance)
            assert (found.tolist(), content.size) == (ends[:fits], ([0, *ends])[fits])

    @pytest.mark.parametrize("expansion", [0, 2])
    def test_a_file_as_a_whole_has_the_limit_and_no_more(self, expansion: int) -> None:
        """A file may expand to a free allowance and `limits.expansion` times its own size.

        A byte more is an error with the block's offset.
        """
        limits = Limits(expansion=expansion)

        def written(size: int) -> bytes:
            parts = bytes(FREE_EXPANSION), bytes(size)
            return container([block(1, each, "deflate") for each in parts], codec="deflate")

        most = 0
        while most != expansion * len(written(most)):
            most = expansion * len(written(most))
        found = inflate_into(Content(), open_avro(written(most)), limits)
        assert found[-1].tolist() == [1, FREE_EXPANSION, FREE_EXPANSION + most]
        place = len(written(most + 1)) - 16 - len(PACKED["deflate"](bytes(most + 1)))
        said = rf"^avro\.block at byte {place} .* wanted at most \d+ \(limits\.expansion\)$"
        with pytest.raises(LimitExceeded, match=said):
            inflate_into(Content(), open_avro(written(most + 1)), limits)

    @pytest.mark.parametrize("codec", ["deflate", "snappy", "zstandard", "bzip2", "xz"])
    def test_what_is_not_of_its_codec_is_refused(self, codec: str) -> None:
        """Data that its codec cannot decompress is an error with the offset of the data."""
        file = open_avro(container([number(1) + number(9) + b"\xff" * 9 + SYNC], codec=codec))
        place = file.first_block + 2
        said = rf"^avro\.block at byte {place} .*: found no {codec}, wanted data of its codec$"
        with pytest.raises(FormatError, match=said):
            inflate_into(Content(), file, DEFAULT_LIMITS)

    @pytest.mark.parametrize("codec", ["deflate", "snappy", "zstandard", "bzip2", "xz"])
    def test_a_stream_that_is_cut_off_is_refused(self, codec: str) -> None:
        """A stream cut off at any byte is refused, even if all of its content is there."""
        stored = PACKED[codec](b"some content of a block")
        for size in range(len(stored)):
            data = number(1) + number(size) + stored[:size] + SYNC
            file = open_avro(container([data], codec=codec))
            said = rf"^avro\.block(\.crc)? at byte {len(file.data) - 16 - size} "
            with pytest.raises(FormatError, match=said):
                inflate_into(Content(), file, DEFAULT_LIMITS)

    def test_the_checksum_of_snappy_is_compared(self) -> None:
        """A wrong checksum of Snappy is an error with the stored and the computed value."""
        stored = bytearray(PACKED["snappy"](b"content"))
        stored[-1] ^= 1
        raw = number(1) + number(len(stored)) + bytes(stored) + SYNC
        right = zlib.crc32(b"content")
        place = len(container(codec="snappy")) + 2
        said = rf"^avro\.block\.crc at byte {place} .*: found {right:#x}, wanted {right ^ 1:#x}$"
        with pytest.raises(ChecksumMismatch, match=said):
            inflate_into(Content(), open_avro(container([raw], codec="snappy")), DEFAULT_LIMITS)


def at_once(file: AvroFile, content: Content, allowance: int) -> NDArray[np.int64] | None:
    """Inflate by ISA-L's function; return None if the package does not expose it."""
    table, _ = find_blocks(file.data, file.first_block, file.sync)
    return codecs.inflate_deflate(file.data, table, content, allowance)


def one_by_one(file: AvroFile, content: Content, allowance: int) -> NDArray[np.int64] | None:
    """Inflate the blocks one by one, in Python."""
    table, _ = find_blocks(file.data, file.first_block, file.sync)
    return _inflate_each(content, file, table, allowance)


@pytest.mark.parametrize("way", [at_once, one_by_one])
class TestDeflate:
    """Blocks of deflate are inflated by ISA-L's own function where the package shows it.

    Elsewhere they are inflated one by one; both do the same.
    """

    @pytest.mark.parametrize("size", [0, 1, 65_536, 70_000, 2_000_000])
    def test_blocks_of_any_size_come_back(self, way: Way, size: int) -> None:
        """Blocks inflate to any size, and bytes after the end of a stream are ignored."""
        contents = [b"first", bytes(size), b"last"]
        blocks = [PACKED["deflate"](each) + b"\1\2\3" for each in contents]
        data = [number(1) + number(len(each)) + each + SYNC for each in blocks]
        content = Content()
        ends = way(open_avro(container(data, codec="deflate")), content, size + 9)
        if ends is None:
            assert not has_function()
            return
        assert ends.tolist() == [5, 5 + size, 9 + size]
        assert content.held.tobytes() == b"".join(contents)

    @pytest.mark.parametrize("allowance", [20, 1 << 30])
    def test_a_stream_that_does_not_end_is_truncated(self, way: Way, allowance: int) -> None:
        """A deflate stream without an end raises `Truncated` with the offset where it begins."""
        stored = PACKED["deflate"](b"some content here")[:-3]
        data = number(1) + number(len(stored)) + stored + SYNC
        file = open_avro(container([block(1, b"a", "deflate"), data], codec="deflate"))
        place = len(file.data) - 16 - len(stored)
        if way is at_once and not has_function():
            assert way(file, Content(), allowance) is None
            return
        with pytest.raises(FormatError, match=r"^avro\.block") as refused:
            way(file, Content(), allowance)
        assert (type(refused.value), refused.value.offset) == (Truncated, place)
        assert str(refused.value).endswith("a stream that does not end, wanted whole deflate data")


def has_function() -> bool:
    """Return whether the package ``isal`` exposes ISA-L's function."""
    return hasattr(ctypes.CDLL(isal_zlib.__file__), "isal_inflate_stateless")


def test_the_function_is_used_where_the_package_shows_it() -> None:
    """ISA-L's function is used exactly if the package exposes it."""
    assert (codecs._function() is not None) == has_function()


SCHEMA = number(11) + b"avro.schema" + number(7) + b'"bytes"'


def entry(key: bytes, value: bytes) -> bytes:
    """A property."""
    return number(len(key)) + key + number(len(value)) + value


def header(*parts: bytes) -> bytes:
    """A header whose map has these blocks."""
    return b"Obj\1" + b"".join(parts) + b"\0" + SYNC


@pytest.fixture(autouse=True)
def _none_is_kept() -> None:
    headers._KEPT.clear()


class TestMaps:
    """The properties are a map in blocks."""

    def test_a_map_may_have_many_blocks(self) -> None:
        """The entries of all blocks are one map; of several with one name, the last counts."""
        data = header(
            number(1) + SCHEMA, number(2) + entry(b"a", b"1") + entry(b"b", b""),
            number(1) + entry(b"a", b"2"),
        )  # fmt: skip
        file = open_avro(data)
        assert file.metadata == {"avro.schema": b'"bytes"', "a": b"2", "b": b""}
        assert file.first_block == len(data)

    @pytest.mark.parametrize("size", [len(SCHEMA), 0, 1 << 40])
    def test_a_negative_count_has_a_size_after_it(self, size: int) -> None:
        """Nobody who reads the entries compares it."""
        assert open_avro(header(number(-1) + number(size) + SCHEMA)).schema == "bytes"

    @pytest.mark.parametrize(
        ("part", "field", "place", "found"),
        [
            (number(-1) + number(-1), r"metadata\[0\]\.len_entries", 5, "-1"),
            (number(1) + number(-1), r"metadata\[0\]\.entries\[0\]\.len_key", 5, "-1"),
            (number(1) + b"\2a" + number(-2), r"metadata\[0\]\.entries\[0\]\.len_value", 7, "-2"),
            (number(1) + b"\2\xff\0", r"metadata\[0\]\.entries\[0\]\.key", 6, ""),
            (number(1) + SCHEMA + b"\x80" * 10, r"metadata\[1\]\.num_entries", 25, ""),
        ],
    )
    def test_damage_has_its_field_and_place(
        self, part: bytes, field: str, place: int, found: str
    ) -> None:
        """The error for damage is not `Truncated`, which more bytes might cure."""
        said = rf"^avro\.header\.{field} at byte {place} .*: found {found}"
        with pytest.raises(FormatError, match=said) as refused:
            open_avro(header(part) + bytes(40))
        assert type(refused.value) is FormatError

    @pytest.mark.parametrize("count", [1 << 40, -(1 << 40), -(1 << 63)])
    def test_more_entries_than_bytes_are_refused(self, count: int) -> None:
        """A count of more entries than bytes is refused before memory is allocated."""
        size = number(0) if count < 0 else b""
        with pytest.raises(FormatError, match=r"^avro\.header\.metadata\[0\]\.entries at byte "):
            open_avro(header(number(count) + size + SCHEMA))

    def test_a_header_has_a_limit_of_entries(self) -> None:
        """The limit counts all records of a header: entries, blocks of the map, and itself."""
        most = 100_000 - 5
        sound = header(number(1) + SCHEMA, number(most) + bytes(2 * most))
        assert open_avro(sound).schema == "bytes"
        more = header(number(1) + SCHEMA, number(most + 1) + bytes(2 * (most + 1)))
        with pytest.raises(LimitExceeded, match=r"limits\.objects"):
            open_avro(more)


class TestKeptHeaders:
    """The last few headers are kept: a file that begins with the same bytes has the same."""

    def test_a_kept_header_gives_what_reading_gives(self) -> None:
        """The sync marker and the dict are the file's own."""
        first = container(codec="xz")
        second = first[:-16] + SYNC[::-1]
        one, two = open_avro(first), open_avro(second)
        assert len(headers._KEPT) == 1
        assert one.schema is two.schema
        assert (one.sync, two.sync) == (SYNC, SYNC[::-1])
        assert (one.codec, one.first_block) == (two.codec, two.first_block) == ("xz", len(first))
        one.metadata["avro.codec"] = b""
        assert open_avro(first).metadata == two.metadata

    def test_every_prefix_of_a_kept_header_is_truncated(self) -> None:
        """Every prefix of a cached header is `Truncated`, even if only the marker is cut."""
        data = container()
        open_avro(data)
        for size in range(len(data)):
            with pytest.raises(Truncated):
                open_avro(data[:size])

    def test_few_headers_are_kept_and_no_large_ones(self) -> None:
        """The last eight headers of at most one mebibyte are cached."""
        for size in range(10):
            open_avro(container(schema={"type": "string", "doc": "d" * size}))
        assert [each.schema["doc"] for each in headers._KEPT] == ["d" * n for n in range(9, 1, -1)]
        bare = len(container(schema={"type": "string", "doc": ""})) - len(SYNC)
        bare += 2  # bytes of a longer size
        for size in (1 << 20) - bare, (1 << 20) - bare + 1:
            open_avro(container(schema={"type": "string", "doc": "d" * size}))
        assert len(headers._KEPT[0].raw) == 1 << 20
        assert len(headers._KEPT[1].raw) < 100

    def test_a_header_that_is_refused_is_not_kept(self) -> None:
        """A header that is refused is refused again when it is read again."""
        for _ in range(2):
            with pytest.raises(FormatError, match=r"^avro\.schema at byte 4 .*found nothing"):
                open_avro(container(schema=None))
        assert headers._KEPT == []
