"""Options without a value: each is an error, and never changes what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.support.spark_sources import registered

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = [
    f"byteloom.{name}" for name in ("iceberg", "hfile", "hudi", "lance", "puffin", "records")
]
SPEC = """
meta: {id: x, endian: le}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: a, type: u1}]}}
"""


@pytest.mark.parametrize("name", SOURCES)
def test_no_columns_are_refused(name: str) -> None:
    """An empty list of columns is refused, since Spark would count no rows."""
    with pytest.raises(FormatError, match=r"option columns: found '\[\]', wanted names with comm"):
        registered(name)({"path": "x", "columns": "[]"})


@pytest.mark.parametrize("name", SOURCES)
def test_an_empty_path_is_not_the_working_directory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty path is refused, and does not mean the working directory."""
    (tmp_path / "a").write_bytes(b"a")
    monkeypatch.chdir(tmp_path)
    spec = {"spec": SPEC} if name == "byteloom.records" else {}
    with pytest.raises(FormatError, match="option path: found nothing, wanted"):
        _planned(registered(name)({"path": "", **spec}))


def _planned(source: Any) -> Any:
    """The partitions of all rows."""
    return source.reader(source.schema()).partitions()


def test_an_empty_spec_is_none() -> None:
    """The error for an empty spec asks for a path or a text."""
    with pytest.raises(FormatError, match="option spec: found nothing, wanted the path or the te"):
        registered("byteloom.records")({"path": "x", "spec": ""}).schema()
