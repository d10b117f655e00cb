"""Changes of rows, drawn for a table and for its plain model.

A change is a call of a method of the table, and what it makes of a list of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc
from tests.support.model_state import KEY_KINDS, UID, ModelState, Snapshot
from tests.support.model_values import (
    Column,
    Filter,
    Row,
    canonical,
    filters,
    shown,
    value_of,
)

from byteloom.iceberg import Table

__all__ = ["RowChanges"]

_KEYS_OF_TWO = 2


def _key_of(row: Row, on: Sequence[Column]) -> str | None:
    """Return the key of a row; None if a part of it is null."""
    key = [each.of(row) for each in on]
    return None if None in key else repr(canonical(key))


def _distinct(rows: list[Row], on: Sequence[Column]) -> list[Row]:
    """Return rows of which no two have the same key; null is no key."""
    by_key = {_key_of(each, on) or f"null {number}": each for number, each in enumerate(rows)}
    return list(by_key.values())


@dataclass(frozen=True)
class _Upsert:
    """What an upsert makes of rows.

    Attributes:
        on: The columns of the key.
        present: The columns that the new rows have.
        new: The new rows.
        defaults: What the other columns of new rows have.
        matched: What becomes of rows with their keys.
        other: What becomes of new rows without such a row.
    """

    on: Sequence[Column]
    present: Sequence[Column]
    new: Sequence[Row]
    defaults: Row
    matched: str
    other: str

    def __call__(self, held: list[Row], _: Table) -> list[Row]:
        by_key = {_key_of(each, self.on): each for each in self.new}
        by_key.pop(None, None)
        keys = [_key_of(each, self.on) for each in held]
        made = []
        for row, key in zip(held, keys, strict=True):
            if key not in by_key or self.matched == "ignore":
                made.append(row)
            elif self.matched == "update":
                made.append(row | {e.key: e.of(by_key[key]) for e in self.present})
        if self.other == "insert":
            added = (e for e in self.new if _key_of(e, self.on) not in {*keys} - {None})
            made += [each | self.defaults for each in added]
        return made


class RowChanges(ModelState):
    """The changes of rows."""

    def _made(
        self,
        made: Table,
        known: set[int],
        branch: str,
        effect: Callable[[list[Row], Table], list[Row]],
    ) -> None:
        """Take note of a commit, and of its snapshot if it has one."""
        self.table = made
        new = [each for each in made.metadata.snapshots if each not in known]
        before = self.head(branch).rows
        after = effect(before, made)
        if not new:
            assert sorted(map(repr, after)) == sorted(map(repr, before)), "no snapshot was made"
            return
        (number,) = new
        self.snapshots[number] = Snapshot(
            after, self.columns, self._added(made, number, before, after)
        )
        self.refs[branch] = "branch", number

    @staticmethod
    def _added(table: Table, number: int, before: list[Row], after: list[Row]) -> list[Row] | None:
        """Return the rows that a snapshot has more than its parent, if it only adds rows."""
        if (table.metadata.snapshots[number].summary or {}).get("operation") != "append":
            return None
        assert after[: len(before)] == before
        return after[len(before) :]

    def _drawn(self, verb: str, columns: list[Column], before: list[Row], table: Table) -> Any:
        """Draw the arguments of a verb; return its call, its effect, and the rows of an append."""
        return getattr(self, f"_drawn_{verb}")(columns, before, table)

    def _drawn_append(self, columns: list[Column], *_: Any) -> Any:
        new = self._new_rows(columns)
        left_out = {
            e.key
            for e in columns
            if not e.required and e.key != UID and self.draw.randint(0, 5) == 0
        }
        given = self._arrow([e for e in columns if e.key not in left_out], new)
        for row in new:
            for each in columns:
                if each.key in left_out:
                    row[each.key] = each.default
        how = (
            {"file_format": self._one(self.wanted.formats)} if self.draw.randint(0, 4) == 0 else {}
        )
        self.said = new
        return (
            lambda table, branch: table.append(given, branch=branch, **how),
            lambda held, _: held + new,
        )

    def _filter(self, columns: list[Column]) -> Filter:
        return filters(self.draw, columns)

    def _drawn_delete(self, columns: list[Column], *_: Any) -> Any:
        where = self._filter(columns)
        self.said = where.text
        return (
            lambda table, branch: table.delete(where.text, branch=branch),
            lambda held, _: [each for each in held if not where.holds(each)],
        )

    def _drawn_overwrite(self, columns: list[Column], *_: Any) -> Any:
        where, new = self._filter(columns), self._new_rows(columns)
        given = self._arrow(columns, new)
        self.said = where.text, new
        return (
            lambda table, branch: table.overwrite(given, where.text, branch=branch),
            lambda held, _: [each for each in held if not where.holds(each)] + new,
        )

    def _drawn_update(self, columns: list[Column], *_: Any) -> Any:
        where = self._filter(columns)
        chosen = [each for each in columns if each.key != UID]
        if not chosen:
            return None
        target = self._one(chosen)
        same = [e for e in chosen if e.kind == target.kind and e.required >= target.required]
        source, value = None, None
        if len(same) > 1 and self._flag():
            source = self._one(same)
            given: Any = pc.field(source.name)
        else:
            value = value_of(self.draw, target.kind, required=target.required)
            given = value if target.kind.name == "uuid" else shown(target.kind, value)
        self.said = target.name, given, where.text

        def changed(row: Row) -> Row:
            return row | {target.key: value if source is None else source.of(row)}

        return (
            lambda table, branch: table.update({target.name: given}, where.text, branch=branch),
            lambda rows, _: [changed(row) if where.holds(row) else row for row in rows],
        )

    def _key_columns(self, columns: list[Column]) -> list[Column]:
        known = [e for e in columns if e.kind.name in KEY_KINDS]
        return self.draw.sample(known, self.draw.randint(1, min(2, len(known))))

    def _drawn_upsert(self, columns: list[Column], before: list[Row], _: Table) -> Any:
        on = self._key_columns(columns)
        new = self._new_rows(columns)
        for each in new:  # so that keys are met
            if before and self._flag():
                row = self._one(before)
                each |= {c.key: c.of(row) for c in on}
        new = _distinct(new, on)
        if any(c.required and c.of(each) is None for each in new for c in columns):
            return None
        left_out = {
            e.key
            for e in columns
            if not e.required and e not in on and e.key != UID and self.draw.randint(0, 3) == 0
        }
        present = [e for e in columns if e.key not in left_out]
        defaults = {e.key: e.default for e in columns if e.key in left_out}
        given = self._arrow(present, new)
        matched = self._one(["update", "update", "delete", "ignore"])
        other = self._one(["insert", "insert", "ignore"])
        names = [e.name for e in on]
        self.said = names, new, left_out, matched, other
        return (
            lambda table, branch: table.upsert(
                given, names, when_matched=matched, when_not_matched=other, branch=branch
            ),
            _Upsert(on, present, new, defaults, matched, other),
        )

    def _drawn_delete_keys(self, columns: list[Column], before: list[Row], table: Table) -> Any:
        if table.metadata.format_version == 1:
            return None
        on = self._key_columns(columns)
        keys = [{e.key: row[e.key] for e in on} for row in self._new_rows(columns, 2)]
        if before:
            keys += [{e.key: e.of(self._one(before)) for e in on}]
        if any(e.required and key[e.key] is None for key in keys for e in on):
            return None
        texts = {repr(canonical([key[e.key] for e in on])) for key in keys}
        given = self._arrow(on, keys)
        self.said = [e.name for e in on], keys
        return (
            lambda table, branch: table.delete_keys(given, branch=branch),
            lambda held, _: [
                row for row in held if repr(canonical([e.of(row) for e in on])) not in texts
            ],
        )

    def _drawn_overwrite_partitions(self, columns: list[Column], _: list[Row], table: Table) -> Any:
        new = self._new_rows(columns)
        given = self._arrow(columns, new)
        self.said = new
        spec = table.metadata.default_spec_id
        branch = ["main"]
        places: dict[Any, Any] = {}

        def call(table: Table, name: str) -> Table:
            # Which partition a row is in is what its file says, and is read before the change.
            branch[0] = name
            places.update(self._places(self.table, name))
            return table.overwrite_partitions(given, branch=name)

        def effect(rows: list[Row], made: Table) -> list[Row]:
            if not new:
                return rows
            numbers = {row[UID] for row in new}
            found = self._places(made, branch[0])
            taken = {repr(where) for uid, where in found.items() if uid in numbers}
            has_all = not made.metadata.spec(spec).fields
            gone = {uid for uid, where in places.items() if has_all or repr(where) in taken}
            return [row for row in rows if row[UID] not in gone] + new

        return call, effect

    @staticmethod
    def _places(table: Table, branch: str) -> dict[Any, Any]:
        """Return the spec and the partition of each row of a branch, by its number."""
        ref = branch if branch in table.metadata.refs else None
        scan = table.scan(columns=["uid", "_spec_id", "_partition"], ref=ref)
        found = scan.to_table().to_pylist()
        return {e["uid"]: (e["_spec_id"], canonical(e["_partition"])) for e in found}
