"""HFiles written by HBase have the cells and metadata that HBase reads; damage is reported."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.support.corpus import corpus_cases
from tests.support.hfile_blooms import bloom_settings

from byteloom import hfile
from byteloom.errors import ByteloomError, FormatError
from byteloom.hfile.verify import audit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


FOLDER = "java/hfile"
SMALLEST = 212
"""Bytes of a trailer: what is smaller has no place for anything."""

Case = tuple["Path", dict[str, Any]]


def lines(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield each file of the index, with what the index says of it."""
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        entry = json.loads(line)
        yield folder, entry


def whole(folder: Path) -> Iterator[Any]:
    """Yield the files that are not damaged."""
    for path, entry in lines(folder):
        if "damage" not in entry:
            yield pytest.param((path, entry), id=entry["path"])


def with_bloom(folder: Path) -> Iterator[Any]:
    """Yield the files with Bloom filters that HBase answered for."""
    for path, entry in lines(folder):
        if "bloom" in entry and "damage" not in entry:
            yield pytest.param((path, entry), id=entry["path"])


def encrypted(folder: Path) -> Iterator[Any]:
    """Yield the files that need a key."""
    for path, entry in lines(folder):
        if "encryption" in entry:
            yield pytest.param((path, entry), id=entry["path"])


def listed(bloom: Any) -> list[dict[str, Any]]:
    """Return what the index says of each filter of a file."""
    return bloom if isinstance(bloom, list) else [bloom]


def damaged(folder: Path) -> Iterator[Any]:
    """Yield the files in which one thing was changed."""
    for path, entry in lines(folder):
        if "damage" in entry:
            yield pytest.param((path, entry), id=entry["path"])


def opened(case: Case) -> hfile.HFile:
    """Open the file of a case, with the key of an encrypted one."""
    folder, entry = case
    key = bytes.fromhex(entry["master_key"]) if "encryption" in entry else None
    return hfile.open(folder / entry["path"], key=key)


def rows_of(folder: Path, name: str, schema: pa.Schema) -> pa.Table:
    """Return the cells that a Parquet file lists."""
    return pq.read_table(folder / name).select(schema.names).cast(schema)


def as_bytes(name: str) -> bytes:
    """Return the bytes of a name as HBase prints it, with bytes beyond ASCII as hex."""
    return re.sub(rb"\\x([0-9A-F]{2})", lambda hit: bytes.fromhex(hit[1].decode()), name.encode())


@corpus_cases(FOLDER, whole)
def test_the_cells_are_those_that_were_written(case: Case) -> None:
    """A file has the cells that were written, tags and sequence numbers included.

    A file that HBase itself reads wrongly or not at all is read as it was written, or refused.
    """
    folder, entry = case
    try:
        with opened(case) as file:
            table = file.read()
            assert file.verify() == table.num_rows
    except ByteloomError:
        assert entry["status"] != "ok"
        return
    assert table.equals(rows_of(folder, entry.get("truth") or entry["written"], table.schema))


