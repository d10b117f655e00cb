"""The options of a source: described once, parsed and checked here, printed in its documentation.

Spark passes options as text, their names in lower case.  An unknown option is an error that
suggests similar names; a value of the wrong type is an error too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from byteloom.arguments import wanted_name
from byteloom.errors import ArgumentError

__all__ = [
    "COUNT",
    "FLAG",
    "NAMES",
    "PLACES",
    "SIZE",
    "SOME_NAMES",
    "TEXT",
    "WHOLE",
    "Kind",
    "Option",
    "Options",
    "one_of",
]

_UNITS: Final = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_SIZE: Final = re.compile(r"(\d+)\s*([kmgt]?)i?b?", re.IGNORECASE | re.ASCII)
_LONGEST: Final = 20
"""Most digits of a number: any of 64 bits has fewer."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of an option's values.

    Attributes:
        name: As in the documentation and in errors: ``a whole number``.
        read: Parses the text of a value; ValueError for an invalid one.
    """

    name: str
    read: Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Option:
    """An option.

    Attributes:
        name: In lower case.
        kind: Kind of its values.
        meaning: A sentence for its users.
        default: The value without it.
        default_text: How the default is documented, if its value does not show it.
    """

    name: str
    kind: Kind
    meaning: str
    default: Any = None
    default_text: str = ""


class Options:
    """All options of a source.

    Attributes:
        source: Its name, such as ``byteloom.iceberg``.
        known: The options by name.
        prefixes: Prefixes of option names that are passed on, such as ``storage.``, with their
            meaning.
    """

    def __init__(
        self, source: str, *known: Option, prefixes: Mapping[str, str] | None = None
    ) -> None:
        """Keep the descriptions."""
        self.source = source
        self.known = {each.name: each for each in known}
        self.prefixes = dict(prefixes or {})

    def read(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return the value of each option; its default if it was not given.

        Options with a prefix become a mapping under that prefix, their names without it.

        Raises:
            ArgumentError: An unknown option, or a value of the wrong type.
        """
        values: dict[str, Any] = {name: each.default for name, each in self.known.items()}
        values |= {prefix: {} for prefix in self.prefixes}
        for written, text in given.items():
            name = written.lower()
            prefix = next((each for each in self.prefixes if name.startswith(each)), None)
            if prefix is not None:
                values[prefix][name.removeprefix(prefix)] = text
            elif name in self.known:
                values[name] = self._value(self.known[name], text)
            else:
                raise ArgumentError(
                    f"{self.source} option", None, repr(written), self._wanted(name)
                )
        return values

    def table(self) -> str:
        """Return the options as a table in Markdown."""
        rows = [
            (f"`{each.name}`", each.kind.name, each.default_text or _shown(each.default), each)
            for each in self.known.values()
        ]
        lines = ["| option | value | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [
            f"| {name} | {kind} | {default} | {each.meaning} |"
            for name, kind, default, each in rows
        ]
        lines += [f"| `{prefix}*` | text | | {words} |" for prefix, words in self.prefixes.items()]
        return "\n".join(lines)

    def _value(self, option: Option, text: str) -> Any:
        try:
            return option.kind.read(text)
        except ValueError:
            place = f"{self.source} option {option.name}"
            raise ArgumentError(place, None, repr(text), option.kind.name) from None

    def _wanted(self, name: str) -> str:
        """Return what an error wants instead of an unknown option."""
        names = [*self.known, *(f"{each}*" for each in self.prefixes)]
        return wanted_name(name, names, "an option of the source")


def _shown(default: Any) -> str:
    """Return a default as it is documented."""
    if default is None:
        return ""
    return str(default).lower() if isinstance(default, bool) else str(default)


def _whole(text: str) -> int:
    if not re.fullmatch(rf"-?\d{{1,{_LONGEST}}}", text.strip(), re.ASCII):
        raise ValueError(text)
    return int(text)


def _count(text: str) -> int:
    if (found := _whole(text)) < 1:
        raise ValueError(text)
    return found


def _flag(text: str) -> bool:
    return {"true": True, "false": False}[_in(text.strip().lower(), ("true", "false"))]


def _in(text: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise ValueError(text)
    return text


def _size(text: str) -> int:
    found = _SIZE.fullmatch(text.strip())
    if found is None or len(found[1]) > _LONGEST or not (size := int(found[1])):
        raise ValueError(text)
    return size << _UNITS[found[2].lower()]


def _names(text: str) -> tuple[str, ...]:
    """Parse a list of names: in JSON, or separated by commas."""
    if text.lstrip().startswith("["):
        found = json.loads(text)
        if not all(isinstance(each, str) and each for each in found):
            raise ValueError(text)
        return tuple(found)
    found = tuple(each.strip() for each in text.split(","))
    if not all(found):
        raise ValueError(text)
    return found


def _some_names(text: str) -> tuple[str, ...]:
    if not (found := _names(text)):
        raise ValueError(text)
    return found


def one_of(*known: str) -> Kind:
    """Return the kind of an option whose values are these words."""
    return Kind(f"one of {', '.join(known)}", lambda text: _in(text.strip().lower(), known))


TEXT: Final = Kind("text", str)
WHOLE: Final = Kind("a whole number", _whole)
COUNT: Final = Kind("a whole number, 1 or more", _count)
FLAG: Final = Kind("true or false", _flag)
SIZE: Final = Kind("a number of bytes, as 64m", _size)
NAMES: Final = Kind("names with commas between them, or a JSON list", _names)
SOME_NAMES: Final = Kind(NAMES.name, _some_names)
PLACES: Final = Kind("paths or URLs with commas between them, or a JSON list", _names)
