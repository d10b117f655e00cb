"""Overlays that pylance writes are read as it reads them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.pylance_files import column

from byteloom import lance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

NAMES = ("int32", "text", "list", "vector", "dictionary", "struct")
ROWS = 500


@pytest.fixture(autouse=True)
def _enabled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pylance reads overlays where a variable of the environment asks for it."""
    monkeypatch.setenv("LANCE_ENABLE_UNSTABLE_DATA_OVERLAY_FILES", "1")


def table_of(rows: int, seed: int) -> pa.Table:
    """Numbered rows of several types, some of them null."""
    columns = {name: column(name, rows, 0.2, seed=seed) for name in NAMES}
    return pa.table({"id": np.arange(rows) + 1000 * seed, **columns})


def ids_of(field: Any, version: str) -> Iterator[int]:
    """The ids of the fields inside a field that have columns: all of 2.0, those with values."""
    children = field.children()
    if version == "2.0" or not children:
        yield field.id()
    for each in children:
        yield from ids_of(each, version)


def overlaid(place: Path, version: str, names: list[str], seed: int) -> Any:
    """Let pylance add an overlay of some columns to a fragment."""
    pylance = import_module("lance")
    rng = np.random.default_rng(seed)
    dataset = pylance.dataset(str(place))
    fields = [each for each in dataset.lance_schema.fields() if each.name() in names]
    ids = [number for each in fields for number in ids_of(each, version)]
    rows = [np.sort(rng.choice(ROWS // 2, 40, replace=False)).tolist() for _ in ids]
    values = table_of(40, seed).select([each for each in dataset.schema.names if each in names])
    path = place / "data" / f"overlay-{seed}.lance"
    with import_module("lance.file").LanceFileWriter(
        str(path), values.schema, version=version
    ) as writer:
        writer.write_batch(values)
    major, minor = map(int, version.split("."))
    data_file = import_module("lance.fragment").DataFile(
        path.name, ids, list(range(len(ids))), major, minor, path.stat().st_size
    )
    operation = pylance.LanceOperation
    one = operation.DataOverlayFile(data_file, rows[0] if seed % 2 else rows)
    group = operation.DataOverlay([operation.DataOverlayGroup(seed % 2, [one])])
    return pylance.LanceDataset.commit(str(place), group, read_version=dataset.version)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_overlays_are_read_as_pylance_reads_them(version: str, tmp_path: Path) -> None:
    """After each of several overlays, and after a deletion, all rows are as pylance reads them."""
    pylance, place = import_module("lance"), tmp_path / "a"
    pylance.write_dataset(
        table_of(ROWS, 0), str(place), data_storage_version=version, max_rows_per_file=ROWS // 2
    )
    names = [["id", "text"], ["text", "vector"], ["list", "dictionary"], ["struct", "int32"],
             ["id", "int32", "text"], ["list", "struct", "vector"]]  # fmt: skip
    for seed, each in enumerate(names, 1):
        theirs = overlaid(place, version, each, seed)
        check(place, theirs)
    theirs.delete("id % 7 = 1")
    check(place, pylance.dataset(str(place)))


def check(place: Path, theirs: Any) -> None:
    """Compare all rows, rows by number, and filtered rows."""
    ours, table = lance.open_dataset(place), theirs.to_table()
    assert difference(ours.to_table(), table) is None
    numbers = np.random.default_rng(1).integers(0, table.num_rows, 50)
    assert difference(ours.take(numbers), theirs.take(numbers.tolist())) is None
    assert ours.count("id >= 1000") == theirs.count_rows("id >= 1000")
    part = ours.scan(["text"], filter="id >= 1000").to_table()
    assert difference(part, theirs.to_table(columns=["text"], filter="id >= 1000")) is None
