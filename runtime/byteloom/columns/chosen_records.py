"""The repeated records of a file that a scan was made for, wherever they are in its outermost one.

A loop reads them while the records around them are read; without a loop, all records are read, and
those that are wanted become columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from byteloom.columns.record_columns import batch_of
from byteloom.columns.scan_reader import ScanReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from byteloom.columns.scan import Scan

__all__ = ["ChosenRecords", "Step"]

_AT_ONCE: Final = 1 << 16
"""Records that are turned into columns together."""


@dataclass(frozen=True, slots=True)
class Step:
    """One attribute on the path from the outermost record to the scanned records.

    name       in the spec, for errors
    attribute  of the record before it
    kind       the class that is meant, where there are several; else None
    """

    name: str
    attribute: str
    kind: type | None


@dataclass(frozen=True, slots=True)
class ChosenRecords:
    """The records of a file that a scan was made for.

    scan    of the records
    top     the class of the outermost record
    steps   the way to the records; None if outermost records fill the file
    loops   whether a loop reads the records
    params  the parameters of the outermost record
    """

    scan: Scan
    top: Any
    steps: Sequence[Step] | None
    loops: bool
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def read(self) -> Callable[..., Any]:
        """The function that reads the outermost record."""
        return partial(self.top.read, **self.params) if self.params else self.top.read

    @property
    def path(self) -> tuple[str, ...]:
        """The names of the records around the wanted ones, for errors."""
        return (self.top.NAME, *(each.name for each in (self.steps or ())[:-1]))

    @property
    def schema(self) -> pa.Schema:
        """The columns of a record."""
        schema: pa.Schema = self.scan.none("binary").schema
        return schema

    def batches(self, data: bytes) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a file that is in memory; one batch without rows if it has none."""
        if self.steps is None:
            yield self.scan.whole(data, None, "binary")
            return
        if self.loops:
            reader = ScanReader(data)
            reader.begin(self.scan, "binary", self.path)
            reader.record(self.top.NAME, self.read)
            yield reader.batch
            return
        top = self.top.from_bytes(data, **self.params)
        found = [top]
        for step in self.steps:
            found = [each for one in found for _, each in _members(one, step)]
        for start in range(0, max(len(found), 1), _AT_ONCE):

            def path(number: int, start: int = start) -> str:
                return next(islice(self._paths(top), start + number, None))

            yield batch_of(self.scan.columns, found[start : start + _AT_ONCE], "binary", path)

    def _paths(self, top: Any) -> Iterator[str]:
        """Yield the path of each record, for errors."""
        found = [(self.top.NAME, top)]
        for step in self.steps or ():
            found = [
                (f"{path}.{step.name}{number}", each)
                for path, one in found
                for number, each in _members(one, step)
            ]
        return (path for path, _ in found)


def _members(record: Any, step: Step) -> Iterator[tuple[str, Any]]:
    """Yield the records that a step reaches from a record, each after its number in brackets."""
    value = getattr(record, step.attribute)
    many = isinstance(value, list)
    for number, each in enumerate(value if many else [value]):
        if each is not None and (step.kind is None or type(each) is step.kind):
            yield f"[{number}]" if many else "", each
