"""The parts of ORC files written by pyarrow are found, and damage in them is rejected."""

from __future__ import annotations

import random
import zlib
from contextlib import suppress
from dataclasses import replace
from io import BytesIO

import cramjam
import pyarrow as pa
import pytest
from pyarrow import orc

from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.chunks import as_chunks, parts, plain
from byteloom.orc.layout import OrcLayout
from byteloom.orc.view import StripeView
from byteloom.storage.native import native_file
from byteloom.storage.sources import BytesSource
from byteloom_generated.orc.messages import (
    CompressionKind,
    Footer,
    PostScript,
    Stream,
    StripeFooter,
    StripeInformation,
    Type,
)

ROWS = 1_000
TABLE = pa.table(
    {
        "i": pa.array(range(ROWS), pa.int64()),
        "s": pa.array([f"{each:05}" if each % 7 else None for each in range(ROWS)]),
        "l": pa.array([[each] for each in range(ROWS)], pa.list_(pa.int32())),
        "d": pa.array(list(range(ROWS)), pa.int32()).cast(pa.decimal128(12, 2)),
    }
)
CODECS = ["uncompressed", "zlib", "snappy", "lz4", "zstd"]


def written(codec: str) -> bytes:
    """Return a file of one stripe."""
    out = BytesIO()
    orc.write_table(TABLE, out, compression=codec)
    return out.getvalue()


PLAIN = written("uncompressed")


@pytest.mark.parametrize("codec", CODECS)
def test_footers_say_what_is_in_the_file(codec: str) -> None:
    """The footer gives types, stripes and statistics, with every codec."""
    layout = OrcLayout(BytesSource(written(codec)), DEFAULT_LIMITS)
    kinds = [Type.Kind(each.kind).name for each in layout.types]
    assert kinds == ["STRUCT", "LONG", "STRING", "LIST", "INT", "DECIMAL"]
    assert list(layout.types[0].fieldNames) == ["i", "s", "l", "d"]
    assert list(layout.types[0].subtypes) == [1, 2, 3, 5]
    assert [each.numberOfRows for each in layout.stripes] == [ROWS]
    ((_, ints, texts, *_others),) = layout.statistics()
    assert (ints.intStatistics.minimum, ints.intStatistics.maximum) == (0, ROWS - 1)
    assert texts.numberOfValues == ROWS - 143
    assert (texts.stringStatistics.minimum, texts.hasNull) == (b"00001", True)


@pytest.mark.parametrize("codec", CODECS)
def test_streams_of_a_stripe_follow_each_other_up_to_its_footer(codec: str) -> None:
    """Streams fill a stripe up to its footer, and the one that marks nulls decompresses."""
    layout = OrcLayout(BytesSource(written(codec)), DEFAULT_LIMITS)
    (stripe,) = layout.stripes
    found = layout.streams(stripe)
    last = found.footer.streams[-1]
    assert found.offsets[0] == stripe.offset
    assert found.offsets[-1] + last.length == (
        stripe.offset + stripe.indexLength + stripe.dataLength
    )
    place = next(
        (offset, each.length)
        for each, offset in zip(found.footer.streams, found.offsets, strict=True)
        if (each.kind, each.column) == (Stream.Kind.PRESENT, 2)
    )
    assert layout.plain(*place)[1:3] == b"\x7e\xfd"  # all but each seventh, from the first bit


def test_each_prefix_is_refused() -> None:
    """Prefixes of a file of any length, the empty one included, are refused."""
    for size in range(0, len(PLAIN), 97):
        with pytest.raises(FormatError):
            OrcLayout(BytesSource(PLAIN[:size]), DEFAULT_LIMITS)
    with pytest.raises(Truncated, match=r"^orc\.postscript at byte 0 "):
        OrcLayout(BytesSource(b""), DEFAULT_LIMITS)


@pytest.mark.parametrize("size", [1, 2, 100, 255])
def test_a_postscript_is_inside_of_its_file(size: int) -> None:
    """A postscript longer than its file is truncated, and one that fits is checked."""
    said = rf"^orc\.postscript at byte {size} .*: found {size} bytes, wanted {size + 1}$"
    with pytest.raises(Truncated, match=said):
        OrcLayout(BytesSource(b"\xff" * (size - 1) + bytes([size])), DEFAULT_LIMITS)
    with pytest.raises(FormatError, match=r"^orc\.postscript.* at byte 0 ") as damaged:
        OrcLayout(BytesSource(b"\xff" * size + bytes([size])), DEFAULT_LIMITS)
    assert "wanted" in str(damaged.value)


