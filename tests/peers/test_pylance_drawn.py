"""Drawn tables, written by us and read by pylance, and the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from tests.support import pylance_files
from tests.support.drawn import examples
from tests.support.drawn_tables import tables
from tests.support.lance_tables import compact, difference

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

VERSIONS = ["2.0", "2.1", "2.2"]


def numbers(table: pa.Table) -> list[int]:
    """The numbers of some rows."""
    rows = table.num_rows
    return sorted({0, rows // 3, rows // 2, rows - 1}) if rows else []


def picked(table: pa.Table) -> pa.Table:
    """Rows by their numbers; Arrow's own `take` is wrong for slices of nested fixed-size lists."""
    return pa.concat_tables([table[:0], *(table.slice(each, 1) for each in numbers(table))])


def check_ours(place: Path, table: pa.Table) -> None:
    """Read a file whole, by numbers and in part; it must be *table*."""
    with lance.open(place) as file:
        assert difference(file.to_table(), table) is None
        assert difference(file.take(numbers(table)), picked(table)) is None
        half = range(table.num_rows // 3, table.num_rows)
        found = file.scan(rows=half, batch_size=100).to_table()
        assert difference(found, table.slice(half.start)) is None


@pytest.mark.parametrize("version", VERSIONS)
@examples(1)
@given(data=st.data())
def test_what_we_write_is_read_as_it_was_given(
    version: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A drawn table that we write is read as it was given, by pylance and by us."""
    from lance.file import LanceFileReader

    table = data.draw(tables(version=version))
    place = tmp_path_factory.getbasetemp() / "ours.lance"
    size = 1 + table.nbytes // data.draw(st.sampled_from([1, 1, 7]))
    with lance.LanceWriter(place, table.schema, version=version, page_size=size) as writer:
        writer.write(table)
    check_ours(place, table)
    peer: Any = LanceFileReader(str(place))
    assert difference(peer.read_all().to_table(), table, by_peer=True) is None
    if rows := table.num_rows:
        found = peer.take_rows(numbers(table)).to_table()
        assert difference(found, picked(table), by_peer=True) is None
        found = peer.read_range(rows // 3, rows // 2).to_table()
        assert difference(found, table.slice(rows // 3, rows // 2), by_peer=True) is None


@pytest.mark.parametrize("version", VERSIONS)
@examples(1)
@given(data=st.data())
def test_what_pylance_writes_is_read_as_it_reads_it(
    version: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A drawn table that pylance writes is read as pylance reads it, whole and in parts."""
    from lance.file import LanceFileReader

    table = compact(data.draw(tables(version=version)))
    assume(version != "2.0" or "_view" not in str(table.schema))
    place = tmp_path_factory.getbasetemp() / "theirs.lance"
    try:
        pylance_files.written(place, table, version)
    except BaseException as error:  # pylance panics over some slices of nested fixed-size lists
        if type(error).__name__ != "PanicException":
            raise
        reject()
    check_ours(place, LanceFileReader(str(place)).read_all().to_table())
