"""Tables of bit-packing: where integers of a chunk are, and the loops that pack and unpack them.

A chunk is transposed: its words are divided into lanes, and a row has an integer of each lane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.python.docs import prose
from byteloom_codegen.python.templates import templates
from byteloom_codegen.reference.prose import blocks, spans
from byteloom_codegen.reference.table_pages import Section, TablePage
from byteloom_codegen.tables.checks import META_KEYS, NAME, checked, matching, needed, only, text_of

if TYPE_CHECKING:
    from byteloom_codegen.errors import Problems
    from byteloom_codegen.frontend.place import Place

__all__ = ["PackingSpec", "emit_packing", "load_packing", "page_of_packing"]

_BITS: Final = (8, 16, 32, 64)
_ROWS: Final = 8
"""The rows of a group."""


@dataclass(frozen=True, slots=True)
class PackingSpec:
    """A form of chunks.

    integers  of a chunk
    groups    for each eight rows of a lane, the place of their group in the chunk
    bits      of integers that may be packed
    """

    name: str
    title: str
    doc: str
    doc_ref: str
    integers: int
    groups: tuple[int, ...]
    bits: tuple[int, ...]

    @property
    def stride(self) -> int:
        """Return how many integers are between one row of a group and the next."""
        return self.integers // _ROWS

    @property
    def step(self) -> int:
        """Return how many integers are between one group and the next."""
        return self.stride // len(self.groups)

    @property
    def rows(self) -> tuple[int, ...]:
        """Return for each group of a chunk which eight rows of a lane it has."""
        return tuple(self.groups.index(each) for each in range(len(self.groups)))


def load_packing(root: Place) -> PackingSpec:
    """Return the checked spec of bit-packing; `SpecErrors` for all its mistakes."""
    return checked(_spec, root)


def _spec(root: Place, problems: Problems) -> PackingSpec:
    """The whole file."""
    only(root, ("meta", "integers", "groups", "bits"), problems)
    meta = needed(root, "meta")
    only(meta, META_KEYS, problems)
    integers, groups, bits = (needed(root, each) for each in ("integers", "groups", "bits"))
    found = tuple(each.integer() for each in groups.items())
    if sorted(found) != list(range(_ROWS)):
        raise groups.error(f"expected each of 0 to {_ROWS - 1} once, got {found}")
    if integers.integer() % (_ROWS * _BITS[-1]) or integers.integer() <= 0:
        raise integers.error(f"expected a multiple of {_ROWS * _BITS[-1]}, got {integers.found}")
    widths = tuple(each.integer() for each in bits.items())
    if not set(widths) <= set(_BITS) or len(set(widths)) < len(widths):
        raise bits.error(f"expected some of {_BITS}, each once, got {widths}")
    for each in widths:
        apart = range(0, _ROWS, _BITS[-1] // each)
        if sorted(found[: each // _ROWS]) != list(apart):
            count = each // _ROWS
            wanted = f"expected {list(apart)} first, in any order, for integers of {each} bits"
            raise groups.error(f"{wanted}, got {list(found[:count])}")
    return PackingSpec(
        name=matching(needed(meta, "id"), NAME, "a name like bit_packing"),
        title=text_of(meta, "title"),
        doc=text_of(meta, "doc"),
        doc_ref=text_of(meta, "doc-ref"),
        integers=integers.integer(),
        groups=found,
        bits=widths,
    )


def emit_packing(spec: PackingSpec, source: str) -> str:
    """Return the module of *spec*; *source* is the path that its header names."""
    loads = [f"{verb}_{bits}" for verb in ("merge", "shift") for bits in spec.bits]
    names = [f"{verb}_{bits}" for verb in ("pack", "pick", "unpack") for bits in spec.bits]
    text = (
        templates()
        .get_template("packing.py.jinja")
        .render(
            source=source,
            doc=(*prose(spec.doc), "", f"Source: {spec.doc_ref}"),
            spec=spec,
            exports=["INTEGERS", *names],
            imports=["VECTOR", *loads],
        )
    )
    return text.rstrip() + "\n"


def page_of_packing(spec: PackingSpec, source: str) -> TablePage:
    """Return the page of *spec*; *source* is the path that it names."""
    rows = tuple(
        (str(bits), (spans(str(spec.integers // bits)), spans(_rows_of(spec, bits))))
        for bits in spec.bits
    )
    section = Section(
        title="Lanes",
        anchor="lanes",
        doc=blocks("For each width of integers, the lanes, and the first integer of each row."),
        clause=spec.doc_ref,
        headers=("bits", "lanes", "first integers"),
        rows=rows,
    )
    return TablePage(spec.title, source, blocks(spec.doc), spans(spec.doc_ref), (section,))


def _rows_of(spec: PackingSpec, bits: int) -> str:
    """The first integer of each row."""
    firsts = (
        spec.groups[row // _ROWS] * spec.step + row % _ROWS * spec.stride for row in range(bits)
    )
    return ", ".join(map(str, firsts))
