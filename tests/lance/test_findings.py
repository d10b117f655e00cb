"""What `verify` reports of metadata that rows can be read without, and what is not written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from byteloom import lance
from byteloom.errors import ArgumentError, FormatError
from byteloom.lance.findings import metadata_findings
from byteloom.verification import check

if TYPE_CHECKING:
    from pathlib import Path

ENCODING = b"/lance.encodings.ColumnEncoding"
TABLE = pa.table({"x": pa.array(range(1000)), "t": [f"t{each % 7}" for each in range(1000)]})
VERSIONS = ("2.0", "2.1", "2.2")


def _written(path: Path, version: str) -> bytearray:
    with lance.LanceWriter(path, TABLE.schema, version=version) as writer:
        writer.write(TABLE)
    return bytearray(path.read_bytes())


def _finding(path: Path, data: bytes | bytearray) -> tuple[str, object, str]:
    """Check that the rows of a damaged file are read; return what `verify` finds first."""
    path.write_bytes(data)
    with lance.open(path) as file:
        assert file.to_table() == TABLE
    verdict = check(str(path))
    assert verdict.status == "damaged"
    error = verdict.error
    assert isinstance(error, FormatError)
    return error.path, error.found, error.wanted


@pytest.mark.parametrize("version", VERSIONS)
def test_sound_files_have_no_findings(tmp_path: Path, version: str) -> None:
    """Nothing is wrong with files of byteloom."""
    _written(tmp_path / "a.lance", version)
    with lance.open(tmp_path / "a.lance") as file:
        assert metadata_findings(file) == []
    assert check(str(tmp_path / "a.lance")).status == "ok"


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("change", [1, -1, 1 << 54])
def test_another_place_of_the_columns_is_found(tmp_path: Path, version: str, change: int) -> None:
    """The footer's place of the first column is compared with the table of columns."""
    data = _written(tmp_path / "a.lance", version)
    right = int.from_bytes(data[-40:-32], "little")
    data[-40:-32] = (right + change).to_bytes(8, "little")
    found = _finding(tmp_path / "a.lance", data)
    assert found == ("footer.ofs_columns", right + change, f"{right}, where the first column is")


@pytest.mark.parametrize("version", VERSIONS)
def test_an_unknown_encoding_of_a_column_is_found(tmp_path: Path, version: str) -> None:
    """The name of the second column's encoding is reported when it is another."""
    data = _written(tmp_path / "a.lance", version)
    at = data.rindex(ENCODING)
    data[at + len(ENCODING) - 1] = ord("!")
    found = _finding(tmp_path / "a.lance", data)
    assert found == ("columns[1].encoding", f"{ENCODING.decode()[:-1]}!", ENCODING.decode())


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("tag", [0x1A, 0x22])
def test_a_column_without_encoding_is_found(tmp_path: Path, version: str, tag: int) -> None:
    """A column whose encoding is empty, or of an unknown kind, beside one that has an encoding."""
    data = _written(tmp_path / "a.lance", version)
    at = data.rindex(ENCODING) - 4  # key and size of `direct`, of `encoding`, of the name
    data[at - 2] = tag
    path, found, wanted = _finding(tmp_path / "a.lance", data)
    assert (path, found, wanted) == ("columns[1].encoding", "no encoding", ENCODING.decode())


@pytest.mark.parametrize("version", VERSIONS)
def test_a_kind_of_column_encoding_is_wanted(tmp_path: Path, version: str) -> None:
    """An encoding of a column that is not one of the known kinds is reported."""
    data = _written(tmp_path / "a.lance", version)
    at = data.rindex(ENCODING) + len(ENCODING)
    assert data[at : at + 4] == b"\x12\x02\x0a\x00"
    data[at + 2] = 0x2A
    path, found, _ = _finding(tmp_path / "a.lance", data)
    assert (path, found) == ("columns[1].encoding", "no kind of encoding")


def test_two_fields_of_one_name_are_found(tmp_path: Path) -> None:
    """Readers of others cannot select either of two columns of one name."""
    path = tmp_path / "a.lance"
    data = _written(path, "2.2")
    at = data.index(b"\x12\x01t")
    data[at + 2] = ord("x")
    path.write_bytes(data)
    error = check(str(path)).error
    assert "descriptor.schema: found two fields x" in str(error)


def test_buffers_of_two_columns_may_not_overlap(tmp_path: Path) -> None:
    """A buffer of the second column that begins inside of one of the first is reported."""
    path = tmp_path / "a.lance"
    with lance.LanceWriter(
        path, pa.schema({"x": pa.int64(), "y": pa.int64()}), version="2.0"
    ) as writer:
        writer.write(pa.table({"x": range(1000), "y": range(1000)}))
    data = path.read_bytes()
    with lance.open(path) as file:
        (first, size), (second, _) = (each.pages[0].buffers[0] for each in file.columns())
    assert (first, second) == (0, 8000)
    place = data.rindex(b"\x0a\x02\xc0\x3e")
    path.write_bytes(data[:place] + b"\x0a\x02\xb8\x3e" + data[place + 4 :])
    error = check(str(path)).error
    assert isinstance(error, FormatError)
    assert (error.path, error.found) == ("columns[1].pages[0].buffers[0]", 7992)
    assert error.wanted == f"at least {size}, where columns[0].pages[0].buffers[0] ends"


def test_two_fields_of_one_name_are_not_written(tmp_path: Path) -> None:
    """Lance's own reader does not read them, at the top or in a struct."""
    arrays = [pa.array([1]), pa.array([2])]
    pair = pa.StructArray.from_arrays(arrays, fields=[pa.field("x", pa.int64())] * 2)
    top = pa.Table.from_arrays(arrays, names=["x", "x"])
    for path, table in (("schema", top), ("schema.s", pa.table({"s": pair}))):
        with pytest.raises(ArgumentError) as refused:
            lance.LanceWriter(tmp_path / "a.lance", table.schema)
        assert (refused.value.path, refused.value.found) == (path, "two fields named 'x'")
        with pytest.raises(ArgumentError):
            lance.write_dataset(tmp_path / "d.lance", table)
        assert not [*tmp_path.iterdir()]
