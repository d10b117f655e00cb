"""The content of the end of a Lance file, which `tail` reads, and all that reads the file knows.

Source: specs/lance/tail.ksy
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from byteloom_generated.lance.tail import EarlyFooter, Footer, LegacyTail

if TYPE_CHECKING:
    from byteloom.lance.column_metadata import Column, SinglePages
    from byteloom.lance.field_reading import FileField
    from byteloom.lance.fields import Field
    from byteloom.lance.mapping import ColumnMap
    from byteloom_generated.lance.file import FileDescriptor, Metadata
    from byteloom_generated.lance.tail import Extent

__all__ = ["UNREAD", "V0_1", "V2_0", "V2_1", "AnyFooter", "FileSchema", "FileTail"]

V0_1: Final = "0.1"
V2_0: Final = "2.0"
V2_1: Final = "2.1"
UNREAD: Final = "2.3"
"""The version whose rows cannot be read."""

AnyFooter: TypeAlias = Footer | EarlyFooter
_Tail: TypeAlias = AnyFooter | LegacyTail


@dataclass(frozen=True, eq=False)
class FileSchema:
    """The parsed schema that files with the same schema share.

    Attributes:
        descriptor: The schema and the number of rows.
        fields: The fields at the top.
        maps: Which columns belong to which fields, for each version and number of columns, and for
            what manifests say of the columns.
    """

    descriptor: FileDescriptor
    fields: list[Field]
    maps: dict[tuple[Any, ...], ColumnMap] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileTail:
    """The content of the end of a file.

    Attributes:
        version: ``0.1``, ``2.0`` to ``2.3``.
        footer: The footer as stored.
        at: Its offset in the file.
        columns: Places of the metadata of columns; empty in 0.1.
        buffers: Places of global buffers; empty in 0.1.
        schema: The schema and the number of rows, which are global buffer 0; in 0.1 from the
            manifest inside the file, without fields where it has none.
        legacy: In version 0.1, the places of batches and pages; otherwise None.
        parsed: The columns whose metadata was read, by their numbers.
        single: The columns whose metadata was read last as one message, if any.
        readers: Fields by their ids in memory, each with what makes its reader in any file that has
            this tail; None if no other file will have it.
    """

    version: str
    footer: _Tail
    at: int
    columns: list[Extent]
    buffers: list[Extent]
    schema: FileSchema
    legacy: Metadata | None = None
    parsed: dict[int, Column] = field(default_factory=dict)
    single: list[SinglePages] = field(default_factory=list)
    readers: dict[int, tuple[Field, FileField]] | None = None

    @property
    def descriptor(self) -> FileDescriptor:
        """The stored schema, and the number of rows."""
        return self.schema.descriptor

    @property
    def is_early(self) -> bool:
        """Whether release 0.10.18 wrote the file."""
        return isinstance(self.footer, EarlyFooter)
