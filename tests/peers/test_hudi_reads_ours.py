"""PyPI's `hudi` reads metadata tables that we write, blocks of awkward sizes included."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.corpus import corpus_cases

from byteloom import hfile
from byteloom.hfile import HFileWriter, sorted_cells

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER = "java/hudi"
CHUNK = 16_384
"""Bytes that share a checksum in files of other writers."""


def tables(folder: Path) -> Iterator[Any]:
    """Tables of Hudi, each a zip."""
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if "files" in entry["metadata_partitions"]:
            yield pytest.param(folder / entry["zip"], id=entry["name"])


def unpacked(place: Path, tmp_path: Path) -> Path:
    """The metadata table of a zipped table."""
    with zipfile.ZipFile(place) as archive:
        archive.extractall(tmp_path)
    (found,) = tmp_path.rglob(".hoodie/metadata/.hoodie")
    return found.parent


def rows(table: Path, name: str) -> pa.RecordBatch:
    """What `hudi` reads from a base file."""
    from hudi import HudiFileGroupReader

    return HudiFileGroupReader(base_uri=str(table)).read_file_slice_from_paths(name, [])


def base_files(table: Path) -> list[Path]:
    """Base files with cells in them."""
    return sorted(path for path in table.rglob("*.hfile") if path.stat().st_size)


@corpus_cases(FOLDER, tables)
@pytest.mark.parametrize("codec", ["GZ", "NONE"])
def test_base_files_written_anew(case: Path, codec: str, tmp_path: Path) -> None:
    """A rewritten base file of any partition gives `hudi` the same records as the original."""
    table = unpacked(case, tmp_path)
    for path in base_files(table):
        name = str(path.relative_to(table))
        try:
            theirs = rows(table, name)
        except BaseException as error:  # it panics on some that we read
            if type(error).__name__ not in {"HudiCoreError", "PanicException"}:
                raise
            continue
        with hfile.open(path) as file:
            cells = sorted_cells(file.read(["row", "value"]))
            in_order = file.is_in_order
            writer = HFileWriter(
                path, profile="hudi", compression=codec,
                file_info={b"schema": file.file_info[b"schema"]},
            )  # fmt: skip
            with writer:
                writer.write(cells)
        ours = rows(table, name)
        if not in_order:  # Hudi's own writer knows another order
            ours, theirs = ours.sort_by("key"), theirs.sort_by("key")
        assert ours.equals(theirs)


@corpus_cases(FOLDER, lambda folder: list(tables(folder))[:1])
@pytest.mark.parametrize("past", [-4, -3, -2, -1, 0, 1])
@pytest.mark.parametrize("chunks", [1, 2, 5])
def test_blocks_that_others_lose(case: Path, chunks: int, past: int, tmp_path: Path) -> None:
    """Blocks whose size is near a multiple of 16 KiB are read whole, where Hudi's are not."""
    table = unpacked(case, tmp_path)
    path = next(path for path in base_files(table) if path.parent.name == "files")
    with hfile.open(path) as file:
        schema = file.file_info[b"schema"]
        value = max(file.read(["value"])["value"].to_pylist(), key=len)
    size = chunks * CHUNK + past - 33
    keys = keys_that_fill(size, 8 + 12 + len(value) + 1)
    cells = pa.table({"key": keys, "value": [value] * len(keys)})
    with HFileWriter(
        path, profile="hudi", compression="NONE", file_info={b"schema": schema}
    ) as out:
        out.write(cells)
    with hfile.open(path) as file:
        (block,) = file.stored_blocks()
        assert block.header.len_data == chunks * CHUNK + past
    read = rows(table, str(path.relative_to(table)))
    assert read.num_rows == len(keys)
    assert read.column("key").to_pylist() == [key.decode() for key in keys]


def keys_that_fill(size: int, each: int) -> list[bytes]:
    """Keys for cells that take *size* bytes together, *each* of them with no key."""
    short = 8
    count = size // (each + short)
    lengths = [short] * count
    lengths[-1] += size - count * (each + short)
    keys = [b"k%07d" % number for number in range(count)]
    return [key + b"x" * (length - short) for key, length in zip(keys, lengths, strict=True)]


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """A write leaves no temporary file in its folder."""
    with HFileWriter(tmp_path / "a.hfile", profile="hudi") as writer:
        writer.add(b"key", b"value")
    assert [path.name for path in tmp_path.iterdir()] == ["a.hfile"]
