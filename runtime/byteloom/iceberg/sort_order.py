"""Sort orders: how the rows of a data file are ordered.

Source: Iceberg table spec, "Sorting" and "Appendix C", Sort Orders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.documents import an_object, required
from byteloom.iceberg.partition_spec import source_ids_from_json, source_ids_to_json
from byteloom.iceberg.transforms import parse_transform

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.iceberg.transforms import Transform

__all__ = ["SortField", "SortOrder"]

_KEYS: Final = frozenset({"source-id", "source-ids", "transform", "direction", "null-order"})
_DIRECTIONS: Final = ("asc", "desc")
_NULL_ORDERS: Final = ("nulls-first", "nulls-last")


@dataclass(frozen=True, slots=True)
class SortField:
    """One key of the order.

    direction   ``asc`` or ``desc``
    null_order  ``nulls-first`` or ``nulls-last``
    extra       JSON keys that the spec does not know, written back as they were
    """

    source_ids: tuple[int, ...]
    transform: Transform
    direction: str = "asc"
    null_order: str = "nulls-first"
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class SortOrder:
    """The keys of an order, outermost first; order 0 has none."""

    fields: tuple[SortField, ...] = ()
    order_id: int = 0

    @classmethod
    def from_json(cls, document: Any) -> SortOrder:
        """Return the order that a JSON object describes; `FormatError` says what is wrong.

        Source: Iceberg table spec, "Appendix C", Sort Orders.
        """
        document = an_object(document, "sort-order")
        fields = []
        for number, each in enumerate(required(document, "fields", list)):
            try:
                fields.append(_field_from_json(each))
            except FormatError as error:
                raise error.inside(f"fields[{number}]") from None
        return cls(tuple(fields), required(document, "order-id", int))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of this order; `from_json` reads it back."""
        return {"order-id": self.order_id, "fields": [_field_to_json(each) for each in self.fields]}

    @property
    def is_unsorted(self) -> bool:
        """Whether there is no order."""
        return not self.fields


def _field_from_json(document: Any) -> SortField:
    """A key of an order."""
    document = an_object(document, "field")
    return SortField(
        source_ids=source_ids_from_json(document),
        transform=parse_transform(required(document, "transform", str)),
        direction=_one_of(document, "direction", _DIRECTIONS),
        null_order=_one_of(document, "null-order", _NULL_ORDERS),
        extra={key: value for key, value in document.items() if key not in _KEYS},
    )


def _field_to_json(field: SortField) -> dict[str, Any]:
    """The JSON object of a key."""
    return {
        "transform": str(field.transform),
        **source_ids_to_json(field.source_ids),
        "direction": field.direction,
        "null-order": field.null_order,
        **field.extra,
    }


def _one_of(document: dict[str, Any], key: str, words: tuple[str, ...]) -> str:
    """The word under *key*, case ignored."""
    word = required(document, key, str).lower()
    if word not in words:
        raise FormatError(key, None, repr(document[key]), " or ".join(words))
    return word
