# Written by byteloom-codegen from spec.yaml; do not edit.
# To change it, edit that file and generate again.
"""What grows, and `where`.

Source: https://example.com/fruit
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from byteloom.wire.calc import labels

__all__ = ["FRUIT", "FruitColour", "FruitRow"]


@labels
class FruitColour(IntEnum):
    """What it looks like.

    Source: https://example.com/fruit "Colours"
    """

    GREEN = 0
    DARK_RED = 7
    """Red, and <dark>."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FruitRow:
    """One kind of fruit."""

    id: int
    """Its number."""

    name: str
    """Its name."""

    doc: str
    """What it is."""

    is_ripe: bool = False
    """Whether it can be eaten."""

    grows_on: str | None = None
    """What bears it."""

    sizes: tuple[int, ...] = ()
    """In millimetres."""


FRUIT: Final = (
    FruitRow(
        id=1,
        name="apple",
        is_ripe=True,
        grows_on="tree",
        sizes=(70, 80),
        doc='Round, "red" or <green>.',
    ),
    FruitRow(id=2, name="currant", grows_on="bush", sizes=(6,), doc="It's small."),
    FruitRow(id=3, name="nothing", doc="`None` of it."),
)
"""All of it.

Source: https://example.com/fruit "Fruit, and | other things"
"""
