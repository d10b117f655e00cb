"""The statements that put one value: ``w.u4le("num_blobs", self.num_blobs)``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    DataType,
    Delimiting,
    EnumType,
    FloatType,
    IntType,
    OpaqueType,
    Process,
    StrType,
    SwitchType,
    UserType,
)
from byteloom_codegen.nodes import asks_stream, names_in, walk
from byteloom_codegen.precedence import COMPARE
from byteloom_codegen.python.bit_runs import begins_in_bits
from byteloom_codegen.python.casts import runtime_type
from byteloom_codegen.python.checks import stream_decides
from byteloom_codegen.python.derived_fields import number_of_child
from byteloom_codegen.python.literals import bytes_literal, str_literal
from byteloom_codegen.python.read_calls import (
    cut_options,
    decides_when_reading,
    decoder,
    until_arguments,
    wire_name,
)
from byteloom_codegen.python.read_statements import switched
from byteloom_codegen.python.record_streams import is_put_here
from byteloom_codegen.python.statements import Statement
from byteloom_codegen.python.templates import WRITE
from byteloom_codegen.python.translation import Translator
from byteloom_codegen.unparse import unparse

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.python.derived_fields import Derived
    from byteloom_codegen.python.scope import MethodScope

__all__ = ["WriteCalls"]


@dataclass(frozen=True, slots=True)
class WriteCalls:
    """Makes the statements that put values in one method; faces `ReadCalls`.

    derived  the fields that others determine: those that determine one need no check against it
    """

    scope: MethodScope
    derived: dict[str, Derived] = field(default_factory=dict)

    @property
    def source(self) -> Translator:
        """The translator into this scope."""
        return Translator(self.scope)

    def value(self, type_: DataType, name: str, value: str, of: str = "") -> list[Statement]:
        """Return the statements that write one *value* of *type_*, that of the field *of*."""
        match type_:
            case IntType() | FloatType():
                return self._number(type_, name, value)
            case BitsType(width=width, endian=endian):
                return WRITE.lines("bits", name=name, value=value, order=endian, width=width)
            case EnumType(base=base):
                return self.value(base, name, value, of)
            case ContentsType(contents=contents):
                wanted = bytes_literal(contents)
                return WRITE.lines("magic_kept", name=name, value=value, contents=wanted)
            case BytesType(delimiting=Delimiting() as delimiting, process=process):
                raw = self._processed(process, name, value, delimiting)
                return self._bytes(delimiting, name, raw, of)
            case StrType(delimiting=Delimiting() as delimiting, encoding=encoding, process=process):
                encoding = str_literal(encoding or "ascii")
                text = WRITE.value("encoded", name=name, value=value, encoding=encoding)
                raw = self._processed(process, name, text, delimiting)
                return self._bytes(delimiting, name, raw, of)
            case UserType() | OpaqueType():
                return self._record(type_, name, value, of)
            case SwitchType():
                return self._switch(type_, name, value, of)
        raise TypeError(type_)

    def _number(self, type_: IntType | FloatType, name: str, value: str) -> list[Statement]:
        if not decides_when_reading(type_):
            return WRITE.lines("number", name=name, value=value, method=wire_name(type_))
        little, big = wire_name(type_, "le"), wire_name(type_, "be")
        return WRITE.lines("number_of_either_order", name=name, value=value, little=little, big=big)

    def _bytes(self, delimiting: Delimiting, name: str, value: str, of: str) -> list[Statement]:
        if delimiting.size is None and not delimiting.size_eos:
            ends = until_arguments(delimiting)
            return WRITE.lines("bytes_until", name=name, value=value, ends=ends)
        size, by = self._size(delimiting, of)
        if delimiting.is_filled_up:
            ends = cut_options(delimiting)
            put = WRITE.lines("bytes_cut", name=name, value=value, size=size, by=by, ends=ends)
            return [*put, *self._ends(delimiting, name)]
        if delimiting.size is None:
            return WRITE.lines("rest", name=name, value=value)
        return WRITE.lines("bytes", name=name, value=value, size=size, by=by)

    @staticmethod
    def _ends(delimiting: Delimiting, name: str) -> list[Statement]:
        return WRITE.lines("ends", name=name) if delimiting.size_eos else []

    def _size(self, delimiting: Delimiting, of: str) -> tuple[str, str]:
        """Return the source of the size that a value must have, and the field of it, quoted."""
        if delimiting.size is None or self.follows(delimiting.size, of):
            return "None", ""
        size = self.source(delimiting.size)
        by_stream = stream_decides(delimiting.size, self.source)
        if by_stream is None:
            return "None", ""
        if by_stream:
            size = f"None if {by_stream} else {size}"
        return size, "" if size.isdecimal() else str_literal(unparse(delimiting.size))

    def _processed(
        self, process: Process | None, name: str, value: str, delimiting: Delimiting
    ) -> str:
        if process is None:
            return value
        scope = self.scope
        if any(map(asks_stream, process.args)) and delimiting.size is not None:
            scope = replace(scope, stream=f"w.after({self.source(delimiting.size)})")
        args = ", ".join(map(Translator(scope), process.args))
        match process.name:
            case "zlib":
                return WRITE.value("deflated", name=name, value=value)
            case "xor":
                self.scope.calc("xored")
                return WRITE.value("xored", value=value, key=args)
            case "rol" | "ror":
                self.scope.calc("rotated")
                left = args if process.name == "ror" else f"-({args})"
                return WRITE.value("rotated", value=value, left=left)
        processor = decoder(process, self.scope)
        return WRITE.value("processed", name=name, value=value, processor=processor)

    def _record(
        self, type_: UserType | OpaqueType, name: str, value: str, of: str
    ) -> list[Statement]:
        delimiting, process = type_.delimiting, type_.process
        kind = self.kind(type_, value)
        if delimiting is None:
            return WRITE.lines("record", name=name, value=value, kind=kind)
        if self.checks_kind(type_):
            size, by = self._size(delimiting, of)
            macro = "record_here" if is_put_here(type_, self.scope.module) else "record_within"
            put = WRITE.lines(macro, name=name, value=value, kind=kind, size=size, by=by)
            return [*put, *self._ends(delimiting, name)]
        inner = WRITE.value("inner", name=name, value=value)
        raw = self._processed(process, name, inner, delimiting)
        return self._bytes(delimiting, name, raw, of)

    @staticmethod
    def checks_kind(type_: UserType | OpaqueType) -> bool:
        """Whether the statement that writes a record of *type_* checks its class."""
        delimiting = type_.delimiting
        if delimiting is None:
            return type_.process is None
        is_sized = delimiting.size is not None or delimiting.size_eos
        return type_.process is None and is_sized and not delimiting.is_filled_up

    def kind(self, type_: UserType | OpaqueType, value: str) -> str:
        """Return the class that *value* has to be of; "" where it is not known, or was checked."""
        is_known = isinstance(type_, UserType) and not value.startswith("narrowed(")
        return self.scope.class_of(type_) if is_known else ""

    def follows(self, size: ast.Expression, of: str) -> bool:
        """Whether *size* follows from the field *of* that it measures, or from the stream alone."""
        targets = {name.target.name for name in names_in(size) if name.target is not None}
        targets |= {number_of_child(node) for node in walk(size)}
        determined = any(name in self.derived and self.derived[name].by == of for name in targets)
        return determined or stream_decides(size, self.source) is None

    def _switch(self, type_: SwitchType, name: str, value: str, of: str) -> list[Statement]:
        on, mixed = self.source(type_.on), id(type_) in self.scope.module.bits.mixed
        or_nothing = all(case.on is not None for case in type_.cases)
        cases, otherwise = list[tuple[str, list[Statement]]](), list[Statement]()
        for case in type_.cases:
            is_checked = isinstance(case.type, UserType) and self.checks_kind(case.type)
            there = value if is_checked else self._narrowed(case.type, value, name)
            if or_nothing and there == value and not is_checked:
                there = self.given(name, value)
            body = self.value(case.type, name, there, of)
            if mixed and not begins_in_bits(case.type):
                body = [*WRITE.lines("aligned", spare=""), *body]
            if case.on is None:
                otherwise = body
            else:
                cases.append((self.source(case.on, COMPARE + 1), body))
        return WRITE.lines(
            "switch",
            on=on,
            kind=switched(on, type_.on),
            cases=cases,
            otherwise=otherwise,
            name=name,
            value=value,
            or_nothing=or_nothing,
        )

    def _narrowed(self, type_: DataType, value: str, name: str) -> str:
        python = runtime_type(type_, self.scope)
        if not python:
            return value
        self.scope.calc("narrowed")
        return WRITE.value("narrowed", name=name, value=value, kind=python)

    def given(self, name: str, value: str) -> str:
        """Return the source of *value*; None is refused with an error about the field *name*."""
        self.scope.calc("given")
        return WRITE.value("given", name=name, value=value)
