"""The kinds of values of types, and the common type of two of them."""

from __future__ import annotations

from byteloom_codegen.model import (
    AnyType,
    ArrayType,
    BitsType,
    BoolType,
    BytesType,
    ContentsType,
    DataType,
    EnumType,
    FloatType,
    IntType,
    IoType,
    OpaqueType,
    StrType,
    StructType,
    SwitchType,
    UserType,
)

__all__ = [
    "assignable", "combined", "described", "element", "evaluated", "is_integer", "is_record",
    "kind",
]  # fmt: skip


def evaluated(type_: DataType) -> DataType:
    """Return *type_* as an expression sees it: switches as what their cases have in common."""
    return type_.combined if isinstance(type_, SwitchType) else type_


def element(type_: DataType) -> DataType:
    """Return the type of what lists of *type_* hold, at any depth; *type_* if it is no list."""
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_


def kind(type_: DataType) -> str:
    """Return integer, float, boolean, string, bytes, enum, record, stream, array or any."""
    match evaluated(type_):
        case BitsType(is_bool=True) | BoolType():
            return "boolean"
        case IntType() | BitsType():
            return "integer"
        case FloatType():
            return "float"
        case StrType():
            return "string"
        case BytesType() | ContentsType():
            return "bytes"
        case EnumType():
            return "enum"
        case UserType() | OpaqueType() | StructType():
            return "record"
        case IoType():
            return "stream"
        case ArrayType():
            return "array"
    return "any"


def is_integer(type_: DataType) -> bool:
    """Whether it is an integer; truth values and enums are not."""
    return kind(type_) == "integer"


def is_record(type_: DataType) -> bool:
    """Whether it is a record of any sort."""
    return kind(type_) == "record"


def described(type_: DataType) -> str:
    """Return the words for a type in error messages: ``array of integer``."""
    match evaluated(type_):
        case UserType(type=spec):
            return f"type '{'::'.join(spec.path)}'"
        case OpaqueType(name=names):
            return f"type '{'::'.join(names)}'"
        case EnumType(enum=enum):
            return f"enum '{enum.name}'"
        case ArrayType(element=element):
            return f"array of {described(element)}"
        case StructType():
            return "a record of no certain type"
        case AnyType():
            return "no certain type"
    return kind(type_)


def combined(left: DataType, right: DataType) -> DataType | None:
    """Return the type that covers both; None if no type does."""
    left, right = evaluated(left), evaluated(right)
    if left == right:
        return left
    kinds = {kind(left), kind(right)}
    if "any" in kinds:
        return AnyType()
    if kinds == {"integer", "float"}:
        return FloatType()
    if len(kinds) > 1:
        return None
    return _same_kind(kinds.pop(), left, right)


def _same_kind(kind_: str, left: DataType, right: DataType) -> DataType | None:
    match kind_:
        case "integer":
            return IntType()
        case "float":
            return FloatType()
        case "boolean":
            return BoolType()
        case "string":
            return StrType()
        case "bytes":
            return BytesType()
    match left, right:
        case (EnumType(enum=one), EnumType(enum=other)):
            return EnumType(one, IntType()) if one is other else None
        case (UserType(type=one_type), UserType(type=other_type)) if one_type is other_type:
            return UserType(one_type)
        case (OpaqueType(name=one_name), OpaqueType(name=other_name)) if one_name == other_name:
            return OpaqueType(one_name)
        case (ArrayType(element=one_element), ArrayType(element=other_element)):
            element = combined(one_element, other_element)
            return None if element is None else ArrayType(element)
    return StructType() if kind_ == "record" else None


def assignable(value: DataType, to: DataType) -> bool:
    """Whether *value* may be handed to a parameter of type *to*."""
    value, to = evaluated(value), evaluated(to)
    if isinstance(to, AnyType):
        return True
    match value, to:
        case (EnumType(enum=one), EnumType(enum=other)):
            return one is other
        case (UserType(type=one_type), UserType(type=other_type)):
            return one_type is other_type
        case (ArrayType(element=one_element), ArrayType(element=other_element)):
            return assignable(one_element, other_element)
    return kind(value) == kind(to)
