"""Types whose written bytes have to be read again, since only a reader can check them.

These types have fields whose sizes, counts, conditions or cases depend on what is left of a stream,
or on what an instance reads out of order: the stream that is being written has neither yet.  Or
they have parse instances: an edit elsewhere may change where they are, or the bytes that they
share.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import Field, Instance, TypeSpec, UserType
from byteloom_codegen.nodes import names_in, of_member, user_types
from byteloom_codegen.python.end_checks import ends_with_stream

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Node

__all__ = ["needs_reading"]


def needs_reading(spec: TypeSpec) -> bool:
    """Whether a record of *spec* has to be read again to check that it was written correctly."""
    if spec.owner is not None:
        return False  # reading it may need a parent, or other records around it
    found, waiting = set[int](), [spec]
    while waiting:
        each = waiting.pop()
        if id(each) in found:
            continue
        found.add(id(each))
        if any(map(_guesses, each.seq)) or any(isinstance(x, Instance) for x in each.instances):
            return True
        for member in (*each.seq, *each.instances):
            users = user_types(member.type) if isinstance(member, Field) else ()
            waiting += [user.type for user in users if isinstance(user, UserType)]
    return False


def _guesses(field: Field) -> bool:
    """Whether only a reader can know the size, the count or the case of *field*."""
    plain = replace(field, loom={}, valid=None)
    repeat = field.repeat
    if (
        repeat
        and repeat.expression
        and repeat.kind == "until"
        and ends_with_stream(repeat.expression)
    ):
        plain = replace(plain, repeat=None)
    return any(map(_is_late, of_member(plain)))


def _is_late(node: Node) -> bool:
    """Whether *node* is a stream, or something that is read out of order."""
    if isinstance(node, ast.Attribute):
        return node.name == "_io" or isinstance(node.target, Instance)
    if not isinstance(node, ast.Name):
        return False
    return any(each.id == "_io" or isinstance(each.target, Instance) for each in names_in(node))
