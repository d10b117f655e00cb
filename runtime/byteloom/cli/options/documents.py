"""Options of commands that print one document: as text, as JSON, as YAML.

All of them take ``--format`` and ``--json``, which is short for ``--format json``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from byteloom.cli.options.groups import option_group
from byteloom.cli.printing.advice import generator_install
from byteloom.cli.printing.streams import print_utf8
from byteloom.cli.printing.value_text import json_text
from byteloom.errors import ByteloomError

__all__ = ["Document", "JsonLines", "as_json", "document", "print_document", "refuse_two_forms"]

JsonLines = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]


class Document(StrEnum):
    """The formats in which a document can be printed (``--format``)."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"


class _Lines(StrEnum):
    """The formats in which lines can be printed (``--format``)."""

    TEXT = "text"
    JSON = "json"


def _document(
    form: Annotated[
        Document | None,
        typer.Option("--format", metavar="FORM", help="text (the default), json or yaml."),
    ] = None,
    *,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document: --format json.")
    ] = False,
) -> Document:
    refuse_two_forms(form, json=json)
    chosen = Document.JSON if json else form or Document.TEXT
    if chosen is not Document.TEXT:
        print_utf8()
    return chosen


def _as_json(
    form: Annotated[
        _Lines | None,
        typer.Option("--format", metavar="FORM", help="text (the default) or json."),
    ] = None,
    *,
    json: JsonLines = False,
) -> bool:
    refuse_two_forms(form, json=json)
    is_json = json or form is _Lines.JSON
    if is_json:
        print_utf8()
    return is_json


document = option_group("form", _document)
"""Gives a command these options, and passes it a `Document` as *form*."""

as_json = option_group("json", _as_json)
"""Gives a command that prints lines these options, and passes as *json* whether to print JSON."""


def print_document(value: Any, form: Document) -> None:
    """Print a value of JSON's types as JSON or YAML."""
    if form is Document.YAML:
        typer.echo(_yaml(value), nl=False)
        return
    typer.echo(json_text(value, indent=2))


def _yaml(value: Any) -> str:
    try:
        from yaml import safe_dump
    except ModuleNotFoundError as error:
        wanted = f"what {generator_install()} installs"
        raise ByteloomError(
            f"--format yaml: found no module {error.name}, wanted {wanted}"
        ) from error
    text: str = safe_dump(value, sort_keys=False, allow_unicode=True)
    return text


def refuse_two_forms(form: StrEnum | None, *, json: bool) -> None:
    """Refuse ``--json`` beside another form; `typer.BadParameter`."""
    if json and form not in {None, "json"}:
        raise typer.BadParameter(f"--json is not --format {form}", param_hint="--json, --format")
