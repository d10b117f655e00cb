"""Columns that are decoded for the rows that are left have the values that pyarrow reads."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.support.data_files import opened_file
from tests.support.iceberg_rows import (
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

from byteloom.datafiles.data_file import ALL_ROWS, Choice, RowFilter
from byteloom.datafiles.parquet_file import ParquetData
from byteloom.errors import ByteloomError, FormatError
from byteloom.limits import Limits
from byteloom.native.kernel import Kernel
from byteloom.parquet import plain_groups
from byteloom.storage.sources import FsspecSource, LocalSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.datafiles.data_file import Piece
    from byteloom.iceberg import NestedField, Table

ROWS, GROUP, COLUMNS = 90, 30, 120
PLAIN = [
    ("long", pa.int64()),
    ("string", pa.string()),
    ("double", pa.float64()),
    ("int", pa.int32()),
]
LIST = {"type": "list", "element-id": 1004, "element": "string", "element-required": False}
OTHERS: list[tuple[int, str, Any]] = [
    (1001, "flag", "boolean"),
    (1002, "price", "decimal(9, 2)"),
    (1003, "list", LIST),
]
KINDS = [(each + 1, f"c{each}", PLAIN[each % 4][0]) for each in range(COLUMNS)]


@cache
def rows(seed: int) -> pa.Table:
    """Return the rows of a file with nulls, repeated values, and columns that are not plain."""
    random = np.random.default_rng(seed)
    held = {}
    for each in range(COLUMNS):
        words = random.integers(0, (5, 1 << 30)[each % 3 == 0], ROWS)
        mask = random.random(ROWS) < (0, 0.2)[each % 5 == 0]
        values = [f"é{word}" for word in words] if each % 4 == 1 else words
        array = pa.array(values, mask=mask)
        held[each + 1, f"c{each}"] = array.cast(PLAIN[each % 4][1])
    held[1, "c0"] = pa.array(np.arange(ROWS) + seed * ROWS)
    held[1001, "flag"] = pa.array(random.random(ROWS) < 0.5)
    prices = [Decimal(int(each)) / 100 for each in random.integers(0, 99999, ROWS)]
    held[1002, "price"] = pa.array(prices, pa.decimal128(9, 2))
    element = pa.field("element", pa.string(), metadata={"PARQUET:field_id": "1004"})
    lists = [None if each % 4 == 0 else list("abc"[: each % 3]) for each in range(ROWS)]
    held[1003, "list"] = pa.array(lists, pa.list_(element))
    return arrow(held)


def table(root: Path, deletes: str = "none", *, count: int = 2, **options: Any) -> Table:
    """Return a table of some files, of three row groups each."""
    options = {"row_group_size": GROUP, "compression": "zstd"} | options
    files = [
        parquet(root / "data" / f"{each}.parquet", rows(each), **options) for each in range(count)
    ]
    maker = TableMaker(root, [*KINDS, *OTHERS], version=3 if deletes == "vectors" else 2)
    maker.commit(*files)
    gone = [0, 3, 29, 30, 61, 89]
    if deletes == "vectors":
        vectors = {each.path: np.array(gone) for each in files}
        maker.commit(*deletion_vectors(root / "data" / "dv.puffin", vectors))
    if deletes == "positions":
        pairs = [(each.path, row) for each in files for row in gone]
        maker.commit(position_deletes(root / "data" / "gone.parquet", pairs))
    return maker.open()


def by_library(scan: Any, monkeypatch: pytest.MonkeyPatch) -> pa.Table:
    """Return the rows of a scan, whose columns pyarrow decodes."""
    with monkeypatch.context() as patch:
        patch.setattr(Kernel, "is_worth_it", lambda *_: False)
        return scan.to_table()


@pytest.fixture(autouse=True)
def own_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decode plain columns by our own loop, however few they are."""
    monkeypatch.setattr(Kernel, "is_worth_it", lambda *_: True)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read each file by itself, as a file that is not small is read."""
    monkeypatch.setattr("byteloom.iceberg.reading.small_files._is_small", lambda *_: False)


def fields_of(of: Table) -> list[NestedField]:
    """Return all columns."""
    return list(of.schema.fields)


def pieces_of(of: Table, **options: Any) -> Iterator[Piece]:
    """Yield the pieces of the first file of a table."""
    path = next(iter(of.scan().plan().tasks())).file_path
    with closing(opened_file(LocalSource(path), **options)) as data:
        yield from data.pieces(fields_of(of), rows=ALL_ROWS)


def is_own(piece: Piece) -> bool:
    """Return whether our own loops have decoded columns of a piece."""
    return piece.checked > 0


def values_of(piece: Piece) -> list[list[Any]]:
    """Return the values of all columns of a piece, by the order of their ids."""
    held = zip(piece.fields, piece.arrays, strict=True)
    return [
        array.to_pylist()
        for _, array in sorted(held, key=lambda each: int(each[0].metadata[b"PARQUET:field_id"]))
    ]


@pytest.mark.parametrize("deletes", ["none", "vectors", "positions"])
@pytest.mark.parametrize("condition", [None, "c0 >= 25 and c0 < 70", "c1 = 'é3'", "c0 < 0"])
@pytest.mark.usefixtures("alone")
def test_same_rows(
    tmp_path: Path, deletes: str, condition: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are the same with filters and deletes, whichever way decodes them."""
    scan = table(tmp_path, deletes).scan()
    scan = scan if condition is None else scan.where(condition)
    assert scan.to_table() == by_library(scan, monkeypatch)


