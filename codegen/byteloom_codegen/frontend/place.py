"""A value of a spec together with its place; all passes read YAML through it.

Asking for the wrong kind raises a `SpecError` that says what was found and what was wanted.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.errors import CaseKey, SpecError
from byteloom_codegen.frontend.yaml_tree import Mapping, Node, Scalar, Sequence, Source
from byteloom_codegen.model import Location

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Place", "integer"]

_INTEGER: Final = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*)",
)
_OCTAL: Final = re.compile(r"[-+]?0[0-7]+")
_ZEROS: Final = re.compile(r"[-+]?0[0-9_]+")
_NUMBER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?")

_BOOLEANS: Final = {"true": True, "True": True, "TRUE": True} | dict.fromkeys(
    ("false", "False", "FALSE"), False
)


def integer(text: str) -> int | None:
    """Return the integer that *text* writes in decimal, ``0x``, ``0o`` or ``0b``; else None.

    It is octal after a zero, as in YAML 1.1, which the official compiler reads; with an 8 or a 9
    in it, it is decimal.
    """
    digits = text.replace("_", "")
    if not _INTEGER.fullmatch(text):
        return None
    base = 8 if _OCTAL.fullmatch(digits) else 10 if digits.lstrip("-+").isdigit() else 0
    try:
        return int(digits, base)
    except ValueError:  # no digits after the prefix, or more than Python turns into an integer
        return None


@dataclass(frozen=True, slots=True)
class Place:
    """A node, its key, and the path to it."""

    node: Node
    source: Source
    path: tuple[str | int, ...] = ()
    key: Scalar | None = None

    # Where

    @property
    def location(self) -> Location:
        """Where the value starts."""
        return Location(self.source.file, self.node.line, self.node.column, self.path)

    @property
    def key_location(self) -> Location:
        """Where its key starts; for an element of a list, the element itself."""
        at = self.key or self.node
        return Location(self.source.file, at.line, at.column, self.path)

    def error(self, message: str, hint: str = "") -> SpecError:
        """Return (not raise) an error at this value."""
        return SpecError(self.location, message, hint)

    def key_error(self, message: str, hint: str = "") -> SpecError:
        """Return (not raise) an error at the key of this value."""
        return SpecError(self.key_location, message, hint)

    def renamed(self, last: str) -> Place:
        """Return the same place, whose last path element is the tree *last* of its expression."""
        return Place(self.node, self.source, self._path(last), self.key)

    def missing(self, key: str) -> Place:
        """Return where a key that is not there would be."""
        return Place(self.node, self.source, (*self.path, key))

    def of_key(self, last: str = "") -> Place:
        """Return the key itself, for keys that are expressions; *last* is its tree, if known."""
        return Place(self.key or self.node, self.source, self._path(last) if last else self.path)

    def _path(self, last: str) -> tuple[str | int, ...]:
        return (*self.path[:-1], CaseKey(last, str(self.path[-1])))

    # Walking

    def __contains__(self, key: str) -> bool:
        return isinstance(self.node, Mapping) and key in self.node.pairs

    def __getitem__(self, key: str) -> Place:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def get(self, key: str) -> Place | None:
        """Return the value of *key*; None where this is no map or has no such key."""
        if not isinstance(self.node, Mapping) or key not in self.node.pairs:
            return None
        pair = self.node.pairs[key]
        return Place(pair.value, self.source, (*self.path, key), pair.key)

    def pairs(self) -> Iterator[tuple[str, Place]]:
        """Yield keys and values of a map."""
        if not isinstance(self.node, Mapping):
            raise self.error(f"expected map, got {self.found}")
        for key, pair in self.node.pairs.items():
            yield key, Place(pair.value, self.source, (*self.path, key), pair.key)

    def items(self) -> Iterator[Place]:
        """Yield the elements of a list."""
        if not isinstance(self.node, Sequence):
            raise self.error(f"expected array, got {self.found}")
        for index, node in enumerate(self.node.items):
            yield Place(node, self.source, (*self.path, index))

    @property
    def is_map(self) -> bool:
        """Whether it is a map."""
        return isinstance(self.node, Mapping)

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.node, Sequence)

    # Scalars

    @property
    def found(self) -> str:
        """What an error says it found."""
        match self.node:
            case Mapping():
                return "a map"
            case Sequence():
                return "an array"
        return "nothing" if self.node.is_null else f"'{self.node.text}'"

    def scalar(self, wanted: str) -> Scalar:
        """Return the scalar; *wanted* describes it in the error."""
        if not isinstance(self.node, Scalar) or self.node.is_null:
            raise self.error(f"expected {wanted}, got {self.found}")
        return self.node

    def string(self) -> str:
        """Return the text of a string; refuse what YAML takes for a number or a truth value."""
        node = self.scalar("string")
        if node.plain and (node.text in _BOOLEANS or integer(node.text) is not None):
            raise self.error(f"expected string, got {node.text}", f"quote it: '{node.text}'")
        return node.text

    def text(self) -> str:
        """Return the text of any scalar, as written."""
        return self.scalar("string").text

    def boolean(self) -> bool:
        """Return a truth value."""
        node = self.scalar("boolean")
        if node.plain and node.text in _BOOLEANS:
            return _BOOLEANS[node.text]
        yaml11 = node.text.lower() in {"yes", "no", "on", "off", "true", "false"}
        raise self.error(
            f"expected boolean, got {self.found}", "write true or false" if yaml11 else ""
        )

    def integer(self) -> int:
        """Return an integer."""
        node = self.scalar("integer")
        value = integer(node.text)
        if value is not None and not node.plain:
            raise self.error(
                f"expected integer, got the string '{node.text}'", "leave the quotes out"
            )
        if value is None:
            raise self.error(f"expected integer, got {self.found}")
        return value

    def expression(self, wanted: str) -> str:
        """Return the text of an expression: what YAML reads as a value is one of its literals."""
        node = self.scalar(wanted)
        if node.plain and node.text in _BOOLEANS:
            return node.text.lower()
        if node.plain and _ZEROS.fullmatch(node.text):
            return str(integer(node.text))
        return node.text

    def strings(self) -> list[str]:
        """Return one string, or a list of them, as a list."""
        if self.is_list:
            return [each.text() for each in self.items()]
        return [self.text()]

    def plain_value(self) -> Any:
        """Return plain Python data: text is a number or a bool where YAML 1.2 says so."""
        match self.node:
            case Mapping():
                return {key: place.plain_value() for key, place in self.pairs()}
            case Sequence():
                return [place.plain_value() for place in self.items()]
        return _plain(self.node)

    def position(self, offset: int) -> Location:
        """Return where the character at *offset* of a scalar's text is; exact on one line."""
        line, column = _position(self.node, self.source, offset)
        return Location(self.source.file, line, column, self.path)


