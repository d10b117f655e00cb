"""Parameters, fields and instances, with their types resolved and their expressions parsed.

Nothing is evaluated or typed here: that takes all members of all types, and comes next.  A member
with a mistake stays in the model as broken, so that naming it is not a second mistake.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom_codegen.frontend.extensions import extension_places, read_extensions
from byteloom_codegen.frontend.keys import check_id, check_keys, orig_ids
from byteloom_codegen.frontend.layouts import Layouts, kind_of_keys
from byteloom_codegen.frontend.outline import Unit, documentation
from byteloom_codegen.frontend.parser import parse_expression, parse_type
from byteloom_codegen.frontend.type_names import Scope, pure_type
from byteloom_codegen.model import (
    AnyType,
    BytesType,
    DataType,
    Field,
    Instance,
    Member,
    Param,
    Repeat,
    TypeSpec,
    Valid,
    ValidKind,
    ValueInstance,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom_codegen.errors import Problems
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.frontend.place import Place

__all__ = ["read_members"]


def read_members(unit: Unit, type_: TypeSpec, problems: Problems) -> set[Member]:
    """Fill in the members of *type_*; return those that are broken."""
    reader, place = _Members(unit, type_, problems), unit.places[type_]
    for each in _items(place.get("params"), problems):
        problems.attempt(reader.param, each)
    for index, each in enumerate(_items(place.get("seq"), problems)):
        problems.attempt(reader.field, each, index)
    if (instances := place.get("instances")) is not None:
        with problems:
            for name, each in instances.pairs():
                problems.attempt(reader.instance, name, each)
    type_.to_string = _expression(place, "to-string", problems)
    for holder in (place.get("meta"), place):
        if holder is not None and holder.is_map:
            type_.loom |= read_extensions(holder, "type", problems)
    return reader.broken


@dataclass(slots=True)
class _Members:
    unit: Unit
    type: TypeSpec
    problems: Problems
    seen: dict[str, str] = field(default_factory=dict)
    broken: set[Member] = field(default_factory=set)

    @property
    def layouts(self) -> Layouts:
        return Layouts(Scope(self.type, self.unit), self.problems)

    def param(self, place: Place) -> None:
        check_keys(place, "parameter", self.problems)
        ident = place.get("id")
        if ident is None:
            raise place.error("missing mandatory argument `id`")
        doc, refs = documentation(place, self.problems)
        found = Param(
            name=ident.text(), type=AnyType(), location=place.location, doc=doc, doc_ref=refs
        )
        found.owner = self.type
        self._declare(found, ident, "parameter")
        self.type.params.append(found)
        self._set_type(found, self._param_type, place)

    def field(self, place: Place, index: int) -> None:
        """Read an attribute of ``seq``; *index* numbers it where it has no name."""
        next(place.pairs(), None)
        ident = place.get("id")
        name = ident and self.problems.attempt(ident.text)
        found = Field(name=name or f"_unnamed{index}", type=AnyType(), location=place.location)
        found.owner = self.type
        if ident is not None and name:
            self._declare(found, ident, "attribute")
        self.type.seq.append(found)
        self._attribute(found, place, set())

    def instance(self, name: str, place: Place) -> None:
        next(place.pairs(), None)
        if "value" in place:
            self._value_instance(name, place)
            return
        found = Instance(name=name, type=AnyType(), location=place.key_location)
        found.owner = self.type
        self._declare(found, place.of_key(), "instance")
        self.type.instances.append(found)
        self._attribute(found, place, {"pos", "io"})
        found.pos = _expression(place, "pos", self.problems)
        found.io = _expression(place, "io", self.problems)

    # Names

    def _declare(self, member: Member, ident: Place, kind: str) -> None:
        """Note the name of *member*, which has to be an identifier that is not in use yet."""
        name = member.name
        self.unit.named_at[member] = ident.location
        if not check_id(name, kind, ident, self.problems):
            return
        if name in self.seen:
            known = f"previously defined at {self.seen[name]}"
            self.problems.error(ident.error(f"duplicate attribute ID '{name}', {known}"))
        self.seen.setdefault(name, "/" + "/".join(map(str, ident.path)))

    # What members consist of

    def _set_type(
        self, member: Field | Param, read: Callable[[Place], DataType], place: Place
    ) -> None:
        """Set the type of *member*, which is broken if there is a mistake in it."""
        before = len(self.problems.errors)
        member.type = self.problems.attempt(read, place) or member.type
        if len(self.problems.errors) > before:
            self.broken.add(member)

    def _param_type(self, place: Place) -> DataType:
        type_, enum = place.get("type"), place.get("enum")
        if type_ is None:
            return BytesType()
        name, args = parse_type(type_)
        if args:
            raise type_.error("the type of a parameter takes no arguments")
        scope = self.layouts.scope
        found = self.problems.attempt(pure_type, name, scope)
        return self.layouts.with_enum(found or AnyType(), enum)

    def _attribute(self, found: Field, place: Place, extra: set[str]) -> None:
        """Read what fields and parse instances have in common."""
        problems = self.problems
        with problems:
            check_keys(place, kind_of_keys(place), problems, extra | _legal_beside(place))
        self._describe(found, place, "field")
        self._set_type(found, self.layouts.read, place)
        found.repeat = problems.attempt(_read_repeat, place)
        found.valid = problems.attempt(_read_valid, place, problems)

    def _describe(self, found: Field | ValueInstance, place: Place, kind: str) -> None:
        found.doc, found.doc_ref = documentation(place, self.problems)
        found.orig_ids = orig_ids(place)
        found.loom = read_extensions(place, kind, self.problems)
        self.unit.keyed_at[found] = extension_places(place) if found.loom else {}
        found.condition = _expression(place, "if", self.problems)

    def _value_instance(self, name: str, place: Place) -> None:
        check_keys(place, "value instance", self.problems)
        value, enum = _expression(place, "value", self.problems), place.get("enum")
        found: Instance | ValueInstance
        basics: dict[str, Any] = {"name": name, "type": AnyType(), "location": place.key_location}
        if value is None:
            found = Instance(**basics)
            self.broken.add(found)
        else:
            found = ValueInstance(value=value, **basics)
            if enum is not None:
                found.enum = self.problems.attempt(self.layouts.scope.enum, enum)
                self.broken |= set() if found.enum else {found}
        found.owner = self.type
        self._declare(found, place.of_key(), "instance")
        self._describe(found, place, "value instance")
        if enum is not None:
            self.unit.keyed_at[found]["enum"] = enum.location
        self.type.instances.append(found)


def _expression(place: Place, key: str, problems: Problems) -> Expression | None:
    value = place.get(key)
    return None if value is None else problems.attempt(parse_expression, value)


def _legal_beside(place: Place) -> set[str]:
    """Return the keys that are legal only because others are present."""
    repeat, type_ = place.get("repeat"), place.get("type")
    wanted = {f"repeat-{repeat.text()}"} if repeat else set()
    switch = type_ is not None and type_.is_map
    return (wanted & {"repeat-expr", "repeat-until"}) | (set() if switch else {"enum"})


def _items(place: Place | None, problems: Problems) -> list[Place]:
    return [] if place is None else problems.attempt(list, place.items()) or []


_FORMS: Final = {
    "eq": (ValidKind.EQ, {"eq"}),
    "min": (ValidKind.RANGE, {"min", "max"}),
    "max": (ValidKind.RANGE, {"min", "max"}),
    "any-of": (ValidKind.ANY_OF, {"any-of"}),
    "in-enum": (ValidKind.IN_ENUM, {"in-enum"}),
    "expr": (ValidKind.EXPR, {"expr"}),
}


def _read_repeat(place: Place) -> Repeat | None:
    """Return how often the attribute *place* is repeated; None if it is not."""
    repeat = place.get("repeat")
    if repeat is None:
        return None
    kind = repeat.text()
    if kind == "eos":
        return Repeat("eos")
    if kind not in {"expr", "until"}:
        raise repeat.error(f"expected eos / expr / until, got '{kind}'")
    expression = place.get(f"repeat-{kind}")
    if expression is None:
        raise repeat.error(f"`repeat: {kind}` requires a `repeat-{kind}` expression")
    return Repeat("expr" if kind == "expr" else "until", parse_expression(expression))


def _read_valid(place: Place, problems: Problems) -> Valid | None:
    """Return the rule that values of the attribute *place* have to meet; None for no rule."""
    valid = place.get("valid")
    if valid is None:
        return None
    if valid.is_list:
        raise valid.error(
            f"expected string or map, got {valid.found}", "use any-of for a list of values"
        )
    if not valid.is_map:
        return Valid(ValidKind.EQ, (parse_expression(valid),))
    keys = [key for key, _ in valid.pairs() if not key.startswith("-")]
    form = next((key for key in _FORMS if key in keys), None)
    legal = set(_FORMS) if form is None else _FORMS[form][1]
    for key in keys:
        if key not in legal:
            problems.error(
                valid[key].key_error(f"unknown key found, expected: {', '.join(sorted(legal))}")
            )
    if form is None:
        if not keys:
            raise valid.error(f"expected any of {', '.join(sorted(legal))}, found none")
        return None
    return _valid(valid, form, place)


def _valid(valid: Place, form: str, place: Place) -> Valid:
    kind, value = _FORMS[form][0], valid[form]
    match kind:
        case ValidKind.RANGE:
            low, high = valid.get("min"), valid.get("max")
            return Valid(
                kind,
                minimum=parse_expression(low) if low else None,
                maximum=parse_expression(high) if high else None,
            )
        case ValidKind.ANY_OF:
            return Valid(kind, tuple(map(parse_expression, value.items())))
        case ValidKind.IN_ENUM:
            if not value.boolean():
                raise value.error(
                    "only `true` is supported as value, got `false`", "leave `valid` out"
                )
            if "enum" not in place:
                raise value.error("`valid/in-enum` requires the `enum` key")
            return Valid(kind)
    return Valid(kind, (parse_expression(value),))
