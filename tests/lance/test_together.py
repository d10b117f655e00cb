"""Small pages of many columns, decoded together, have the values that each has by itself."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from tests.support.lance_tables import difference
from tests.support.written_lance import HARD, VERSIONS, hard, written

from byteloom import lance
from byteloom.errors import ByteloomError, FormatError
from byteloom_generated.lance.file2 import ColumnMetadata

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 900


def wide() -> pa.Table:
    """Three columns of each kind, with nulls or without, of a few kilobytes each."""
    random = np.random.default_rng(3)
    few = pa.array(["few", "words", "of text"]).take(pa.array(random.integers(0, 3, ROWS)))
    kinds: dict[str, Callable[[int], pa.Array]] = {
        "number": lambda i: pa.array(random.integers(0, 1000 << i, ROWS)),
        "nulls": lambda _: pa.array(random.integers(0, 99, ROWS), mask=random.random(ROWS) < 0.1),
        "double": lambda _: pa.array(random.random(ROWS)),
        "text": lambda i: pa.array([f"{i} {each}" for each in random.random(ROWS).tolist()]),
        "few": lambda i: few.take(pa.array(np.arange(ROWS)[::-1] if i else np.arange(ROWS))),
        "constant": lambda i: pa.array([i] * ROWS),
        "list": lambda i: pa.array([[each, i] for each in range(ROWS)]),
        "struct": lambda i: pa.array([{"a": each, "b": each % 5 + i} for each in range(ROWS)]),
        "bits": lambda _: pa.array(random.random(ROWS) < 0.5),
        "time": lambda _: pa.array(random.integers(0, 86_400, ROWS, np.int32), pa.time32("s")),
    }
    return pa.table({f"{name} {i}": made(i) for i in range(3) for name, made in kinds.items()})


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_columns_of_a_wide_table_are_what_was_written(version: str) -> None:
    """A wide table is read as it was written: whole, in batches, in a range, by row numbers."""
    table = wide()
    rows = [3, 700, 899]
    with lance.open(written(table, version)) as file:
        assert difference(file.to_table(), table) is None
        batches = pa.Table.from_batches(file.scan(batch_size=100).batches())
        assert difference(batches, table) is None
        part = file.scan(rows=range(50, 777)).to_table()
        assert difference(part, table.slice(50, 727)) is None
        assert difference(file.take(rows), table.take(rows)) is None


@pytest.mark.parametrize("name", HARD)
def test_columns_of_every_kind_are_what_was_written(name: str) -> None:
    """Two copies of each column, with pages that end at different rows, are read as written."""
    table = hard(name)
    twice = table.rename_columns([f"{each} 0" for each in table.column_names])
    for each, column in zip(table.column_names, table.columns, strict=True):
        twice = twice.append_column(table.schema.field(each).with_name(f"{each} 1"), column)
    with lance.open(written(twice, "2.2", page_size=twice.nbytes // 5 + 1)) as file:
        assert difference(file.to_table(), twice) is None
        batches = pa.Table.from_batches(file.scan(batch_size=77).batches(), twice.schema)
        assert difference(batches, twice) is None


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_last_rows_of_a_wide_file_are_what_was_written(version: str) -> None:
    """Columns that were decoded together, and others, give the same rows, wherever these begin."""
    table = pa.table({f"c{number}": np.arange(900) * number for number in range(20)})
    table = table.append_column("list", pa.array([[each, 7] for each in range(900)]))
    with lance.open(written(table, version)) as file:
        batches = file.scan(rows=range(800, 900), batch_size=7).batches()
        found = pa.Table.from_batches(batches, table.schema)
    assert difference(found, table.slice(800)) is None


def coded_texts(version: str) -> tuple[pa.Table, bytes]:
    """Texts with symbol tables, in several pages, and the file of them."""
    texts = [None if n % 11 == 0 else f"https://byteloom.example/{n % 97}/{n}" for n in range(9000)]
    field = pa.field("c", pa.string(), metadata={"lance-encoding:compression": "fsst"})
    table = pa.table({"c": texts}, pa.schema([field]))
    return table, written(table, version, page_size=60_000)


@pytest.mark.parametrize("version", VERSIONS)
def test_texts_with_a_symbol_table_in_each_page_are_read(version: str) -> None:
    """Rows of pages that each have a symbol table are taken, or read whole, as written."""
    table, data = coded_texts(version)
    with lance.open(data) as file:
        tables = {each.encoding.data for each in file.columns()[0].pages}
        assert len(file.columns()[0].pages) == len(tables) >= 4
        rows = list(range(0, 9000, 700))
        assert difference(file.take(rows), table.take(rows)) is None
        assert difference(file.to_table(), table) is None


@pytest.mark.parametrize("version", VERSIONS)
def test_damaged_symbol_tables_are_named_as_if_their_page_were_read_alone(version: str) -> None:
    """Damage in a page with a symbol table gives the error, or the rows, of that page alone."""
    _, sound = coded_texts(version)
    with lance.open(sound) as file:
        starts = [each.first for each in file.columns()[0].pages] + [9000]
        place = file.tail.columns[0]
    random = np.random.default_rng(5)
    refused = 0
    for number in range(80):
        data = bytearray(sound)
        # Symbol tables are in the metadata of the column, codes in the pages.
        at = place.offset + int(random.integers(0, place.size)) if number % 2 else number * 997
        data[at] ^= 1 << int(random.integers(0, 8))
        results = []
        for bounds in ([0, 9000], starts):
            try:
                with lance.open(bytes(data)) as file:
                    parts = [
                        file.scan(rows=range(first, last)).to_table()["c"].to_pylist()
                        for first, last in pairwise(bounds)
                    ]
                results.append(repr([each for part in parts for each in part]))
            except ByteloomError as error:
                results.append(str(error))
        assert results[0] == results[1]
        refused += "wanted" in results[0]
    assert refused > 10


def outcome(data: bytes, names: list[str] | None = None) -> str | pa.Table:
    """Return all rows of some columns, or the error; None for all columns, read together."""
    try:
        with lance.open(data) as file:
            table = file.to_table(names)
            table.validate(full=True)
            return table
    except ByteloomError as error:
        return str(error)


def alone(data: bytes, name: str, sound: pa.Table) -> str | pa.Table:
    """Return the rows of *sound* with the one damaged column as it is read alone, or its error."""
    found = outcome(data, [name])
    if isinstance(found, str):
        return found
    return sound.set_column(sound.column_names.index(name), name, found[name])


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_damage_is_named_as_if_its_column_were_read_alone(version: str) -> None:
    """Damage gives the same error, or the same values, as where its column is read alone."""
    kept = [each for each in wide().column_names if "constant" not in each]
    table = wide().select(kept)
    data = written(table, version)
    with lance.open(data) as file:
        sound = file.to_table()
        places = [
            (field.name, page.buffers[:2])
            for field in file.fields
            for each in file.columns(file.column_map.of(field))
            for page in each.pages
            if page.buffers
        ]
    random = np.random.default_rng(7)
    refused = 0
    for number in range(60):
        damaged = bytearray(data)
        name, buffers = places[number % len(places)]
        at, size = buffers[int(random.integers(0, len(buffers)))]
        damaged[at + int(random.integers(0, min(size, 40)))] ^= 1 << int(random.integers(0, 8))
        together = outcome(bytes(damaged))
        assert together == alone(bytes(damaged), name, sound)
        refused += isinstance(together, str)
    assert refused > (5 if version == "2.0" else 15)


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_damaged_metadata_is_named_as_if_its_column_were_read_alone(version: str) -> None:
    """Damage of a column's metadata gives the same error as where the column is read alone."""
    data = written(wide(), version)
    with lance.open(data) as file:
        sound = file.to_table()
        places = [
            (field.name, file.tail.columns[number])
            for field in file.fields
            for number in file.column_map.of(field)
        ]
    random = np.random.default_rng(11)
    refused = 0
    for number in range(150):
        damaged = bytearray(data)
        name, place = places[number % len(places)]
        at = place.offset + int(random.integers(0, place.size))
        damaged[at] ^= 1 << int(random.integers(0, 8))
        together = outcome(bytes(damaged))
        assert together == alone(bytes(damaged), name, sound)
        refused += isinstance(together, str)
    assert refused > 50