def _plain(node: Scalar) -> int | float | bool | str | None:
    if not node.plain:
        return node.text
    if node.is_null:
        return None
    if node.text in _BOOLEANS:
        return _BOOLEANS[node.text]
    number = integer(node.text)
    if number is None and _NUMBER.fullmatch(node.text):
        return float(node.text.replace("_", ""))
    return node.text if number is None else number


def _position(node: Node, source: Source, offset: int) -> tuple[int, int]:
    if not isinstance(node, Scalar):
        return node.line, node.column
    if node.style in {"|", ">"}:
        return _in_block(node, source, offset)
    if node.end_line > node.line:
        return _in_folded(node, source, offset)
    escapes = bisect_left(_quotes(node.text), offset) if node.style == "'" else 0
    return node.line, node.column + len(node.style) + offset + escapes


@lru_cache(maxsize=1)
def _quotes(text: str) -> list[int]:
    """Return where *text* has a quote, which YAML doubles; kept for all tokens of one scalar."""
    return [each.start() for each in re.finditer("'", text)]


def _in_block(node: Scalar, source: Source, offset: int) -> tuple[int, int]:
    """Find the offset in lines from which the same indentation was removed."""
    lines = source.lines[node.line : node.end_line]
    first = next((line for line in lines if line.strip()), "")
    indent = len(first) - len(first.lstrip())
    for number, line in enumerate(lines, node.line + 1):
        length = max(len(line) - indent, 0) + 1
        if offset < length:
            return number, indent + offset + 1
        offset -= length
    return node.line, node.column


def _in_folded(node: Scalar, source: Source, offset: int) -> tuple[int, int]:
    """Find the offset in lines that were stripped and joined by a space."""
    start = node.column - 1 + len(node.style)
    for number in range(node.line, min(node.end_line, len(source.lines)) + 1):
        line = source.lines[number - 1].rstrip()
        start = start if number == node.line else len(line) - len(line.lstrip())
        length = max(len(line) - start, 0) + 1
        if offset < length:
            return number, start + offset + 1
        offset -= length
    return node.line, node.column
