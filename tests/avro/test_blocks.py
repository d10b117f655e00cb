"""Blocks of an Avro data file are read in windows of bounded size, for any span of the file."""

from __future__ import annotations

from typing import Final

import pytest
from tests.support.avro_files import PACKED, SYNC, block, container, number

from byteloom.avro import blocks
from byteloom.avro.blocks import AvroBlocks, Window
from byteloom.errors import FormatError, LimitExceeded, Truncated
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom.storage.sources import BytesSource

HEAD: Final = len(container())
CONTENTS: Final = (b"one", b"fourteen bytes", b"", b"three" * 3)
BLOCKS: Final = [block(count, each) for count, each in zip((2, 5, 0, 1), CONTENTS, strict=True)]
PLACES: Final = [HEAD + sum(map(len, BLOCKS[:number])) + 2 for number in range(4)]
"""Where the bytes of each block begin, after its two numbers."""


def windows(
    data: bytes, span: tuple[int, int] | None = None, limits: Limits = DEFAULT_LIMITS
) -> list[Window]:
    """Return the windows of a file."""
    return list(AvroBlocks(BytesSource(data), limits).windows(span))


@pytest.mark.parametrize(("more", "reads"), [(0, 1), (1, 2)])
def test_nothing_is_read_after_a_span(
    monkeypatch: pytest.MonkeyPatch, more: int, reads: int
) -> None:
    """Reading a span that ends where a block does needs no bytes after it."""
    monkeypatch.setattr(blocks, "_READ", len(BLOCKS[0]))
    end = HEAD + len(BLOCKS[0])
    asked: list[int] = []

    class Noted(BytesSource):
        def read(self, offset: int, length: int) -> bytes:
            asked.append(offset)
            return super().read(offset, length)

    file = AvroBlocks(Noted(container([BLOCKS[0]] * 3)), DEFAULT_LIMITS)
    asked.clear()
    found = list(file.windows((HEAD, end + more)))
    assert [bytes(part) for each in found for part in each.parts] == [CONTENTS[0]]
    assert asked == [HEAD, end][:reads]


@pytest.mark.parametrize(
    ("span", "first", "last"),
    [
        (None, 0, 4),
        ((PLACES[0], PLACES[3] + 1), 0, 4),
        ((PLACES[0] + 1, PLACES[3]), 1, 3),
        ((PLACES[1], PLACES[2]), 1, 2),
        ((PLACES[1] - 1, PLACES[1]), 1, 1),
        ((PLACES[3], 1 << 40), 3, 4),
        ((0, PLACES[0]), 0, 0),
        ((PLACES[3] + 1, 1 << 40), 4, 4),
    ],
)
def test_a_span_has_the_blocks_that_begin_in_it(
    span: tuple[int, int] | None, first: int, last: int
) -> None:
    """A span has the blocks that begin in it, and knows how many records come before them."""
    found = windows(container(BLOCKS), span)
    assert [bytes(part) for each in found for part in each.parts] == [*CONTENTS[first:last]]
    assert [count for each in found for count in each.counts] == [2, 5, 0, 1][first:last]
    if first < last:
        assert (found[0].block, found[0].start) == (first, sum([2, 5, 0, 1][:first]))


@pytest.mark.parametrize("codec", PACKED)
def test_blocks_have_the_limit_and_no_more(codec: str) -> None:
    """Each block is bounded by `limits.decompressed_size` and by its own size in the file."""
    content = bytes(1_000)
    stored = len(PACKED[codec](content))
    data = container([block(1, b"a", codec), block(1, content, codec)], codec=codec)
    for expansion in (0, 2):
        least = max(1_000 - expansion * stored, 0)
        found = windows(data, limits=Limits(decompressed_size=least, expansion=expansion))
        assert [len(part) for each in found for part in each.parts] == [1, 1_000]
        if least:
            place = len(data) - 16 - stored
            said = (
                rf"^avro\.block at byte {place} .*: found a block of more than 999 bytes, wanted "
                r"at most 999 \(limits\.decompressed_size, limits\.expansion\)$"
            )
            with pytest.raises(LimitExceeded, match=said):
                windows(data, limits=Limits(decompressed_size=least - 1, expansion=expansion))


