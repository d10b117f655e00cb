"""A new file of a table's rows, whatever its format.

The rules:

- The file appears when it is closed, and not at all if writing fails.
- An error of the storage names the file.

Source: Iceberg table spec, "Manifests" (``data_file``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from byteloom.storage.sources import storing
from byteloom.storage.targets import Sink

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.storage import Target

__all__ = ["Output"]


class Output(ABC):
    """One file that is being written.

    Attributes:
        path: Its path, as metadata names it.
        rows: The rows so far.
    """

    form: ClassVar[str]
    """The format, as manifests name it."""

    def __init__(self, target: Target, path: str) -> None:
        """Open the file.

        Args:
            target: Where it is written.
            path: Its path, as metadata will name it.
        """
        self.path, self.rows = path, 0
        self._target, self._sink = target, Sink(target)
        try:
            with storing(path):
                self._begin()
        except BaseException:
            self.abort()
            raise

    @property
    def size(self) -> int:
        """The bytes so far."""
        return self._sink.tell()

    def add(self, rows: pa.Table) -> None:
        """Add rows of the table's schema.

        Raises:
            StorageError: The file cannot be written.
        """
        with storing(self.path):
            self._put(rows)
        self.rows += rows.num_rows

    def close(self) -> tuple[dict[int, int], list[int]]:
        """End the file; return the stored bytes of its columns by id, and where its parts begin.

        Raises:
            StorageError: The file cannot be written.
        """
        with storing(self.path):
            self._end()
        self._target.commit()
        return self._measured()

    def abort(self) -> None:
        """Remove what was written."""
        self._sink.drop()
        self._target.abort()

    @abstractmethod
    def _begin(self) -> None:
        """Write what files begin with."""

    @abstractmethod
    def _put(self, rows: pa.Table) -> None:
        """Write rows."""

    @abstractmethod
    def _end(self) -> None:
        """Write what files end with."""

    @abstractmethod
    def _measured(self) -> tuple[dict[int, int], list[int]]:
        """Return what `close` does, of a file that is there."""
