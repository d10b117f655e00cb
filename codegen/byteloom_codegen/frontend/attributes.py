"""Parameters, fields and instances, with their types resolved and their expressions parsed.

Nothing is evaluated or typed here: that takes all members of all types, and comes next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from byteloom_codegen.errors import Problems
from byteloom_codegen.frontend.extensions import read_extensions
from byteloom_codegen.frontend.keys import check_id, check_keys
from byteloom_codegen.frontend.layouts import Layouts, kind_of_keys
from byteloom_codegen.frontend.outline import Unit, documentation
from byteloom_codegen.frontend.parser import parse_expression, parse_type
from byteloom_codegen.frontend.place import Place
from byteloom_codegen.frontend.scopes import Scope
from byteloom_codegen.frontend.type_names import enum_type, pure_type
from byteloom_codegen.frontend.validity import read_repeat, read_valid
from byteloom_codegen.model import (
    AnyType,
    BytesType,
    DataType,
    Field,
    Instance,
    Member,
    Param,
    TypeSpec,
    ValueInstance,
)

__all__ = ["read_members"]


def read_members(unit: Unit, type_: TypeSpec, problems: Problems) -> set[Member]:
    """Fill in the members of *type_*; return those whose type could not be told."""
    reader = _Members(unit, type_, problems, Layouts(Scope(type_, unit), problems), {}, set())
    place = unit.places[type_]
    reader.params(place.get("params"))
    reader.seq(place.get("seq"))
    reader.instances(place.get("instances"))
    with problems.collect():
        if (text := place.get("to-string")) is not None:
            type_.to_string = parse_expression(text)
    with problems.collect():
        type_.loom = read_extensions(place, "type", problems)
        if (meta := place.get("meta")) is not None:
            type_.loom = read_extensions(meta, "type", problems) | type_.loom
    return reader.broken


@dataclass(frozen=True, slots=True)
class _Members:
    unit: Unit
    type: TypeSpec
    problems: Problems
    layouts: Layouts
    seen: dict[str, str]
    broken: set[Member]

    def params(self, place: Place | None) -> None:
        for each in _items(place, self.problems):
            with self.problems.collect():
                self.type.params.append(self._param(each))

    def seq(self, place: Place | None) -> None:
        for index, each in enumerate(_items(place, self.problems)):
            with self.problems.collect():
                each_name = self._name(each, f"_unnamed{index}")
                member = Field(name=each_name, **self._attribute(each, set()))
                self._note(member, each)
                self.type.seq.append(member)

    def instances(self, place: Place | None) -> None:
        if place is None:
            return
        with self.problems.collect():
            for name, each in place.pairs():
                with self.problems.collect():
                    self._instance(name, each)

    # Names

    def _name(self, place: Place, default: str) -> str:
        if not place.is_map:
            raise place.error(f"expected map, got {place.found}")
        ident = place.get("id")
        if ident is None:
            return default
        name = ident.text()
        if check_id(name, "attribute", ident, self.problems):
            self._unique(name, ident)
        return name

    def _unique(self, name: str, place: Place, *, at_key: bool = False) -> None:
        if name in self.seen:
            error = place.key_error if at_key else place.error
            self.problems.error(
                error(f"duplicate attribute ID '{name}', previously defined at {self.seen[name]}")
            )
        self.seen.setdefault(name, "/" + "/".join(map(str, place.path)))

    # One member

    def _param(self, place: Place) -> Param:
        if not place.is_map:
            raise place.error(f"expected map, got {place.found}")
        check_keys(place, "parameter", self.problems)
        ident = place.get("id")
        if ident is None:
            raise place.error("missing mandatory argument `id`")
        name = ident.text()
        if check_id(name, "parameter", ident, self.problems):
            self._unique(name, ident)
        doc, refs = documentation(place, self.problems)
        found = Param(name=name, type=AnyType(), location=place.location, doc=doc, doc_ref=refs)
        self.broken.add(found)
        with self.problems.collect():
            found.type = self._param_type(place)
            self.broken.discard(found)
        return found

    def _param_type(self, place: Place) -> DataType:
        type_, enum = place.get("type"), place.get("enum")
        if type_ is None:
            return BytesType()
        name, args = parse_type(type_)
        if args:
            raise type_.error("the type of a parameter takes no arguments")
        found = pure_type(name, self.layouts.scope)
        return found if enum is None else enum_type(found, enum, self.layouts.scope)

    def _attribute(self, place: Place, extra: set[str]) -> dict[str, Any]:
        """Return what fields and parse instances have in common, as keyword arguments."""
        problems = self.problems
        with problems.collect():
            check_keys(place, kind_of_keys(place), problems, extra | _legal_beside(place))
        doc, refs = documentation(place, problems)
        found: dict[str, Any] = {
            "type": None, "location": place.location, "doc": doc, "doc_ref": refs, "orig_id": _orig_id(place)
        }  # fmt: skip
        with problems.collect():
            found["type"] = self.layouts.read(place)
        with problems.collect():
            found["repeat"] = read_repeat(place)
        with problems.collect():
            found["valid"] = read_valid(place, problems)
        with problems.collect():
            found["loom"] = read_extensions(place, "field", problems)
        if (condition := place.get("if")) is not None:
            with problems.collect():
                found["condition"] = parse_expression(condition)
        return found

    def _note(self, member: Field, _place: Place) -> None:
        if member.type is None:
            member.type = AnyType()
            self.broken.add(member)

    def _instance(self, name: str, place: Place) -> None:
        if check_id(name, "instance", place, self.problems, at_key=True):
            self._unique(name, place, at_key=True)
        if not place.is_map:
            raise place.error(f"expected map, got {place.found}")
        if "value" in place:
            self.type.instances.append(self._value_instance(name, place))
            return
        member = Instance(name=name, **self._attribute(place, {"pos", "io"}))
        for key in ("pos", "io"):
            if (value := place.get(key)) is not None:
                with self.problems.collect():
                    setattr(member, key, parse_expression(value))
        self._note(member, place)
        self.type.instances.append(member)

    def _value_instance(self, name: str, place: Place) -> ValueInstance:
        problems = self.problems
        check_keys(place, "value instance", problems)
        doc, refs = documentation(place, problems)
        found = ValueInstance(
            name=name,
            value=parse_expression(place["value"]),
            type=AnyType(),
            location=place.key_location,
            doc=doc,
            doc_ref=refs,
            orig_id=_orig_id(place),
            loom=read_extensions(place, "value instance", problems),
        )
        if (condition := place.get("if")) is not None:
            found.condition = parse_expression(condition)
        if (enum := place.get("enum")) is not None:
            found.enum = self.layouts.scope.enum(enum)
        return found


def _legal_beside(place: Place) -> set[str]:
    """Return the keys that are legal because of others."""
    repeat = place.get("repeat")
    wanted = f"repeat-{repeat.text()}" if repeat else ""
    switch = (type_ := place.get("type")) is not None and type_.is_map
    return {wanted} & {"repeat-expr", "repeat-until"} | (set() if switch else {"enum"})


def _items(place: Place | None, problems: Problems) -> list[Place]:
    with problems.collect():
        return [] if place is None else list(place.items())
    return []


def _orig_id(place: Place) -> str:
    orig = place.get("-orig-id")
    return str(orig.plain_value()) if orig is not None else ""
