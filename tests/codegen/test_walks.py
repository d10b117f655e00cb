"""Walks over bits give the values of records, and refuse the same with equal messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.scanners import generated
from tests.support.walks import read, walked

WORDS = Path(__file__).parents[1] / "walks" / "words.ksy"


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """Generate the records of the spec, and the walks over them."""
    return generated(WORDS, tmp_path_factory.mktemp("walks") / "walked")


@given(data=st.binary(max_size=40))
@example(data=bytes.fromhex("43 01 0c 00 fc ff"))
@example(data=bytes.fromhex("43 01 0d 00"))
def test_chunk_words_are_walked_as_they_are_read(modules: tuple[Any, Any], data: bytes) -> None:
    """Words of four and twelve bits are walked as records read them, with equal errors."""
    records, scans = modules
    rows, error = read(records.SmallWord, data, "small_words")
    columns, refused = walked(scans.SMALL_WORDS, data, {})
    assert refused == error
    assert columns == {
        "log_num_values": [each.log_num_values for each in rows],
        "len_words": [each.len_words for each in rows],
        "len_chunk": [each.len_chunk for each in rows],
        "place": [2 * number for number in range(len(rows))],
    }


@given(data=st.binary(max_size=120), least=st.integers(0, 4))
@example(data=bytes([3 | 1 << 3, 255, 7 << 3]) + bytes([0x0F] * 30), least=3)
def test_bits_are_walked_as_they_are_read(
    modules: tuple[Any, Any], data: bytes, least: int
) -> None:
    """Bits across bytes, in both orders, as lengths and conditions, are walked as read."""
    records, scans = modules
    rows, error = read(records.Mixed, data, "mixeds", least=least)
    columns, refused = walked(scans.MIXEDS, data, {"least": least})
    assert refused == error
    for name in ("three", "is_set", "across", "high", "wide", "long"):
        assert columns[name] == [int(getattr(each, name)) for each in rows]
    assert columns["byte_after"] == [each.byte_after or 0 for each in rows]
