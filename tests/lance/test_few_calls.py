"""Pages are decoded together, and what is known of equal ends of files is kept.

Only the time shows that, so calls of internals are counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from tests.lance.test_looked_up import few
from tests.lance.test_small_fragments import FRAGMENTS, table
from tests.lance.test_together import ROWS, coded_texts, wide
from tests.support.written_lance import VERSIONS, written

from byteloom import lance
from byteloom.lance import reader_choice
from byteloom.lance import tail as tails
from byteloom.lance.dataset import scan
from byteloom.lance.decoding import Group
from byteloom.lance.pages20.leaf import ColumnPages
from byteloom.lance.pages21.mini_block import MiniBlockPages
from byteloom_generated.lance.file2 import ColumnMetadata

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def noted(
    monkeypatch: pytest.MonkeyPatch, of: type[Any], name: str, what: Callable[..., int]
) -> list[int]:
    """What a function of the arguments gives for each call of a method, from here on."""
    found: list[int] = []
    method = getattr(of, name)

    def called(self: Any, *args: Any, **more: Any) -> Any:
        found.append(what(self, *args))
        return method(self, *args, **more)

    monkeypatch.setattr(of, name, called)
    return found


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of pages that are decoded in a call, one after the other."""
    return noted(monkeypatch, MiniBlockPages, "__init__", lambda _, pages, *__: len(pages))


@pytest.mark.parametrize("version", ["2.0", *VERSIONS])
def test_plain_columns_of_a_wide_file_have_no_readers(version: str) -> None:
    """Numbers and texts of a wide file are decoded without a reader for each, lists by theirs."""
    rows, columns = range(5, 700), wide()
    with lance.open(written(columns, version)) as file:
        readers = file.readers(file.fields, rows)
        for name, each in zip(columns.column_names, readers, strict=True):
            if name[:-2] not in {"list", "struct", "constant"}:
                assert not each.leaves or (version == "2.0" and name.startswith("few"))
        assert all(each.leaves for each in file.readers(file.fields[:15], range(900)))


def test_metadata_of_a_wide_file_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of a wide file that need readers are made of the metadata that was read for all."""
    with lance.open(written(wide(), "2.1")) as file:
        readers = file.readers(file.fields, range(3))
        monkeypatch.setattr(file, "data", None)
        again = file.readers(file.fields)
    assert {each.length for each in again} == {ROWS}
    assert any(each.leaves for each in readers)


def test_pages_of_many_columns_are_decoded_in_one_call(seen: list[int]) -> None:
    """The pages of fifty columns with one layout and type are decoded in one call."""
    columns = pa.table({f"c{i}": np.arange(ROWS) * (i + 1) for i in range(50)})
    with lance.open(written(columns, "2.1")) as file:
        file.to_table()
    assert seen == [50]


def test_pages_of_version_2_0_are_decoded_in_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """In 2.0 too the pages of columns of one type are decoded in one call: numbers, and texts."""
    found = noted(monkeypatch, Group, "decode", lambda group: len(group.pieces))
    some = [None if each % 7 == 0 else f"text {each}" for each in range(ROWS)]
    columns = {f"n{i}": pa.array(np.arange(ROWS) * (i + 1)) for i in range(5)}
    columns |= {f"t{i}": pa.array([f"{each} {i}" for each in range(ROWS)]) for i in range(4)}
    columns |= {f"s{i}": pa.array(some[i:] + some[:i]) for i in range(3)}
    with lance.open(written(pa.table(columns), "2.0")) as file:
        file.to_table()
    assert sum(found) == 12
    assert len(found) <= 3


def test_small_pages_of_a_column_are_decoded_ahead(seen: list[int]) -> None:
    """A scan decodes the next pages of its column in one call, but none past its rows."""
    values = np.random.default_rng(5).integers(0, 1000, 40_000)
    with lance.open(written(pa.table({"c": values}), "2.1", page_size=16_000)) as file:
        pages = len(file.columns()[0].pages)
        first = file.columns()[0].pages[3].first
        file.to_table()
        list(file.scan(batch_size=700).batches())
        file.scan(rows=range(first - 1, first + 1)).to_table()
    assert seen == [pages, pages, 2]


@pytest.mark.parametrize("version", VERSIONS)
def test_texts_with_a_symbol_table_in_each_page_are_decoded_in_one_call(
    version: str, seen: list[int]
) -> None:
    """Rows of pages that each have a symbol table are taken, or read, by one call for all pages."""
    with lance.open(coded_texts(version)[1]) as file:
        pages = len(file.columns()[0].pages)
        file.take(list(range(0, 9000, 700)))
        file.to_table()
    assert seen == [pages, pages]


@pytest.mark.parametrize("has_nulls", [False, True])
@pytest.mark.parametrize("count", [2, 5000])
def test_rows_of_several_dictionaries_are_taken_without_opening_pages(
    has_nulls: bool, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the last page, which has few rows and no dictionary, is opened for its rows."""
    found = noted(monkeypatch, ColumnPages, "page", lambda _, number: int(number))
    rows, data = few(has_nulls=has_nulls)
    (tmp_path / "few.lance").write_bytes(data)
    with lance.open(tmp_path / "few.lance") as file:
        file.take(np.linspace(0, len(rows) - 1000, count).astype(np.int64))
        assert not found
        file.take([5, 3000, len(rows) - 1])
        assert found == [len(file.columns()[0].pages) - 1]


