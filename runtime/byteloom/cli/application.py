"""The common parts of all commands: the form of their help, and how they end.

- Help names arguments as the docs do, FILE and not {FILE}, and shows no type of a switch.
- An error is one line, ``byteloom: where: found, wanted``, however wide the terminal; after wrong
  usage a second line says which help to read.
- ``NO_COLOR``, a dumb terminal and a pipe get no escape sequence at all.
- A reader that closes the pipe (``| head``) is not an error, but shown by the exit status, as
  usual.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import contextmanager, suppress
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from byteloom.cli.options.converters import convert_plainly
from byteloom.cli.printing.advice import remember
from byteloom.cli.printing.streams import allow_any_text, is_plain
from byteloom.errors import ByteloomError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Application", "Top"]

_F = TypeVar("_F", bound="Callable[..., Any]")

INTERRUPTED: Final = 130
"""What a shell reports for a program that Ctrl-C ended: 128 and SIGINT."""

PIPE_CLOSED: Final = 141
"""What a shell reports for a program whose reader has closed the pipe: 128 and SIGPIPE."""

_USAGE: Final[Any] = typer.BadParameter.__base__
"""Any wrong usage; typer exports only this child of the class."""


_BY_SPEC: Final = "`byteloom describe FILE --spec SPEC` shows a file of any format."
_AS_PAGE: Final = "`byteloom inspect --html`, or `describe --html` with a spec, prints the page."
_ELSEWHERE: Final = {
    ("inspect", "--spec"): _BY_SPEC,
    ("inspect", "-s"): _BY_SPEC,
    ("verify", "--spec"): _BY_SPEC,
    ("explore", "--html"): _AS_PAGE,
    ("verify", "--html"): _AS_PAGE,
}
"""Options that a command lacks and another has, each with the advice of the error."""

_UNWRITTEN: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Errors of the system for a full device."""


class _House:
    """The layout of help, for commands and groups."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        """Fold the paragraphs of the help to the width of the terminal."""
        super().__init__(*args, **settings)
        self.help: str | None
        if self.help:
            paragraphs = cleandoc(self.help).split("\n\n")
            self.help = "\n\n".join(" ".join(each.split()) for each in paragraphs)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return options and arguments, as they convert values and as help shows them.

        Where a value needs no explanation, help shows no type.
        """
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in found:
            convert_plainly(each)
            if each.param_type_name == "argument":
                each.display_type_rich = lambda **_: None
            elif getattr(each, "is_flag", False):
                each.metavar = ""
        return found

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        if is_plain():
            from typer import rich_utils

            rich_utils.COLOR_SYSTEM = None
        try:
            super().format_help(ctx, formatter)  # type: ignore[misc]
        except SystemExit as error:  # rich ends a program with this status when its pipe is closed
            raise BrokenPipeError from error


