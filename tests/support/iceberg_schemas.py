"""JSON of types and columns of Iceberg, of which tests name only what matters to them."""

from __future__ import annotations

from typing import Any

__all__ = ["a_field", "a_list", "a_map", "a_struct"]


def a_field(number: int, name: str, of: Any, *, required: bool = False, **more: Any) -> Any:
    """Return a column or a field of a struct, with *more* keys, such as a default."""
    named = {key.replace("_", "-"): value for key, value in more.items()}
    return {"id": number, "name": name, "required": required, "type": of, **named}


def a_struct(*fields: Any) -> dict[str, Any]:
    """Return a struct of fields."""
    return {"type": "struct", "fields": list(fields)}


def a_list(number: int, element: Any, *, required: bool = False) -> dict[str, Any]:
    """Return a list; its element has the id *number*."""
    return {
        "type": "list",
        "element-id": number,
        "element": element,
        "element-required": required,
    }


def a_map(key_id: int, key: Any, value_id: int, value: Any, *, required: bool = False) -> Any:
    """Return a map; its values may be null unless they are required."""
    return {
        "type": "map",
        "key-id": key_id,
        "key": key,
        "value-id": value_id,
        "value": value,
        "value-required": required,
    }
