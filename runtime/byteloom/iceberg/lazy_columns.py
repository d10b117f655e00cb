"""The columns of a schema, each parsed from its JSON when it is needed.

A table may have thousands of columns while a scan asks for only a few.  The rules:

- All columns are checked at once when the schema is read; if one is wrong, reading them one by one
  finds it.
- Columns with fields inside, with defaults or of type unknown are parsed at once, since not only
  their keys can be wrong.

Source: Iceberg table spec, "Appendix C", Schemas.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from byteloom.errors import FormatError
from byteloom.iceberg.documents import VERSION
from byteloom.iceberg.type_json import field_from_json
from byteloom.iceberg.types import (
    NestedField,
    NestedType,
    StructType,
    UnknownType,
    parse_primitive,
)
from byteloom_generated.iceberg.schemas import StructField

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["LazyColumns"]


class LazyColumns:
    """The columns of a schema, in order.

    Attributes:
        ids: Of the columns.
        names: Of the columns.
    """

    def __init__(
        self,
        ids: list[int],
        names: list[str],
        made: list[NestedField | None],
        documents: Sequence[Any],
    ) -> None:
        """Keep the columns, as `of_fields` or `of_json` has prepared them.

        Args:
            made: Each column, or None if it is to be made from its document on demand.
            documents: The JSON of each column that is None in *made*.
        """
        self.ids, self.names = ids, names
        self._made, self._documents = made, documents

    @cached_property
    def _place(self) -> dict[int, int]:
        """The place of each id in the schema; the first place if an id occurs several times."""
        return dict(zip(reversed(self.ids), range(len(self.ids) - 1, -1, -1), strict=True))

    @classmethod
    def of_fields(cls, fields: Sequence[NestedField]) -> LazyColumns:
        """Return these columns as lazy ones."""
        return cls([each.id for each in fields], [each.name for each in fields], [*fields], ())

    @classmethod
    def of_plain(
        cls, ids: list[int], names: list[str], types: list[str], documents: Sequence[Any]
    ) -> LazyColumns | None:
        """Return columns whose only keys are these, ``required`` and ``doc``.

        Args:
            documents: The columns as msgspec decoded them, each a struct.

        Returns:
            None if `of_json` would refuse them, or parse some at once.
        """
        distinct = set(types)
        if len(set(names)) < len(names) or len(_plain(distinct)) < len(distinct):
            return None
        return cls(ids, names, [None] * len(ids), documents)

    @classmethod
    def of_json(cls, documents: list[Any]) -> LazyColumns:
        """Return the columns that JSON objects describe.

        Raises:
            FormatError: Two columns with the same name; otherwise as `field_from_json`.
        """
        found = StructField.columns_from_json(documents, version=VERSION)
        waiting = found and _waiting(found)
        if not found or waiting is None or len(set(found["name"])) < len(documents):
            return cls.of_fields(StructType(tuple(map(field_from_json, documents))).fields)
        made: list[NestedField | None] = [None] * len(documents)
        for place, waits in enumerate(waiting):
            if not waits:
                made[place] = field_from_json(documents[place])
        return cls(found["id"], found["name"], made, documents)

    def all(self) -> tuple[NestedField, ...]:
        """Return all columns."""
        return tuple(map(self._at, range(len(self.ids))))

    def some(self, field_ids: Collection[int]) -> list[NestedField]:
        """Return the columns of these ids, in the order of the schema."""
        return list(map(self._at, sorted(self._place[each] for each in field_ids)))

    def find(self, field_id: int) -> NestedField | None:
        """Return the column with that id, or None; nested fields are not searched."""
        place = self._place.get(field_id)
        return None if place is None else self._at(place)

    def nested(self) -> dict[int, NestedType]:
        """Return the types of the columns that have fields inside, by the columns' ids."""
        return {
            each.id: each.type
            for each in self._made
            if each is not None and isinstance(each.type, NestedType)
        }

    def _at(self, place: int) -> NestedField:
        """Return the column at a place of the schema."""
        made = self._made[place]
        if made is None:
            given = self._documents[place]
            made = field_from_json(given) if type(given) is dict else _of_plain(given)
            self._made[place] = made
        return made


def _of_plain(given: Any) -> NestedField:
    """Return the column that a struct of msgspec describes, whose values have been checked."""
    doc = None if given.doc is UNSET else given.doc
    return NestedField(given.id, given.name, parse_primitive(given.type), given.required, doc)


def _waiting(found: dict[str, list[Any]]) -> list[bool] | None:
    """Return whether each column can be made later; None if the type of one is unknown here.

    Args:
        found: What `StructField.columns_from_json` has found.
    """
    types = found["type"]
    try:
        plain = _plain({each for each in types if type(each) is str})
    except FormatError:
        return None
    defaults = found["initial_default"], found["write_default"]
    waiting = [type(each) is str and each in plain for each in types]
    if any(each.count(None) < len(types) for each in defaults):
        with_values = zip(waiting, *defaults, strict=True)
        waiting = [each and one is None and other is None for each, one, other in with_values]
    return waiting


def _plain(types: set[str]) -> set[str]:
    """Return those types that need not be parsed at once; `FormatError` for an invalid type."""
    return {each for each in types if parse_primitive(each).kind != UnknownType.kind}
