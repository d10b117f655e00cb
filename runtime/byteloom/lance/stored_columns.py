"""An open file, as the readers of its fields know it.

Source: https://lance.org/format/file/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from byteloom.lance.field_reading import PagesFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.lance.column_metadata import Column, SinglePages
    from byteloom.lance.legacy.pages import PageReader
    from byteloom.lance.mapping import ColumnMap
    from byteloom.lance.tail_content import FileTail

__all__ = ["StoredColumns"]


class StoredColumns(PagesFile, Protocol):
    """A file, and where its columns are.

    Attributes:
        tail: The content of its end.
        version: The version of the format.
        num_rows: The number of rows, by the file.
        column_map: Which columns belong to which fields.
        own_types: The logical type of each field in the file, by its id elsewhere.
        legacy_pages: The pages of a file of version 0.1.
    """

    @property
    def tail(self) -> FileTail:
        """The content of its end."""

    @property
    def version(self) -> str:
        """The version of the format."""

    @property
    def num_rows(self) -> int:
        """The number of rows, by the file."""

    @property
    def column_map(self) -> ColumnMap:
        """Which columns belong to which fields."""

    @property
    def own_types(self) -> dict[int, str]:
        """The logical type of each field in the file, by its id elsewhere."""

    @property
    def legacy_pages(self) -> PageReader:
        """The pages of a file of version 0.1."""

    def columns(self, numbers: Sequence[int] | None = None) -> list[Column]:
        """Return columns by their numbers; None for all."""

    def single_pages(self, numbers: Sequence[int]) -> SinglePages | None:
        """Return the pages of columns that have one each; None if these are read one by one."""
