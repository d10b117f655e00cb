"""Seeks in HFiles written by HBase follow the defined order, and all ways to a cell agree."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.corpus.test_hfile_files import FOLDER as APACHE
from tests.corpus.test_hfile_files import content
from tests.corpus.test_hfile_files import lines as apache_files
from tests.support.corpus import corpus_cases

from byteloom import hfile
from byteloom.errors import ByteloomError
from byteloom.hfile import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FOLDER = "java/hfile"
PICKED = 40
"""Rows of a file that are looked up one by one, unless all are."""

Case = tuple["Path", dict[str, Any]]


def readable(folder: Path) -> Iterator[Any]:
    """Yield the files that are not damaged and that HBase reads."""
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if "damage" not in entry and entry["status"] == "ok":
            yield pytest.param((folder, entry), id=entry["path"])


def opened(case: Case) -> hfile.HFile:
    """Open the file of a case."""
    folder, entry = case
    master = entry.get("master_key")
    return hfile.open(folder / entry["path"], key=bytes.fromhex(master) if master else None)


def truth(case: Case) -> list[hfile.Cell]:
    """Return the cells of a case, as HBase scans them."""
    folder, entry = case
    table = pq.read_table(folder / entry["truth"])
    columns = [table[name].to_pylist() for name in hfile.Cell._fields]
    return [hfile.Cell(*cell) for cell in zip(*columns, strict=True)]


def by_definition(order: list[Any], wanted: Any, op: str) -> tuple[Any, range]:
    """Return the answer to a probe, and the cells it may end on, from the order alone."""
    before, end = bisect_left(order, wanted), bisect_right(order, wanted)
    if before < end and op != "seekBefore":
        return 0, range(before, end)
    floor = range(bisect_left(order, order[before - 1]), before) if before else range(0)
    if op == "seekBefore":
        return before > 0, floor
    return (1 if before else -1), floor


def asked(cells: list[hfile.Cell], probe: dict[str, Any]) -> Key:
    """Return the key of a probe."""
    if "cell" in probe:
        cell: hfile.Cell = cells[probe["cell"]]
        return cell.key
    return Key.decode(bytes.fromhex(probe["key"]))


def listed(probe: dict[str, Any]) -> tuple[Any, list[int]]:
    """Return the answer that the index lists, by definition if it differs from HBase's."""
    if "by_order" in probe:
        answer, at = probe["by_order"]
        return answer, [] if at is None else [at]
    if "at_one_of" in probe:
        first, last = probe["at_one_of"]
        return probe["rc"], list(range(first, last + 1))
    return probe["rc"], [] if probe["at"] is None else [probe["at"]]


def seek(cursor: hfile.Cursor, probe: dict[str, Any], key: Key) -> int | bool:
    """Make *cursor* do the seek that a probe asked of HBase's scanner."""
    if probe["op"] == "seekBefore":
        return cursor.seek_before(key)
    return cursor.seek(key) if probe["op"] == "seekTo" else cursor.reseek(key)


@corpus_cases(FOLDER, readable)
def test_every_seek_answers_by_definition(case: Case) -> None:
    """A seek gives the answer of the index, and the cell that the order defines.

    A reseek backward moves nothing; HBase's -2 is the floor, one cell before its own place.
    """
    cells = truth(case)
    with opened(case) as file:
        order = [file.order(cell.key.encode()) for cell in cells]
        scanners: dict[int, hfile.Cursor] = {}
        for probe in case[1].get("probes", []):
            if "error" in probe:
                continue
            cursor = file.cursor()
            if "scanner" in probe:
                if probe["scanner"] not in scanners:
                    cursor.first()
                cursor = scanners.setdefault(probe["scanner"], cursor)
            key, here = asked(cells, probe), cursor.cell
            place = file.order(key.encode())
            answer = seek(cursor, probe, key)
            if here is not None and place < file.order(here.key.encode()):
                assert (answer, cursor.cell) == (-1, here), probe
                continue
            wanted, places = by_definition(order, place, probe["op"])
            assert answer == wanted, probe
            allowed: list[hfile.Cell | None] = [cells[at] for at in places]
            assert cursor.cell in (allowed or [None]), probe
            if probe["op"] != "reseekTo":
                answer, at = listed(probe)
                assert (answer, set(at) <= set(places)) == (wanted, True), probe


