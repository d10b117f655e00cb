"""The type of an attribute: what its keys say about bytes, strings, numbers, records and switches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from byteloom_codegen import expressions as ast
from byteloom_codegen.errors import Problems
from byteloom_codegen.expressions import Expression
from byteloom_codegen.frontend.encodings import unit_width
from byteloom_codegen.frontend.keys import check_keys
from byteloom_codegen.frontend.meta import read_encoding
from byteloom_codegen.frontend.parser import parse_expression, parse_process, parse_type
from byteloom_codegen.frontend.place import Place
from byteloom_codegen.frontend.scopes import Scope
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

__all__ = ["Layouts", "kind_of_keys"]

MAX_BYTE: Final = 255
_ARGUMENTS: Final = {"zlib": 0, "xor": 1, "rol": 1, "ror": 1}


def kind_of_keys(place: Place) -> str:
    """Return which row of the table of legal keys an attribute is held to."""
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
            found: DataType = self._switch(place, type_)
        elif type_ is None:
            found = self._contents(place) or self._bytes(place)
        else:
            found = self._named(place, type_)
        enum = place.get("enum")
        return found if enum is None else enum_type(found, enum, self.scope)

    def _named(self, place: Place, type_: Place) -> DataType:
        if type_.is_list:
            raise type_.error(f"expected map or string, got {type_.found}")
        name = type_.text()
        spec = self.scope.type
        if name in {"str", "strz"}:
            return self._string(place, zero_ended=name == "strz")
        number = number_type(name, spec.endian, spec.bit_endian)
        if number is None:
            return self._record(place, type_)
        if needs_endian(name) and spec.endian is None:
            raise type_.error(
                f"unable to use type '{name}' without default endianness",
                f"{name}le, {name}be or meta/endian",
            )
        return number

    # Bytes and strings

    def _contents(self, place: Place) -> ContentsType | None:
        contents = place.get("contents")
        if contents is None:
            return None
        if not contents.is_list:
            return ContentsType(_string_bytes(contents))
        return ContentsType(b"".join(map(_contents_part, contents.items())))

    def _bytes(self, place: Place) -> BytesType:
        return BytesType(self._delimited(place), self._process(place))

    def _string(self, place: Place, *, zero_ended: bool) -> StrType:
        own = place.get("encoding")
        encoding = read_encoding(own, self.problems) if own else self.scope.type.encoding
        if encoding is None:
            raise place.error(
                "string type, but no encoding found",
                "give it an encoding, or a default by meta/encoding",
            )
        zero = bytes(unit_width(encoding)) if zero_ended else None
        return StrType(encoding, self._delimited(place, zero), self._process(place))

    def _delimited(self, place: Place, terminator: bytes | None = None) -> Delimiting:
        found = self._delimiting(place, terminator)
        if not _finds_end(found):
            raise place.error("'size', 'size-eos' or 'terminator' must be specified")
        return found

    def _delimiting(self, place: Place, terminator: bytes | None = None) -> Delimiting:
        size, end = place.get("size"), place.get("terminator")
        found = Delimiting(
            size=parse_expression(size) if size else None,
            size_eos=self._flag(place, "size-eos", default=False),
            terminator=bytes([_byte(end)]) if end else terminator,
            include=self._flag(place, "include", default=False),
            consume=self._flag(place, "consume", default=True),
            eos_error=self._flag(place, "eos-error", default=True),
            pad_right=_byte(pad) if (pad := place.get("pad-right")) else None,
        )
        if found.size is not None and found.size_eos:
            raise place.error("only one of 'size' or 'size-eos' must be specified")
        if (
            isinstance(found.size, ast.UnaryOp)
            and found.size.op == "-"
            and isinstance(found.size.operand, ast.Literal_)
        ):
            raise place["size"].error(f"a size is never negative, got {place['size'].found}")
        return found

    def _flag(self, place: Place, key: str, *, default: bool) -> bool:
        value = place.get(key)
        return default if value is None else value.boolean()

    def _process(self, place: Place) -> Process | None:
        process = place.get("process")
        if process is None:
            return None
        name, args = parse_process(process)
        wanted = _ARGUMENTS.get(name, len(args))
        if wanted != len(args):
            raise process.error(
                f"process {name} takes {wanted} argument{'s' * (wanted != 1)}, got {len(args)}"
            )
        return Process(name, tuple(args))

    # Records

    def _record(self, place: Place, type_: Place) -> UserType | OpaqueType:
        name, args = parse_type(type_)
        if name.array:
            raise type_.error(f"'{name}' cannot be read", "use repeat for a list")
        target = record_type(name, self.scope)
        found = self._delimiting(place)
        delimiting = found if _finds_end(found) else None
        process, parent = self._process(place), self._parent(place)
        if process is not None and delimiting is None:
            raise place.error(
                "'size', 'size-eos' or 'terminator' must be specified", "process works on bytes"
            )
        if isinstance(target, TypeSpec):
            return UserType(target, tuple(args), delimiting, process, parent, type_.location)
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
        found = []
        for key, each in cases.pairs():
            with self.problems.collect():
                found.append(self._case(place, key, each))
        sized = "size" in place or "size-eos" in place
        if sized and all(case.on is not None for case in found):
            found.append(Case(None, self._bytes(place)))
        return SwitchType(parse_expression(on), tuple(found), AnyType())

    def _case(self, place: Place, key: str, type_: Place) -> Case:
        on = None
        if type_.is_map or type_.is_list:
            raise type_.error(f"expected string, got {type_.found}")
        name = type_.renamed("Name(identifier(_))")
        if key != "_":
            on = parse_expression(type_.of_key())
            name = type_.renamed(spelled(on))
            on = parse_expression(type_.of_key(spelled(on)))
        return Case(on, self._named(place, name))


def _finds_end(delimiting: Delimiting) -> bool:
    return delimiting.size is not None or delimiting.size_eos or delimiting.terminator is not None


def _byte(place: Place) -> int:
    value = place.integer()
    if not 0 <= value <= MAX_BYTE:
        raise place.error(f"expected an integer from 0 to 255, got {value}")
    return value


def _string_bytes(place: Place) -> bytes:
    text = place.text() if not place.is_map else ""
    if not text or isinstance(place.plain_value(), int | bool):
        raise place.error(
            f"unable to parse fixed content: {place.found}", "write a string or a list of bytes"
        )
    return text.encode("utf-8")


def _contents_part(place: Place) -> bytes:
    value = place.plain_value()
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise place.error(
            f"unable to parse fixed content: {place.found}", "write strings and bytes from 0 to 255"
        )
    return value.encode("utf-8") if isinstance(value, str) else bytes([_byte(place)])
