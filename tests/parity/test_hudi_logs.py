"""A block of a log counts as whole where its record can read its frame."""

from __future__ import annotations

import pytest
from tests.support.hudi_tables import log_block

from byteloom.errors import FormatError
from byteloom.hudi.logs import MAGIC, _framing
from byteloom.storage.sources import BytesSource
from byteloom.wire import Reader
from byteloom_generated.hfile.hudi_log import HeaderKey, LogBlock

BLOCK = log_block(["a", "b"], {HeaderKey.INSTANT_TIME: "2"})
LENGTH = len(MAGIC)
"""Where the length begins."""


def by_record(data: bytes) -> int | str | None:
    """The bytes of the block that a record reads, up to a magic or the end; or what it refuses."""
    reader = Reader(data)
    try:
        LogBlock.read(reader)
    except FormatError as error:
        return error.path
    rest = data[reader.offset :]
    return reader.offset if len(rest) < len(MAGIC) or rest.startswith(MAGIC) else None


def damaged() -> list[bytes]:
    """A block cut off, with each bit flipped, and with each byte left out."""
    cuts = [BLOCK[:size] for size in range(LENGTH, len(BLOCK))]
    flips = [
        BLOCK[:at] + bytes([BLOCK[at] ^ 1 << bit]) + BLOCK[at + 1 :]
        for at in range(LENGTH, len(BLOCK))
        for bit in range(8)
    ]
    return [*cuts, *flips, *(BLOCK[:at] + BLOCK[at + 1 :] for at in range(LENGTH, len(BLOCK)))]


@pytest.mark.parametrize("rest", [b"", MAGIC, MAGIC[:5], MAGIC + b"more", b"#HUDI!"])
def test_blocks_are_as_long_as_their_record_says(rest: bytes) -> None:
    """A log block has the length of its record, whatever follows, or both find it damaged."""
    for data in [BLOCK, *damaged()]:
        found, record = _framing(BytesSource(data + rest), 0), by_record(data + rest)
        if isinstance(found, FormatError):
            assert not isinstance(record, int)
        else:
            assert record == found or str(record).startswith("body.")