def test_a_footer_has_the_row() -> None:
    """A file without types is refused, with the place of its footer."""
    end = PostScript(footerLength=0).SerializeToString()
    said = r"^orc\.footer\.types at byte 3 \(0x3\): found none, wanted the row and its columns$"
    with pytest.raises(FormatError, match=said):
        OrcLayout(BytesSource(b"ORC" + end + bytes([len(end)])), DEFAULT_LIMITS)


@pytest.mark.parametrize("codec", ["uncompressed", "zlib"])
def test_no_bit_flip_of_the_end_escapes(codec: str) -> None:
    """A file with any bit of its end flipped gives a layout or a `ByteloomError`."""
    data = written(codec)
    start = OrcLayout(BytesSource(data), DEFAULT_LIMITS).start
    for at in range(8 * start, 8 * len(data)):
        flipped = bytearray(data)
        flipped[at >> 3] ^= 1 << (at & 7)
        with suppress(ByteloomError):
            layout = OrcLayout(BytesSource(bytes(flipped)), DEFAULT_LIMITS)
            layout.statistics()
            for each in layout.stripes:
                layout.streams(each)


def test_damage_has_the_path_and_the_place_of_its_field() -> None:
    """An error in an uncompressed footer has the path of the field and its exact offset."""
    layout = OrcLayout(BytesSource(PLAIN), DEFAULT_LIMITS)
    name = PLAIN.index(b"\x1a\1i\x1a\1s", layout.start) + 2
    data = bytearray(PLAIN)
    data[name] = 0xFF
    said = rf"^orc\.footer\.types\[0\]\.fieldNames\[0\] at byte {name} .*wanted text in UTF-8$"
    with pytest.raises(FormatError, match=said):
        OrcLayout(BytesSource(bytes(data)), DEFAULT_LIMITS)


def test_damage_in_compressed_bytes_has_the_place_where_they_begin() -> None:
    """An error in compressed bytes has the offset where they begin, as the file has no other."""
    data = written("zlib")
    layout = OrcLayout(BytesSource(data), DEFAULT_LIMITS)
    wrong = as_chunks(b"\x22\2\x08", layout.postscript)
    script = PostScript()
    script.CopyFrom(layout.postscript)
    script.footerLength = len(wrong)
    end = script.SerializeToString()
    made = data[: layout.start] + wrong + end + bytes([len(end)])
    with pytest.raises(Truncated, match=rf"^orc\.footer\.types\[0\] at byte {layout.start} "):
        OrcLayout(BytesSource(made), DEFAULT_LIMITS)


def chunk(codec: int, size: int) -> bytes:
    """Return one compressed chunk of *size* zeros."""
    made = {
        CompressionKind.ZLIB: lambda data: zlib.compress(data, wbits=-zlib.MAX_WBITS),
        CompressionKind.SNAPPY: lambda data: bytes(cramjam.snappy.compress_raw(data)),
        CompressionKind.LZ4: lambda data: bytes(cramjam.lz4.compress_block(data, store_size=False)),
        CompressionKind.ZSTD: lambda data: bytes(cramjam.zstd.compress(data)),
    }[CompressionKind(codec)](bytes(size))
    return (len(made) << 1).to_bytes(3, "little") + made


