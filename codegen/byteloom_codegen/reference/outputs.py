"""Folders of specs become folders of pages, pictures and vectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from byteloom_codegen.reference.examples import (
    SAMPLE,
    Example,
    Part,
    Tracer,
    annotated,
    as_json,
    load_examples,
)
from byteloom_codegen.reference.pages import Listed, Pages, picture_name
from byteloom_codegen.reference.picture import picture
from byteloom_codegen.reference.to_html import html, html_index
from byteloom_codegen.reference.to_markdown import index, markdown
from byteloom_codegen.reference.view import page_view

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from byteloom_codegen.model import Spec

__all__ = ["Folder", "index_files", "pages_of", "reference_files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The specs of one folder.

    name     the format's name, as ``vectors.json`` has it
    specs    each with the path that its page names as its source
    vectors  the file of worked examples, which need not exist
    modules  the generated Python of these specs and of all they import, by module name
    output   where the pages go
    samples  files of these formats, each by the name of its spec
    """

    name: str
    specs: Sequence[tuple[Spec, str]]
    vectors: Path
    modules: Mapping[str, str]
    output: Path
    samples: Mapping[str, Path] = field(default_factory=dict)


def pages_of(
    folders: Sequence[Folder],
    index: Path | None = None,
    tables: Iterable[tuple[Path, str]] = (),
) -> Pages:
    """Return where all pages are, which link to each other.

    index   the list of all pages, without suffix, which they then link to
    tables  pages of tables and messages, each without suffix, with the name of its spec's file
    """
    pages = Pages(index=index)
    for folder in folders:
        for spec, _ in folder.specs:
            place, file = folder.output / spec.name, Path(spec.file)
            pages.places[file.resolve()] = place
            pages.files[folder.output / file.name] = place
    pages.files |= {place.parent / name: place for place, name in tables}
    for folder in folders:
        for spec, _ in folder.specs:
            if "tail" in spec.top.loom:
                title = spec.title or spec.name
                pages.begin[folder.output] = (folder.output / spec.name, title)
    return pages


def reference_files(
    folders: Sequence[Folder], tracer: Tracer, pages: Pages
) -> Iterator[tuple[Path, str]]:
    """Yield the files of the pages of *folders*, which link to *pages*, with their texts."""
    for folder in folders:
        yield from _files(folder, pages, tracer)


def index_files(
    root: Path,
    folders: Sequence[Folder],
    tables: Sequence[tuple[Path, str]] = (),
    begin: Collection[Path] = (),
) -> list[tuple[Path, str]]:
    """Return the list of all pages, which is at *root*, as Markdown and as HTML.

    tables  pages of tables, each as its path without a suffix and its title
    begin   those that a reader of a format begins with, which come first in their folder
    """
    listed: dict[str, list[Listed]] = {}
    for folder in folders:
        for spec, _ in folder.specs:
            place = folder.output / spec.name
            title, below = spec.title or spec.name, place.relative_to(root).as_posix()
            entry = Listed(title, below, is_first=place in begin)
            listed.setdefault(folder.name, []).append(entry)
    for path, title in tables:
        below = path.relative_to(root).as_posix()
        home = path.parent.relative_to(root).as_posix()
        listed.setdefault(home, []).append(Listed(title, below))
    ordered = {
        name: sorted(entries, key=lambda each: not each.is_first)
        for name, entries in sorted(listed.items())
    }
    return [(root / "README.md", index(ordered)), (root / "index.html", html_index(ordered))]


def _files(folder: Folder, pages: Pages, tracer: Tracer) -> Iterator[tuple[Path, str]]:
    examples = load_examples(folder.vectors, [spec for spec, _ in folder.specs])
    shown = _annotated(examples, folder, tracer)
    for spec, source in folder.specs:
        here = folder.output / spec.name
        page = page_view(spec, source, [*_sample(spec, folder, tracer), *shown])
        yield here.with_suffix(".md"), markdown(page, pages, here)
        yield here.with_suffix(".html"), html(page, pages, here)
        for each in spec.top.walk():
            if each.seq:
                yield folder.output / picture_name(each), picture(each, alone=True)
    if examples:
        yield folder.output / "vectors.json", as_json(folder.name, examples)


def _sample(spec: Spec, folder: Folder, tracer: Tracer) -> list[tuple[Example, Sequence[Part]]]:
    """Return the sample file of *spec*, if there is one, divided into its fields."""
    path = folder.samples.get(spec.name)
    if path is None:
        return []
    sample = Example(
        about=spec.name, type=spec.top, name=path.name, raw=path.read_bytes(), outcome=SAMPLE,
        wanted=None, origin="", from_end=False, params={}, defaults=(), file=path,
    )  # fmt: skip
    return [(sample, annotated(sample, tracer(folder.modules)))]


def _annotated(
    examples: list[Example], folder: Folder, tracer: Tracer
) -> list[tuple[Example, Sequence[Part]]]:
    """Divide the first good example of every type into its fields; leave the others whole."""
    if not examples:
        return []
    annotate = tracer(folder.modules)
    done: set[int] = set()
    shown: list[tuple[Example, Sequence[Part]]] = []
    for each in examples:
        type_ = each.type
        readable = each.outcome == "value" and type_ is not None and each.raw
        first = readable and id(type_) not in done
        if first:
            done.add(id(type_))
        shown.append((each, annotated(each, annotate) if first else ()))
    return shown
