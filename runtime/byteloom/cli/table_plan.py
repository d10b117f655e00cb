"""``byteloom table plan`` and ``scan``: which files a query reads and why, and the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from byteloom.cli.arrow_rows import show_batches
from byteloom.cli.hiding import without_secret_texts
from byteloom.cli.options import number
from byteloom.cli.rows import Form, FormOption, Output
from byteloom.cli.table_options import AsOf, Place, Ref, Relocate, SnapshotId, chosen, opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from byteloom.iceberg.planning.plan import Plan
    from byteloom.iceberg.planning.scan import Scan
    from byteloom.iceberg.planning.tasks import FileTask

__all__ = ["plan", "scan"]

_Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        "-w",
        metavar="EXPRESSION",
        help="Rows wanted: \"ts >= '2024-01-01' and id = 3\".",
    ),
]
_Columns = Annotated[
    str | None, typer.Option("--columns", metavar="NAME,...", help="All by default.")
]
_Limit = Annotated[
    int | None, typer.Option("--limit", "-n", parser=number, metavar="NUMBER", help="Rows at most.")
]
_Enough = Annotated[
    int | None,
    typer.Option(
        "--limit",
        "-n",
        parser=number,
        metavar="NUMBER",
        help="Stop where files surely have so many rows.",
    ),
]
_AnyCase = Annotated[bool, typer.Option("--any-case", help="Find columns whatever their case.")]
_PARTS: Final = 1024


def plan(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    where: _Where = None,
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    limit: _Enough = None,
    form: FormOption = Form.TABLE,
    relocate: Relocate = None,
    output: Output = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="PATH", help="With --explain: why this file, or not."),
    ] = None,
    *,
    explain: Annotated[
        bool, typer.Option("--explain", help="Tell what each rule removed.")
    ] = False,
    any_case: _AnyCase = False,
) -> None:
    """List the data files that a query must read, with their deletes and what is left to filter."""
    asked = _scan(table, where, None, chosen(snapshot, as_of, ref), limit, relocate, any_case)
    if file is not None and not explain:
        raise typer.BadParameter("goes with --explain", param_hint="--file")
    if file is not None:
        from byteloom.iceberg.planning.explaining import explain_file

        typer.echo(str(explain_file(asked, file)))
        return
    if explain:
        _tell(asked.plan(), form)
        return
    show_batches(_batches(asked), _schema(), form, output)


def scan(  # noqa: PLR0913, PLR0917  each is an option
    table: Place,
    where: _Where = None,
    columns: _Columns = None,
    snapshot: SnapshotId = None,
    as_of: AsOf = None,
    ref: Ref = None,
    limit: _Limit = None,
    form: FormOption = Form.TABLE,
    relocate: Relocate = None,
    output: Output = None,
    *,
    any_case: _AnyCase = False,
) -> None:
    """Print the rows of a table, deletes applied."""
    names = None if columns is None else columns.split(",")
    asked = _scan(table, where, names, chosen(snapshot, as_of, ref), limit, relocate, any_case)
    reader = asked.to_batches()
    show_batches(reader, reader.schema, form, output)


def _scan(  # noqa: PLR0913, PLR0917  each is one thing that is asked
    table: str,
    where: str | None,
    columns: list[str] | None,
    when: dict[str, Any],
    limit: int | None,
    relocate: list[str] | None,
    any_case: bool,  # noqa: FBT001  as the options are
) -> Scan:
    """What was asked of the table."""
    from byteloom.iceberg.expressions.ast import TRUE

    wanted = TRUE if where is None else where
    return opened(table, relocate).scan(
        wanted, columns=columns, limit=limit, case_sensitive=not any_case, **when
    )


def _schema() -> pa.Schema:
    """The columns of a plan that is printed."""
    import pyarrow as pa

    return pa.schema(
        [
            ("file_path", pa.string()),
            ("spec_id", pa.int32()),
            ("partition", pa.string()),
            ("record_count", pa.int64()),
            ("file_size_in_bytes", pa.int64()),
            ("deletes", pa.list_(pa.string())),
            ("residual", pa.string()),
        ]
    )


def _batches(asked: Scan) -> Iterator[pa.RecordBatch]:
    """The plan, some files at a time."""
    import pyarrow as pa

    for part in asked.plan_stream():
        rows = []
        for task in part:
            deletes = [each.file_path for each in task.deletes]
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
                yield without_secret_texts(pa.RecordBatch.from_pylist(rows, _schema()))
                rows = []
        yield without_secret_texts(pa.RecordBatch.from_pylist(rows, _schema()))


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
    from json import dumps

    if form is Form.JSON:
        typer.echo(dumps(asdict(made.explain())))
        return
    typer.echo(str(made.explain()))