class _Command(_House, TyperCommand):
    """One command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; for too many arguments, name the first and count them."""
        allowed, ctx.allow_extra_args = ctx.allow_extra_args, True
        try:
            super().parse_args(ctx, args)
        except _USAGE as error:  # the parser knows no command
            error.ctx = error.ctx or ctx
            hint = _ELSEWHERE.get((ctx.info_name, getattr(error, "option_name", "")))
            if hint is not None:
                error.message += f". {hint}"
                error.possibilities = None
            raise
        ctx.allow_extra_args = allowed
        if ctx.args and not allowed and not ctx.resilient_parsing:
            more = f" and {len(ctx.args) - 1} more" if len(ctx.args) > 1 else ""
            wanted = " ".join(self.collect_usage_pieces(ctx)[1:]) or "no argument"
            many = "; `byteloom verify` takes many files" if wanted == "FILE" else ""
            message = f"unexpected argument {ctx.args[0]!r}{more}, wanted {wanted}{many}"
            raise _USAGE(message, ctx)
        return list(ctx.args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        remember(ctx.command_path)
        return super().invoke(ctx)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the part of the usage line after the command: ``[OPTIONS] FILE...``."""
        arguments = [each for each in self.get_params(ctx) if each.param_type_name == "argument"]
        return [self.options_metavar or "", *map(_usage, arguments)]


class _Commands(_House, TyperGroup):
    """A group of commands."""


class Application(typer.Typer):
    """Commands, or groups of them, with byteloom's form of help."""

    def __init__(self, **settings: Any) -> None:
        """Take typer's own settings."""
        house = {"cls": _Commands, "no_args_is_help": True, "add_completion": False}
        look = {"pretty_exceptions_enable": False, "rich_markup_mode": "rich"}
        super().__init__(**{**house, **look, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Callable[[_F], _F]:
        """Return the decorator that makes a function a command."""
        return super().command(name, **{"cls": _Command, **settings})


class Top(_Commands):
    """The top-level group, which turns errors into a line and an exit status."""

    def main(self, *args: Any, **settings: Any) -> NoReturn:
        """Run the command line, and end the process with its status."""
        settings["standalone_mode"] = False
        try:
            with _reported():
                _need_output()
                allow_any_text()
                try:
                    status = super().main(*args, **settings)
                finally:
                    _flush()
        except typer.Exit as error:
            status = error.exit_code
        sys.exit(status)

    def make_context(self, *args: Any, **settings: Any) -> Any:
        """Return the parsed command line; ``--help`` and ``--version`` print and end here."""
        with _reported():
            return super().make_context(*args, **settings)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first word names; of a file, say which command shows it."""
        try:
            return super().resolve_command(ctx, args)
        except _USAGE as error:
            if os.path.exists(args[0]):  # noqa: PTH110  Path's may raise
                error.message += f" `byteloom inspect {args[0]}` shows a file."
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        with _reported():
            return super().invoke(ctx)


@contextmanager
def _reported() -> Iterator[None]:
    """Turn an error into a line on stderr and an exit status."""
    try:
        try:
            yield
        except _USAGE as error:
            raise _misused(error) from error
        except KeyboardInterrupt as error:
            raise typer.Exit(INTERRUPTED) from error
        except ByteloomError as error:
            raise _failed(str(error)) from error
        except BrokenPipeError:
            raise
        except OSError as error:
            with suppress(OSError):  # what is buffered would fail, and be reported, once more
                _flush()
            raise _failed(f"{_place(error)}{error.strerror or error}") from error
    except BrokenPipeError as error:  # of stdout, or of stderr while a message was written there
        _forget_output()
        raise typer.Exit(PIPE_CLOSED) from error


def _place(error: OSError) -> str:
    """Return the place of a failure; our own errors name the file, errors of streams do not."""
    if error.filename:
        return f"{error.filename}: "
    return "standard output: " if error.errno in _UNWRITTEN else ""


def _usage(argument: Any) -> str:
    """An argument as the usage line shows it."""
    name = argument.metavar or argument.name.upper()
    if argument.nargs != 1 and "..." not in name:
        name += "..."
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _failed(message: str) -> typer.Exit:
    typer.echo(f"byteloom: {message}", err=True)
    return typer.Exit(1)


def _misused(error: Any) -> typer.Exit:
    error.message = error.message.removeprefix("Value error, ")  # pydantic's words
    message = error.format_message()
    if message:  # without arguments help was printed already
        command = error.ctx.command_path if error.ctx else "byteloom"
        typer.echo(f"byteloom: {message}\nTry '{command} --help'.", err=True)
    return typer.Exit(error.exit_code)


def _need_output() -> None:
    """Refuse to run if stdout is closed (``>&-``); messages to a closed stderr are dropped."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  for all of the run
    if sys.stdout is None:
        raise StorageError("standard output: found it closed, wanted it open for writing")


def _flush() -> None:
    """Write what is buffered now, while a failure can still be reported."""
    try:
        sys.stdout.flush()
    except OSError:
        _forget_output()
        raise


def _forget_output() -> None:
    """Discard unwritten output: Python would try again to write it at exit, and fail."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
