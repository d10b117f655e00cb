# Written by byteloom-codegen from spec.yaml; do not edit.
# To change it, edit that file and generate again.
"""A basket is one JSON file.

Source: https://example.com/baskets
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from byteloom.documents.json_kinds import list_of, map_of, scalar
from byteloom.documents.json_record import JsonField, JsonRecord, record_of

if TYPE_CHECKING:
    from uuid import UUID

__all__ = ["Basket", "Fruit"]


@dataclass(slots=True, kw_only=True, repr=False)
class Basket(JsonRecord):
    """All that is in it.

    Source: https://example.com/baskets "Baskets"
    """

    NAME: ClassVar[str] = "basket"

    basket_id: UUID
    """Its own. (v1 required, v2 required)"""

    owner: str | None = None
    """Whose it is. (v1 optional, v2 required)"""

    fruits: list[Fruit] = field(default_factory=list)
    """What is in it. (v1 optional, v2 optional)"""

    weight_g: int = 0
    """How heavy it is. (v2 optional)"""


@dataclass(slots=True, kw_only=True, repr=False)
class Fruit(JsonRecord):
    """One piece.

    Source: https://example.com/baskets "Fruit"
    """

    NAME: ClassVar[str] = "fruit"

    kind: str
    """What it is. (v1 required, v2 required)"""

    colour: str | None = None
    """How it looks. (v1 optional, v2 required)"""

    notes: dict[str, str] = field(default_factory=dict)
    """Whatever else is known. (v1 optional, v2 optional)"""


Basket.FIELDS = (
    JsonField(
        key="basket-id",
        attribute="basket_id",
        kind=scalar("uuid"),
        versions=(1, 2),
        required=(1, 2),
    ),
    JsonField(
        key="owner",
        attribute="owner",
        kind=scalar("string"),
        versions=(1, 2),
        required=(2,),
        values=("me", "you"),
    ),
    JsonField(
        key="fruits",
        attribute="fruits",
        kind=list_of(record_of(lambda: Fruit)),
        versions=(1, 2),
    ),
    JsonField(
        key="weight-g",
        attribute="weight_g",
        kind=scalar("long"),
        versions=(2,),
        absent=0,
        none=-1,
    ),
)


Fruit.FIELDS = (
    JsonField(
        key="kind",
        attribute="kind",
        kind=scalar("string"),
        versions=(1, 2),
        required=(1, 2),
    ),
    JsonField(
        key="colour",
        attribute="colour",
        kind=scalar("string"),
        versions=(1, 2),
        required=(2,),
        is_relaxed=True,
    ),
    JsonField(
        key="notes", attribute="notes", kind=map_of(scalar("string")), versions=(1, 2)
    ),
)
