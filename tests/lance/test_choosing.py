"""The limits at which the Lance writer tries and takes an encoding, on both sides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from byteloom.errors import FormatError
from byteloom.lance.writing.encoding_choice import Choice, choose, choose_large
from byteloom.lance.writing.layouts import null_page
from byteloom.lance.writing.levels import shred
from byteloom.lance.writing.options import Options, options_of
from byteloom.lance.writing.values import values_of


def tried(array: pa.Array, **options: Any) -> set[str]:
    """The encodings whose size was calculated, besides that of plain values."""
    found = choose(array, values_of(array), Options("2.2", **options))
    return found.sizes.keys() - {"flat"}


def small(count: int) -> pa.Array:
    """Numbers of one byte each."""
    return pa.array(np.arange(count).astype(np.int8))


@pytest.mark.parametrize(("count", "taken"), [(1904, "other"), (1905, "flat")])
def test_what_takes_96_of_100_bytes_is_taken(count: int, taken: str) -> None:
    """An encoding of 1,920 bytes replaces one of 2,000; one of 1,921 does not.

    Sixteen bytes of its size are the chunk's.
    """
    plain = Choice("flat", values_of(small(1)), None, {"flat": 2000})
    assert plain.or_else("other", values_of(small(count)), None).name == taken


@pytest.mark.parametrize(
    ("word", "last", "is_tried"), [("abcde", "abc", 1), ("abcde", "ab", 0), ("abcd", "abcd", 0)]
)
def test_a_table_of_symbols_is_tried_for_32_kib_of_words(
    word: str, last: str, is_tried: bool
) -> None:
    """FSST is tried for 32 KiB of text whose longest value has at least five bytes."""
    words = pa.array([word] * ((1 << 15) // len(word) - (len(word) == 4)) + [last])
    assert ("fsst" in tried(words, dict_divisor=1 << 31)) == is_tried


@pytest.mark.parametrize(("count", "is_tried"), [(4080, True), (4079, False)])
def test_a_codec_is_tried_for_4_kib(count: int, is_tried: bool) -> None:
    """A codec is tried for values of 4,096 bytes, 16 of which are the chunk's, and not below."""
    assert ("lz4" in tried(small(count), compression="lz4")) == is_tried


@pytest.mark.parametrize(
    ("values", "is_tried"), [([0, 0, 1, 1, 2, 2, 3, 3], True), ([0, 0, 1, 1, 2, 2, 3, 4], False)]
)
def test_runs_are_tried_for_fewer_changes_than_half_of_the_values(
    values: list[int], is_tried: bool
) -> None:
    """Runs are tried for three changes among eight values, and not for four."""
    assert ("runs" in tried(pa.array(values, pa.int32()))) == is_tried


def test_a_dictionary_may_take_the_share_that_was_asked_for() -> None:
    """A dictionary that takes exactly the requested share is tried; one byte more is too much."""
    array = pa.array([f"a text of some length {n % 3}" for n in range(400)])
    sizes = choose(array, values_of(array), Options("2.2", dict_ratio=1)).sizes
    share = sizes["dictionary"] / sizes["flat"]
    assert share * sizes["flat"] == sizes["dictionary"]
    assert "dictionary" in tried(array, dict_ratio=share)
    assert "dictionary" not in tried(array, dict_ratio=(sizes["dictionary"] - 1) / sizes["flat"])


@pytest.mark.parametrize(("more", "is_tried"), [(0, False), (1, True)])
def test_values_of_more_than_32_kib_are_compressed_each(more: int, is_tried: bool) -> None:
    """Zstandard is tried for values whose average size exceeds 32 KiB."""
    array = pa.array([bytes(1 << 15), bytes((1 << 15) + more)])
    found, _ = choose_large(array, values_of(array), Options("2.2"))
    assert ("zstd" in found.sizes) == is_tried


@pytest.mark.parametrize(
    ("key", "sound", "wrong"),
    [
        ("compression-level", ["-7", "22"], ["-8", "23"]),
        ("rle-threshold", ["0", "1"], ["-0.1", "1.1"]),
        ("dict-divisor", ["1", "2147483648"], ["0", "2147483649"]),
        ("dict-size-ratio", ["0", "1"], ["-0.1", "1.1"]),
        ("dict-values-compression-level", ["-7", "22"], ["-8", "23"]),
        ("minichunk-size", ["64", "32768"], ["63", "32769"]),
    ],
)
def test_numbers_in_metadata_have_limits(key: str, sound: list[str], wrong: list[str]) -> None:
    """An option in a field's metadata takes both ends of its range, and nothing beyond them."""
    for value in sound:
        field = pa.field("c", pa.int8(), metadata={f"lance-encoding:{key}": value})
        assert float(value) in {
            getattr(options_of(field, "c", "2.2"), name) for name in Options.__slots__
        }
    for value in wrong:
        field = pa.field("c", pa.int8(), metadata={f"lance-encoding:{key}": value})
        with pytest.raises(FormatError, match=rf"^schema\.c\.metadata\.lance-encoding:{key}: "):
            options_of(field, "c", "2.2")


@pytest.mark.parametrize(
    ("version", "codec", "bits"), [("2.1", None, {128}), ("2.2", "lz4", {64, 128})]
)
def test_dictionaries_of_version_2_2_are_of_more_and_compressed(
    version: str, codec: str | None, bits: set[int]
) -> None:
    """By default, version 2.2 has dictionaries of 64-bit values too, and compresses them by LZ4."""
    options = Options(version)
    assert options.dictionary_bits == frozenset(bits)
    assert options.is_large == (version == "2.2")
    assert (options.dictionary_codec and options.dictionary_codec.name) == codec


@pytest.mark.parametrize(
    ("width", "most"),
    [(1, 4096), (2, 2048), (4, 1024), (2046, 4), (2047, 2), (4092, 2), (4093, 1), (8192, 1)],
)
def test_a_chunk_has_fewer_than_8186_bytes_of_values(width: int, most: int) -> None:
    """A chunk holds the largest power of two of values that fits, from 1 to 4,096."""
    values = values_of(pa.array([bytes(width)], pa.binary(width)))
    assert values.most == most


PAIR = pa.struct({"x": pa.int32()})


@pytest.mark.parametrize(
    ("array", "path", "sizes"),
    [
        (pa.nulls(5, pa.int32()), [], []),
        (pa.array([{"x": None}, None], PAIR), [0], [0, 4]),
        (pa.array([[None], [None, None]], pa.list_(pa.int32())), [0], [6, 6]),
        (pa.array([[], []], pa.list_(pa.int32())), [0], [4, 4]),
    ],
)
def test_a_page_of_nulls_has_the_levels_that_it_needs(
    array: pa.Array, path: list[int], sizes: list[int]
) -> None:
    """A page of nulls stores no levels for a plain column, and both kinds for a nested one."""
    page, buffers = null_page(shred(array, path), Options("2.1"))
    assert page.HasField("constant_layout")
    assert [each.nbytes for each in buffers] == sizes
