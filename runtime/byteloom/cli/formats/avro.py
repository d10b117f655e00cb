"""Avro container files: the manifests and manifest lists of Iceberg, and any others.

- A manifest is known by its header, a manifest list by its schema's name or its fields; of another
  Avro file the header and the blocks are shown.
- Numbers that a manifest's entries inherit are not in the file: they are shown as null.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from byteloom.avro.container import open_avro
from byteloom.cli.formats.content import tracer
from byteloom.cli.printing.arrow_rows import plain
from byteloom.cli.printing.report import Report
from byteloom.errors import ByteloomError
from byteloom.iceberg.manifests.containers import read_container
from byteloom.iceberg.manifests.manifest_list import read_manifest_list
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.sources import read_whole
from byteloom.verification.avro import (
    ENTRY,
    LIST,
    entries_of,
    kind_of_records,
    schema_of,
    spec_of,
)
from byteloom.wire import Node
from byteloom_generated.avro.container import Container
from byteloom_generated.iceberg.manifests import EntryStatus, FileContent, ManifestContent

if TYPE_CHECKING:
    from enum import IntEnum

    import pyarrow as pa

    from byteloom.storage import Source
    from byteloom.wire.nodes import Folding

__all__ = ["explain"]

_SHOWN: Final = 100
_BINARY: Final = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts")
_BOUNDS: Final = ("lower_bounds", "upper_bounds")


def explain(source: Source, *, folding: Folding) -> Report:
    """Return the report of an Avro file: header, blocks, and rows of manifests or their lists."""
    data = read_whole(source)
    root = Node(name="", start=0, end=source.size)
    report = Report(source=source, format="avro", title="Avro file", root=root)
    _trace(root, data, folding=folding)
    try:
        _fill(report, data, folding=folding)
    except ByteloomError as error:
        report.error = error
    return report


def _trace(root: Node, data: bytes, *, folding: Folding) -> None:
    """Trace the header and the blocks, as far as they are understood."""
    trace = tracer(data, 0, folding=folding)
    with suppress(ByteloomError):
        trace.record(Container.NAME, Container.read)
    root.children += [part for each in trace.root.children for part in each.children]


def _fill(report: Report, data: bytes, *, folding: Folding) -> None:
    """Add the facts and the entries of the file, up to the first damage."""
    file = open_avro(data)
    kind = kind_of_records(file.schema)
    titles = {ENTRY: "Iceberg manifest", LIST: "Iceberg manifest list"}
    report.title = titles.get(kind, report.title)
    report.facts["codec"] = file.codec
    report.properties = {
        key: value.decode(errors="replace")
        for key, value in file.metadata.items()
        if folding.full
        or not key.startswith(("avro.", "iceberg.", "schema", "partition-spec"))
        or key.endswith("-id")
    }
    blocks = read_container(data, DEFAULT_LIMITS).blocks
    report.facts |= {"blocks": len(blocks), "records": int(blocks[:, 0].sum())}
    if kind == ENTRY:
        report.facts |= {
            "schema": list(map(str, schema_of(file).fields)),
            "partition_spec": [f"{each.name}: {each.transform}" for each in spec_of(file).fields],
        }
        report.tables["entries"] = _rows(
            entries_of(data, file, report.source.name), kind, folding=folding
        )
    elif kind == LIST:
        report.tables["manifests"] = _rows(
            read_manifest_list(data, report.source.name).table, kind, folding=folding
        )


_NAMED: Final[dict[str, dict[str, type[IntEnum]]]] = {
    LIST: {"content": ManifestContent},
    ENTRY: {"content": FileContent, "status": EntryStatus},
}
"""Columns whose numbers have names, by the kind of records."""


def _rows(table: pa.Table, kind: str, *, folding: Folding) -> list[dict[str, Any]]:
    """Rows as JSON values, without nulls; the first hundred unless all are wanted."""
    shown = table if folding.full else table.slice(0, _SHOWN)
    if not folding.full:
        wanted = [name for name in table.column_names if name not in (*_BINARY, *_BOUNDS)]
        shown = shown.select(wanted)
    order = ["file_path", "manifest_path"]
    names = sorted(shown.column_names, key=lambda name: (name not in order,))
    return [
        {name: _named(kind, name, plain(row[name])) for name in names if row[name] is not None}
        for row in shown.select(names).to_pylist()
    ]


def _named(kind: str, column: str, value: Any) -> Any:
    """Return a number that the spec gives a name as a member of its enum."""
    names = _NAMED[kind].get(column)
    return names(value) if names is not None and value in set(names) else value