@corpus_cases(FOLDER, readable)
def test_the_middle_is_hbases(case: Case) -> None:
    """The middle key of a file is HBase's, and an empty file has none."""
    with opened(case) as file:
        middle = file.midkey()
    wanted = case[1].get("midkey")
    assert middle == (Key.decode(bytes.fromhex(wanted)) if wanted else None)


def turned(table: pa.Table) -> pa.Table:
    """Return the rows of a table from the last to the first."""
    return table.take(pa.array(range(len(table) - 1, -1, -1), pa.int64()))


def all_ways_agree(file: hfile.HFile, picked: int) -> None:
    """Check a scan against ranges, both ways, lookups of all and of some rows, floors, splits."""
    table = file.read()
    count = table.num_rows
    backward = pa.Table.from_batches(list(file.range(reverse=True)), schema=table.schema)
    assert turned(backward).equals(table)
    forward = pa.Table.from_batches(list(file.range()), schema=table.schema)
    assert forward.equals(table)
    rows = table["row"].unique()
    found = file.lookup(rows)
    assert found.drop_columns("asked").equals(table)
    assert found["asked"].equals(pc.index_in(table["row"], value_set=rows).cast(pa.int64()))
    numbers = [at * (count - 1) // (picked - 1) for at in range(picked)] if count else []
    for number in dict.fromkeys(numbers):
        cell = hfile.Cell(**table.slice(number, 1).to_pylist()[0])
        same_row = pc.equal(table["row"], pa.scalar(cell.row, pa.binary()))
        assert file.get(cell.row).equals(table.filter(same_row))
        assert file.lookup_keys([cell.key]).num_rows
        floor, ceiling = file.floor(cell.key), file.ceiling(cell.key)
        assert floor is not None
        assert ceiling is not None
        assert floor.key == ceiling.key == cell.key
    parts = [batch for part in file.splits(5) for batch in file.range(part.start, part.stop)]
    assert pa.Table.from_batches(parts, schema=table.schema).equals(table)


@corpus_cases(FOLDER, readable)
def test_all_ways_to_a_cell_agree(case: Case) -> None:
    """A scan, lookups, the scan backward and all parts together give the same cells."""
    with opened(case) as file:
        all_ways_agree(file, PICKED)


@corpus_cases(APACHE, apache_files)
def test_all_ways_to_a_cell_of_apache_projects_agree(case: Case) -> None:
    """All ways to a cell agree in files of Apache projects whose rows are in order."""
    folder, entry = case
    if "error" in entry:
        return
    with hfile.open(content(folder, entry)) as file:
        if file.is_in_order:
            all_ways_agree(file, 3)


def damaged(folder: Path) -> Iterator[Any]:
    """Yield damaged files with the ones they were made from, unless HBase reads other cells."""
    entries = [json.loads(line) for line in (folder / "INDEX.jsonl").read_text().splitlines()]
    bases = {entry["case"]: entry["path"] for entry in entries if "damage" not in entry}
    for entry in entries:
        if entry.get("base") in bases and entry.get("same_cells_as_base") is not False:
            path = folder / entry["path"], folder / bases[entry["base"]]
            yield pytest.param(path, id=entry["path"])


@corpus_cases(FOLDER, damaged)
def test_no_way_into_a_damaged_file_loses_a_cell(case: tuple[Path, Path]) -> None:
    """A lookup of all rows, a range and a backward scan give all cells, or an error."""
    broken, base = case
    with hfile.open(base) as file:
        table = file.read()
    rows = table["row"].unique()
    ways: list[Callable[[hfile.HFile], pa.Table]] = [
        lambda file: file.lookup(rows).drop_columns("asked"),
        lambda file: pa.Table.from_batches(list(file.range()), schema=table.schema),
        lambda file: turned(pa.Table.from_batches(list(file.range(reverse=True)))),
    ]
    for way in ways:
        with suppress(ByteloomError), hfile.open(broken) as file:
            assert way(file).equals(table)
