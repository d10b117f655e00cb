"""Rewritten files of HBase have the same bytes, or with a codec the same blocks."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.support.corpus import corpus_cases
from tests.support.hfile_blooms import bloom_settings

from byteloom import hfile
from byteloom.errors import FormatError
from byteloom.hfile import BloomBuilder, HFileWriter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

FOLDER = "java/hfile"

_COMPUTED = (b"KEY_VALUE_VERSION", b"MAX_MEMSTORE_TS_KEY", b"DATA_BLOCK_ENCODING")
"""Of what follows from cells and settings, names that do not begin with ``hfile.``."""

Case = tuple["Path", dict[str, Any]]


def cases(folder: Path, statuses: tuple[str, ...]) -> Iterator[Any]:
    """Yield the files that are not damaged and have one of *statuses* by HBase."""
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        entry = json.loads(line)
        plain = "damage" not in entry and "encryption" not in entry
        if plain and entry["status"] in statuses:
            yield pytest.param((folder, entry), id=entry["path"])


def good(folder: Path) -> Iterator[Any]:
    """Yield the files of version 3 that HBase reads and that byteloom can write."""
    for case in cases(folder, ("ok",)):
        _, entry = case.values[0]
        if entry["trailer"]["major"] == 3:
            yield case


def rewritten(case: Case) -> tuple[bytes, bytes]:
    """Return a file's bytes, and those that byteloom writes for the same cells and settings."""
    folder, entry = case
    data = (folder / entry["path"]).read_bytes()
    table = pq.read_table(folder / (entry.get("truth") or entry["written"]))
    names = ["row", "family", "qualifier", "timestamp", "type", "value"]
    names += [name for name in ("mvcc", "tags") if entry[name]]
    out = io.BytesIO()
    with hfile.open(data) as file:
        info = dict(file.file_info)
        writer = HFileWriter(
            out,
            compression=entry["compression"], level=6 if entry["compression"] == "GZ" else None,
            encoding=entry["encoding"], block_size=entry["block_size"],
            checksum=entry["checksum"], bytes_per_checksum=entry["bytes_per_checksum"],
            tags=entry["tags"], mvcc=entry["mvcc"], compress_tags=entry["compress_tags"],
            index_block_max_size=entry["index_block_max_size"],
            index_block_min_entries=entry["index_block_min_entries"],
            is_meta=file.trailer.is_meta_order, blooms=blooms(file, entry, table),
            created_ms=int.from_bytes(info[b"hfile.CREATE_TIME_TS"], "big"),
            file_info={
                name: value for name, value in info.items()
                if (not name.startswith(b"hfile.") or b"BIGGEST" in name)
                and name not in _COMPUTED
            },
        )  # fmt: skip
        with writer:
            for name, each in zip(file.meta_names, file.meta_root.entries, strict=True):
                end = file.trailer.load_on_open_data_offset
                writer.put_meta(
                    name, file.blocks.payload(file.blocks.at(each.offset, each.size, end))
                )
            writer.write(table.select(names))
    return data, out.getvalue()


def blooms(file: hfile.HFile, entry: dict[str, Any], cells: pa.Table) -> list[BloomBuilder]:
    """Return builders with the settings of a file's filters, inferred from its cells."""
    made = []
    for bloom in file.bloom_filters:
        settings = bloom_settings(entry, bloom, cells, file.file_info)
        assert settings is not None
        made.append(BloomBuilder(bloom.kind, **settings))
    return made


def overfull(data: bytes, block_size: int) -> bool:
    """Return whether blocks go on where their cells take *block_size* bytes.

    HBase ends them there, at the next key, unless it is set to count encoded or compressed bytes.
    """
    with hfile.open(data) as file:
        path = file.tree.first() if len(file.root.entries) else None
        while path is not None:
            block = path.data_block()
            full = range(int(np.searchsorted(block.starts, block_size)), len(block))
            if any(block.key(number) != block.key(number - 1) for number in full):
                return True
            path = path.stepped(1)
    return False


def shape(data: bytes) -> tuple[Any, ...]:
    """Return what no codec changes: blocks by type and size, keys of the index, file info."""
    with hfile.open(data) as file:
        trailer = file.trailer
        blocks = [
            (block.type, block.header.len_uncompressed)
            for block in [*file.stored_blocks(), *file.on_open]
        ]
        return (
            blocks, [entry.key for entry in file.root.entries], dict(file.file_info),
            trailer.total_uncompressed_bytes, trailer.uncompressed_data_index_size,
            trailer.entry_count, trailer.comparator_class_name,
        )  # fmt: skip


@corpus_cases(FOLDER, good)
def test_files_written_anew(case: Case) -> None:
    """A rewritten file is HBase's: the same bytes without a codec, the same blocks with one.

    Where HBase counts other bytes than those of cells, blocks differ, and cells are the same.
    """
    theirs, ours = rewritten(case)
    if not overfull(theirs, case[1]["block_size"]):
        if case[1]["compression"] == "NONE":
            assert ours == theirs
        assert shape(ours) == shape(theirs)
    with hfile.open(ours) as file, hfile.open(theirs) as other:
        assert file.verify() == case[1]["scanned"]
        assert file.read().equals(other.read())


@corpus_cases(FOLDER, lambda folder: cases(folder, ("error", "garbled")))
def test_files_that_hbase_cannot_read(case: Case) -> None:
    """Rewriting a file that HBase wrote and cannot read back raises a `FormatError`."""
    with pytest.raises(FormatError, match=r"^[\w.\[\]]+( at byte \d+ .*)?: found "):
        rewritten(case)
