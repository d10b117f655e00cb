"""Avro blocks of Hudi's logs have a valid head; an audit without findings is clean.

Heads of blocks are read by themselves, without a table around each.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from byteloom.errors import FormatError, Truncated
from byteloom.hudi import Audit
from byteloom.hudi.snapshot import _avro
from byteloom.limits import DEFAULT_LIMITS


def block(count: int, rest: bytes) -> Any:
    """Return a block at byte 100 of a version, the number of records, and what follows."""
    content = (3).to_bytes(4, "big") + count.to_bytes(4, "big", signed=True) + rest
    return SimpleNamespace(content=content, offset=100)


@pytest.mark.parametrize(
    ("count", "rest", "said"),
    [
        (-1, 400, r"num_records at byte 104 \(0x68\): found -1, wanted at least 0$"),
        (
            1,
            0,
            r"records at byte 108 .*: found 0 bytes left, wanted 1 element of at",
        ),
        (
            2,
            7,
            r"records at byte 108 .*: found 7 bytes left, wanted 2 elements of at",
        ),
        (1 << 20, 400, r"records at byte 108 .*: found 400 bytes left, wanted 1048576 elements"),
    ],
)
def test_records_are_inside_of_their_block(count: int, rest: int, said: str) -> None:
    """A number of records that is negative or exceeds the block's bytes is refused."""
    with pytest.raises(FormatError, match=r"^avro_data\." + said):
        _avro(block(count, bytes(rest)), ["a"], DEFAULT_LIMITS)


@pytest.mark.parametrize("size", range(8))
def test_a_block_has_a_head(size: int) -> None:
    """A block with fewer than the eight bytes of its head is truncated."""
    short: Any = SimpleNamespace(content=bytes(size), offset=100)
    said = r"^avro_data\.(version at byte 100|num_records at byte 104) "
    with pytest.raises(Truncated, match=said):
        _avro(short, ["a"], DEFAULT_LIMITS)


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        (b"\0\0\0\1", r"content at byte 112 .*: found 0 bytes left, wanted 1 byte$"),
        (b"\xff\xff\xff\xff", r"len_content at byte 108 .*: found -1, wanted at least 0$"),
        (b"\0\0\0\5abcd", r"content at byte 112 .*: found 4 bytes left, wanted 5 bytes$"),
    ],
)
def test_a_record_ends_with_its_block(rest: bytes, said: str) -> None:
    """A record whose length exceeds its block is refused."""
    with pytest.raises(FormatError, match=r"^avro_data\.records\[0\]\." + said):
        _avro(block(1, rest), ["a"], DEFAULT_LIMITS)


def test_a_block_ends_with_its_last_record() -> None:
    """Bytes after the last record of a block are refused."""
    said = r"^avro_data\.records at byte 113 \(0x71\): found 2 bytes after the last record, wanted"
    with pytest.raises(FormatError, match=said):
        _avro(block(1, b"\0\0\0\1a" + b"bc"), ["a"], DEFAULT_LIMITS)


def test_an_audit_of_nothing_is_clean() -> None:
    """An empty audit is clean; one with an error or a finding is not."""
    assert (Audit().is_clean, Audit().errors) == (True, 0)
    assert not Audit(errors=1).is_clean
    found: Any = object()
    assert not Audit(findings=[found]).is_clean
