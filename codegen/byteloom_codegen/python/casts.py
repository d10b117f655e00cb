"""Values that may be of another type than the spec says, since a record was cast on the way.

The official compiler checks no cast, and its Python finds any member that the record itself has: a
cast to another type with the same member works.  So such a member is looked up while running, and
the type of its value is checked where that is used.
"""

from __future__ import annotations

from typing import TypeGuard

from byteloom_codegen import expressions as ast
from byteloom_codegen.frontend.kinds import evaluated
from byteloom_codegen.model import (
    AnyType,
    ArrayType,
    OpaqueType,
    StructType,
    SwitchType,
    UserType,
    ValueInstance,
)

__all__ = ["is_element", "is_loose"]


def is_element(node: ast.Attribute) -> bool:
    """Whether *node* is an element of an array."""
    return node.target is None and node.name in {"first", "last", "min", "max"}


def is_loose(node: ast.Expression) -> bool:
    """Whether *node* is a record that is cast, part of one, or an instance with such a value.

    A joint is not: its value is checked when it is calculated.
    """
    seen, waiting = set[int](), [node]
    for each in waiting:
        if each.joints is not None or id(each) in seen:
            continue
        seen.add(id(each))
        match each:
            case ast.Cast() if _is_narrowing(each):
                return True
            case ast.Name(late=True) | ast.Attribute(late=True):
                return True
            case ast.Attribute(target=None) if each.name[0] != "_" and not is_element(each):
                continue
        if isinstance(each, ast.Name | ast.Attribute) and isinstance(each.target, ValueInstance):
            waiting.append(each.target.value)
        if isinstance(each, ast.Attribute | ast.Index) or _is_to_record(each):
            waiting.append(each.value)
    return False


def _is_narrowing(node: ast.Cast) -> bool:
    """Whether a cast is to a record, or to records, and the value may be another."""
    known, wanted = evaluated(node.value.type), node.to
    while isinstance(known, ArrayType) and isinstance(wanted, ArrayType):
        known, wanted = known.element, wanted.element
    may_be_record = isinstance(known, _Record | SwitchType | AnyType)
    return may_be_record and isinstance(wanted, _Record | ArrayType) and known != wanted


def _is_to_record(node: ast.Expression) -> TypeGuard[ast.Cast]:
    return isinstance(node, ast.Cast) and isinstance(node.to, _Record | ArrayType)


_Record = UserType | OpaqueType | StructType
