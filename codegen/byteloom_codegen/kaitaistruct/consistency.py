"""The statements that refuse a record that would be read back differently.

Those of ``_check`` need no stream.  A check that needs one is made where the value is written,
which is where it would be read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.kaitaistruct.delimiting import Delimited
from byteloom_codegen.kaitaistruct.loops import is_numbered
from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.names import attribute_of
from byteloom_codegen.kaitaistruct.validating import validation
from byteloom_codegen.model import (
    ArrayType,
    BytesType,
    ContentsType,
    Instance,
    IoType,
    OpaqueType,
    StrType,
    SwitchType,
    UserType,
    ValidKind,
    ValueInstance,
)
from byteloom_codegen.nodes import walk
from byteloom_codegen.precedence import BIT_OR, COMPARE
from byteloom_codegen.python.literals import str_literal

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.values import Values
    from byteloom_codegen.model import DataType, Field, Member, Repeat
    from byteloom_codegen.python.statements import Statement

__all__ = ["Consistency", "element_of", "for_elements", "is_stream", "needs_stream", "slot_of"]


def slot_of(field: Field) -> str:
    """Return the attribute that has the value of *field*; for an instance, that is its cache."""
    name = attribute_of(field)
    return f"_m_{name}" if isinstance(field, Instance) else name


@dataclass(frozen=True, slots=True)
class Consistency:
    """The checks of *field*.

    writing  whether they are in ``_write__seq``, and not in ``_check``
    late     whether the value's presence depends on the stream, so that all checks wait for it
    """

    field: Field
    values: Values
    writing: bool = False
    late: bool = False

    def due(self, *parts: object) -> bool:
        """Whether a check that uses the expressions in *parts* belongs here."""
        return self.writing == (self.late or needs_stream(parts))

    def given(self, *parts: object) -> Consistency:
        """Return the checks of a value whose presence depends on the expressions in *parts*."""
        return replace(self, late=self.late or needs_stream(parts))

    def unless(self, fault: str, wanted: str, found: str) -> list[Statement]:
        """Return the statement that raises an error about the field if *fault* is true."""
        name = self.field.name
        return DROP_IN.lines("inconsistent", fault=fault, name=name, wanted=wanted, found=found)

    # A whole field, in _check

    def statements(self) -> list[Statement]:
        """Return all checks of the field that ``_check`` makes."""
        field = self.field
        inner = self.given(field.condition)
        slot = f"self.{slot_of(field)}"
        if field.repeat is None:
            body = inner.value(field.type, slot)
        else:
            body = inner.repeated(field.repeat, slot)
        if body and field.condition is not None:
            test = self.values.translate(field.condition)
            body = DROP_IN.lines("if_there", test=test, body=body)
        if body and isinstance(field, Instance):
            test = f"self.{attribute_of(field)}__enabled"
            body = DROP_IN.lines("if_there", test=test, body=body)
        return body

    def repeated(self, repeat: Repeat, slot: str) -> list[Statement]:
        """Return the checks of a list and of its elements."""
        lines = self.number(repeat, slot)
        body = self.value(self.field.type, element_of(self.field))
        if repeat.kind == "until":
            body += self.last(repeat, slot)
        if body:
            lines += for_elements(self.field, slot, body)
        return lines

    def number(self, repeat: Repeat, slot: str) -> list[Statement]:
        """Return the check of how many elements a list has."""
        if repeat.kind == "until" and not self.writing:
            return self.unless(f"not {slot}", "0", f"len({slot})")
        if repeat.kind != "expr" or repeat.expression is None or not self.due(repeat.expression):
            return []
        wanted = self.values.translate(repeat.expression)
        operand = self.values.translate(repeat.expression, COMPARE + 1)
        return self.unless(f"len({slot}) != {operand}", wanted, f"len({slot})")

    def last(self, repeat: Repeat, slot: str) -> list[Statement]:
        """Return the check that the last element, and no other, ends the list."""
        if repeat.expression is None or not self.due(repeat.expression):
            return []
        ends = self.values.translate(repeat.expression)
        operand = self.values.translate(repeat.expression, COMPARE + 1)
        is_last = f"i == len({slot}) - 1"
        return self.unless(f"{operand} != ({is_last})", is_last, ends)

    # One value

    def value(self, type_: DataType, value: str) -> list[Statement]:
        """Return the checks of a value: the only one, or an element."""
        return [*self._of_type(type_, value), *self.valid(value)]

    def valid(self, value: str) -> list[Statement]:
        """Return the checks of ``valid`` and ``contents``; those of ``_check`` name no stream."""
        valid = self.field.valid
        if not self.due(valid and (*valid.values, valid.minimum, valid.maximum)):
            return []
        values = self.values if self.writing else replace(self.values, stream="None")
        return validation(self.field, values, value)

    def _of_type(self, type_: DataType, value: str) -> list[Statement]:
        match type_:
            case SwitchType():
                # Where the value is written, the switch is around all of it.
                return [] if self.writing else self._switch(type_, value)
            case UserType() | OpaqueType():
                return self.record(type_, value)
            case ContentsType(contents=contents) if self.due():
                size = str(len(contents))
                return self.unless(f"len({value}) != {size}", size, f"len({value})")
            case BytesType() | StrType():
                return self.bytes(type_, value)
        return []

    def _switch(self, type_: SwitchType, value: str) -> list[Statement]:
        translate, inner = self.values.translate, self.given(type_.on)
        cases: list[tuple[str, list[Statement]]] = []
        otherwise: list[Statement] = []
        for case in type_.cases:
            body = inner._of_type(case.type, value)  # noqa: SLF001  (its own)
            if case.on is None:
                otherwise = body
            else:
                cases.append((translate(case.on, BIT_OR), body))
        if not otherwise:
            cases = [(on, body) for on, body in cases if body]
        if not otherwise and not cases:
            return []
        cases = [(on, body or ["pass"]) for on, body in cases]
        on = translate(type_.on)
        return DROP_IN.lines("switch", on=on, cases=cases, otherwise=otherwise)

    def bytes(self, type_: BytesType | StrType, value: str) -> list[Statement]:
        """Return the checks of bytes or text; those of processed bytes are `Writing`'s."""
        how = type_.delimiting
        if how is None or type_.process is not None or (how.size_eos and not how.is_filled_up):
            return []
        if self.writing != (self.late or how.size_eos or needs_stream(how.size)):
            return []
        data = "_data" if isinstance(type_, StrType) else value
        lines = Delimited(
            how, data, self.field.name, self.values.size_of(how), self.values, self.values.stream
        ).checks()
        if lines and isinstance(type_, StrType):
            encoding = str_literal(str(type_.encoding))
            lines = [*DROP_IN.lines("encoded", value=value, encoding=encoding), *lines]
        return lines

    def record(self, type_: UserType | OpaqueType, value: str) -> list[Statement]:
        """Return the checks of a record's parent and root, and of its parameters."""
        lines: list[Statement] = []
        if not isinstance(type_, UserType):
            return lines
        if type_.type.spec is self.values.here.spec:
            if self.due():
                lines += self._is(f"{value}._root", "self._root")
            if self.due(type_.parent or None):
                lines += self._is(f"{value}._parent", self.values.parent(type_))
        for param, arg in zip(type_.type.params, type_.args, strict=True):
            if not is_stream(param.type) and self.due(arg):
                found = f"{value}.{attribute_of(param)}"
                operand = self.values.translate(arg, COMPARE + 1)
                lines += self.unless(f"{found} != {operand}", self.values.translate(arg), found)
        return lines

    def _is(self, found: str, wanted: str) -> list[Statement]:
        return self.unless(f"{found} is not {wanted}", wanted, found)


