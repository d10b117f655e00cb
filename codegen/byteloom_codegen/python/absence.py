"""Members and values that may be absent from a record."""

from __future__ import annotations

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import DataType, Instance, Member, Param, SwitchType, ValueInstance

__all__ = ["is_optional", "may_be_absent"]


def is_optional(target: Member | None) -> bool:
    """Whether a record may come without this member."""
    if target is None or isinstance(target, Param):
        return False
    if target.condition is not None:
        return True
    if isinstance(target, ValueInstance):
        return may_be_absent(target.value)
    return target.repeat is None and _may_read_nothing(target.type)


def may_be_absent(node: ast.Expression) -> bool:
    """Whether *node* is an instance that may be absent, or a choice with such an instance."""
    waiting = [node]
    for each in waiting:
        if isinstance(each, ast.Ternary):
            waiting += [each.yes, each.no]
        target = each.target if isinstance(each, ast.Name | ast.Attribute) else None
        if isinstance(target, Instance | ValueInstance) and is_optional(target):
            return True
    return False


def _may_read_nothing(type_: DataType) -> bool:
    return isinstance(type_, SwitchType) and all(case.on is not None for case in type_.cases)
