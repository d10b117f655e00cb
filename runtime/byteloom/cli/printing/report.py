"""The result of an inspection, in a form that every view shares.

- A format fills in a `Report`; the text view, ``--json`` and ``--hex`` only read it.
- `prepare` takes the secrets out of it; ``--hex`` alone shows the bytes of a file as they are.
- What share of the file each kind of its parts takes is counted from its tree: parts are the
  outermost nodes, or those in the only one, and the elements of one field are one kind.  Bytes that
  no node has are a kind of their own, `UNNAMED`.
"""

from __future__ import annotations

import re
from ast import literal_eval
from copy import copy
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, cast

from byteloom.cli.printing.value_text import label
from byteloom.errors import ByteloomError, FormatError, MovedTable, StorageError
from byteloom.redaction import REDACTED, is_secret, redacted, without_secrets
from byteloom.verification.damage import Damage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from byteloom.storage import Source
    from byteloom.wire import Node

__all__ = [
    "UNNAMED",
    "Decoded",
    "Report",
    "error_json",
    "failure_json",
    "parts_of",
    "percent",
    "prepare",
]

_JSON_VALUES: Final[tuple[Any, ...]] = (bool, int, float, str)
_BYTES: Final = re.compile(r"(?<![\w'\"])(?:b'(?:[^'\\]|\\.)*'|b\"(?:[^\"\\]|\\.)*\")")
"""Bytes as Python writes them, which is how a person reads them in an error."""


@dataclass(slots=True, kw_only=True)
class Decoded:
    """A compressed part after decompression; places in its tree count from its own first byte.

    load  decompresses its bytes again: a report does not keep them
    """

    name: str
    root: Node
    load: Callable[[], bytes]


