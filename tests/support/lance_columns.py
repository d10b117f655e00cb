"""Columns of every kind that Lance's files have, as tables of many sizes and shares of nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pytest
from hypothesis import strategies as st
from tests.support.encoded_lance import ASKED, ENCODED, asking, encoded
from tests.support.outside_pages import OWN_WAYS, own_way
from tests.support.pylance_files import COLUMNS, column
from tests.support.struct_lists import BARE, BLOB_LISTS, STRUCT_LISTS, blob_lists, with_nulls
from tests.support.written_lance import HARD, hard
from tests.support.zipped_structs import SIZES, ZIPPED, zipped

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

__all__ = ["TYPES", "cases", "tables"]

ALL = ["2.0", "2.1", "2.2"]
NULLS = (0, 0.3, 1)


class Kind(NamedTuple):
    """Columns of one kind: their names, the versions that have them, their sizes, how made."""

    names: Collection[str]
    versions: list[str]
    sizes: Sequence[int]
    make: Callable[[str, int, float], pa.Table]
    nulls: tuple[float, ...] = NULLS


def a_map(_: str, rows: int, nulls: float) -> pa.Table:
    """A part of a column of maps, null and empty ones among them."""
    del nulls
    pairs: list[Any] = [[("a", [1]), ("b", None)], None, [], [("c", [])]] * (rows // 4 + 1)
    return pa.table({"c": pa.array(pairs, pa.map_(pa.string(), pa.list_(pa.int32()))).slice(1)})


def a_part(type_: pa.DataType, rows: int, nulls: float) -> pa.Table:
    """A part of a column."""
    return pa.table({"c": with_nulls(type_, rows + 5, nulls)[5:]})


def asked(name: str, *_: Any) -> pa.Table:
    """A column whose field has metadata of the format's own."""
    return asking(*ASKED[int(name)][:2])


KINDS = {
    "type": Kind(
        COLUMNS,
        ALL,
        [0, 1, 1023, 1024, 1025, 4096],
        lambda name, *shape: pa.table({"c": column(name, *shape)}),
    ),
    "hard": Kind(HARD, ALL, [1], lambda name, *_: hard(name), (0,)),
    "own way": Kind(OWN_WAYS, ALL, [1], lambda name, *_: own_way(name), (0,)),
    "bare": Kind(BARE, ALL, SIZES, lambda name, *shape: a_part(BARE[name], *shape), (0,)),
    "struct list": Kind(
        STRUCT_LISTS, ["2.2"], SIZES, lambda name, *shape: a_part(STRUCT_LISTS[name], *shape)
    ),
    "packed rows": Kind(ZIPPED, ["2.2"], SIZES, zipped),
    "blob list": Kind(BLOB_LISTS, ["2.0"], SIZES, blob_lists),
    "map": Kind([""], ["2.2"], [1100], a_map, (0,)),
    "encoded": Kind(ENCODED, ["2.1", "2.2"], [1], lambda name, *_: encoded(name), (0,)),
    "asked": Kind([f"{at}" for at in range(len(ASKED))], ["2.1", "2.2"], [1], asked, (0,)),
}
NOT_IN_2_0 = {"null structs", "packed"}
"""Columns with null structs, which version 2.0 cannot store."""

TYPES = st.recursive(
    st.sampled_from(
        [pa.int32(), pa.string(), pa.bool_(), pa.binary(3), pa.float64(), pa.list_(pa.int8(), 3)]
    ),
    lambda inner: st.one_of(
        inner.map(pa.list_),
        inner.map(pa.large_list),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda types: pa.struct([(f"f{at}", each) for at, each in enumerate(types)])
        ),
    ),
    max_leaves=5,
)
"""Structs and lists inside each other."""


def cases(*kinds: str) -> pytest.MarkDecorator:
    """Run a test with the kind, the name and the version of each column of some *kinds*, or all."""
    found = [
        pytest.param(kind, name, version, id=f"{kind} {name} {version}")
        for kind in kinds or KINDS
        for name in KINDS[kind].names
        for version in KINDS[kind].versions
        if not (version == "2.0" and name in NOT_IN_2_0)
    ]
    return pytest.mark.parametrize(("kind", "name", "version"), found)


def tables(
    kind: str, name: str, *, sizes: Sequence[int] = (), most_nulls: float = 1
) -> Iterator[pa.Table]:
    """Yield tables of a column: of its kind's sizes unless others are given, and shares of null."""
    _, _, usual, make, shares = KINDS[kind]
    for rows in sizes if sizes and len(usual) > 1 else usual:
        for nulls in shares:
            if nulls <= most_nulls:
                yield make(name, rows, nulls)
