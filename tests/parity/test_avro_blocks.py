"""Blocks of Avro files are found where their records have them, and refused where they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.avro_files import SYNC, container, number
from tests.support.walks import flipped

from byteloom.avro.blocks import AvroBlocks
from byteloom.avro.container import find_blocks, open_avro
from byteloom.errors import FormatError
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.sources import BytesSource
from byteloom.wire import Reader
from byteloom_generated.avro.container import Block, BlockHead, Container

HEAD = len(container())


def stored(count: int, data: bytes) -> bytes:
    """A block as its record writes it."""
    head = BlockHead(num_objects=count, len_objects=len(data))
    return Block(head=head, objects=data, sync=SYNC, marker=SYNC).to_bytes()


def by_record(data: bytes, at: int) -> tuple[list[list[int]], str, type | None]:
    """Records, start and size of each block, and the error about the one that is refused."""
    reader, found = Reader(data), list[list[int]]()
    reader.bytes("", at)
    try:
        while not reader.eof:
            path = f"avro.blocks[{len(found)}]"
            block = reader.record(path, Block.read, (SYNC,))
            start = reader.pos - len(SYNC) - len(block.objects)
            found.append([block.head.num_objects, start, block.head.len_objects])
    except FormatError as error:
        return found, str(error), type(error)
    return found, "", None


def by_walk(data: bytes, at: int) -> tuple[list[list[int]], str, type | None]:
    """Return the same, as the readers of files find it."""
    table, refused = find_blocks(np.frombuffer(data, np.uint8), at, SYNC)
    return table.tolist(), str(refused or ""), type(refused) if refused else None


drawn = st.lists(st.tuples(st.integers(0, (1 << 63) - 1), st.binary(max_size=200)), max_size=4)


@given(blocks=drawn, before=st.integers(0, 3))
def test_drawn_blocks_are_found_as_they_are_read(
    blocks: list[tuple[int, bytes]], before: int
) -> None:
    """Blocks of all sizes and counts are found; the table has the places of their objects."""
    data = bytes(before) + b"".join(stored(*each) for each in blocks)
    found, error, _ = by_walk(data, before)
    assert (found, error) == by_record(data, before)[:2]
    assert error == ""
    assert [data[start : start + size] for _, start, size in found] == [each for _, each in blocks]


@pytest.mark.parametrize(
    "data",
    [
        stored(3, b"abc") + stored(0, b""),
        stored((1 << 63) - 1, b"x") + stored(64, bytes(70)),
        b"\x82\x00\x84\x80\x80\x00ab" + SYNC,  # numbers in more bytes than they need
    ],
    ids=["short", "long", "padded"],
)
def test_damaged_blocks_are_refused_as_records_are(data: bytes) -> None:
    """With each bit flipped, and cut after each byte: blocks, errors, their kinds and places."""
    assert by_walk(data, 0) == by_record(data, 0)
    errors = set()
    for each in flipped(data):
        found = by_walk(each, 0)
        assert found == by_record(each, 0)
        errors.add(found[1].split(" ")[0].partition("].")[2])
    assert errors >= {"head.num_objects", "head.len_objects", "objects", "sync"}


@given(rest=st.binary(max_size=60), blocks=drawn)
def test_drawn_bytes_are_refused_as_records_are(
    rest: bytes, blocks: list[tuple[int, bytes]]
) -> None:
    """Drawn bytes after sound blocks are refused as the records refuse them."""
    data = b"".join(stored(*each) for each in blocks) + rest
    assert by_walk(data, 0) == by_record(data, 0)


@pytest.mark.parametrize("count", [-1, 0, 1, 63, 64, (1 << 63) - 1, -(1 << 63)])
@pytest.mark.parametrize("size", [-(1 << 63), -17, -1, 0, 1, 2, 3, 1 << 40, (1 << 63) - 1])
def test_numbers_at_their_limits_are_refused_as_records_are(count: int, size: int) -> None:
    """A size may not lead out of the file, nor backwards."""
    data = number(count) + number(size) + b"ab" + SYNC
    assert by_walk(data, 0) == by_record(data, 0)


@given(
    blocks=st.lists(st.tuples(st.integers(0, 3), st.binary(min_size=3, max_size=90)), max_size=4)
)
def test_files_are_read_as_their_record_is(blocks: list[tuple[int, bytes]]) -> None:
    """A whole file, at once and in windows, has the header and the blocks of the record."""
    data = container([stored(*each) for each in blocks])
    record = Container.from_bytes(data, whole=True)
    assert record.to_bytes() == data
    file = open_avro(data)
    assert (file.sync, file.first_block) == (record.header.sync, HEAD)
    assert file.metadata == {
        entry.key: entry.value for part in record.header.metadata for entry in part.entries
    }
    windows = list(AvroBlocks(BytesSource(data), DEFAULT_LIMITS).windows())
    counts = [int(each) for window in windows for each in window.counts]
    parts = [bytes(each) for window in windows for each in window.parts]
    assert counts == [each.head.num_objects for each in record.blocks]
    assert parts == [each.objects for each in record.blocks]
