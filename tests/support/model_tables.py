"""A table that is changed by drawn steps, and a plain model of what its rows then are.

The rules:

- A step is made on the table and on the model. Whatever else is in the table, the rows of the
  branch are then those of the model, as often as there.
- Each row has a number, ``uid``, which no step changes: by it `_row_id` of version 3 is followed.
- A step may be made on an older state of the table, as another writer would: then it is refused as
  a conflict, or has the effect that it has on the newest state.
- At the end each snapshot, branch and tag still has its rows, and `verify` finds nothing.
"""

from __future__ import annotations

from typing import Any

import pyarrow.parquet as pq
from tests.support.model_changes import RowChanges
from tests.support.model_evolution import Evolutions
from tests.support.model_state import PROPERTIES, ROW_ID, VERBS, Snapshot
from tests.support.model_values import (
    Row,
)

from byteloom.errors import ArgumentError, CommitConflict, Unsupported
from byteloom.iceberg import open_table

__all__ = ["ModelledTable"]


class ModelledTable(RowChanges, Evolutions):
    """A table and its model, and the steps that both take."""

    def begin(self) -> None:
        """Append rows, which most tables have from the beginning."""
        if self.draw.randint(0, 9):
            self._change_rows("append")

    def step(self) -> None:
        """Make a step."""
        verb = self._one(self.wanted.verbs)
        self.older.append((self.table, self.columns))
        if verb in VERBS:
            self._change_rows(verb)
        else:
            getattr(self, f"_{verb}")()
        self.check_head()

    def _change_rows(self, verb: str) -> None:
        """Make a change of rows, perhaps on an older state of the table."""
        branch = self._branch()
        table, columns = self.table, self.columns
        is_late = bool(self.older) and self.draw.randint(0, 3) == 0
        if is_late:
            table, columns = self._one(self.older)
        before = self.head(branch).rows
        change = self._drawn(verb, columns, before, table)
        if change is None:
            return
        call, effect = change
        self.log.append(f"{'late ' if is_late else ''}{verb} {branch}: {self.said}")
        known = set(self.table.metadata.snapshots)
        try:
            made = call(table, branch)
        except CommitConflict:
            if not is_late:
                raise
            self.refusals[f"late {verb}: conflict"] += 1
            self.table = open_table(self.folder / "t")
            return
        if is_late and made.metadata_location == table.metadata_location:
            # Nothing to do on the old state: no commit, so nothing says what the newest has.
            return
        self._made(made, known, branch, effect)

    def _transaction(self) -> None:
        """Make several changes as one."""
        branch = self._branch()
        self.log.append(f"transaction {branch}")
        known = set(self.table.metadata.snapshots)
        verbs = [
            self._one(["append", "delete", "update", "upsert", "overwrite", "delete_keys"])
            for _ in range(self.draw.randint(1, 3))
        ]
        held = self.head(branch).rows
        new: list[tuple[int, list[Row], list[Row] | None]] = []
        with self.table.transaction(branch=branch) as change:
            for verb in verbs:
                drawn = self._drawn(verb, self.columns, held, self.table)
                if drawn is None:
                    continue
                call, effect = drawn
                self.log.append(f"  {verb}: {self.said}")
                call(_Inside(change), branch)
                before, held = held, effect(held, change.table)
                for each in change.table.metadata.snapshots:
                    if each not in known:
                        known.add(each)
                        new.append((each, held, self._added(change.table, each, before, held)))
        self.table = change.table
        for number, found, added in new:
            self.snapshots[number] = Snapshot(found, self.columns, added)
            self.refs[branch] = "branch", number

    def _stage(self) -> None:
        """Append rows to no branch."""
        new = self._new_rows(self.columns)
        self.log.append(f"stage {new}")
        before = self.head().rows
        made = self.table.append(self._arrow(self.columns, new), stage=True)
        (number,) = set(made.metadata.snapshots) - set(self.snapshots)
        self.snapshots[number] = Snapshot(before + new, self.columns, new)
        self.table = made

    def _add_files(self) -> None:
        """Add a file without ids to an unpartitioned table."""
        if self.table.metadata.spec().fields:
            return
        plain = {"boolean", "int", "long", "double", "string", "date"}
        columns = [e for e in self.columns if e.kind.name in plain]
        if any(e.required and e not in columns for e in self.columns):
            return
        new = self._new_rows(columns, least=1)
        new = [{e.key: row.get(e.key) for e in columns} for row in new]
        branch = self._branch()
        self.log.append(f"add_files {branch} {new}")
        path = self.folder / f"old{len(self.log)}.parquet"
        pq.write_table(self._arrow(columns, new), path)
        known = set(self.table.metadata.snapshots)
        made = self.table.add_files([path], branch=branch)
        self._made(made, known, branch, lambda held, _: held + new)

    def _properties(self) -> None:
        name = self._one(list(PROPERTIES))
        value = self._one(PROPERTIES[name])
        is_merged = value == "merge-on-read" and self.version == 1
        if is_merged or (name.endswith("format.default") and value not in self.wanted.formats):
            return
        self.log.append(f"set {name} {value}")
        self.table = self.table.set_properties({name: value})

    def _reopen(self) -> None:
        self.table = open_table(self.folder / "t")

    def _branch_or_tag(self, kind: str) -> None:
        if not self.refs:
            return
        name = f"{kind}{len(self.log)}"
        number = self._one(sorted(self.snapshots))
        self.log.append(f"{kind} {name} {number}")
        create = self.table.create_branch if kind == "branch" else self.table.create_tag
        self.table = create(name, snapshot=number)
        self.refs[name] = kind, number

    def _create_branch(self) -> None:
        self._branch_or_tag("branch")

    def _create_tag(self) -> None:
        self._branch_or_tag("tag")

    def _drop_ref(self) -> None:
        known = sorted(set(self.refs) - {"main"})
        if known:
            name = self._one(known)
            self.log.append(f"drop {name}")
            self.table = self.table.drop_ref(name)
            del self.refs[name]

    def _fast_forward(self) -> None:
        if not self._branches():
            return
        branch, to = self._one(sorted(self._branches())), self._one(sorted(self.refs))
        self.log.append(f"fast_forward {branch} {to}")
        target = self.refs[to][1]
        may = self.refs[branch][1] in self._ancestors(target)
        try:
            self.table = self.table.fast_forward(branch, to=to)
        except ArgumentError:
            assert not may
        else:
            assert may
            self.refs[branch] = "branch", target

    def _ancestors(self, number: int) -> list[int]:
        return [each.snapshot_id for each in self.table.metadata.ancestors(number)]

    def _rollback(self) -> None:
        if not self._branches():
            return
        branch = self._one(sorted(self._branches()))
        to = self._one(self._ancestors(self.refs[branch][1]))
        self.log.append(f"rollback {branch} {to}")
        self.table = self.table.rollback(to=to, branch=branch)
        self.refs[branch] = "branch", to

    def _cherry_pick(self) -> None:
        if not self.snapshots:
            return
        number, branch = self._one(sorted(self.snapshots)), self._branch()
        if self.snapshots[number].added is None:
            return  # what else is picked depends on the rows that it replaced
        self.log.append(f"cherry_pick {number} {branch}")
        known = set(self.table.metadata.snapshots)
        before = self.head(branch).rows
        picked = self.snapshots[number]
        try:
            made = self.table.cherry_pick(number, branch=branch)
        except (ArgumentError, Unsupported) as error:
            self.refusals[f"pick: {error.wanted}"] += 1
            return
        self.table = made
        new = [each for each in made.metadata.snapshots if each not in known]
        if not new:
            assert made.metadata.refs[branch].snapshot_id == number
            self.refs[branch] = "branch", number
            return
        assert picked.added is not None
        added = [{key: each for key, each in row.items() if key != ROW_ID} for row in picked.added]
        self.snapshots[new[0]] = Snapshot(before + added, self.columns, added)
        self.refs[branch] = "branch", new[0]


class _Inside:
    """The verbs of a transaction, which know their branch."""

    def __init__(self, change: Any) -> None:
        self._change = change

    def __getattr__(self, verb: str) -> Any:
        def call(*args: Any, branch: str, **more: Any) -> None:
            del branch
            more.pop("file_format", None)
            getattr(self._change, verb)(*args, **more)

        return call
