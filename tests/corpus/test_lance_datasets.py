"""Lance datasets by pylance and others are read as the tables they have, or refused."""

from __future__ import annotations

import json
from contextlib import contextmanager
from itertools import islice
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.support.corpus import corpus_cases
from tests.support.lance_tables import difference, reference

from byteloom import lance
from byteloom.errors import ByteloomError, MissingFile, Unsupported

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GENERATED, HISTORY = "lance/generated", "lance/history"


def generated(folder: Path) -> Iterator[Any]:
    """Yield each dataset of a version, and the file that has its table."""
    for path in sorted(folder.glob("datasets/*.lance")):
        yield pytest.param((path, path.with_suffix(".arrow")), id=path.stem)


def generated_legacy(folder: Path) -> Iterator[Any]:
    """Yield each dataset in version 0.1, and the file that has its table."""
    for path in sorted(folder.glob("datasets_v0.1/*.lance")):
        truth = folder / "ref" / f"{path.stem}.arrow"
        if truth.exists() or truth.with_suffix(".parquet").exists():
            yield pytest.param((path, truth), id=path.stem)


def history(folder: Path) -> Iterator[Any]:
    """Yield each dataset of the index with what the index says of it."""
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        case = json.loads(line)
        if case["form"] == "dataset":
            yield pytest.param((folder, case), id=case["path"])


def others(folder: Path) -> Iterator[Path]:
    """Yield each folder that has manifests."""
    for path in sorted(folder.rglob("_versions")):
        yield path.parent


@corpus_cases(GENERATED, generated)
def test_a_dataset_has_the_rows_of_its_reference(case: tuple[Path, Path]) -> None:
    """A dataset has the rows of its reference, and one of version 2.3 is refused by name."""
    path, truth = case
    dataset = lance.open_dataset(path)
    if dataset.data_version == "2.3":
        with pytest.raises(Unsupported, match=r"found version 2\.3"):
            dataset.to_table()
        return
    check_other_ways(dataset)
    is_old = dataset.data_version < "2.1"
    assert difference(dataset.to_table(), reference(truth), without_structs=is_old) is None


@corpus_cases(GENERATED, generated_legacy)
def test_a_dataset_of_version_0_1_has_its_rows(case: tuple[Path, Path]) -> None:
    """A dataset of version 0.1 has its rows, but for nulls and empty texts that it cannot keep."""
    path, truth = case
    dataset = lance.open_dataset(path)
    check_other_ways(dataset)
    assert difference(dataset.to_table(), without_nulls(reference(truth))) is None


@corpus_cases(HISTORY, history)
def test_a_dataset_of_an_old_release_has_its_rows(case: tuple[Path, dict[str, Any]]) -> None:
    """Each version of a dataset by an old release has its rows, or is refused if marked so."""
    folder, wanted = case
    truths = [folder / wanted[key] for key in ("truth", "truth_pylance_14") if wanted.get(key)]
    with unpacked(folder / wanted["path"]) as root:
        try:
            dataset = lance.open_dataset(root / wanted["member"])
            found = dataset.to_table()
            check_other_ways(dataset)
        except ByteloomError:
            if wanted["expect"] == "equal":
                raise
            return
        assert None in [difference(found, reference(each)) for each in truths]
        assert dataset.version == wanted.get("version", dataset.version)
        for number, rows in wanted.get("version_rows", {}).items():
            assert lance.open_dataset(dataset.folder.path, version=int(number)).count() == rows


@corpus_cases(HISTORY, history)
def test_a_dataset_of_an_old_release_is_changed(case: tuple[Path, dict[str, Any]]) -> None:
    """Without a row, or a column, a dataset by an old release has the others, or is refused."""
    folder, wanted = case
    with unpacked(folder / wanted["path"]) as root:
        place = root / wanted["member"]
        try:
            dataset = lance.open_dataset(place)
            table = dataset.to_table()
        except ByteloomError:
            return
        if table.num_rows:
            try:
                dataset = dataset.delete([0])
            except Unsupported as error:  # indices by a release whose ones may be wrong
                assert error.path == "manifest.index_section"  # noqa: PT017  of what may be refused
                return
            table = table.slice(1)
            assert difference(dataset.to_table(table.column_names), table) is None
        if table.num_columns > 1 and not dataset.manifest.HasField("index_section"):
            name = table.column_names[-1]
            dataset = dataset.drop_columns([name])
            assert difference(dataset.to_table(), table.drop_columns([name])) is None


@corpus_cases("lance/upstream", others)
def test_a_dataset_of_the_project_is_read(case: Path) -> None:
    """A dataset of the Lance project has the same rows in all ways of reading, or lacks a file."""
    check_reading(case)


@corpus_cases("lance/engineered-wood", others)
def test_a_dataset_of_another_writer_is_read(case: Path) -> None:
    """A dataset of another writer has the same rows in all ways of reading, and valid tables."""
    check_reading(case)


def check_reading(folder: Path) -> None:
    """Read a dataset in all ways, or find out which of its files is missing."""
    dataset = lance.open_dataset(folder)
    names = [each.path for one in dataset.manifest.fragments for each in one.files]
    if all((folder / "data" / each).exists() for each in names):
        check_other_ways(dataset)
        return
    with pytest.raises(MissingFile):
        dataset.to_table()


def check_other_ways(dataset: lance.Dataset) -> None:
    """Check that batches, a range and rows by their numbers are those of the whole table."""
    found = dataset.to_table()
    found.validate(full=True)
    count = found.num_rows
    assert dataset.count() == count
    batches = list(islice(dataset.scan(batch_size=97).batches(), 20))
    some = pa.Table.from_batches(batches, found.schema)
    assert difference(some, found.slice(0, some.num_rows)) is None
    rows = range(count // 3, count - count // 3)
    part = dataset.scan(rows=rows).to_table()
    assert difference(part, found.slice(rows.start, len(rows))) is None
    numbers = [Random(5).randrange(count) for _ in range(20 if count else 0)]
    assert difference(dataset.take(numbers), found.take(pa.array(numbers, pa.int64()))) is None


def without_nulls(table: pa.Table) -> pa.Table:
    """Return the table as version 0.1 has it."""
    return pa.table({name: lossy(table[name].combine_chunks()) for name in table.column_names})


def lossy(column: Any) -> Any:
    """Return a column whose nulls are zeros, and whose empty texts are null."""
    if pa.types.is_string(column.type) or pa.types.is_binary(column.type):
        return pc.if_else(pc.equal(pc.binary_length(column), 0), None, column)
    return pc.fill_null(column, 0) if pa.types.is_integer(column.type) else column


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Unpack a zipped dataset for the block."""
    from pathlib import Path as Folder

    with TemporaryDirectory() as folder, ZipFile(path) as archive:
        archive.extractall(folder)
        yield Folder(folder)
