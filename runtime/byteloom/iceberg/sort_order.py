"""Sort orders: how the rows of a data file are ordered.

Source: Iceberg table spec, "Sorting" and "Appendix C", Sort Orders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError
from byteloom.iceberg.documents import an_object, extra_of, read_record, to_document
from byteloom.iceberg.partition_spec import source_id_or_ids, source_ids_of
from byteloom.iceberg.transforms import parse_transform
from byteloom_generated.iceberg import partition_specs as documents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom.iceberg.transforms import Transform

__all__ = ["SortField", "SortOrder"]

_ORDER: Final = frozenset({"order_id", "fields"})
_FIELD: Final = frozenset({"source_id", "source_ids", "transform", "direction", "null_order"})
_WORDS: Final = tuple(each.key for each in documents.SortField.FIELDS if each.values)
"""The keys whose values are words that may be in upper or lower case."""


@dataclass(frozen=True, slots=True)
class SortField:
    """One key of the order.

    Attributes:
        direction: ``asc`` or ``desc``.
        null_order: ``nulls-first`` or ``nulls-last``.
        extra: JSON keys that the spec does not know, written back as they were.
    """

    source_ids: tuple[int, ...]
    transform: Transform
    direction: str = "asc"
    null_order: str = "nulls-first"
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class SortOrder:
    """The keys of an order, the most significant first; order 0 has none.

    Attributes:
        extra: JSON keys that the spec does not know, written back as they were.
    """

    fields: tuple[SortField, ...] = ()
    order_id: int = 0
    extra: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_json(cls, document: Any) -> SortOrder:
        """Return the order that a JSON object describes; `FormatError` says what is wrong.

        Source: Iceberg table spec, "Appendix C", Sort Orders.
        """
        record = read_record(documents.SortOrder, document, "sort-order")
        fields = []
        for number, each in enumerate(record.fields):
            try:
                fields.append(_field_from_json(each))
            except FormatError as error:
                raise error.inside(f"fields[{number}]") from None
        return cls(tuple(fields), record.order_id, extra_of(record, _ORDER))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of this order; `from_json` reads it back."""
        fields = [_field_to_json(each) for each in self.fields]
        return to_document(documents.SortOrder, self.extra, order_id=self.order_id, fields=fields)

    @property
    def is_unsorted(self) -> bool:
        """Whether the order has no keys."""
        return not self.fields


def _field_from_json(document: Any) -> SortField:
    """A key of an order."""
    record = read_record(documents.SortField, _lowered(an_object(document, "field")), "field")
    return SortField(
        source_ids=source_ids_of(record),
        transform=parse_transform(record.transform),
        direction=record.direction,
        null_order=record.null_order,
        extra=extra_of(record, _FIELD),
    )


def _field_to_json(field: SortField) -> dict[str, Any]:
    """The JSON object of a key."""
    return to_document(
        documents.SortField,
        field.extra,
        **source_id_or_ids(field.source_ids),
        transform=str(field.transform),
        direction=field.direction,
        null_order=field.null_order,
    )


def _lowered(document: dict[str, Any]) -> dict[str, Any]:
    """Return the same document with its words in lower case."""
    words = {key: document[key] for key in _WORDS if isinstance(document.get(key), str)}
    return document | {key: word.lower() for key, word in words.items()}