@corpus_cases(FOLDER, whole)
def test_what_surrounds_the_cells_is_what_hbase_reads(case: Case) -> None:
    """Trailer, file info, meta blocks and the number of blocks are those that HBase reads."""
    _, entry = case
    if entry["status"] != "ok":
        return
    with opened(case) as file:
        trailer = dict(entry["trailer"])
        del trailer["comparator_class_name"]  # HBase's class, not what the file says
        none = (1 << 64) - 1
        for name, value in trailer.items():
            found = getattr(file.trailer, name)
            found = found.hex() if isinstance(found, bytes) else found
            assert found == (None if value in {-1, none} else value), name
        for name, wanted in entry["file_info"].items():
            value = file.file_info[as_bytes(name)]
            digest = f"sha256:{hashlib.sha256(value).hexdigest()}"
            assert wanted in {value.hex(), digest}, name
        metas = [
            {"name": name.hex(), "length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in ((name, file.read_meta(name)) for name in file.meta_names)
        ]
        assert metas == entry["meta_blocks"]
        blocks = Counter(block.type for block in [*file.stored_blocks(), *file.on_open])
        assert sum(blocks.values()) == sum(entry["blocks"].values())
        assert len(file.root.entries) == entry["root_index_entries"]


@corpus_cases(FOLDER, whole)
def test_a_lookup_gives_what_a_scan_gives(case: Case) -> None:
    """Lookups of the first, some middle and the last row, and of a range, agree with a scan."""
    _, entry = case
    if entry["status"] != "ok":
        return
    with opened(case) as file:
        table = file.read()
        rows = table["row"].unique().to_pylist()
        picked = [rows[at * (len(rows) - 1) // 5] for at in range(6)] if rows else []
        for row in picked:
            assert file.get(row).equals(table.filter(pc.field("row") == pc.scalar(row)))
            assert file.get(row + b"\1\2").num_rows == rows.count(row + b"\1\2")
        if picked and not file.trailer.is_meta_order:
            start, stop = picked[1], picked[4]
            found = pa.Table.from_batches(list(file.range(start, stop)), schema=table.schema)
            asked = (pc.field("row") >= pc.scalar(start)) & (pc.field("row") < pc.scalar(stop))
            assert found.equals(table.filter(asked))


@corpus_cases(FOLDER, encrypted)
def test_an_encrypted_file_needs_its_master_key(case: Case) -> None:
    """An encrypted file is refused by name without its master key, or with any other key."""
    folder, entry = case
    for key in (None, bytes(16), bytes.fromhex(entry["data_key"])):
        with pytest.raises(FormatError, match="encryption_key"):
            hfile.open(folder / entry["path"], key=key)
    with opened(case) as file:
        assert file.read().num_rows == entry["scanned"]


@corpus_cases(FOLDER, with_bloom)
def test_bloom_filters_answer_as_hbases(case: Case) -> None:
    """A key, present or absent, passes a Bloom filter if and only if it passes HBase's.

    With ROWCOL the same holds for the row alone.
    """
    _, entry = case
    with opened(case) as file:
        for filter_, wanted in zip(file.bloom_filters, listed(entry["bloom"]), strict=True):
            assert filter_.kind == wanted["type"]
            assert wanted["present"]
            assert wanted["absent"]
            for answer in wanted["present"] + wanted["absent"]:
                parts = [bytes.fromhex(each) for each in answer if isinstance(each, str)]
                stated = answer[len(parts) :]
                if filter_.kind == "ROWCOL":
                    found = [filter_.may_contain(*parts), filter_.may_contain(parts[0])]
                else:
                    found = [filter_.passes(parts[0])]
                assert found == stated, answer


@corpus_cases(FOLDER, with_bloom)
def test_columns_of_keys_are_answered_as_single_ones(case: Case) -> None:
    """A Bloom filter answers for many keys at once as it does for each of them."""
    _, entry = case
    with opened(case) as file:
        for filter_, wanted in zip(file.bloom_filters, listed(entry["bloom"]), strict=True):
            answers = (wanted["absent"] + wanted["present"])[::-1]
            rows = [bytes.fromhex(answer[0]) for answer in answers]
            is_rowcol = filter_.kind == "ROWCOL"
            names = [bytes.fromhex(answer[1]) if is_rowcol else b"" for answer in answers]
            found = filter_.might_contain(rows, names).tolist()
            assert found == list(map(filter_.may_contain, rows, names))


@corpus_cases(FOLDER, with_bloom)
def test_bloom_filters_are_built_as_hbase_builds_them(case: Case) -> None:
    """The same cells and settings give the same chunks, metadata and file info as HBase."""
    _, entry = case
    with opened(case) as file:
        cells = file.read(["row", "qualifier", "type"])
        for filter_ in file.bloom_filters:
            assert bloom_settings(entry, filter_, cells, file.file_info) is not None


def is_whole(folder: Path, entry: dict[str, Any]) -> bool:
    """Return whether a file has the bytes of the one it was made from, unchanged."""
    (base,) = (each["path"] for _, each in lines(folder) if each["case"] == entry["base"])
    given, whole = ((folder / str(each)).read_bytes() for each in (entry["path"], base))
    return given == whole


@corpus_cases(FOLDER, damaged)
def test_damage_is_reported(case: Case) -> None:
    """A damaged file gives an error or the rows that HBase reads, and an audit reports it.

    Where reading fails the audit has findings, with a place; a habit of old writers is a note.
    """
    folder, entry = case
    found = audit(folder / entry["path"])
    try:
        with hfile.open(folder / entry["path"]) as file:
            table = file.read()
            file.verify()
    except ByteloomError:
        assert any(each.offset is not None for each in found.findings) or entry["size"] < SMALLEST
    else:
        assert table.equals(rows_of(folder, entry["truth"], table.schema))
        assert found.findings or found.notes or is_whole(folder, entry)


@corpus_cases(FOLDER, whole)
def test_what_nobody_damaged_has_no_finding(case: Case) -> None:
    """An audit of a sound file has no finding, and one of a file that HBase garbled has some."""
    folder, entry = case
    key = bytes.fromhex(entry["master_key"]) if "encryption" in entry else None
    found = audit(folder / entry["path"], key=key)
    if entry["status"] == "ok":
        assert [str(error) for error in found.findings] == []
        assert found.cells == entry["scanned"]
        assert len(found.blocks) == sum(entry["blocks"].values())
