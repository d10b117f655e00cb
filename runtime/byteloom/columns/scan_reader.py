"""Read a record whose repeated field becomes columns: for that field, the reader scans.

The records around the field are read by their classes, as from any reader, and get no records for
the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from byteloom.columns.column import Binary, Filled
from byteloom.columns.loops import DONE, REFUSED
from byteloom.columns.record_columns import batch_of
from byteloom.columns.strided_rows import Rows
from byteloom.columns.target import Outputs, Stop, TableFullError, fill_rows
from byteloom.columns.views import BadRowError
from byteloom.errors import FormatError, Unsupported
from byteloom.wire.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray
    from pyarrow import RecordBatch

    from byteloom.columns.target import Target
    from byteloom.wire.reader import Buffer

__all__ = ["FoundError", "ScanReader"]

_UNBOUNDED: Final = 1 << 62
_WORD: Final = 1 << 63


class FoundError(Exception):
    """The place of the first record; it leaves the classes that read what is before that."""

    def __init__(self, at: int, count: int | None, read: Callable[[Any], Any] | None) -> None:
        """Keep them."""
        super().__init__()
        self.at, self.count, self.read = at, count, read


@dataclass(slots=True)
class _Sought:
    """The field to scan, which a reader and all windows of it look for.

    target  None after the scan, and where there is none
    path    the names of the records that lead to it, from the top; () for the first one
    handed  what reads a record, with what the class around hands to it
    size    of the file, if its classes are left where the scan would begin
    batch   the columns; of no records before the scan
    """

    target: Target | None = None
    binary: Binary = "binary"
    path: tuple[str, ...] = ()
    handed: Callable[[Any], Any] | None = None
    size: int | None = None
    batch: RecordBatch | None = None


class ScanReader(Reader):
    """A reader that scans one repeated field of the record that reads from it or its windows."""

    __slots__ = ("_sought", "_steps")

    _sought: _Sought
    _steps: int

    def begin(
        self,
        target: Target,
        binary: Binary,
        path: tuple[str, ...] = (),
        handed: Callable[[Any], Any] | None = None,
    ) -> None:
        """Scan *target* as soon as it is asked for.

        path    the names of the records that lead to it, from the top; () for the first one
        handed  what reads a record, with what the class around hands to it
        """
        self._sought = _Sought(target, binary, path, handed, batch=target.none(binary))
        self._steps = 0 if path else 1

    @property
    def batch(self) -> RecordBatch:
        """The columns of the records; of none before the scan."""
        batch = self._sought.batch
        if batch is None:
            raise TypeError(self)
        return batch

    def pauses_before(self, size: int) -> None:
        """Raise `FoundError` where the scan would begin, in a file of *size* bytes."""
        self._sought.size = size

    def _view(self, start: int, at: int, end: int, data: Buffer | None = None) -> Self:
        view = super()._view(start, at, end, data)
        view._sought, view._steps = self._sought, self._steps  # noqa: SLF001  (of its own class)
        return view

    def _is_target(self, name: str) -> bool:
        sought = self._sought
        if sought.target is None or sought.target.name != name:
            return False
        return self._spent.depth == self._steps == (len(sought.path) or 1)

    def record(self, name: str, read: Callable[..., Any], given: tuple[Any, ...] = ()) -> Any:
        """Take one record; notice whether it is on the path to the target."""
        sought = self._sought
        path = () if sought.target is None else sought.path
        if self._spent.depth == self._steps < len(path) and path[self._steps] == name:
            self._steps += 1
        return super().record(name, read, given)

    def within(
        self, name: str, size: int, read: Callable[..., Any], given: tuple[Any, ...] = ()
    ) -> Any:
        """Take one record from the next *size* bytes, likewise."""
        return self._within(name, size, read, given)

    # The five ways in which a record class reads repeated fields

    def records(
        self,
        name: str,
        count: int,
        read: Callable[[Self], Any],
        each: int,
        into: list[Any] | None = None,
    ) -> list[Any]:
        """Take *count* records, or scan them."""
        if not self._is_target(name):
            return super().records(name, count, read, each, into)
        self._pause(name, count, each, read)
        self.check_count(name, count, each)
        self._sought.handed = read
        self.scan(count)
        return []

    def records_to_end(
        self, name: str, read: Callable[[Self], Any], into: list[Any] | None = None
    ) -> list[Any]:
        """Take records until the window ends, or scan them."""
        if not self._is_target(name):
            return super().records_to_end(name, read, into)
        self._pause(name, None, 1, read)
        self._sought.handed = read
        self.scan(None)
        return []

    def times(self, name: str, count: int, each: int) -> Iterator[int]:
        """Yield 0 to *count* - 1, or nothing after a scan."""
        if not self._is_target(name):
            return super().times(name, count, each)
        self._pause(name, count, each)
        self.check_count(name, count, each)
        self.scan(count)
        return iter(())

    def to_end(self, name: str) -> Iterator[int]:
        """Yield 0, 1, ... until the window ends, or nothing after a scan."""
        if not self._is_target(name):
            return super().to_end(name)
        self._pause(name, None, 1)
        self.scan(None)
        return iter(())

    def repeatedly(self, name: str) -> Iterator[int]:
        """Yield 0, 1, ..., or nothing after a scan."""
        if not self._is_target(name):
            return super().repeatedly(name)
        self.scan(None)
        return iter(())

    def endless(self, name: str) -> Iterable[None]:
        """Return an endless iterator, or an empty one after a scan."""
        if not self._is_target(name):
            return super().endless(name)
        self.scan(None)
        return ()

    # A scan of a file that is read a window at a time

    def _pause(
        self,
        name: str,
        count: int | None,
        each: int,
        read: Callable[[Self], Any] | None = None,
    ) -> None:
        """Leave the classes that read what is before the records, where that is asked for."""
        size = self._sought.size
        if size is None:
            return
        if count is not None:
            end, self._end = self._end, size
            try:
                self.check_count(name, count, each)
            finally:
                self._end = end
        raise FoundError(self._at, count, read)

    def stands(self, at: int, depth: int) -> None:
        """Stand at byte *at*, inside *depth* records."""
        self._at, self._spent.depth, self._sought, self._steps = at, depth, _Sought(), 0

    @property
    def place(self) -> int:
        """The next byte of the data."""
        return self._at

    @property
    def depth(self) -> int:
        """How many records this is inside of."""
        return self._spent.depth

    def enter(self, name: str) -> None:
        """Stand inside an element of *name*, a level deeper."""
        if self.depth >= self.limits.nesting:
            raise self.exceeds(name, "nesting", self.depth + 1)
        self._spent.depth += 1

    def element(self, name: str, index: int, read: Callable[[Any], Any]) -> Any:
        """Take one element with *read*."""
        try:
            return read(self)
        except FormatError as error:
            raise error.inside(f"{name}[{index}]") from error.__cause__

    def fill(self, count: int) -> Stop:
        """Scan up to *count* records, and return where that stopped."""
        target = self._sought.target
        if target is None:
            raise TypeError(self)
        whole = self.left // target.size if target.size else count
        stop = self._columns(target, min(count, whole))
        ends = stop.code != REFUSED and stop.row < count and target.size and self._end > stop.at
        return Stop(REFUSED, stop.row, stop.at) if ends else stop

    # The scan

    def scan(self, count: int | None) -> None:
        """Scan *count* records (None for all), once, and move past them."""
        target = self._sought.target
        if target is None:
            raise TypeError(self)
        stop = self._columns(target, count)
        self._sought.target = None
        if stop.code == REFUSED:
            raise self.refusal(target, stop)
        self._at = stop.at

    def _columns(self, target: Target, count: int | None) -> Stop:
        """Make the batch of records, and return where it stopped."""
        begin = self._at
        slots, stop = self._filled(target, count)
        while True:
            filled = Filled(self._data, iter(slots), self._sought.binary)
            try:
                self._sought.batch = target.batch(filled, stop.row)
            except BadRowError as error:  # and another column may hold a bad value before it
                stop = self._located(target, begin, error.row)
            else:
                return stop

    def _filled(self, target: Target, count: int | None) -> tuple[list[NDArray[Any]], Stop]:
        if target.loop is None:
            return self._strided(target, count)
        outputs = Outputs(target.columns, self._data, self.limits)
        bounds = self._start, self._at, self._end
        around = self._around(target)
        if around is None:
            return outputs.arrays, Stop(REFUSED, 0, self._at)
        most = _UNBOUNDED if count is None else count
        try:
            stop = outputs.fill(target.loop, *bounds, most, around)
        except TableFullError as error:
            if error.table:
                raise Unsupported(target.name, None, "lists of more than 2^31 elements") from None
            raise self.exceeds(target.name, "elements", self.limits.elements + 1) from None
        return outputs.arrays, stop

    def _around(self, target: Target) -> tuple[int, ...] | None:
        """Return what the loop is given of records around; None for what it cannot take."""
        if target.around is None:
            return ()
        try:
            found = target.around(getattr(self._sought.handed, "keywords", {}))
        # The class raises the error about what is missing.
        except (AttributeError, KeyError, TypeError):
            return None
        return found if all(-_WORD <= each < _WORD for each in found) else None

    def _strided(self, target: Target, count: int | None) -> tuple[list[NDArray[Any]], Stop]:
        size, begin = target.size, self._at
        if count is None:
            self.check_count(target.name, self.left // size, size)
        rows = Rows(self._data, begin, size, self.left // size if count is None else count)
        slots, row = fill_rows(target.columns, rows, target.wrong)
        ends_well = row == rows.count and (count is not None or not self.left % size)
        return slots, Stop(DONE if ends_well else REFUSED, row, begin + row * size)

    def _located(self, target: Target, begin: int, row: int) -> Stop:
        """Return the offset of record *row*, if the first is at *begin*."""
        if target.loop is None:
            return Stop(REFUSED, row, begin + row * target.size)
        outputs = Outputs(target.columns, self._data, self.limits)
        around = self._around(target) or ()
        stop = outputs.fill(target.loop, self._start, begin, self._end, row, around)
        return Stop(REFUSED, row, stop.at)

    def refusal(self, target: Target, stop: Stop, before: int = 0) -> FormatError:
        """Return the error of the record class about the record that the scan stopped at.

        before  records that were scanned before
        """
        row = before + stop.row
        self._at, self._element = stop.at, (target.name, row, self._spent.depth)
        try:
            if self._sought.handed is None:
                record = target.take(self)
            else:
                record = self.record(target.name, self._sought.handed)
            batch_of(target.columns, [record], "view", lambda _: f"{target.name}[{row}]")
        except FormatError as error:
            return error
        if self._at == stop.at:
            return self.invalid(
                target.name, self.offset, "an element of 0 bytes", "elements up to the end"
            )
        wanted = "numbers and sizes that fit 63 bits, which scanners calculate in"
        return Unsupported(f"{target.name}[{row}]", stop.at + self._origin, "more", wanted)