def test_pages_of_many_fragments_are_decoded_in_few_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages of a column in all fragments that are open at a time are decoded together."""
    rows = lance.write_dataset(tmp_path / "small.lance", table(), max_rows_per_file=10)
    found = noted(monkeypatch, MiniBlockPages, "whole", lambda _: 1)
    assert len(rows.to_table(["t"])) == 10 * FRAGMENTS
    assert len(found) <= 2 * (FRAGMENTS // scan.MOST_FRAGMENTS + 1)


def test_columns_with_one_page_each_are_parsed_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The messages of columns with a page each are parsed in two calls, not one for each column."""
    calls: list[int] = []
    parse = ColumnMetadata.parse

    def counted(data: bytes, **how: Any) -> Any:
        calls.append(len(data))
        return parse(data, **how)

    monkeypatch.setattr(ColumnMetadata, "parse", counted)
    with lance.open(written(pa.table({each: range(77) for each in "abcd"}), "2.1")) as file:
        assert len(file.columns()) == 4
    assert len(calls) == 2


def test_few_ends_of_files_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest end of a file makes way, and a long one is not kept at all."""
    monkeypatch.setattr(tails, "_tails", {})
    monkeypatch.setattr(tails, "_lengths", [])
    monkeypatch.setattr(tails, "_MOST", 2)
    for rows in (1, 300, 5000):
        lance.open(written(pa.table({"c": np.arange(rows)}), "2.1")).close()
    with lance.open(written(pa.table({"c": np.arange(5000)}), "2.1")) as newest:
        assert newest.tail in [tail for _, tail in tails._tails.values()]
    assert len(tails._tails) == 2
    lance.open(written(pa.table({f"c{i}": [i] for i in range(300)}), "2.1")).close()
    assert len(tails._tails) == 2


def test_a_dataset_that_is_opened_again_has_its_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers are made once for equal fields; one that differs gets its own."""
    made: list[str] = []
    reader_of = reader_choice.reader_of

    def counted(file: Any, field: Any) -> Any:
        made.append(field.name)
        return reader_of(file, field)

    monkeypatch.setattr(reader_choice, "reader_of", counted)
    monkeypatch.setattr(tails, "_tails", {})
    place = tmp_path / "table.lance"
    lance.write_dataset(place, pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]}))
    for _ in range(2):
        assert lance.open_dataset(place).take([2, 0])["b"].to_pylist() == ["z", "x"]
        assert made == ["a", "b"]
    (data,) = (place / "data").iterdir()
    with lance.open(data) as file:
        file.reader(replace(file.fields[0], nullable=False))
        file.reader(replace(file.fields[1], name="c"))
    assert made == ["a", "b", "a", "c"]
