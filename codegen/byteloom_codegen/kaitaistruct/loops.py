"""Loops over elements: whether they number them, and which may go on without reading anything.

A count always ends.  Repeating to the end of the stream does not where an element may take no
bytes: the next one starts at the same place and takes none either.  The same holds for ``until``
where no case of a switch matches and the condition looks at neither the element nor its index.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import SwitchType
from byteloom_codegen.python.sizes import value_size
from byteloom_codegen.python.statements import indented

if TYPE_CHECKING:
    from byteloom_codegen.model import Field
    from byteloom_codegen.python.statements import Statement

__all__ = ["is_numbered", "is_stalling", "reads_nothing_at_times"]


_NUMBER: Final = re.compile(r"(?<![\w.])i\b")
"""The name of the variable for an element's index, in generated code."""


def is_numbered(body: list[Statement]) -> bool:
    """Whether *body*, the statements for each element, uses its number."""
    return any(_NUMBER.search(line) for _, line in indented(body))


def is_stalling(field: Field) -> bool:
    """Whether the repetition never ends once the position of the stream stays the same."""
    if field.repeat is None or field.repeat.kind == "expr" or _names(field.type) & {"_index"}:
        return False
    if field.repeat.kind == "eos":
        return value_size(field.type).least == 0
    return _has_open_switch(field) and not _names(field.repeat.expression) & {"_", "_index"}


def reads_nothing_at_times(field: Field) -> bool:
    """Whether ``until`` uses an element that a switch without a match did not read."""
    return (
        _has_open_switch(field)
        and field.repeat is not None
        and "_" in _names(field.repeat.expression)
    )


def _has_open_switch(field: Field) -> bool:
    return isinstance(field.type, SwitchType) and all(
        case.on is not None for case in field.type.cases
    )


def _names(item: object) -> set[str]:
    """Return the special names in an expression, or in the expressions of a type."""
    if isinstance(item, ast.Name):
        return {item.id} if item.target is None else set()
    if isinstance(item, tuple | list):
        return set().union(*map(_names, item)) if item else set()
    slots = _SEARCHED.get(type(item).__name__, ())
    return set().union(*(_names(getattr(item, slot)) for slot in slots)) if slots else set()


_SEARCHED = {
    "SwitchType": ("on", "cases"),
    "Case": ("on", "type"),
    "UserType": ("args", "delimiting", "process", "parent"),
    "OpaqueType": ("args", "delimiting", "process", "parent"),
    "BytesType": ("delimiting", "process"),
    "StrType": ("delimiting", "process"),
    "Delimiting": ("size",),
    "Process": ("args",),
    "FString": ("parts",),
    "Array": ("elements",),
    "Attribute": ("value",),
    "Call": ("value", "args"),
    "Index": ("value", "index"),
    "UnaryOp": ("operand",),
    "BinaryOp": ("left", "right"),
    "Compare": ("left", "right"),
    "BoolOp": ("left", "right"),
    "Ternary": ("condition", "yes", "no"),
    "Cast": ("value",),
}
"""The attributes with expressions in the parts of a type and of an expression."""
