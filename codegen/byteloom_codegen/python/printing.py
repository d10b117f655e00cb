"""The interfaces of what prints expressions, and of the method that they are printed into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from byteloom_codegen import expressions as ast
    from byteloom_codegen.model import DataType, EnumSpec, Member, TypeSpec

__all__ = ["Printer", "Scope"]


class Scope(Protocol):
    """What names refer to, in the method that the expression is printed into."""

    def member(self, target: Member) -> str:
        """Return the source for a bare member name, as it is stored."""

    def calculation(self, target: Member) -> ast.Expression | None:
        """Return the expression that is printed in place of *target*; None for its name."""

    def special(self, name: str) -> str:
        """Return the source for ``_root``, ``_parent``, ``_io``, ``_index`` or ``_``."""

    def root_of(self, top: TypeSpec, source: str) -> str:
        """Return the source for the root of *source*, a record of the type *top* of its spec."""

    def class_of(self, type_: DataType | EnumSpec) -> str:
        """Return the source that names the class of a record or an enum."""

    def calc(self, function: str) -> str:
        """Return the source that names a function of ``byteloom.wire.calc``."""

    def attribute(self, target: Member) -> str:
        """Return the attribute that holds the member *target* of a record."""

    def late(self, name: str) -> str:
        """Return the attribute of a member that only the record itself may have."""

    def may_grow(self, node: ast.Expression) -> bool:
        """Whether the result has to be checked against the size that values may have."""


class Printer(Protocol):
    """What prints expressions into one scope."""

    @property
    def scope(self) -> Scope:
        """What names refer to."""

    def __call__(self, node: ast.Expression, binds: int = 0) -> str:
        """Return the source of *node*, in parentheses where it binds looser than *binds*."""

    def by_kind(self, node: ast.Expression) -> tuple[str, int]:
        """Return the source of *node*, and how tightly it binds."""

    def given(self, source: str, target: Member) -> str:
        """Return *source*, of the member *target*; with a check where a record may lack it."""

    def is_varint(self, node: ast.Expression) -> bool:
        """Whether *node* is an integer of variable length (``-loom-varint``), or one of several."""
