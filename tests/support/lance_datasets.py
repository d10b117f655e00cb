"""Small Lance datasets in folders, put together from the messages of the specs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from tests.support.lance_files import lance_file
from tests.support.lance_pages import flat, no_nulls, page

from byteloom import lance
from byteloom_generated.lance.encodings import VERSIONS
from byteloom_generated.lance.table import DataFile, DataFragment, DeletionFile, Manifest
from byteloom_generated.lance.tail import FramedMessage, LegacyTail, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from byteloom_generated.lance.file import Field

__all__ = [
    "arrow_file",
    "change_manifest",
    "fragment",
    "integers",
    "manifest_bytes",
    "put_dataset",
    "put_deletions",
    "put_manifest",
    "put_section",
]

PAIRS = {each.name: tuple(map(int, each.manifest_pair.split("/"))) for each in VERSIONS}
"""The pair of numbers that manifests have for each version of files."""

NEWEST_FIRST = (1 << 64) - 1


def integers(fields: Sequence[Field], *columns: Sequence[int]) -> bytes:
    """A file of version 2.0 that has 64-bit integers without nulls."""
    pages = [
        [page(len(each), no_nulls(flat(64)), np.array(each, "<i8").tobytes())] for each in columns
    ]
    return lance_file(fields, pages, rows=len(columns[0]))


def fragment(
    folder: Path, number: int, rows: int, *files: tuple[Sequence[int], bytes], **values: Any
) -> DataFragment:
    """Put files of a fragment, each with the ids of its fields, and return its message."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    stored = []
    for index, (ids, data) in enumerate(files):
        name = f"{number}-{index}.lance"
        (folder / "data" / name).write_bytes(data)
        columns = range(len(ids))
        major, minor = PAIRS[Version.from_bytes(data[-Version.SIZE :]).format]
        stored.append(
            DataFile(
                path=name,
                fields=ids,
                column_indices=columns,
                file_major_version=major,
                file_minor_version=minor,
            )
        )
    return DataFragment(id=number, files=stored, physical_rows=rows, **values)


def manifest_bytes(manifest: Manifest, before: bytes = b"") -> bytes:
    """A manifest's file, which may have other messages before it."""
    framed = FramedMessage(message=manifest.SerializeToString()).to_bytes()
    tail = LegacyTail(ofs_message=len(before), version=Version(major=0, minor=2))
    return before + framed + tail.to_bytes()


def put_manifest(folder: Path, manifest: Manifest, *, newest_first: bool = True) -> Path:
    """Put the manifest of a version, and return where it is."""
    number = manifest.version
    name = f"{NEWEST_FIRST - number:020}" if newest_first else f"{number}"
    place = folder / "_versions" / f"{name}.manifest"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(manifest_bytes(manifest))
    return place


def put_dataset(
    folder: Path,
    fields: Sequence[Field],
    *fragments: DataFragment,
    data_version: str = "",
    **values: Any,
) -> lance.Dataset:
    """Put a version of a dataset, the first one unless another is said, and open it."""
    given: dict[str, Any] = {"version": 1, **values}
    manifest = Manifest(fields=fields, fragments=fragments, **given)
    if data_version:
        manifest.data_format.file_format, manifest.data_format.version = "lance", data_version
    put_manifest(folder, manifest)
    return lance.open_dataset(folder, version=manifest.version)


def change_manifest(folder: Path, version: int, change: Callable[[Manifest], None]) -> None:
    """Change the manifest of a version, which may be detached; bytes before it are kept."""
    place, before, manifest = _manifest_of(folder, version)
    change(manifest)
    place.write_bytes(manifest_bytes(manifest, before))


def put_section(folder: Path, version: int, name: str, message: bytes) -> None:
    """Put a message before that of a version's manifest, whose field *name* has its place."""
    place, before, manifest = _manifest_of(folder, version)
    setattr(manifest, name, len(before))
    place.write_bytes(manifest_bytes(manifest, before + FramedMessage(message=message).to_bytes()))


def _manifest_of(folder: Path, version: int) -> tuple[Path, bytes, Manifest]:
    """Where the manifest of a version is, the bytes before its message, and the message."""
    name = f"d{version}" if version >= 1 << 63 else f"{NEWEST_FIRST - version:020}"
    place = folder / "_versions" / f"{name}.manifest"
    data = place.read_bytes()
    at = LegacyTail.from_bytes(data[-LegacyTail.SIZE :]).ofs_message
    message = FramedMessage.from_bytes(data[at : -LegacyTail.SIZE]).message
    return place, data[:at], Manifest.parse(message)


def put_deletions(folder: Path, number: int, data: bytes, kind: int, **values: Any) -> DeletionFile:
    """Put the deletion file of a fragment, and return its message."""
    place = folder / "_deletions" / f"{number}-1-7.{'bin' if kind else 'arrow'}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    return DeletionFile(file_type=kind, read_version=1, id=7, **values)


def arrow_file(values: Sequence[int | None], type_: pa.DataType | None = None) -> bytes:
    """An Arrow file of positions."""
    table = pa.table({"row_id": pa.array(values, type_ or pa.uint32())})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())
