"""Files of up to 1 MB of every format, and commands on them: the first minute with byteloom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from tests.support.cli import byteloom
from tests.support.hfile_cells import regular
from tests.support.hudi_indexed import made
from tests.support.iceberg_fixtures import ManyFiles, write_many_files
from tests.support.iceberg_rows import File, TableMaker
from tests.support.iceberg_writer import FolderCatalog

from byteloom.hfile import HFileWriter

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["COMMANDS", "write_small_files"]

COMMANDS = {
    "inspect HFile": "inspect small",
    "verify HFile": "verify small",
    "verify HFile, 1 MB": "verify plain",
    "hfile get": "hfile get small row-0000000001",
    "hfile get, packed": "hfile get packed row-0000000001",
    "hfile scan": "hfile scan small",
    "hfile scan, 1 MB": "hfile scan plain -f -o x.parquet",
    "hfile scan, packed": "hfile scan packed -f -o x.parquet",
    "hfile scan, 1 cell": "hfile scan plain --limit 1",
    "table info": "table info table",
    "table plan": "table plan table",
    "table plan, 1 MB": "table plan many/many-files-8000-2-64000-deflate-7",
    "table scan": "table scan table --limit 10",
    "table scan, Avro": "table scan avro/metadata/v1.metadata.json",
    "verify table": "verify table",
    "hudi files": "hudi files hudi",
    "puffin ndv": "puffin ndv rows.parquet -f -o x.puffin",
    "inspect Puffin": "inspect rows.puffin",
}
"""Command lines to run in the folder of the files, by what they show."""


def write_small_files(folder: Path, *, files: int = 8_000) -> None:
    """Write HFiles of 12 kB, of 1 MB and of 160 kB that unpack to 10 MB, tables, a Parquet file.

    files  of the table of which only metadata is there
    """
    cells = regular(20_000)
    long = cells.set_column(4, "value", pa.array([bytes(480)] * len(cells), pa.binary()))
    for name, rows, encoding, codec in (
        ("small", cells.slice(0, 2_000), "FAST_DIFF", "GZ"),
        ("plain", cells, "NONE", "NONE"),
        ("packed", long, "NONE", "GZ"),
    ):
        with HFileWriter(folder / name, encoding=encoding, compression=codec) as writer:
            writer.write(rows)
    rows = pa.table({"id": list(range(10_000)), "name": [f"name {i % 777}" for i in range(10_000)]})
    FolderCatalog(folder).create("table", rows.schema).append(rows)
    pq.write_table(rows, folder / "rows.parquet")
    byteloom("puffin", "ndv", folder / "rows.parquet", "-o", folder / "rows.puffin")
    write_many_files(folder / "many", ManyFiles(files, manifests=2))
    (folder / "avro").mkdir()
    _write_avro(folder / "avro", rows)
    (folder / "hudi").mkdir()
    made().write(folder / "hudi")


def _write_avro(folder: Path, rows: pa.Table) -> None:
    columns = [(1, "id", "long"), (2, "name", "string")]
    fields = [{"name": name, "type": kind, "field-id": of} for of, name, kind in columns]
    path = folder / "rows.avro"
    with path.open("wb") as file:
        schema = {"type": "record", "name": "row", "fields": fields}
        fastavro.writer(file, schema, rows.to_pylist(), codec="deflate")
    TableMaker(folder, columns).commit(File(path, rows.num_rows)).open()
