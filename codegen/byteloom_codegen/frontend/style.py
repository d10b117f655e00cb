"""Names that the style guide of the language asks for, as warnings.

What only gives the size of ``foo`` is ``len_foo``; what only gives how many ``foos`` there are is
``num_foos``.

Source: https://doc.kaitai.io/ksy_style_guide.html#attr-id
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.model import (
    BytesType,
    DataType,
    Field,
    Location,
    Member,
    OpaqueType,
    StrType,
    SwitchType,
    TypeSpec,
    UserType,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from byteloom_codegen.errors import Problems
    from byteloom_codegen.expressions import Expression

__all__ = ["check_names"]


def check_names(
    types: list[TypeSpec],
    references: Mapping[Member, list[Expression]],
    named_at: Mapping[Member, Location],
    problems: Problems,
) -> None:
    """Warn of each member of *types* whose only use asks for another name.

    references  every place where an expression names a member
    named_at    where each member has its name
    """
    wanted = {id(node): name for spec in types for node, name in _uses(spec)}
    for spec in types:
        for member in (*spec.seq, *spec.instances):
            names = {wanted.get(id(node)) for node in references.get(member, ())}
            if len(names) == 1 and (name := names.pop()) is not None and name != member.name:
                _warn(member, name, named_at[member], problems)


def _uses(spec: TypeSpec) -> Iterator[tuple[Expression, str]]:
    """Yield the expressions that are a size or a count, with the name that would say so."""
    for member in (*spec.seq, *spec.instances):
        if not isinstance(member, Field) or member.name.startswith("_"):
            continue
        for size in _sizes(member.type):
            yield size, f"len_{member.name}"
        repeat = member.repeat
        if repeat is not None and repeat.kind == "expr" and repeat.expression is not None:
            yield repeat.expression, f"num_{member.name}"


def _sizes(type_: DataType) -> Iterator[Expression]:
    if isinstance(type_, SwitchType):
        for case in type_.cases:
            yield from _sizes(case.type)
    elif isinstance(type_, BytesType | StrType | UserType | OpaqueType):
        size = None if type_.delimiting is None else type_.delimiting.size
        if size is not None:
            yield size


def _warn(member: Member, name: str, location: Location, problems: Problems) -> None:
    use = "a byte size of" if name.startswith("len_") else "the repeat count of"
    message = f"use `{name}` instead of `{member.name}`, which is only used as {use} `{name[4:]}`"
    problems.warn(location, message)
