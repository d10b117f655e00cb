"""What the page shows of a report, as one JSON document; the lines of specs in it, and its bytes.

Nodes are many, so their keys are short; the page's script expects just these:

    n name · s first byte · e one past the last · v value as text · b [first bit, bits] · m folded
    f number of the folded run · x error · p false: no bytes of its own
    r name of the record's class · l index of an excerpt · c children
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from byteloom.cli.printing.report import error_json
from byteloom.cli.printing.value_text import bytes_of, cell, shown
from byteloom.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from byteloom.cli.printing.report import Report
    from byteloom.wire import Node

__all__ = ["Excerpt", "Excerpts", "Shapes", "document_of", "reading"]

_GENERATED: Final = "byteloom_generated"


class Excerpt(NamedTuple):
    """The lines of a spec that describe one field.

    spec  the file
    line  the first of the lines; 1 is the file's first
    text  the lines, without the indent that they share
    """

    spec: str
    line: int
    text: str


class Excerpts:
    """Finds excerpts for the classes of this library, and for those of specs just compiled."""

    def __init__(self, compiled: Mapping[str, dict[str, Any]] | None = None) -> None:
        """Take the documents of *compiled* specs, by the last part of the module's name."""
        self._compiled = compiled or {}
        self._documents: dict[str, dict[str, Any]] = {}

    def of(self, record: type, name: str) -> Excerpt | None:
        """Return the lines that describe the field *name* of *record*; None if there are none."""
        module = record.__module__
        if module not in self._documents:
            self._documents[module] = self._document(module)
        document = self._documents[module]
        found = document.get("classes", {}).get(record.__name__, {}).get(name)
        return None if found is None else Excerpt(document["spec"], *found)

    def _document(self, module: str) -> dict[str, Any]:
        package, _, name = module.rpartition(".")
        if name in self._compiled:
            return self._compiled[name]
        if package.partition(".")[0] != _GENERATED:
            return {}
        path = files(package) / f"{name}.lines.json"
        document: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        return document


def document_of(
    report: Report, excerpts: Excerpts, number_of: Callable[[Node], int | None] | None = None
) -> dict[str, Any]:
    """Return what the page shows of *report*: what it is, its parts, each with its tree.

    number_of  the number by which the page may ask for what a node folds; None where it may not
    """
    shapes = Shapes(excerpts, number_of or (lambda _: None))
    parts = [("file", report.root), *((part.name, part.root) for part in report.decoded)]
    trees = [
        {"name": name, "start": root.start, "size": root.size, "nodes": shapes.below(root)}
        for name, root in parts
    ]
    return {
        "file": redacted(report.source.name),
        "title": f"{report.title}, {bytes_of(report.source.size)}",
        "about": _about(report),
        "error": None if report.error is None else error_json(report.error),
        "parts": trees,
        "lines": shapes.lines,
    }


class Shapes:
    """Nodes as the page has them, and the lines of specs that describe them."""

    def __init__(self, excerpts: Excerpts, number_of: Callable[[Node], int | None]) -> None:
        """Give the nodes of folded runs the numbers of *number_of*."""
        self._excerpts, self._number_of = excerpts, number_of
        self._lines: dict[Excerpt, int] = {}

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The excerpts that nodes refer to by their index."""
        return [each._asdict() for each in self._lines]

    def below(self, above: Node) -> list[dict[str, Any]]:
        """Return the nodes below *above*."""
        return [self.of(each, above.record) for each in above.children]

    def of(self, node: Node, record: type | None) -> dict[str, Any]:
        """Return *node*, which is a field of *record*."""
        shape = _shape(node)
        name = node.name.partition("[")[0]
        excerpt = self._excerpts.of(record, name) if record else None
        if excerpt is not None:
            shape["l"] = self._lines.setdefault(excerpt, len(self._lines))
        if node.more and (number := self._number_of(node)) is not None:
            shape["f"] = number
        if node.children:
            shape["c"] = self.below(node)
        return shape


def _shape(node: Node) -> dict[str, Any]:
    shape: dict[str, Any] = {"n": node.name, "s": node.start, "e": node.end}
    if node.value is not None and not node.more:
        shape["v"] = shown(node.value)
    if node.bits is not None:
        shape["b"] = [*node.bits]
    if node.more:
        shape["m"] = node.more
    if node.error is not None:
        shape["x"] = str(node.error)
    if not node.placed:
        shape["p"] = False
    if node.record is not None:
        shape["r"] = node.record.__name__
    return shape


def _about(report: Report) -> list[dict[str, Any]]:
    """Return tables of text: facts and properties, then each list of similar items."""
    pairs = report.facts | {f"property {key}": value for key, value in report.properties.items()}
    about: list[dict[str, Any]] = []
    if pairs:
        about.append({"name": "facts", "rows": [[key, cell(pairs[key])] for key in pairs]})
    for name, rows in report.tables.items():
        columns = list(dict.fromkeys(key for row in rows for key in row))
        cells = [[cell(row.get(key)) for key in columns] for row in rows]
        if rows:
            about.append({"name": f"{name} ({len(rows):,})", "head": columns, "rows": cells})
    return about


_KEPT: Final = 2
"""How many decompressed parts are cached: people look at neighbours one after the other."""


def reading(report: Report) -> Callable[[int, int, int], bytes]:
    """Return a function that fetches bytes of *report* by part number, offset and size.

    Part 0 is the file; the others are the decoded parts in their order.
    """

    @lru_cache(_KEPT)
    def decoded(number: int) -> bytes:
        return report.decoded[number - 1].load()

    def read(number: int, offset: int, size: int) -> bytes:
        if number == 0:
            return report.source.read(offset, size)
        return decoded(number)[offset : offset + size]

    return read
