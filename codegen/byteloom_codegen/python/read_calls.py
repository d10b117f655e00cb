"""The expression that takes one value: ``r.u4le("num_blobs")``, ``r.record("tail", Tail.read)``."""

from __future__ import annotations

from dataclasses import dataclass
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
    TypeSpec,
    UserType,
)
from byteloom_codegen.python.literals import bytes_literal, str_literal
from byteloom_codegen.python.names import camel, parameter_name
from byteloom_codegen.python.record_streams import is_taken_here
from byteloom_codegen.python.templates import READ
from byteloom_codegen.python.translation import Translator

if TYPE_CHECKING:
    from byteloom_codegen.python.scope import MethodScope

__all__ = [
    "ReadCalls", "cut_options", "decides_when_reading", "decoder", "letter",
    "until_arguments", "wire_name",
]  # fmt: skip


def wire_name(type_: IntType | FloatType, endian: str | None = None) -> str:
    """Return the reader's method for a number: ``u4le``."""
    kind = "f" if isinstance(type_, FloatType) else "s" if type_.signed else "u"
    return f"{kind}{type_.width}{type_.endian or endian or ''}"


def letter(type_: IntType | FloatType) -> str:
    """Return how `struct` writes the type of a number: ``<I``."""
    letters = {4: "f", 8: "d"} if isinstance(type_, FloatType) else {1: "b", 2: "h", 4: "i", 8: "q"}
    code = letters[type_.width or 1]
    if isinstance(type_, IntType) and not type_.signed:
        code = code.upper()
    return (">" if type_.endian == "be" else "<") + code


def decides_when_reading(type_: IntType | FloatType) -> bool:
    """Whether only the file says which byte order a number has."""
    return type_.endian is None and type_.width != 1


def decoder(process: Process, scope: MethodScope) -> str:
    """Return the source of the custom processor that *process* names, made with its arguments."""
    package, _, name = process.name.rpartition(".")
    module = package or name
    scope.module.processors.add(module)
    return f"{module}.{camel(name)}({', '.join(map(Translator(scope), process.args))})"


