"""Advice in errors: commands to run, ready to be pasted into a shell."""

from __future__ import annotations

from contextlib import contextmanager
from shlex import join
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ByteloomError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import typer

__all__ = ["again", "command", "generator_imports", "generator_install", "remember"]


_RUNNING: Final = ["byteloom"]
"""The command that is being run."""


def generator_install() -> str:
    """Return the command that installs the generator's libraries, in backticks."""
    from byteloom.extras import installing  # late: it reads the metadata of the installation

    return f"`{installing('codegen')}`"


@contextmanager
def generator_imports() -> Iterator[None]:
    """Let the block import from the generator.

    raises  `ByteloomError` for a library of it that is not installed
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("byteloom"):
            raise
        advice = f"found no module {error.name}, wanted what {generator_install()} installs"
        raise ByteloomError(f"{command()}: {advice}") from error


def command() -> str:
    """Return the command that is being run, as it is typed: ``table scan``."""
    return _RUNNING[0]


def remember(path: str) -> None:
    """Note which command is run: ``byteloom table scan``."""
    _RUNNING[0] = path.partition(" ")[2] or path


def again(context: typer.Context, *, without: str = "check") -> str:
    """Return the command line of *context*, its option *without* left out."""
    words: list[str] = []
    for param in context.command.params:
        value = context.params.get(param.name or "")
        if param.name != without and value != param.default:
            words += _words(param, value)
    return join(["byteloom", context.info_name or "", *words])


def _words(param: Any, value: Any) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    if param.param_type_name == "argument":
        return [str(each) for each in values]
    if value is False:
        return [*param.secondary_opts[:1]]
    option: str = min(param.opts, key=len)
    return [option] if value is True else [word for each in values for word in (option, str(each))]
