"""A spec as a page: what its template prints, in the order of the spec."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.model import (
    EndianSwitch,
    Instance,
    ValueInstance,
)
from byteloom_codegen.nodes import user_types
from byteloom_codegen.python.sizes import fixed_bytes, least_bytes, type_size
from byteloom_codegen.reference.cycles import cycle_words
from byteloom_codegen.reference.dumps import Dump, dump_of, given
from byteloom_codegen.reference.examples import SAMPLE
from byteloom_codegen.reference.legend import legend
from byteloom_codegen.reference.phrases import explained, phrase
from byteloom_codegen.reference.picture import picture
from byteloom_codegen.reference.places import places
from byteloom_codegen.reference.prose import (
    NEW_LINE,
    Block,
    Line,
    Word,
    Words,
    blocks,
    code,
    in_words,
    joined,
)
from byteloom_codegen.reference.roles import Roles
from byteloom_codegen.reference.rows import (
    Row,
    bytes_text,
    computed_row,
    elsewhere_row,
    field_row,
    param_row,
    sources,
    with_role,
)
from byteloom_codegen.reference.stream_names import INPUT, OWN, stream_name
from byteloom_codegen.reference.wording import BYTE_ORDER, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom_codegen.model import EnumSpec, Spec, TypeSpec
    from byteloom_codegen.reference.examples import Example, Part

__all__ = ["EnumTable", "Page", "Section", "anchor", "page_view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnumTable:
    """An enum: each member with its value in decimal and hex.

    texts  each member as it is stored, if these are the letters of a word; else none
    """

    name: str
    anchor: str
    doc: tuple[Block, ...]
    members: list[tuple[str, str, str, tuple[str, ...], tuple[Block, ...]]]
    texts: list[str]

    @property
    def has_meaning(self) -> bool:
        """Whether the spec says what any of its members means."""
        return any(doc for *_, doc in self.members)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One type.

    elsewhere  its instances that are stored, at a position of their own
    computed   its instances that are not stored: the form of each row is the value in words
    """

    spec: TypeSpec
    anchor: str
    title: str
    doc: tuple[Block, ...]
    sources: list[Line]
    facts: list[tuple[str, Words]]
    params: list[Row]
    fields: list[Row]
    elsewhere: list[Row]
    computed: list[Row]
    enums: list[EnumTable]
    dumps: list[Dump]
    vectors: list[Example]

    def read_with(self, vector: Example) -> str:
        """The parameters that a vector of this type is read with."""
        return given(vector)

    @property
    def drawing(self) -> str:
        """The picture of its bytes, for use inside a page."""
        return picture(self.spec, alone=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One spec."""

    spec: Spec
    title: str
    source: str
    facts: list[tuple[str, str]]
    legend: list[Line]
    sections: list[Section] = field(default_factory=list)

    @property
    def long_dumps(self) -> list[tuple[str, Dump]]:
        """The examples at its end, each with its place."""
        return [
            (f"example-{section.anchor}-{number}", dump)
            for section in self.sections
            for number, dump in enumerate(section.dumps, 1)
            if dump.is_long
        ]


def anchor(item: TypeSpec | EnumSpec) -> str:
    """Return the place of a type or an enum on its page."""
    owner = item.owner.path if item.owner else ()
    kind = "type" if hasattr(item, "seq") else "enum"
    return f"{kind}-{'.'.join((*owner, item.name))}"


def page_view(
    spec: Spec, source: str, examples: Sequence[tuple[Example, Sequence[Part]]] = ()
) -> Page:
    """Return the page of *spec*.

    source    the path of the spec, as the page names it
    examples  vectors of its types, with their division into fields where that is to be shown
    """
    types = spec.top.walk()
    users = _users(types)
    roles = Roles(types)
    return Page(
        spec=spec,
        title=spec.title or spec.name,
        source=source,
        facts=list(_facts(spec)),
        legend=legend(spec),
        sections=[
            _section(each, users, roles, [pair for pair in examples if pair[0].type is each])
            for each in types
        ],
    )


def _users(types: list[TypeSpec]) -> dict[int, list[TypeSpec]]:
    """Return for every type, by its id, the types of this spec that contain it."""
    users: dict[int, list[TypeSpec]] = {}
    for each in types:
        for member in (*each.seq, *each.instances):
            for user in user_types(member.type):
                known = users.setdefault(id(getattr(user, "type", None)), [])
                if each not in known:
                    known.append(each)
    return users


def _facts(spec: Spec) -> Iterator[tuple[str, str]]:
    meta = spec.meta
    for key, title in (
        ("application", "Application"), ("file-extension", "File extension"), ("xref", "Known as"),
        ("license", "Licence of the spec"), ("tags", "Tags"),
    ):  # fmt: skip
        if meta.get(key) is not None:
            yield title, _listed(meta[key])


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_listed(each)}" for key, each in value.items())
    return ", ".join(map(_listed, value)) if isinstance(value, list) else str(value)


def _section(
    spec: TypeSpec,
    users: dict[int, list[TypeSpec]],
    roles: Roles,
    examples: list[tuple[Example, Sequence[Part]]],
) -> Section:
    shown = [(example, parts) for example, parts in examples if parts]
    return Section(
        spec=spec,
        anchor=anchor(spec),
        title="::".join(spec.path[1:] or spec.path),
        doc=blocks(spec.doc),
        sources=sources(spec.doc_ref),
        facts=list(_type_facts(spec, users.get(id(spec), []))),
        params=[with_role(param_row(each, spec), each, roles) for each in spec.params],
        fields=[with_role(field_row(each, spec), each.field, roles) for each in places(spec)],
        elsewhere=[
            with_role(elsewhere_row(each, spec), each, roles)
            for each in spec.instances
            if isinstance(each, Instance)
        ],
        computed=[
            with_role(computed_row(each, spec), each, roles)
            for each in spec.instances
            if isinstance(each, ValueInstance)
        ],
        enums=[_enum(each) for each in spec.enums.values()],
        dumps=[dump_of(example, parts) for example, parts in shown],
        vectors=[example for example, _ in examples if example.outcome != SAMPLE],
    )


def _type_facts(spec: TypeSpec, users: list[TypeSpec]) -> Iterator[tuple[str, Words]]:
    if spec.orig_ids:
        yield "Official name", tuple(joined([in_words(code(each)) for each in spec.orig_ids], ", "))
    size = type_size(spec)
    fixed = fixed_bytes(size)
    if spec.seq:
        least = least_bytes(size)
        yield (
            "Size",
            (Word(bytes_text(least) if fixed is not None else f"{bytes_text(least)} or more"),),
        )
    if isinstance(spec.endian, EndianSwitch):
        yield "Byte order", _byte_order(spec.endian, spec)
    if spec.to_string is not None:
        yield "Shown as", phrase(spec.to_string, spec)
    stream = stream_name(spec)
    if spec.seq and stream is not INPUT:
        own = stream is OWN
        yield (
            "Read from",
            in_words("the bytes of its field alone") if own else in_words("the bytes of ", stream),
        )
    if users:
        yield "Part of", tuple(_listed_types(users))
    if cycle := cycle_words(spec):
        yield "Can contain itself", cycle
    for key, title in _TYPE_KEYS.items():
        if key in spec.loom:
            yield title, (Word(str(spec.loom[key])),)


_TYPE_KEYS: Final = {
    "doc-clause": "Clause", "since": "Since version",
    "tail": "Bytes to fetch from the end first", "until": "Until version",
}  # fmt: skip
"""The keys that say something about the format; others are about byteloom's own code."""


def _listed_types(types: list[TypeSpec]) -> Iterator[Word]:
    for number, each in enumerate(types):
        if number:
            yield Word(", ")
        yield Word(each.name, target=each)


def _byte_order(endian: EndianSwitch, spec: TypeSpec) -> Words:
    rows = [in_words("depends on ", explained(endian.on, spec), ":")]
    for case, order in endian.cases:
        value = in_words("any other") if case is None else phrase(case, spec)
        rows.append(in_words(value, f": {BYTE_ORDER[order]}"))
    return tuple(joined(rows, NEW_LINE))


def _enum(enum: EnumSpec) -> EnumTable:
    return EnumTable(
        name=enum.name,
        anchor=anchor(enum),
        doc=blocks(enum.doc),
        members=[
            (str(each.value), f"{each.value:#x}", each.name, each.orig_ids, blocks(each.doc))
            for each in enum.members
        ],
        texts=texts_of(enum),
    )
