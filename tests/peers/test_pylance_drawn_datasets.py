"""Drawn datasets, which we and pylance change in drawn turns, and both read as they must be."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.drawn_tables import tables
from tests.support.lance_tables import compact, difference

from byteloom import lance

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.peer("pylance")

STEPS = ["append", "append", "delete", "add", "drop", "compact"]


def kept(table: pa.Table, deleted: set[int]) -> pa.Table:
    """The rows whose `id` is not deleted, as slices of the table."""
    ids = table["id"].to_pylist()
    cuts = [-1, *(at for at, each in enumerate(ids) if each in deleted), len(ids)]
    parts = [table.slice(one + 1, other - one - 1) for one, other in pairwise(cuts)]
    return compact(pa.concat_tables(parts))


def check(place: Path, wanted: pa.Table) -> None:
    """Read a dataset whole and by numbers, as we and as pylance do it."""
    peer: Any = import_module("lance")
    theirs, ours = peer.dataset(str(place)), lance.open_dataset(place)
    assert ours.version == theirs.version
    assert ours.count() == theirs.count_rows() == len(wanted)
    assert difference(ours.to_table(), wanted) is None
    assert difference(theirs.to_table(), wanted, by_peer=True) is None
    if some := sorted({0, len(wanted) // 3, len(wanted) - 1} & set(range(len(wanted)))):
        rows = pa.concat_tables([wanted.slice(each, 1) for each in some])
        assert difference(ours.take(some), rows) is None
        assert difference(theirs.take(some), rows, by_peer=True) is None
        asked = wanted["id"][some[-1]].as_py()
        assert ours.to_table(["id"], filter=f"id = {asked}").num_rows == 1
    theirs.validate()


class Turns:
    """A dataset, and the rows that it must have.

    parts   rows that are not in it yet
    wanted  those in it
    """

    def __init__(self, place: Path, version: str, parts: list[pa.Table]) -> None:
        """Begin without a dataset."""
        self.place, self.version, self.parts = place, version, parts
        self.wanted = parts[0][:0]
        self.peer: Any = import_module("lance")
        self.added = 0

    def append(self, *, by_peer: bool, rows: int) -> None:
        """Append the next part, or create the dataset."""
        part = compact(self.parts.pop(0).select(self.names))
        mode = "append" if self.place.exists() else "create"
        if by_peer:
            settings = {"data_storage_version": self.version, "max_rows_per_file": rows}
            self.peer.write_dataset(part, str(self.place), mode=mode, **settings)
        else:
            version = self.version if mode == "create" else None
            lance.write_dataset(
                self.place, part, mode=mode, version=version, max_rows_per_file=rows
            )
        self.wanted = compact(pa.concat_tables([self.wanted, part]))

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.wanted.column_names)

    def delete(self, ids: set[int], *, by_peer: bool) -> None:
        """Delete the rows of some ids."""
        asked = f"id in ({', '.join(map(str, sorted(ids)))})"
        if by_peer:
            self.peer.dataset(str(self.place)).delete(asked)
        else:
            lance.open_dataset(self.place).delete(asked)
        self.wanted = kept(self.wanted, ids)

    def add(self, *, by_peer: bool) -> None:
        """Add a column: twice the ids; later parts have it, too."""
        name = f"more {self.added}"
        self.added += 1
        made = pa.table({name: pa.array([2 * each for each in self.wanted["id"].to_pylist()])})
        if by_peer:
            self.peer.dataset(str(self.place)).add_columns({name: "id * 2"})
        else:
            lance.open_dataset(self.place).add_columns(made.cast(pa.schema([(name, pa.int64())])))
        column = pa.array(made[name].to_pylist(), pa.int64())
        self.wanted = self.wanted.append_column(name, column)
        self.parts = [
            each.append_column(name, pa.array(np.array(each["id"]) * 2)) for each in self.parts
        ]

    def drop(self, name: str, *, by_peer: bool) -> None:
        """Drop a column."""
        of = self.peer.dataset(str(self.place)) if by_peer else lance.open_dataset(self.place)
        of.drop_columns([name])
        self.wanted = self.wanted.drop_columns([name])


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
@examples(0.5)
@given(data=st.data())
def test_both_read_what_either_of_them_wrote(
    version: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Drawn rows are appended, rows deleted, columns added and dropped, by us or by pylance."""
    # Pylance gives the places of blobs in datasets, not their values.
    table = data.draw(tables(version=version, blobs=False))
    assume(version != "2.0" or "_view" not in str(table.schema))
    table = table.add_column(0, "id", [pa.array(range(len(table)), pa.int64())])
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(table)), max_size=3))), len(table)]
    parts = [table.slice(one, other - one) for one, other in pairwise(cuts)]
    turns = Turns(tmp_path_factory.mktemp("drawn") / "d.lance", version, parts)
    try:
        turns.append(by_peer=data.draw(st.booleans()), rows=data.draw(st.sampled_from([100, 9000])))
        check(turns.place, turns.wanted)
        for step in data.draw(st.lists(st.sampled_from(STEPS), max_size=5)):
            by_peer = data.draw(st.booleans())
            if step == "append" and turns.parts:
                turns.append(by_peer=by_peer, rows=9000)
            elif step == "delete" and len(turns.wanted):
                left = st.sampled_from(turns.wanted["id"].to_pylist())
                turns.delete(data.draw(st.sets(left, min_size=1, max_size=9)), by_peer=by_peer)
            elif step == "add":
                turns.add(by_peer=by_peer)
            elif step == "drop" and len(turns.names) > 1:
                turns.drop(data.draw(st.sampled_from(turns.names[1:])), by_peer=by_peer)
            elif step == "compact":
                turns.peer.dataset(str(turns.place)).optimize.compact_files()
            check(turns.place, turns.wanted)
    except BaseException as error:  # pylance panics over some slices of nested fixed-size lists
        if type(error).__name__ != "PanicException":
            raise
        reject()
