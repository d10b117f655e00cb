"""The body of ``write``: the counterpart of each statement of ``read``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    ContentsType,
    EnumType,
    Field,
    FloatType,
    Instance,
    IntType,
    SwitchType,
    UserType,
    Valid,
    ValidKind,
    ValueInstance,
)
from byteloom_codegen.nodes import asks_place, asks_stream, is_optional, names_in
from byteloom_codegen.precedence import COMPARE
from byteloom_codegen.python.checks import rules, some_checks, stream_decides, until_checks
from byteloom_codegen.python.derived_fields import is_magic
from byteloom_codegen.python.literals import bytes_literal, str_literal
from byteloom_codegen.python.names import attribute_name, local_name
from byteloom_codegen.python.read_calls import (
    decides_when_reading,
    letter,
)
from byteloom_codegen.python.read_statements import mentions_index, switched
from byteloom_codegen.python.sizes import padding_size
from byteloom_codegen.python.templates import WRITE
from byteloom_codegen.python.translation import Translator
from byteloom_codegen.python.write_calls import WriteCalls
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.python.derived_fields import Derived
    from byteloom_codegen.python.scope import MethodScope
    from byteloom_codegen.python.statements import Statement

__all__ = ["WriteStatements"]


@dataclass(frozen=True, slots=True)
class WriteStatements:
    """Makes the statements that write fields of one record.

    derived  the fields that others determine: those that determine one need no check against it
    """

    scope: MethodScope
    derived: dict[str, Derived] = field(default_factory=dict)

    @property
    def source(self) -> Translator:
        """The translator into this scope."""
        return Translator(self.scope)

    @property
    def calls(self) -> WriteCalls:
        """What puts single values."""
        return WriteCalls(self.scope, self.derived)

    def field(self, field: Field, value: str = "") -> list[Statement]:
        """Return the statements that write *field*, or *value* instead of it."""
        name, value = str_literal(field.name), value or f"self.{attribute_name(field.name)}"
        body = self._body(field, name, value)
        if field.condition is None:
            always = self._shows_presence(field) or not is_optional(field)
            return body if always else WRITE.lines("if_any", value=value, put=body)
        if asks_stream(field.condition) and not is_magic(field):
            places = self._places(field.condition)
            return WRITE.lines(
                "if_any", value=value, put=body, places=places
            )  # how many bytes are left is not known yet
        test = self.source(field.condition)
        if is_magic(field):
            return WRITE.lines("if_there", test=test, put=body)
        if field.name in self.derived and self.derived[field.name].by:
            there = self.calls.given(str_literal(self.derived[field.name].by), value)
            return WRITE.lines("if_there", test=test, put=self._once(field, name, there))
        held = ""
        if isinstance(field.type, SwitchType) and is_optional(replace(field, condition=None)):
            if not self._shows_presence(replace(field, condition=None)):
                body = WRITE.lines("if_any", value=value, put=body)
        else:
            self.scope.calc("given")
            held = local_name(field.name)
            body = self._body(field, name, held)
        return WRITE.lines(
            "if_there_or_none", name=name, value=value, test=test, held=held, put=body
        )

    def _places(self, condition: Expression) -> list[str]:
        """Return the places in *condition* that are calculated at their first use."""
        targets = [each.target for each in names_in(condition)]
        asked = {
            each.name for each in targets if isinstance(each, ValueInstance) and asks_place(each)
        }
        return [f"self.{attribute_name(name)}" for name in sorted(asked)]

    def _body(self, field: Field, name: str, value: str) -> list[Statement]:
        """Return the statements that write a *value* that is present, or each of several."""
        return (self._repeated if field.repeat else self._once)(field, name, value)

    @staticmethod
    def _shows_presence(field: Field) -> bool:
        """Whether the switch of *field* alone decides whether a value must be present."""
        if not isinstance(field.type, SwitchType) or field.repeat or field.valid is not None:
            return False
        return is_optional(field) and not asks_stream(field.type.on)

    def placed(self, instance: Instance, value: str) -> list[Statement]:
        """Return the statements that write the *value* of a parse instance that is present."""
        return self.field(replace(instance, condition=None), value)

    # One value

    def _once(self, field: Field, name: str, value: str) -> list[Statement]:
        type_ = field.type
        if isinstance(type_, ContentsType) and is_magic(field) and not isinstance(field, Instance):
            return WRITE.lines("magic", contents=bytes_literal(type_.contents))
        padding = padding_size(field)
        if padding is not None:
            by = str_literal(unparse(padding))
            return WRITE.lines("padding", name=name, value=value, size=self.source(padding), by=by)
        if "varint" in field.loom:
            put = WRITE.lines("number", name=name, value=value, method=field.loom["varint"])
        else:
            put = self.calls.value(field.type, name, value, field.name)
        if field.valid is None or self._is_derived_as(field, field.valid):
            return put
        scope, enum = self.scope.of_item(field), None
        if isinstance(field.type, EnumType):
            enum = field.type.enum
        wrong = rules(scope, field.valid, value, enum=enum)
        return WRITE.lines("checked", name=name, value=value, rules=wrong, put=put)

    def _is_derived_as(self, field: Field, valid: Valid) -> bool:
        """Whether *field* is derived by the same expression as the value that it has to be."""
        derive = field.loom.get("derive")
        if derive is None or valid.kind is not ValidKind.EQ:
            return False
        return self.source(derive) == self.source(valid.values[0])

    # Many values

    def _repeated(self, field: Field, name: str, value: str) -> list[Statement]:
        to_end = field.repeat is not None and field.repeat.kind == "eos"
        ends = WRITE.lines("ends", name=name) if to_end else []
        whole = self._whole(field, name, value)
        if whole:
            return [*self._count_check(field, name, value), *whole, *ends]
        if _leaves_out(field):
            return self._some_left_out(field, name, value)
        item = self.scope.item_of(field)
        put = [*self._once(field, name, item), *until_checks(field, name, value, self.scope)]
        numbered = mentions_index(put)
        return [
            *self._count_check(field, name, value),
            *some_checks(field, name, value),
            *WRITE.lines("elements", item=item, value=value, numbered=numbered, put=put),
            *ends,
        ]

    def _some_left_out(self, field: Field, name: str, value: str) -> list[Statement]:
        """Write elements, skipping those for which a switch has no match, as reading does."""
        item, repeat, type_ = self.scope.item_of(field), field.repeat, field.type
        if repeat is None or repeat.expression is None or not isinstance(type_, SwitchType):
            raise TypeError(field)
        put = self._once(replace(field, repeat=None, condition=None), name, item)
        on, until, looks = self.source(type_.on), "", False
        kind = switched(on, type_.on)
        tests = " or ".join(
            f"{kind} == {self.source(case.on, COMPARE + 1)}" for case in type_.cases if case.on
        )
        if repeat.kind == "until":
            numbers = WRITE.value("repeatedly", name=name)
            until = Translator(self.scope.of_item(field, item))(repeat.expression)
            looks = any(each.id == "_" for each in names_in(repeat.expression))
        else:
            numbers = WRITE.value("as_many", count=self.source(repeat.expression))
        return WRITE.lines(
            "elements_with_a_case",
            name=name,
            value=value,
            item=item,
            index="index" if mentions_index([*put, name, value, on, tests, until]) else "_",
            numbers=numbers,
            on=on,
            kind=kind,
            tests=tests,
            put=put,
            until=until,
            looks=looks,
        )

    def _whole(self, field: Field, name: str, value: str) -> list[Statement]:
        """Return the statement that writes all elements in one call, where there is one."""
        type_ = field.type
        if field.valid is not None or (field.repeat and field.repeat.kind == "until"):
            return []
        if "varint" in field.loom:
            kind = str_literal(field.loom["varint"])
            return WRITE.lines("varints", name=name, value=value, kind=kind)
        if isinstance(type_, UserType) and type_.delimiting is None:
            kind = self.scope.class_of(type_)
            return WRITE.lines("records", name=name, value=value, kind=kind)
        if isinstance(type_, IntType | FloatType) and not decides_when_reading(type_):
            return WRITE.lines("array", name=name, value=value, form=str_literal(letter(type_)))
        return []

    def _count_check(self, field: Field, name: str, value: str) -> list[Statement]:
        repeat = field.repeat
        if repeat is None or repeat.kind != "expr" or repeat.expression is None:
            return []
        if self.calls.follows(repeat.expression, field.name):
            return []
        count, by = self.source(repeat.expression), str_literal(unparse(repeat.expression))
        by_stream = stream_decides(repeat.expression, self.source)
        compared = self.source(repeat.expression, COMPARE + 1)
        return WRITE.lines(
            "counted",
            name=name,
            value=value,
            count=count,
            compared=compared,
            by=by,
            by_stream=by_stream,
        )


def _leaves_out(field: Field) -> bool:
    """Whether a switch may skip elements of *field*, so that its value lacks their number."""
    repeat = field.repeat
    if repeat is None or repeat.expression is None or repeat.kind == "eos":
        return False
    optional = is_optional(replace(field, repeat=None, condition=None))
    return optional and not asks_stream(repeat.expression)
