"""Parameters of a spec, as a command line gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from byteloom_codegen.model import (
    BitsType,
    BoolType,
    BytesType,
    EnumType,
    FloatType,
    IntType,
    StrType,
)
from byteloom_codegen.python.names import parameter_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom_codegen.model import DataType, TypeSpec

__all__ = ["parameters"]


def parameters(spec: TypeSpec, given: Sequence[str]) -> dict[str, Any]:
    """Return the arguments for the ``read`` of a record from ``name=value`` texts.

    given   integers as Python writes them, bytes in hex, ``true`` and ``false``
    errors  ValueError: a parameter that is missing, unknown, or has no such value
    """
    texts = {name: value for name, _, value in (each.partition("=") for each in given)}
    wanted = {each.name: each.type for each in spec.params}
    for name in texts:
        if name not in wanted:
            raise ValueError(f"found {name}, wanted one of: {', '.join(wanted) or 'none'}")
    missing = [name for name in wanted if name not in texts]
    if missing:
        raise ValueError(f"{spec.name} wants {', '.join(f'{name}=...' for name in missing)}")
    return {parameter_name(name): _value(name, wanted[name], text) for name, text in texts.items()}


def _value(name: str, type_: DataType, text: str) -> Any:
    try:
        match type_:
            case BoolType() | BitsType(is_bool=True):
                return {"true": True, "false": False}[text]
            case IntType() | BitsType():
                return int(text, 0)
            case EnumType(enum=enum):
                labels = {each.name: each.value for each in enum.members}
                return labels[text] if text in labels else int(text, 0)
            case FloatType():
                return float(text)
            case StrType():
                return text
            case BytesType():
                return bytes.fromhex(text)
    except (ValueError, KeyError):
        raise ValueError(f"{name}: found {text!r}, wanted a value of its type") from None
    raise ValueError(f"{name}: wanted a record or a stream, which no command line can give")
