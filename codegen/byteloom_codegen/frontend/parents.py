"""The type of ``_parent``: the type whose attributes read a record.

A type read from one type only has that one for its parent; read from several, or from none, a
record of unknown type.  What another file reads does not count: an imported record has no
parent.  An explicit ``parent`` is typed with the expressions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from byteloom_codegen.model import DataType, Field, Spec, StructType, SwitchType, TypeSpec, UserType

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Parents", "record_types"]


def record_types(type_: DataType) -> Iterator[UserType]:
    """Yield the records that an attribute of this type may read."""
    if isinstance(type_, UserType):
        yield type_
    elif isinstance(type_, SwitchType):
        for case in type_.cases:
            yield from record_types(case.type)


class Parents:
    """The parents found so far."""

    def __init__(self) -> None:
        """Begin without parents."""
        self._found: dict[TypeSpec, DataType] = {}

    def of(self, type_: TypeSpec) -> DataType:
        """Return the type of ``_parent`` in *type_*."""
        return self._found.get(type_, StructType())

    def note(self, type_: TypeSpec, parent: DataType) -> None:
        """Note that a record of *type_* is read with this parent."""
        if type_.owner is None:  # whoever uses the spec reads its top type
            return
        if isinstance(parent, UserType):  # the way it is stored does not matter
            parent = UserType(parent.type)
        known = self._found.setdefault(type_, parent)
        if known != parent:
            self._found[type_] = StructType()

    def infer(self, spec: Spec) -> list[tuple[TypeSpec, UserType]]:
        """Note the implied parents in *spec*; return the explicit ones, each with its reader."""
        explicit = []
        for reader in spec.top.walk():
            for member in (*reader.seq, *reader.instances):
                if not isinstance(member, Field):
                    continue
                for record in record_types(member.type):
                    if record.type.spec is not spec:
                        continue
                    if record.parent is None:
                        self.note(record.type, UserType(reader))
                    elif record.parent is not False:
                        explicit.append((reader, record))
        return explicit
