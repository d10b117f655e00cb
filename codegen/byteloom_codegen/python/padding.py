"""Padding up to a multiple: its size follows from what is before it, as a length does."""

from __future__ import annotations

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import BytesType, Delimiting, Field, Instance

__all__ = ["padding_size"]


def padding_size(field: Field) -> ast.Expression | None:
    """Return the size of *field* where it is padding, as ``(-_io.pos) % 4`` is; else None."""
    if isinstance(field, Instance) or field.repeat or field.condition or field.valid:
        return None
    match field.type:
        case BytesType(
            process=None,
            delimiting=Delimiting(
                size=ast.BinaryOp(op="%", right=ast.Literal_(value=int())) as size,
                terminator=None,
                pad_right=None,
            ),
        ):
            return size
    return None
