"""What byteloom does, on a table of a million rows: `make demo`.

1. Regenerates the codecs from specs/, and says whether anything changed.
2. Makes a Parquet table with columns of many types.
3. Sketches the distinct values of every column into a Puffin file, and sets the estimates beside
   the exact counts.
4. Deletes rows with a deletion vector, and reads the table without them.
5. Inspects and verifies both files on screen.

Its files stay in build/demo/ for a closer look.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from byteloom import puffin
from byteloom.puffin.deletion_vector import DeletionVector
from byteloom.puffin.theta import ThetaSketch

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 1_000_000
ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path("build/demo")
TABLE = FOLDER / "orders.parquet"
STATISTICS = FOLDER / "orders.stats.puffin"
DELETES = FOLDER / "orders.deletes.puffin"

out = Console(highlight=False)


def main() -> None:
    """Run all steps, one below the other."""
    began = time.perf_counter()
    os.chdir(ROOT)
    FOLDER.mkdir(parents=True, exist_ok=True)
    step("Regenerate the codecs", regenerate)
    step(f"Make a Parquet table of {ROWS:,} rows", make_table)
    step("Sketch the distinct values of every column into a Puffin file", sketch_columns)
    step("Delete every order below 10.00 with a deletion vector", delete_rows)
    step("Inspect both files", inspect)
    step("Verify both files", verify)
    out.rule(f"done in {time.perf_counter() - began:.1f} s; files are in {FOLDER}/")


def step(title: str, run: Callable[[], None]) -> None:
    """Run one step under its title, and say how long it took."""
    out.rule(f"[bold]{title}", align="left")
    began = time.perf_counter()
    run()
    out.print(f"[dim]{time.perf_counter() - began:.2f} s\n")


def regenerate() -> None:
    """Generate all code and pages anew, and list what changed by it."""
    before = generated()
    show("generate")
    after = generated()
    changed = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    if changed:
        out.print(f"changed, since generated/ did not hold what specs/ say: {len(changed)} files")
        for path in changed:
            out.print(f"  {path}")
    else:
        out.print(f"[dim]nothing changed: {len(after)} files in generated/ are what specs/ say")


def generated() -> dict[Path, bytes]:
    """All generated files with their bytes."""
    return {
        path: path.read_bytes()
        for path in sorted(Path("generated").rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def make_table() -> None:
    """Write the table."""
    pq.write_table(orders(), TABLE)
    out.print(f"{TABLE}, {TABLE.stat().st_size / 1e6:.1f} MB")


def orders() -> pa.Table:
    """A million orders, the same ones each time."""
    random = np.random.default_rng(7)
    day = random.integers(19_000, 19_730, ROWS)
    second = day * 86_400 + random.integers(0, 86_400, ROWS)
    cents = pa.array(random.integers(1, 80_000, ROWS)).cast(pa.decimal128(19, 0))
    countries = pa.array([f"country {number:03}" for number in range(200)])
    names = pa.array(random.integers(0, 300_000, ROWS)).cast(pa.string())
    token = pa.py_buffer(random.bytes(16 * ROWS))
    return pa.table(
        {
            "order_id": pa.array(np.arange(ROWS) * 7),
            "customer": pa.array(random.zipf(1.3, ROWS) % 60_000, pa.int32()),
            "country": countries.take(pa.array(random.integers(0, 200, ROWS))),
            "email": pc.binary_join_element_wise(names, "example.org", "@"),
            "amount": pc.multiply(cents, pa.scalar(Decimal("0.01"))).cast(pa.decimal128(12, 2)),
            "weight": pa.array(np.round(random.gamma(2, 40, ROWS), 2)),
            "day": pa.array(day.astype(np.int32)).cast(pa.date32()),
            "placed_at": pa.array(second * 1_000_000).cast(pa.timestamp("us", tz="UTC")),
            "express": pa.array(random.random(ROWS) < 0.1),  # noqa: PLR2004  one in ten
            "voucher": pa.array(random.integers(0, 900, ROWS), mask=random.random(ROWS) < 0.9),  # noqa: PLR2004
            "token": pa.FixedSizeBinaryArray.from_buffers(pa.binary(16), ROWS, [None, token]),
        }
    )


def sketch_columns() -> None:
    """Write a sketch for each column; print its estimate beside the exact count."""
    table = pq.read_table(TABLE)
    shown = Table("column", "type", "estimate", "at least", "at most", "exact", "off by", padding=0)
    for column in shown.columns:
        column.no_wrap = True
    for column in shown.columns[2:]:
        column.justify = "right"
    shown.caption = "at least, at most: with 95 % certainty, so one in twenty may lie outside"
    with puffin.PuffinWriter(STATISTICS) as writer:
        for field_id, name in enumerate(table.column_names, 1):
            sketch = ThetaSketch.from_arrow(table[name])
            writer.add_theta_sketch(
                sketch, fields=[field_id], snapshot_id=1, sequence_number=1, compression="zstd"
            )
            shown.add_row(name, short(table[name].type), *compared(sketch, table[name]))
    out.print(shown)


def short(type_: pa.DataType) -> str:
    """A type's name without its parameters, so that a row fits 80 columns."""
    return re.split(r"[\[(]", str(type_))[0].replace("fixed_size_", "")


