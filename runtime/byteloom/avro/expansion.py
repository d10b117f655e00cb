"""Count the types of a schema after each name is replaced by its definition.

A schema of a kilobyte may repeat the names of its types so often that their definitions do not fit
in memory. Counting goes through the schema once, so such a schema is refused before any work on it.

Source: https://avro.apache.org/docs/1.12.0/specification/#names
"""

from __future__ import annotations

from typing import Any, Final

from byteloom.avro.names import Names
from byteloom.limits import DEFAULT_LIMITS

__all__ = ["expanded_types"]

_ITEMS: Final = {"array": "items", "map": "values"}
_NAMED: Final = frozenset({"record", "error", "enum", "fixed"})


def expanded_types(schema: Any) -> int:
    """Return the number of types in *schema*, including those that take no bytes.

    Errors count as one type: undefined names, and types that contain themselves or are nested too
    deeply.
    """
    return _Counter().count(schema, "", DEFAULT_LIMITS.nesting)


class _Counter:
    """Counts each definition once.

    A name that is defined twice counts with the definition that was known when it was used.
    """

    def __init__(self) -> None:
        self._names = Names()
        self._counts: dict[int, int] = {}

    def count(self, schema: Any, space: str, depth: int) -> int:
        """Return the number of types in *schema*, itself included, in namespace *space*."""
        if depth < 0:
            return 1
        if isinstance(schema, list):
            return 1 + sum(self.count(each, space, depth - 1) for each in schema)
        kind = schema.get("type") if isinstance(schema, dict) else schema
        if isinstance(kind, dict | list):
            return 1 + self.count(kind, space, depth - 1)
        if isinstance(schema, dict) and isinstance(kind, str):
            if kind in _ITEMS:
                return 1 + self.count(schema.get(_ITEMS[kind]), space, depth - 1)
            if kind in _NAMED:
                return self._defined(schema, space, depth)
        known = self._names.find(kind, space)
        return 1 if known is None else 1 + self._counts.get(id(known[0]), 0)

    def _defined(self, schema: dict[str, Any], space: str, depth: int) -> int:
        """Count a type that defines a name."""
        if isinstance(schema.get("name"), str):
            space = self._names.note(schema, space)
        count, fields = 1, schema.get("fields")
        for each in fields if isinstance(fields, list) else ():
            field = each.get("type") if isinstance(each, dict) else each
            count += self.count(field, space, depth - 1)
        self._counts[id(schema)] = count
        return count
