"""Scales of decimals with which the library would never end are refused."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import orc
from tests.support.iceberg_rows import File, TableMaker
from tests.support.orc_files import TYPES, orc_file, same
from tests.support.varints import folded, varint

from byteloom.errors import FormatError
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.layout import OrcLayout
from byteloom.orc.runs import check_scales
from byteloom.orc.weights import StripeWeights
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from pathlib import Path


def checked(*parts: bytes, version: int = 2, most: int = 9) -> None:
    """Check the scales of a stream in parts."""
    check_scales(parts, version, most, "c", 7)


def stored(value: int) -> bytes:
    """Return a number with its sign as the lowest bit."""
    return varint(folded(value))


@pytest.mark.parametrize("scale", [0, 4, 38, 255])
def test_scales_of_a_decimal_are_sound(scale: int) -> None:
    """Scales from 0 to 255 are left to the library, in runs of both versions."""
    checked(same(scale, 9, signed=True))
    checked(b"\x06\x00" + stored(scale), version=1)


@pytest.mark.parametrize("scale", [-1, -5, -(1 << 30), 256, 1 << 20, 1 << 62])
def test_other_scales_are_refused(scale: int) -> None:
    """A scale below 0 or beyond 255 is an error that names the column, and shows it."""
    shown = min(scale, 1 << 40)
    said = rf"^c at byte 7 \(0x7\): found a scale of {shown}, wanted scales from 0 to 38$"
    first, step = stored(scale), stored(scale - 4)
    runs = [b"\xc0\x08" + first + b"\0", b"\xc0\x01\x08" + step]
    for run in runs:
        with pytest.raises(FormatError, match=said):
            checked(run)
        with pytest.raises(FormatError, match=said):
            checked(run[:2], run[2:])
    with pytest.raises(FormatError, match=said):
        checked(b"\x06\x00" + first, version=1)


def test_a_run_that_does_not_end_is_refused() -> None:
    """A run of scales that is cut off, or has a number of more than 64 bits, is an error."""
    for run in (b"\xc0\x08", b"\xc0\x08" + b"\xff" * 12, b"\x0a"):
        with pytest.raises(FormatError, match=r"found a run of scales that does not end, wanted"):
            checked(run)


def test_scales_after_the_last_value_are_not_checked() -> None:
    """Runs after the last value are ignored, in the same part of a stream and in later ones."""
    checked(same(4, 9, signed=True) + same(-1, 9, signed=True), b"\xc0", most=9)
    with pytest.raises(FormatError, match=r"found a scale of -1, wanted"):
        checked(same(4, 9, signed=True) + same(-1, 9, signed=True), most=10)


@pytest.mark.parametrize("version", ["0.11", "0.12"])
@pytest.mark.parametrize("codec", ["uncompressed", "zstd"])
def test_scales_of_written_files_are_sound(version: str, codec: str) -> None:
    """Decimals that the library writes, in lists and with nulls too, pass."""
    values = pa.array([None, 1, 2] * 700, pa.int32()).cast(pa.decimal128(30, 4))
    lists = pa.ListArray.from_arrays(list(range(0, 2_101, 3)), values)
    out = BytesIO()
    table = pa.table({"d": values.slice(0, 700), "l": lists})
    orc.write_table(table, out, file_version=version, compression=codec)
    layout = OrcLayout(BytesSource(out.getvalue()), DEFAULT_LIMITS)
    StripeWeights(layout, 0, layout.types[0].subtypes, DEFAULT_LIMITS)


@pytest.mark.parametrize("precision", [9, 30])
def test_a_scan_ends_with_an_error(tmp_path: Path, precision: int) -> None:
    """A scan of decimals with a scale below 0 ends with an error; it did not end."""
    streams = [(1, "DATA", b"\x06" * 9), (1, "SECONDARY", same(-1, 9, signed=True))]
    path = tmp_path / "a.orc"
    path.write_bytes(orc_file([(TYPES.DECIMAL, [])], 9, streams, digits={1: (precision, 4)}))
    columns = [(1, "c1", f"decimal({precision}, 4)")]
    table = TableMaker(tmp_path / "t", columns).commit(File(path, 9)).open()
    said = r"a\.orc: orc\.stripes\[0\]\.columns\[1\] at byte .*: found a scale of -1, wanted"
    with pytest.raises(FormatError, match=said):
        table.scan().to_table()