@dataclass(slots=True, kw_only=True)
class Report:
    """The result of an inspection.

    source      the file
    format      its short name, the name of its module: ``puffin``
    title       what a person calls it
    root        the tree of its fields; its children are in file order
    facts       what there is to know about the file as a whole
    properties  key-value pairs that its producer wrote into it
    tables      lists of similar items: ``{"blobs": [...]}``; a row's values are JSON values
    by_value    whether outermost nodes are called by their values in `parts`: types of blocks
    decoded     the trees of parts that are compressed in the file
    error       what is wrong with it; the rest is then what was understood before
    unchecked   what was not read, with the commands that read it: damage in it is not noticed
    """

    source: Source
    format: str
    title: str
    root: Node
    facts: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    by_value: bool = False
    decoded: list[Decoded] = field(default_factory=list)
    error: ByteloomError | None = None
    unchecked: str | None = None

    @property
    def parts(self) -> list[dict[str, Any]]:
        """What share of the file each kind of its parts takes."""
        return parts_of(self.root, by_value=self.by_value)

    def json(self) -> dict[str, Any]:
        """Return the documented shape of ``byteloom inspect --json``."""
        return {
            "file": redacted(self.source.name),
            "size": self.source.size,
            "format": self.format,
            "title": self.title,
            "facts": self.facts,
            "properties": self.properties,
            **{name: [*map(_plain, rows)] for name, rows in self.tables.items()},
            "parts": self.parts,
            "structure": [node_json(node) for node in self.root.children],
            "decoded": {
                part.name: {
                    "size": part.root.size,
                    "structure": [node_json(node) for node in part.root.children],
                }
                for part in self.decoded
            },
            "unchecked": self.unchecked,
            "error": None if self.error is None else error_json(self.error, self.source.name),
        }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with numbers in place of members of enums."""
    return {key: int(value) if isinstance(value, IntEnum) else value for key, value in row.items()}


def failure_json(file: str, error: ByteloomError) -> dict[str, Any]:
    """Return the same shape for a file that could not be opened, or is of no known format."""
    unknown = dict.fromkeys(("size", "format", "title"))
    nothing: dict[str, Any] = {
        "facts": {},
        "properties": {},
        "parts": [],
        "structure": [],
        "decoded": {},
    }
    shape = {"file": redacted(file), **unknown, **nothing, "unchecked": None}
    return {**shape, "error": error_json(error, file)}


def node_json(node: Node) -> dict[str, Any]:
    """Return one node with everything below it; bytes as hex, abridged as in the node."""
    shape: dict[str, Any] = {"name": node.name}
    if node.placed:
        shape |= {"offset": node.start, "size": node.size}
    if node.bits is not None:
        shape["first_bit"], shape["bits"] = node.bits
    if node.more:
        shape["more"] = node.more
    if isinstance(node.value, IntEnum):
        shape["label"] = label(node.value)
    if isinstance(node.value, bytes):
        shape["hex"] = node.value.hex()
    elif node.value is not None:
        shape["value"] = _json_value(node.value)
    if node.error is not None:
        shape["error"] = error_json(node.error)
    if node.children:
        shape["children"] = [node_json(child) for child in node.children]
    return shape


def _json_value(value: object) -> object:
    if isinstance(value, list):
        return [_json_value(each) for each in value]
    if isinstance(value, bytes):
        return value.hex()
    plain = next((kind for kind in _JSON_VALUES if isinstance(value, kind)), str)
    return plain(value)  # of an enum, or of a float that remembers its bits, for YAML as well


def error_json(error: ByteloomError, file: str | None = None) -> dict[str, Any]:
    """Return the parts of *error* for programs, and its message for people.

    file  the file that it is about where it names none itself
    """
    named = error.file if isinstance(error, FormatError | StorageError) else None
    shape: dict[str, Any] = {"kind": type(error).__name__, "message": str(error)}
    shape["file"] = named or file
    if isinstance(error, FormatError):
        found, wanted = _value_and_note(error.found), _value_and_note(error.wanted)
        shape |= {"path": error.path, "offset": error.offset}
        shape |= {"found": found[0], "wanted": wanted[0]}
        shape["note"] = "; ".join(filter(None, (found[1], wanted[1]))) or None
    elif isinstance(error, MovedTable):
        shape |= {"old": error.old, "new": error.new}
    return cast("dict[str, Any]", without_secrets(shape))


def _value_and_note(value: object) -> tuple[str, str]:
    """Return what was found or wanted as text, with bytes in hex, and the remark after bytes."""
    if isinstance(value, bytes | bytearray | memoryview):
        return value.hex(), ""
    text = value if isinstance(value, str) else repr(value)
    first = _BYTES.match(text)
    if first is None:
        return _BYTES.sub(_hex, text), ""
    return _hex(first), _BYTES.sub(_hex, text[first.end() :]).lstrip(":, ")


def _hex(found: re.Match[str]) -> str:
    try:
        value: bytes = literal_eval(found.group())
    except (SyntaxError, ValueError):  # text that only looks like a literal
        return found.group()
    return value.hex()


UNNAMED: Final = "(gap)"
"""The name of bytes that belong to no node: padding, and what was not read."""

_INDEX: Final = re.compile(r"\[\d+\]")


def parts_of(root: Node, *, by_value: bool) -> list[dict[str, Any]]:
    """Return a row for each kind of part: its name, how many there are, their bytes, their share.

    by_value  nodes whose value is text are called by it: blocks of an HFile by their types
    returns   the rows in file order; none where a file has one part, which is all of it
    """
    nodes = _placed(root)
    while len(nodes) == 1 and (inner := _placed(nodes[0])):
        nodes = inner
    found: dict[str, tuple[int, int]] = {}
    for node in nodes:
        is_kind = by_value and isinstance(node.value, str)
        name = str(node.value) if is_kind else _INDEX.sub("[]", node.name)
        count, size = found.get(name, (0, 0))
        found[name] = (count + (node.more or 1), size + node.size)
    gaps = list(_gaps(nodes, root.end))
    if len(found) + bool(gaps) < 2:  # noqa: PLR2004  a single part needs no share
        return []
    if gaps:
        found[UNNAMED] = (len(gaps), sum(gaps))
    return [
        {"name": name, "count": count, "size": size, "percent": percent(size, root.end)}
        for name, (count, size) in found.items()
    ]


def _placed(node: Node) -> list[Node]:
    """Return the nodes in *node* that are whole bytes of the file."""
    return [each for each in node.children if each.placed and each.bits is None]


def percent(size: int, whole: int) -> float:
    """Return how much of *whole* bytes *size* is, as a percentage with two digits."""
    return round(100 * size / whole, 2) if whole else 0.0


def _gaps(nodes: Iterable[Node], end: int) -> Iterable[int]:
    """Yield the size of each run of bytes that no node has."""
    at = 0
    for node in sorted(nodes, key=lambda each: each.start):
        if node.start > at:
            yield node.start - at
        at = max(at, node.end)
    if end > at:
        yield end - at


_KEYS: Final = frozenset({"key", "name"})


def prepare(report: Report) -> None:
    """Make *report* ready to be seen: without secrets, and with the file's name in its error."""
    report.facts = without_secrets(report.facts)
    report.properties = without_secrets(report.properties)
    report.tables = without_secrets(report.tables)
    for root in (report.root, *(part.root for part in report.decoded)):
        _hide(root)
    if report.error is not None:
        report.error = _named(report.error, report.source.name)


def _hide(node: Node) -> None:
    """Remove secrets from the values below *node*: from texts, and from pairs of key and value."""
    names = [_text(each.value) for each in node.children if each.name in _KEYS]
    for each in node.children:
        if each.name == "value" and any(map(is_secret, names)):
            each.value, each.children = REDACTED, []
        elif isinstance(each.value, str):
            each.value = redacted(each.value)
        elif isinstance(each.value, bytes):
            text = each.value.decode("latin-1")
            each.value = redacted(text).encode("latin-1")
        _hide(each)


def _text(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _named(error: ByteloomError, file: str) -> ByteloomError:
    """Return a copy of *error* that names the file; the tree shows the original, at its place."""
    if isinstance(error, Damage):
        return Damage([_named(each, file) for each in error.errors])
    return copy(error).in_file(file) if isinstance(error, FormatError) else error
