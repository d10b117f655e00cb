"""Options that belong together, written once and passed to a command as one value.

A command has one parameter for the value that the options make; `option_group` replaces it with
the options, for typer to see.  The value is a frozen dataclass: its fields are the options, or a
function makes it of them.
"""

from __future__ import annotations

from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["option_group"]

_F = TypeVar("_F", bound="Callable[..., Any]")


def option_group(name: str, made: Callable[..., Any]) -> Callable[[_F], _F]:
    """Return a decorator: the parameter *name* of a command becomes the options of *made*.

    made  a function or a class that is called with these options, and returns the argument
    """
    options = _parameters(made)

    def decorate(command: _F) -> _F:
        own = [each for each in _parameters(command) if each.name != name]
        every = [*own, *options]

        @wraps(command)
        def run(**given: Any) -> Any:
            of_all = {each.name: given.pop(each.name) for each in options}
            return command(**given, **{name: made(**of_all)})

        del run.__dict__["__wrapped__"]  # typer would look through to it
        run.__dict__["__signature__"] = signature(command).replace(parameters=every)
        run.__annotations__ = {each.name: each.annotation for each in every}
        return cast("_F", run)

    return decorate


def _parameters(function: Callable[..., Any]) -> list[Parameter]:
    """Its parameters, by name only, with annotations that are values and no text."""
    hints = get_type_hints(function, include_extras=True)
    return [
        each.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[each.name])
        for each in signature(function).parameters.values()
    ]
