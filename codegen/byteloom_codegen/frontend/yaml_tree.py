"""YAML as KSY uses it: plain text with positions.

Scalars stay text, so that YAML's type inference (``no`` is false, ``00000012`` is ten) never
happens; callers ask for a number or a truth value explicitly.  Keys are unique.  Merges (``<<``)
and aliases are followed; what they expand to is bounded.  No recursion: depth is bounded by a
number, not by a stack.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import yaml

from byteloom_codegen.errors import SpecError
from byteloom_codegen.model import Location

__all__ = ["Mapping", "Node", "Pair", "Scalar", "Sequence", "Source", "parse"]

MAX_DEPTH: Final = 100
MAX_NODES: Final = 1_000_000
"""Bounds on what aliases may expand to; the largest public spec has some 20,000 nodes."""

_STANDARD_TAG: Final = "tag:yaml.org,2002:"
_KINDS: Final = ("str", "int", "float", "bool", "null", "seq", "map")
_TAGS: Final = {"!", *(f"{_STANDARD_TAG}{kind}" for kind in _KINDS)}
_Parser: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Source:
    """The text that nodes come from."""

    file: str
    lines: tuple[str, ...]


@dataclass(slots=True)
class Scalar:
    """A scalar as written.

    style     ``"`` and ``'``: quoted; ``|`` and ``>``: blocks; empty: plain
    line      the first is 1, as is *column*'s
    end_line  where it ends
    """

    text: str
    style: str
    line: int
    column: int
    end_line: int
    weight: int = 1

    @property
    def plain(self) -> bool:
        """Whether YAML would guess a type."""
        return not self.style

    @property
    def is_null(self) -> bool:
        """Whether it is null: empty, or one of the words for it."""
        return self.plain and self.text in {"", "~", "null"}


@dataclass(slots=True)
class Sequence:
    """A list."""

    line: int
    column: int
    items: list[Node] = field(default_factory=list)
    weight: int = 1


@dataclass(slots=True)
class Pair:
    """A key and its value."""

    key: Scalar
    value: Node


@dataclass(slots=True)
class Mapping:
    """A map, in the order of the text; pairs that were merged in come last."""

    line: int
    column: int
    pairs: dict[str, Pair] = field(default_factory=dict)
    weight: int = 1


Node: TypeAlias = Scalar | Sequence | Mapping


def parse(text: str, file: str) -> tuple[Node, Source]:
    """Return the one document in *text*; a `SpecError` if it is not YAML of the kind above."""
    source = Source(file, tuple(text.splitlines()))
    try:
        root = _Builder(source).build(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise SpecError(Location(file, line, column), error.problem or "not YAML") from error
    except yaml.YAMLError as error:
        raise SpecError(Location(file, 1, 1), f"not YAML: {error}".replace("\n", " ")) from error
    return root, source


@dataclass(slots=True)
class _Open:
    """A list or a map that is being filled; *key* waits for its value."""

    node: Sequence | Mapping
    anchor: str | None
    key: Scalar | None = None
    merged: list[Node] = field(default_factory=list)


class _Builder:
    """Builds the tree from the parser's events."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.stack: list[_Open] = []
        self.anchors: dict[str, Node | None] = {}
        self.root: Node | None = None

    def build(self, text: str) -> Node:
        loader = _Parser(text)
        try:
            while loader.check_event():
                self._take(loader.get_event())
        finally:
            loader.dispose()
        return self.root or Scalar("", "", 1, 1, 1)

    def _take(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                self._check_tag(event)
                self._place(self._scalar(event), event.anchor)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self._check_tag(event)
                self._open(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                self._close()
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.DocumentStartEvent() if self.root is not None:
                raise self._error(
                    event.start_mark, "a spec is one YAML document, here a second one starts"
                )

    def _scalar(self, event: Any) -> Scalar:
        mark, end = event.start_mark, event.end_mark
        style = "" if event.style in {None, ""} else event.style
        if not style and event.tag == _STANDARD_TAG + "str":
            style = "'"
        return Scalar(event.value, style, mark.line + 1, mark.column + 1, end.line + 1)

    def _check_tag(self, event: Any) -> None:
        tag = event.tag
        if tag is not None and tag not in _TAGS:
            raise self._error(event.start_mark, f"YAML tag {tag} has no meaning in a spec")

    def _open(self, event: Any) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise self._error(event.start_mark, f"nested more than {MAX_DEPTH} deep")
        mark = event.start_mark
        kind = Sequence if isinstance(event, yaml.SequenceStartEvent) else Mapping
        if event.anchor:
            self.anchors[event.anchor] = None
        self.stack.append(_Open(kind(mark.line + 1, mark.column + 1), event.anchor))

    def _close(self) -> None:
        done = self.stack.pop()
        for each in done.merged:
            self._merge(done.node, each)
        self._place(done.node, done.anchor)

    def _alias(self, event: Any) -> None:
        target = self.anchors.get(event.anchor)
        if target is None:
            raise self._error(
                event.start_mark, f"alias *{event.anchor} has no finished anchor before it"
            )
        self._place(target, None, event.start_mark)

    def _place(self, node: Node, anchor: str | None, mark: Any = None) -> None:
        if anchor:
            self.anchors[anchor] = node
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if isinstance(top.node, Sequence):
            top.node.items.append(node)
        elif top.key is None:
            top.key = self._key(top.node, node, mark)
            return
        else:
            self._pair(top, top.node, node)
            top.key = None
        top.node.weight += node.weight
        if top.node.weight > MAX_NODES:
            raise self._error_at(node, f"aliases expand to more than {MAX_NODES} values")

    def _pair(self, top: _Open, mapping: Mapping, value: Node) -> None:
        key = top.key
        if key is None:
            return
        if key.plain and key.text == "<<":
            top.merged.extend(value.items if isinstance(value, Sequence) else [value])
        else:
            mapping.pairs[key.text] = Pair(key, value)

    def _key(self, mapping: Mapping, key: Node, mark: Any) -> Scalar:
        if not isinstance(key, Scalar):
            raise self._error_at(key, "a key has to be plain text, a number or a truth value")
        if key.text in mapping.pairs:
            line = mapping.pairs[key.text].key.line
            where = key if mark is None else Scalar("", "", mark.line + 1, mark.column + 1, 0)
            raise self._error_at(where, f"duplicate key '{key.text}', first given in line {line}")
        return key

    def _merge(self, into: Sequence | Mapping, other: Node) -> None:
        if not isinstance(into, Mapping) or not isinstance(other, Mapping):
            raise self._error_at(other, "only maps can be merged with <<")
        for key, pair in other.pairs.items():
            into.pairs.setdefault(key, pair)

    def _error(self, mark: Any, message: str) -> SpecError:
        return SpecError(Location(self.source.file, mark.line + 1, mark.column + 1), message)

    def _error_at(self, node: Node, message: str) -> SpecError:
        return SpecError(Location(self.source.file, node.line, node.column), message)