@dataclass(frozen=True, slots=True)
class ReadCalls:
    """Makes the expressions that take values in one method."""

    scope: MethodScope

    @property
    def source(self) -> Translator:
        """The translator of expressions for this method."""
        return Translator(self.scope)

    def value(self, type_: DataType, name: str) -> str:
        """Return the expression that takes one value of *type_* for the field *name* (quoted)."""
        match type_:
            case IntType() | FloatType():
                return self._number(type_, name)
            case BitsType(width=width, endian=endian, is_bool=is_bool):
                macro = "flag" if is_bool else "bits"
                return READ.value(macro, name=name, order=endian, width=width)
            case EnumType(enum=enum, base=base):
                self.scope.calc("named")
                number = self.value(base, name)
                return READ.value("label", enum=self.scope.class_of(enum), number=number)
            case ContentsType(contents=contents):
                return READ.value("magic", name=name, contents=bytes_literal(contents))
            case BytesType(delimiting=Delimiting() as delimiting, process=process):
                return self._processed(process, name, self.bytes(delimiting, name))
            case StrType(delimiting=Delimiting() as delimiting, encoding=encoding, process=process):
                raw = self._processed(process, name, self.bytes(delimiting, name))
                encoding = str_literal(encoding or "ascii")
                return READ.value("text", name=name, bytes=raw, encoding=encoding)
            case UserType() | OpaqueType():
                return self._record(type_, name)
        raise TypeError(type_)

    def _number(self, type_: IntType | FloatType, name: str) -> str:
        if not decides_when_reading(type_):
            return READ.value("number", name=name, method=wire_name(type_))
        little, big = wire_name(type_, "le"), wire_name(type_, "be")
        return READ.value("number_of_either_order", name=name, little=little, big=big)

    def bytes(self, delimiting: Delimiting, name: str) -> str:
        """Return the expression that takes bytes, padding and terminators cut off."""
        if delimiting.size is None and not delimiting.size_eos:
            return READ.value("bytes_until", name=name, ends=until_arguments(delimiting))
        size = "None" if delimiting.size is None else self.source(delimiting.size)
        if delimiting.is_filled_up:
            return READ.value("bytes_cut", name=name, size=size, ends=cut_options(delimiting))
        if delimiting.size is None:
            return READ.value("rest", name=name)
        return READ.value("bytes", name=name, size=size)

    def _processed(self, process: Process | None, name: str, taken: str) -> str:
        if process is None:
            return taken
        args = ", ".join(map(self.source, process.args))
        match process.name:
            case "zlib":
                return READ.value("inflated", name=name, bytes=taken)
            case "xor":
                self.scope.calc("xored")
                return READ.value("xored", bytes=taken, key=args)
            case "rol" | "ror":
                self.scope.calc("rotated")
                left = args if process.name == "rol" else f"-({args})"
                return READ.value("rotated", bytes=taken, left=left)
        processor = decoder(process, self.scope)
        return READ.value("decoded", name=name, bytes=taken, processor=processor)

    def _record(self, type_: UserType | OpaqueType, name: str) -> str:
        given = ", ".join([f"{self.scope.class_of(type_)}.read", *self.given(type_)])
        if type_.delimiting is None:
            return READ.value("record", name=name, given=given)
        delimiting = type_.delimiting
        if is_taken_here(type_, self.scope.module):
            size = "r.left" if delimiting.size is None else self.source(delimiting.size)
            return READ.value("record_narrowed", name=name, size=size, given=given)
        window = self._window(type_, delimiting, name)
        return READ.value("record_within", name=name, window=window, given=given)

    def handed(self, type_: UserType) -> list[str]:
        """Return what a record is passed besides the reader, by name."""
        return [f"{name}={value}" for name, value in self._arguments(type_) if value != "None"]

    def given(self, type_: UserType | OpaqueType) -> list[str]:
        """Return what a record is passed besides the reader, as a tuple; none if that is empty."""
        if isinstance(type_, OpaqueType):
            values = list(map(self.source, type_.args))
        else:
            values = [value for _, value in self._arguments(type_)]
        if not values:
            return []
        return [f"({', '.join(values)}{',' * (len(values) == 1)})"]

    def _arguments(self, type_: UserType) -> list[tuple[str, str]]:
        """Return the parameters of a record's ``read`` in their order, each with its value.

        Records of other files are the last to have a parent and a root, and get none here.
        """
        spec, uses = type_.type, self.scope.module.uses_of(type_.type)
        arguments = [
            (parameter_name(param.name), self.source(arg))
            for param, arg in zip(spec.params, type_.args, strict=True)
        ]
        if uses.inherits_endian(spec):
            arguments.append(("_is_le", "self._is_le"))
        if id(spec) in uses.parent and self._is_ours(spec):
            parent = type_.parent
            given = "self" if parent is None else "None" if parent is False else self.source(parent)
            arguments.append(("_parent", given))
        if uses.has_root(spec) and self._is_ours(spec):
            arguments.append(("_root", self.scope.root))
        return arguments

    def _is_ours(self, spec: TypeSpec) -> bool:
        """Whether *spec* is of this file: records of others have no parent and no root here."""
        return spec.spec is self.scope.here.spec

    def _window(self, type_: UserType | OpaqueType, delimiting: Delimiting, name: str) -> str:
        plain = not delimiting.is_filled_up and not type_.process
        if plain:
            size = "r.left" if delimiting.size is None else self.source(delimiting.size)
            return READ.value("window", name=name, size=size)
        taken = self._processed(type_.process, name, self.bytes(delimiting, name))
        return READ.value("stream", bytes=taken)


def cut_options(delimiting: Delimiting) -> str:
    """Return the arguments that say how sized bytes end, after others."""
    options = ""
    if delimiting.terminator is not None:
        options += f", terminator={bytes_literal(delimiting.terminator)}"
    if delimiting.include:
        options += ", include=True"
    return options + (f", pad={delimiting.pad_right}" if delimiting.pad_right is not None else "")


def until_arguments(delimiting: Delimiting) -> str:
    """Return the arguments that say how bytes end at a terminator."""
    given = {
        "include": delimiting.include,
        "consume": delimiting.consume,
        "eos_error": delimiting.eos_error,
    }
    usual = {"include": False, "consume": True, "eos_error": True}
    others = [f", {key}={value}" for key, value in given.items() if value != usual[key]]
    return bytes_literal(delimiting.terminator or b"") + "".join(others)
