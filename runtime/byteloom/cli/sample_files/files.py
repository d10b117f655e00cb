"""The thousand orders that all samples are about, the same each time, and samples of one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow.compute as pc

from byteloom import hfile, lance, puffin
from byteloom.late import pa

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["NUM_ORDERS", "orders", "write_hfile", "write_lance", "write_log", "write_puffin"]

NUM_ORDERS: Final = 1000

_COUNTRIES: Final = ("CA", "DE", "FR", "IN", "JP", "NO", "ZA")

_FIRST_MOMENT: Final = 1_700_000_000_000_000
"""Microseconds since 1970: 2023-11-14 22:13:20."""

_BETWEEN: Final = 97_000_000
"""Microseconds from one order to the next."""


def orders() -> pa.Table:
    """Return the orders: a number, a country, an amount in cents, and when each was placed."""
    numbers = range(NUM_ORDERS)
    placed = [_FIRST_MOMENT + _BETWEEN * number for number in numbers]
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "country": [_COUNTRIES[number % len(_COUNTRIES)] for number in numbers],
            "cents": pa.array([1 + number * 7919 % 50_000 for number in numbers], pa.int64()),
            "placed_at": pa.array(placed, pa.timestamp("us", tz="UTC")),
        }
    )


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
