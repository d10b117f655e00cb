"""Parquet and ORC files by themselves: `inspect` and `verify`."""

from __future__ import annotations

import json
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from tests.support.cli import byteloom

from byteloom.cli.formats import explain
from byteloom.errors import ByteloomError
from byteloom.storage.sources import BytesSource
from byteloom.verification import Verdict, check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROWS = pa.table({"a": [1, 2, 3], "s": ["x", None, "z"], "l": [[1], [2, 3], None]})
KINDS = ["parquet", "orc", "plain.orc"]


@pytest.fixture(params=KINDS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a small file."""
    path = tmp_path / f"a.{request.param}"
    if request.param == "parquet":
        pq.write_table(ROWS, path, write_page_checksum=True, write_page_index=True)
    else:
        orc.write_table(
            ROWS, path, compression="zstd" if request.param == "orc" else "uncompressed"
        )
    return path


def verdict_of(data: bytes) -> Verdict:
    """Return the verdict on a file."""

    @contextmanager
    def opened(name: str) -> Iterator[BytesSource]:
        yield BytesSource(data, name)

    return check("a", opened=opened)


def test_a_sound_file_is_ok(file: Path) -> None:
    """The line says how many rows, parts and columns the file has."""
    part = "row group" if file.suffix == ".parquet" else "stripe"
    outcome = byteloom("verify", file)
    assert outcome.status == 0
    assert f" file, 3 rows, 1 {part}, 3 columns" in outcome.out


def test_a_file_without_rows_is_ok(tmp_path: Path) -> None:
    """Chunks without values are at offset 0 in pyarrow's files, which harms no reader."""
    pq.write_table(ROWS.slice(0, 0), tmp_path / "none.parquet")
    with pq.ParquetWriter(tmp_path / "group.parquet", ROWS.schema) as writer:
        writer.write_table(ROWS.slice(0, 0), row_group_size=1)
    for name in ("none.parquet", "group.parquet"):
        outcome = byteloom("verify", tmp_path / name)
        assert outcome.status == 0, outcome.out
        assert "0 rows" in outcome.out


def test_every_prefix_is_refused(file: Path) -> None:
    """A file that was cut off anywhere is not ok."""
    data = file.read_bytes()
    assert "ok" not in {verdict_of(data[:size]).status for size in range(len(data))}


def test_a_flipped_bit_never_escapes(file: Path) -> None:
    """Whatever bit is flipped, there is a verdict, and a report or an error of byteloom."""
    data, chance = file.read_bytes(), Random(1)
    for at in range(0, len(data), 3):
        damaged = bytearray(data)
        damaged[at] ^= 1 << chance.randrange(8)
        assert verdict_of(bytes(damaged)).status in {"ok", "damaged", "unreadable"}
        try:
            explain(BytesSource(bytes(damaged), "a"))
        except ByteloomError:
            continue


def test_the_tree_has_the_places_of_pages_and_streams(file: Path) -> None:
    """Each page of a Parquet file and each stream of an ORC file is a node with its place."""
    report = json.loads(byteloom("inspect", file, "--json").out)
    assert report["error"] is None
    names = {each["name"]: each for each in report["structure"]}
    if file.suffix == ".orc":
        assert names["stripes[0].streams[0]"]["offset"] == 3
        assert report["facts"]["rows"] == 3
        return
    pages = names["row_groups[0].columns[0]"]["children"]
    assert [each["name"] for each in pages] == ["pages[0]", "pages[1]"]
    assert pages[0]["offset"] == 4
    chunk = report["columns"][0]
    assert (chunk["codec"], chunk["min"], chunk["max"], chunk["nulls"]) == ("SNAPPY", 1, 3, 0)
    assert report["schema"][1]["logical_type"] == "STRING"


def test_a_page_that_fails_its_checksum_is_named(tmp_path: Path) -> None:
    """The error has the page, and the offset of the checksum in its header."""
    path = tmp_path / "a.parquet"
    pq.write_table(ROWS, path, write_page_checksum=True)
    data = bytearray(path.read_bytes())
    data[24] ^= 1
    error = verdict_of(bytes(data)).error
    assert str(error).startswith("row_groups[0].columns[0].pages[0].crc at byte 10 (0xa): found ")


def test_a_wrong_number_of_rows_is_named(tmp_path: Path) -> None:
    """The rows of the footer are those of its row groups."""
    path = tmp_path / "a.parquet"
    pq.write_table(ROWS, path)
    verdict = verdict_of(path.read_bytes().replace(b"\x16\x06\x19\x1c", b"\x16\x08\x19\x1c", 1))
    assert str(verdict.error).startswith("num_rows at byte ")
    assert str(verdict.error).endswith("found 4, wanted 3, the sum of all row groups")


def test_an_encrypted_file_is_unreadable() -> None:
    """A file with an encrypted footer is said to be one."""
    verdict = verdict_of(b"PARE" + bytes(20) + b"PARE")
    assert verdict.status == "unreadable"
    assert "found an encrypted Parquet file, wanted an unencrypted one" in verdict.summary
