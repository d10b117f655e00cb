"""The type of an attribute: what its keys say about bytes, text, numbers, records, switches.

Keys about bytes say where they end, what they must be, and how they are decoded when they are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from byteloom_codegen.frontend.keys import IDENTIFIER, check_keys
from byteloom_codegen.frontend.meta import read_encoding, unit_width
from byteloom_codegen.frontend.parser import parse_expression, parse_process, parse_type
from byteloom_codegen.frontend.spelling import spelled
from byteloom_codegen.frontend.type_names import enum_type, needs_endian, number_type, record_type
from byteloom_codegen.model import (
    AnyType,
    BytesType,
    Case,
    ContentsType,
    DataType,
    Delimiting,
    OpaqueType,
    Process,
    StrType,
    SwitchType,
    TypeSpec,
    UserType,
)

if TYPE_CHECKING:
    from byteloom_codegen.errors import Problems
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.frontend.place import Place
    from byteloom_codegen.frontend.type_names import Scope

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
            found = _read_contents(place) or self._bytes(place)
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
        _read_delimiting(place)  # checks the keys, which are legal here but have no effect
        if needs_endian(name) and spec.endian is None:
            message = f"unable to use type '{name}' without default endianness"
            raise type_.error(message, f"{name}le, {name}be or meta/endian")
        return number

    def _bytes(self, place: Place) -> BytesType:
        return BytesType(_read_delimited(place, place), _read_process(place))

    def _string(self, place: Place, at: Place, *, zero_ended: bool) -> StrType:
        own = place.get("encoding")
        encoding = read_encoding(own, self.problems) if own else self.scope.type.encoding
        if encoding is None:
            hint = "give it an encoding, or a default by meta/encoding"
            raise at.error("string type, but no encoding found", hint)
        zero = bytes(unit_width(encoding)) if zero_ended else None
        return StrType(encoding, _read_delimited(place, at, zero))

    def _record(self, place: Place, type_: Place, at: Place) -> UserType | OpaqueType:
        name, args = parse_type(type_)
        if name.array:
            raise type_.error(f"'{name}' cannot be read", "use repeat for a list")
        target = self.problems.attempt(record_type, name, self.scope) or name.names
        found = _read_delimiting(place)
        delimiting = found if _finds_end(found) else None
        process, parent = _read_process(place), self._parent(place)
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


MAX_BYTE: Final = 255
LEAST_BYTE: Final = -128
_ARGUMENTS: Final = {"zlib": 0, "xor": 1, "rol": 1, "ror": 1}


def _read_delimiting(place: Place, terminator: bytes | None = None) -> Delimiting:
    """Return how the end of the attribute *place* is found, if any key says so.

    terminator  ends the attribute if it lacks the key ``terminator``
    """
    size, end, pad = place.get("size"), place.get("terminator"), place.get("pad-right")
    found = Delimiting(
        size=parse_expression(size) if size else None,
        size_eos=_flag(place, "size-eos", default=False),
        terminator=bytes([_byte(end)]) if end else terminator,
        include=_flag(place, "include", default=False),
        consume=_flag(place, "consume", default=True),
        eos_error=_flag(place, "eos-error", default=True),
        pad_right=_byte(pad) if pad else None,
    )
    if found.size is not None and found.size_eos:
        raise place.error("only one of 'size' or 'size-eos' must be specified")
    return found


def _read_delimited(place: Place, at: Place, terminator: bytes | None = None) -> Delimiting:
    """Return how the end is found; an error at *at* if no key says so."""
    found = _read_delimiting(place, terminator)
    if not _finds_end(found):
        raise at.error("'size', 'size-eos' or 'terminator' must be specified")
    return found


def _finds_end(delimiting: Delimiting) -> bool:
    """Whether any of the keys says where the end is."""
    return delimiting.size is not None or delimiting.size_eos or delimiting.terminator is not None


def _read_process(place: Place) -> Process | None:
    """Return how the bytes are decoded after they are read; None if they are not."""
    process = place.get("process")
    if process is None:
        return None
    name, args = parse_process(process)
    if not all(IDENTIFIER.fullmatch(part) for part in name.split(".")):
        raise process.error(f"incorrect process expression `{name}`", "names are in lower case")
    wanted = _ARGUMENTS.get(name, len(args))
    if wanted != len(args):
        raise process.error(f"process {name}: {wanted} arguments expected, {len(args)} given")
    return Process(name, tuple(args))


def _read_contents(place: Place) -> ContentsType | None:
    """Return the bytes that have to be at *place*; None where any may be."""
    contents = place.get("contents")
    if contents is None:
        return None
    parts = list(contents.items()) if contents.is_list else [contents]
    found = b"".join(_fixed(each, alone=not contents.is_list) for each in parts)
    if not found:
        raise contents.error("unable to parse fixed content: it is empty")
    return ContentsType(found)


def _fixed(place: Place, *, alone: bool) -> bytes:
    value = place.plain_value()
    if isinstance(value, str):
        return value.encode("utf-8")
    if alone or isinstance(value, bool) or not isinstance(value, int):
        hint = "write a string, or a list of strings and bytes"
        raise place.error(f"unable to parse fixed content: {place.found}", hint)
    return bytes([_byte(place, least=LEAST_BYTE) & MAX_BYTE])


def _flag(place: Place, key: str, *, default: bool) -> bool:
    value = place.get(key)
    return default if value is None else value.boolean()


def _byte(place: Place, least: int = 0) -> int:
    value = place.integer()
    if not least <= value <= MAX_BYTE:
        raise place.error(f"expected an integer from {least} to {MAX_BYTE}, got {value}")
    return value
