"""Log files of Hudi's metadata tables: valid, torn and hostile blocks.

Blocks are read by themselves: commands show only part of what they have.
"""

from __future__ import annotations

import pytest
from tests.support.hudi_tables import log_block, record

from byteloom.errors import FormatError
from byteloom.hudi.logs import MAGIC, BlockType, LogBlock, read_blocks
from byteloom.storage.sources import BytesSource
from byteloom_generated.hfile.hudi_log import HeaderKey, MetadataEntry

ROWS = log_block({"a": record(5)}, {HeaderKey.INSTANT_TIME: "1"})
DELETES = log_block(["a", "b"], {HeaderKey.INSTANT_TIME: "2"})


def blocks_of(*parts: bytes) -> list[LogBlock]:
    """Return the blocks of a log file."""
    return list(read_blocks(BytesSource(b"".join(parts)), "a.log"))


def kinds(blocks: list[LogBlock]) -> list[BlockType]:
    """Return the types of these blocks."""
    return [each.type for each in blocks]


def test_blocks_have_their_place() -> None:
    """A block has the offset of its content, the offset of its end, and its headers."""
    rows, deletes = blocks_of(ROWS, DELETES)
    data = ROWS + DELETES
    assert (rows.type, rows.instant, rows.end) == (BlockType.HFILE_DATA, "1", len(ROWS))
    assert data[rows.offset : rows.offset + len(rows.content)] == rows.content
    assert (deletes.type, deletes.instant, deletes.end) == (BlockType.DELETE, "2", len(data))
    assert data[deletes.offset : deletes.offset + len(deletes.content)] == deletes.content
    assert set(rows.headers) == {"instant_time", "schema"}


@pytest.mark.parametrize("kept", [6, 13, 14, 30, -8, -1])
def test_a_torn_block_ends_at_the_next_magic(kept: int) -> None:
    """A torn block ends at the next magic or at the end of the file; later blocks are read."""
    size = kept % len(ROWS)  # which is not the same every time: the block says when it was made
    torn, whole = blocks_of(ROWS[:size], DELETES)
    assert (torn.type, torn.offset, torn.end) == (BlockType.CORRUPT, len(MAGIC), size)
    assert (whole.type, whole.end) == (BlockType.DELETE, size + len(DELETES))
    whole, torn = blocks_of(DELETES, ROWS[:size])
    assert (torn.type, torn.end) == (BlockType.CORRUPT, size + len(DELETES))
    assert whole.type == BlockType.DELETE


@pytest.mark.parametrize("gap", [1 << 12, (1 << 12) - 3, (1 << 20) + 5, 3_000_001])
def test_a_magic_is_found_wherever_it_is(gap: int) -> None:
    """The next magic is found across the edges of the chunks that are searched."""
    torn, whole = blocks_of(MAGIC, bytes(gap), DELETES)
    assert (torn.end, whole.type) == (len(MAGIC) + gap, BlockType.DELETE)


@pytest.mark.parametrize("size", range(6))
def test_less_than_a_magic_at_the_end_is_nothing(size: int) -> None:
    """Part of a magic at the end of a file, left by a failed write, is ignored."""
    assert kinds(blocks_of(DELETES, MAGIC[:size])) == [BlockType.DELETE]
    assert blocks_of(MAGIC[:size]) == []


def test_another_beginning_is_an_error() -> None:
    """A file that begins with another magic is refused."""
    with pytest.raises(FormatError, match=r"a\.log: log_block\.magic at byte 0 .*found b'PAR1PA'"):
        blocks_of(b"PAR1PAR1" + ROWS)


@pytest.mark.parametrize(("at", "field"), [(17, "version"), (21, "type"), (25, "entries")])
def test_damage_in_a_sound_block_is_an_error(at: int, field: str) -> None:
    """An invalid field in a block whose two lengths agree is an error, not a torn block."""
    damaged = bytearray(DELETES)
    damaged[at] = 99
    with pytest.raises(FormatError, match=rf"a\.log: log_block\.body\.([a-z]+\.)*{field}"):
        blocks_of(bytes(damaged))


@pytest.mark.parametrize("size", [-1, 0, 7, 31, 1 << 40, -(1 << 63), (1 << 63) - 1])
def test_a_length_that_cannot_be_makes_a_torn_block(size: int) -> None:
    """A length that is negative, too small or beyond the file makes a torn block."""
    raw = MAGIC + size.to_bytes(8, "big", signed=True) + DELETES[14:]
    assert kinds(blocks_of(raw)) == [BlockType.CORRUPT]


def test_a_block_too_small_for_its_fields_is_an_error() -> None:
    """A block too small for its fields is an error if both of its lengths agree."""
    raw = MAGIC + (8).to_bytes(8, "big") + (14).to_bytes(8, "big")
    with pytest.raises(FormatError, match=r"len_block at byte 6 .*found 8, wanted at least 32"):
        blocks_of(raw)


def test_magics_side_by_side_are_torn_blocks_each() -> None:
    """Adjacent magics are torn blocks, found without searching a megabyte for each."""
    assert kinds(blocks_of(MAGIC * 100_000)) == [BlockType.CORRUPT] * 100_000


@pytest.mark.parametrize("key", HeaderKey)
def test_a_key_of_a_header_has_its_name(key: HeaderKey) -> None:
    """A known number of a header is read as a member of the enum."""
    entry = MetadataEntry.from_bytes(key.to_bytes(4, "big") + bytes(4))
    assert isinstance(entry.key, HeaderKey)
    assert entry.key is key
