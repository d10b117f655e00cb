"""Columns that ask for each encoding of values, and what they get in versions 2.1 and 2.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ASKED", "ENCODED", "SMALL", "WORDS", "asking", "encoded"]

_ROWS = 5_000
_NULLS = np.arange(_ROWS) % 9 == 0


def _few(count: int) -> np.ndarray:
    """Numbers in no order, of a given number of distinct ones."""
    return np.random.default_rng(count).integers(0, count, _ROWS)


def _words(count: int, size: int) -> list[str]:
    """Return this many texts of some words each."""
    words = np.array(["lorem", "ipsum", "dolor", "sit", "amet", "consectetur"])
    drawn = words[np.random.default_rng(size).integers(0, len(words), (count, size))]
    return [" ".join(each) for each in drawn.tolist()]


def _dictionary(items: pa.Array) -> pa.Array:
    """Numbers of items, some of which are null, and so are some of the numbers."""
    indices = pa.array(_few(len(items)).astype(np.uint8), mask=_NULLS)
    return pa.DictionaryArray.from_arrays(indices, items)


def _bytes(count: int) -> pa.Array:
    return pa.array([b"%016d" % each for each in _few(count).tolist()], pa.binary(16))


ENCODED: dict[str, tuple[Callable[[], pa.Array], str, str]] = {
    "large": (lambda: pa.array(_few(1 << 62)), "flat(64)", "flat(64)"),
    "bytes": (lambda: pa.array(_few(100).astype(np.uint8)), "inline", "inline"),
    "shorts": (lambda: pa.array(_few(30).astype(np.int16)), "inline", "inline"),
    "small": (lambda: pa.array(_few(1000).astype(np.int32)), "inline", "inline"),
    "small and null": (lambda: pa.array(_few(1000), mask=_NULLS), "inline", "inline"),
    "zeros and null": (
        lambda: pa.array(np.zeros(_ROWS, np.int64), mask=_NULLS),
        "inline",
        "inline",
    ),
    "runs": (lambda: pa.array(np.arange(_ROWS) // 100 << 40), "rle(", "rle("),
    "long runs": (lambda: pa.array(np.arange(_ROWS) // 2000 << 20, pa.int32()), "rle(", "rle("),
    "few numbers": (lambda: pa.array(_few(9) - 4 << 50), "flat(64)", "dictionary=general("),
    "few doubles": (lambda: pa.array(_few(9) / 7, mask=_NULLS), "flat(64)", "dictionary=general("),
    "few texts": (
        lambda: pa.array([f"text {each}" for each in _few(9).tolist()], mask=_NULLS),
        "dictionary=variable(",
        "dictionary=general(",
    ),
    "few large texts": (
        lambda: pa.array([f"text {each}" for each in _few(9).tolist()], pa.large_string()),
        "dictionary=variable(",
        "dictionary=general(",
    ),
    "few wide": (lambda: _bytes(9), "dictionary=flat(128)", "dictionary=general("),
    "few decimals": (
        lambda: pa.array(_few(9)).cast(pa.decimal128(30, 2)),
        "dictionary=flat(128)",
        "dictionary=general(",
    ),
    "one number": (lambda: pa.array(np.full(_ROWS, 7)), "rle(", "constant_layout"),
    "one wide": (lambda: pa.array([b"x" * 40] * _ROWS, pa.binary(40)), "flat(320)", "constant"),
    "one text": (lambda: pa.array(["the same"] * _ROWS), "dictionary=variable(", "constant"),
    "one large text": (
        lambda: pa.array(["the same"] * _ROWS, pa.large_string()),
        "dictionary=variable(",
        "constant_layout",
    ),
    "no text": (lambda: pa.array([""] * _ROWS), "dictionary=", "constant_layout"),
    "true": (lambda: pa.array([True] * _ROWS), "flat(1)", "constant_layout"),
    "words": (lambda: pa.array(_words(_ROWS, 5), mask=_NULLS), "fsst(values=variable(", "fsst("),
    "large words": (
        lambda: pa.array(_words(_ROWS, 5), pa.large_string()),
        "fsst(values=variable(offsets=flat(64)",
        "fsst(values=variable(offsets=flat(64)",
    ),
    "many words": (
        lambda: pa.array(["", None, *_words(_ROWS // 20, 60)]),
        "full_zip_layout(bits_rep=0, bits_def=1, bits_per_offset=32, value_compression=fsst(",
        "full_zip_layout(bits_rep=0, bits_def=1, bits_per_offset=32, value_compression=fsst(",
    ),
    "huge texts": (
        lambda: pa.array(["", None, *_words(9, 9000)]),
        "full_zip_layout(bits_rep=0, bits_def=1, bits_per_offset=32, value_compression=general(2",
        "full_zip_layout(bits_rep=0, bits_def=1, bits_per_offset=32, value_compression=general(2",
    ),
    "dictionary": (
        lambda: _dictionary(pa.array([f"item {n}" for n in range(9)])),
        "value_compression=inline_bitpacking(uncompressed_bits_per_value=8), dictionary=variable(",
        "value_compression=inline_bitpacking(uncompressed_bits_per_value=8), dictionary=general(",
    ),
    "dictionary with null": (
        lambda: _dictionary(pa.array([1, None, 3])),
        "dictionary=flat(64)",
        "dictionary=flat(64)",
    ),
    "rarely null": (
        lambda: pa.array(_few(1 << 62), mask=np.arange(_ROWS) % 2000 == 0),
        "def_compression=out_of_line_bitpacking(",
        "def_compression=rle(",
    ),
    "long lists": (
        lambda: pa.array([list(range(1700))] * 3, pa.list_(pa.int32())),
        "rep_compression=out_of_line_bitpacking(",
        "rep_compression=rle(",
    ),
}
"""For each column its values, and a part of how its page is encoded in each version."""


def encoded(name: str) -> pa.Table:
    """Return a table of one of `ENCODED`."""
    return pa.table({"c": ENCODED[name][0]()})


def asking(array: pa.Array, keys: dict[str, str]) -> pa.Table:
    """Return a table of a column whose field has metadata of the format's own."""
    metadata = {f"lance-encoding:{key.replace('_', '-')}": value for key, value in keys.items()}
    return pa.table([array], pa.schema([pa.field("c", array.type, metadata=metadata)]))


