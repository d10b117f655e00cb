"""Cache calculated values for the duration of one request.

Calculated values are not cached longer, since the fields that they depend on may change.  While
one value is being calculated nothing changes, so each value that it needs is calculated once;
and a value that is needed while it is still being calculated, or read, depends on itself.
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
"""Marks a value that is still being calculated."""


class _Question(local):
    """The values calculated so far for this thread's request; None outside a request."""

    answers: dict[tuple[int, object], tuple[object, Any]] | None = None


_QUESTION: Final = _Question()


def once(get: Callable[[_S], _T]) -> Callable[[_S], _T]:
    """Make *get* calculate its value only once during a request.

    errors  FormatError: it depends on itself; LimitExceeded: the chain of values is too long
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
        raise FormatError(
            get.__name__, None, "a value that asks for itself", "a value that does not"
        )
    answer: _T = known[1]
    return answer
