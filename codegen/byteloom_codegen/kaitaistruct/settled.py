"""Value instances that a method has used before, whose stored values it can take.

Asking for an instance calls a property, and the first call keeps its value.  A method that has
asked before takes what was kept; one that reads the fields calculates what it asks for first
itself, where that depends on nothing that may change while the record is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from byteloom_codegen import expressions as ast
from byteloom_codegen.joints import operands
from byteloom_codegen.model import (
    ArrayType,
    Field,
    Instance,
    IoType,
    Param,
    SwitchType,
    ValueInstance,
)
from byteloom_codegen.nodes import is_optional, walk

if TYPE_CHECKING:
    from byteloom_codegen.model import DataType

__all__ = ["Known", "asked_first", "marks", "marks_of_field"]

Known: TypeAlias = frozenset[str]
"""The names of instances whose values are kept."""


def marks(node: ast.Expression, known: Known = frozenset()) -> tuple[set[int], Known]:
    """Return the names (their `id`) in *node* whose values are kept, and what is known after it.

    In the joints of a deep expression none are.
    """
    if node.joints is not None:
        return set(), known
    if isinstance(node, ast.Name):
        if not _is_kept(node):
            return set(), known
        return ({id(node)} if node.id in known else set()), known | {node.id}
    found = set[int]()
    if isinstance(node, ast.Ternary):
        found, known = marks(node.condition, known)
        return found | marks(node.yes, known)[0] | marks(node.no, known)[0], known
    if isinstance(node, ast.BoolOp):
        found, known = marks(node.left, known)
        return found | marks(node.right, known)[0], known
    for each in _parts(node):
        more, known = marks(each, known)
        found |= more
    return found, known


def marks_of_field(field: Field, known: Known) -> tuple[set[int], Known]:
    """Return the same for all expressions of *field*, as they are evaluated when it is read."""
    found = set[int]()
    if field.condition is not None:
        found, known = marks(field.condition, known)
    inner = known
    if field.repeat is not None and field.repeat.expression is not None:
        more, inner = marks(field.repeat.expression, known)
        found |= more
        inner = inner if field.repeat.kind == "expr" else known
    more, inner = _marks_of_type(field.type, inner)
    found |= more
    if valid := field.valid:
        for each in _outermost([*valid.values, valid.minimum, valid.maximum]):
            found |= marks(each, inner)[0]
    always = field.condition is None and field.repeat is None
    return found, inner if always else known


def asked_first(node: ast.Expression | None, known: Known) -> list[ValueInstance]:
    """Return the instances that evaluating *node* always uses, in the order of calculation."""
    while node is not None:
        match node:
            case ast.Name(target=ValueInstance() as target) if node.id not in known:
                if not _is_kept(node) or target.valid is not None or not _is_settled(target):
                    return []
                return [*asked_first(target.value, known | {node.id}), target]
            case ast.Ternary(condition=first):
                node = first
            case ast.BoolOp(left=first) | ast.BinaryOp(left=first) | ast.Compare(left=first):
                node = first
            case ast.UnaryOp(operand=first):
                node = first
            case _:
                return []
    return []


def _marks_of_type(type_: DataType, known: Known) -> tuple[set[int], Known]:
    """Return the same for the expressions of a type; what is known after a switch is its value."""
    found = set[int]()
    if isinstance(type_, SwitchType):
        found, known = marks(type_.on, known)
        for case in type_.cases:
            found |= set().union(*(marks(each, known)[0] for each in [case.on] if each))
            found |= _marks_of_type(case.type, known)[0]
        return found, known
    for name in ("delimiting", "process", "args", "parent"):
        for each in _outermost(getattr(type_, name, None)):
            found |= marks(each, known)[0]
    return found, known


def _outermost(part: object) -> list[ast.Expression]:
    """Return the whole expressions in a part of a type."""
    nodes = list(walk(part))
    inner = {id(each) for node in nodes for each in operands(node)}
    return [node for node in nodes if id(node) not in inner]  # type: ignore[misc]


def _parts(node: ast.Node) -> list[ast.Expression]:
    """Return the operands of *node* in the order of their evaluation."""
    match node:
        case ast.FString(parts=parts):
            return [each for each in parts if not isinstance(each, str)]
        case ast.Array(elements=elements):
            return elements
        case ast.Attribute(value=value) | ast.Cast(value=value):
            return [value]
        case ast.Call(value=value, args=args):
            return [value, *args]
        case ast.Index(value=value, index=index):
            return [value, index]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.BinaryOp(left=left, right=right) | ast.Compare(left=left, right=right):
            return [left, right]
        case ast.BoolOp(left=left, right=right):
            return [left, right]
        case ast.Ternary(condition=condition, yes=yes, no=no):
            return [condition, yes, no]
    return []


def _is_kept(node: ast.Name) -> bool:
    """Whether using the instance that *node* names always stores a value."""
    return isinstance(node.target, ValueInstance) and not is_optional(node.target)


def _is_settled(instance: ValueInstance) -> bool:
    """Whether the value of *instance* is the same whenever it can be calculated."""
    for node in walk(instance.value):
        if isinstance(getattr(node, "type", None), ArrayType | IoType):
            return False
        if isinstance(node, ast.Name | ast.Attribute) and not _stays(node):
            return False
    return True


def _stays(node: ast.Name | ast.Attribute) -> bool:
    match node.target:
        case ValueInstance() as target:
            return not is_optional(target)
        case Instance():
            return False
        case Field(repeat=None) | Param():
            return True
        case None:
            return isinstance(node, ast.Attribute) or node.id in {"_root", "_parent"}
    return False
