"""The source that reads one value from a `kaitaistruct.KaitaiStream`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct.scope import Scope
from byteloom_codegen.kaitaistruct.translate import PlainTranslator
from byteloom_codegen.model import (
    ArrayType,
    BitsType,
    BytesType,
    ContentsType,
    Delimiting,
    EndianSwitch,
    EnumType,
    FloatType,
    IntType,
    OpaqueType,
    StrType,
    UserType,
)
from byteloom_codegen.python.translate import COMPARE, bytes_literal, str_literal

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.scope import Module
    from byteloom_codegen.model import DataType, Endian, Process, TypeSpec

__all__ = ["Values", "inherits_endian", "is_padding"]

_GROUP: Final = 1
"""Bytes that a rotation goes over; the language knows no other group."""


def inherits_endian(spec: TypeSpec) -> bool:
    """Whether the reader of *spec* gives it its byte order."""
    return (
        isinstance(spec.endian, EndianSwitch)
        and spec.owner is not None
        and spec.owner.endian is spec.endian
    )


@dataclass(frozen=True, slots=True)
class Values:
    """Reads values for one type of record.

    here    the type whose method has the source
    stream  the source of the stream to read from
    endian  the byte order for types that declare none, if it is decided while reading
    """

    module: Module
    here: TypeSpec
    stream: str = "self._io"
    endian: Endian | None = None

    @property
    def translate(self) -> PlainTranslator:
        """The translator of expressions."""
        return PlainTranslator(Scope(self.module))

    @property
    def runtime(self) -> str:
        """The source of the runtime's class of streams."""
        return self.module.runtime("KaitaiStream")

    def read(self, type_: DataType) -> str:
        """Return the source that reads a value without records or processing."""
        match type_:
            case IntType(signed=signed, width=width, endian=endian):
                order = "" if width == 1 else endian or self.endian
                return f"{self.stream}.read_{'s' if signed else 'u'}{width}{order}()"
            case FloatType(width=width, endian=endian):
                return f"{self.stream}.read_f{width}{endian or self.endian}()"
            case BitsType(width=width, endian=endian, is_bool=is_bool):
                bits = f"{self.stream}.read_bits_int_{endian}({width})"
                return f"{bits} != 0" if is_bool else bits
            case EnumType(enum=enum, base=base):
                plain = BitsType(base.width, base.endian) if isinstance(base, BitsType) else base
                return self.resolved(self.module.class_of(enum), self.read(plain))
            case StrType(encoding=str(encoding), delimiting=Delimiting() as delimiting):
                return f"{self.delimited(delimiting)}.decode({str_literal(encoding)})"
            case BytesType(delimiting=Delimiting() as delimiting):
                return self.delimited(delimiting)
            case ContentsType(contents=contents):
                return f"{self.stream}.read_bytes({len(contents)})"
        raise TypeError(type_)

    def resolved(self, enum: str, value: str) -> str:
        """Return the source that turns an integer into a member, where there is one."""
        return f"{self.runtime}.resolve_enum({enum}, {value})"

    def delimited(self, how: Delimiting) -> str:
        """Return the source that reads bytes as *how* says."""
        if how.size is not None:
            return self._cut(how, f"{self.stream}.read_bytes({self.translate(how.size)})")
        return (
            self._cut(how, f"{self.stream}.read_bytes_full()") if how.size_eos else self._up_to(how)
        )

    def size_of(self, how: Delimiting, binds: int = COMPARE + 1) -> str:
        """Return the source of the size, as an operand; "" where only a terminator gives it."""
        if how.size is not None:
            return self.translate(how.size, binds)
        return f"{self.stream}.size() - {self.stream}.pos()" if how.size_eos else ""

    def _cut(self, how: Delimiting, source: str) -> str:
        if how.pad_right is not None and not is_padding(how.terminator, how.pad_right):
            source = f"{self.runtime}.bytes_strip_right({source}, {how.pad_right})"
        if how.terminator:
            multi, mark = _terminator(how.terminator)
            cut = f"{self.runtime}.bytes_terminate{multi}"
            source = f"{cut}({source}, {mark}, {how.include})"
        return source

    def _up_to(self, how: Delimiting) -> str:
        multi, mark = _terminator(how.terminator or b"\0")
        flags = f"{how.include}, {how.consume}, {how.eos_error}"
        return f"{self.stream}.read_bytes_term{multi}({mark}, {flags})"

    def processed(self, process: Process, source: str) -> str:
        """Return the source that undoes *process* on the bytes *source*."""
        args = [self.translate(arg) for arg in process.args]
        match process.name:
            case "zlib":
                return f"{self.module.stdlib('zlib')}.decompress({source})"
            case "xor":
                many = isinstance(process.args[0].type, BytesType | ContentsType | ArrayType)
                form = "many" if many else "one"
                return f"{self.runtime}.process_xor_{form}({source}, {args[0]})"
            case "rol" | "ror":
                turn = args[0] if process.name == "rol" else f"8 - ({args[0]})"
                return f"{self.runtime}.process_rotate_left({source}, {turn}, {_GROUP})"
        return f"{self.module.process_class(process.name)}({', '.join(args)}).decode({source})"

    def made(self, type_: UserType | OpaqueType, stream: str) -> str:
        """Return the source that makes a record which reads from *stream*."""
        class_ = PlainTranslator(Scope(self.module)).scope.class_of(type_)
        args = [*map(self.translate, type_.args), stream]
        # A type of another spec is its own root and has no parent.
        if isinstance(type_, UserType) and type_.type.spec is self.here.spec:
            args += [self.parent(type_), "self._root"]
            if inherits_endian(type_.type) and isinstance(self.here.endian, EndianSwitch):
                args.append("self._is_le")
        return f"{class_}({', '.join(args)})"

    def parent(self, type_: UserType) -> str:
        """Return the source of the parent that a record read here gets."""
        if type_.parent is None:
            return "self"
        return "None" if type_.parent is False else self.translate(type_.parent)


def is_padding(terminator: bytes | None, pad: int) -> bool:
    """Return whether stripping padding would strip the terminator, which cuts all that anyway."""
    return bool(terminator) and set(terminator or b"") == {pad}


def _terminator(terminator: bytes) -> tuple[str, str]:
    """Return the suffix of the runtime's function and the argument for *terminator*."""
    return (
        ("", str(terminator[0])) if len(terminator) == 1 else ("_multi", bytes_literal(terminator))
    )
