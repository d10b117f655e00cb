"""One question to an Iceberg table, put to byteloom, duckdb and polars by turns, and what it costs.

The rules:

- Each reader starts from the metadata file and hands on Arrow; rows are counted and dropped.
- Costs are seconds of all processors, user and system, and seconds by the clock; the least of some
  turns, since a busy machine only ever adds.
- A question that takes milliseconds is put again and again, for a tenth of a second.
- The readers run by turns, each in a process of its own, as their users run them: in one process
  what the threads of one still do, and the memory that it gives back, would be paid by the next.
- A ratio is ours over that of the better peer: below 1, byteloom needs less.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import gettempdir
from time import perf_counter
from typing import TYPE_CHECKING, Any

import duckdb
import duckdb_extension_avro
import duckdb_extension_iceberg
import numpy as np
from tests.support.iceberg_rows import (
    TableMaker,
    deletion_vectors,
    parquet,
    position_deletes,
)

from byteloom.iceberg import open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pyarrow as pa

    _Read = Callable[[Path, "Question"], int]

__all__ = ["Question", "compared", "kept_table"]

_TURN = 0.1
"""Seconds by the clock that the turn of a reader takes at least."""


@dataclass(frozen=True)
class Question:
    """What is asked.

    columns   names; none for a count of rows, None for all
    where     a condition in SQL; empty for no filter
    planning  whether only the data files are counted
    """

    columns: Sequence[str] | None = None
    where: str = ""
    planning: bool = False


def kept_table(
    name: str,
    columns: Sequence[tuple[int, str, object]],
    data: Iterable[pa.Table],
    deletes: str,
    gone: range,
    *,
    codec: str = "zstd",
) -> Path:
    """Return the metadata file of a table, which is written once for all runs on this machine.

    columns  id, name and type of each
    data     the rows of each data file
    deletes  ``none``, ``positions`` (a delete file for each data file) or ``vectors`` (all in one
             Puffin file)
    gone     the positions that are deleted in each data file
    codec    how pages of data files are compressed, in pyarrow's words
    """
    root = Path(gettempdir()) / "byteloom-tables-1" / name
    newest = root / "metadata" / ("v1.metadata.json" if deletes == "none" else "v2.metadata.json")
    if newest.exists():
        return newest
    files = [
        parquet(root / "data" / f"{number:06}.parquet", each, compression=codec)
        for number, each in enumerate(data)
    ]
    maker = TableMaker(root, columns, version=3 if deletes == "vectors" else 2).commit(*files)
    if deletes == "vectors":
        vectors = {each.path: np.array(gone) for each in files}
        maker.commit(*deletion_vectors(root / "data" / "dv.puffin", vectors))
    if deletes == "positions":
        maker.commit(
            *(
                position_deletes(
                    each.path.with_suffix(".deletes.parquet"),
                    ((each.path, row) for row in gone),
                    has_bounds=True,
                )
                for each in files
            )
        )
    maker.open()
    return newest


def compared(
    table: Path, question: Question, turns: int, *, polars: bool = True, pyiceberg: bool = False
) -> str:
    """Return a line of costs.

    polars     whether it can read the table at all
    pyiceberg  whether it is asked as well, where it can answer
    """
    readers = {"byteloom": _ours, "duckdb": _of_duckdb}
    if polars and not question.planning:
        readers["polars"] = _of_polars
    if pyiceberg and not question.planning and question.columns != ():
        readers["pyiceberg"] = _of_pyiceberg
    costs: dict[str, list[tuple[float, float]]] = {name: [] for name in readers}
    found = set()
    with ExitStack() as stack:
        processes = {name: stack.enter_context(_process()) for name in readers}
        for turn in range(turns + 1):
            for name, read in readers.items():
                answer, *cost = processes[name].submit(_timed, read, table, question).result()
                found.add(answer)
                if turn:  # the first one loads libraries and compiles
                    costs[name].append((cost[0], cost[1]))
    assert len(found) == 1, found
    least = {name: tuple(map(min, zip(*of, strict=True))) for name, of in costs.items()}
    parts = [f"{name} {cpu:.3f} s ({wall:.3f} by the clock)" for name, (cpu, wall) in least.items()]
    peers = [cpu for name, (cpu, _) in least.items() if name != "byteloom"]
    ratio = least["byteloom"][0] / min(peers)
    clock = least["byteloom"][1] / min(
        wall for name, (_, wall) in least.items() if name != "byteloom"
    )
    return f"{', '.join(parts)}; ratio to the better peer {ratio:.2f} ({clock:.2f} by the clock)"


def _process() -> ProcessPoolExecutor:
    """A process for a reader."""
    return ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"))


def _timed(read: _Read, table: Path, question: Question) -> tuple[int, float, float]:
    """What a reader finds, and its seconds of all processors and by the clock each time."""
    start, start_cpu = perf_counter(), _processors()
    clock, times = 0.0, 0
    while clock < _TURN:
        found = read(table, question)
        clock, times = perf_counter() - start, times + 1
    return found, (_processors() - start_cpu) / times, clock / times


def _processors() -> float:
    """Seconds of all processors so far."""
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _ours(table: Path, question: Question) -> int:
    """The number of rows, or of planned files, that byteloom finds."""
    scan = open_table(table).scan()
    if question.planning:
        return len(scan.plan())
    if question.where:
        scan = scan.where(question.where)
    if question.columns is not None:
        scan = scan.select(*question.columns)
    return sum(each.num_rows for each in scan.to_batches(ordered=False))


def _of_duckdb(table: Path, question: Question) -> int:
    """The number of rows, or of planned files, that duckdb finds."""
    connection = _duckdb()
    if question.planning:
        query = f"SELECT count(*) FROM iceberg_metadata('{table}')"  # noqa: S608
        return _number(connection.execute(query))
    columns = "*" if question.columns is None else ", ".join(question.columns)
    where = f" WHERE {question.where}" if question.where else ""
    if not columns:
        query = f"SELECT count(*) FROM iceberg_scan('{table}'){where}"  # noqa: S608
        return _number(connection.execute(query))
    query = f"SELECT {columns} FROM iceberg_scan('{table}'){where}"  # noqa: S608
    return int(connection.execute(query).to_arrow_table().num_rows)


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    """A connection that knows Iceberg."""
    connection = duckdb.connect()
    for each in (duckdb_extension_avro, duckdb_extension_iceberg):
        (path,) = Path(each.__path__[0]).glob("extensions/*/*.duckdb_extension")
        connection.load_extension(str(path))
    return connection


def _number(answer: Any) -> int:
    """The only value of an answer of one row."""
    return int(answer.fetchone()[0])


def _of_polars(table: Path, question: Question) -> int:
    """The number of rows that polars finds with its own reader."""
    import polars as pl

    frame = pl.scan_iceberg(str(table), reader_override="native")
    if question.where:
        frame = frame.filter(pl.sql_expr(question.where))
    if question.columns is not None and not question.columns:
        return int(frame.select(pl.len()).collect().item())
    if question.columns is not None:
        frame = frame.select(*question.columns)
    return int(frame.collect().to_arrow().num_rows)


def _of_pyiceberg(table: Path, question: Question) -> int:
    """The number of rows that PyIceberg finds."""
    from pyiceberg.expressions import AlwaysTrue
    from pyiceberg.table import StaticTable

    scan = StaticTable.from_metadata(str(table)).scan(
        row_filter=question.where or AlwaysTrue(), selected_fields=tuple(question.columns or "*")
    )
    return int(scan.to_arrow().num_rows)
