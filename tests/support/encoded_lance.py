"""Columns that ask for each encoding of values, and what they get in versions 2.1 and 2.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ENCODED", "encoded"]

_ROWS = 5_000
_NULLS = np.arange(_ROWS) % 9 == 0


def _few(count: int) -> np.ndarray:
    """Numbers of which there are only so many, in no order."""
    return np.random.default_rng(count).integers(0, count, _ROWS)


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
