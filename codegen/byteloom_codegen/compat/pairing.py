"""Pair the parts of the old spec with those of the new.

Fields that keep their name and order are anchors.  Between two anchors, fields of the same form are
the same field renamed; what is left was added or removed.  Neighbours that changed but take as many
bits as before are a new division of the same bits: bits put to use, or a number split in two.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    EnumType,
    Field,
    FloatType,
    IntType,
    StrType,
    SwitchType,
    UserType,
)
from byteloom_codegen.nodes import user_types
from byteloom_codegen.python.sizes import field_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom_codegen.model import DataType, EnumSpec, Spec, TypeSpec

__all__ = ["Pairs", "Step", "steps"]


@dataclass(frozen=True, slots=True)
class Step:
    """A part of two sequences: a pair of fields, or fields of either without a counterpart."""

    old: tuple[Field, ...]
    new: tuple[Field, ...]
    paired: bool = False

    @property
    def keeps_size(self) -> bool:
        """Whether both sides take the same bits, as far as the specs say."""
        return _bits(self.old) is not None and _bits(self.old) == _bits(self.new)


def _bits(fields: Sequence[Field]) -> int | None:
    sizes = [field_size(each) for each in fields]
    if any(size.most is None or size.most != size.least for size in sizes):
        return None
    return sum(size.least for size in sizes)


def steps(old: Sequence[Field], new: Sequence[Field]) -> list[Step]:
    """Return the steps from the *old* fields of a record to the *new*, in order."""
    found: list[Step] = []
    at_old = at_new = 0
    anchors = [*_anchors(old, new), (len(old), len(new))]
    for left, right in anchors:
        found += _between(old[at_old:left], new[at_new:right])
        if left < len(old):
            found.append(Step((old[left],), (new[right],), paired=True))
        at_old, at_new = left + 1, right + 1
    return _divided_anew(found)


def _anchors(old: Sequence[Field], new: Sequence[Field]) -> list[tuple[int, int]]:
    """Return the longest run of common names that are in the same order."""
    places = {each.name: index for index, each in enumerate(new)}
    both = [(left, places[each.name]) for left, each in enumerate(old) if each.name in places]
    ends: list[int] = []
    chains: list[list[tuple[int, int]]] = []
    for pair in both:
        at = bisect_left(ends, pair[1])
        chain = [*(chains[at - 1] if at else []), pair]
        ends[at : at + 1] = [pair[1]]
        chains[at : at + 1] = [chain]
    return chains[-1] if chains else []


def _between(old: Sequence[Field], new: Sequence[Field]) -> Iterator[Step]:
    """Pair fields of the same form; names that are elsewhere on the other side are not included."""
    matcher = SequenceMatcher(None, [*map(_form, old)], [*map(_form, new)], autojunk=False)
    for tag, left, left_end, right, right_end in matcher.get_opcodes():
        if tag == "equal":
            for one, other in zip(old[left:left_end], new[right:right_end], strict=True):
                yield Step((one,), (other,), paired=True)
        else:
            yield Step(tuple(old[left:left_end]), tuple(new[right:right_end]))


def _form(member: Field) -> tuple[object, ...]:
    repeat = member.repeat.kind if member.repeat else ""
    return (*_type_form(member.type), repeat, member.condition is None)


def _type_form(type_: DataType) -> tuple[object, ...]:
    match type_:
        case IntType() | FloatType() | BitsType() | ContentsType():
            return (type_,)
        case EnumType(base=base):
            return (base,)
        case BytesType(delimiting=ends) | StrType(delimiting=ends):
            literal = ends and (ends.size is None, ends.size_eos, ends.terminator)
            return (type(type_), literal)
        case UserType(type=spec):
            return ("record", tuple(each.name for each in spec.seq))
        case SwitchType(cases=cases):
            return ("switch", len(cases))
    return (type(type_),)


def _divided_anew(found: list[Step]) -> list[Step]:
    """Join neighbours that changed size one by one and not together."""
    joined: list[Step] = []
    run: list[Step] = []
    for step in [*found, None]:
        if step is not None and not (step.paired and step.keeps_size) and _known(step):
            run.append(step)
            continue
        whole = Step(
            tuple(each for part in run for each in part.old),
            tuple(each for part in run for each in part.new),
        )
        joined += [whole] if len(run) > 1 and whole.keeps_size else run
        run = []
        if step is not None:
            joined.append(step)
    return joined


def _known(step: Step) -> bool:
    return _bits(step.old) is not None and _bits(step.new) is not None


@dataclass(slots=True)
class Pairs:
    """The pairs of two specs; keys are ids of parts of the old one.

    types    old and new, the top ones first
    members  the new name of every paired member, where it changed
    """

    types: list[tuple[TypeSpec, TypeSpec]] = field(default_factory=list)
    enums: list[tuple[EnumSpec, EnumSpec]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, old: Spec, new: Spec) -> Pairs:
        """Pair all types and enums of two specs, and of what they import."""
        pairs = cls()
        pairs.add(old.top, new.top)
        done = 0
        while done < len(pairs.types):
            pairs._look_into(*pairs.types[done])
            done += 1
        return pairs

    def add(self, old: TypeSpec, new: TypeSpec) -> None:
        """Pair two types, unless one of them is paired already."""
        if id(old) in self._seen or id(new) in self._seen:
            return
        self._seen |= {id(old), id(new)}
        self.types.append((old, new))
        for name, enum in old.enums.items():
            if name in new.enums:
                self.add_enum(enum, new.enums[name])
        for name, nested in old.types.items():
            if name in new.types:
                self.add(nested, new.types[name])

    def add_enum(self, old: EnumSpec, new: EnumSpec) -> None:
        """Pair two enums, unless one of them is paired already."""
        if id(old) not in self._seen and id(new) not in self._seen:
            self._seen |= {id(old), id(new)}
            self.enums.append((old, new))

    def has(self, part: TypeSpec | EnumSpec) -> bool:
        """Whether *part*, of either spec, has a counterpart."""
        return id(part) in self._seen

    def _look_into(self, old: TypeSpec, new: TypeSpec) -> None:
        pairs = [(step.old[0], step.new[0]) for step in steps(old.seq, new.seq) if step.paired]
        for each in old.instances:
            other = new.member(each.name)
            if isinstance(each, Field) and isinstance(other, Field):
                pairs.append((each, other))
        for one, two in pairs:
            if one.name != two.name:
                self.names[id(one)] = two.name
            self._types_of(one.type, two.type)

    def _types_of(self, old: DataType, new: DataType) -> None:
        if isinstance(old, EnumType) and isinstance(new, EnumType):
            self.add_enum(old.enum, new.enum)
        for one, two in zip(user_types(old), user_types(new), strict=False):
            if isinstance(one, UserType) and isinstance(two, UserType):
                self.add(one.type, two.type)
