"""Values that are remembered while somebody waits for the answer to one question.

A calculated value is not kept: the fields that it follows from may change.  While one is being
calculated nothing changes, so that whatever it asks for needs to be calculated only once; and what
is asked for while it is still being calculated, or read, asks for itself.
"""

from __future__ import annotations

from functools import wraps
from threading import local
from typing import TYPE_CHECKING, Any, Final, TypeVar

from byteloom.errors import FormatError, LimitExceeded

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["once"]

_S = TypeVar("_S")
_T = TypeVar("_T")

_OPEN: Final = object()
"""Stands for a value that is still being calculated."""


class _Question(local):
    """The answers so far, to the question that this thread asks; None while it asks nothing."""

    answers: dict[tuple[int, object], tuple[object, Any]] | None = None


_QUESTION: Final = _Question()


def once(get: Callable[[_S], _T]) -> Callable[[_S], _T]:
    """Make *get* answer once in the course of one question.

    errors  FormatError: it asks for itself; LimitExceeded: it asks through too many others
    """

    @wraps(get)
    def answer(self: _S) -> _T:
        answers = _QUESTION.answers
        if answers is not None:
            return _answered(get, self, answers)
        _QUESTION.answers = answers = {}
        try:
            return _answered(get, self, answers)
        except RecursionError as error:
            found, wanted = "values that ask for one another", "fewer steps between them"
            raise LimitExceeded(get.__name__, None, found, wanted) from error
        finally:
            _QUESTION.answers = None

    return answer


def _answered(
    get: Callable[[_S], _T], record: _S, answers: dict[tuple[int, object], tuple[object, Any]]
) -> _T:
    key = id(record), get
    known = answers.get(key)
    if known is None:
        answers[key] = record, _OPEN
        value = get(record)
        answers[key] = record, value  # with the record, so that no other gets its id
        return value
    if known[1] is _OPEN:
        raise FormatError(get.__name__, None, "a value that asks for itself", "one that does not")
    answer: _T = known[1]
    return answer