def compared(sketch: ThetaSketch, column: pa.ChunkedArray) -> list[str]:
    """The estimate, its bounds, and the truth."""
    exact = pc.count_distinct(column, mode="only_valid").as_py()
    numbers = sketch.estimate, sketch.lower_bound(), sketch.upper_bound(), exact
    return [*(f"{number:,.0f}" for number in numbers), f"{sketch.estimate / exact - 1:+.2%}"]


def delete_rows() -> None:
    """Write the vector of all cheap orders, read it back, and count what it leaves."""
    amount = pq.read_table(TABLE, columns=["amount"])["amount"]
    cheap = pc.less(amount, pa.scalar(Decimal("10.00"))).combine_chunks()
    vector = DeletionVector.from_positions(pc.indices_nonzero(cheap))
    with puffin.PuffinWriter(DELETES) as writer:
        blob = writer.add_deletion_vector(vector, str(TABLE))
    with puffin.open(DELETES) as file:
        deleted = DeletionVector.from_bytes(file.read(file.blobs[0])).mask(0, ROWS)
    left = pq.read_table(TABLE).filter(pa.array(~deleted))
    assert pc.min(left["amount"]).as_py() >= Decimal("10.00")
    out.print(f"{vector.cardinality:,} rows deleted in {blob.length:,} bytes, {len(left):,} left")


def inspect() -> None:
    """Show what both files hold."""
    show("inspect", "--depth", 5, DELETES)
    show("inspect", "--depth", 1, STATISTICS)


def verify() -> None:
    """Check both files whole."""
    show("verify", STATISTICS, DELETES)


def show(*arguments: object) -> None:
    """Run ``byteloom`` as a user would; a failure ends the demo."""
    command = [sys.executable, "-c", "from byteloom.cli import app; app()", *map(str, arguments)]
    out.print(f"[dim]{folded(['byteloom', *map(str, arguments)])}")
    sys.stdout.flush()  # what the command prints comes after it
    status = subprocess.run(command, check=False, cwd=ROOT).returncode  # noqa: S603  our own
    if status:
        sys.exit(status)


def folded(words: list[str]) -> str:
    """A command as a shell takes it, with a backslash where it goes on in the next line."""
    lines = ["$"]
    for word in map(shlex.quote, words):
        if len(lines[-1]) + len(word) + 3 > out.width:  # a blank before, a backslash behind
            lines.append("   ")
        lines[-1] += f" {word}"
    return " \\\n".join(lines)


if __name__ == "__main__":
    main()
