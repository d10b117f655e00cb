"""The most memory that Lance files take in a process of its own, written and scanned as streams.

    make bench ONLY=lance_memory

- Integers, doubles, text, lists and structs with nulls, in batches of 8,192 rows.
- `BYTELOOM_BENCH_BYTES` has the bytes of Arrow data, 2 GB by default; a quarter of that is measured
  as well: memory that grows with the file would show.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.memory import PEAK

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.bench, pytest.mark.slow]

BYTES = int(os.environ.get("BYTELOOM_BENCH_BYTES", "2_000_000_000"))

WRITE = f"""{PEAK}
import numpy as np
import pyarrow as pa
from byteloom import lance

place, version, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
ROWS = 8192
random = np.random.default_rng(1)

def batch(first):
    numbers = np.arange(first, first + ROWS)
    drawn = random.integers(0, 1 << 40, ROWS)
    texts = pa.array(drawn).cast(pa.string())
    ends = pa.array(np.arange(0, 4 * ROWS + 1, 4, dtype=np.int32))
    nulls = pa.array(numbers % 9 == 0)
    items = pa.array(random.integers(0, 1 << 20, 4 * ROWS, dtype=np.int32))
    doubles = pa.array(random.random(ROWS))
    # Version 2.0 has no null structs.
    mask = None if version == "2.0" else nulls
    return pa.record_batch({{
        "id": numbers,
        "double": doubles,
        "text": texts,
        "list": pa.ListArray.from_arrays(ends, items),
        "struct": pa.StructArray.from_arrays([doubles, texts], ["x", "y"], mask=mask),
    }})

written = first = 0
with lance.LanceWriter(place, batch(0).schema, version=version) as writer:
    while written < most:
        made = batch(first)
        writer.write(made)
        written, first = written + made.nbytes, first + ROWS
print(peak())
"""

SCAN = f"""{PEAK}
from byteloom import lance

rows = 0
with lance.open(sys.argv[1]) as file:
    for each in file.scan(batch_size=8192).batches():
        rows += each.num_rows
    assert rows == file.num_rows
print(peak())
"""


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_memory(version: str, tmp_path: Path) -> None:
    """Prints the peak memory of a writing and of a scanning process, for two sizes of files."""
    for size in (BYTES // 4, BYTES):
        place = str(tmp_path / "large.lance")
        wrote = int(_child(WRITE, place, version, str(size))) >> 20
        scanned = int(_child(SCAN, place)) >> 20
        print(
            f"\nLance {version}, {size / 1e9:.1f} GB of Arrow data: {wrote} MiB to write, "
            f"{scanned} MiB to scan, the process included"
        )


def _child(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, check=True, text=True
    )
    return done.stdout
