"""Values of options that are converted without typer's own means.

- Typer makes a pydantic adapter for each parameter of a command, given or not; importing pydantic
  takes as much processor time as a small file.  Simple values are converted here: text, paths,
  flags, digits, names of a choice, and values with their own parser.
- All other values go to typer, including wrong ones, except text that is not a number: pydantic's
  message for that is written for programmers.
"""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["convert_plainly"]

_DIGITS: Final = 18
"""The most digits of a number that certainly fits 64 bits."""

_NUMERIC: Final = re.compile(r"\s*[+-]?[\d_.]+\s*")
"""Texts that typer may take for numbers."""

_LEFT: Final = object()
"""Marks a value that is left to typer."""


def convert_plainly(parameter: Any) -> None:
    """Let *parameter*, an argument or an option of typer's, convert plain values by itself."""
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None or "process_value" in vars(parameter):  # an older typer; done before
        return
    process = parameter.process_value
    nothing = () if parameter.multiple or parameter.nargs == -1 else None
    converter = _converter(descriptor.annotation, descriptor.parameter_info.parser)

    def process_value(context: Any, value: Any) -> Any:
        is_left_out = value is None and not parameter.required
        plain = nothing if is_left_out else converter(value)
        if plain is _LEFT:
            return process(context, value)
        return (
            plain if parameter.callback is None else parameter.callback(context, parameter, plain)
        )

    parameter.process_value = process_value


def _converter(annotation: Any, parser: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """Return the function that converts a text to *annotation*; it returns `_LEFT` for others."""
    if get_origin(annotation) is list:
        item = _converter(get_args(annotation)[0], parser)
        return lambda value: _all_of(value, item)
    if parser is not None:
        return lambda value: _parsed(value, parser)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return lambda value: _choice(value, annotation)
    return _PLAIN.get(annotation, lambda _: _LEFT)


def _all_of(values: Any, item: Callable[[Any], Any]) -> Any:
    if not isinstance(values, list | tuple) or not values:
        return _LEFT
    plain = [item(each) for each in values]
    return _LEFT if _LEFT in plain else plain


def _parsed(value: Any, parser: Callable[[Any], Any]) -> Any:
    try:
        return parser(value)
    except ValueError:
        return _LEFT


def _number(value: Any) -> Any:
    if type(value) is int:  # the default
        return value
    if isinstance(value, str) and not _NUMERIC.fullmatch(value):
        raise typer.BadParameter(f"found {value!r}, wanted a whole number")
    is_plain = isinstance(value, str) and value.isascii() and value.isdecimal()
    return int(value) if is_plain and len(value) <= _DIGITS else _LEFT


_PLAIN: Final[dict[Any, Callable[[Any], Any]]] = {
    str: lambda value: value if isinstance(value, str) else _LEFT,
    Path: lambda value: Path(value) if isinstance(value, str) else _LEFT,
    bool: lambda value: value if isinstance(value, bool) else _LEFT,
    int: _number,
}
"""Return the function that converts a value of a type other than a choice."""


def _choice(value: Any, choices: type[Enum]) -> Any:
    return next((each for each in choices if value in {each, each.value}), _LEFT)