SMALL = pa.array(np.random.default_rng(3).integers(0, 1000, 5000))
WORDS = encoded("words")["c"].chunk(0)
NUMBERS = pa.array(np.arange(5000))
THREES = pa.array(np.arange(5000, dtype=np.uint32) // 3 * np.uint32(2654435761))
FLOATS = pa.array((np.arange(5000) / 7 + 1000).astype(np.float32))

ASKED: list[tuple[pa.Array, dict[str, str], str]] = [
    (SMALL, {"compression": "none"}, "value_compression=flat(64)"),
    (NUMBERS, {"compression": "zstd"}, "general(2, values=inline_bitpacking("),
    (WORDS, {"compression": "none"}, "value_compression=variable("),
    (WORDS, {"compression": "lz4"}, "general(1, values=variable("),
    (WORDS, {"compression": "zstd", "compression_level": "9"}, "general(2, level=9, values="),
    (WORDS[:9], {"compression": "fsst"}, "fsst("),
    (WORDS, {"compression": "zstd", "structural_encoding": "fullzip"}, "full_zip_layout(bits_"),
    (SMALL, {"structural_encoding": "fullzip"}, "full_zip_layout("),
    (pa.array(["x" * 300, "y"]), {"structural_encoding": "miniblock"}, "mini_block_layout"),
    (FLOATS, {"compression": "zstd", "bss": "on"}, "general(2, values=byte_stream_split("),
    (
        FLOATS[:1024],
        {"compression": "zstd", "bss": "on"},
        "general(2, values=byte_stream_split(",
    ),
    (FLOATS, {"compression": "zstd", "bss": "off"}, "general(2, values=flat(32)"),
    (THREES, {"rle_threshold": "0.3"}, "=flat(32)"),
    (THREES, {"rle_threshold": "0.4"}, "rle("),
]
"""Columns, the metadata of their fields, and a part of how their page is encoded."""
