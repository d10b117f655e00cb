"""The source that writes a number or a magic, and the bytes of streams of their own.

Bytes of a record with a stream of its own are written back to where they belong, after the process
that decoded them has been undone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from byteloom_codegen.kaitaistruct.consistency import slot_of
from byteloom_codegen.kaitaistruct.delimiting import Delimited
from byteloom_codegen.kaitaistruct.macros import DROP_IN
from byteloom_codegen.kaitaistruct.values import has_outer_size
from byteloom_codegen.model import (
    ArrayType,
    BitsType,
    BytesType,
    ContentsType,
    Delimiting,
    EnumType,
    FloatType,
    IntType,
)
from byteloom_codegen.nodes import user_types
from byteloom_codegen.precedence import SUM

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.values import Values
    from byteloom_codegen.model import DataType, Field, OpaqueType, Process, UserType
    from byteloom_codegen.python.statements import Statement

__all__ = ["PutBack", "kept_bytes", "process_key", "put", "unprocessed"]


def kept_bytes(field: Field, name: str) -> str:
    """Return the source of packed bytes as they were read, empty where there were none."""
    if field.repeat is None:
        return f'getattr(self, "{name}", b"")'
    return 'b"".join(_kept[i : i + 1])'


@dataclass(frozen=True, slots=True)
class PutBack:
    """The method ``_put_NAME`` of *field*, which puts the bytes of a *record* where they belong."""

    field: Field
    record: UserType | OpaqueType

    @classmethod
    def of(cls, field: Field) -> PutBack | None:
        """Return how *field* puts its records back; None if none has a stream of its own."""
        records = user_types(field.type)
        return next((cls(field, each) for each in records if each.delimiting is not None), None)

    def parameters(self) -> list[str]:
        """Return the parameters besides the stream and the bytes."""
        process = self.record.process
        asked = {
            "size": not has_outer_size(self.record) and (self._how.is_filled_up or bool(process)),
            "key": process is not None and process.name != "zlib",
            "kept": process is not None and process.name == "zlib",
        }
        return [name for name, is_asked in asked.items() if is_asked]

    def arguments(self, values: Values, size: str) -> list[str]:
        """Return the values of `parameters` for a record that is written in *size* bytes."""
        process = self.record.process
        given = {
            "size": size,
            "key": process_key(process, values) if process else "",
            "kept": kept_bytes(self.field, f"_raw__raw_{slot_of(self.field)}"),
        }
        return [f"{name}={given[name]}" for name in self.parameters()]

    def statements(self, values: Values) -> list[Statement]:
        """Return the body: what the bytes go through, what is checked, and what is written."""
        slot, process = f"_raw_{slot_of(self.field)}", self.record.process
        many = self.field.repeat is not None
        lines = DROP_IN.lines("bytes_kept", slot=slot, value="data", many=many)
        if process is not None:
            size = "size" if "size" in self.parameters() else "None"
            packed = unprocessed(process, "data", "key", values, size=size, kept="kept")
            lines += DROP_IN.lines("set", name="data", value=packed)
            lines += DROP_IN.lines("bytes_kept", slot=f"_raw_{slot}", value="data", many=many)
        name = f"raw({self.field.name})"
        size = "size" if "size" in self.parameters() else ""
        raw = Delimited(self._how, "data", name, size, values, "io")
        return [*lines, *raw.checks(), *raw.puts()]

    @property
    def _how(self) -> Delimiting:
        return self.record.delimiting or Delimiting()


def put(type_: DataType, value: str, values: Values) -> str:
    """Return the source that writes a value whose layout depends on its type alone."""
    stream = values.stream
    match type_:
        case IntType(signed=signed, width=width, endian=endian):
            order = "" if width == 1 else endian or values.endian
            return f"{stream}.write_{'s' if signed else 'u'}{width}{order}({value})"
        case FloatType(width=width, endian=endian):
            return f"{stream}.write_f{width}{endian or values.endian}({value})"
        case BitsType(width=width, endian=endian, is_bool=is_bool):
            number = f"int({value})" if is_bool else value
            return f"{stream}.write_bits_int_{endian}({width}, {number})"
        case EnumType(base=base):
            return put(base, f"int({value})", values)
        case ContentsType():
            return f"{stream}.write_bytes({value})"
    raise TypeError(type_)


def process_key(process: Process, values: Values) -> str:
    """Return the source of a process's key: its argument, or the custom object."""
    if process.name == "rol":
        return values.translate(process.args[0], SUM + 1)
    args = ", ".join(map(values.translate, process.args))
    if process.name in {"zlib", "xor", "ror"}:
        return args
    return f"{values.module.process_class(process.name)}({args})"


def unprocessed(process: Process, data: str, key: str, values: Values, **packed: str) -> str:
    """Return the source of the bytes that the process turns into *data* when they are read.

    packed  for zlib: the sources of the size, or None, and of the compressed bytes as they were
            read, or none
    """
    match process.name:
        case "zlib":
            values.module.stdlib("zlib")
            values.module.helpers.add("compressed")
            return f"_compressed({data}, {packed['size']}, {packed['kept']})"
        case "xor":
            many = isinstance(process.args[0].type, BytesType | ContentsType | ArrayType)
            return f"{values.runtime}.process_xor_{'many' if many else 'one'}({data}, {key})"
        case "rol" | "ror":
            turn = key if process.name == "ror" else f"8 - {key}"
            return f"{values.runtime}.process_rotate_left({data}, {turn}, 1)"
    return f"{key}.encode({data})"
