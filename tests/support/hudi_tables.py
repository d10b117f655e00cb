"""Hudi tables with a metadata table, made to measure: every file of them is ours."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import fastavro

from byteloom.hfile import HFileWriter
from byteloom_generated.hfile.hudi_log import (
    BlockType,
    Deletes,
    HeaderKey,
    LogBlock,
    LogBody,
    Metadata,
    MetadataEntry,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

__all__ = ["SCHEMA", "HudiTable", "framed", "log_block", "record"]


def _record(name: str, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": f"test.{name}", "fields": list(fields)}


def _field(name: str, kind: Any) -> dict[str, Any]:
    return {"name": name, "type": kind}


def _maybe(name: str, *kinds: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", *kinds], "default": None}


_FILE: Final = _record("FileInfo", _field("size", "long"), _field("isDeleted", "boolean"))
_BLOOM: Final = _record("Bloom", _field("bloomFilter", "bytes"), _field("isDeleted", "boolean"))
_WRAPPED: Final = {"Int": "int", "String": "string", "Bytes": "bytes", "Double": "double"}
_STATISTICS: Final = _record(
    "Statistics",
    _field("columnName", "string"),
    _maybe(
        "minValue",
        *(_record(f"{name}Wrapper", _field("value", kind)) for name, kind in _WRAPPED.items()),
    ),
    _maybe("maxValue", *(f"test.{name}Wrapper" for name in _WRAPPED)),
    *(
        _maybe(name, "long")
        for name in ("valueCount", "nullCount", "totalSize", "totalUncompressedSize")
    ),
    _field("isDeleted", "boolean"),
    _field("isTightBound", "boolean"),
)
SCHEMA: Final = _record(
    "HoodieMetadataRecord",
    _field("key", "string"),
    _field("type", "int"),
    _maybe("filesystemMetadata", {"type": "map", "values": _FILE}),
    _maybe("BloomFilterMetadata", _BLOOM),
    _maybe("ColumnStatsMetadata", _STATISTICS),
    _maybe("recordIndexMetadata", _record("Place", _field("fileId", "string"))),
    _maybe("SecondaryIndexMetadata", _record("Secondary", _field("isDeleted", "boolean"))),
)
"""Records of a metadata table, with fewer fields than Hudi's own."""

_PARSED: Final = fastavro.parse_schema(SCHEMA)
_TEXT: Final = json.dumps(SCHEMA)


def record(kind: int, **parts: Any) -> bytes:
    """A record of a type, with what it holds, as a value of a metadata table."""
    out = io.BytesIO()
    fastavro.schemaless_writer(out, _PARSED, {"key": "", "type": kind, **parts})
    return out.getvalue()


def hfile_of(rows: Mapping[str, bytes], **options: Any) -> bytes:
    """An HFile as Hudi has it, with these rows."""
    out = io.BytesIO()
    info = {b"schema": _TEXT.encode()}
    with HFileWriter(out, profile="hudi", file_info=info, **options) as writer:
        for key in sorted(rows, key=str.encode):
            writer.add(key.encode(), rows[key])
    return out.getvalue()


def log_block(
    content: Mapping[str, bytes] | Iterable[str] | None, headers: Mapping[HeaderKey, str]
) -> bytes:
    """A block of a log file: rows, the keys to delete, or (None) a rollback command."""
    kind, raw, extra = BlockType.COMMAND, b"", {HeaderKey.COMMAND_BLOCK_TYPE: "0"}
    if isinstance(content, dict):
        kind, raw, extra = BlockType.HFILE_DATA, hfile_of(content), {HeaderKey.SCHEMA: _TEXT}
    elif content is not None:
        kind, raw, extra = BlockType.DELETE, _deletes(content), {}
    return framed(kind, raw, {**headers, **extra, **headers})


def framed(kind: BlockType, raw: bytes, headers: Mapping[HeaderKey, str]) -> bytes:
    """A block of any type with these bytes as its content."""
    entries = [MetadataEntry(key=key, value=text.encode()) for key, text in headers.items()]
    body = LogBody(
        version=1,
        type=kind,
        headers=Metadata(entries=entries),
        content=raw,
        footers=Metadata(entries=[]),
    )
    block = LogBlock(body=body, len_total=0)
    block.len_total = block.len_block + 6
    return block.to_bytes()


