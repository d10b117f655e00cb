"""The nodes of KSY expressions; `byteloom_codegen.model` defines them, and says why there."""

from byteloom_codegen.model import (
    Array,
    Attribute,
    BinaryOp,
    BoolOp,
    Call,
    Cast,
    Compare,
    EnumLabel,
    Expression,
    FString,
    Index,
    Literal_,
    Name,
    Node,
    Operation,
    SizeOf,
    Ternary,
    TypeName,
    UnaryOp,
)

__all__ = [
    "Array", "Attribute", "BinaryOp", "BoolOp", "Call", "Cast", "Compare", "EnumLabel",
    "Expression", "FString", "Index", "Literal_", "Name", "Node", "Operation", "SizeOf", "Ternary",
    "TypeName", "UnaryOp",
]  # fmt: skip
