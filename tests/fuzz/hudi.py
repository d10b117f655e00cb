"""Tables of Hudi with every index, and log files."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from tests.fuzz.containers import damaged_avro, damaged_hfile, damaged_log
from tests.fuzz.mutations import damaged_json
from tests.fuzz.seeds import Seed
from tests.support import hudi_indexed
from tests.support.hudi_tables import HudiTable, log_block, record

from byteloom.hfile import hudi_bloom
from byteloom.hudi import MetadataTable, audit
from byteloom.hudi.logs import read_blocks
from byteloom.storage.sources import BytesSource
from byteloom_generated.hfile.hudi_log import HeaderKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from random import Random

__all__ = ["logs", "tables"]


def tables(folder: Path) -> Iterator[Seed]:
    """Yield every file of some tables: timelines, properties, definitions, base files, logs."""
    yield from _files(hudi_indexed.made().write(folder / "indexed"))
    for version in (6, 8):
        yield from _files(_grown(folder / f"version{version}", version))


def logs(folder: Path) -> Iterator[Seed]:
    """Yield log files: rows, deletes, a rollback; and the filters of keys that Hudi keeps."""
    del folder
    headers = {HeaderKey.INSTANT_TIME: "20260101000000000"}
    rows = log_block({f"key-{each}": record(5) for each in range(9)}, headers)
    deletes = log_block(["key-1", "key-2"], headers)
    command = log_block(None, headers | {HeaderKey.TARGET_INSTANT_TIME: "20260101000000000"})
    for name, data in (("rows", rows), ("deletes", deletes), ("all", rows + deletes + command)):
        yield Seed(name, data, _blocks, damages=(damaged_log,))
    for kind in ("SIMPLE", "DYNAMIC_V0"):
        text = hudi_bloom.build([b"key-%d" % each for each in range(30)], kind, num_entries=20)
        yield Seed(kind, text, partial(_bloom, kind=kind))


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


def _blocks(data: bytes) -> int:
    return sum(1 for _ in read_blocks(BytesSource(data)))


def _bloom(data: bytes, *, kind: str) -> int:
    found = hudi_bloom.HudiBloomFilter(data, kind)
    return int(found.might_contain([b"key-1"]).sum())
