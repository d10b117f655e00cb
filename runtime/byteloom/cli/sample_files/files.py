"""The samples that are one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from byteloom.cli.sample_files.orders import orders

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["write_hfile", "write_lance", "write_log", "write_puffin"]

_SNAPSHOT: Final = 1

_SPEC: Final = """\
meta:
  id: sensor
  title: A log of temperatures
  endian: le
seq:
  - id: magic
    contents: [0x54, 0x4c, 0x4f, 0x47]
    doc: The letters TLOG.
  - id: num_readings
    type: u4
  - id: readings
    type: reading
    repeat: expr
    repeat-expr: num_readings
types:
  reading:
    seq:
      - id: seconds
        type: u4
        doc: Seconds since the log began.
      - id: centicelsius
        type: s2
        doc: The temperature in hundredths of a degree Celsius.
    instances:
      celsius:
        value: centicelsius / 100.0
"""
"""The spec of `sensor.log`, a made-up format."""

_NUM_READINGS: Final = 100


def write_puffin(folder: Path) -> None:
    """Write a sketch of the distinct values of each column, and a deletion vector."""
    from byteloom import puffin

    table = orders()
    with puffin.PuffinWriter(folder / "orders.puffin") as writer:
        for field_id, name in enumerate(table.column_names, 1):
            sketch = puffin.ThetaSketch.from_arrow(table[name])
            writer.add_theta_sketch(
                sketch, fields=[field_id], snapshot_id=_SNAPSHOT, sequence_number=_SNAPSHOT
            )
        deleted = puffin.DeletionVector.from_positions(range(0, len(table), 10))
        writer.add_deletion_vector(deleted, "orders.parquet")


def write_hfile(folder: Path) -> None:
    """Write the country and the amount of each order as cells, with a Bloom filter of rows."""
    from byteloom import hfile

    table = orders()
    numbers = pc.utf8_lpad(table["id"].cast(pa.string()), 5, "0")
    rows = pc.binary_join_element_wise("order", numbers, "-")
    columns = {"cents": table["cents"].cast(pa.string()), "country": table["country"]}
    placed = pc.divide(table["placed_at"].cast(pa.int64()), 1000)
    cells = pa.concat_tables(
        pa.table(
            {
                "row": rows,
                "family": ["o"] * len(table),
                "qualifier": [name] * len(table),
                "timestamp": placed,
                "value": values,
            }
        )
        for name, values in columns.items()
    )
    in_order = cells.sort_by([("row", "ascending"), ("qualifier", "ascending")])
    with hfile.HFileWriter(folder / "orders.hfile", compression="GZ", blooms=["ROW"]) as writer:
        writer.write(in_order)


def write_lance(folder: Path) -> None:
    """Write the orders as a Lance file."""
    from byteloom import lance

    table = orders()
    with lance.LanceWriter(folder / "orders.lance", table.schema) as writer:
        writer.write(table)


def write_log(folder: Path) -> None:
    """Write a file of a made-up format, and the spec that describes it."""
    readings = (
        (60 * number).to_bytes(4, "little")
        + (2000 + number * 31 % 400).to_bytes(2, "little", signed=True)
        for number in range(_NUM_READINGS)
    )
    (folder / "sensor.ksy").write_text(_SPEC, encoding="utf-8")
    head = b"TLOG" + _NUM_READINGS.to_bytes(4, "little")
    (folder / "sensor.log").write_bytes(head + b"".join(readings))
