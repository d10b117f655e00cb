"""The source that reads one value from a `kaitaistruct.KaitaiStream`.

Where a record is in a stream of its own, it says how large that stream is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.scope import Scope
from byteloom_codegen.kaitaistruct.translation import PlainTranslator
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
from byteloom_codegen.precedence import COMPARE
from byteloom_codegen.python.literals import bytes_literal, str_literal
from byteloom_codegen.python.read_calls import letter, wire_name
from byteloom_codegen.python.sizes import literal

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.kaitaistruct.scope import Module
    from byteloom_codegen.model import DataType, Endian, EnumSpec, Process, TypeSpec

__all__ = ["MOST", "Values", "has_inner_size", "has_outer_size", "inherits_endian", "is_padding"]


MOST: Final = 1 << 20
"""The most bytes taken at once; before it takes more, the runtime checks how many are left."""

_GROUP: Final = 1
"""The bytes of a group of a rotation; the language has no other."""


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
    quick   whether the method has a function ``read`` for the stream, which is between bytes
    marked  the names in expressions whose values are kept (their `id`)
    """

    module: Module
    here: TypeSpec
    stream: str = "self._io"
    endian: Endian | None = None
    quick: bool = False
    marked: frozenset[int] = frozenset()

    @property
    def translate(self) -> PlainTranslator:
        """The translator of expressions."""
        return PlainTranslator(Scope(self.module), marked=self.marked)

    @property
    def runtime(self) -> str:
        """The source of the runtime's class of streams."""
        return self.module.runtime("KaitaiStream")

    def read(self, type_: DataType) -> str:
        """Return the source that reads a value without records or processing."""
        match type_:
            case IntType() | FloatType():
                return self._number(type_)
            case BitsType(width=width, endian=endian, is_bool=is_bool):
                bits = f"{self.stream}.read_bits_int_{endian}({width})"
                if self.here.debug:  # what was read before an error can be examined
                    self.module.helpers.add("bits")
                    bits = f'_bits({self.stream}, "read_bits_int_{endian}", {width})'
                return f"{bits} != 0" if is_bool else bits
            case EnumType(enum=enum, base=base):
                plain = BitsType(base.width, base.endian) if isinstance(base, BitsType) else base
                return self.resolved(enum, self.read(plain))
            case StrType(encoding=str(encoding), delimiting=Delimiting() as delimiting):
                source = self.delimited(delimiting)
                source = f"({source})" if source.startswith("data if ") else source
                return f"{source}.decode({str_literal(encoding)})"
            case BytesType(delimiting=Delimiting() as delimiting):
                return self.delimited(delimiting)
            case ContentsType(contents=contents):
                return self._fixed(len(contents))
        raise TypeError(type_)

    def _bytes(self, size: ast.Expression) -> str:
        number = literal(size)
        if number is not None:
            return self._fixed(number)
        source = self.translate(size)
        if not self.quick:
            return f"{self.stream}.read_bytes({source})"
        self.module.helpers |= {"back", "taken"}
        return f"_taken({self.stream}, read, {source})"

    def _fixed(self, size: int) -> str:
        method = f"read_bytes({size})"
        if not self.quick or not 0 < size <= MOST:
            return f"{self.stream}.{method}"
        self.module.helpers.add("back")
        return DROP_IN.value("bytes", size=size, stream=self.stream, method=method)

    def _number(self, type_: IntType | FloatType) -> str:
        method, size = self.method(type_), type_.width
        if not self.quick:
            return f"{self.stream}.{method}()"
        if method == "read_u1":
            return DROP_IN.value("byte", stream=self.stream)
        self.module.helpers.add("back")
        unpack = self.module.struct(letter(replace(type_, endian=type_.endian or self.endian)))
        return DROP_IN.value("number", unpack=unpack, size=size, stream=self.stream, method=method)

    def method(self, type_: IntType | FloatType) -> str:
        """Return the method of the stream that reads a number."""
        return f"read_{wire_name(type_, self.endian)}"

    def resolved(self, enum: EnumSpec, value: str) -> str:
        """Return the source that turns an integer into a member, where there is one."""
        if table := self.module.table(enum):
            return f"{table}[{value}]"
        return f"{self.runtime}.resolve_enum({self.module.class_of(enum)}, {value})"

    def delimited(self, how: Delimiting) -> str:
        """Return the source that reads bytes as *how* says."""
        if how.size is not None:
            return self.cut(how, self._bytes(how.size))
        return (
            self.cut(how, f"{self.stream}.read_bytes_full()") if how.size_eos else self._up_to(how)
        )

    def size_of(self, how: Delimiting, binds: int = COMPARE + 1) -> str:
        """Return the source of the size, as an operand; "" where only a terminator gives it."""
        if how.size is not None:
            return self.translate(how.size, binds)
        return f"{self.stream}.size() - {self.stream}.pos()" if how.size_eos else ""

    def cut(self, how: Delimiting, source: str) -> str:
        """Return the source that cuts off padding, and what follows a terminator."""
        if how.pad_right is not None and not is_padding(how.terminator, how.pad_right):
            source = f"{self.runtime}.bytes_strip_right({source}, {how.pad_right})"
        if how.terminator:
            multi, mark = _terminator(how.terminator)
            cut = f"{self.runtime}.bytes_terminate{multi}"
            source = f"{cut}({source}, {mark}, {how.include})"
        return source

    def _up_to(self, how: Delimiting) -> str:
        multi, mark = _terminator(how.terminator or b"\0")
        flags = f"{mark}, {how.include}, {how.consume}, {how.eos_error}"
        if multi or self.here.debug:
            return f"{self.stream}.read_bytes_term{multi}({flags})"
        self.module.helpers.add("terminated")
        return f"_terminated({self.stream}, {flags})"

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
    """Return whether the terminator is made of the padding byte, so that it cuts both."""
    return bool(terminator) and set(terminator or b"") == {pad}


def _terminator(terminator: bytes) -> tuple[str, str]:
    """Return the suffix of the runtime's function and the argument for *terminator*."""
    return (
        ("", str(terminator[0])) if len(terminator) == 1 else ("_multi", bytes_literal(terminator))
    )


def _keeps_length(process: Process | None) -> bool:
    """Return whether a process keeps the number of bytes."""
    return process is None or process.name in {"xor", "rol", "ror"}


def has_inner_size(type_: UserType | OpaqueType) -> bool:
    """Return whether a program has to set the size of the stream, which nothing else gives."""
    how = type_.delimiting
    if how is None or not _keeps_length(type_.process):
        return how is not None
    return how.is_filled_up and not has_outer_size(type_)


def has_outer_size(type_: UserType | OpaqueType) -> bool:
    """Return whether a program has to set the size of a record that a terminator ends."""
    how = type_.delimiting
    return how is not None and how.size is None and not how.size_eos
