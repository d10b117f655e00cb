"""Two fields or instances that are each other's counterpart."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.compat.findings import FINE, Effect, Effects
from byteloom_codegen.compat.rules import compare_rules
from byteloom_codegen.compat.storage import BROKEN, DOUBTFUL, RETYPED, compare_storage, value_kind
from byteloom_codegen.model import Field, Instance, ValueInstance
from byteloom_codegen.nodes import is_optional
from byteloom_codegen.python.derived_fields import derived_fields, is_checksum, is_magic
from byteloom_codegen.python.descriptor_fields import describing_fields
from byteloom_codegen.python.names import attribute_name
from byteloom_codegen.python.sizes import literal

if TYPE_CHECKING:
    from byteloom_codegen.compat.findings import Context, Where
    from byteloom_codegen.model import Repeat, TypeSpec

__all__ = ["Role", "compare_fields", "compare_instances", "needs_argument", "role"]

_OPTIONAL: Final = Effects(Effect.SOME, Effect.SOME, programs=Effect.NO)


class Role(Enum):
    """The role of a field in its generated class."""

    ARGUMENT = "an argument"
    PROPERTY = "derived"
    HIDDEN = "no attribute"


def role(member: Field, owner: TypeSpec) -> Role:
    """Return the role of *member* in the class of *owner*."""
    if is_checksum(member) or is_magic(member):
        return Role.HIDDEN
    follows = member.name in derived_fields(owner) or member.name in describing_fields(owner)
    return Role.PROPERTY if follows else Role.ARGUMENT


def needs_argument(member: Field, owner: TypeSpec) -> bool:
    """Whether a program that builds a record has to give a value."""
    given = "default" in member.loom or is_optional(member)
    return role(member, owner) is Role.ARGUMENT and not given


def compare_fields(
    context: Context, where: Where, old: tuple[TypeSpec, Field], new: tuple[TypeSpec, Field]
) -> None:
    """Find what changed in a field of ``seq``; each comes with the type it belongs to."""
    (owner, was), (other, now) = old, new
    _compare_names(context, where, (was.name, role(was, owner)), (now.name, role(now, other)))
    _compare_roles(context, where, old, new)
    _compare_presence(context, where, was, now)
    names = {each.name: context.pairs.names.get(id(each), each.name) for each in owner.seq}
    _compare_contents(context, where, was, now, names)


def compare_instances(
    context: Context, where: Where, old: Instance | ValueInstance, new: Instance | ValueInstance
) -> None:
    """Find what changed in an instance."""
    if isinstance(old, ValueInstance) and isinstance(new, ValueInstance):
        if not context.same(old.value, new.value):
            now, was = context.text(new.value), context.text(old.value)
            text = f"is computed as {now} now; it was computed as {was}"
            # A layout may depend on it, and programs may see another value.
            effects = Effects(Effect.SOME, Effect.SOME, programs=Effect.SOME)
            context.add("value", where, text, effects)
        _compare_kinds(context, where, old, new)
        _compare_condition(context, where, old, new)
        compare_rules(context, where, old, new)
    elif isinstance(old, Instance) and isinstance(new, Instance):
        _compare_position(context, where, old, new)
        _compare_presence(context, where, old, new)
        _compare_contents(context, where, old, new, {})
    else:
        words = ["computed" if isinstance(each, ValueInstance) else "stored" for each in (old, new)]
        context.add("value", where, f"is {words[1]} now; it was {words[0]}", DOUBTFUL)
        _compare_kinds(context, where, old, new)


def _compare_position(context: Context, where: Where, old: Instance, new: Instance) -> None:
    for name, was, now in (("at", old.pos, new.pos), ("in", old.io, new.io)):
        if not context.same(was, now):
            otherwise = "the position of the stream" if name == "at" else "the record's own stream"
            positions = [context.text(each) or otherwise for each in (was, now)]
            sure = literal(was) is not None and literal(now) is not None
            effects = BROKEN if sure else DOUBTFUL
            text = f"is read {name} {positions[1]} now; it was read {name} {positions[0]}"
            context.add("position", where, text, effects)


def _compare_names(
    context: Context, where: Where, old: tuple[str, Role], new: tuple[str, Role]
) -> None:
    if attribute_name(old[0]) == attribute_name(new[0]):
        return
    roles = {old[1], new[1]}
    effects = Effects(
        writers=Effect.NO if Role.ARGUMENT in roles else Effect.OK,
        programs=Effect.NO if Role.HIDDEN not in roles else Effect.OK,
    )
    context.add("renamed", where, f"was called {old[0]}", effects)


def _compare_roles(
    context: Context, where: Where, old: tuple[TypeSpec, Field], new: tuple[TypeSpec, Field]
) -> None:
    was, now = role(old[1], old[0]), role(new[1], new[0])
    if was is not now:
        gone = Effect.NO if now is Role.HIDDEN else Effect.OK
        refused = was is Role.ARGUMENT or needs_argument(new[1], new[0])
        effects = Effects(writers=Effect.NO if refused else Effect.OK, programs=gone)
        context.add("role", where, f"is {now.value} now; it was {was.value}", effects)
        return
    if needs_argument(old[1], old[0]) != needs_argument(new[1], new[0]):
        missing = needs_argument(new[1], new[0])
        effects = Effects(writers=Effect.NO) if missing else FINE
        text = "has to be given now" if missing else "may be left out now"
        context.add("default", where, text, effects)
    elif old[1].loom.get("default") != new[1].loom.get("default"):
        values = [each[1].loom.get("default") for each in (old, new)]
        context.add("default", where, f"has the default {values[1]} now; it was {values[0]}", FINE)


def _compare_presence(context: Context, where: Where, old: Field, new: Field) -> None:
    """Compare the conditions and repetitions of a field."""
    _compare_condition(context, where, old, new)
    was, now = old.repeat, new.repeat
    if (was is None) != (now is None):
        text = "is repeated now" if was is None else "is not repeated any more"
        context.add("repeat", where, text, Effects(*[Effect.NO] * 4))
    elif was is not None and now is not None and _times(context, was) != _times(context, now):
        counts = literal(was.expression), literal(now.expression)
        effects = BROKEN if was.kind == now.kind == "expr" and None not in counts else DOUBTFUL
        text = f"is {_times(context, now)} now; it was {_times(context, was)}"
        context.add("repeat", where, text, effects)


def _compare_condition(
    context: Context, where: Where, old: Field | ValueInstance, new: Field | ValueInstance
) -> None:
    was, now = context.text(old.condition), context.text(new.condition)
    if was == now:
        return
    states = [f"only if {each}" if each else "always" for each in (was, now)]
    text = f"is there {states[1]} now; it was there {states[0]}"
    if not was:
        effects = _OPTIONAL
    elif not now:
        effects = Effects(Effect.SOME, Effect.SOME, writers=Effect.NO)
    else:
        effects = DOUBTFUL
    context.add("condition", where, text, effects)


def _times(context: Context, repeat: Repeat) -> str:
    words = {"expr": "times", "until": "until"}
    if repeat.expression is None:
        return "repeated to the end"
    expression = context.text(repeat.expression)
    return (
        f"repeated until {expression}"
        if words[repeat.kind] == "until"
        else f"repeated {expression} times"
    )


def _compare_contents(
    context: Context, where: Where, old: Field, new: Field, names: dict[str, str]
) -> None:
    """Compare how a value is stored, its rules, and its extension keys.

    names  the new names of the fields beside it
    """
    _compare_kinds(context, where, old, new)
    compare_storage(context, where, old.type, new.type)
    compare_rules(context, where, old, new)
    for key, kind, effects in _EXTENSIONS:
        was, now = old.loom.get(key), new.loom.get(key)
        if key == "derive" and was is not None and now is not None:
            was, now = context.text(was), context.text(now)
        if key == "crc" and was is not None:
            was = {**was, "over": [names.get(each, each) for each in was["over"]]}
        if was != now:
            versions = [_key_text(key, each) for each in (was, now)]
            context.add(kind, where, f"has {versions[1]} now; it had {versions[0]}", effects)


def _key_text(key: str, value: Any) -> str:
    if value is None:
        return f"no {key}"
    if isinstance(value, dict):
        value = ", ".join(
            f"{part} {' to '.join(each) if isinstance(each, list | tuple) else each}"
            for part, each in value.items()
        )
    return f"{key} {value}"


def _compare_kinds(
    context: Context, where: Where, old: Field | ValueInstance, new: Field | ValueInstance
) -> None:
    was, now = value_kind(old.type), value_kind(new.type)
    if was != now and {was, now} != {"truth value", "integer"}:
        context.add(
            "value-kind", where, f"has a value of the kind {now} now; it was {was}", RETYPED
        )


_EXTENSIONS: Final = (
    ("crc", "checksum", Effects(Effect.SOME, Effect.SOME)),
    ("codec", "codec", BROKEN),
    ("varint", "varint", BROKEN),
    ("derive", "derived", Effects(Effect.SOME, Effect.SOME)),
    ("column", "column", Effects(programs=Effect.NO)),
    ("arrow", "column", Effects(programs=Effect.NO)),
    ("since", "version-range", FINE),
    ("until", "version-range", FINE),
)
