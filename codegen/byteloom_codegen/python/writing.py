"""The body of ``write``: what faces each statement of ``read``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    DataType,
    Delimiting,
    EnumType,
    Field,
    FloatType,
    IntType,
    OpaqueType,
    Process,
    StrType,
    SwitchType,
    UserType,
    ValueInstance,
)
from byteloom_codegen.python.checks import validation
from byteloom_codegen.python.derive import is_magic
from byteloom_codegen.python.names import attribute_name
from byteloom_codegen.python.reading import switched
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.taking import decides_when_reading, decoder, letter, wire_name
from byteloom_codegen.python.translate import Translator, bytes_literal, is_optional, str_literal
from byteloom_codegen.python.uses import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom_codegen.python.derive import Derived
    from byteloom_codegen.python.scope import MethodScope

__all__ = ["Writing"]

_STEPS: Final = 8
"""Value instances through which a size is followed to what it is calculated from."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Makes the statements that write fields of one record.

    derived  the fields that others determine: what determines one has nothing left to agree with
    """

    scope: MethodScope
    derived: dict[str, Derived] = field(default_factory=dict)

    @property
    def source(self) -> Translator:
        """The translator into this scope."""
        return Translator(self.scope)

    def field(self, field: Field) -> list[Statement]:
        """Return the statements that write *field*."""
        name, value = str_literal(field.name), f"self.{attribute_name(field.name)}"
        if is_magic(field) and field.condition is not None:
            return [Block(f"if {self.source(field.condition)}:", self._once(field, name, value))]
        body = (
            self._repeated(field, name, value) if field.repeat else self._once(field, name, value)
        )
        return [Block(f"if {value} is not None:", body)] if is_optional(field) else body

    # One value

    def _once(self, field: Field, name: str, value: str) -> list[Statement]:
        put = self.put(field.type, name, value, field.name)
        if field.valid is None:
            return put
        return [*validation(self.scope, field.valid, name, value, reading=False), *put]

    def put(self, type_: DataType, name: str, value: str, of: str = "") -> list[Statement]:
        """Return the statements that write one *value* of *type_*, which the field *of* holds."""
        match type_:
            case IntType() | FloatType():
                return self._number(type_, name, value)
            case BitsType(width=width, endian=endian):
                return [f"w.bits_{endian}({name}, {value}, {width})"]
            case EnumType(base=base):
                return self.put(base, name, value, of)
            case ContentsType(contents=contents):
                return [f"w.magic({name}, {bytes_literal(contents)})"]
            case BytesType(delimiting=Delimiting() as delimiting, process=process):
                return [self._bytes(delimiting, name, self._processed(process, name, value), of)]
            case StrType(delimiting=Delimiting() as delimiting, encoding=encoding, process=process):
                raw = f"w.encoded({name}, {value}, {str_literal(encoding or 'ascii')})"
                return [self._bytes(delimiting, name, self._processed(process, name, raw), of)]
            case UserType() | OpaqueType():
                return [self._record(type_, name, value, of)]
            case SwitchType():
                return self._switch(type_, name, value, of)
        raise TypeError(type_)

    def _number(self, type_: IntType | FloatType, name: str, value: str) -> list[Statement]:
        if not decides_when_reading(type_):
            return [f"w.{wire_name(type_)}({name}, {value})"]
        little, big = wire_name(type_, "le"), wire_name(type_, "be")
        return [
            Block("if self._is_le:", [f"w.{little}({name}, {value})"]),
            Block("else:", [f"w.{big}({name}, {value})"]),
        ]

    def _bytes(self, delimiting: Delimiting, name: str, value: str, of: str) -> str:
        options = ""
        if delimiting.size is not None and not self._follows(delimiting.size, of):
            options += f", size={self.source(delimiting.size)}"
        if delimiting.terminator is None and delimiting.pad_right is None:
            return f"w.bytes({name}, {value}{options})"
        if delimiting.terminator is not None:
            options += f", terminator={bytes_literal(delimiting.terminator)}"
        if delimiting.include:
            options += ", included=True"
        if delimiting.pad_right is not None:
            options += f", pad={delimiting.pad_right}"
        return f"w.delimited({name}, {value}{options})"

    def _processed(self, process: Process | None, name: str, value: str) -> str:
        if process is None:
            return value
        args = ", ".join(map(self.source, process.args))
        match process.name:
            case "zlib":
                return f"w.deflated({name}, {value})"
            case "xor":
                return f"{self.scope.calc('xored')}({value}, {args})"
            case "rol":
                return f"{self.scope.calc('rotated')}({value}, -({args}))"
            case "ror":
                return f"{self.scope.calc('rotated')}({value}, {args})"
        return f"w.processed({name}, {value}, {decoder(process, self.scope)}.encode)"

    def _record(self, type_: UserType | OpaqueType, name: str, value: str, of: str) -> str:
        delimiting = type_.delimiting
        if delimiting is None:
            return f"w.record({name}, {value})"
        raw = self._processed(type_.process, name, f"w.window({name}, {value})")
        return self._bytes(delimiting, name, raw, of)

    def _follows(self, size: ast.Expression, of: str) -> bool:
        """Whether *size* follows from the field *of* that it measures, or from the stream alone."""
        targets = {name.target.name for name in _names(size) if name.target is not None}
        determined = any(name in self.derived and self.derived[name].by == of for name in targets)
        return determined or any(name.id == "_io" for name in _names(size))

    def _switch(self, type_: SwitchType, name: str, value: str, of: str) -> list[Statement]:
        before, on = switched(self.source(type_.on))
        blocks: list[Statement] = []
        for case in sorted(type_.cases, key=lambda case: case.on is None):
            body = self.put(case.type, name, self._narrowed(case.type, value), of)
            if case.on is None:
                blocks += [Block("else:", body)] if blocks else body
            else:
                word = "elif" if blocks else "if"
                blocks.append(Block(f"{word} {on} == {self.source(case.on)}:", body))
        return [*before, *blocks]

    def _narrowed(self, type_: DataType, value: str) -> str:
        python = self.source.runtime_type(type_)
        return f"{self.scope.calc('narrowed')}({value}, {python})" if python else value

    # Many values

    def _repeated(self, field: Field, name: str, value: str) -> list[Statement]:
        type_, checks = field.type, self._count_check(field, name, value)
        if field.valid is None and isinstance(type_, UserType) and type_.delimiting is None:
            return [*checks, f"w.records({name}, {value})"]
        plain = isinstance(type_, IntType | FloatType) and not decides_when_reading(type_)
        if field.valid is None and plain and isinstance(type_, IntType | FloatType):
            return [*checks, f"w.array({name}, {value}, {str_literal(letter(type_))})"]
        body = self._once(field, name, "it")
        uses_index = any("index" in each for each in body if isinstance(each, str))
        head = f"for index, it in enumerate({value}):" if uses_index else f"for it in {value}:"
        return [*checks, Block(head, body)]

    def _count_check(self, field: Field, name: str, value: str) -> list[Statement]:
        repeat = field.repeat
        if repeat is None or repeat.kind != "expr" or repeat.expression is None:
            return []
        if self._follows(repeat.expression, field.name):
            return []
        return [f"w.check_count({name}, {value}, {self.source(repeat.expression)})"]


def _names(node: ast.Expression, depth: int = 0) -> Iterator[ast.Name]:
    """Yield the names that *node* is calculated from, those of value instances resolved too."""
    for each in walk(node):
        if isinstance(each, ast.Name):
            yield each
            if isinstance(each.target, ValueInstance) and depth < _STEPS:
                yield from _names(each.target.value, depth + 1)
