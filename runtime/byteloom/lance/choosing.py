"""Select fields by the names of columns, or of fields inside them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from byteloom.arguments import wanted_name
from byteloom.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.fields import Field

__all__ = ["chosen"]

_WHOLE: Final = None


def chosen(fields: Sequence[Field], columns: Sequence[str] | None) -> list[Field]:
    """Return the fields that *columns* name, in their order, narrowed to the requested ones.

    Args:
        columns: Names of fields at the top; ``points.item.x`` is an inner field, and the name of a
            list's item may be left out; a map and a packed struct come whole; None for all.

    Raises:
        FormatError: For a name that no field has.
    """
    if columns is None:
        return list(fields)
    if isinstance(columns, str):
        raise ArgumentError("columns", None, repr(columns), "a list of names")
    wanted: dict[int, set[int] | None] = {}
    for name in columns:
        path = _find(fields, name)
        top, leaf = path[0].id, path[-1].id
        kept = wanted.setdefault(top, set())
        if len(path) == 1 or kept is _WHOLE:
            wanted[top] = _WHOLE
        else:
            kept.add(leaf)
    by_id = {each.id: each for each in fields}
    return [
        by_id[top] if kept is _WHOLE else _narrowed(by_id[top], kept)
        for top, kept in wanted.items()
    ]


def _find(fields: Sequence[Field], name: Any) -> list[Field]:
    """The fields from the top down to the one with a name."""
    for each in fields:
        if each.name == name:
            return [each]
    for each in fields:
        if isinstance(name, str) and name.startswith(f"{each.name}."):
            rest = name[len(each.name) + 1 :]
            found = _inside(each, rest)
            if found:
                return [each, *found]
    known = [each.path for top in fields for each in top.walk()]
    wanted = wanted_name(str(name), known, "a column of the schema")
    raise ArgumentError("columns", None, repr(name), wanted)


def _inside(field: Field, name: str) -> list[Field]:
    """The fields from a child of *field* down to the one with a name; empty if there is none."""
    for each in field.children:
        if each.name == name:
            return [each]
        if name.startswith(f"{each.name}."):
            found = _inside(each, name[len(each.name) + 1 :])
            if found:
                return [each, *found]
    if field.is_list and len(field.children) == 1:
        found = _inside(field.children[0], name)
        return [field.children[0], *found] if found else []
    return []


def _narrowed(field: Field, kept: set[int]) -> Field:
    """A field with only those inner fields that are *kept*, or inside a kept one.

    Packed structs are whole, since they are stored row by row, and so are maps.
    """
    if field.id in kept or field.is_packed or field.type == "map":
        return field
    children = [
        _narrowed(each, kept)
        for each in field.children
        if any(one.id in kept for one in each.walk())
    ]
    return replace(field, children=children)
