"""Advice in errors: commands to run, ready to be pasted into a shell."""

from __future__ import annotations

from shlex import join
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import typer

__all__ = ["CODEGEN", "INSTALL", "again"]

INSTALL: Final = "`pip install 'byteloom[codegen]'`"
"""Brings the generator, wherever byteloom was installed from; quoted for zsh, where bare brackets
are a pattern.
"""

CODEGEN: Final = f"wanted what {INSTALL} brings"


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
