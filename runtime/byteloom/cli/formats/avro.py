"""Avro container files: the manifests and manifest lists of Iceberg, and any others.

- A manifest is known by its header, a manifest list by its schema's name or its fields; of another
  Avro file the header and the blocks are shown.
- Numbers that a manifest's entries inherit are not in the file: they are shown as null.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from byteloom import compute as pc
from byteloom.avro.container import AvroFile, open_avro
from byteloom.cli.arrow_rows import plain
from byteloom.cli.report import Report
from byteloom.cli.values import counted
from byteloom.errors import ByteloomError, FormatError
from byteloom.iceberg.manifests.containers import read_container
from byteloom.iceberg.manifests.entries import ALL_COLUMNS, read_entries
from byteloom.iceberg.manifests.inheritance import ADDED
from byteloom.iceberg.manifests.manifest_list import ManifestList, read_manifest_list
from byteloom.iceberg.partition_spec import PartitionSpec
from byteloom.iceberg.schema import Schema
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage.whole import read_whole
from byteloom.wire import Node

if TYPE_CHECKING:
    import pyarrow as pa

    from byteloom.storage import Source

__all__ = ["explain", "verify"]

_LIST: Final = "manifest_file"
_ENTRY: Final = "manifest_entry"
_SHOWN: Final = 100
_BINARY: Final = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts")
_BOUNDS: Final = ("lower_bounds", "upper_bounds")


def verify(source: Source) -> str:
    """Check every block, and every record of manifests and their lists."""
    data = read_whole(source)
    file = open_avro(data)
    blocks = read_container(data, DEFAULT_LIMITS).blocks
    summary = f"{counted(int(blocks[:, 0].sum()), 'record')}, {counted(len(blocks), 'block')}"
    kind = _kind(file)
    if kind == _ENTRY:
        _entries(data, file)
        return f"manifest, {summary}"
    if kind == _LIST:
        read_manifest_list(data, "manifest-list")
        return f"manifest list, {summary}"
    return summary


def explain(source: Source, *, full: bool) -> Report:
    """Return what the header says, the blocks, and the rows of manifests and their lists."""
    data = read_whole(source)
    root = Node(name="", start=0, end=source.size)
    report = Report(source=source, format="avro", title="Avro file", root=root)
    try:
        _fill(report, data, full=full)
    except ByteloomError as error:
        report.error = error
    return report


def _fill(report: Report, data: bytes, *, full: bool) -> None:
    """Add what is found, as far as it goes."""
    file = open_avro(data)
    kind = _kind(file)
    titles = {_ENTRY: "Iceberg manifest", _LIST: "Iceberg manifest list"}
    report.title = titles.get(kind, report.title)
    report.facts["codec"] = file.codec
    report.root.children.append(Node(name="header", start=0, end=file.first_block))
    report.properties = {
        key: value.decode(errors="replace")
        for key, value in file.metadata.items()
        if full
        or not key.startswith(("avro.", "iceberg.", "schema", "partition-spec"))
        or key.endswith("-id")
    }
    blocks = read_container(data, DEFAULT_LIMITS).blocks
    report.facts |= {"blocks": len(blocks), "records": int(blocks[:, 0].sum())}
    rest = Node(name="blocks", start=file.first_block, end=len(data), value=len(blocks))
    report.root.children.append(rest)
    if kind == _ENTRY:
        report.facts |= {
            "schema": list(map(str, _schema(file).fields)),
            "partition_spec": [f"{each.name}: {each.transform}" for each in _spec(file).fields],
        }
        report.tables["entries"] = _rows(_entries(data, file), full=full)
    elif kind == _LIST:
        report.tables["manifests"] = _rows(
            read_manifest_list(data, "manifest-list").table, full=full
        )


def _kind(file: AvroFile) -> str:
    """The name of the records, or what their fields are those of."""
    schema = file.schema if isinstance(file.schema, dict) else {}
    fields = schema.get("fields")
    listed = fields if isinstance(fields, list) else []
    held = {str(each.get("name")) for each in listed if isinstance(each, dict)}
    if {"status", "data_file"} <= held:
        return _ENTRY
    return _LIST if {"manifest_path", "manifest_length"} <= held else str(schema.get("name"))


def _entries(data: bytes, file: AvroFile) -> pa.Table:
    """The entries as they are stored, partitions and all."""
    import pyarrow as pa

    spec, schema = _spec(file), _schema(file)
    listed = ManifestList.of_paths(["manifest"])
    bare = listed.table
    content = {b"deletes": 1}.get(file.metadata.get("content", b""), 0)
    at = bare.column_names.index("content")
    bare = bare.set_column(at, "content", pa.array([content], bare.schema.field("content").type))
    entries = read_entries(
        ManifestList("", bare),
        lambda _: data,
        {spec.spec_id: spec},
        schema,
        columns=ALL_COLUMNS,
        with_deleted=True,
        threads=1,
        limits=DEFAULT_LIMITS,
    )
    held = entries.table().drop_columns(["manifest"])
    inherited = pa.array((entries.status == ADDED) & (entries.sequence_number == 0))
    for name in ("sequence_number", "file_sequence_number"):
        at, column = held.column_names.index(name), held.column(name)
        held = held.set_column(
            at, name, pc.if_else(inherited, pa.scalar(None, column.type), column)
        )
    rows, tuples = entries.partition(spec.spec_id)
    if len(rows) and spec.fields:
        held = held.append_column("partition", tuples)
    return held


def _spec(file: AvroFile) -> PartitionSpec:
    """The partition spec of the header."""
    number = _json(file, "partition-spec-id", 0)
    if type(number) is not int or not 0 <= number < 1 << 31:
        raise FormatError("partition-spec-id", None, repr(number)[:60], "0 to 2147483647")
    fields = _json(file, "partition-spec", [])
    if not isinstance(fields, list):
        raise FormatError("partition-spec", None, repr(fields)[:60], "a list of fields")
    return PartitionSpec.from_fields(fields, number)


def _schema(file: AvroFile) -> Schema:
    """The table's schema of the header; none for a header without."""
    document = _json(file, "schema", None)
    return Schema(()) if document is None else Schema.from_json(document)


def _json(file: AvroFile, key: str, absent: object) -> Any:
    """A value of the header."""
    text = file.metadata.get(key)
    if text is None:
        return absent
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(key, None, repr(text[:40]), "JSON") from error


def _rows(held: pa.Table, *, full: bool) -> list[dict[str, Any]]:
    """Rows as JSON values, without nulls; the first hundred unless all are wanted."""
    shown = held if full else held.slice(0, _SHOWN)
    if not full:
        wanted = [name for name in held.column_names if name not in (*_BINARY, *_BOUNDS)]
        shown = shown.select(wanted)
    order = ["file_path", "manifest_path"]
    names = sorted(shown.column_names, key=lambda name: (name not in order,))
    return [
        {name: plain(row[name]) for name in names if row[name] is not None}
        for row in shown.select(names).to_pylist()
    ]
