"""What other fields follow from a field: its meaning, as far as the spec's formulas say it.

``len_name`` needs no doc if ``name`` has the size ``len_name``.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from byteloom_codegen import expressions as ast
from byteloom_codegen.model import Field, Instance, SwitchType
from byteloom_codegen.nodes import walk
from byteloom_codegen.python.formulas import sizes_of
from byteloom_codegen.reference.prose import NEW_LINE, Word, Words, code, in_words, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import Param, TypeSpec, ValueInstance

__all__ = ["Roles"]


class _Kind(NamedTuple):
    """What one field can be for others: the words before and after their names, and its unit."""

    before: str
    after: str = ""
    unit: str = ""


class _Role(NamedTuple):
    """What a value is for other fields.

    is_exact  whether it is the value itself, and not something calculated from it
    """

    kind: _Kind
    is_exact: bool


_SIZE: Final = _Kind("The size of ", unit=" in bytes")
_EACH_SIZE: Final = _Kind("The size of each of ", unit=" in bytes")
_COUNT: Final = _Kind("The number of ")
_PLACE: Final = _Kind("Where ", " begins")
_TYPE: Final = _Kind("Which type ", " has")
_PRESENCE: Final = _Kind("Whether ", " is there")

_MOST: Final = 4
"""Fields that are named for one role."""


class Roles:
    """What each field, instance and parameter is for others."""

    def __init__(self, types: Sequence[TypeSpec]) -> None:
        """Find out for all members of *types*, which are those of one page."""
        self._found: dict[int, dict[_Role, list[Field | ValueInstance]]] = {}
        for spec in types:
            for member in (*spec.seq, *spec.instances):
                for kind, node in _decided(member):
                    self._add(member, kind, node)

    def _add(self, member: Field | ValueInstance, kind: _Kind, node: Expression) -> None:
        whole = _stripped(node)
        for leaf in _leaves(node):
            role = _Role(kind, is_exact=leaf is whole)
            known = self._found.setdefault(id(leaf.target), {}).setdefault(role, [])
            if member not in known and leaf.target is not member:
                known.append(member)

    def of(self, member: Field | ValueInstance | Param) -> Words:
        """Return in words what *member*, which is of a record, is for others; may be empty."""
        found = self._found.get(id(member), {})
        lines = [
            _line(role, others, member.owner)
            for role, others in sorted(found.items(), key=lambda pair: not pair[0].is_exact)
            if others
        ]
        return tuple(joined(lines, NEW_LINE))


def _decided(member: Field | ValueInstance) -> Iterator[tuple[_Kind, Expression]]:
    """Yield what *member* takes from others, and the expression for it."""
    if member.condition is not None:
        yield _PRESENCE, member.condition
    if not isinstance(member, Field):
        return
    if isinstance(member, Instance) and member.pos is not None:
        yield _PLACE, member.pos
    if member.repeat is not None and member.repeat.kind == "expr" and member.repeat.expression:
        yield _COUNT, member.repeat.expression
    if isinstance(member.type, SwitchType):
        yield _TYPE, member.type.on
    for size in sizes_of(member.type):
        yield _SIZE if member.repeat is None else _EACH_SIZE, size


def _stripped(node: Expression) -> Expression:
    while isinstance(node, ast.Cast):
        node = node.value
    return node


def _leaves(node: Expression) -> Iterator[ast.Name | ast.Attribute]:
    """Yield the ends of all paths in *node* (``len`` of ``header.len``) that are members."""
    members = [
        each
        for each in walk(node)
        if isinstance(each, ast.Name | ast.Attribute) and each.target is not None
    ]
    inner = {id(_stripped(each.value)) for each in members if isinstance(each, ast.Attribute)}
    yield from (each for each in members if id(each) not in inner)


def _line(role: _Role, others: Sequence[Field | ValueInstance], home: TypeSpec | None) -> Words:
    """Return one role in words, as a sentence."""
    shown = others[:_MOST]
    names = [_names(list(each), home) for _, each in groupby(shown, key=lambda one: id(one.owner))]
    listed = tuple(joined(names, ", "))
    if len(others) > len(shown):
        listed = in_words(listed, f" and {len(others) - len(shown)} more")
    kind = role.kind
    after = kind.after
    if len(others) > 1:
        after = _PLURAL[after]
    words = in_words(kind.before, listed, after)
    return in_words(words, f"{kind.unit}." if role.is_exact else " depends on it.")


_PLURAL: Final = {"": "", " begins": " begin", " has": " have", " is there": " are there"}


def _names(members: Sequence[Field | ValueInstance], home: TypeSpec | None) -> Words:
    """Return the names of members of one type, with the type if that is not *home*."""
    names = tuple(joined([in_words(code(each.name)) for each in members], ", "))
    owner = members[0].owner
    if owner is None or owner is home:
        return names
    return in_words(names, " of ", Word(owner.name, target=owner))
