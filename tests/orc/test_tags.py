"""Tags of unions that are of no type inside are refused."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import orc
from tests.support.iceberg_rows import File, TableMaker
from tests.support.orc_files import TYPES, orc_file, same

from byteloom.errors import FormatError
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.layout import OrcLayout
from byteloom.orc.runs import check_tags
from byteloom.orc.weights import StripeWeights
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from pathlib import Path


def checked(*parts: bytes, inner: int = 2, most: int = 9) -> None:
    """Check the tags of a stream in parts."""
    check_tags(parts, inner, most, "c", 7)


@pytest.mark.parametrize("data", [b"\x06\x01", b"\xfd\x00\x01\x00\x03\x01", b""])
def test_tags_of_types_are_sound(data: bytes) -> None:
    """Tags below the number of types are taken, in runs and one by one, however they are split."""
    checked(data)
    for at in range(len(data) + 1):
        checked(data[:at], data[at:])


@pytest.mark.parametrize("data", [b"\x06\x02", b"\xfd\x00\x01\xff\x03\x01", b"\x00\x01\x00\x02"])
def test_tags_of_no_type_are_refused(data: bytes) -> None:
    """A tag that is not below the number of types is an error with the column and the tag."""
    said = r"^c at byte 7 \(0x7\): found a tag of (2|255), wanted tags below 2$"
    for at in range(len(data) + 1):
        with pytest.raises(FormatError, match=said):
            checked(data[:at], data[at:])
    checked(data, inner=256)


def test_tags_after_the_last_value_are_not_checked() -> None:
    """Runs after the last value are ignored, in the same part of a stream and in later ones."""
    checked(b"\x06\x01\x06\x02", b"\x06\x02")
    with pytest.raises(FormatError, match="a tag of 2"):
        checked(b"\x06\x01\x06\x02", most=10)


@pytest.mark.parametrize("codec", ["uncompressed", "zstd"])
def test_tags_of_written_files_are_sound(codec: str) -> None:
    """Unions that the library writes, with runs of tags and single ones, pass."""
    tags = pa.array([at % 3 if at % 1_000 < 500 else 1 for at in range(5_000)], pa.int8())
    inner = [
        pa.array(range(5_000)),
        pa.array(["x"] * 5_000),
        pa.array([[at] for at in range(5_000)]),
    ]
    out = BytesIO()
    orc.write_table(pa.table({"u": pa.UnionArray.from_sparse(tags, inner)}), out, compression=codec)
    layout = OrcLayout(BytesSource(out.getvalue()), DEFAULT_LIMITS)
    StripeWeights(layout, 0, [1], DEFAULT_LIMITS)


@pytest.mark.parametrize(("tag", "count"), [(1, 0), (2, 1), (200, 1)])
def test_verify_reports_them(tmp_path: Path, tag: int, count: int) -> None:
    """Verification of a file with a tag of no type is an error; it ended the process."""
    columns = [(TYPES.UNION, [2, 3]), (TYPES.LONG, []), (TYPES.LONG, [])]
    streams = [(1, "DATA", bytes([6, tag])), *((each, "DATA", same(1, 9)) for each in (2, 3))]
    path = tmp_path / "a.orc"
    path.write_bytes(orc_file(columns, 9, streams, kinds={1: "DIRECT"}))
    table = TableMaker(tmp_path / "t", [(9, "c9", "long")]).commit(File(path, 9)).open()
    found = [str(each) for each in table.verify()]
    assert len(found) == count
    assert all(f"found a tag of {tag}, wanted tags below 2" in each for each in found)
