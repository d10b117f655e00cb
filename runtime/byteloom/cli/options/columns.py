"""The option ``--columns`` of all commands, the errors about unknown columns, and nested columns.

A column inside of a struct is named by its path, ``body.value``; a column's own name may have
points as well.
"""

from __future__ import annotations

import csv
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

import typer

from byteloom import arguments
from byteloom.errors import ArgumentError
from byteloom.late import pa, pc
from byteloom.storage.naming import about_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "Columns",
    "Fields",
    "NestedColumns",
    "check_distinct",
    "check_names",
    "names_of",
    "unknown",
]

_SHOWN: Final = 100
"""The most names of columns in an error about one that does not exist."""

Columns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--columns", "-c", metavar="NAME,...", help="Only these columns, in this order; repeatable."
    ),
]
"""Names, any number in one option; one that has a comma is quoted as in CSV."""

Fields: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        "-c",
        metavar="NAME,...",
        help="Only these columns, in this order; a.b is a field inside of a; repeatable.",
    ),
]
"""The same, of commands that take fields inside of columns."""


def names_of(given: Any) -> list[str] | None:
    """Return the names that ``--columns`` has; None where it was not given."""
    return [name for line in csv.reader(given) for name in line] if given else None


def check_names(names: Iterable[str], there: Iterable[str], place: str) -> None:
    """Refuse names that are not among *there*, the columns of *place*.

    ArgumentError  the first unknown name
    """
    known = list(there)
    for name in names:
        if name not in known:
            error = ArgumentError("columns", None, repr(name), unknown(name, known))
            raise error.in_file(place)


def check_distinct(names: Iterable[str], place: str) -> None:
    """Refuse two columns of one name.

    ArgumentError  the first name that another column has
    """
    with about_file(place):
        arguments.check_distinct("columns", names, "columns")


def unknown(name: str, there: list[str]) -> str:
    """Return what an error wants instead of a name that is not *there*, with all that are."""
    names = arguments.listed(there, _SHOWN)
    return f"a column of the schema: {names}{arguments.suggestion(name, there)}"


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
