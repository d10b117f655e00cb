"""Options convert plain values by themselves, to the same results as typer."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from tests.support.cli import commands, top

TEXTS = (
    "",
    "x",
    "7",
    "007",
    "-7",
    " 7",
    "7_0",
    "\u0667",
    "9" * 18,
    "9" * 19,
    "9" * 5000,
    "hex",
    "HEX",
)


def parameters() -> Iterator[Any]:
    """Yield every option and argument of every command, named by its command."""
    for words, command in {"": top(), **commands()}.items():
        context = typer.Context(command, resilient_parsing=True)
        for each in command.get_params(context):
            yield pytest.param(each, context, id=f"byteloom {words} {each.name}")


WHOLE = "wanted a whole number"
"""What our errors say of text that is no number, instead of pydantic's words."""

USAGE_ERROR: Any = typer.BadParameter.__base__


def outcome(convert: Any, context: Any, value: Any) -> Any:
    """Return what a conversion gives, or the error that it raises."""
    try:
        found = convert(context, value)
    except USAGE_ERROR as error:
        message = error.format_message()
        is_number = "Input should be a valid integer" in message or message.endswith(WHOLE)
        return type(error), WHOLE if is_number else message
    return type(found), found


@pytest.mark.parametrize(("parameter", "context"), [*parameters()])
def test_values_are_what_typer_makes_of_them(parameter: Any, context: Any) -> None:
    """None, text, digits and choices are converted as typer does."""
    own, typers = parameter.process_value, type(parameter).process_value.__get__(parameter)
    assert own != typers
    has_many = parameter.multiple or parameter.nargs == -1
    for value in (None, *([text, "7"] for text in TEXTS)) if has_many else (None, -1, *TEXTS):
        assert outcome(own, context, value) == outcome(typers, context, value), value
