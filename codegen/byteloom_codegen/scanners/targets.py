"""Which repeated records of a spec get a scanner, and what the scanners are called."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import Field, Instance, Repeat, UserType, ValueInstance
from byteloom_codegen.nodes import expressions_of, walk
from byteloom_codegen.python.derived_fields import derived_fields
from byteloom_codegen.python.read_statements import differs
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from byteloom_codegen.model import Spec, TypeSpec

__all__ = [
    "Looks", "NamedFields", "Target", "is_handed_at_once", "named_fields", "plural", "targets_of",
    "walked_types",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Target:
    """A repeated record.

    name    what comes after ``scan_``
    field   the repeated field
    owner   the record that repeats it; None where records fill the bytes from end to end
    loops   whether a loop shall read the records, if one can
    wanted  the columns that are needed, fields inside of records after a point; None for all
    """

    name: str
    field: Field
    owner: TypeSpec | None
    loops: bool = True
    wanted: Collection[str] | None = None


def targets_of(spec: Spec, *, everything: bool) -> list[Target]:
    """Return the targets of scans: the fields that repeat a record, and runs of records."""
    types = spec.top.walk()
    repeated = [
        (owner, each) for owner in types for each in _repeats(owner) if everything or _asked(each)
    ]
    names = Counter(each.name for _, each in repeated)
    targets = [
        Target(each.name if names[each.name] == 1 else f"{owner.name}_{each.name}", each, owner)
        for owner, each in repeated
    ]
    lonely = [
        each
        for each in types
        if each.loom.get("scan") is True or (everything and each is spec.top and not repeated)
    ]
    taken = {target.name for target in targets}
    for each in lonely:
        name = plural(each.name)
        name = f"run_of_{name}" if name in taken else name
        run = Field(name=name, type=UserType(each), location=each.location, repeat=Repeat("eos"))
        targets.append(Target(name, run, None))
    return targets


def _repeats(owner: TypeSpec) -> Iterator[Field]:
    for each in owner.seq:
        if each.repeat is not None and isinstance(each.type, UserType):
            yield each


def _asked(each: Field) -> bool:
    return isinstance(each.type, UserType) and each.type.type.loom.get("scan") is True


def walked_types(spec: Spec) -> list[TypeSpec]:
    """Return the types whose runs are to be walked over (``-loom-scan: walk``), or to be put."""
    return [
        each for each in spec.top.walk() if each.loom.get("scan") == "walk" or "put" in each.loom
    ]


def plural(name: str) -> str:
    """Return the plural of a type's name."""
    if name.endswith(("s", "x", "ch", "sh")):
        return f"{name}es"
    if name.endswith("y") and name[-2:-1] not in set("aeiou"):
        return f"{name[:-1]}ies"
    return f"{name}s"


class Looks:
    """Where expressions name fields, in all types of a spec."""

    def __init__(self, types: list[TypeSpec]) -> None:
        """Collect the expressions of *types*."""
        self._while_reading: dict[int, list[tuple[TypeSpec, ast.Node]]] = {}
        self._instances: dict[int, list[int]] = {}
        for spec in types:
            later = set[int]()
            for part in (*spec.instances, spec.to_string):
                for node in walk(part):
                    later.add(id(node))
                    self._instances.setdefault(_target(node), []).append(id(part))
            for node in expressions_of(spec):
                if id(node) not in later:
                    self._while_reading.setdefault(_target(node), []).append((spec, node))

    def check_alone(self, target: Target) -> None:
        """Refuse a field whose elements other fields use while reading: a scan does not keep them.

        raises  `NotScannableError`
        """
        owner = target.owner
        if owner is None:
            return
        counts = derived_fields(owner)
        own = [
            id(each)
            for each in owner.seq
            if each.name in counts and counts[each.name].by == target.field.name
        ]
        watched = [id(target.field), *own]
        watched += [one for each in watched for one in self._instances.get(each, [])]
        for each in watched:
            for spec, node in self._while_reading.get(each, []):
                # A count before its elements is still available where they are read.
                if not (spec is owner and isinstance(node, ast.Name) and each in own):
                    reason = f"`{target.field.name}` is looked at while reading"
                    raise NotScannableError(node.location, reason)


@dataclass(frozen=True, slots=True)
class NamedFields:
    """The members that expressions name, by their `id`.

    anywhere  in any expression
    reading   in those that are used while records are read, and not by calculated instances alone
    """

    anywhere: set[int]
    reading: set[int]


def named_fields(types: list[TypeSpec]) -> NamedFields:
    """Return the members that expressions of *types* name."""
    later = {
        id(node)
        for spec in types
        for part in (*spec.instances, spec.to_string)
        for node in walk(part)
    }
    nodes = [node for spec in types for node in expressions_of(spec)]
    waiting = [node for node in nodes if id(node) not in later]
    reading = set[int]()
    for node in waiting:
        target = getattr(node, "target", None)
        if target is not None and id(target) not in reading:
            reading.add(id(target))
            if isinstance(target, Instance | ValueInstance):
                waiting += walk(target)
    return NamedFields({_target(each) for each in nodes} - {0}, reading)


def _target(node: ast.Node) -> int:
    """Return the `id` of the field that an expression names; 0 for all others."""
    target = getattr(node, "target", None)
    return 0 if target is None else id(target)


def is_handed_at_once(field: Field) -> bool:
    """Whether one call reads all records, with the same arguments for each."""
    type_, repeat = field.type, field.repeat
    return (
        isinstance(type_, UserType)
        and repeat is not None
        and repeat.kind != "until"
        and type_.delimiting is None
        and field.valid is None
        and "varint" not in field.loom
        and not any(differs(arg, field.name) for arg in (*type_.args, type_.parent))
    )
