"""``byteloom table plan`` and ``scan``: which files a query reads and why, and the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.columns import Columns, names_of
from byteloom.cli.documents import as_json
from byteloom.cli.hiding import without_secret_texts
from byteloom.cli.json_text import json_text
from byteloom.cli.listing import Listing, listing
from byteloom.cli.options import number
from byteloom.cli.rows import Form
from byteloom.cli.table_options import AsOf, Place, Ref, Relocate, SnapshotId, chosen, opened
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.planning.scan import Scan
    from byteloom.iceberg.planning.tasks import DeleteFile, FileTask

__all__ = ["count", "plan", "scan"]

_Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        "-w",
        metavar="EXPRESSION",
        help="Rows wanted: \"ts >= '2024-01-01' and id = 3\".",
    ),
]
_Rows = Annotated[
    int | None,
    typer.Option(
        "--rows", parser=number, metavar="NUMBER", help="Stop where files surely have so many rows."
    ),
]
_AnyCase = Annotated[bool, typer.Option("--any-case", help="Find columns whatever their case.")]
_PARTS: Final = 1024


@listing
def plan(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    where: _Where = None,
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    rows: _Rows = None,
    relocate: Relocate = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="PATH", help="With --explain: why this file, or not."),
    ] = None,
    *,
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell what each rule removed.")
    ] = False,
    any_case: _AnyCase = False,
    to: Listing,
) -> None:
    """List the data files that a query must read, with their deletes and what is left to filter."""
    asked = _scan(table, where, None, chosen(snapshot, as_of, ref), rows, relocate, any_case, to)
    if file is not None and not explain:
        raise typer.BadParameter("goes with --explain", param_hint="--file")
    if file is not None:
        from byteloom.iceberg.planning.explaining import explain_file

        why = explain_file(asked, file)
        typer.echo(str(why))
        if why.manifest is None:
            raise typer.Exit(1)
        return
    if explain:
        _tell(asked.plan(), to.form)
        return
    schema = _schema(is_short=to.is_short)
    found = _batches(asked, schema, is_short=to.is_short)
    to.show(map(without_secret_texts, found), schema)


@listing
def scan(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    where: _Where = None,
    columns: Columns = None,
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    relocate: Relocate = None,
    *,
    any_case: _AnyCase = False,
    to: Listing,
) -> None:
    """Print the rows of a table, deletes applied."""
    when = chosen(snapshot, as_of, ref)
    asked = _scan(table, where, names_of(columns), when, to.limit, relocate, any_case, to)
    reader = asked.to_batches()
    to.show(reader, reader.schema)


@as_json
def count(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    where: _Where = None,
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    relocate: Relocate = None,
    *,
    any_case: _AnyCase = False,
    json: bool,
) -> None:
    """Count the rows of a table, deletes applied; only files that have to be asked are read."""
    when = chosen(snapshot, as_of, ref)
    rows = _scan(table, where, None, when, None, relocate, any_case).count()
    typer.echo(json_text({"rows": rows}) if json else rows)


def _scan(  # noqa: PLR0913, PLR0917  each is one thing that is asked
    table: str,
    where: str | None,
    columns: list[str] | None,
    when: dict[str, Any],
    limit: int | None,
    relocate: list[str] | None,
    any_case: bool,  # noqa: FBT001  as the options are
    to: Listing | None = None,
) -> Scan:
    """What was asked of the table."""
    from byteloom.iceberg.expressions.ast import TRUE
    from byteloom.iceberg.expressions.text import parse

    try:
        wanted = TRUE if where is None else parse(where)
    except FormatError as error:  # before the table is opened: it is wrong whatever that has
        raise typer.BadParameter(str(error), param_hint="--where") from error
    return opened(table, relocate, to).scan(
        wanted, columns=columns, limit=limit, case_sensitive=not any_case, **when
    )


def _schema(*, is_short: bool) -> pa.Schema:
    """The columns of a plan that is printed; short: a delete file in one text."""
    import pyarrow as pa

    delete = [
        ("content", pa.int32()),
        ("file_path", pa.string()),
        ("content_offset", pa.int64()),
        ("content_size_in_bytes", pa.int64()),
    ]

    return pa.schema(
        [
            ("file_path", pa.string()),
            ("spec_id", pa.int32()),
            ("partition", pa.string()),
            ("record_count", pa.int64()),
            ("file_size_in_bytes", pa.int64()),
            ("deletes", pa.list_(pa.string() if is_short else pa.struct(delete))),
            ("residual", pa.string()),
        ]
    )


def _delete(file: DeleteFile, *, is_short: bool) -> Any:
    """A delete file, as metadata tables name its parts; vectors that share a file have offsets."""
    if is_short:
        at = f" at byte {file.content_offset}" if file.is_deletion_vector else ""
        return f"{file.file_path}{at}"
    return {
        "content": file.content,
        "file_path": file.file_path,
        "content_offset": file.content_offset,
        "content_size_in_bytes": file.content_size,
    }


def _batches(asked: Scan, schema: pa.Schema, *, is_short: bool) -> Iterator[pa.RecordBatch]:
    """The plan, some files at a time."""
    import pyarrow as pa

    for part in asked.plan_stream():
        rows = []
        for task in part:
            deletes = [_delete(each, is_short=is_short) for each in task.deletes]
            rows.append(
                {
                    "file_path": task.file_path,
                    "spec_id": task.spec_id,
                    "partition": _partition(asked, task),
                    "record_count": task.record_count,
                    "file_size_in_bytes": task.file_size_in_bytes,
                    "deletes": deletes,
                    "residual": str(task.residual),
                }
            )
            if len(rows) == _PARTS:
                yield without_secret_texts(pa.RecordBatch.from_pylist(rows, schema))
                rows = []
        yield without_secret_texts(pa.RecordBatch.from_pylist(rows, schema))


def _partition(asked: Scan, task: FileTask) -> str:
    """Partition values as people read them."""
    from byteloom.iceberg.transforms import to_human

    told = []
    for field in asked.table.metadata.partition_specs[task.spec_id].fields:
        source = asked.schema.find(field.source_id)
        value = task.partition[field.name]
        text = str(value) if source is None else to_human(field.transform, source.type, value)
        told.append(f"{field.name}={text}")
    return ", ".join(told)


def _tell(made: Plan, form: Form) -> None:
    """What each rule removed."""
    from dataclasses import asdict

    if form is Form.JSON:
        typer.echo(json_text(asdict(made.explain())))
        return
    typer.echo(str(made.explain()))
