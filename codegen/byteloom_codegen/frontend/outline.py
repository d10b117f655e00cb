"""The outline of a file: its types, enums and `meta`, before anything is looked up.

After this pass every type and enum that the file declares has its `TypeSpec` or `EnumSpec`, with
names checked and defaults inherited, so that the next passes can resolve whatever refers to them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from byteloom_codegen.frontend import meta
from byteloom_codegen.frontend.keys import check_id, check_keys, orig_ids
from byteloom_codegen.frontend.place import Place, integer
from byteloom_codegen.model import Endian, EndianSwitch, EnumMember, EnumSpec, Spec, TypeSpec

if TYPE_CHECKING:
    from byteloom_codegen.errors import Problems
    from byteloom_codegen.model import Location, Member

__all__ = ["Unit", "documentation", "outline", "read_enum"]


@dataclass(slots=True, eq=False)
class Unit:
    """A file that is being turned into the model.

    places   where each type is
    named_at where each member has its name
    keyed_at where each member has its extension keys
    imports  the units it imports, in order
    loaded   all units that were loaded together
    opaque   whether unknown types are classes written elsewhere
    """

    spec: Spec
    place: Place
    problems: Problems
    places: dict[TypeSpec, Place] = field(default_factory=dict)
    named_at: dict[Member, Location] = field(default_factory=dict)
    keyed_at: dict[Member, dict[str, Location]] = field(default_factory=dict)
    imports: list[Unit] = field(default_factory=list)
    loaded: list[Unit] = field(default_factory=list)
    opaque: bool = False

    def named(self, name: str) -> Unit | None:
        """Return the unit that *name* refers to here: this one, one imported, or one loaded.

        One that only another file imports is imported here too, once it is named here.
        """
        known = [self, *self._visible()]
        found = next((each for each in (*known, *self.loaded) if each.spec.name == name), None)
        if found is not None and found not in known:
            self.imports.append(found)
            self.spec.imports.append(found.spec)
        return found

    def _visible(self) -> list[Unit]:
        """Return all units that are imported, nearest first."""
        found: list[Unit] = []
        waiting = list(self.imports)
        while waiting:
            unit = waiting.pop(0)
            if unit is not self and unit not in found:
                found.append(unit)
                waiting += unit.imports
        return found


def outline(place: Place, problems: Problems, *, opaque_types: bool = False) -> Unit:
    """Return the outline of the file whose whole content is *place*.

    opaque_types  whether unknown types are classes written elsewhere, where the file does not say
    """
    spec = Spec(file=place.source.file, name=meta.read_id(place, problems))
    unit = Unit(spec, place, problems)
    meta.read_file_meta(place.get("meta"), spec, problems)
    spec.top = _Outliner(unit).type_(spec.name, place, None)
    unit.opaque = bool(spec.meta.get("ks-opaque-types", opaque_types))
    return unit


def documentation(place: Place, problems: Problems) -> tuple[str, tuple[str, ...]]:
    """Return ``doc`` and ``doc-ref``."""
    doc, refs = place.get("doc"), place.get("doc-ref")
    text = problems.attempt(doc.text) if doc else None
    found = problems.attempt(refs.strings) if refs else None
    return (text or "").strip(), tuple(each.strip() for each in found or ())


@dataclass(frozen=True, slots=True)
class _Outliner:
    unit: Unit

    def type_(self, name: str, place: Place, owner: TypeSpec | None) -> TypeSpec:
        found = TypeSpec(name=name, owner=owner, spec=self.unit.spec, location=place.location)
        self.unit.places[found] = place
        with self.unit.problems:
            check_keys(place, "type", self.unit.problems)
            self._describe(found, place)
            self._types(found, place.get("types"))
            self._enums(found, place.get("enums"))
        return found

    def _describe(self, found: TypeSpec, place: Place) -> None:
        problems = self.unit.problems
        defaults = meta.read_defaults(place.get("meta"), problems)
        owner = found.owner
        found.endian = cast(
            "Endian | EndianSwitch | None", defaults.endian or (owner and owner.endian)
        )
        found.bit_endian = defaults.bit_endian or (owner.bit_endian if owner else "be")
        found.encoding = defaults.encoding or (owner.encoding if owner else None)
        found.debug = owner.debug if owner else bool(self.unit.spec.meta.get("ks-debug", False))
        found.doc, found.doc_ref = documentation(place, problems)
        found.orig_ids = orig_ids(place)

    def _types(self, owner: TypeSpec, place: Place | None) -> None:
        if place is None:
            return
        with self.unit.problems:
            for name, each in place.pairs():
                check_id(name, "type", each.of_key(), self.unit.problems)
                owner.types[name] = self.type_(name, each, owner)

    def _enums(self, owner: TypeSpec, place: Place | None) -> None:
        if place is None:
            return
        with self.unit.problems:
            for name, each in place.pairs():
                check_id(name, "enum", each.of_key(), self.unit.problems)
                found = EnumSpec(name=name, owner=owner, members=(), location=each.key_location)
                owner.enums[name] = found
                with self.unit.problems:
                    found.members = read_enum(each, self.unit.problems)


def read_enum(place: Place, problems: Problems) -> tuple[EnumMember, ...]:
    """Return the members of one enum, in the order of the text."""
    by_value: dict[int, str] = {}
    by_name: dict[str, str] = {}
    found = []
    for key, each in place.pairs():
        with problems:
            member = _member(key, each, problems)
            _check_unique(by_value, member.value, each, f"value {member.value}")
            _check_unique(by_name, member.name, each, f"name '{member.name}'")
            found.append(member)
    return tuple(found)


def _member(key: str, place: Place, problems: Problems) -> EnumMember:
    value = integer(key)
    if value is None:
        raise place.key_error(
            f"expected an integer as the value of an enum member, got '{key}'", "write value: name"
        )
    if not place.is_map:
        name = place.text()
        check_id(name, "enum member", place, problems)
        return EnumMember(value, name)
    check_keys(place, "enum member", problems)
    ident = place.get("id")
    if ident is None:
        raise place.key_error("missing mandatory argument `id`")
    name = ident.text()
    check_id(name, "enum member", ident, problems)
    doc, refs = place.get("doc"), place.get("doc-ref")
    return EnumMember(
        value,
        name,
        doc.text().strip() if doc else "",
        tuple(refs.strings()) if refs else (),
        orig_ids(place),
    )


def _check_unique(seen: dict[Any, str], key: int | str, place: Place, what: str) -> None:
    if key in seen:
        raise place.key_error(f"duplicate enum member {what}, previously defined at {seen[key]}")
    seen[key] = "/" + "/".join(map(str, place.path))
