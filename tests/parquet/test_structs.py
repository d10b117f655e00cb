"""Structs of Parquet's footers are parsed by the spec's tables of their fields."""

from __future__ import annotations

import numpy as np
import pytest

from byteloom.kernels.parquet_structs import (
    BOUND,
    ENCRYPTED,
    END,
    FIELDS,
    HISTOGRAM,
    IS_PLAIN,
    OTHERS,
    TEXT_SIZE,
    TYPE,
    UNKNOWN_CODEC,
    VALUES,
    chunk_at,
    layout,
    take_struct,
)

INT64 = [2, 8, 0, 1]
TEXT = [6, -1, 0, 1]


def chunk(meta: str, around: str = "") -> bytes:
    """Return a column chunk, in Thrift's compact protocol, with these fields of its metadata."""
    return bytes.fromhex(f"3c {meta} 00 {around} 00")


@pytest.mark.parametrize(
    ("meta", "leaf", "code"),
    [
        ("15 04", INT64, 0),
        ("15 0c", INT64, TYPE),
        ("18 01 61", INT64, 0),  # field 1 as bytes, which no reader takes for a type
        ("cc 18 02 61 62 00", INT64, BOUND),
        ("cc 18 02 61 62 00", TEXT, 0),
        ("cc 58 08 6161616161616161 00", INT64, 0),
        ("0c 20 16 02 00", INT64, TEXT_SIZE),
        ("0c 20 16 02 00", TEXT, 0),
        ("0c 20 39 26 02 02 00", INT64, 0),
        ("0c 20 39 36 02 02 02 00", INT64, HISTOGRAM),
        ("45 0e", INT64, 0),
        ("45 10", INT64, UNKNOWN_CODEC),
        ("45 06", INT64, UNKNOWN_CODEC),
        ("45 01", INT64, UNKNOWN_CODEC),
        ("45 22 8c 18 02 61 62 00", INT64, BOUND),
    ],
)
def test_a_chunk_is_compared_with_its_leaf(meta: str, leaf: list[int], code: int) -> None:
    """A chunk has the type, bounds, histograms and text sizes of its leaf, and a known codec."""
    data = np.frombuffer(chunk(meta), np.uint8)
    found = chunk_at(data, 0, np.array(leaf, np.int64), np.zeros(FIELDS, np.int64))
    assert tuple(map(int, found)) == (code, len(data))


@pytest.mark.parametrize(("around", "code"), [("5c 00", ENCRYPTED), ("6c 00", 0)])
def test_fields_around_the_metadata_make_a_chunk_unusual(around: str, code: int) -> None:
    """A chunk with encryption keys is refused, and one with unknown fields is not plain."""
    data, here = np.frombuffer(chunk("56 0e", around), np.uint8), np.zeros(FIELDS, np.int64)
    assert int(chunk_at(data, 0, np.array(INT64, np.int64), here)[0]) == code
    assert (int(here[VALUES]), bool(here[IS_PLAIN])) == (7, bool(code))


def test_a_layout_says_what_is_taken() -> None:
    """A layout takes numbers, sizes of bytes, and offsets of structs, and counts other fields."""
    paths = {"type": 1, "meta_data" + END: 2, "meta_data": 3, "meta_data.codec": 4, "file_path": 5}
    paths = {path: slot for path, slot in paths.items() if path != "type"}
    data = np.frombuffer(bytes.fromhex("18 03 616263 2c 45 04 00 15 02 00"), np.uint8)
    found = np.zeros(6, np.int64)
    assert int(take_struct(data, 0, layout("ColumnChunk", paths), found)) == len(data)
    assert found.tolist() == [1, 0, 9, 6, 2, 3]
    assert found[OTHERS] == 1


def test_a_layout_of_a_name_that_the_spec_lacks_is_refused() -> None:
    """Making a layout of a field that the spec does not have raises a `KeyError`."""
    with pytest.raises(KeyError, match="num_valuez"):
        layout("ColumnChunk", {"meta_data.num_valuez": 1})
