"""Partition transforms: their source types, their results, and whether they preserve order.

The rules:

- A transform is a value, written as its text: ``bucket[16]``.  An unknown one is kept, and excludes
  no rows.
- Null always stays null.
- Time transforms count whole years, months, days or hours since 1970; before it the counts are
  negative, rounded towards the past.

Source: Iceberg table spec, "Partition Transforms".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from byteloom.errors import FormatError
from byteloom.iceberg.types import StringType, Type, parse_primitive
from byteloom_generated.iceberg.transforms import TRANSFORMS

if TYPE_CHECKING:
    from byteloom_generated.iceberg.transforms import TransformRow

__all__ = [
    "Bucket",
    "Day",
    "Hour",
    "Identity",
    "Month",
    "TimeTransform",
    "Transform",
    "Truncate",
    "UnknownTransform",
    "Void",
    "Year",
    "parse_transform",
]

_ROWS: Final = {each.name: each for each in TRANSFORMS}
"""The spec's row of each transform, by its name without a parameter."""


@dataclass(frozen=True, slots=True)
class Transform:
    """The function that computes a partition or sort field from its source column.

    Attributes:
        name: As in the spec, without a parameter; empty for a transform that the spec lacks.
        row: The spec's row of it.
        sources: The source types that it can be applied to, without their parameters.
        preserves_order: Whether a greater value never has a lesser result.
    """

    name: ClassVar[str] = ""
    row: ClassVar[TransformRow]
    sources: ClassVar[frozenset[str]] = frozenset()
    preserves_order: ClassVar[bool] = False
    is_known: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        """Look up the spec's row by the name."""
        if "name" in vars(cls):
            cls.row = _ROWS[cls.name]
            cls.sources = frozenset(cls.row.sources)
            cls.preserves_order = cls.row.keeps_order

    def can_transform(self, source: Type) -> bool:
        """Return whether the spec defines the transform for that source type."""
        return source.kind in self.sources

    def result_type(self, source: Type) -> Type:
        """Return the type of the results for that source type."""
        made = self.row.result
        return source if made == "source" else parse_primitive(made)

    def satisfies_order_of(self, other: Transform) -> bool:
        """Return whether values sorted by this transform are sorted by *other* too."""
        return self == other

    def __str__(self) -> str:
        """``day``."""
        return self.name


@dataclass(frozen=True, slots=True)
class Identity(Transform):
    """The source value, unmodified."""

    name: ClassVar[str] = "identity"

    def satisfies_order_of(self, other: Transform) -> bool:
        """Return whether *other* preserves order: values in order then have results in order."""
        return other.preserves_order


@dataclass(frozen=True, slots=True)
class Bucket(Transform):
    """The hash of a value, modulo *buckets*; 1 or more."""

    buckets: int
    name: ClassVar[str] = "bucket"

    def __str__(self) -> str:
        """``bucket[16]``."""
        return f"bucket[{self.buckets}]"


@dataclass(frozen=True, slots=True)
class Truncate(Transform):
    """A number rounded down to a multiple of *width*, or the first *width* characters or bytes."""

    width: int
    name: ClassVar[str] = "truncate"

    def satisfies_order_of(self, other: Transform) -> bool:
        """Return whether *other* truncates to the same width or less, so its results are sorted."""
        return isinstance(other, Truncate) and self.width >= other.width

    def __str__(self) -> str:
        """``truncate[10]``."""
        return f"truncate[{self.width}]"


@dataclass(frozen=True, slots=True)
class TimeTransform(Transform):
    """Whole units of time since 1970-01-01 00:00:00.

    Attributes:
        unit: ``Y``, ``M``, ``D`` or ``h``, NumPy's name for it.
        fineness: Higher for shorter units.
    """

    unit: ClassVar[str]
    fineness: ClassVar[int]

    def satisfies_order_of(self, other: Transform) -> bool:
        """Return whether *other* has longer units: days are in the order of months too."""
        return isinstance(other, TimeTransform) and self.fineness >= other.fineness


@dataclass(frozen=True, slots=True)
class Year(TimeTransform):
    """Years since 1970."""

    name: ClassVar[str] = "year"
    unit: ClassVar[str] = "Y"
    fineness: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class Month(TimeTransform):
    """Months since 1970-01."""

    name: ClassVar[str] = "month"
    unit: ClassVar[str] = "M"
    fineness: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Day(TimeTransform):
    """Days since 1970-01-01; the result is a date, which some writers store as an int."""

    name: ClassVar[str] = "day"
    unit: ClassVar[str] = "D"
    fineness: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class Hour(TimeTransform):
    """Hours since 1970-01-01 00:00."""

    name: ClassVar[str] = "hour"
    unit: ClassVar[str] = "h"
    fineness: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class Void(Transform):
    """Always null: what a field that was dropped in version 1 becomes."""

    name: ClassVar[str] = "void"


@dataclass(frozen=True, slots=True)
class UnknownTransform(Transform):
    """A transform of another version or vendor: kept, but never applied.

    Attributes:
        text: As it was written.
    """

    text: str
    is_known: ClassVar[bool] = False

    def can_transform(self, source: Type) -> bool:  # noqa: ARG002  who knows
        """Return True: whether the transform can be applied to a type is unknown."""
        return True

    def result_type(self, source: Type) -> Type:  # noqa: ARG002  who knows
        """Return string, as in Java."""
        return StringType()

    def __str__(self) -> str:
        """Return the text as it was written."""
        return self.text


_PLAIN: Final[dict[str, Transform]] = {
    str(each): each for each in (Identity(), Year(), Month(), Day(), Hour(), Void())
}
_PLAINLY: Final = re.IGNORECASE | re.ASCII
_WITH_WIDTH: Final[tuple[tuple[re.Pattern[str], Any], ...]] = (
    (re.compile(r"bucket\[\s*(\d{1,10})\s*\]", _PLAINLY), Bucket),
    (re.compile(r"truncate\[\s*(\d{1,10})\s*\]", _PLAINLY), Truncate),
)
_LARGEST: Final = (1 << 31) - 1


def parse_transform(text: str) -> Transform:
    """Return the transform that *text* names; an unknown one for any other text.

    Raises:
        FormatError: A bucket count or width of 0, or beyond 32 bits.

    Source: Iceberg table spec, "Appendix C", Partition Specs.
    """
    if known := _PLAIN.get(text.strip().lower()):
        return known
    for pattern, make in _WITH_WIDTH:
        if found := pattern.fullmatch(text.strip()):
            number = int(found[1])
            if not 0 < number <= _LARGEST:
                raise FormatError("transform", None, repr(text), f"a number from 1 to {_LARGEST}")
            transform: Transform = make(number)
            return transform
    return UnknownTransform(text)
