"""Iceberg tables of all file formats, with deletes; and Avro containers by themselves."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import fastavro
import pyarrow as pa
from pyarrow import orc
from tests.fuzz.containers import (
    damaged_avro,
    damaged_puffin,
    damaged_tail,
    has_wrong_sum,
    record_count,
)
from tests.fuzz.mutations import damaged_json
from tests.fuzz.seeds import Seed
from tests.support.iceberg_manifests import CODECS, container, entry, manifest
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

from byteloom.cli.formats.avro import explain
from byteloom.errors import ByteloomError
from byteloom.iceberg.table import open_table
from byteloom.storage.sources import BytesSource
from byteloom.verification.avro import verify
from byteloom.wire import Folding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from random import Random

    from byteloom.iceberg.table import Table

__all__ = ["containers", "damages_of", "made", "tables"]

_COLUMNS: Final[list[tuple[Any, ...]]] = [
    (1, "id", "long"),
    (2, "s", "string"),
    (3, "d", "double"),
    (4, "l", {"type": "list", "element-id": 5, "element": "int", "element-required": False}),
    (6, "t", {"type": "struct", "fields": [
        {"id": 7, "name": "x", "required": False, "type": "timestamp"},
    ]}),
]  # fmt: skip
_NAMES: Final = [
    {"field-id": 1, "names": ["id"]},
    {"field-id": 2, "names": ["s"]},
    {"field-id": 3, "names": ["d"]},
    {"field-id": 4, "names": ["l"], "fields": [{"field-id": 5, "names": ["element", "item"]}]},
    {"field-id": 6, "names": ["t"], "fields": [{"field-id": 7, "names": ["x"]}]},
]
_MAPPED: Final = {"schema.name-mapping.default": json.dumps(_NAMES)}
_COUNT: Final = 30

_DATA: Final = ("parquet", "orc", "avro")
"""The parts that are data files."""

_GONE: Final = 7
"""The id that the equality deletes name, in each data file once."""

_LARGE: Final = 1 << 15
"""Bytes of metadata whose schemas are decoded before the rest."""

_PARTS: Final = {
    "manifest": "metadata/*-m.avro",
    "list": "metadata/snap-*.avro",
    "metadata": "metadata/*.json",
    "parquet": "data/*.parquet",
    "orc": "data/*.orc",
    "avro": "data/*.avro",
    "deletes": "deletes/*",
}
"""The files of each part of a table."""

_TABLES: Final = (
    "metadata_log_entries",
    "snapshots",
    "files",
    "entries",
    "partitions",
    "all_files",
)
"""Metadata tables that are read too."""


def containers(folder: Path) -> Iterator[Seed]:
    """Yield Avro containers in all codecs: manifests, and records of all types."""
    del folder
    entries = [entry(each) for each in range(9)]
    for codec in CODECS:
        data = manifest(entries, codec=codec, block=4)
        yield Seed(f"manifest {codec}", data, _container, damages=(damaged_avro,))
    for codec in ("null", "deflate"):
        data = container([_RECORDS[:2], _RECORDS[2:]], _RECORD, codec=codec)
        yield Seed(f"records {codec}", data, _container, damages=(damaged_avro,))


def tables(folder: Path, part: str) -> Iterator[Seed]:
    """Yield the files of a *part* of tables of version 2 and 3."""
    for version in (2, 3):
        root = folder / f"{part}{version}"
        place = made(root, version)
        for path in sorted(root.glob(_PARTS[part])):
            if part == "metadata" and path != place:
                continue
            data = path.read_bytes()
            table = ReplacedFile(place, path, data, adds_gone=part in _DATA)
            name = f"v{version} {path.name}"
            # A value of a delete file that became another deletes other rows, and nothing says so.
            if part == "deletes":
                denies = partial(_is_denied, data)
                yield Seed(name, data, table.rows, table.findings, damages_of(data), denies=denies)
            else:
                yield Seed(name, data, table.rows, table.findings, damages_of(data), counts=True)
            if part == "metadata":
                table = ReplacedFile(place, path, data, space=_LARGE)
                name = f"large {name}"
                yield Seed(name, data, table.rows, table.findings, damages_of(data), counts=True)


class ReplacedFile:
    """A table of which one file, with some space after it, is replaced while it is read."""

    def __init__(
        self, place: Path, path: Path, sound: bytes, *, space: int = 0, adds_gone: bool = False
    ) -> None:
        self._place, self._path, self._sound = place, path, sound
        self._space, self._adds_gone = b" " * space, adds_gone

    def rows(self, data: bytes) -> int:
        """Return how many rows a scan gives; read metadata tables and a filtered scan too.

        A value of a data file that became the one that is deleted takes its row away, which
        contradicts nothing: rows with that value before the deletes are added.
        """
        self._path.write_bytes(data + self._space)
        try:
            table = open_table(self._place)
            found = table.scan().to_table(threads=1)
            found.validate(full=True)
            table.scan("id > 5 and s is not null").to_table(threads=1)
            table.metadata_table(_TABLES[len(data) % len(_TABLES)])
            return int(found.num_rows) + (_with_gone(table) if self._adds_gone else 0)
        finally:
            self._path.write_bytes(self._sound)

    def findings(self, data: bytes) -> int:
        """Return how many findings there are."""
        self._path.write_bytes(data + self._space)
        try:
            return len(open_table(self._place).verify())
        finally:
            self._path.write_bytes(self._sound)


def _with_gone(table: Table) -> int:
    """Return how many rows had the deleted value before anything was deleted."""
    scan = table.scan(columns=["id"], snapshot=table.snapshots[0].snapshot_id)
    ids: list[int | None] = scan.to_table(threads=1).column("id").to_pylist()
    return ids.count(_GONE)


def _is_denied(sound: bytes, data: bytes) -> bool:
    """Whether a delete file has another length, another count, or a vector of another checksum."""
    if len(data) != len(sound):
        return True  # than its manifest says
    if sound.startswith(b"Obj\1"):
        return record_count(data) not in {None, record_count(sound)}
    return has_wrong_sum(data)


def damages_of(data: bytes) -> tuple[Callable[[Random, bytes], bytes], ...]:
    """Return the ways of damaging a file of its kind that keep its outside whole."""
    for start, damage in (
        (b"Obj\1", damaged_avro),
        (b"{", damaged_json),
        (b"PFA1", damaged_puffin),
        (b"PAR1", damaged_tail),
        (b"ORC", damaged_tail),
    ):
        if data.startswith(start):
            return (damage,)
    return ()


def made(root: Path, version: int) -> Path:
    """Write a table with deletes of all kinds; return the place of its metadata."""
    maker = TableMaker(root, _COLUMNS, version=version, properties=_MAPPED)
    data, deletes = root / "data", root / "deletes"
    data.mkdir(parents=True)
    deletes.mkdir()
    rows = _rows(0)
    files = [
        parquet(data / "plain.parquet", rows, compression="none", use_dictionary=False),
        parquet(data / "coded.parquet", rows, compression="snappy", row_group_size=11),
        _orc(data / "plain.orc", rows, "uncompressed"),
        _orc(data / "packed.orc", rows, "zstd"),
        _avro(data / "plain.avro", rows, "null"),
        _avro(data / "packed.avro", rows, "deflate"),
    ]
    maker.commit(*files)
    if version == 2:
        gone = position_deletes(deletes / "positions.parquet", [(files[0].path, 3)])
    else:
        (gone,) = deletion_vectors(deletes / "vectors.puffin", {files[0].path: [3, 4]})
    few = rows.slice(_GONE, 1).select(["id"])
    equal = [
        parquet(deletes / "equal.parquet", few),
        _orc(deletes / "equal.orc", few, "uncompressed"),
        _avro(deletes / "equal.avro", few, "null"),
    ]
    maker.commit(gone, *(File(each.path, 1, content=2, equality_ids=[1]) for each in equal))
    place = maker.open().metadata_location
    return _with_totals(root / "metadata" / str(place).rpartition("/")[2])


def _with_totals(place: Path) -> Path:
    """Add the totals of files and rows to the summary of the current snapshot."""
    metadata = json.loads(place.read_text())
    table = open_table(place)
    files = table.metadata_table("files").to_pylist()
    data = [each for each in files if not each["content"]]
    metadata["snapshots"][-1]["summary"] |= {
        "total-data-files": str(len(data)),
        "total-delete-files": str(len(files) - len(data)),
        "total-records": str(sum(each["record_count"] for each in data)),
    }
    place.write_text(json.dumps(metadata))
    return place


def _rows(first: int) -> pa.Table:
    numbers = range(first, first + _COUNT)
    return arrow(
        {
            (1, "id"): pa.array(numbers, pa.int64()),
            (2, "s"): pa.array([None if n % 7 == 1 else f"text-{n % 5}" for n in numbers]),
            (3, "d"): pa.array([n / 4 for n in numbers]),
            (4, "l"): pa.array([list(range(n % 4)) for n in numbers], pa.list_(pa.int32())),
            (6, "t"): pa.array([{"x": n} for n in numbers], pa.struct([("x", pa.timestamp("us"))])),
        }
    )


def _orc(path: Path, rows: pa.Table, compression: str) -> File:
    orc.write_table(rows, path, compression=compression)
    return File(path, rows.num_rows)


def _avro(path: Path, rows: pa.Table, codec: str) -> File:
    kinds: dict[str, Any] = {
        "id": "long",
        "s": "string",
        "d": "double",
        "l": {"type": "array", "items": ["null", "int"]},
        "t": {"type": "record", "name": "r6", "fields": [
            {"name": "x", "type": ["null", {"type": "long", "logicalType": "timestamp-micros",
                                            "adjust-to-utc": False}]},
        ]},
    }  # fmt: skip
    fields = [{"name": name, "type": ["null", kinds[name]]} for name in rows.column_names]
    schema = {"type": "record", "name": "row", "fields": fields}
    with path.open("wb") as out:
        fastavro.writer(out, schema, rows.to_pylist(), codec=codec, sync_interval=400)
    return File(path, rows.num_rows)


def _container(data: bytes) -> int:
    """Read a container in both ways of the command line."""
    source = BytesSource(data)
    report = explain(source, folding=Folding.none())
    if isinstance(report.error, ByteloomError):
        raise report.error
    verify(source)
    return 0


_RECORD: Final[dict[str, Any]] = {
    "type": "record",
    "name": "all",
    "fields": [
        {"name": "a", "type": ["null", "long"]},
        {"name": "b", "type": {"type": "map", "values": "string"}},
        {"name": "c", "type": {"type": "array", "items": "bytes"}},
        {"name": "d", "type": {"type": "enum", "name": "e", "symbols": ["X", "Y"]}},
        {"name": "e", "type": {"type": "fixed", "name": "f", "size": 3}},
        {"name": "f", "type": "boolean"},
        {"name": "g", "type": ["double", "float", "int"]},
    ],
}
_RECORDS: Final[list[dict[str, Any]]] = [
    {"a": n, "b": {"k": "v" * n}, "c": [b"1"] * n, "d": "X", "e": b"abc", "f": True, "g": 1.5}
    for n in range(6)
]
