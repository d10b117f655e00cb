"""Two types of records that are each other's counterpart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.compat.findings import FINE, Effect, Effects, Where
from byteloom_codegen.compat.members import (
    Role,
    compare_fields,
    compare_instances,
    needs_argument,
    role,
)
from byteloom_codegen.compat.pairing import Step, steps
from byteloom_codegen.compat.storage import BROKEN, DOUBTFUL, RETYPED, value_kind
from byteloom_codegen.model import EndianSwitch, Field, SwitchType, UserType
from byteloom_codegen.python.names import class_names
from byteloom_codegen.reference.wording import in_short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom_codegen.compat.findings import Context
    from byteloom_codegen.model import DataType, TypeSpec

__all__ = ["compare_records"]

_UNPROVEN: Final = "under a condition that old files may meet; give it -loom-since if none does"


def compare_records(context: Context, old: TypeSpec, new: TypeSpec) -> None:
    """Find what changed in a type."""
    where = Where(".".join(new.path), old.location, new.location)
    names = class_names(old.spec).of(old), class_names(new.spec).of(new)
    if names[0] != names[1]:
        context.add(
            "class-renamed", where, f"has the class {names[1]} now; it was {names[0]}", RETYPED
        )
    _Records(context, where, old, new).compare()


@dataclass(slots=True)
class _Records:
    context: Context
    where: Where
    old: TypeSpec
    new: TypeSpec

    def compare(self) -> None:
        self._byte_order()
        self._params()
        followed = steps(self.old.seq, self.new.seq)
        for number, step in enumerate(followed):
            if step.paired:
                was, now = step.old[0], step.new[0]
                where = self._inside(was, now)
                compare_fields(self.context, where, (self.old, was), (self.new, now))
            elif step.old and step.new and step.keeps_size:
                self._divided(step)
            else:
                self._changed(step, last=number == len(followed) - 1)
        self._instances()

    def _inside(self, was: Field | None, now: Field | None) -> Where:
        name = now.name if now else was.name if was else ""
        return Where(
            f"{self.where.path}.{name}",
            was.location if was else None,
            now.location if now else None,
        )

    def _byte_order(self) -> None:
        orders = [self._order(each) for each in (self.old, self.new)]
        if orders[0] != orders[1]:
            self.context.add(
                "byte-order", self.where, f"has {orders[1]} now; it had {orders[0]}", DOUBTFUL
            )

    def _order(self, spec: TypeSpec) -> str:
        if not isinstance(spec.endian, EndianSwitch):
            return "a fixed byte order"  # the fields have it; they are compared by themselves
        on = self.context.text(spec.endian.on)
        cases = [f"{self.context.text(case) or '_'}: {order}" for case, order in spec.endian.cases]
        return f"byte order by {on} ({', '.join(cases)})"

    def _params(self) -> None:
        parameters = [
            ", ".join(f"{each.name}: {in_short(each.type)}" for each in spec.params)
            for spec in (self.old, self.new)
        ]
        if parameters[0] != parameters[1]:
            was, now = (each or "no parameters" for each in parameters)
            text = f"takes {now} now; it took {was}"
            self.context.add("parameters", self.where, text, RETYPED)

    # Fields that have no counterpart

    def _divided(self, step: Step) -> None:
        """Report bits that other fields have now, while everything around stays in place."""
        was, now = ({each.name: each for each in side} for side in (step.old, step.new))
        gone = [
            name for name in was if name not in now and role(was[name], self.old) is not Role.HIDDEN
        ]
        retyped = any(
            value_kind(was[name].type) != value_kind(now[name].type) for name in was.keys() & now
        )
        missing = any(
            needs_argument(each, self.new) and name not in was for name, each in now.items()
        )
        effects = replace(
            DOUBTFUL,
            writers=Effect.NO if missing or gone or retyped else Effect.OK,
            programs=Effect.NO if gone or retyped else Effect.OK,
        )
        text = f"begins bits that are {' | '.join(now)} now; they were {' | '.join(was)}"
        self.context.add("divided", self._inside(step.old[0], step.new[0]), text, effects)

    def _changed(self, step: Step, *, last: bool) -> None:
        moved = self._moved()
        for each in step.old:
            if each.name not in moved:
                self._removed(each, last=last)
        for each in step.new:
            if each.name in moved:
                was = next(other for other in self.old.seq if other.name == each.name)
                self.context.add(
                    "moved", self._inside(was, each), "is stored elsewhere now", BROKEN
                )
                compare_fields(
                    self.context, self._inside(was, each), (self.old, was), (self.new, each)
                )
            else:
                self._added(each, last=last)

    def _moved(self) -> set[str]:
        """Return the names on both sides that are not paired."""
        follow = [step for step in steps(self.old.seq, self.new.seq) if not step.paired]
        was = {each.name for step in follow for each in step.old}
        return was & {each.name for step in follow for each in step.new}

    def _added(self, member: Field, *, last: bool) -> None:
        with_it, without_it = self._presence(member, last=last, promised="since")
        effects = Effects(
            old_files=without_it,
            new_files=with_it,
            writers=Effect.NO if needs_argument(member, self.new) else Effect.OK,
        )
        text = "is new" if without_it is not Effect.SOME else f"is new, {_UNPROVEN}"
        self.context.add("field-added", self._inside(None, member), text, effects)

    def _removed(self, member: Field, *, last: bool) -> None:
        with_it, without_it = self._presence(member, last=last, promised="until")
        seen = role(member, self.old)
        effects = Effects(
            old_files=with_it,
            new_files=without_it,
            writers=Effect.NO if seen is Role.ARGUMENT else Effect.OK,
            programs=Effect.OK if seen is Role.HIDDEN else Effect.NO,
        )
        self.context.add("field-removed", self._inside(member, None), "was removed", effects)

    def _presence(self, member: Field, *, last: bool, promised: str) -> tuple[Effect, Effect]:
        """Return the effect of a field on readers that lack it, and that of its absence.

        At the end of a stream of its own, bytes that no field asks for are left alone, and a list
        that goes to the end is empty where nothing is left.  A condition may keep the field out of
        the files that know nothing of it; with ``-loom-since`` (or ``until``) the spec says so.
        """
        alone = last and self._has_own_stream()
        ignored = Effect.OK if alone else Effect.SOME if member.condition is not None else Effect.NO
        if member.condition is not None:
            return ignored, Effect.OK if promised in member.loom else Effect.SOME
        empty = member.repeat is not None and member.repeat.kind == "eos"
        return ignored, Effect.OK if alone and empty else Effect.NO

    def _has_own_stream(self) -> bool:
        """Whether nothing can follow a record of this type at its place, in both versions."""
        return all(_stands_alone(spec, spec.spec.top.walk()) for spec in (self.old, self.new))

    # Instances

    def _instances(self) -> None:
        was = {each.name: each for each in self.old.instances}
        now = {each.name: each for each in self.new.instances}
        for name in was.keys() - now.keys():
            where = Where(f"{self.where.path}.{name}", was[name].location, None)
            self.context.add("instance-removed", where, "was removed", Effects(programs=Effect.NO))
        for name, instance in now.items():
            where = Where(f"{self.where.path}.{name}", None, instance.location)
            if name in was:
                both = replace(where, old=was[name].location)
                compare_instances(self.context, both, was[name], instance)
            else:
                self.context.add("instance-added", where, "is new", FINE)


def _stands_alone(spec: TypeSpec, types: Sequence[TypeSpec]) -> bool:
    uses = [
        user
        for each in types
        for member in (*each.seq, *each.instances)
        for user in _uses(member.type)
        if user.type is spec
    ]
    return all(user.delimiting is not None for user in uses) and (bool(uses) or spec.owner is None)


def _uses(type_: DataType) -> list[UserType]:
    if isinstance(type_, SwitchType):
        return [use for case in type_.cases for use in _uses(case.type)]
    return [type_] if isinstance(type_, UserType) else []
