"""Rows of several readers in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ordered", "plain"]


def plain(value: Any) -> Any:
    """Return a value with UUIDs as bytes and entries of maps as structs."""
    if isinstance(value, UUID):
        return value.bytes
    if isinstance(value, tuple):
        return {"key": plain(value[0]), "value": plain(value[1])}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def ordered(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return rows as text, in an order that is the same for all."""
    return sorted(repr(plain(each)) for each in rows)
