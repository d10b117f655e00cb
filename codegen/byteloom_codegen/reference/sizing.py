"""Sizes of fields in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen.expressions import Node
from byteloom_codegen.model import BitsType, DataType, Delimiting, EnumType, Field, SwitchType
from byteloom_codegen.python.sizes import fixed_bytes, least_bytes, value_size
from byteloom_codegen.reference.phrases import explained, formula
from byteloom_codegen.reference.stream_names import stream_name
from byteloom_codegen.reference.words import Word, Words, code, in_words, listed

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import TypeSpec

__all__ = ["size_in_short", "size_words"]

_TIMES: Final = " × "  # noqa: RUF001  (a multiplication sign is meant)


def size_words(field: Field, spec: TypeSpec) -> Words:
    """Return the size of *field* of *spec* in words; empty where its type says it."""
    return _Sizes(spec).of(field)


def size_in_short(field: Field) -> Words:
    """Return the bytes that *field* takes, with formulas instead of words."""
    return _Sizes(None).of(field)


class _Sizes:
    """Puts the sizes of one type's fields in words, or in formulas where *spec* is None."""

    def __init__(self, spec: TypeSpec | None) -> None:
        self.spec = spec

    def _expressed(self, node: Expression) -> Words:
        return (code(formula(node)),) if self.spec is None else explained(node, self.spec)

    def of(self, field: Field) -> Words:
        each = self._element(field.type)
        if field.repeat is None or not each:
            return each
        count = field.repeat.expression
        if field.repeat.kind == "expr" and count is not None and _is_factor(formula(count)):
            return in_words(each, _TIMES, code(formula(count)))
        is_number = len(each) == 1 and each[0].text.isdigit()
        if not is_number:
            return each
        unit = " byte each" if each[0].text == "1" else " bytes each"
        return in_words(each, " each" if self.spec else unit)

    def _element(self, type_: DataType) -> Words:
        if isinstance(type_, BitsType) or (
            isinstance(type_, EnumType) and isinstance(type_.base, BitsType)
        ):
            bits = value_size(type_).least
            return in_words(f"{bits} bit{'s' if bits > 1 else ''}")
        size = fixed_bytes(value_size(type_))
        if size is not None:
            return in_words(str(size))
        if isinstance(type_, SwitchType):
            return self._of_cases(type_)
        match getattr(type_, "delimiting", None):
            case Delimiting(size=Node() as expression):
                return self._expressed(expression)
            case Delimiting(size_eos=True):
                end = () if self.spec is None else in_words(" of ", stream_name(self.spec))
                return in_words("to the end", end)
            case Delimiting(terminator=bytes(terminator), consume=consume):
                how = "up to and including the next " if consume else "up to the next "
                return in_words("up to " if self.spec is None else how, code(terminator.hex(" ")))
        return ()

    def _of_cases(self, type_: SwitchType) -> Words:
        """Return the sizes that the types of a switch have, or the one that all of them have."""
        each = [self._element(case.type) for case in type_.cases]
        without = not any(case.on is None for case in type_.cases)  # no case may be met
        if each[0] and not without and all(words == each[0] for words in each):
            return each[0]
        sizes = [value_size(case.type) for case in type_.cases]
        known = {least_bytes(size) for size in sizes}
        if any(fixed_bytes(size) is None for size in sizes):
            least = f"{min(known)} or more"
            return (Word(f"{least}, or 0" if without and min(known) else least),)
        return (Word(listed([*map(str, sorted(known | ({0} if without else set())))], "or")),)


def _is_factor(text: str) -> bool:
    """Whether *text* needs no parentheses beside a multiplication sign."""
    return " " not in text
