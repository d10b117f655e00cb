"""The type of an attribute: what its keys say about bytes, text, numbers, records, switches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from byteloom_codegen.frontend.delimiting import (
    finds_end,
    read_contents,
    read_delimited,
    read_delimiting,
    read_process,
)
from byteloom_codegen.frontend.encodings import unit_width
from byteloom_codegen.frontend.keys import check_keys
from byteloom_codegen.frontend.meta import read_encoding
from byteloom_codegen.frontend.parser import parse_expression, parse_type
from byteloom_codegen.frontend.spelling import spelled
from byteloom_codegen.frontend.type_names import (
    enum_type,
    needs_endian,
    number_type,
    record_type,
)
from byteloom_codegen.model import (
    AnyType,
    BytesType,
    Case,
    DataType,
    OpaqueType,
    StrType,
    SwitchType,
    TypeSpec,
    UserType,
)

if TYPE_CHECKING:
    from byteloom_codegen.errors import Problems
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.frontend.scopes import Scope

__all__ = ["Layouts", "kind_of_keys"]


def kind_of_keys(place: Place) -> str:
    """Return the row of the table of legal keys that applies to an attribute."""
    type_ = place.get("type")
    if type_ is None:
        return "attribute of bytes"
    if type_.is_map or type_.is_list:
        return "attribute of a switch"
    name = type_.text()
    if name in {"str", "strz"}:
        return "attribute of a string"
    return "attribute of a number" if number_type(name, "le", "be") else "attribute of a record"


@dataclass(frozen=True, slots=True)
class Layouts:
    """Reads the types of the attributes of one type."""

    scope: Scope
    problems: Problems

    def read(self, place: Place) -> DataType:
        """Return the type of the attribute *place*, of one element where it is repeated."""
        type_ = place.get("type")
        if type_ is not None and type_.is_map:
            return self._switch(place, type_)
        found: DataType
        if type_ is None:
            found = read_contents(place) or self._bytes(place)
        else:
            found = self._named(place, type_, place)
        return self.with_enum(found, place.get("enum"))

    def with_enum(self, found: DataType, enum: Place | None) -> DataType:
        """Return the type *found*, whose numbers have the names of the enum at *enum*, if any."""
        if enum is None:
            return found
        if isinstance(found, AnyType | OpaqueType) and not self.scope.unit.opaque:
            self.problems.attempt(self.scope.enum, enum)  # the type is unknown, which is reported
            return found
        return self.problems.attempt(enum_type, found, enum, self.scope) or found

    def _named(self, place: Place, type_: Place, at: Place) -> DataType:
        """Read the type that *type_* names; *at* is the place of an error about missing keys."""
        if type_.is_list:
            raise type_.error(f"expected map or string, got {type_.found}")
        name = type_.text()
        if name in {"str", "strz"}:
            return self._string(place, at, zero_ended=name == "strz")
        spec = self.scope.type
        number = number_type(name, spec.endian, spec.bit_endian)
        if number is None:
            return self._record(place, type_, at)
        read_delimiting(place)  # checks the keys, which are legal here but have no effect
        if needs_endian(name) and spec.endian is None:
            message = f"unable to use type '{name}' without default endianness"
            raise type_.error(message, f"{name}le, {name}be or meta/endian")
        return number

    def _bytes(self, place: Place) -> BytesType:
        return BytesType(read_delimited(place, place), read_process(place))

    def _string(self, place: Place, at: Place, *, zero_ended: bool) -> StrType:
        own = place.get("encoding")
        encoding = read_encoding(own, self.problems) if own else self.scope.type.encoding
        if encoding is None:
            hint = "give it an encoding, or a default by meta/encoding"
            raise at.error("string type, but no encoding found", hint)
        zero = bytes(unit_width(encoding)) if zero_ended else None
        return StrType(encoding, read_delimited(place, at, zero))

    def _record(self, place: Place, type_: Place, at: Place) -> UserType | OpaqueType:
        name, args = parse_type(type_)
        if name.array:
            raise type_.error(f"'{name}' cannot be read", "use repeat for a list")
        target = self.problems.attempt(record_type, name, self.scope) or name.names
        found = read_delimiting(place)
        delimiting = found if finds_end(found) else None
        process, parent = read_process(place), self._parent(place)
        if process is not None and delimiting is None:
            raise at.error(f"type '{name}': 'process' needs 'size', 'size-eos' or 'terminator'")
        if isinstance(target, TypeSpec):
            where = type_.location
            return UserType(target, tuple(args), delimiting, process, parent, where)
        return OpaqueType(target, tuple(args), delimiting, process, parent)

    def _parent(self, place: Place) -> Expression | Literal[False] | None:
        parent = place.get("parent")
        if parent is None:
            return None
        return False if parent.scalar("expression").text == "false" else parse_expression(parent)

    # Switches

    def _switch(self, place: Place, type_: Place) -> SwitchType:
        check_keys(type_, "switch", self.problems)
        on, cases = type_.get("switch-on"), type_.get("cases")
        if on is None:
            raise type_.error("missing mandatory argument `switch-on`")
        if cases is None:
            raise type_.error("missing mandatory argument `cases`")
        found: list[Case] = []
        for key, each in cases.pairs():
            with self.problems:
                found.append(self._case(place, key, each))
        if not cases.node.weight > 1:
            raise cases.error("expected at least one case")
        sized = "size" in place or "size-eos" in place
        if sized and all(case.on is not None for case in found):
            found.append(Case(None, self._bytes(place)))
        return SwitchType(parse_expression(on), tuple(found), AnyType())

    def _case(self, place: Place, key: str, type_: Place) -> Case:
        if type_.is_map or type_.is_list:
            raise type_.error(f"expected string, got {type_.found}")
        if key == "_":
            name = type_.renamed("Name(identifier(_))")
            return Case(None, self._named(place, name, name))
        on = parse_expression(type_.of_key())
        path = spelled(on)
        on, name = parse_expression(type_.of_key(path)), type_.renamed(path)
        return Case(on, self._named(place, name, name))
