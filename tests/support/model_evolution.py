"""Changes of schema, partition spec, sort order and version, of a table and of its model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.support.model_state import ModelState
from tests.support.model_values import (
    PROMOTED,
    Column,
    Kind,
    value_of,
)

from byteloom.errors import ArgumentError, FormatError, Unsupported

__all__ = ["Evolutions"]

_WITH_DEFAULT = {"boolean", "int", "long", "decimal(9, 2)", "string", "date", "binary", "uuid"}


class Evolutions(ModelState):
    """The changes of what rows are."""

    def _evolve(self) -> None:
        """Change the schema, the spec, the order or the version."""
        change = self.table.evolve(allow_incompatible=False)
        columns, version = list(self.columns), self.version
        said = []
        for _ in range(self.draw.randint(1, 2)):
            way = self._one(
                [
                    "add",
                    "drop",
                    "rename",
                    "promote",
                    "optional",
                    "inner",
                    "move",
                    "spec",
                    "unspec",
                    "sort",
                    "upgrade",
                    "default",
                ]
            )
            done = getattr(self, f"_evolve_{way}")(change, columns)
            said.append((way, done))
            if way == "upgrade" and done:
                version = done
        self.log.append(f"evolve {said}")
        try:
            self.table = change.commit()
        except (FormatError, ArgumentError, Unsupported) as error:
            self.refusals[f"evolve: {error}"[:150]] += 1
            return
        self.columns, self.version = columns, version

    def _evolve_add(self, change: Any, columns: list[Column]) -> Any:
        name, kind = f"n{len(self.log)}_{len(columns)}", self._kind()
        initial, required = None, False
        if self.version > 2 and kind.name in _WITH_DEFAULT and self._flag():
            initial, required = value_of(self.draw, kind), self._flag()
        change.add_column(name, kind.text, required=required, default=initial)
        columns.append(Column(self._key(), name, kind, required, initial, initial))
        return name, kind.text, initial, required

    def _evolve_drop(self, change: Any, columns: list[Column]) -> Any:
        found = self._some(columns, lambda _: len(columns) > 2)
        if found is None:
            return None
        change.drop_column(found.name)
        columns.remove(found)
        return found.name

    def _evolve_rename(self, change: Any, columns: list[Column]) -> Any:
        found = self._some(columns, lambda _: True)
        if found is None:
            return None
        name = f"r{len(self.log)}_{self._key()}"
        change.rename_column(found.name, name)
        columns[columns.index(found)] = replace(found, name=name)
        return found.name, name

    def _evolve_promote(self, change: Any, columns: list[Column]) -> Any:
        found = self._some(columns, lambda each: each.kind.name in PROMOTED)
        if found is None or any(
            e.name != f.name for e, f in zip(self.columns, columns, strict=False)
        ):
            return None
        kind = Kind(PROMOTED[found.kind.name])
        change.update_column(found.name, kind.name)
        columns[columns.index(found)] = replace(found, kind=kind)
        return found.name, kind.name

    def _evolve_optional(self, change: Any, columns: list[Column]) -> Any:
        found = self._some(columns, lambda each: each.required and each in self.columns)
        if found is None:
            return None
        change.make_optional(found.name)
        columns[columns.index(found)] = replace(found, required=False)
        return found.name

    def _evolve_inner(self, change: Any, columns: list[Column]) -> Any:
        """Add, rename or drop a field of a struct, which may be the element of a list."""
        found = self._some(
            columns,
            lambda e: (
                e in self.columns
                and (
                    e.kind.name == "struct"
                    or (e.kind.name == "list" and e.kind.inner[0].name == "struct")
                )
            ),
        )
        if found is None:
            return None
        is_list = found.kind.name == "list"
        kind = found.kind.inner[0] if is_list else found.kind
        below = f"{found.name}.element" if is_list else found.name
        fields = list(kind.fields)
        way = self._one(["add", "rename", *(["drop"] if len(fields) > 1 else [])])
        if way == "add":
            made = Column(self._key(), f"z{self._keys}", self._one([Kind("int"), Kind("string")]))
            change.add_column(f"{below}.{made.name}", made.kind.text)
            fields.append(made)
        else:
            place = self.draw.randint(0, len(fields) - 1)
            old = fields[place]
            if way == "drop":
                change.drop_column(f"{below}.{old.name}")
                del fields[place]
            else:
                name = f"q{self._key()}"
                change.rename_column(f"{below}.{old.name}", name)
                fields[place] = replace(old, name=name)
        made_kind = replace(kind, fields=tuple(fields))
        if is_list:
            made_kind = replace(found.kind, inner=(made_kind,))
        columns[columns.index(found)] = replace(found, kind=made_kind)
        return way, below

    def _evolve_move(self, change: Any, columns: list[Column]) -> Any:
        found = self._some(columns, lambda each: each in self.columns)
        if found is None:
            return None
        change.move_first(found.name)
        return found.name

    def _evolve_default(self, change: Any, columns: list[Column]) -> Any:
        if self.version < 3:
            return None
        found = self._some(
            columns,
            lambda e: e in self.columns and e.kind.name in {"int", "long", "string", "date"},
        )
        if found is None:
            return None
        value = value_of(self.draw, found.kind)
        change.update_column(found.name, default=value)
        columns[columns.index(found)] = replace(found, default=value)
        return found.name, value

    def _evolve_spec(self, change: Any, columns: list[Column]) -> Any:
        del columns
        term = self._term()
        if term is not None:
            change.add_partition_field(term)
        return term

    def _evolve_unspec(self, change: Any, columns: list[Column]) -> Any:
        del columns
        fields = [
            e.name for e in self.table.metadata.spec().fields if "void" not in str(e.transform)
        ]
        if not fields:
            return None
        name = self._one(fields)
        change.drop_partition_field(name)
        return name

    def _evolve_sort(self, change: Any, columns: list[Column]) -> Any:
        del columns
        terms = self._orders()
        change.sort_by(*terms)
        return terms

    def _evolve_upgrade(self, change: Any, columns: list[Column]) -> Any:
        del columns
        if self.version == 3 or self._flag():
            return None
        change.upgrade(self.version + 1)
        return self.version + 1
