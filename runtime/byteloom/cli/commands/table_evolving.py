"""``byteloom table evolve``: columns, partition fields, sort order and version, in one commit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import JSONDecodeError, loads
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.commands.table_changes import show_metadata
from byteloom.cli.inputs.tables import Place, TableAccess, table_access
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.groups import option_group
from byteloom.cli.options.parsers import pairs

if TYPE_CHECKING:
    from byteloom.iceberg.commits.evolving import Evolution

__all__ = ["evolve"]

_MOVE: Final = re.compile(r"(.+?) (?:(first)|(before|after) (.+))")
_Texts = list[str] | None


def _repeated(name: str, form: str, what: str) -> Any:
    """Return an option that can be given several times."""
    return typer.Option(name, metavar=form, help=f"{what}; repeatable.")


@dataclass(frozen=True, slots=True)
class _Columns:
    """What becomes of columns."""

    add: Annotated[_Texts, _repeated("--add", "NAME=TYPE", "Add a column")] = None
    drop: Annotated[_Texts, _repeated("--drop", "NAME", "Drop a column")] = None
    rename: Annotated[_Texts, _repeated("--rename", "NAME=NEW", "Rename a column")] = None
    promote: Annotated[
        _Texts, _repeated("--promote", "NAME=TYPE", "Give a column a wider type")
    ] = None
    default: Annotated[
        _Texts, _repeated("--default", "NAME=VALUE", "The default of a column, in version 3")
    ] = None
    doc: Annotated[_Texts, _repeated("--doc", "NAME=TEXT", "What a column is, in words")] = None
    optional: Annotated[_Texts, _repeated("--optional", "NAME", "Allow nulls in a column")] = None
    require: Annotated[_Texts, _repeated("--require", "NAME", "Forbid nulls in a column")] = None
    move: Annotated[
        _Texts,
        _repeated("--move", "MOVE", "Move a column: 'a first', 'a before b' or 'a after b'"),
    ] = None
    identify_by: Annotated[
        _Texts, _repeated("--identify-by", "NAME", "A column that identifies rows, with the others")
    ] = None

    def change(self, table: Evolution[Any]) -> None:
        """Add these changes to an evolution."""
        required = {*(self.require or ())}
        given = pairs(self.default, "--default", "NAME=VALUE")
        defaults = {name: _value(text) for name, text in given.items()}
        added = pairs(self.add, "--add", "NAME=TYPE")
        for name, of in added.items():
            default = defaults.pop(name, None)
            table.add_column(name, of, required=name in required, default=default)
        for name, of in pairs(self.promote, "--promote", "NAME=TYPE").items():
            table.update_column(name, of)
        for name, value in defaults.items():
            table.update_column(name, default=value)
        for name, text in pairs(self.doc, "--doc", "NAME=TEXT", may_be_empty=True).items():
            table.update_column(name, doc=text or None)
        for name, new in pairs(self.rename, "--rename", "NAME=NEW").items():
            table.rename_column(name, new)
        self._change_by_name(table, sorted(required - added.keys()))

    def _change_by_name(self, table: Evolution[Any], required: list[str]) -> None:
        """Add the changes that say no more than a name, or two."""
        for name in self.optional or ():
            table.make_optional(name)
        for name in required:
            table.make_required(name)
        for name in self.drop or ():
            table.drop_column(name)
        for each in self.move or ():
            _move(table, each)
        if self.identify_by is not None:
            table.identify_by(*self.identify_by)


@dataclass(frozen=True, slots=True)
class _NewFiles:
    """How new files are partitioned and sorted."""

    partition_by: Annotated[
        _Texts, _repeated("--partition-by", "TERM", "Add a partition field: country, day(ts)")
    ] = None
    drop_partition: Annotated[
        _Texts, _repeated("--drop-partition", "NAME", "Drop a partition field: ts_day")
    ] = None
    rename_partition: Annotated[
        _Texts, _repeated("--rename-partition", "NAME=NEW", "Rename a partition field")
    ] = None
    sort_by: Annotated[
        _Texts, _repeated("--sort-by", "TERM", "A key of the new sort order: ts desc nulls last")
    ] = None
    unsorted: Annotated[bool, typer.Option("--unsorted", help="Do not sort new files.")] = False

    def change(self, table: Evolution[Any]) -> None:
        """Add these changes to an evolution."""
        if self.unsorted and self.sort_by:
            raise typer.BadParameter("one of the two", param_hint="--sort-by, --unsorted")
        for name in self.drop_partition or ():
            table.drop_partition_field(name)
        for name, new in pairs(self.rename_partition, "--rename-partition", "NAME=NEW").items():
            table.rename_partition_field(name, new)
        for term in self.partition_by or ():
            table.add_partition_field(term)
        if self.unsorted or self.sort_by:
            table.sort_by(*(self.sort_by or ()))


@as_json
@table_access
@option_group("files", _NewFiles)
@option_group("columns", _Columns)
def evolve(  # noqa: PLR0913  groups of options
    table: Place,
    *,
    format_version: Annotated[
        int | None,
        typer.Option("--format-version", metavar="NUMBER", help="Upgrade to version 2 or 3."),
    ] = None,
    allow_incompatible: Annotated[
        bool,
        typer.Option(
            "--allow-incompatible", help="Allow --require where rows that exist may have nulls."
        ),
    ] = False,
    columns: _Columns,
    files: _NewFiles,
    access: TableAccess,
    json: bool,
) -> None:
    """Change columns, partition fields, the sort order and the version, all in one commit."""
    made = access.open(table).evolve(allow_incompatible=allow_incompatible)
    columns.change(made)
    files.change(made)
    if format_version is not None:
        made.upgrade(format_version)
    show_metadata(made.commit(), json=json)


def _move(table: Evolution[Any], text: str) -> None:
    """Move a column as a text says."""
    found = _MOVE.fullmatch(text)
    if found is None:
        wanted = "NAME first, NAME before OTHER or NAME after OTHER"
        raise typer.BadParameter(f"found {text!r}, wanted {wanted}", param_hint="--move")
    name, is_first, where, other = found.groups()
    if is_first:
        table.move_first(name)
    elif where == "before":
        table.move_before(name, other)
    else:
        table.move_after(name, other)


def _value(text: str) -> Any:
    """Return the default that a text is: a number or a truth value as in JSON, else the text."""
    try:
        return loads(text)
    except JSONDecodeError:
        return text
