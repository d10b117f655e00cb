"""Avro blocks of Hudi's logs: their head, and what an audit that found nothing says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from byteloom.errors import FormatError
from byteloom.hudi.findings import Audit
from byteloom.hudi.snapshot import _avro
from byteloom.limits import DEFAULT_LIMITS


def block(count: int, rest: bytes) -> Any:
    """A block at byte 100: a version, the number of records, and what follows."""
    content = (3).to_bytes(4, "big") + count.to_bytes(4, "big", signed=True) + rest
    return SimpleNamespace(content=content, offset=100)


@pytest.mark.parametrize(
    ("count", "size"), [(-1, 400), (1, 0), (1, 3), (2, 4), (2, 7), (1 << 30, 400)]
)
def test_records_are_inside_of_their_block(count: int, size: int) -> None:
    """Each takes four bytes at least; the error is about the number, which has a place."""
    said = (
        rf"^avro_data\.count at byte 104 \(0x68\): found {count}, wanted records inside the block$"
    )
    with pytest.raises(FormatError, match=said):
        _avro(block(count, bytes(size)), ["a"], DEFAULT_LIMITS)


def test_a_block_has_a_head() -> None:
    """Of eight bytes."""
    for size in range(8):
        short = SimpleNamespace(content=bytes(size), offset=100)
        with pytest.raises(FormatError, match=r"^avro_data\.count at byte 104 .*: found 0, wanted"):
            _avro(short, ["a"], DEFAULT_LIMITS)  # type: ignore[arg-type]


@pytest.mark.parametrize("rest", [b"\0\0\0\1", b"\xff\xff\xff\xff", b"\0\0\0\5abcd"])
def test_a_record_ends_with_its_block(rest: bytes) -> None:
    """One whose length leads out of it is refused, with the place of the block."""
    said = r"^avro_data at byte 100 .*: found a length beyond its end, wanted whole records$"
    with pytest.raises(FormatError, match=said):
        _avro(block(1, rest), ["a"], DEFAULT_LIMITS)


def test_an_audit_of_nothing_is_clean() -> None:
    """One with an index that could not be read is not, nor one with a finding."""
    assert (Audit().is_clean, Audit().errors) == (True, 0)
    assert not Audit(errors=1).is_clean
    found: Any = object()
    assert not Audit(findings=[found]).is_clean
