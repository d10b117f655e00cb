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

    FileLink: TypeAlias = Callable[[str], str]

__all__ = ["Crumb", "Listed", "Pages", "hex_line", "no_link", "picture_name", "templates", "trail"]


class Crumb(NamedTuple):
    """A link of the trail above the title of a page.

    between  what is between it and the link before it
    """

    text: str
    href: str
    between: str = " / "


class Listed(NamedTuple):
    """A page in the list of all pages.

    place     its path from the list's folder, without suffix
    is_first  whether a reader of the format begins with it
    """

    title: str
    place: str
    is_first: bool = False


_LONGEST: Final = 256
"""The most bytes of a vector that a table shows; most vectors have fewer."""


@dataclass(slots=True)
class Pages:
    """The paths of reference pages.

    places  the page of each spec, without suffix, by the spec's resolved file
    files   the same, and the pages of tables and messages, by the place and the name of the spec:
            a text on a page names another spec by its file, from its own folder or the top one
    index   the list of all pages, without suffix; None where there is none
    begin   for a folder of several pages the one that a reader of the format begins with, without
            suffix, and its title
    """

    places: dict[Path, Path] = field(default_factory=dict)
    files: dict[Path, Path] = field(default_factory=dict)
    index: Path | None = None
    begin: dict[Path, tuple[Path, str]] = field(default_factory=dict)

    def href(self, target: TypeSpec | EnumSpec, here: Path, suffix: str) -> str:
        """Return the link from the page *here* to a type or an enum; empty where it has no page."""
        owner = target if isinstance(target, TypeSpec) else target.owner
        place = self.places.get(Path(owner.spec.file).resolve()) if owner is not None else None
        if place is None:
            return ""
        other = Path(os.path.relpath(place, here.parent)).as_posix() + suffix
        return f"{'' if place == here else other}#{anchor(target)}"

    def file_href(self, name: str, here: Path, suffix: str) -> str:
        """Return the link from the page *here* to that of the spec *name*; empty if it has none."""
        folders = [here.parent] if self.index is None else [here.parent, self.index.parent]
        for folder in folders:
            place = self.files.get(folder / name)
            if place is not None and place != here:
                return Path(os.path.relpath(place, here.parent)).as_posix() + suffix
        return ""


def no_link(_: str) -> str:
    """Return no link: for a page without other pages beside it."""
    return ""


def trail(pages: Pages, here: Path, suffix: str) -> list[Crumb]:
    """Return the links from the page *here* up to the list of all pages, and to where one begins.

    There are none without a list of all pages.
    """
    if pages.index is None:
        return []
    index = pages.index if suffix == ".html" else pages.index.with_name("README")
    href = Path(os.path.relpath(index, here.parent)).as_posix() + suffix
    folder = here.parent.relative_to(index.parent).as_posix()
    below = [] if folder == "." else [Crumb(folder, f"{href}#{folder}")]
    place, title = pages.begin.get(here.parent, (here, ""))
    first = Crumb(title, f"{place.name}{suffix}", ". Read first: ")
    return [Crumb("Reference", href), *below, *([] if place == here else [first])]


def picture_name(spec: TypeSpec) -> str:
    """Return the file of a type's picture, from the folder of its page."""
    return f"pictures/{'.'.join((spec.spec.name, *spec.path[1:]))}.svg"


def hex_line(raw: bytes) -> str:
    """Return the bytes *raw*; of very many the first, and how many there are."""
    shown = raw[:_LONGEST].hex(" ")
    return shown if len(raw) <= _LONGEST else f"{shown} … ({len(raw)} bytes)"


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
