"""Tables that grow by commits of data and deletes drawn at random, and the rows that are left.

The rules:

- A column ``x`` of numbers and a column ``s`` of words, both with nulls and repeats, and ``p``, by
  whose value some files are partitioned.
- Which rows a delete takes is decided here, in Python, row by row: by the scopes of the spec and
  the sequence numbers of commits.
- Everything drawn is allowed: deletes of positions name a file of their own partition and rows that
  are there, and a file has at most one deletion vector and then no other deleted positions.

Source: Iceberg table spec, "Scan Planning" and "Delete Formats".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from hypothesis import strategies as st
from tests.support.iceberg_rows import (
    File,
    TableMaker,
    arrow,
    deletion_vectors,
    parquet,
    position_deletes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["Commit", "EqualityDelete", "Removal", "commits", "left", "removals", "write"]

Row = tuple[int | None, str | None, int | None]
NAMES: Final = ("x", "s", "p")
_TYPES: Final = {"x": pa.int64(), "s": pa.string(), "p": pa.int32()}
_COLUMNS: Final = [(1, "x", "long"), (2, "s", "string"), (3, "p", "int")]
_SPECS: Final = {0: [], 1: [(3, 1000, "p", "identity", "int")]}


@dataclass(frozen=True)
class EqualityDelete:
    """Rows by the values of some columns; *spec_id* 0 is global, 1 that of the partition *p*."""

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    spec_id: int
    p: int | None


@dataclass(frozen=True)
class Commit:
    """A data file, and deletes.

    spec_id    0 for a file without partition, 1 for one of the partition *p*
    positions  by number of the commit whose file loses rows: positions in it
    vectors    likewise, as deletion vectors
    """

    rows: tuple[Row, ...]
    spec_id: int
    p: int | None
    positions: dict[int, list[int]] = field(default_factory=dict)
    vectors: dict[int, list[int]] = field(default_factory=dict)
    equality: tuple[EqualityDelete, ...] = ()


@dataclass(frozen=True)
class Removal:
    """Files that a commit removes: data files by the number of their commit, deletes by place."""

    data: frozenset[int]
    deletes: frozenset[int]


# ------------------------------------------------------------------------------- drawing

_PRESENT: Final[dict[str, st.SearchStrategy[Any]]] = {
    "x": st.integers(0, 9),
    "s": st.sampled_from(["", "a", "ab", "\N{SNOWMAN}"]),
    "p": st.integers(0, 1),
}
_OR_NULL: Final = {name: st.none() | values for name, values in _PRESENT.items()}


@st.composite
def commits(draw: st.DrawFn, kinds: frozenset[str]) -> list[Commit]:
    """One to four commits.

    kinds  of deletes: ``positions``, ``vectors``, ``equality``; and ``nulls``, ``partitions``
    """
    values = _OR_NULL if "nulls" in kinds else _PRESENT
    made: list[Commit] = []
    for _ in range(draw(st.integers(1, 4))):
        p, spec_id = draw(values["p"]), draw(_specs(kinds))
        row = st.tuples(values["x"], values["s"], st.just(p) if spec_id else values["p"])
        rows = tuple(draw(st.lists(row, min_size=1, max_size=12)))
        made.append(draw(_with_deletes([*made, Commit(rows, spec_id, p)], kinds)))
    return made


@st.composite
def _with_deletes(draw: st.DrawFn, so_far: Sequence[Commit], kinds: frozenset[str]) -> Commit:
    """The last commit with deletes of rows of any so far."""
    has_vector = {number for each in so_far for number in each.vectors}
    has_positions = {number for each in so_far for number in each.positions}
    positions: dict[int, list[int]] = {}
    vectors: dict[int, list[int]] = {}
    for number, each in enumerate(so_far):
        by = [positions] if "positions" in kinds else []
        by += [vectors] if "vectors" in kinds and number not in has_positions else []
        if by and number not in has_vector and draw(st.booleans()):
            places = draw(st.sets(st.integers(0, len(each.rows) - 1), min_size=1))
            draw(st.sampled_from(by))[number] = sorted(places)
    delete = _equality_deletes(_OR_NULL if "nulls" in kinds else _PRESENT, _specs(kinds))
    equality = draw(st.lists(delete, max_size=2)) if "equality" in kinds else []
    return replace(so_far[-1], positions=positions, vectors=vectors, equality=tuple(equality))


@st.composite
def _equality_deletes(
    draw: st.DrawFn, of: dict[str, st.SearchStrategy[Any]], specs: st.SearchStrategy[int]
) -> EqualityDelete:
    """A delete by one or more columns."""
    columns = tuple(draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)))
    one = st.tuples(*(of[name] for name in columns))
    values = tuple(draw(st.lists(one, min_size=1, max_size=4)))
    return EqualityDelete(columns, values, draw(specs), draw(of["p"]))


def _specs(kinds: frozenset[str]) -> st.SearchStrategy[int]:
    """Ids of partition specs: 0 has no partitions."""
    return st.sampled_from([0, 1] if "partitions" in kinds else [0])


def removals() -> st.SearchStrategy[list[Removal]]:
    """What four commits remove."""
    some = st.frozensets(st.integers(0, 3), max_size=2)
    return st.lists(st.builds(Removal, some, some), min_size=4, max_size=4)


# -------------------------------------------------------------------------------- meaning


def left(made: Sequence[Commit]) -> list[dict[str, Any]]:
    """Return the rows that no delete takes."""
    found = []
    for number, each in enumerate(made):
        gone = {
            position
            for later in made[number:]
            for held in (later.positions, later.vectors)
            for position in held.get(number, ())
        }
        for position, row in enumerate(each.rows):
            named = dict(zip(NAMES, row, strict=True))
            if position not in gone and not _is_equal_to_some(named, each, made[number + 1 :]):
                found.append(named)
    return found


def _is_equal_to_some(row: dict[str, Any], of: Commit, later: Sequence[Commit]) -> bool:
    """Whether an equality delete of a later commit takes a row: null equals null."""
    return any(
        tuple(row[name] for name in delete.columns) in delete.values
        for commit in later
        for delete in commit.equality
        if delete.spec_id == 0 or (of.spec_id == 1 and of.p == delete.p)
    )


# -------------------------------------------------------------------------------- writing


def write(
    made: Sequence[Commit],
    root: Path,
    *,
    version: int,
    together: bool = True,
    removals: Sequence[Removal] = (),
) -> str:
    """Write a table; return the path of its metadata file.

    together  delete positions of several data files of a partition in one file
    removals  what the first commits remove of those before them
    """
    maker = TableMaker(root, _COLUMNS, version=version, partitions=_SPECS)
    data: list[File] = []
    live: list[File] = []
    for number, drawn in enumerate(made):
        removed = _removed(removals[number], data, live) if number < len(removals) else []
        live = [each for each in live if each not in removed]
        each = _only_of(drawn, [at for at, file in enumerate(data) if file not in live])
        data.append(_data_file(root / "data" / f"{number}.parquet", each))
        deletes = _positional(root / "data", number, each, data, together=together)
        deletes += [
            _equality_file(root / "data" / f"{number}-{index}-e.parquet", delete)
            for index, delete in enumerate(each.equality)
        ]
        live += [data[-1], *deletes]
        maker.commit(data[-1], *deletes, removed=removed)
    return maker.open().metadata_location


def _removed(removal: Removal, data: Sequence[File], live: Sequence[File]) -> list[File]:
    """The live files that a commit removes, and the deletion vectors of its data files."""
    files = [each for at, each in enumerate(data) if at in removal.data and each in live]
    paths = {str(each.path) for each in files}
    deletes = [each for each in live if each.content]
    chosen = [each for at, each in enumerate(deletes) if at in removal.deletes]
    vectors = [each for each in deletes if each.referenced in paths and each not in chosen]
    return [*files, *chosen, *vectors]


def _only_of(commit: Commit, gone: Sequence[int]) -> Commit:
    """Return a commit without the positions in files that were removed."""
    positions = {at: places for at, places in commit.positions.items() if at not in gone}
    vectors = {at: places for at, places in commit.vectors.items() if at not in gone}
    return replace(commit, positions=positions, vectors=vectors)


def _columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> pa.Table:
    """Rows as columns with ids."""
    return arrow(
        {
            (NAMES.index(name) + 1, name): pa.array([row[place] for row in rows], _TYPES[name])
            for place, name in enumerate(names)
        }
    )


def _placed(file: File, spec_id: int, p: int | None) -> File:
    """A file in its partition."""
    return replace(file, spec_id=spec_id, partition={"p": p} if spec_id else {})


def _data_file(path: Path, commit: Commit) -> File:
    """The data file of a commit, in row groups of a few rows."""
    held = parquet(path, _columns(NAMES, commit.rows), row_group_size=5)
    return _placed(held, commit.spec_id, commit.p)


def _equality_file(path: Path, delete: EqualityDelete) -> File:
    """An equality delete file."""
    held = parquet(path, _columns(delete.columns, delete.values))
    ids = [NAMES.index(name) + 1 for name in delete.columns]
    return _placed(replace(held, content=2, equality_ids=ids), delete.spec_id, delete.p)


def _positional(
    root: Path, number: int, commit: Commit, data: Sequence[File], *, together: bool
) -> list[File]:
    """The delete files of positions, and the deletion vectors, of a commit."""
    groups: dict[Any, list[int]] = {}
    for target in commit.positions:
        partition = (data[target].spec_id, *data[target].partition.values())
        groups.setdefault(partition if together else target, []).append(target)
    found = []
    for index, targets in enumerate(groups.values()):
        places = [(data[each].path, place) for each in targets for place in commit.positions[each]]
        path = root / f"{number}-{index}-d.parquet"
        made = position_deletes(path, places, has_bounds=not together)
        like = data[targets[0]]
        found.append(replace(made, spec_id=like.spec_id, partition=like.partition))
    vectors = {data[each].path: places for each, places in commit.vectors.items()}
    if vectors:
        made_vectors = deletion_vectors(root / f"{number}-v.puffin", vectors)
        targets_of = [data[each] for each in commit.vectors]
        found += [
            replace(made, spec_id=like.spec_id, partition=like.partition)
            for made, like in zip(made_vectors, targets_of, strict=True)
        ]
    return found
