"""Decoding 100,000 entries of 100 manifests, all statistics included, beside datafusion.

    make bench ONLY=iceberg_manifests

- The peer's Avro reader gives nested Arrow tables; ours is measured to columns of its own, to Arrow
  tables, and to what a plan with a filter on ten columns asks for.
- The table is written in blocks of 64,000 bytes, as Java does, and in blocks of one entry, as
  pyiceberg does.
- Memory is what a process of its own has used at most, less what it used before.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import datafusion
import pytest
from tests.support.iceberg_fixtures import ManyFiles, cached_many_files
from tests.support.memory import PEAK
from tests.support.speed import Side, compared, of_package, seconds

from byteloom.iceberg.manifests.entries import ALL_COLUMNS, SCAN_COLUMNS, Entries, stream_entries
from byteloom.iceberg.manifests.manifest_list import manifests_of
from byteloom.iceberg.table import Table, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

pytestmark = pytest.mark.bench

FILES = 100_000
BLOCKS = {"64 kB blocks": 64_000, "one-entry blocks": 1}
TEN = range(1, 11)

MEMORY = f"""{PEAK}
from tests.bench.bench_iceberg_manifests import decode, open_table, ALL_COLUMNS
decode(open_table(sys.argv[2]), ALL_COLUMNS)
before = peak()
decode(open_table(sys.argv[1]), ALL_COLUMNS)
print(peak() - before)
"""
"""Decodes a small table, which loads what is loaded once, and then a large one."""


@pytest.fixture(scope="module", params=list(BLOCKS.values()), ids=list(BLOCKS))
def table(request: pytest.FixtureRequest) -> Table:
    """The table, in blocks of one size."""
    return open_table(str(cached_many_files(ManyFiles(FILES, block_size=request.param))))


def stream(
    table: Table, columns: Collection[str], stats: Collection[int] = ()
) -> Iterator[Entries]:
    """The entries of the table's snapshot."""
    metadata, read = table.metadata, table.relocation.read
    manifests = manifests_of(metadata.snapshot(), read, metadata.partition_specs)
    return stream_entries(
        manifests,
        read,
        metadata.partition_specs,
        metadata.schema(),
        columns=columns,
        stats_for=stats,
    )


def decode(table: Table, columns: Collection[str], stats: Collection[int] = ()) -> int:
    """Decode all entries, and count them."""
    return sum(len(each) for each in stream(table, columns, stats))


def to_arrow(table: Table) -> int:
    """Decode all entries to Arrow, and count them."""
    return sum(each.table().num_rows for each in stream(table, ALL_COLUMNS))


def peer(table: Table) -> int:
    """Decode all entries by datafusion, and count them."""
    folder = str(Path(table.metadata_location).parent)
    context = datafusion.SessionContext()
    frame = context.read_avro(folder, file_extension="-m0.avro")
    return sum(batch.to_pyarrow().num_rows for batch in frame.execute_stream())


def test_decoding(table: Table, request: pytest.FixtureRequest) -> None:
    """Prints the time to decode all entries: for a plan, to all columns, and to Arrow."""
    runs: dict[str, Callable[[], int]] = {
        "for a plan": lambda: decode(table, SCAN_COLUMNS),
        "statistics of ten columns": lambda: decode(table, SCAN_COLUMNS, TEN),
        "all columns": lambda: decode(table, ALL_COLUMNS),
        "all columns to Arrow": lambda: to_arrow(table),
    }
    blocks = request.node.callspec.id
    assert peer(table) == FILES
    for name, run in runs.items():
        assert run() == FILES
        compared(
            f"{FILES:,} manifest entries, {name}, {blocks}",
            "ms",
            Side("byteloom", seconds(run)),
            of_package(
                "DataFusion, all as it is stored,", "datafusion", seconds(lambda: peer(table))
            ),
        )


def test_memory(table: Table) -> None:
    """Prints the peak memory of decoding all columns, in bytes for each entry."""
    small = cached_many_files(ManyFiles(1_000, manifests=1))
    command = [sys.executable, "-c", MEMORY, table.metadata_location, str(small)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    print(f"\npeak memory: {int(found.stdout) / FILES:.0f} bytes an entry")