def element_of(field: Field) -> str:
    """Return the variable for an element in a loop over *field*: as its own expressions call it."""
    is_asked = field.valid is not None and field.valid.kind is ValidKind.EXPR
    until = field.repeat is not None and field.repeat.kind == "until"
    return "_" if is_asked or until else "each"


def for_elements(field: Field, value: str, body: list[Statement]) -> list[Statement]:
    """Return the loop over the list *value*, numbered where *body* asks for the number."""
    macro = "for_numbered" if is_numbered(body) else "for_each"
    return DROP_IN.lines(macro, name=element_of(field), value=value, body=body)


def is_stream(type_: DataType) -> bool:
    """Whether a parameter is a stream, or a list of them."""
    return isinstance(type_, IoType) or (isinstance(type_, ArrayType) and is_stream(type_.element))


def needs_stream(*parts: object) -> bool:
    """Whether any expression in *parts* uses a stream, or an instance read from the record's own.

    A record that was built and not read has no stream before it is written.  Instances of other
    records are taken to be there, as officially.
    """
    seen: set[int] = set()
    return any(_asks(part, seen) for part in parts)


def _asks(part: object, seen: set[int]) -> bool:
    for node in walk(part):
        if isinstance(getattr(node, "type", None), IoType):
            return True
        if isinstance(node, ast.Name) and node.target is not None and _is_late(node.target, seen):
            return True
    return False


def _is_late(member: Member, seen: set[int]) -> bool:
    if isinstance(member, Instance):
        return True
    if not isinstance(member, ValueInstance) or id(member) in seen:
        return False
    seen.add(id(member))
    return _asks([member.value, member.condition], seen)
