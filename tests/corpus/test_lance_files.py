"""Lance files by pylance and others are read as the tables they have, or refused."""

from __future__ import annotations

import json
from random import Random
from struct import unpack
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.corpus import corpus_cases
from tests.support.lance_tables import difference, reference

from byteloom import lance
from byteloom.errors import ByteloomError, Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GENERATED, HISTORY = "lance/generated", "lance/history"


def generated(folder: Path) -> Iterator[Any]:
    """Yield each file of a version, and the file that has its table."""
    for path in sorted(folder.glob("v2.*/*.lance")):
        truth = folder / "ref" / f"{path.stem}.arrow"
        yield pytest.param((path, truth), id=f"{path.parent.name}/{path.stem}")


def history(folder: Path) -> Iterator[Any]:
    """Yield each file of the index with what the index says of it."""
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        case = json.loads(line)
        if case["form"] == "file":
            yield pytest.param((folder, case), id=case["path"])


def others(folder: Path) -> Iterator[Path]:
    """Yield each file of version 2.x."""
    for path in sorted(folder.rglob("*.lance")):
        if path.is_file():
            major, minor = unpack("<HH", path.read_bytes()[-8:-4])
            if major or minor > 2:
                yield path


@corpus_cases(GENERATED, generated)
def test_a_file_has_the_rows_of_its_reference(case: tuple[Path, Path]) -> None:
    """A file has the rows of its reference in all ways to read it; version 2.3 is refused."""
    path, truth = case
    with lance.open(path) as file:
        if file.version == "2.3":
            with pytest.raises(Unsupported, match=r"found version 2\.3"):
                file.to_table()
            return
        found = file.to_table()
        # Version 2.0 has no nulls of structs.
        is_old = file.version == "2.0"
        assert difference(found, reference(truth), without_structs=is_old) is None
        check_other_ways(file, found)


@corpus_cases(HISTORY, history)
def test_a_file_of_an_old_release_has_its_rows(case: tuple[Path, dict[str, Any]]) -> None:
    """A file of an old release has its rows, or is refused if the format has changed since."""
    folder, wanted = case
    truths = [folder / wanted[key] for key in ("truth", "truth_pylance_14") if wanted.get(key)]
    try:
        with lance.open(folder / wanted["path"]) as file:
            found = file.to_table()
            check_other_ways(file, found)
    except ByteloomError:
        # What such releases wrote of version 2.1 was no stable form, and is read all the same.
        is_read = wanted["storage_version"] == "2.1" and "0.26" <= wanted["release"] < "0.33"
        if is_read or wanted["expect"] == "equal":
            raise
        return
    differences = [difference(found, reference(each)) for each in truths]
    assert None in differences


@corpus_cases("lance/upstream", others)
def test_a_file_of_the_project_is_read(case: Path) -> None:
    """A file of the Lance project reads alike in all ways, and its tables are valid."""
    check_reading(case)


@corpus_cases("lance/engineered-wood", others)
def test_a_file_of_another_writer_is_read(case: Path) -> None:
    """A file of another writer reads alike in all ways, and its tables are valid."""
    check_reading(case)


@corpus_cases(GENERATED, generated)
def test_a_damaged_file_is_read_or_refused(case: tuple[Path, Path]) -> None:
    """A file cut off anywhere is refused, and a changed bit raises only a `ByteloomError`."""
    data, random = case[0].read_bytes(), Random(str(case[0].name))
    for _ in range(10):
        with pytest.raises(ByteloomError):
            lance.open(data[: random.randrange(len(data))])
        damaged = bytearray(data)
        damaged[random.randrange(len(data))] ^= 1 << random.randrange(8)
        try:
            with lance.open(bytes(damaged)) as file:
                file.to_table().validate(full=True)
        except ByteloomError:
            pass


def check_other_ways(file: lance.LanceFile, table: pa.Table) -> None:
    """Compare batches, a range and rows by their numbers with the whole table."""
    count = table.num_rows
    if not count or not table.num_columns:
        return
    random = Random(count)
    batches = list(file.scan(batch_size=max(count // 7, 1)).batches())
    assert difference(pa.Table.from_batches(batches), table) is None
    start = random.randrange(count)
    stop = random.randint(start + 1, count)
    part = file.scan(rows=range(start, stop)).to_table()
    assert difference(part, table.slice(start, stop - start)) is None
    rows = [random.randrange(count) for _ in range(50)]
    assert difference(file.take(rows), table.take(rows)) is None


def check_reading(path: Path) -> None:
    """Check that a whole file is read, with valid columns, and alike in all ways."""
    with lance.open(path) as file:
        found = file.to_table()
        found.validate(full=True)
        assert found.num_rows == file.num_rows
        check_other_ways(file, found)
