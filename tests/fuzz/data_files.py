"""Data files of tables with damage in their structures: footers, page headers, streams, messages.

Damage keeps the size of a file, which its manifest states: there is room before the footer.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import orc
from tests.fuzz.iceberg import ReplacedFile
from tests.fuzz.orc_parts import damaged_orc, with_room
from tests.fuzz.parquet_parts import damaged_parquet, padded
from tests.fuzz.seeds import Seed
from tests.support.iceberg_rows import File, TableMaker, parquet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["orc_files", "parquet_files"]

_COUNT: Final = 30
_ROOM: Final = 4096
"""Bytes by which damage may make a file larger."""

_LIST: Final = {"type": "list", "element-id": 5, "element": "string", "element-required": False}
_MAP: Final = {
    "type": "map", "key-id": 9, "key": "string", "value-id": 10, "value": "int",
    "value-required": False,
}  # fmt: skip
_STRUCT: Final = {"type": "struct", "fields": [
    {"id": 7, "name": "x", "required": False, "type": "timestamp"},
    {"id": 8, "name": "y", "required": False, "type": "string"},
]}  # fmt: skip
_COLUMNS: Final[list[tuple[Any, ...]]] = [
    (1, "id", "long"), (2, "s", "string"), (3, "d", "double"), (4, "l", _LIST), (6, "t", _STRUCT),
    (11, "m", _MAP), (12, "c", "decimal(10, 2)"), (13, "w", "decimal(30, 4)"), (14, "b", "binary"),
    (15, "o", "boolean"), (16, "e", "date"), (17, "f", "float"), (18, "i", "int"),
    (19, "z", "timestamptz"),
]  # fmt: skip
_INNER: Final = {
    "l": [{"field-id": 5, "names": ["element", "item"]}],
    "t": [{"field-id": 7, "names": ["x"]}, {"field-id": 8, "names": ["y"]}],
    "m": [{"field-id": 9, "names": ["key"]}, {"field-id": 10, "names": ["value"]}],
}
_NAMES: Final = [
    {"field-id": number, "names": [name], "fields": _INNER.get(name, [])}
    for number, name, _ in _COLUMNS
]
_MAPPED: Final = {"schema.name-mapping.default": json.dumps(_NAMES)}

_PARQUET: Final[dict[str, dict[str, Any]]] = {
    "plain": {"compression": "none", "use_dictionary": False, "row_group_size": 11},
    "coded": {"compression": "snappy", "row_group_size": 11},
    "second": {"compression": "zstd", "data_page_version": "2.0"},
    "pages": {"compression": "gzip", "use_dictionary": False, "data_page_size": 100},
    "sums": {"compression": "none", "write_page_checksum": True},
    "deltas": {
        "use_dictionary": False,
        "column_encoding": {
            "s": "DELTA_BYTE_ARRAY",
            "id": "DELTA_BINARY_PACKED",
            "b": "DELTA_LENGTH_BYTE_ARRAY",
            "d": "BYTE_STREAM_SPLIT",
        },
    },
}
_ORC: Final[dict[str, dict[str, Any]]] = {
    "plain": {"compression": "uncompressed", "dictionary_key_size_threshold": 0},
    "coded": {"compression": "zstd", "dictionary_key_size_threshold": 1},
    "old plain": {"compression": "zstd", "file_version": "0.11"},
    "old coded": {
        "compression": "uncompressed",
        "dictionary_key_size_threshold": 1,
        "file_version": "0.11",
    },
}


def parquet_files(folder: Path) -> Iterator[Seed]:
    """Yield Parquet files, of a table of one and of one of four."""
    for name, options in _PARQUET.items():
        for count in (1, 4):
            root = folder / f"{name} {count}"
            paths = [root / "data" / f"{number}.parquet" for number in range(count)]
            for number, path in enumerate(paths):
                parquet(path, _rows(number), **options)
                path.write_bytes(padded(path.read_bytes(), _ROOM))
            damage = partial(damaged_parquet, room=_ROOM)
            yield _seed(root, paths, f"parquet {root.name}", damage)


def orc_files(folder: Path) -> Iterator[Seed]:
    """Yield ORC files, of a table of one each."""
    for name, options in _ORC.items():
        path = folder / name / "data" / "0.orc"
        path.parent.mkdir(parents=True)
        orc.write_table(_rows(0), path, **options)
        path.write_bytes(with_room(path.read_bytes(), _ROOM))
        yield _seed(folder / name, [path], f"orc {name}", damaged_orc)


def _seed(root: Path, paths: list[Path], name: str, damage: Any) -> Seed:
    """Return the first file of a table of some files."""
    maker = TableMaker(root, _COLUMNS, version=2, properties=_MAPPED)
    maker.commit(*(File(each, _COUNT) for each in paths))
    place = root / "metadata" / str(maker.open().metadata_location).rpartition("/")[2]
    data = paths[0].read_bytes()
    table = ReplacedFile(place, paths[0], data)
    return Seed(name, data, table.rows, table.findings, (damage,), counts=True)


def _rows(number: int) -> pa.Table:
    """Return rows of all types, with nulls."""
    chance, day = Random(number), datetime(2026, 1, 1, tzinfo=UTC)
    struct = pa.struct([("x", pa.timestamp("us")), ("y", pa.string())])
    made: dict[str, tuple[pa.DataType, Any]] = {
        "s": (pa.string(), lambda n: "t" * (n % 9) + str(n % 5)),
        "d": (pa.float64(), lambda n: n / 4),
        "l": (pa.list_(pa.string()), lambda n: ["e", None, "f"][: n % 4]),
        "t": (struct, lambda n: {"x": n, "y": f"y{n % 3}"}),
        "m": (pa.map_(pa.string(), pa.int32()), lambda n: [(f"k{at}", at) for at in range(n % 3)]),
        "c": (pa.decimal128(10, 2), lambda n: Decimal(n) / 100),
        "w": (pa.decimal128(30, 4), lambda n: Decimal(n) / 10_000),
        "b": (pa.binary(), lambda n: b"b" * (n % 4)),
        "o": (pa.bool_(), lambda n: n % 3 == 0),
        "e": (pa.date32(), lambda n: date(2026, 1, 1 + n % 9)),
        "f": (pa.float32(), lambda n: n / 8),
        "i": (pa.int32(), lambda n: n * n),
        "z": (pa.timestamp("us", "UTC"), lambda n: day + timedelta(seconds=n)),
    }
    columns = {"id": pa.array(range(_COUNT), pa.int64())}
    for name, (of, value) in made.items():
        values = [None if chance.random() < 0.15 else value(n) for n in range(_COUNT)]
        columns[name] = pa.array(values, of)
    return pa.table(columns)
