"""Tables of another writer whose newest manifest list, or one of its manifests, is changed."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import fastavro

from byteloom.iceberg import Table
from byteloom.iceberg.metadata import TableMetadata
from byteloom.iceberg.verification import verify

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["changed", "changed_list", "found_in", "found_in_list"]


def found_in(
    document: dict[str, Any], change: Callable[[Any], object], **options: Any
) -> list[str]:
    """Return what is wrong with a table after its metadata was changed.

    options  those of `verify`
    """
    return list(map(str, verify(changed(document, change), **options)))


def changed(document: dict[str, Any], change: Callable[[Any], object]) -> Table:
    """Return a table whose metadata was changed."""
    made = deepcopy(document)
    change(made)
    return Table(TableMetadata.from_json(made), "/nowhere/v2.metadata.json")


def found_in_list(
    document: dict[str, Any],
    folder: Path,
    change: Callable[[Any], object],
    of_schemas: Callable[[Any], object] = lambda _: None,
    number: int = 0,
    *,
    files: bool = False,
) -> list[str]:
    """Return what is wrong after the newest list, or a manifest in it, was changed.

    folder      where changed files are written
    change      takes the rows of the list and those of the manifest
    of_schemas  takes their Avro schemas
    number      of the manifest in the list
    files       whether data files are checked as well
    """
    table = changed_list(document, folder, change, of_schemas, number)
    return list(map(str, verify(table, files=files)))


def changed_list(
    document: dict[str, Any],
    folder: Path,
    change: Callable[[Any], object],
    of_schemas: Callable[[Any], object] = lambda _: None,
    number: int = 0,
) -> Table:
    """Return a table whose newest list, or a manifest in it, was changed; arguments as above."""
    path = document["snapshots"][-1]["manifest-list"]
    listed = _read(path)
    manifest = _read(listed[1][number]["manifest_path"])
    change((listed[1], manifest[1]))
    of_schemas((listed[0], manifest[0]))
    if len(listed[1]) > number:
        place = _write(folder / "manifest.avro", *manifest)
        size = Path(place).stat().st_size
        listed[1][number] |= {"manifest_path": place, "manifest_length": size}
    place = _write(folder / "list.avro", *listed)
    return changed(document, lambda new: new["snapshots"][-1].update({"manifest-list": place}))


def _read(path: str) -> tuple[Any, list[Any], dict[str, Any]]:
    """Return the schema, the rows and the header of a container file."""
    with Path(path.removeprefix("file://")).open("rb") as stream:
        reader = fastavro.reader(stream)
        rows: list[Any] = list(reader)
        return reader.writer_schema, rows, reader.metadata


def _write(path: Path, schema: Any, rows: list[Any], header: dict[str, Any]) -> str:
    """Write a container file; return its path."""
    kept = {name: each for name, each in header.items() if not name.startswith("avro.")}
    with path.open("wb") as stream:
        fastavro.writer(stream, schema, rows, metadata=kept)
    return str(path)
