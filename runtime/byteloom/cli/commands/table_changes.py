"""``byteloom table set``, ``branch``, ``tag``, ``rollback``, ``fast-forward`` and ``cherry-pick``.

They change metadata alone, each in one commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from byteloom.cli.inputs.tables import (
    Place,
    TableAccess,
    TableState,
    moment_of,
    table_access,
    table_state,
)
from byteloom.cli.options.documents import as_json
from byteloom.cli.options.parsers import pairs
from byteloom.cli.printing.value_text import json_text

if TYPE_CHECKING:
    from byteloom.iceberg import Table

__all__ = ["branch", "cherry_pick", "fast_forward", "rollback", "set_", "show_metadata", "tag"]

_Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name.")]
_At = Annotated[
    int | None,
    typer.Option("--snapshot", metavar="ID", help="The snapshot; the current one by default."),
]
_MaxAge = Annotated[
    str | None,
    typer.Option("--max-age", metavar="TIME", help="How long it is kept: 90d, 12h, 30m, 10s."),
]
_Delete = Annotated[bool, typer.Option("--delete", help="Delete it; its snapshots stay.")]


@as_json
@table_access
def set_(
    table: Place,
    properties: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Properties to set.")
    ] = None,
    *,
    remove: Annotated[
        list[str] | None,
        typer.Option("--remove", metavar="NAME", help="Remove a property; repeatable."),
    ] = None,
    access: TableAccess,
    json: bool,
) -> None:
    """Set and remove properties of an Iceberg table, in one commit."""
    from byteloom.iceberg.commits.references import change_properties  # late: it loads Arrow

    changed = pairs(properties, "NAME=VALUE", "NAME=VALUE", may_be_empty=True)
    if not (changed or remove):
        raise typer.BadParameter("one of the two at least", param_hint="NAME=VALUE, --remove")
    show_metadata(change_properties(access.open(table), changed, remove or ()), json=json)


@as_json
@table_access
def branch(  # noqa: PLR0913  each is an option
    table: Place,
    name: _Name,
    *,
    snapshot: _At = None,
    max_age: _MaxAge = None,
    max_snapshot_age: Annotated[
        str | None,
        typer.Option("--max-snapshot-age", metavar="TIME", help="How long its snapshots are kept."),
    ] = None,
    min_snapshots: Annotated[
        int | None,
        typer.Option("--min-snapshots", metavar="NUMBER", help="How many are kept at least."),
    ] = None,
    delete: _Delete = False,
    access: TableAccess,
    json: bool,
) -> None:
    """Create a branch of an Iceberg table, or delete one."""
    settings: dict[str, Any] = {
        "snapshot": snapshot,
        "max_age": max_age,
        "max_snapshot_age": max_snapshot_age,
        "min_snapshots": min_snapshots,
    }
    found = access.open(table)
    if delete:
        _delete(found, name, "branch", settings, json=json)
        return
    _show_ref(found.create_branch(name, **settings), name, json=json)


@as_json
@table_access
def tag(  # noqa: PLR0913  each is an option
    table: Place,
    name: _Name,
    *,
    snapshot: _At = None,
    max_age: _MaxAge = None,
    delete: _Delete = False,
    access: TableAccess,
    json: bool,
) -> None:
    """Create a tag of an Iceberg table, or delete one."""
    found = access.open(table)
    if delete:
        _delete(found, name, "tag", {"snapshot": snapshot, "max_age": max_age}, json=json)
        return
    _show_ref(found.create_tag(name, snapshot=snapshot, max_age=max_age), name, json=json)


@as_json
@table_state
def rollback(
    table: Place,
    branch: Annotated[
        str, typer.Option("--branch", metavar="NAME", help="The branch that moves back.")
    ] = "main",
    *,
    state: TableState,
    json: bool,
) -> None:
    """Move a branch of an Iceberg table back to an earlier snapshot of its own."""
    when = state.arguments
    if not any(each is not None for each in when.values()):
        raise typer.BadParameter("one of the three", param_hint="--snapshot, --as-of, --ref")
    found = state.open(table)
    if state.as_of is not None:
        made = found.rollback(as_of=moment_of(state.as_of), branch=branch)
    else:
        chosen = found.snapshot_for(**when)
        made = found.rollback(to=None if chosen is None else chosen.snapshot_id, branch=branch)
    _show_ref(made, branch, json=json)


@as_json
@table_access
def fast_forward(
    table: Place,
    branch: Annotated[str, typer.Argument(metavar="BRANCH", help="The branch that moves.")],
    ref: Annotated[
        str, typer.Argument(metavar="REF", help="A branch or tag whose snapshot came after it.")
    ],
    *,
    access: TableAccess,
    json: bool,
) -> None:
    """Move a branch of an Iceberg table forward to where another branch or a tag is."""
    _show_ref(access.open(table).fast_forward(branch, to=ref), branch, json=json)


@as_json
@table_access
def cherry_pick(
    table: Place,
    snapshot: Annotated[int, typer.Argument(metavar="ID", help="The id of the snapshot.")],
    branch: Annotated[
        str, typer.Option("--branch", metavar="NAME", help="The branch that gets what it added.")
    ] = "main",
    *,
    access: TableAccess,
    json: bool,
) -> None:
    """Give a branch of an Iceberg table what a snapshot of another branch added."""
    _show_ref(access.open(table).cherry_pick(snapshot, branch=branch), branch, json=json)


def _delete(found: Table, name: str, kind: str, settings: dict[str, Any], *, json: bool) -> None:
    """Delete a branch or tag; refuse one of the other kind, and settings of a new one."""
    given = ", ".join(
        f"--{key.replace('_', '-')}" for key, each in settings.items() if each is not None
    )
    if given:
        raise typer.BadParameter("options of a new one", param_hint=f"--delete, {given}")
    known = found.metadata.refs.get(name)
    if known is not None and known.type != kind:
        raise typer.BadParameter(f"found a {known.type}, wanted a {kind}", param_hint=name)
    show_metadata(found.drop_ref(name), json=json)


def show_metadata(made: Table, *, json: bool) -> None:
    """Print the metadata file that a commit has made."""
    place = made.metadata_location
    typer.echo(json_text({"metadata_file": place}) if json else place)


def _show_ref(made: Table, name: str, *, json: bool) -> None:
    """Print where a branch or tag is."""
    found = made.metadata.refs[name]
    if json:
        facts = {"name": name, "type": found.type, "snapshot_id": found.snapshot_id}
        typer.echo(json_text(facts))
        return
    typer.echo(f"{found.type} {name}, snapshot {found.snapshot_id}")