def _deletes(keys: Iterable[str]) -> bytes:
    """The content of a delete block, its Avro written by hand: nullable text twice, and null."""
    out = io.BytesIO()
    listed = [(key, "part", None) for key in keys]
    item = _record("Delete", _maybe("a", "string"), _maybe("b", "string"), _maybe("c", "int"))
    schema = fastavro.parse_schema(
        _record("List", _field("items", {"type": "array", "items": item}))
    )
    made = {"items": [dict(zip("abc", each, strict=True)) for each in listed]}
    fastavro.schemaless_writer(out, schema, made)
    return Deletes(version=3, list_=out.getvalue()).to_bytes()


@dataclass
class HudiTable:
    """A table that grows: each method writes what Hudi writes for one step.

    root     folder of the table
    version  6, 8 or 9
    """

    root: Path
    version: int = 9
    partitions: list[str] = field(default_factory=lambda: ["files"])

    def __post_init__(self) -> None:
        """Write the properties of the table and of its metadata table."""
        layout = 1 if self.version == 6 else 2
        common = {"hoodie.table.version": self.version, "hoodie.timeline.layout.version": layout}
        listed = {"hoodie.table.metadata.partitions": ",".join(self.partitions)}
        for folder, properties in ((self.root, common | listed), (self.metadata, common)):
            (folder / ".hoodie").mkdir(parents=True)
            lines = [f"{name}={value}" for name, value in properties.items()]
            (folder / ".hoodie/hoodie.properties").write_text("\n".join(["#made", *lines, ""]))

    @property
    def metadata(self) -> Path:
        """Folder of the metadata table."""
        return self.root / ".hoodie/metadata"

    def instant(
        self,
        time: str,
        action: str = "deltacommit",
        *,
        of: str = "both",
        completed: str | None = "",
        content: Any = None,
    ) -> None:
        """Add an instant to a timeline.

        of         ``data``, ``metadata`` or ``both``
        completed  when; ``""``: a little later; None: it is still inflight
        content    what the completed file says
        """
        folders = {"data": [self.root], "metadata": [self.metadata]}
        for folder in folders.get(of, [self.root, self.metadata]):
            place = folder / (".hoodie" if self.version == 6 else ".hoodie/timeline")
            place.mkdir(exist_ok=True)
            for state in ("requested", "inflight"):
                (place / f"{time}.{action}.{state}").write_bytes(b"")
            if completed is None:
                continue
            name = time if self.version == 6 else f"{time}_{completed or time + '5'}"
            body = {"partitionToWriteStats": {}} if content is None else content
            (place / f"{name}.{action}").write_text(json.dumps(body))

    def write(
        self, partition: str, name: str, data: bytes, *, records: int = 0, deletes: int = 0
    ) -> dict[str, Any]:
        """Add bytes to a file of the metadata table; what a commit says of that is returned."""
        folder = self.metadata / partition
        folder.mkdir(exist_ok=True)
        with (folder / name).open("ab") as file:
            file.write(data)
        return {"path": f"{partition}/{name}", "numWrites": records, "numDeletes": deletes}

    def base(self, time: str, rows: Mapping[str, bytes], partition: str = "files") -> str:
        """Write a base file, and the commit that did; its name is returned."""
        name = f"{partition}-0000-0_0-1-2_{time}.hfile"
        written = self.write(partition, name, hfile_of(rows), records=len(rows))
        action = "deltacommit" if time.startswith("00000000000000") else "commit"
        content = {"partitionToWriteStats": {partition: [written]}}
        self.instant(time, action, of="metadata", content=content)
        return name

    def log(
        self,
        time: str,
        content: Mapping[str, bytes] | Iterable[str] | None,
        *,
        on: str = "",
        partition: str = "files",
        headers: Mapping[HeaderKey, str] | None = None,
        commit: bool = True,
        version: int = 1,
    ) -> str:
        """Append a block to a log file, and commit to both timelines; the file's name is returned.

        on       table of version 6: the instant of the slice
        version  number of the log file
        """
        name = f".{partition}-0000-0_{on or time}.log.{version}_0-3-4"
        block = log_block(content, {HeaderKey.INSTANT_TIME: time, **(headers or {})})
        number = len(list(content or ()))
        counts = {"records" if isinstance(content, dict) else "deletes": number}
        written = self.write(partition, name, block, **counts)
        if commit:
            stats = {"partitionToWriteStats": {partition: [written]}}
            self.instant(time, of="metadata", content=stats)
            self.instant(time, of="data")
        return name
