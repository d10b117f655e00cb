"""`byteloom scan` of everyday formats into Arrow, beside the official parser, which only reads.

The official parser stops where it has objects, of which nobody has made columns.  Both read the
same files, by turns; the median of their processor time is compared.
"""

from __future__ import annotations

import shutil
import zipfile
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.bulk_files import BULK
from tests.support.official import compiled as compiled_officially
from tests.support.official import peer_of

from byteloom.cli.commands.scan import table_of
from byteloom.cli.inputs.scan_plans import ScanRequest
from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS = Path(__file__).parents[1] / "conformance/formats"
SPECS = Path(__file__).parent / "formats"
RECORDS = {
    "pcap": "capture.packets",
    "zip": "sections",
    "protobuf": "pairs",
    "msgpack": "items",
    "bson": "fields.elements",
}
RUNS = 7

pytestmark = [pytest.mark.bench, pytest.mark.peer("node")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the specs, and official parsers of them."""
    folder = tmp_path_factory.mktemp("scans")
    for each in ("specs", "official"):
        (folder / each).mkdir()
    for name in (*RECORDS, "internet"):
        place = next(each / f"{name}.ksy" for each in (FORMATS, SPECS) if _has(each, name))
        shutil.copy(place, folder / "specs")
    compiled_officially(folder / "specs", folder / "official")
    return folder


def _has(folder: Path, name: str) -> bool:
    return (folder / f"{name}.ksy").exists()


def _seconds(*runs: Callable[[], Any]) -> list[float]:
    """Return the processor time of each of *runs*, taken in turns: the median of several."""
    times: list[list[float]] = [[] for _ in runs]
    for turn in range(RUNS + 1):
        for run, taken in zip(runs, times, strict=True):
            start = process_time()
            run()
            if turn:  # the first one warms up
                taken.append(process_time() - start)
    return [median(each) for each in times]


def _names_in(data: bytes) -> list[str]:
    """The names of an archive's members by Python's own reader, which reads the directory alone."""
    return zipfile.ZipFile(BytesIO(data)).namelist()


@pytest.mark.parametrize("name", RECORDS)
def test_columns_of_everyday_formats(name: str, folder: Path, tmp_path: Path) -> None:
    """Prints how long a scan into Arrow takes, and the official parser until it has objects."""
    data, peer = BULK[name](), peer_of(folder / "official", name)
    (tmp_path / "file").write_bytes(data)
    with ExitStack() as stack:
        asked = ScanRequest(folder / "specs" / f"{name}.ksy", [], RECORDS[name], is_open=False)
        table = stack.enter_context(table_of(asked))
        source = stack.enter_context(LocalSource(tmp_path / "file"))
        rows = sum(each.num_rows for each in table.batches(source))
        assert rows > 1_000
        scanned, read, listed = _seconds(
            lambda: list(table.batches(source)),
            lambda: peer.from_bytes(data),
            lambda: _names_in(data) if name == "zip" else None,
        )
    how = "a loop" if table.chosen.loops else "records"
    print(
        f"\n{name}, {len(data) / 1e3:.0f} KB, {rows} rows by {how}: {scanned * 1e3:.1f} ms; "
        f"official Kaitai, objects only, {read * 1e3:.1f} ms, ratio {read / scanned:.2f}"
    )
    if name == "zip":
        print(f"    zipfile, names of the directory only: ratio {listed / scanned:.2f}")
