"""Columns that are chosen by name, including those inside of structs: ``body.value``."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pyarrow as pa

from byteloom.cli.options.columns import unknown
from byteloom.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NestedColumns"]


class NestedColumns:
    """The columns of some names, of all batches of a schema; a nested one is named by its path."""

    def __init__(self, names: Sequence[str], schema: pa.Schema, place: str) -> None:
        """Look the names up; `ArgumentError`, which names *place*, for an unknown one."""
        self._paths = [_path(name, schema, place) for name in names]
        fields = [_field(schema, path) for path in self._paths]
        self.schema = pa.schema(
            each.with_name(name) for name, each in zip(names, fields, strict=True)
        )

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return those columns of a batch."""
        from byteloom.late import pc

        arrays = [
            pc.struct_field(batch.column(root), inner) if inner else batch.column(root)
            for root, *inner in self._paths
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _path(name: str, schema: pa.Schema, place: str) -> list[str]:
    """The names of a column and of the fields in it; a column's own name may have points."""
    fields: list[pa.Field] = list(schema)
    rest, path = name, list[str]()
    while rest:
        there = [each for each in fields if rest == each.name or rest.startswith(f"{each.name}.")]
        if not there:
            known = _names(fields, "".join(f"{each}." for each in path))
            error = ArgumentError("columns", None, repr(name), unknown(name, known))
            raise error.in_file(place)
        found = max(there, key=lambda each: len(each.name))
        path.append(found.name)
        rest = rest[len(found.name) + 1 :]
        fields = list(found.type) if pa.types.is_struct(found.type) else []
    return path


def _names(fields: Sequence[pa.Field], before: str) -> list[str]:
    """Return the names of fields, and after them those of the fields in them."""
    structs = [each for each in fields if pa.types.is_struct(each.type)]
    inner = [_names(list(each.type), f"{before}{each.name}.") for each in structs]
    return [*(f"{before}{each.name}" for each in fields), *chain.from_iterable(inner)]


def _field(schema: pa.Schema, path: Sequence[str]) -> pa.Field:
    """The field at a path, which may be null wherever one around it is."""
    found = schema.field(path[0])
    for name in path[1:]:
        inner = found.type.field(name)
        found = inner.with_nullable(inner.nullable or found.nullable)
    return found
