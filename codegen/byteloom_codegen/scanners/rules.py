"""``valid`` as tests that are true of an invalid value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import EnumType, StrType, ValidKind
from byteloom_codegen.nodes import walk
from byteloom_codegen.precedence import BIT_OR
from byteloom_codegen.python.literals import int_literal
from byteloom_codegen.scanners.numbers import byte
from byteloom_codegen.scanners.refusals import NotScannableError

if TYPE_CHECKING:
    from byteloom_codegen.model import DataType, Field, Location, Valid
    from byteloom_codegen.scanners.calculation import Calculator

__all__ = ["asks_place", "broken", "broken_bytes"]


def asks_place(valid: Valid) -> bool:
    """Whether a rule uses the position of the stream, which is after the value."""
    parts = walk((*valid.values, valid.minimum, valid.maximum))
    return any(isinstance(each, ast.Attribute) and each.name in {"pos", "eof"} for each in parts)


def broken(  # noqa: PLR0913  (what a rule is, what it is on, and how to print it)
    valid: Valid,
    type_: DataType,
    target: str,
    calculator: Calculator,
    location: Location,
    *,
    likely: int | None = None,
) -> list[str]:
    """Return the tests that are true of an invalid number *target*.

    likely  the value of an enum to compare with first
    """
    match valid.kind:
        case ValidKind.EQ:
            return [f"{target} != {calculator(valid.values[0]).within(BIT_OR)}"]
        case ValidKind.RANGE:
            bounds = ((valid.minimum, "<"), (valid.maximum, ">"))
            return [
                f"{target} {sign} {calculator(bound).within(BIT_OR)}"
                for bound, sign in bounds
                if bound is not None
            ]
        case ValidKind.ANY_OF:
            return [
                _none_of(target, [calculator(value).source for value in valid.values], calculator)
            ]
        case ValidKind.IN_ENUM if isinstance(type_, EnumType):
            values = sorted((each.value for each in type_.enum.members), key=lambda x: x != likely)
            return [_none_of(target, [int_literal(each) for each in values], calculator)]
        case ValidKind.EXPR:
            return [calculator.negated(calculator(valid.values[0])).source]
    raise NotScannableError(location, f"the rule `{valid.kind.value}`")


def _none_of(target: str, options: list[str], calculator: Calculator) -> str:
    return calculator.all_of([f"{target} != {each}" for each in options])


def broken_bytes(field: Field, first: str, size: str) -> list[str]:
    """Return the tests that are true of invalid bytes or text, *size* bytes from *first* on."""
    valid = field.valid
    if valid is None:
        return []
    if valid.kind not in {ValidKind.EQ, ValidKind.ANY_OF}:
        raise NotScannableError(field.location, "a rule on bytes or text other than to equal some")
    same = [_equal(_raw(field, value), first, size) for value in valid.values]
    return [f"not {same[0]}" if len(same) == 1 else f"not ({' or '.join(same)})"]


def _equal(wanted: bytes, first: str, size: str) -> str:
    tests = [f"{size} == {len(wanted)}"] if not size.isdigit() else []
    if size.isdigit() and int(size) != len(wanted):
        return "False"
    tests += [f"{byte(index, first)} == {each}" for index, each in enumerate(wanted)]
    return f"({' and '.join(tests or ['True'])})"


def _raw(field: Field, node: ast.Expression) -> bytes:
    """Return the bytes of a literal."""
    if isinstance(node, ast.Literal_) and isinstance(node.value, str):
        encoding = field.type.encoding if isinstance(field.type, StrType) else None
        if encoding in {"UTF-8", "ASCII"}:
            return node.value.encode()
    if isinstance(node, ast.Array):
        values = [each.value for each in node.elements if isinstance(each, ast.Literal_)]
        if len(values) == len(node.elements):
            return bytes(int(value) for value in values)
    raise NotScannableError(field.location, "a rule on bytes or text that is not a literal")
