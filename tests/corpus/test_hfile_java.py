"""HFiles written by HBase itself: rows, trailers, file info and meta blocks; damage is reported."""

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

from byteloom import hfile
from byteloom.errors import ByteloomError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


FOLDER = "java/hfile"
HARMLESS = ("comparator under its 1.x name", "comparator RawBytesComparator of 0.9x")
"""What the corpus lists as damage, and is another form of the same."""

Case = tuple["Path", dict[str, Any]]


def lines(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Each file of the index, with what the index says of it."""
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        entry = json.loads(line)
        yield folder, entry


def whole(folder: Path) -> Iterator[Any]:
    """Files that nobody damaged."""
    for path, entry in lines(folder):
        if "damage" not in entry:
            yield pytest.param((path, entry), id=entry["path"])


def with_bloom(folder: Path) -> Iterator[Any]:
    """Files whose filters were asked."""
    for path, entry in lines(folder):
        if "bloom" in entry and "encryption" not in entry and "damage" not in entry:
            yield pytest.param((path, entry), id=entry["path"])


def listed(bloom: Any) -> list[dict[str, Any]]:
    """What the index says of each filter of a file."""
    return bloom if isinstance(bloom, list) else [bloom]


def damaged(folder: Path) -> Iterator[Any]:
    """Files in which one thing was changed."""
    for path, entry in lines(folder):
        if "damage" in entry:
            yield pytest.param((path, entry), id=entry["path"])


def rows_of(folder: Path, name: str, schema: pa.Schema) -> pa.Table:
    """The cells that a Parquet file lists."""
    return pq.read_table(folder / name).select(schema.names).cast(schema)


def as_bytes(name: str) -> bytes:
    """A name as HBase prints it, what is no ASCII in hex behind a backslash, as its bytes."""
    return re.sub(rb"\\x([0-9A-F]{2})", lambda hit: bytes.fromhex(hit[1].decode()), name.encode())


@corpus_cases(FOLDER, whole)
def test_the_cells_are_those_that_were_written(case: Case) -> None:
    """Cell by cell, tags and sequence numbers included; what cannot be read is refused by name.

    A file that HBase itself reads wrongly or not at all is read as it was written, or refused.
    """
    folder, entry = case
    if "encryption" in entry:
        with pytest.raises(Unsupported, match="encrypted"):
            hfile.open(folder / entry["path"])
        return
    try:
        with hfile.open(folder / entry["path"]) as file:
            table = file.read()
            assert file.verify() == table.num_rows
    except ByteloomError:
        assert entry["status"] != "ok"
        return
    assert table.equals(rows_of(folder, entry.get("truth") or entry["written"], table.schema))


@corpus_cases(FOLDER, whole)
def test_what_surrounds_the_cells_is_what_hbase_reads(case: Case) -> None:
    """Trailer, file info, meta blocks, and the number of blocks of each type."""
    folder, entry = case
    if entry["status"] != "ok" or "encryption" in entry:
        return
    with hfile.open(folder / entry["path"]) as file:
        trailer = dict(entry["trailer"])
        del trailer["comparator_class_name"]  # HBase's class, not what the file says
        none = (1 << 64) - 1
        for name, value in trailer.items():
            found = getattr(file.trailer, name)
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
    """Of the first, some middle and the last row, and of the rows from one to another."""
    folder, entry = case
    if entry["status"] != "ok" or "encryption" in entry:
        return
    with hfile.open(folder / entry["path"]) as file:
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


@corpus_cases(FOLDER, with_bloom)
def test_bloom_filters_answer_as_hbases(case: Case) -> None:
    """Every key listed, present or absent, passes here if and only if it passes there."""
    folder, entry = case
    with hfile.open(folder / entry["path"]) as file:
        for filter_, wanted in zip(file.bloom_filters, listed(entry["bloom"]), strict=True):
            for answer in wanted["present"] + wanted["absent"]:
                parts = [bytes.fromhex(each) for each in answer if isinstance(each, str)]
                key = filter_.key(*parts) if filter_.kind == "ROWCOL" else parts[0]
                assert filter_.passes(key) == answer[len(parts)], answer


@corpus_cases(FOLDER, damaged)
def test_damage_is_reported(case: Case) -> None:
    """With where, also where HBase reads on without complaint."""
    folder, entry = case
    if entry["damage"] in HARMLESS:
        with hfile.open(folder / entry["path"]) as file:
            table = file.read()
        assert table.equals(rows_of(folder, entry["truth"], table.schema))
        return
    with pytest.raises(ByteloomError) as refused, hfile.open(folder / entry["path"]) as file:
        file.verify()
    assert str(refused.value)
