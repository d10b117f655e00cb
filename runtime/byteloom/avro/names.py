"""Named types of an Avro schema.

A type is known by its full name or, where writers forgot its namespace, by its short one.

Source: https://avro.apache.org/docs/1.12.0/specification/#names
"""

from __future__ import annotations

from typing import Any, TypeAlias

__all__ = ["Known", "Names"]

Known: TypeAlias = tuple[dict[str, Any], str]
"""A type and its namespace."""


class Names:
    """The types that have been named so far."""

    def __init__(self) -> None:
        """Begin without any named types."""
        self._known: dict[str, Known] = {}

    def note(self, schema: dict[str, Any], space: str) -> str:
        """Record a named type; return the namespace for the types inside it.

        space  the namespace around the type
        """
        name: str = schema["name"]
        around, _, short = name.rpartition(".")
        if not around:
            said = schema.get("namespace")
            around = said if isinstance(said, str) else space
        self._known[f"{around}.{short}" if around else short] = schema, space
        self._known.setdefault(short, (schema, space))
        return around

    def find(self, name: Any, space: str) -> Known | None:
        """Return the type that *name* refers to in a namespace."""
        if not isinstance(name, str):
            return None
        return self._known.get(f"{space}.{name}") or self._known.get(name)
