"""Where pages are, how they link to each other, and the templates that print them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined

from byteloom_codegen.model import TypeSpec
from byteloom_codegen.reference.view import anchor

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from jinja2.bccache import Bucket

    from byteloom_codegen.model import EnumSpec

    Link: TypeAlias = Callable[[TypeSpec | EnumSpec], str]

__all__ = ["Crumb", "Pages", "hex_line", "picture_name", "templates", "trail"]


class Crumb(NamedTuple):
    """A link of the trail above the title of a page."""

    text: str
    href: str


_SHORT = 24
"""Bytes of a vector that a table shows."""


@dataclass(slots=True)
class Pages:
    """The paths of reference pages.

    places  the page of each spec, without suffix, by the spec's resolved file
    index   the list of all pages, without suffix; None where there is none
    """

    places: dict[Path, Path] = field(default_factory=dict)
    index: Path | None = None

    def href(self, target: TypeSpec | EnumSpec, here: Path, suffix: str) -> str:
        """Return the link from the page *here* to a type or an enum; empty where it has no page."""
        owner = target if isinstance(target, TypeSpec) else target.owner
        place = self.places.get(Path(owner.spec.file).resolve()) if owner is not None else None
        if place is None:
            return ""
        other = Path(os.path.relpath(place, here.parent)).as_posix() + suffix
        return f"{'' if place == here else other}#{anchor(target)}"


def trail(index: Path | None, here: Path) -> list[Crumb]:
    """Return the links from the HTML page *here* up to the list of all pages.

    index  the path of that list, without suffix; None if there is no list, which gives no links
    """
    if index is None:
        return []
    href = Path(os.path.relpath(index, here.parent)).as_posix() + ".html"
    folder = here.parent.relative_to(index.parent).as_posix()
    below = [] if folder == "." else [Crumb(folder, f"{href}#{folder}")]
    return [Crumb("Reference", href), *below]


def picture_name(spec: TypeSpec) -> str:
    """Return the file of a type's picture, from the folder of its page."""
    return f"pictures/{'.'.join((spec.spec.name, *spec.path[1:]))}.svg"


def hex_line(raw: bytes) -> str:
    """Return the first bytes of *raw*, and how many there are where some are left out."""
    shown = raw[:_SHORT].hex(" ")
    return shown if len(raw) <= _SHORT else f"{shown} … ({len(raw)} bytes)"


def templates(*, escaped: bool) -> Environment:
    """Return the templates; *escaped* where what they print is HTML."""
    found = Environment(
        loader=PackageLoader("byteloom_codegen", "templates/reference"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=escaped,  # noqa: S701  (Markdown is escaped by its own filters)
        bytecode_cache=_COMPILED[escaped],
    )
    found.filters["hex"] = hex_line
    return found


class _Compiled(BytecodeCache):
    """Compiled templates of this process: to compile one takes longer than to print its page."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


_COMPILED: Final = {escaped: _Compiled() for escaped in (False, True)}
"""By whether what they print is escaped, which is part of their code."""
