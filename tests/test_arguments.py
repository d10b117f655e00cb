"""Mistakes of callers: an error of their own, which is never that of damage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.spark_tables import deleted_table

from byteloom import hfile, lance, puffin
from byteloom.errors import ArgumentError, ByteloomError, FormatError
from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a table, a Lance file and an HFile."""
    made = tmp_path_factory.mktemp("files")
    deleted_table(made / "table", files=1, rows=5)
    with lance.LanceWriter(made / "a.lance", pa.schema({"x": pa.int64()})) as writer:
        writer.write(pa.table({"x": [1, 2]}))
    with hfile.HFileWriter(made / "a.hfile") as cells:
        cells.write(pa.table({"row": ["a"], "value": ["1"]}))
    return made


def _table(ask: Callable[[Any], Any]) -> Callable[[Path], Any]:
    return lambda folder: ask(open_table(folder / "table"))


def _lance(ask: Callable[[Any], Any]) -> Callable[[Path], Any]:
    def asked(folder: Path) -> Any:
        with lance.open(folder / "a.lance") as file:
            return list(ask(file))

    return asked


def _hfile(ask: Callable[[Any], Any]) -> Callable[[Path], Any]:
    def asked(folder: Path) -> Any:
        with hfile.open(folder / "a.hfile") as file:
            return list(ask(file))

    return asked


@pytest.mark.parametrize(
    "ask",
    [
        _table(lambda table: table.scan(columns=["nope"]).to_table()),
        _table(lambda table: table.scan("nope = 1").plan()),
        _table(lambda table: table.scan("id = ")),
        _table(lambda table: table.scan(snapshot=7)),
        _table(lambda table: table.scan(ref="nope")),
        _table(lambda table: table.scan(as_of="1970-01-01")),
        _table(lambda table: table.scan().to_batches(threads=0)),
        _table(lambda table: table.metadata_table("nope")),
        _lance(lambda file: file.scan(["nope"])),
        _lance(lambda file: file.take([2])),
        _lance(lambda file: file.take(["x"])),
        _lance(lambda file: file.scan(rows=range(1, 9))),
        _hfile(lambda file: file.get(7)),
        _hfile(lambda file: file.batches(["nope"])),
        lambda _: puffin.ThetaSketchBuilder(k=7),
        lambda _: puffin.ThetaSketch.from_arrow([1, 2]),
        lambda _: puffin.DeletionVector.from_positions([-1]),
        lambda folder: hfile.HFileWriter(folder / "b.hfile", profile="nope"),  # type: ignore[arg-type]
        lambda folder: lance.LanceWriter(folder / "b", pa.schema({}), page_size=0),
    ],
)
def test_what_a_caller_asks_for_wrongly_is_an_argument_error(
    folder: Path, ask: Callable[[Path], Any]
) -> None:
    """An unknown name or a value of another kind says which argument, and no place in a file."""
    with pytest.raises(ArgumentError) as refused:
        list(ask(folder))
    assert refused.value.offset is None
    assert refused.value.path


def test_damage_is_never_an_argument_error(folder: Path, tmp_path: Path) -> None:
    """What is wrong with a file has another class; both are errors of one family."""
    damaged = tmp_path / "a.lance"
    damaged.write_bytes((folder / "a.lance").read_bytes()[:-1] + b"x")
    with pytest.raises(FormatError) as refused:
        lance.open(damaged)
    assert not isinstance(refused.value, ArgumentError)
    assert issubclass(ArgumentError, ByteloomError)
