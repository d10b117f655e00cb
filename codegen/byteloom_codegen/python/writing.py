"""The body of ``write``: what faces each statement of ``read``."""

from __future__ import annotations

from dataclasses import dataclass

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
    StrType,
    SwitchType,
    UserType,
)
from byteloom_codegen.python.checks import validation
from byteloom_codegen.python.names import attribute_name
from byteloom_codegen.python.reading import letter, wire_name
from byteloom_codegen.python.scope import MethodScope
from byteloom_codegen.python.statements import Block, Statement
from byteloom_codegen.python.translate import Translator, bytes_literal, is_optional, str_literal
from byteloom_codegen.python.uses import walk

__all__ = ["Writing"]


@dataclass(frozen=True, slots=True)
class Writing:
    """Makes the statements that write fields of one record.

    derived  names of the fields that others determine: nothing is left to check against them
    """

    scope: MethodScope
    derived: frozenset[str]

    @property
    def source(self) -> Translator:
        """The translator into this scope."""
        return Translator(self.scope)

    def field(self, field: Field) -> list[Statement]:
        """Return the statements that write *field*."""
        name, value = str_literal(field.name), f"self.{attribute_name(field.name)}"
        if isinstance(field.type, ContentsType) and field.repeat is None:
            body: list[Statement] = [f"w.magic({name}, {bytes_literal(field.type.contents)})"]
            return [Block(f"if {self.source(field.condition)}:", body)] if field.condition else body
        body = self._repeated(field, name, value) if field.repeat else self._once(field, name, value)
        return [Block(f"if {value} is not None:", body)] if is_optional(field) else body

    def _once(self, field: Field, name: str, value: str) -> list[Statement]:
        checks = validation(self.scope, field.valid, name, value, reading=False) if field.valid else []
        return [*checks, *self.put(field.type, name, value)]

    def put(self, type_: DataType, name: str, value: str) -> list[Statement]:
        """Return the statements that write one *value* of *type_*."""
        match type_:
            case IntType() | FloatType():
                return [f"w.{wire_name(type_)}({name}, {value})"]
            case BitsType(width=width, endian=endian):
                return [f"w.bits_{endian}({name}, {value}, {width})"]
            case EnumType(base=base):
                return self.put(base, name, value)
            case BytesType(delimiting=Delimiting() as delimiting):
                return [self._bytes(delimiting, name, value)]
            case StrType(delimiting=Delimiting() as delimiting, encoding=encoding):
                raw = f"{self.scope.calc('encoded')}({value}, {str_literal(encoding or 'ascii')})"
                return [self._bytes(delimiting, name, raw)]
            case UserType(delimiting=delimiting) | OpaqueType(delimiting=delimiting):
                return [self._record(delimiting, name, value)]
            case SwitchType():
                return self._switch(type_, name, value)
        raise NotImplementedError(f"{type(type_).__name__} in {self.scope.here.path}")

    def _bytes(self, delimiting: Delimiting, name: str, value: str) -> str:
        options = ""
        if delimiting.size is not None and not self._follows(delimiting.size):
            options += f", size={self.source(delimiting.size)}"
        if delimiting.terminator is not None:
            options += f", terminator={bytes_literal(delimiting.terminator)}"
        if delimiting.include:
            options += ", included=True"
        if delimiting.pad_right is not None:
            options += f", pad={delimiting.pad_right}"
        function = "w.bytes" if not delimiting.terminator and delimiting.pad_right is None else "w.delimited"
        return f"{function}({name}, {value}{options})"

    def _record(self, delimiting: Delimiting | None, name: str, value: str) -> str:
        if delimiting is None or delimiting.size_eos or (delimiting.size and self._follows(delimiting.size)):
            return f"w.record({name}, {value})"
        return self._bytes(delimiting, name, f"{value}.to_bytes()")

    def _follows(self, size: object) -> bool:
        """Whether *size* is determined by what it measures, or by the stream alone."""
        names = [node for node in walk(size) if isinstance(node, ast.Name)]
        return any(
            node.id == "_io" or (node.target is not None and node.target.name in self.derived) for node in names
        )

    def _switch(self, type_: SwitchType, name: str, value: str) -> list[Statement]:
        on = self.source(type_.on)
        statements: list[Statement] = []
        if not on.replace(".", "").isidentifier():
            statements.append(f"kind = {on}")
            on = "kind"
        word = "if"
        for case in type_.cases:
            test = f"{word} {on} == {self.source(case.on)}:" if case.on is not None else "else:"
            statements.append(Block(test, self.put(case.type, name, self._narrowed(case.type, value))))
            word = "elif"
        return statements

    def _narrowed(self, type_: DataType, value: str) -> str:
        python = Translator(self.scope)._runtime_type(type_)  # noqa: SLF001  (the same package's own rule)
        return f"{self.scope.calc('narrowed')}({value}, {python})" if python else value

    def _repeated(self, field: Field, name: str, value: str) -> list[Statement]:
        repeat = field.repeat
        checks: list[Statement] = []
        if repeat and repeat.kind == "expr" and repeat.expression and not self._follows(repeat.expression):
            checks = [f"w.check_count({name}, {value}, {self.source(repeat.expression)})"]
        if isinstance(field.type, UserType) and field.type.delimiting is None:
            return [*checks, f"w.records({name}, {value})"]
        if isinstance(field.type, IntType | FloatType) and (field.type.endian or field.type.width == 1):
            return [*checks, f"w.array({name}, {value}, {str_literal(letter(field.type))})"]
        body = self._once(field, name, "it")
        head = f"for it in {value}:"
        if any("index" in each for each in body if isinstance(each, str)):
            head = f"for index, it in enumerate({value}):"
        return [*checks, Block(head, body)]