@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize("options", [
    {}, {"use_dictionary": False}, {"data_page_version": "2.0", "data_page_size": 64},
    {"write_page_checksum": True},
], ids=lambda options: next(iter(options), "as pyarrow writes"))  # fmt: skip
@pytest.mark.usefixtures("alone")
def test_codecs_and_pages(
    tmp_path: Path, codec: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of any codec and form of pages have the same rows."""
    of = table(tmp_path, compression=codec, **options)
    assert all(map(is_own, pieces_of(of)))
    scan = of.scan("c4 > 1").select("c0", *(f"c{each}" for each in range(20, COLUMNS)), "list")
    assert scan.to_table() == by_library(scan, monkeypatch)


def test_a_piece_is_a_row_group(tmp_path: Path) -> None:
    """Each row group that our own loops decode is a piece."""
    found = list(pieces_of(table(tmp_path)))
    assert [(each.start, each.rows) for each in found] == [(0, 30), (30, 30), (60, 30)]
    assert all(map(is_own, found))


def test_only_what_is_left_is_decoded(tmp_path: Path) -> None:
    """A filter gets its own columns; of the others the rows that it leaves are decoded, or none."""
    of, seen = table(tmp_path), list[list[str]]()

    def choose(piece: Piece) -> Choice:
        seen.append([each.name for each in piece.fields])
        first = piece.arrays[0].to_numpy()
        return Choice(keep=(first == 5) | (first == 88), marks=np.array([True]))

    path = next(iter(of.scan().plan().tasks())).file_path
    with closing(opened_file(LocalSource(path))) as data:
        found = list(data.pieces(fields_of(of), rows=RowFilter(frozenset({1}), choose)))
    assert seen == [["c0"]] * 3
    assert [each.left for each in found] == [1, 0, 1]
    assert [len(each.fields) for each in found] == [len(KINDS) + 3, 0, len(KINDS) + 3]
    whole = pa.Table.from_batches(of.scan().to_batches())
    for piece, row in ((found[0], 5), (found[2], 88)):
        held = dict(zip((each.name for each in piece.fields), piece.arrays, strict=True))
        assert {name: array.to_pylist() for name, array in held.items()} == {
            name: whole[name].slice(row, 1).to_pylist() for name in whole.schema.names
        }


def test_a_part_of_a_file(tmp_path: Path) -> None:
    """A part of a file has the row groups that begin in it, and filters leave out others."""
    of = table(tmp_path)
    task = next(iter(of.scan("c0 >= 65").plan().tasks()))
    metadata = pq.read_metadata(task.file_path)
    place = metadata.row_group(1).column(0).dictionary_page_offset
    with closing(opened_file(LocalSource(task.file_path))) as data:
        span = (place, place + 1)
        starts = [each.start for each in data.pieces(fields_of(of), span=span, rows=ALL_ROWS)]
        assert starts == [30]
        held = data.pieces(fields_of(of), task.residual, rows=ALL_ROWS)
        assert [each.start for each in held] == [60]


@pytest.mark.usefixtures("alone")
def test_other_encodings_are_left_to_pyarrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of which a column has another encoding, as its footer says, is left to pyarrow."""
    encoding = {f"c{each}": "PLAIN" for each in range(COLUMNS) if each != 52}
    of = table(
        tmp_path, use_dictionary=False, column_encoding=encoding | {"c52": "DELTA_BINARY_PACKED"}
    )
    assert not any(map(is_own, pieces_of(of)))
    reasons = {each.decoding and each.decoding.reason for each in of.scan().explain().groups}
    assert reasons == {"a column has another codec or encoding"}
    assert of.scan().to_table() == by_library(of.scan(), monkeypatch)


@pytest.mark.usefixtures("alone")
def test_an_error_of_a_filter_ends_reading(tmp_path: Path) -> None:
    """An error of a filter ends reading: pyarrow does not read the same rows again."""
    of, asked = table(tmp_path), []

    def choose(piece: Piece) -> Choice:
        asked.append(piece.start)
        raise FormatError("filter", None, "a value", "another")

    (path, *_) = [each.file_path for each in of.scan().plan().tasks()]
    with closing(opened_file(LocalSource(path))) as data:
        pieces = data.pieces(fields_of(of), rows=RowFilter(frozenset(), choose))
        with pytest.raises(FormatError, match="found a value, wanted another"):
            next(pieces)
    assert asked == [0]


def test_limits_bound_the_values_of_a_row_group(tmp_path: Path) -> None:
    """A row group whose values take one byte more than limits allow is left to pyarrow."""
    of = table(tmp_path)
    (path, *_) = [each.file_path for each in of.scan().plan().tasks()]
    footer = pq.read_metadata(path)
    names = {f"c{each}" for each in range(COLUMNS)} | {"flag", "price"}
    raw = [
        sum(
            footer.row_group(group).column(each).total_uncompressed_size
            for each in range(footer.num_columns)
            if footer.row_group(group).column(each).path_in_schema in names
        )
        for group in range(3)
    ]
    values = GROUP * (COLUMNS // 4 * (8 + 8 + 8 + 4) + 1 + 16)
    most = max(*raw, values)
    with closing(opened_file(LocalSource(path))) as data:
        assert isinstance(data.file, ParquetData)
        wanted = data.files.wanted(fields_of(of))
        assert data.file._file.decoding(wanted, most).own
        found = data.file._file.decoding(wanted, most - 1).reason
    assert found == f"a row group has {most} bytes"


@pytest.mark.usefixtures("alone")
def test_limits_bound_text_that_codes_repeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short codes of long text are left to pyarrow if their text exceeds limits."""
    columns = {(1, "c0"): pa.array(np.arange(GROUP))} | {
        (each + 1, f"c{each}"): pa.array(["x" * 1000] * GROUP) for each in range(1, COLUMNS)
    }
    kinds = [(each + 1, f"c{each}", "string" if each else "long") for each in range(COLUMNS)]
    file = parquet(tmp_path / "a.parquet", arrow(columns), row_group_size=10, compression="zstd")
    of = TableMaker(tmp_path, kinds).commit(file).open()
    size = 10 * 1000 * (COLUMNS - 1)
    assert not any(map(is_own, pieces_of(of, limits=Limits(decompressed_size=size))))
    of.limits = Limits(decompressed_size=size)
    assert of.scan().to_table() == by_library(of.scan(), monkeypatch)


def test_limits_bound_the_other_columns_of_a_row_group(tmp_path: Path) -> None:
    """Columns that are not plain are not held for a whole row group if they exceed limits."""
    element = pa.field("element", pa.string(), metadata={"PARQUET:field_id": "1004"})
    lists = pa.array([[str(each) for each in range(1000)]] * GROUP, pa.list_(element))
    columns = {(each + 1, f"c{each}"): pa.array(range(GROUP)) for each in range(COLUMNS)}
    held = arrow(columns | {(1003, "list"): lists})
    file = parquet(tmp_path / "a.parquet", held, row_group_size=10, compression="zstd")
    kinds = [(each + 1, f"c{each}", "long") for each in range(COLUMNS)]
    of = TableMaker(tmp_path, [*kinds, (1003, "list", LIST)]).commit(file).open()
    size = pq.ParquetFile(file.path).read_row_group(0, ["list"]).nbytes
    for most, is_late in ((size, True), (size - 1, False)):
        found = list(pieces_of(of, limits=Limits(decompressed_size=most)))
        assert all(is_own(each) == is_late for each in found)
        assert sum(each.rows for each in found) == GROUP


def test_a_large_row_group_that_grows_is_read_once(tmp_path: Path) -> None:
    """Values may take more bytes than the pages that our own loops choose a row group by."""
    words = np.random.default_rng(1).integers(0, 1000, 300_000)
    texts = [f"customer-{each:0100}" for each in words.tolist()]
    file = parquet(tmp_path / "a.parquet", arrow({(1, "name"): pa.array(texts)}))
    of = TableMaker(tmp_path, [(1, "name", "string")]).commit(file).open()
    (piece,) = pieces_of(of)
    assert is_own(piece)
    assert piece.arrays[0].nbytes > 8 * pq.read_metadata(file.path).row_group(0).total_byte_size


def test_columns_are_read_in_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns whose bytes exceed what is read at a time have the same values."""
    of = table(tmp_path)
    whole = [values_of(each) for each in pieces_of(of)]
    monkeypatch.setattr(plain_groups, "_READ", 1000)
    assert [values_of(each) for each in pieces_of(of)] == whole


def test_a_file_in_a_store(tmp_path: Path) -> None:
    """Scattered columns of a file in a store have the values that they have in a local file."""
    of = table(tmp_path)
    path = next(iter(of.scan().plan().tasks())).file_path
    store = fsspec.filesystem("memory")
    store.pipe_file("/lazy.parquet", Path(path).read_bytes())
    wanted = [each for at, each in enumerate(fields_of(of)) if at % 5]
    with (
        closing(opened_file(LocalSource(path))) as local,
        closing(opened_file(FsspecSource(store, "/lazy.parquet"))) as stored,
    ):
        found = [
            [values_of(each) for each in data.pieces(wanted, rows=ALL_ROWS)]
            for data in (local, stored)
        ]
    assert found[0] == found[1]
    assert len(found[0]) == 3


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("alone")
def test_damage_is_the_same_error(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed byte gives the error that it gives where pyarrow decodes all, or the right rows."""
    codec = ("none", "zstd", "snappy")[seed]
    of = table(tmp_path, count=1, write_page_checksum=True, compression=codec)
    path, whole = Path(next(iter(of.scan().plan().tasks())).file_path), outcome(of)
    sound, random, refused = path.read_bytes(), np.random.default_rng(seed), 0
    for place in random.integers(4, len(sound), 40).tolist():
        held = bytearray(sound)
        held[place] ^= 1 << int(random.integers(8))
        path.write_bytes(held)
        found = outcome(of)
        refused += isinstance(found, str)
        with monkeypatch.context() as patch:
            patch.setattr(Kernel, "is_worth_it", lambda *_: False)
            assert found == whole or found == outcome(of)
    assert refused > 10


def outcome(of: Table) -> pa.Table | str:
    """Return the rows of a table, or the error that they raise."""
    try:
        return replace(of.scan(), limit=None).to_table()
    except ByteloomError as error:
        return str(error)