class TestChunks:
    """Compressed streams are split into chunks, each of which has its size in its header."""

    SCRIPT = PostScript(compression=CompressionKind.ZLIB, compressionBlockSize=10)

    def test_what_was_left_as_it_is_comes_back(self) -> None:
        """Bytes stored uncompressed, in chunks of the block size, are read unchanged."""
        data = random.Random(5).randbytes(25)
        chunks = as_chunks(data, self.SCRIPT)
        assert len(chunks) == 25 + 3 * 3
        assert plain(chunks, self.SCRIPT, DEFAULT_LIMITS) == data

    @pytest.mark.parametrize("cut", [1, 2, 3, 5])
    def test_a_chunk_that_is_cut_off_is_truncated(self, cut: int) -> None:
        """A chunk that is cut off raises `Truncated`, even inside its header."""
        chunks = as_chunks(bytes(10), self.SCRIPT)
        with pytest.raises(Truncated, match=r"^orc\.chunk: "):
            plain(chunks[:-cut], self.SCRIPT, DEFAULT_LIMITS)

    def test_a_block_size_has_the_limit_and_no_more(self) -> None:
        """A block size above `limits.decompressed_size` is refused."""
        chunks = as_chunks(bytes(10), self.SCRIPT)
        assert plain(chunks, self.SCRIPT, replace(DEFAULT_LIMITS, decompressed_size=10))
        with pytest.raises(
            LimitExceeded, match=r"^orc\.chunk: found chunks of 10 bytes, wanted at"
        ):
            plain(chunks, self.SCRIPT, replace(DEFAULT_LIMITS, decompressed_size=9))

    @pytest.mark.parametrize("codec", [1, 2, 4, 5])
    @pytest.mark.parametrize("cut", [1, 2, 3])
    def test_compressed_bytes_that_are_cut_off_are_refused(self, codec: int, cut: int) -> None:
        """A whole chunk whose compressed data is cut off is refused, and not read short."""
        held = chunk(codec, 90)[3:-cut]
        script = PostScript(compression=codec, compressionBlockSize=100)
        assert len(plain(chunk(codec, 90), script, DEFAULT_LIMITS)) == 90
        with pytest.raises(FormatError, match=r"^orc\.chunk: found data that its codec cannot"):
            plain((len(held) << 1).to_bytes(3, "little") + held, script, DEFAULT_LIMITS)

    @pytest.mark.parametrize("codec", [CompressionKind.LZO, CompressionKind.BROTLI, 99])
    def test_a_codec_that_nobody_reads_is_unsupported(self, codec: int) -> None:
        """An error for an unsupported codec gives its number."""
        script = PostScript(compression=codec, compressionBlockSize=10)
        with pytest.raises(FormatError, match=rf"^orc\.compression: found codec {int(codec)}, "):
            plain(b"\1\0\0", script, DEFAULT_LIMITS)

    @pytest.mark.parametrize(
        "codec",
        [CompressionKind.ZLIB, CompressionKind.SNAPPY, CompressionKind.LZ4, CompressionKind.ZSTD],
    )
    def test_a_chunk_has_the_block_size_and_no_more(self, codec: int) -> None:
        """A chunk that decompresses to more than the block size is refused, with every codec."""
        script = PostScript(compression=codec, compressionBlockSize=100)
        assert plain(chunk(codec, 100), script, DEFAULT_LIMITS) == bytes(100)
        with pytest.raises(FormatError, match=r"^orc\.chunk: found "):
            plain(chunk(codec, 101), script, DEFAULT_LIMITS)

    @pytest.mark.parametrize(("most", "name"), [(None, "decompressed_size"), (20, "metadata_size")])
    def test_chunks_have_the_limit_together_and_no_more(self, most: int | None, name: str) -> None:
        """The chunks of a stream share one limit: that of data, or that of metadata."""
        limits = replace(DEFAULT_LIMITS, decompressed_size=20, metadata_size=20)
        assert plain(as_chunks(bytes(20), self.SCRIPT), self.SCRIPT, limits, most) == bytes(20)
        said = (
            rf"^orc\.chunk: found more than 20 bytes when .* wanted at most 20 \(limits\.{name}\)"
        )
        with pytest.raises(LimitExceeded, match=said):
            plain(as_chunks(bytes(21), self.SCRIPT), self.SCRIPT, limits, most)

    def test_bytes_without_a_codec_are_one_part(self) -> None:
        """Bytes of a file without a codec have no chunks and are one part."""
        assert list(parts(b"bytes", PostScript(), DEFAULT_LIMITS)) == [b"bytes"]


