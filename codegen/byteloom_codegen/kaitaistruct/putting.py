"""The source that writes one number or magic, and the one that undoes a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.binding import SUM
from byteloom_codegen.model import (
    ArrayType,
    BitsType,
    BytesType,
    ContentsType,
    EnumType,
    FloatType,
    IntType,
)

if TYPE_CHECKING:
    from byteloom_codegen.kaitaistruct.values import Values
    from byteloom_codegen.model import DataType, Process

__all__ = ["process_key", "put", "unprocessed"]


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
