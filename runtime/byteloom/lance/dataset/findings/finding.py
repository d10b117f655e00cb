"""A finding: something that is wrong with a version of a dataset, and whose rows are misread."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.errors import ByteloomError

__all__ = ["Finding"]


class Finding(NamedTuple):
    """Something that is wrong with a version.

    Attributes:
        error: What is wrong.
        fields: Ids of the fields whose rows cannot be right because of it.
    """

    error: ByteloomError
    fields: frozenset[int] = frozenset()

    @classmethod
    def of(cls, path: str, found: object, wanted: str, fields: Iterable[int] = ()) -> Self:
        """Return the finding that *wanted* was expected at *path*, where *found* is."""
        return cls(FormatError(path, None, found, wanted), frozenset(fields))
