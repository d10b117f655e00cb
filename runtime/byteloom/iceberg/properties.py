"""Table properties: how writers make files and commit them.

The rules:

- ``specs/iceberg/table_properties.yaml`` says how each is read, and what it is if a table does not
  set it.
- A text that is no value of its property is an error: writers that ignored it would do something
  else than the table asks for.

Source: https://iceberg.apache.org/docs/latest/configuration/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import FormatError, Unsupported
from byteloom_generated.iceberg.table_properties import (
    COLUMN_PROPERTIES,
    RESERVED_PROPERTIES,
    TABLE_PROPERTIES,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from byteloom_generated.iceberg.table_properties import TableProperty

__all__ = ["RESERVED", "Properties"]

RESERVED: Final = frozenset(each.name for each in RESERVED_PROPERTIES)
"""Keys that are never stored."""

_KNOWN: Final = {each.name: each for each in TABLE_PROPERTIES}
_MOST: Final = (1 << 63) - 1
_WORDS: Final = {"true": True, "false": False}


class Properties:
    """The properties of one table."""

    def __init__(self, given: Mapping[str, str]) -> None:
        """Keep the properties that the table sets."""
        self._given = given

    def flag(self, name: str) -> bool:
        """Return a property that is true or false."""
        found = (self.text(name) or "").lower()
        if found not in _WORDS:
            raise self._refused(name, "true or false")
        return _WORDS[found]

    def number(self, name: str) -> int:
        """Return a property that is a whole number, and has a default."""
        found = self.optional_number(name)
        assert found is not None, name  # noqa: S101  it has a default
        return found

    def optional_number(self, name: str) -> int | None:
        """Return a property that is a whole number; None if it is not set and has no default."""
        text = self.text(name)
        if text is None:
            return None
        least = _property(name).least
        try:
            found = int(text)
        except ValueError:
            raise self._refused(name, "a whole number") from None
        if least is not None and found < least:
            raise self._refused(name, f"{least} or more")
        if abs(found) > _MOST:
            raise self._refused(name, "a number of 64 bits")
        return found

    def word(self, name: str) -> str:
        """Return a property that is one of some values, in lower case.

        Raises:
            Unsupported: Another value.
        """
        found, known = (self.text(name) or "").lower(), _property(name)
        if found not in known.values:
            raise Unsupported(
                f"properties.{name}", None, repr(self.text(name)), " or ".join(known.values)
            )
        return found

    def text(self, name: str) -> str | None:
        """Return the text of a property, or of its default; None if it has neither."""
        known: TableProperty = _property(name)
        return self._given.get(name, known.default)

    def is_set(self, name: str) -> bool:
        """Whether the table sets a property."""
        return name in self._given

    def below(self, prefix: str) -> dict[str, str]:
        """Return the values of the properties that begin with *prefix*, by what follows it."""
        return {
            name.removeprefix(prefix): value
            for name, value in self._given.items()
            if name.startswith(prefix)
        }

    def _refused(self, name: str, wanted: str) -> FormatError:
        return FormatError(f"properties.{name}", None, repr(self.text(name)), wanted)


def _property(name: str) -> TableProperty:
    """Return the property with a name, or the one of columns that it begins with."""
    if name in _KNOWN:
        return _KNOWN[name]
    return next(each for each in COLUMN_PROPERTIES if name.startswith(each.name))
