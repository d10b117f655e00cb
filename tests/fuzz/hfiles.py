"""HFiles in all encodings and some codecs: levels of index, Bloom filters, tags, Hudi's form."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from tests.fuzz.containers import damaged_hfile
from tests.fuzz.seeds import Seed

from byteloom import hfile
from byteloom.hfile import HFileWriter
from byteloom.hfile.verify import audit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["seeds"]

_SMALL: dict[str, Any] = {
    "block_size": 300,
    "index_block_max_size": 90,
    "index_block_min_entries": 2,
}


def seeds(folder: Path) -> Iterator[Seed]:
    """Yield files of some 40 cells."""
    del folder
    for encoding in ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"):
        for options in ({}, {"tags": True}, {"compression": "GZ", **_SMALL}, _SMALL):
            data = written(encoding=encoding, bloom="ROW", **options)
            yield seed(f"{encoding} {options}", data)
    for codec in ("SNAPPY", "LZ4", "ZSTD", "BZIP2"):
        yield seed(codec, written(compression=codec))
    for bloom in ("ROWCOL", "DELETE_FAMILY"):
        yield seed(bloom, written(bloom=bloom, **_SMALL))
    yield seed("CRC32", written(checksum="CRC32"))
    yield seed("hudi", written(profile="hudi", compression="NONE"))


def seed(name: str, data: bytes) -> Seed:
    """Return the seed of a file."""
    return Seed(name, data, _rows, _findings, (damaged_hfile,), counts=True)


def written(bloom: str = "", **options: Any) -> bytes:
    """Return a file of 40 cells, written with these options."""
    out = io.BytesIO()
    is_hudi = options.get("profile") == "hudi"
    with HFileWriter(out, blooms=[bloom] if bloom else [], **options) as writer:
        if not is_hudi:
            writer.put_meta(b"bloomFilter", b"x" * 50)
        for row in range(20):
            for number in range(1 if is_hudi else 2):
                more: dict[str, Any] = {}
                if not is_hudi:
                    more = {"family": b"f", "qualifier": b"q%d" % number, "timestamp": 1000 + row}
                if bloom == "DELETE_FAMILY" and not number:
                    more |= {"type": 14, "qualifier": b""}
                if options.get("tags"):
                    more["tags"] = b"\0\3\1ab" if row % 2 else b""
                writer.add(b"row-%03d" % row, b"value-%d" % (row * 7), **more)
    return out.getvalue()


def _rows(data: bytes) -> int:
    with hfile.open(data) as file:
        table = file.read()
        table.validate(full=True)
        rows = table["row"].slice(0, 2).to_pylist()
        for row in rows:
            file.get(row)
        file.lookup(pa.array([*rows, b"absent"], pa.binary()))
        file.cursor()
        file.midkey() if table.num_rows else None
        for bloom in file.bloom_filters:
            bloom.may_contain(b"row-001")
        for name in file.meta_names:
            file.read_meta(name)
        return int(table.num_rows)


def _findings(data: bytes) -> int:
    return len(audit(data).findings)
