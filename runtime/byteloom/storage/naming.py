"""Errors that name the file they are in.

Code that reads bytes knows only offsets; code that opens a file knows its name.  `about_file` adds
the name in a block of code, `naming` in all methods of an open file, generators and properties
included.  Errors about arguments name what the caller opened, if that is a folder with many files.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, wraps
from typing import Any, Protocol, TypeVar

from byteloom.errors import ArgumentError, FormatError, MissingFile

__all__ = ["Named", "about_file", "missing_from", "naming"]


class Named(Protocol):
    """An open file, or a part of one.

    file_name  name of the file; None for bytes without a name

    A class whose users open a folder has its path as ``place_name``.
    """

    @property
    def file_name(self) -> str | None:
        """The name of the file."""


def _add_name(named: Named, error: FormatError) -> None:
    """Make *error* name the file, or the folder that the caller opened if an argument is wrong."""
    name = named.file_name
    if isinstance(error, ArgumentError):
        name = getattr(named, "place_name", name)
    if name is not None:
        error.in_file(name)


_T = TypeVar("_T", bound=type)


class about_file:  # noqa: N801  as contextlib.closing, and in a third of a generator's time
    """Make errors of a ``with`` block name a file, unless they already name another.

    name  of the file; None changes nothing
    """

    __slots__ = ("_name",)

    def __init__(self, name: str | None) -> None:
        """Name the file of the block."""
        self._name = name

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        """Add the name to the error of the block."""
        if self._name is not None and isinstance(error, FormatError):
            error.in_file(self._name)


@contextmanager
def missing_from(named_by: str | None) -> Iterator[None]:
    """Make the error of a missing file say what names it, unless it does; None changes nothing."""
    try:
        yield
    except MissingFile as error:
        if named_by is not None:
            error.because_of(named_by)
        raise


def naming(cls: _T) -> _T:
    """Make errors of every public method and property of *cls*, a `Named`, name its file."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_") or name in {"file_name", "place_name"}:
            continue
        if inspect.isfunction(member):
            setattr(cls, name, _named(member))
        elif isinstance(member, property) and member.fget is not None:
            setattr(cls, name, property(_named(member.fget), doc=member.__doc__))
        elif isinstance(member, cached_property):
            member.func = _named(member.func)
    return cls


def _named(method: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.isgeneratorfunction(method):

        @wraps(method)
        def items(self: Named, *args: Any, **settings: Any) -> Iterator[Any]:
            try:
                yield from method(self, *args, **settings)
            except FormatError as error:
                _add_name(self, error)
                raise

        return items

    @wraps(method)
    def result(self: Named, *args: Any, **settings: Any) -> Any:
        try:
            return method(self, *args, **settings)
        except FormatError as error:
            # `about_file` would take longer, and cursors call this for each cell
            _add_name(self, error)
            raise

    return result
