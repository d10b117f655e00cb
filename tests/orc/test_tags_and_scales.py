"""Tags of unions and scales of decimals on which the library would crash or hang are refused.

Checks of runs are internal: few of their forms are in files that the library writes.
"""

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
from byteloom.orc.runs import check_scales, check_tags
from byteloom.orc.weights import StripeWeights
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from pathlib import Path


def check_written(table: pa.Table, **options: str) -> None:
    """Check the streams of a file that the library writes."""
    out = BytesIO()
    orc.write_table(table, out, **options)
    layout = OrcLayout(BytesSource(out.getvalue()), DEFAULT_LIMITS)
    StripeWeights(layout, 0, layout.types[0].subtypes, DEFAULT_LIMITS)


def tags_checked(*parts: bytes, inner: int = 2, most: int = 9) -> None:
    """Check the tags of a stream in parts."""
    check_tags(parts, inner, most, "c", 7)


@pytest.mark.parametrize("data", [b"\x06\x01", b"\xfd\x00\x01\x00\x03\x01", b""])
def test_tags_of_types_are_sound(data: bytes) -> None:
    """Tags below the number of types are taken, in runs and one by one, however they are split."""
    tags_checked(data)
    for at in range(len(data) + 1):
        tags_checked(data[:at], data[at:])


@pytest.mark.parametrize("data", [b"\x06\x02", b"\xfd\x00\x01\xff\x03\x01", b"\x00\x01\x00\x02"])
def test_tags_of_no_type_are_refused(data: bytes) -> None:
    """A tag that is not below the number of types is an error with the column and the tag."""
    said = r"^c at byte 7 \(0x7\): found a tag of (2|255), wanted tags below 2$"
    for at in range(len(data) + 1):
        with pytest.raises(FormatError, match=said):
            tags_checked(data[:at], data[at:])
    tags_checked(data, inner=256)


def test_tags_after_the_last_value_are_not_tags_checked() -> None:
    """Runs after the last value are ignored, in the same part of a stream and in later ones."""
    tags_checked(b"\x06\x01\x06\x02", b"\x06\x02")
    with pytest.raises(FormatError, match="a tag of 2"):
        tags_checked(b"\x06\x01\x06\x02", most=10)


@pytest.mark.parametrize("codec", ["uncompressed", "zstd"])
def test_tags_of_written_files_are_sound(codec: str) -> None:
    """Unions that the library writes, with runs of tags and single ones, pass."""
    tags = pa.array([at % 3 if at % 1_000 < 500 else 1 for at in range(5_000)], pa.int8())
    inner = [
        pa.array(range(5_000)),
        pa.array(["x"] * 5_000),
        pa.array([[at] for at in range(5_000)]),
    ]
    table = pa.table({"u": pa.UnionArray.from_sparse(tags, inner)})
    check_written(table, compression=codec)


@pytest.mark.parametrize(("tag", "count"), [(1, 0), (2, 1), (200, 1)])
def test_verify_reports_tags_of_no_type(tmp_path: Path, tag: int, count: int) -> None:
    """Verification of a file with a tag of no type is an error; it ended the process."""
    columns = [(TYPES.UNION, [2, 3]), (TYPES.LONG, []), (TYPES.LONG, [])]
    streams = [(1, "DATA", bytes([6, tag])), *((each, "DATA", same(1, 9)) for each in (2, 3))]
    path = tmp_path / "a.orc"
    path.write_bytes(orc_file(columns, 9, streams, kinds={1: "DIRECT"}))
    table = TableMaker(tmp_path / "t", [(9, "c9", "long")]).commit(File(path, 9)).open()
    found = [str(each) for each in table.verify()]
    assert len(found) == count
    assert all(f"found a tag of {tag}, wanted tags below 2" in each for each in found)


def scales_checked(*parts: bytes, version: int = 2, most: int = 9) -> None:
    """Check the scales of a stream in parts."""
    check_scales(parts, version, most, "c", 7)


def stored(value: int) -> bytes:
    """Return a number with its sign as the lowest bit."""
    return varint(folded(value))


@pytest.mark.parametrize("scale", [0, 4, 38, 255])
def test_scales_of_a_decimal_are_sound(scale: int) -> None:
    """Scales from 0 to 255 are left to the library, in runs of both versions."""
    scales_checked(same(scale, 9, signed=True))
    scales_checked(b"\x06\x00" + stored(scale), version=1)


@pytest.mark.parametrize("scale", [-1, -5, -(1 << 30), 256, 1 << 20, 1 << 62])
def test_scales_of_no_decimal_are_refused(scale: int) -> None:
    """A scale below 0 or beyond 255 is an error that names the column, and shows it."""
    shown = min(scale, 1 << 40)
    said = rf"^c at byte 7 \(0x7\): found a scale of {shown}, wanted scales from 0 to 38$"
    first, step = stored(scale), stored(scale - 4)
    runs = [b"\xc0\x08" + first + b"\0", b"\xc0\x01\x08" + step]
    for run in runs:
        with pytest.raises(FormatError, match=said):
            scales_checked(run)
        with pytest.raises(FormatError, match=said):
            scales_checked(run[:2], run[2:])
    with pytest.raises(FormatError, match=said):
        scales_checked(b"\x06\x00" + first, version=1)


def test_a_run_of_scales_that_does_not_end_is_refused() -> None:
    """A run of scales that is cut off, or has a number of more than 64 bits, is an error."""
    for run in (b"\xc0\x08", b"\xc0\x08" + b"\xff" * 12, b"\x0a"):
        with pytest.raises(FormatError, match=r"found a run of scales that does not end, wanted"):
            scales_checked(run)


def test_scales_after_the_last_value_are_not_scales_checked() -> None:
    """Runs after the last value are ignored, in the same part of a stream and in later ones."""
    scales_checked(same(4, 9, signed=True) + same(-1, 9, signed=True), b"\xc0", most=9)
    with pytest.raises(FormatError, match=r"found a scale of -1, wanted"):
        scales_checked(same(4, 9, signed=True) + same(-1, 9, signed=True), most=10)


@pytest.mark.parametrize("version", ["0.11", "0.12"])
@pytest.mark.parametrize("codec", ["uncompressed", "zstd"])
def test_scales_of_written_files_are_sound(version: str, codec: str) -> None:
    """Decimals that the library writes, in lists and with nulls too, pass."""
    values = pa.array([None, 1, 2] * 700, pa.int32()).cast(pa.decimal128(30, 4))
    lists = pa.ListArray.from_arrays(list(range(0, 2_101, 3)), values)
    table = pa.table({"d": values.slice(0, 700), "l": lists})
    check_written(table, file_version=version, compression=codec)


@pytest.mark.parametrize("precision", [9, 30])
def test_a_scan_of_scales_of_no_decimal_ends_with_an_error(tmp_path: Path, precision: int) -> None:
    """A scan of decimals with a scale below 0 ends with an error; it did not end."""
    streams = [(1, "DATA", b"\x06" * 9), (1, "SECONDARY", same(-1, 9, signed=True))]
    path = tmp_path / "a.orc"
    path.write_bytes(orc_file([(TYPES.DECIMAL, [])], 9, streams, digits={1: (precision, 4)}))
    columns = [(1, "c1", f"decimal({precision}, 4)")]
    table = TableMaker(tmp_path / "t", columns).commit(File(path, 9)).open()
    said = r"a\.orc: orc\.stripes\[0\]\.columns\[1\] at byte .*: found a scale of -1, wanted"
    with pytest.raises(FormatError, match=said):
        table.scan().to_table()
