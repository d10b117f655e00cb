"""Files that are being written: they appear when they are finished, or leave no trace."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self
from warnings import warn
from weakref import finalize

from byteloom.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from byteloom.storage import Target

__all__ = ["NewFile"]


class NewFile:
    """What all writers share; a writer calls `_begin` first, and defines how its file ends.

    In a ``with`` block a file is finished at its end, and abandoned after an exception.  A writer
    that is dropped without `finish` or `abort` leaves nothing, and warns.
    """

    _target: Target
    _dropped: finalize[..., Any]

    def _begin(self, target: Target, *give_up: Callable[[], object]) -> None:
        """Write to *target* from now on.

        give_up  what else to call when the file is abandoned; none of it may lead to the writer,
                 which would then never be dropped
        """
        self._target = target
        self._dropped = finalize(self, _drop, target, give_up)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.abort()
        elif self._is_open:
            self.finish()

    def finish(self) -> None:
        """Write the rest of the file, and make it appear under its name."""
        with self._writing():
            self._put_end()
            self._target.commit()
        self._dropped.detach()

    def abort(self) -> None:
        """Abandon the file; nothing of it remains.  After `finish` this does nothing."""
        abandoned = self._dropped.detach()
        if abandoned:
            _, _, (target, give_up), _ = abandoned
            _abandon(target, give_up)

    def _put_end(self) -> None:
        """Write what a file has after everything that was added to it."""
        raise NotImplementedError

    @property
    def _is_open(self) -> bool:
        return self._dropped.alive

    def _check_open(self) -> None:
        if not self._is_open:
            raise StorageError(f"{self._target.name}: the writer is closed")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Refuse a closed writer, and abandon the file where a ``with`` block fails."""
        self._check_open()
        try:
            yield
        except BaseException:
            self.abort()
            raise


def _abandon(target: Target, give_up: tuple[Callable[[], object], ...]) -> None:
    for each in give_up:
        each()
    target.abort()


def _drop(target: Target, give_up: tuple[Callable[[], object], ...]) -> None:
    """Abandon the file of a writer that was garbage-collected without `finish` or `abort`."""
    _abandon(target, give_up)
    warn(f"{target.name}: writer not finished, nothing written", ResourceWarning, stacklevel=2)
