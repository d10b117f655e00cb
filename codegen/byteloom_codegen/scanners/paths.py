"""Where the records of a file are: every repeated record that can be reached from the top.

- A path names fields and instances from the top, as `capture.packets`; after a type that another
  value decides comes the name of a type that it may be, as `sections.body.local_file`.
- Records streams where a window of the file is enough to read some of them: nothing in them, or
  before them, asks where the file ends, and nothing follows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.model import Instance, IoType, SwitchType, UserType
from byteloom_codegen.nodes import expressions_of, walk
from byteloom_codegen.python.names import attribute_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.model import DataType, Field, Spec, TypeSpec

__all__ = ["Repeated", "Step", "repeated_in"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path to records: an attribute, and the type that is wanted of its value.

    type  None where all values are of one type
    """

    name: str
    attribute: str
    type: TypeSpec | None = None


@dataclass(frozen=True, slots=True)
class Repeated:
    """A repeated record.

    steps    from the top to it
    field    the field that repeats it
    type     the record
    direct   whether it is in a single record, which is read whenever the file is
    streams  whether a window of the file is enough to read some of the records
    """

    steps: tuple[Step, ...]
    field: Field
    type: UserType
    direct: bool
    streams: bool

    @property
    def path(self) -> str:
        """The path that names it."""
        names = [
            name
            for each in self.steps
            for name in (each.name, each.type and each.type.name)
            if name
        ]
        return ".".join(names)


def repeated_in(spec: Spec) -> list[Repeated]:
    """Return every repeated record, those with the shortest paths first."""
    found = list(_below(spec.top, (), [], direct=True, streams=True))
    return sorted(found, key=lambda each: len(each.steps))


def _below(
    owner: TypeSpec, steps: tuple[Step, ...], inside: list[TypeSpec], *, direct: bool, streams: bool
) -> Iterator[Repeated]:
    if owner in inside:
        return
    inside = [*inside, owner]
    members = [*owner.seq, *(each for each in owner.instances if isinstance(each, Instance))]
    quiet = streams and not _asks_stream(owner)
    for each in members:
        last = quiet and bool(owner.seq) and each is owner.seq[-1] and each.condition is None
        for step, type_ in _ways(each):
            if not isinstance(type_, UserType):
                continue
            here = direct and step.type is None and not isinstance(each, Instance)
            if each.repeat is not None:
                flows = here and last and each.repeat.kind != "until" and _is_apart(type_)
                yield Repeated((*steps, step), each, type_, here, flows)
            here = here and each.repeat is None
            plain = here and last and type_.delimiting is None
            yield from _below(type_.type, (*steps, step), inside, direct=here, streams=plain)


def _ways(each: Field) -> Iterator[tuple[Step, DataType]]:
    """Yield what a field may be: itself, or each of its types."""
    name, attribute = each.name, attribute_name(each.name)
    if not isinstance(each.type, SwitchType):
        yield Step(name, attribute), each.type
        return
    seen = set[int]()
    for case in each.type.cases:
        if isinstance(case.type, UserType) and id(case.type.type) not in seen:
            seen.add(id(case.type.type))
            yield Step(name, attribute, case.type.type), case.type


def _is_apart(type_: UserType) -> bool:
    """Whether records use nothing of their stream but its next bytes."""
    if type_.delimiting is not None:
        return (
            not type_.delimiting.size_eos and type_.delimiting.eos_error and _quiet(type_.type, [])
        )
    return _quiet(type_.type, [], whole=False)


def _quiet(spec: TypeSpec, inside: list[TypeSpec], *, whole: bool = True) -> bool:
    """Whether no record of the type uses its stream; with *whole*, it may read it to the end."""
    if spec in inside:
        return True
    inside.append(spec)
    if _asks_stream(spec):
        return False
    return all(_field_is_quiet(each, inside, whole=whole) for each in spec.seq)


def _field_is_quiet(each: Field, inside: list[TypeSpec], *, whole: bool) -> bool:
    if each.repeat is not None and each.repeat.kind == "eos" and not whole:
        return False
    types = (
        [one.type for one in each.type.cases] if isinstance(each.type, SwitchType) else [each.type]
    )
    for type_ in types:
        delimiting = getattr(type_, "delimiting", None)
        if (
            delimiting is not None
            and (delimiting.size_eos or not delimiting.eos_error)
            and not whole
        ):
            return False
        if isinstance(type_, UserType):
            own = whole or delimiting is not None
            if not _quiet(type_.type, inside, whole=own):
                return False
    return True


def _asks_stream(spec: TypeSpec) -> bool:
    """Whether reading a record uses its position, or bytes elsewhere."""
    lazy = [each for each in spec.instances if isinstance(each, Instance)]
    later = {id(node) for node in walk([lazy, spec.to_string])}
    nodes = [each for each in expressions_of(spec) if id(each) not in later]
    return any(
        isinstance(getattr(each, "type", None), IoType)
        or isinstance(getattr(each, "target", None), Instance)
        for each in nodes
    )
