"""What byteloom does, on a table of a million rows, with Spark: `make demo`.

1. Regenerates the codecs from specs/, and says whether anything changed.
2. Writes an Iceberg table with columns of many types, in which deletion vectors delete rows.
3. Starts Spark, on the Java that came with it.
4. Sketches the distinct values of every column into a Puffin file, and sets the estimates beside
   the exact counts.
5. Queries the table.
6. Exports it to a Lance dataset.
7. Builds an index of its orders as HFiles, and looks some up.
8. Audits, inspects and verifies what was written, on screen.

Whatever was written is read back and compared with the rows it was made of; the first difference
ends the demo with status 1.  The files stay in build/demo/ for a closer look.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from examples.iceberg_table import TYPES, write_table
from examples.orders import orders
from examples.screen import code, grid, out, same, show, step

from byteloom import lance, puffin
from byteloom.hfile import HFileFolder
from byteloom.iceberg import open_table
from byteloom.puffin import ThetaSketch
from byteloom.spark import session
from byteloom.spark.java import find_java
from byteloom.spark.jobs import audit, ndv, to_hfile, to_lance

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 1_000_000
ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path("build/demo")
CHEAP = Decimal("10.00")
ASKED = 500
"""Multiples of this are looked up; one in seven is the id of an order."""

QUERY = """
select year(day) year, count(*) orders, sum(amount) total, count(distinct customer) customers
from orders where express and amount >= 100 group by 1 order by 1
"""
QUERIED = "day", "customer", "amount", "express"


class Places(NamedTuple):
    """Paths of what the demo writes."""

    table: Path
    statistics: Path
    dataset: Path
    keys: Path

    @classmethod
    def inside(cls, folder: Path) -> Places:
        """Return the paths below a folder."""
        names = "orders", "orders.stats.puffin", "orders.lance", "orders.index"
        return cls(*(folder / name for name in names))


def main(count: int = ROWS, folder: Path = FOLDER) -> None:
    """Run all steps in order, on a table of *count* rows below *folder*."""
    began = time.perf_counter()
    os.chdir(ROOT)
    folder.mkdir(parents=True, exist_ok=True)
    places = Places.inside(folder)
    with step("Regenerate the codecs"):
        regenerate()
    with step(f"Write an Iceberg table of {count:,} orders, those below {CHEAP} deleted"):
        live = make_table(count, places.table)
    with step("Start Spark"):
        spark = start()
    with step("Sketch the distinct values of every column into a Puffin file"):
        sketch_columns(spark, live, places)
    with step("Query the table"):
        query(spark, live, places)
    with step("Export the table to a Lance dataset"):
        export(spark, live, places)
    with step("Build an index of the orders as HFiles, and look some up"):
        build_index(spark, live, places)
    with step("Audit all that was written"):
        check_all(spark, folder)
    spark.stop()
    with step("Inspect two files"):
        show("inspect", "--depth", 5, min(places.table.glob("data/*.puffin")))
        show("inspect", "--depth", 1, places.statistics)
    with step("Verify the table, and files of every kind"):
        metadata = places.table / "metadata" / "v1.metadata.json"
        show("verify", metadata, places.statistics, places.dataset / "_versions", places.keys)
    out.rule(f"done in {time.perf_counter() - began:.1f} s; files are in {folder}/")


def regenerate() -> None:
    """Regenerate all code and pages; list the files that changed."""
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


def make_table(count: int, place: Path) -> pa.Table:
    """Write the table; return the rows that are not deleted."""
    rows = orders(count)
    deleted = pc.less(rows["amount"], pa.scalar(CHEAP))
    files = write_table(rows, deleted, place.resolve())
    live = rows.filter(pc.invert(deleted))
    out.print(f"{files} Parquet files, one a month, {size_of(place, 'data/*.parquet'):.1f} MB")
    vectors = 1000 * size_of(place, "data/*.puffin")
    out.print(f"{count - len(live):,} rows deleted by vectors in {vectors:.1f} kB of Puffin files")
    same("the table shows the rows that are left", open_table(place).scan().count(), len(live))
    return live


def size_of(folder: Path, pattern: str) -> float:
    """The megabytes of some files together."""
    return sum(path.stat().st_size for path in folder.glob(pattern)) / 1e6


def start() -> SparkSession:
    """Start a session on this machine."""
    code("spark = byteloom.spark.session()")
    spark = session()
    java = find_java()
    version = ".".join(map(str, java.version))
    out.print(f"Spark {spark.version} on {spark.sparkContext.defaultParallelism} cores")
    out.print(f"Java {version}, in {os.path.relpath(java.home)}")
    return spark


def sketch_columns(spark: SparkSession, live: pa.Table, places: Places) -> None:
    """Write a sketch for each column; print its estimate beside the exact count."""
    code(f"ndv(spark, table, output='{places.statistics}')")
    ndv(spark, open_table(places.table), output=str(places.statistics))
    with puffin.open(places.statistics) as file:
        sketches = dict(zip(TYPES, map(file.theta_sketch, file.blobs), strict=True))
    exact = {name: pc.count_distinct(live[name], mode="only_valid").as_py() for name in TYPES}
    lines = [
        (name, short(live[name].type), *compared(sketch, exact[name]))
        for name, sketch in sketches.items()
    ]
    names = "column", "type", "estimate", "at least", "at most", "exact", "off by"
    shown = grid(lines, *names, words=2)
    out.print(shown)
    out.print("at least, at most: with 95 % certainty, so one in twenty may lie outside")
    here = {name: ThetaSketch.from_arrow(live[name], iceberg_type=TYPES[name]) for name in TYPES}
    same("the sketches are those that one process makes of all live rows", sketches, here)
    outside = [
        name
        for name, sketch in sketches.items()
        if not sketch.lower_bound(3) <= exact[name] <= sketch.upper_bound(3)
    ]
    same("each exact count is within three standard errors of its estimate", outside, [])


def short(type_: pa.DataType) -> str:
    """A type's name without its parameters, so that a row fits 80 columns."""
    return re.split(r"[\[(]", str(type_))[0].replace("fixed_size_", "")