def test_windows_are_the_blocks_that_fit_one() -> None:
    """A window has the blocks that fit it together, or one larger block by itself."""
    sizes = [10, 10, 11, 30, 1]
    data = container([block(1, bytes(size)) for size in sizes])
    found = windows(data, limits=Limits(decompressed_size=20, expansion=1))
    assert [[len(part) for part in each.parts] for each in found] == [[10, 10], [11], [30], [1]]
    assert [(each.start, each.block) for each in found] == [(0, 0), (2, 2), (3, 3), (4, 4)]


def test_a_record_takes_a_byte_at_least() -> None:
    """A block may claim one record for each byte; one more is an error with the block's number."""
    assert windows(container([block(1, b"a"), block(3, b"abc")]))[0].counts.tolist() == [1, 3]
    said = r"^avro\.blocks\[1\]: found 4 records in 3 bytes, wanted records of a byte or more$"
    with pytest.raises(FormatError, match=said):
        windows(container([block(1, b"a"), block(4, b"abc")]))


def test_a_block_has_as_many_records_as_the_limit() -> None:
    """A block of more records than `limits.elements` is refused."""
    data = container([block(1, b"a"), block(3, b"abc")])
    assert windows(data, limits=Limits(elements=3))
    said = r"^avro\.blocks\[1\]: found 3 records, wanted at most 2 \(limits\.elements\)$"
    with pytest.raises(LimitExceeded, match=said):
        windows(data, limits=Limits(elements=2))


@pytest.mark.parametrize("size", [4 << 20, (4 << 20) + 1, 9 << 20])
def test_blocks_longer_than_one_read_are_read(size: int) -> None:
    """Blocks longer than one read are read whole, and refused if the file ends inside them."""
    data = container([block(1, b"a"), block(2, bytes(size)), block(3, b"abc")])
    found = windows(data)
    assert [len(part) for each in found for part in each.parts] == [1, size, 3]
    place = HEAD + len(block(1, b"a"))
    end = place + len(block(2, bytes(size)))
    for cut, field, at, left, wanted in [
        (1, "sync", end - 16, 15, 16),
        (17, "objects", end - 16 - size, size - 1, size),
    ]:
        said = (
            rf"^avro\.blocks\[1\]\.{field} at byte {at} .*: found {left} bytes left, "
            rf"wanted {wanted} bytes: the file begins as an Avro file"
        )
        with pytest.raises(Truncated, match=said):
            windows(data[: end - cut])


@pytest.mark.parametrize("size", [9 << 20, 1 << 40])
def test_a_block_that_leads_beyond_the_file_is_refused(size: int) -> None:
    """A block that claims to end after the file is refused before its bytes are read."""
    head = number(1) + number(size)
    said = (
        rf"^avro\.blocks\[0\]\.objects at byte {HEAD + len(head)} .*: found 5242880 bytes left, "
        rf"wanted {size} bytes: the file begins as an Avro file"
    )
    with pytest.raises(Truncated, match=said):
        windows(container([head + bytes(5 << 20)]))


def test_damage_in_a_partly_read_block_is_refused_before_more_is_read() -> None:
    """A negative size is wrong, however many bytes follow."""
    raw = number(1) + number(-5) + bytes(9 << 20)
    place = HEAD + 1
    said = (
        rf"^avro\.blocks\[0\]\.head\.len_objects at byte {place} .*: found -5, wanted at least 0$"
    )
    with pytest.raises(FormatError, match=said):
        windows(container([raw]))


def test_another_marker_has_its_place_in_the_file() -> None:
    """An error about a wrong sync marker has its offset in the file, in later reads too."""
    wrong = number(1) + number(1) + b"a" + SYNC[::-1]
    for before in ([block(1, b"a")], [block(1, bytes(5 << 20))]):
        data = container([*before, wrong])
        with pytest.raises(
            FormatError, match=rf"^avro\.blocks\[1\]\.sync at byte {len(data) - 16} .*wanted b'"
        ):
            windows(data)


@pytest.mark.parametrize("size", [60_000, 70_000, 600_000])
def test_headers_of_any_length_are_read(size: int) -> None:
    """Headers of any length up to `limits.metadata_size` are read; longer ones are refused."""
    schema = {"type": "string", "doc": "d" * size}
    data = container([block(1, b"a")], schema=schema)
    assert AvroBlocks(BytesSource(data), DEFAULT_LIMITS).schema == schema
    if size > 64 << 10:
        with pytest.raises(LimitExceeded, match=r"^avro\.header at byte 0 .*at most 65535, limits"):
            AvroBlocks(BytesSource(data), Limits(metadata_size=65_535))
