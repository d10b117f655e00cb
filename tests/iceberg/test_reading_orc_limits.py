"""ORC files whose rows are far larger than the file are read in parts, or refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.iceberg_rows import File, TableMaker
from tests.support.memory import PEAK
from tests.support.orc_files import LONG_RUN, TYPES, Content, orc_file, same

from byteloom.errors import FormatError, LimitExceeded

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom.iceberg import Table

MOST = 700 << 20
"""Bytes that a scan may take beyond what is imported; each file comes to 1 GB."""

CHILD = f"""{PEAK}
import json
from byteloom.iceberg import open_table
import byteloom.iceberg.reading.threads, pyarrow.dataset, pyarrow.orc
before, found = peak(), []
for place in sys.argv[1:]:
    batches = open_table(place).scan().to_batches(threads=1)
    found.append(sum(each.num_rows for each in batches))
print(json.dumps([found, peak() - before]))
"""

CHUNK = 1 << 18
MANY = CHUNK // 4 * LONG_RUN
RUNS = same(7, MANY, signed=True)
"""A chunk of runs of one number over and over, and how many there are: 33 million."""

LIST = {"type": "list", "element-id": 2, "element": "long", "element-required": False}


def table(root: Path, data: bytes, rows: int, of: Any) -> Table:
    """Return a table of one ORC file with one column."""
    root.mkdir(exist_ok=True)
    path = root / "a.orc"
    path.write_bytes(data)
    return TableMaker(root / "t", [(1, "c1", of)]).commit(File(path, rows)).open()


def coded(size: int, rows: int) -> bytes:
    """Return a file of one text, which it stores once."""
    streams = [(1, "DATA", same(0, rows)), (1, "LENGTH", same(size, 1))]
    streams.append((1, "DICTIONARY_DATA", b"x" * size))
    return orc_file([(TYPES.STRING, [])], rows, streams, dictionaries={1: 1}, chunk=CHUNK)


def plain(size: int, rows: int) -> bytes:
    """Return a file of texts that are all the same, and stores only a chunk of them."""
    content: Content = (b"x" * min(size, CHUNK), rows if size <= CHUNK else 1)
    streams: list[tuple[int, str, Content]] = [(1, "DATA", content)]
    streams.append((1, "LENGTH", same(size, rows)))
    return orc_file([(TYPES.STRING, [])], rows, streams, chunk=CHUNK)


def lists(size: int, rows: int) -> bytes:
    """Return a file of lists of one number over and over."""
    streams: list[tuple[int, str, Content]] = [(1, "LENGTH", same(size, rows))]
    streams.append((2, "DATA", (RUNS, -(-size * rows // MANY))))
    return orc_file([(TYPES.LIST, [2]), (TYPES.LONG, [])], rows, streams, chunk=CHUNK)


def numbers(rows: int) -> bytes:
    """Return a file of one number over and over."""
    return orc_file([(TYPES.LONG, [])], rows, [(1, "DATA", (RUNS, rows // MANY))], chunk=CHUNK)


def test_sound_stripes_of_any_size_are_read_some_rows_at_a_time(tmp_path: Path) -> None:
    """Stripes of 1 GB of numbers, text or lists in small files are read in bounded memory."""
    cases = [
        (numbers(4 * MANY), 4 * MANY, "long"),
        (coded(1_000_000, 1_000), 1_000, "string"),
        (plain(CHUNK, 4_000), 4_000, "string"),
        (lists(1_000_000, 128), 128, LIST),
    ]
    places = [table(tmp_path / str(at), *each) for at, each in enumerate(cases)]
    command = [sys.executable, "-c", CHILD, *(each.metadata_location for each in places)]
    run = subprocess.run(command, capture_output=True, check=False, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    found, taken = json.loads(run.stdout)
    print(f"{taken >> 20} MiB")
    assert found == [rows for _, rows, _ in cases]
    assert taken < MOST


@pytest.mark.parametrize(
    ("data", "rows", "of", "said"),
    [
        pytest.param(
            plain(1 << 40, 4), 4, "string", f"a row of up to {(1 << 40) + 8} bytes", id="text"
        ),
        pytest.param(
            lists(100_000_000, 1),
            1,
            LIST,
            f"a row of up to {16 + 800_000_000 - 8} bytes",
            id="list",
        ),
        pytest.param(
            orc_file(
                [(TYPES.STRING, [])],
                4,
                [(1, "DATA", same(0, 4)), (1, "LENGTH", same(1, 512))],
                dictionaries={1: 1 << 31},
            ),
            4,
            "string",
            f"a dictionary of {1 << 31} entries",
            id="entries",
        ),
        pytest.param(
            orc_file(
                [(TYPES.STRING, [])],
                4,
                [(1, "DATA", same(0, 4)), (1, "LENGTH", same(1 << 24, 512))],
                dictionaries={1: 512},
            ),
            4,
            "string",
            "a dictionary of 512 entries, up to",
            id="dictionary",
        ),
    ],
)
def test_what_lengths_only_claim_is_refused(
    tmp_path: Path, data: bytes, rows: int, of: Any, said: str
) -> None:
    """A row that is too large by its lengths is refused, with file, column and offset."""
    place = re.escape(str(tmp_path / "a.orc"))
    said = (
        rf"^{place}.*orc\.stripes\[0\]\.columns\[1\] at byte \d+ .*: found {said}.*, wanted at most"
    )
    with pytest.raises(LimitExceeded, match=said):
        table(tmp_path, data, rows, of).scan().to_table()


def test_rows_are_those_of_the_whole_stripe(tmp_path: Path) -> None:
    """Reading a stripe some rows at a time gives the rows of the whole stripe."""
    rows = 1_200
    names = [b"%06d" % each * 20_000 for each in range(4)]
    streams = [(1, "DATA", b"".join(b"\xc0\0" + bytes([each % 4, 0]) for each in range(rows)))]
    streams.append((1, "LENGTH", same(120_000, 4)))
    streams.append((1, "DICTIONARY_DATA", b"".join(names)))
    data = orc_file([(TYPES.STRING, [])], rows, streams, dictionaries={1: 4}, chunk=CHUNK)
    batches = list(table(tmp_path, data, rows, "string").scan().to_batches(threads=1))
    assert 1 < max(each.num_rows for each in batches) <= 512
    read = [each.as_py()[:6].encode() for batch in batches for each in batch.column(0)]
    assert read == [b"%06d" % (each % 4) for each in range(rows)]


@pytest.mark.parametrize("of", ["string", LIST])
@pytest.mark.parametrize(
    ("lengths", "found"),
    [
        ("c0307465", "a length below 0"),
        ("c00c00ffffffffffffffffffffff0100", "a run of lengths that does not end"),
    ],
)
def test_lengths_that_the_library_would_misread_are_refused(
    tmp_path: Path, of: Any, lengths: str, found: str
) -> None:
    """Lengths below 0, or of more than 64 bits, are errors; they ended the process."""
    kinds = [(TYPES.STRING, [])] if of == "string" else [(TYPES.LIST, [2]), (TYPES.LONG, [])]
    streams = [(1, "DATA", b"x" * 99), (1, "LENGTH", bytes.fromhex(lengths)), (2, "DATA", RUNS[:9])]
    data = orc_file(kinds, 9, streams)
    with pytest.raises(
        FormatError, match=rf"a\.orc: orc\.stripes\[0\]\.columns\[1\].*: found {found}"
    ):
        table(tmp_path, data, 9, of).scan().to_table()