def test_a_view_of_a_stripe_is_a_file_of_its_own() -> None:
    """A view of a stripe is an ORC file of its rows, with numbered columns.

    Its timestamps are timestamps, unless they are asked for as numbers.
    """
    out = BytesIO()
    moments = pa.array(range(20_000), pa.timestamp("ns"))
    table = pa.table({"t": moments, "n": range(20_000)})
    with orc.ORCWriter(out, stripe_size=1, batch_size=10_000) as writer:
        for begin in range(0, 20_000, 10_000):
            writer.write(table.slice(begin, 10_000))
    source = BytesSource(out.getvalue())
    layout = OrcLayout(source, DEFAULT_LIMITS)
    assert len(layout.stripes) > 1
    at = 0
    for number, stripe in enumerate(layout.stripes):
        view = StripeView(source, layout, number)
        own = OrcLayout(BytesSource(view.read(0, view.size)), DEFAULT_LIMITS)
        assert (own.statistics(), own.postscript.metadataLength) == ([], 0)
        file = orc.ORCFile(native_file(view))
        assert (file.nrows, file.nstripes) == (stripe.numberOfRows, 1)
        rows = table.slice(at, stripe.numberOfRows).rename_columns(["0", "1"])
        assert file.read().equals(rows)
        at += stripe.numberOfRows
    numbers = orc.ORCFile(native_file(StripeView(source, layout, 0, moments=False)))
    assert numbers.schema.types == [pa.int64(), pa.int64()]


def with_types(*inner: list[int]) -> bytes:
    """Return a file without rows, with types that have these types inside."""
    footer = Footer(headerLength=3)
    for each in inner:
        kind = Type.Kind.STRUCT if len(each) > 1 or not footer.types else Type.Kind.LIST
        names = [str(number) for number in each] if kind == Type.Kind.STRUCT else []
        footer.types.append(
            Type(kind=kind if each else Type.Kind.LONG, subtypes=each, fieldNames=names)
        )
    end = footer.SerializeToString()
    tail = PostScript(footerLength=len(end), magic="ORC", version=[0, 12]).SerializeToString()
    return b"ORC" + end + tail + bytes([len(tail)])


def test_types_of_many_levels_are_refused() -> None:
    """Types inside each other may have ``limits.nesting`` levels; more ended the process."""
    chain = [[each + 1] for each in range(200)]
    OrcLayout(BytesSource(with_types(*chain, [])), DEFAULT_LIMITS)
    said = (
        r"^orc\.footer\.types\[201\] at byte 3 \(0x3\): found 201 levels, wanted at most 200 "
        r"levels \(limits\.nesting\)$"
    )
    for levels in (201, 60_000):
        chain = [[each + 1] for each in range(levels)]
        with pytest.raises(LimitExceeded, match=said):
            OrcLayout(BytesSource(with_types(*chain, [])), DEFAULT_LIMITS)


def test_types_inside_two_others_are_refused() -> None:
    """Types that are no tree are refused: the library would make one 2^30 times for 60 types."""
    shared = [[each + 1, each + 2] for each in range(60)]
    said = (
        r"^orc\.footer\.types\[2\] at byte 3 \(0x3\): found a type inside two others, wanted inside"
    )
    with pytest.raises(FormatError, match=said):
        OrcLayout(BytesSource(with_types(*shared, [], [])), DEFAULT_LIMITS)


@pytest.mark.parametrize("zone", ["..", "../x", "Etc/../../../../etc/hostname", "UTC\0x"])
def test_zones_of_other_files_are_refused(zone: str) -> None:
    """A zone whose name leads out of the folder of zones is an error; the library opened it."""
    layout = OrcLayout(BytesSource(with_zone(zone)), DEFAULT_LIMITS)
    said = r"^orc\.stripe_footer\.writerTimezone at byte 3 .*, wanted the name of a time zone$"
    with pytest.raises(FormatError, match=said):
        layout.streams(layout.stripes[0])


@pytest.mark.parametrize("zone", ["", "UTC", "America/Port-au-Prince", "Etc/GMT+1", "GMT+01:00"])
def test_zones_are_taken_by_their_names(zone: str) -> None:
    """Any other name is left to the library."""
    layout = OrcLayout(BytesSource(with_zone(zone)), DEFAULT_LIMITS)
    assert layout.streams(layout.stripes[0]).footer.writerTimezone == zone


def with_zone(zone: str) -> bytes:
    """Return a file of one stripe without streams, written in a zone."""
    stripe = StripeFooter(writerTimezone=zone).SerializeToString()
    footer = Footer(headerLength=3, types=[Type(kind=Type.Kind.STRUCT)])
    footer.stripes.append(StripeInformation(offset=3, footerLength=len(stripe)))
    end = footer.SerializeToString()
    tail = PostScript(footerLength=len(end), magic="ORC", version=[0, 12]).SerializeToString()
    return b"ORC" + stripe + end + tail + bytes([len(tail)])