def moved(data: bytes, number: int, past: int) -> bytes:
    """Return a file in which the buffer of a column ends *past* bytes after where buffers may."""
    with lance.open(data) as file:
        extent = file.tail.columns[number]
        end = file.tail.at
        (page,) = file.columns([number])[0].pages
    stored = data[extent.offset : extent.offset + extent.size]
    message = ColumnMetadata.parse(stored)
    message.pages[0].buffer_offsets[-1] = end + past - page.buffers[-1][1]
    changed = message.SerializeToString()
    assert len(changed) == len(stored)
    return data[: extent.offset] + changed + data[extent.offset + extent.size :]


@pytest.mark.parametrize("number", [17, 18, 19])
def test_buffers_of_many_columns_end_before_the_footer(number: int) -> None:
    """A buffer that ends where the footer begins is read; one that ends later is refused."""
    random = np.random.default_rng(9)
    names = [f"c{each}" for each in range(20)]
    data = written(
        pa.table({each: random.integers(-1 << 62, 1 << 62, ROWS) for each in names}), "2.0"
    )
    with lance.open(moved(data, number, 0)) as file:
        together = file.to_table()
        alone = file.to_table(columns=[names[number]])
    assert together.select([names[number]]).equals(alone)
    for asked in (names, [names[number]]):
        with (
            lance.open(moved(data, number, 1)) as file,
            pytest.raises(FormatError, match=rf"^columns\[{number}\]\.pages\[0\]\.buffers\[0\]"),
        ):
            file.to_table(columns=asked)
