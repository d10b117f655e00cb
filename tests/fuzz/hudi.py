"""Tables of Hudi with every index, and log files."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from tests.fuzz.containers import damaged_avro, damaged_hfile, damaged_log
from tests.fuzz.mutations import damaged_json
from tests.fuzz.seeds import Seed
from tests.support import hudi_indexed
from tests.support.hudi_logs import COMMAND, DELETES, HFILE, PARQUET, ROWS
from tests.support.hudi_tables import HudiTable, record

from byteloom import hfile
from byteloom.cli.formats.hudi_log import explain
from byteloom.hfile import hudi_bloom
from byteloom.hudi import MetadataTable, audit
from byteloom.hudi.log_records import avro_values, deleted_keys
from byteloom.hudi.logs import MAGIC, BlockType, read_blocks
from byteloom.storage.sources import BytesSource
from byteloom.verification import Damage
from byteloom.verification.hudi_log import verify
from byteloom.wire import Folding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from random import Random

__all__ = ["log_files", "logs", "tables"]


def tables(folder: Path) -> Iterator[Seed]:
    """Yield every file of some tables: timelines, properties, definitions, base files, logs."""
    yield from _files(hudi_indexed.made().write(folder / "indexed"))
    for version in (6, 8):
        yield from _files(_grown(folder / f"version{version}", version))


def logs(folder: Path) -> Iterator[Seed]:
    """Yield log files with blocks of each type; and the filters of keys that Hudi keeps."""
    del folder
    for name, data in log_files().items():
        yield Seed(
            name,
            data,
            _log_rows,
            _log_findings,
            damages=(damaged_log,),
            denies=partial(_has_other_blocks, data),
        )
    for kind in ("SIMPLE", "DYNAMIC_V0"):
        text = hudi_bloom.build([b"key-%d" % each for each in range(30)], kind, num_entries=20)
        yield Seed(kind, text, partial(_bloom, kind=kind))


def log_files() -> dict[str, bytes]:
    """Return log files, by what is in them."""
    return {
        "rows": HFILE,
        "deletes": DELETES,
        "records": ROWS + DELETES + ROWS,
        "Parquet": PARQUET + ROWS,
        "all": HFILE + ROWS + DELETES + COMMAND + PARQUET,
    }


def _grown(root: Path, version: int) -> Path:
    """Return a table that has a base file and log files in its metadata table."""
    table = HudiTable(root, version)
    rows = {
        f"part{each}": record(2, filesystemMetadata={"a": {"size": 9, "isDeleted": False}})
        for each in range(3)
    }
    table.base("20260101000000000", rows)
    table.log("20260102000000000", rows, on="20260101000000000")
    table.log("20260103000000000", ["part2"], on="20260101000000000", version=2)
    return root


def _files(root: Path) -> Iterator[Seed]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.stat().st_size:
            data = path.read_bytes()
            read, check = partial(_rows, root, path), partial(_findings, root, path)
            # The properties alone say which indexes there are.
            counts = path.suffix != ".properties"
            name = str(path.relative_to(root))
            yield Seed(name, data, read, check, _damages(data), counts=counts)


def _damages(data: bytes) -> tuple[Callable[[Random, bytes], bytes], ...]:
    if data.startswith(b"Obj\1"):
        return (damaged_avro,)
    if data.startswith(b"{"):
        return (damaged_json,)
    return (damaged_hfile,) if data.startswith(b"DATABLK") else (damaged_log,)


def _table(root: Path, path: Path, data: bytes) -> MetadataTable:
    path.write_bytes(data)
    return MetadataTable.open(root)


def _rows(root: Path, path: Path, data: bytes) -> int:
    sound = path.read_bytes()
    try:
        table = _table(root, path, data)
        count = 0
        for partition in table.partitions:
            for rows in table.merged(partition):
                count += len(rows.keys)
        for each in table.partition_paths():
            table.files(each)
        if "record_index" in table.partitions:
            table.record_index(hudi_indexed.KEYS)
            table.column_stats()
            table.bloom_filters(hudi_indexed.PARTITION, [hudi_indexed.FILE])
            table.secondary_index("secondary_index_idx_rider", ["a", None])
        return count
    finally:
        path.write_bytes(sound)


def _findings(root: Path, path: Path, data: bytes) -> int:
    sound = path.read_bytes()
    try:
        found = audit(_table(root, path, data))
        json.dumps([str(each) for each in found.findings])
        return len(found.findings) + len(found.skipped)
    finally:
        path.write_bytes(sound)


def _log_rows(data: bytes) -> int:
    """Return how many blocks a log has, and records and deletes in them."""
    rows = 0
    for block in read_blocks(BytesSource(data)):
        rows += block.type != BlockType.CORRUPT
        if block.type == BlockType.AVRO_DATA:
            rows += len(avro_values(block))
        elif block.type == BlockType.DELETE:
            rows += len(deleted_keys(block))
        elif block.type == BlockType.HFILE_DATA:
            with hfile.open(block.content, protobuf_keys=True) as file:
                rows += file.num_rows
    return rows


def _has_other_blocks(sound: bytes, data: bytes) -> bool:
    """Return whether a log has bytes that are no block of a sound one; a shorter log is sound."""
    return not {*data.split(MAGIC)} <= {b"", *sound.split(MAGIC)}


def _log_findings(data: bytes) -> int:
    source = BytesSource(data)
    shown = explain(source, folding=Folding.none()).error
    try:
        verify(source)
    except Damage as damage:
        return len(damage.errors)
    assert shown is None, shown
    return 0


def _bloom(data: bytes, *, kind: str) -> int:
    found = hudi_bloom.HudiBloomFilter(data, kind)
    return int(found.might_contain([b"key-1"]).sum())
