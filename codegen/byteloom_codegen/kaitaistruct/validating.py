"""The statements that check a value against its ``valid`` key and its ``contents``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.scope import Scope
from byteloom_codegen.model import ContentsType, Field, ValidKind
from byteloom_codegen.precedence import COMPARE
from byteloom_codegen.python.literals import bytes_literal

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.values import Values
    from byteloom_codegen.model import Valid, ValueInstance
    from byteloom_codegen.python.statements import Statement

__all__ = ["validation"]


def validation(field: Field | ValueInstance, values: Values, value: str) -> list[Statement]:
    """Return the checks of *field*, whose value (or newest element) *value* names."""
    check = _Check(field, values, value)
    lines: list[Statement] = []
    if isinstance(field.type, ContentsType):
        lines += check.equal(bytes_literal(field.type.contents))
    return lines if field.valid is None else [*lines, *check.valid(field.valid)]


class _Check:
    def __init__(self, field: Field | ValueInstance, values: Values, value: str) -> None:
        self._type = field.type
        self._values = values
        self._translate = values.translate
        self._value = value
        self._path = "".join(f"/{part}" for part in field.location.path)
        # A calculated value was read from nowhere.
        self._io = values.stream if isinstance(field, Field) else "None"

    def valid(self, valid: Valid) -> list[Statement]:
        match valid.kind:
            case ValidKind.EQ:
                return self.equal(self._translate(valid.values[0], COMPARE + 1))
            case ValidKind.RANGE:
                return self._range(valid)
            case ValidKind.ANY_OF:
                wanted = ", ".join(map(self._translate, valid.values))
                wanted += "," if len(valid.values) == 1 else ""
                return self._unless(f"{self._value} not in ({wanted})", "NotAnyOf")
            case ValidKind.IN_ENUM:
                enum = Scope(self._values.module).class_of(self._type)
                return self._unless(f"not isinstance({self._value}, {enum})", "NotInEnum")
            case ValidKind.EXPR:
                condition = self._translate(valid.values[0], COMPARE - 1)
                check = self._unless(f"not {condition}", "Expr")
                if self._value == "_":
                    return check
                return DROP_IN.lines("checked_as_it", value=self._value, check=check)

    def equal(self, wanted: str) -> list[Statement]:
        return self._unless(f"{self._value} != {wanted}", "NotEqual", wanted)

    def _range(self, valid: Valid) -> list[Statement]:
        lines: list[Statement] = []
        # "not >=" and not "<", so that a NaN, which is neither, does not pass.
        if valid.minimum is not None:
            least = self._translate(valid.minimum, COMPARE + 1)
            lines += self._unless(f"not {self._value} >= {least}", "LessThan", least)
        if valid.maximum is not None:
            most = self._translate(valid.maximum, COMPARE + 1)
            lines += self._unless(f"not {self._value} <= {most}", "GreaterThan", most)
        return lines

    def _unless(self, fault: str, error: str, *wanted: str) -> list[Statement]:
        return DROP_IN.lines(
            "unless",
            fault=fault,
            error=error,
            more=list(wanted),
            value=self._value,
            stream=self._io,
            path=self._path,
        )
