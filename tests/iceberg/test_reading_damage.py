"""Damaged data files that libraries misread or crash on are refused."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from tests.support.iceberg_rows import File, TableMaker, arrow, parquet

from byteloom.datafiles.damage import about
from byteloom.errors import ByteloomError, FormatError
from byteloom.parquet.footer import check_footer
from byteloom.storage.sources import BytesSource

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

COLUMNS = [(1, "x", "long"), (2, "s", "string")]
ROWS = arrow(
    {
        (1, "x"): pa.array(range(20), pa.int64()),
        (2, "s"): pa.array([f"v{each}" for each in range(20)]),
    }
)


def said(footer: Any, encrypted: Collection[int] = ()) -> list[Any]:
    """Return all statistics of a footer except those of encrypted columns."""
    groups = [footer.row_group(each) for each in range(footer.num_row_groups)]
    leaves = [each for each in range(footer.num_columns) if each not in encrypted]
    chunks = [group.column(each) for group in groups for each in leaves]
    reported = [each.statistics for each in chunks]
    return [each.min_raw for each in reported if each is not None and each.has_min_max]


def test_no_footer_ends_the_process() -> None:
    """A footer with any bit flipped is refused, or its statistics can be read safely.

    Without a check, pyarrow ends the process where a column chunk is of another type than its
    column.
    """
    written = BytesIO()
    pq.write_table(ROWS, written)
    data = written.getvalue()
    first = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = set()
    for place in range(first, len(data) - 8):
        for bit in range(8):
            changed = bytearray(data)
            changed[place] ^= 1 << bit
            try:
                footer = pq.ParquetFile(pa.BufferReader(bytes(changed))).metadata
            except (pa.ArrowException, OSError, ValueError):
                continue
            try:
                encrypted = check_footer(footer, BytesSource(bytes(changed)))
            except FormatError as error:
                refused.add(error.found)
                continue
            said(footer, encrypted)
    assert {"another type", "another number of levels"} <= refused


def test_sound_footers_are_taken() -> None:
    """A valid footer of nested columns, all types and many row groups is accepted."""
    written = BytesIO()
    held = {
        "list": pa.array([[1, None], None, []] * 20, pa.list_(pa.int32())),
        "flag": pa.array([True, None, False] * 20),
        "fixed": pa.array([b"ab", b"cd", None] * 20, pa.binary(2)),
        "double": pa.array([1.5, None, 2.5] * 20),
        "struct": pa.array([{"a": 1.5}, None, {"a": None}] * 20, pa.struct([("a", pa.float32())])),
        "moment": pa.array([0, None, 1] * 20, pa.timestamp("ns")),
    }
    pq.write_table(pa.table(held), written, row_group_size=7, use_deprecated_int96_timestamps=True)
    footer = pq.ParquetFile(written).metadata
    check_footer(footer, BytesSource(written.getvalue()))
    assert said(footer)


def test_no_rows_are_lost_where_a_page_is_damaged(tmp_path: Path) -> None:
    """A page that ends before its rows is refused, where pyarrow would return fewer rows."""
    file = parquet(tmp_path / "a.parquet", ROWS)
    data = file.path.read_bytes()
    table = TableMaker(tmp_path, COLUMNS).commit(File(file.path, 20)).open()
    (task,) = table.scan().plan()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    short = 0
    for place in range(end):
        for bit in (1, 5):
            changed = bytearray(data)
            changed[place] ^= 1 << bit
            file.path.write_bytes(changed)
            try:
                rows = task_rows(table, task)
            except ByteloomError as error:
                short += "rows of row groups" in str(error) or "same size" in str(error)
            else:
                assert rows == 20
    assert short


def task_rows(table: Any, task: Any) -> int:
    """Return how many rows a task gives, all of them valid."""
    from byteloom.iceberg.reading.task import read_task

    held = read_task(table, task).read_all()
    held.validate(full=True)
    return int(held.num_rows)


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
@pytest.mark.parametrize("is_coded", [False, True])
def test_text_is_text(tmp_path: Path, kind: str, is_coded: bool) -> None:
    """Invalid UTF-8 is refused in every format, in dictionaries too."""
    text = ["good-text"] * 30 if is_coded else [f"good-text{each}" for each in range(30)]
    table = pa.table({"s": pa.array(text)})
    path = tmp_path / f"a.{kind}"
    if kind == "parquet":
        pq.write_table(table, path, compression="none", use_dictionary=is_coded)
    elif kind == "orc":
        orc.write_table(table, path, compression="uncompressed", dictionary_key_size_threshold=1.0)
    else:
        _avro(path, text)
    path.write_bytes(path.read_bytes().replace(b"good-", b"good\xff"))
    mapped = {"schema.name-mapping.default": '[{"field-id": 1, "names": ["s"]}]'}
    maker = TableMaker(tmp_path, [(1, "s", "string")], properties=mapped)
    with pytest.raises(FormatError, match=rf"a\.{kind}.*(UTF|utf)"):
        maker.commit(File(path, 30)).open().scan().to_table()


def _avro(path: Path, text: list[str]) -> None:
    """Write an Avro file of text."""
    import fastavro

    of = {"type": "record", "name": "r", "fields": [{"name": "s", "type": "string"}]}
    with path.open("wb") as out:
        fastavro.writer(out, of, [{"s": each} for each in text])


@pytest.mark.parametrize(
    ("name", "path", "is_named"),
    [
        ("f", "footer.size", False),
        ("f", "self", False),
        ("f", "", False),
        ("/t/a.orc", "footer", False),
        ("/t/a.orc", "/t/a.orc", True),
        ("/t/a.orc", "/t/a.orc.footer", True),
        ("/t/a.orc", "file:/t/a.orc[3]", True),
        ("/t/a", "/t/a2.footer", False),
    ],
)
def test_errors_name_their_file_once(name: str, path: str, is_named: bool) -> None:
    """An error has the name of its file once, even if the field's name contains it."""
    error = FormatError(path, None, "1", "2")
    with pytest.raises(FormatError) as caught, about(name):
        raise error
    assert caught.value is error
    assert (error.path, error.file) == (path, None if is_named else name)


@pytest.mark.parametrize("asked", [None, "k = 7", "k = 7 or k is null"])
def test_rows_that_their_manifest_does_not_count_are_no_silent_loss(
    tmp_path: Path, asked: str | None
) -> None:
    """A record count of 0 that is wrong costs no row, in data and in delete files."""
    rows = arrow({(1, "k"): pa.array([7, 8, 9], pa.int64())})
    file = parquet(tmp_path / "a.parquet", rows)
    columns = [(1, "k", "long")]
    wrong = File(file.path, 0)
    table = TableMaker(tmp_path, columns).commit(wrong).open()
    scan = table.scan(asked) if asked else table.scan()
    assert scan.to_table()["k"].to_pylist() == ([7] if asked else [7, 8, 9])
    assert scan.explain_file(str(file.path)).rule is None
    deletes = parquet(tmp_path / "d.parquet", rows.slice(0, 1))
    gone = File(deletes.path, 0, content=2, equality_ids=[1])
    table = TableMaker(tmp_path, columns).commit(File(file.path, 3)).commit(gone).open()
    scan = table.scan(asked) if asked else table.scan()
    assert scan.to_table()["k"].to_pylist() == ([] if asked else [8, 9])
