"""The headers and checksums of blocks that are written are what the record of a block reads."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byteloom.codecs.checksums import crc32, crc32c
from byteloom.hfile.blocks import MAGICS
from byteloom.hfile.writing.blocks import BlockSizes, BlockWriter
from byteloom.hfile.writing.settings import Settings
from byteloom_generated.hfile.block import Block, BlockType, ChecksumType

SUMS = {"CRC32": crc32, "CRC32C": crc32c}


class Memory(io.BytesIO):
    """A target in memory."""

    name = "memory"

    def commit(self) -> None:
        """Keep what was written."""

    def abort(self) -> None:
        """Keep what was written, as a commit does."""


def written(blocks: list[tuple[str, bytes]], settings: Settings) -> bytes:
    """Blocks of these types with these payloads."""
    target = Memory()
    target.write_all = lambda pieces: [target.write(each) for each in pieces]  # type: ignore[attr-defined]
    writer: Any = BlockWriter(target, settings, BlockSizes(settings))  # type: ignore[arg-type]
    for kind, payload in blocks:
        writer.write(MAGICS[kind], payload)
    writer.flush()
    return target.getvalue()


@given(
    st.lists(st.tuples(st.sampled_from(sorted(MAGICS)), st.binary(max_size=90)), max_size=4),
    st.sampled_from(["NULL", "CRC32", "CRC32C"]),
    st.integers(1, 99),
)
@example([("data", b"")], "CRC32C", 33)
@example([("data", b"a")], "CRC32", 33)
@example([("data", b"ab"), ("meta", b""), ("data", b"c")], "CRC32C", 34)
def test_blocks_are_what_their_records_say(
    blocks: list[tuple[str, bytes]], checksum: str, step: int
) -> None:
    """Headers and checksums of written blocks are those that their records write."""
    data = written(blocks, Settings(checksum=checksum, bytes_per_checksum=step))
    at, before = 0, dict[str, int]()
    for kind, payload in blocks:
        raw = data[at : at + Block.SIZE]
        header = Block.from_bytes(raw)
        assert header == Block(
            magic=BlockType[kind.upper()],
            len_on_disk=len(payload) + 4 * header.num_checksums,
            len_uncompressed=len(payload),
            ofs_previous=before.get(kind, -1),
            checksum_type=ChecksumType[checksum],
            bytes_per_checksum=step,
            len_data=Block.SIZE + len(payload),
        )
        assert header.to_bytes() == raw
        end = at + header.len_data
        assert data[at + Block.SIZE : end] == payload
        sums = [
            SUMS[checksum](data[start : min(start + step, end)]) if checksum in SUMS else 0
            for start in range(at, end, step)
        ]
        assert len(sums) == header.num_checksums
        before[kind], at = at, at + Block.SIZE + header.len_on_disk
        assert data[end:at] == b"".join(each.to_bytes(4, "big") for each in sums)
    assert at == len(data)


@pytest.mark.parametrize("kind", sorted(MAGICS))
def test_every_type_of_block_has_the_magic_of_the_record(kind: str) -> None:
    """The eight-byte magic of every block type is that of the record."""
    assert MAGICS[kind] == BlockType[kind.upper()].to_bytes(Block.PLACES["len_on_disk"], "big")