def compared(sketch: ThetaSketch, exact: int) -> list[str]:
    """Return a table row: estimate and bounds, cut to integers as `ndv` is, and the exact count."""
    numbers = sketch.estimate, sketch.lower_bound(), sketch.upper_bound(), exact
    return [*(f"{int(number):,}" for number in numbers), f"{sketch.estimate / exact - 1:+.2%}"]


def query(spark: SparkSession, live: pa.Table, places: Places) -> None:
    """Let Spark count and sum what the table shows, and Arrow the rows that are not deleted."""
    code("orders = spark.read.format('byteloom.iceberg').load(...)")
    code(QUERY)
    source = spark.read.format("byteloom.iceberg").option("columns", ",".join(QUERIED))
    source.load(str(places.table)).createOrReplaceTempView("orders")
    found = [tuple(row) for row in spark.sql(QUERY).collect()]
    lines = [[str(year), *(f"{each:,}" for each in numbers)] for year, *numbers in found]
    out.print(grid(lines, "year", "orders", "total", "customers", words=1))
    wanted = live.filter(pc.field("express") & (pc.field("amount") >= Decimal(100)))
    years = wanted.append_column("year", pc.year(wanted["day"])).group_by("year")
    exact = years.aggregate(
        [("amount", "count"), ("amount", "sum"), ("customer", "count_distinct")]
    )
    expected = [tuple(each.values()) for each in exact.sort_by("year").to_pylist()]
    same("these are the numbers of the live rows", found, expected)


def export(spark: SparkSession, live: pa.Table, places: Places) -> None:
    """Write the rows as a Lance dataset, instead of an earlier run's, and read them back."""
    shutil.rmtree(places.dataset, ignore_errors=True)
    code(f"to_lance(spark, table.scan(), '{places.dataset}')")
    scan = open_table(places.table).scan()
    made = to_lance(spark, scan, places.dataset)
    out.print(f"{len(made.fragments)} fragments, {size_of(places.dataset, 'data/*'):.1f} MB")
    rows = lance.open_dataset(places.dataset).to_table().cast(live.schema).sort_by("order_id")
    same("the rows of the dataset are the live rows, with all columns", rows, live)


def build_index(spark: SparkSession, live: pa.Table, places: Places) -> None:
    """Write the place of each order by its key; look some up, among them deleted ones."""
    code(
        f"to_hfile(spark, places, '{places.keys}', key='order_id', value='place', "
        "file_size=32 << 20)"
    )
    source = spark.read.format("byteloom.iceberg").option("columns", "order_id,_file,_pos")
    rows = source.load(str(places.table)).selectExpr(
        "cast(order_id as string) as order_id", "concat_ws(':', _file, _pos) as place"
    )
    target = str(places.keys)
    to_hfile(
        spark, rows, target, key="order_id", value="place", file_size=32 << 20, mode="overwrite",
        compression="ZSTD",
    )  # fmt: skip
    asked = [str(each) for each in range(0, live["order_id"][-1].as_py(), ASKED)]
    code(f"HFileFolder('{places.keys}').lookup(['{asked[0]}', '{asked[1]}', ...])")
    with HFileFolder(places.keys) as index:
        out.print(f"{len(index.parts)} HFiles, {size_of(places.keys, '*.hfile'):.1f} MB")
        same("there is a cell for each live row", index.num_rows, len(live))
        began = time.perf_counter()
        found = index.lookup(asked, ["row", "value"])
    out.print(f"{len(asked):,} keys looked up in {time.perf_counter() - began:.3f} s")
    keys = found["row"].cast(pa.string()).cast(pa.int64())
    expected = live.filter(pc.is_in(live["order_id"], pa.array(asked).cast(pa.int64())))
    same("those of live rows are found, and no others", keys, expected["order_id"])
    there = [order_at(*each.decode().rsplit(":", 1)) for each in found["value"].to_pylist()]
    same("each leads to the row that has its key", there, keys.to_pylist())


@cache
def orders_of(file: str) -> pa.ChunkedArray:
    """The keys of a data file, deleted ones included."""
    return pq.read_table(file, columns=["order_id"])["order_id"]


def order_at(file: str, position: str) -> int:
    """The key of a row of a data file."""
    key: int = orders_of(file)[int(position)].as_py()
    return key


def check_all(spark: SparkSession, folder: Path) -> None:
    """Check every file below a folder."""
    code(f"audit(spark, '{folder}')")
    counts = audit(spark, str(folder)).counts
    out.print(", ".join(f"{count} {status}" for status, count in counts.items()))
    same("no file is damaged or unreadable", counts["damaged"] + counts["unreadable"], 0)


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else ROWS,
        Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER,  # noqa: PLR2004
    )
