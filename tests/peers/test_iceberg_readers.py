"""Readers that know nothing of each other: the same rows of tables with deletes of every kind.

The peers are duckdb, chdb (ClickHouse), polars with its own planner, and pyiceberg. What the table
holds is calculated in Python when it is drawn, so that no reader has to be trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.iceberg_drawn import Commit, EqualityDelete, commits, left, write
from tests.support.iceberg_readers import NAMES, REFUSED, Readers, named

if TYPE_CHECKING:
    from pathlib import Path

ANY = "nulls partitions"
READ = {
    "duckdb": [
        (1, ANY, True),
        (2, f"positions {ANY}", True),
        (2, "positions equality", True),
        (3, f"vectors {ANY}", True),
        (3, "vectors equality", True),
    ],
    "chdb": [
        (1, ANY, True),
        (2, f"positions {ANY}", True),
        (2, "positions equality", True),
        (3, "positions equality", True),
    ],
    "polars": [
        (1, ANY, False),
        (2, f"positions {ANY}", False),
        (3, f"vectors positions {ANY}", False),
    ],
    "pyiceberg": [
        (1, ANY, True),
        (2, f"positions {ANY}", True),
        (3, f"vectors positions {ANY}", True),
    ],
}
"""By reader: versions, what is drawn, and whether positions of many files may be in one.

Equality deletes are drawn without nulls and partitions, which neither peer gets right: duckdb 1.5.5
takes rows that are null where a delete is not, and rows of other partitions; chdb 4.4.0 takes rows
by a null among several columns, and leaves rows of partitions that a global delete names.
"""

DRAWN = [
    pytest.param(reader, each, id=f"{named(reader)}-v{each[0]}-{each[1].replace(' ', '-')}")
    for reader, held in READ.items()
    for each in held
]


def ordered(rows: list[dict[str, Any]]) -> list[str]:
    """Rows in an order that is the same for all."""
    return sorted(map(repr, rows))


# The same tables in every run: what else a peer does otherwise is not to be found by luck.
@pytest.mark.parametrize(("reader", "allowed"), DRAWN)
@examples(0.06, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_all_find_the_rows_that_are_left(
    tmp_path: Path,
    readers: Readers,
    reader: str,
    allowed: tuple[int, str, bool],
    data: st.DataObject,
) -> None:
    """Each peer and byteloom find the live rows, whatever deletes the peer can read."""
    version, kinds, together = allowed
    made = data.draw(commits(frozenset(kinds.split())))
    root = tmp_path / str(len(list(tmp_path.iterdir())))
    place = write(made, root, version=version, together=together)
    wanted = ordered(left(made))
    assert ordered(readers.ours(place)) == wanted
    assert ordered(readers.rows(reader, place)) == wanted


CASES = {
    "vectors": [Commit(((1, "a", 0), (2, "b", 0)), 0, None, vectors={0: [1]})],
    "positions of many files": [
        Commit(((1, "a", 0),), 0, None),
        Commit(((2, "b", 0), (3, "c", 0)), 0, None, positions={0: [0], 1: [1]}),
    ],
    "equality": [
        Commit(((1, "a", 0), (2, "b", 0)), 0, None),
        Commit(((1, "c", 0),), 0, None, equality=(EqualityDelete(("x",), ((1,),), 0, None),)),
    ],
}


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("reader", NAMES, ids=named)
def test_what_peers_cannot_read_they_say(
    tmp_path: Path, readers: Readers, reader: str, kind: str
) -> None:
    """Each peer reads each kind of deletes, or refuses it with the error that is listed."""
    place = write(CASES[kind], tmp_path, version=3 if kind == "vectors" else 2)
    wanted = ordered(left(CASES[kind]))
    assert ordered(readers.ours(place)) == wanted
    if (reader, kind) in REFUSED:
        with pytest.raises(Exception, match=REFUSED[reader, kind]):
            readers.rows(reader, place)
    else:
        assert ordered(readers.rows(reader, place)) == wanted
