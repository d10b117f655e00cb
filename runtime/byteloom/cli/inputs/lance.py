"""The inputs of commands about Lance: a file, or a version of a dataset."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from byteloom import lance
from byteloom.cli.inputs.files import STANDARD_INPUT, opened
from byteloom.cli.inputs.tables import moment_of
from byteloom.cli.options.groups import option_group
from byteloom.errors import StorageError
from byteloom.lance.dataset.versions import FOLDER
from byteloom.storage import Folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.lance import Dataset, LanceFile

__all__ = [
    "BlobBytes",
    "DatasetVersion",
    "Place",
    "dataset_version",
    "is_dataset",
    "refuse_blob_bytes",
    "with_bytes",
]

Place: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE|DATASET",
        help="A path or a URL of a file, or of a dataset's folder; - is stdin.",
    ),
]
"""A Lance file or a dataset."""

BlobBytes: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--blob-bytes",
        help="The bytes of blobs (lance.blob.v2), not descriptors of where they are.",
    ),
]
"""Whether bytes of blobs are read."""


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """A version of a dataset; the newest, if no option asks for another one."""

    version: Annotated[
        int | None,
        typer.Option(
            "--version", metavar="NUMBER", help="A version of a dataset; default: newest."
        ),
    ] = None
    tag: Annotated[
        str | None,
        typer.Option("--tag", metavar="NAME", help="A version of a dataset, by its tag."),
    ] = None
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="TIME",
            help="The newest version at that time: 2024, 2024-05-31, 2024-05-31T12:00 (ISO 8601,"
            " UTC by default), or milliseconds from 1970.",
        ),
    ] = None

    def open(self, place: str) -> Dataset:
        """Open the dataset at *place*; `typer.BadParameter` for two options at once."""
        if len(self._given()) > 1:
            raise typer.BadParameter("one of the three", param_hint="--version, --tag, --as-of")
        moment = None if self.as_of is None else moment_of(self.as_of)
        return lance.open_dataset(place, version=self.version, tag=self.tag, as_of=moment)

    def refuse_file(self, place: str) -> None:
        """Raise `StorageError` for a version of a file, which has none."""
        if self._given():
            wanted = "a dataset for --version, --tag and --as-of"
            raise StorageError(f"{place}: found a file, wanted {wanted}")

    def _given(self) -> list[int | str]:
        return [each for each in (self.version, self.tag, self.as_of) if each is not None]

    @contextmanager
    def open_rows(self, place: str) -> Iterator[LanceFile | Dataset]:
        """Open what has rows for the block.

        raises  `StorageError` for a version or a tag of a file, which has none
        """
        if is_dataset(place):
            yield self.open(place)
            return
        self.refuse_file(place)
        with opened(place) as source, lance.open(source) as file:
            yield file


dataset_version = option_group("at", DatasetVersion)
"""Gives a command these options, and passes it a `DatasetVersion` as *at*."""


def is_dataset(place: str) -> bool:
    """Whether *place* is a folder, which a Lance file is not."""
    if place in {STANDARD_INPUT, ""}:
        return False
    if "://" not in place:
        return Path(place).is_dir()
    with suppress(StorageError):
        return FOLDER in Folder(place).folders()
    return False


def with_bytes(found: LanceFile | Dataset, *, blob_bytes: bool) -> dict[str, Any]:
    """Return the settings of a scan.

    raises  `StorageError` for bytes of blobs of a file: they may be in others of its dataset
    """
    if not blob_bytes:
        return {}
    if isinstance(found, lance.LanceFile):
        refuse_blob_bytes(found.source.name)
    return {"with_blob_bytes": True}


def refuse_blob_bytes(place: str) -> None:
    """Raise `StorageError` for bytes of blobs of a file."""
    raise StorageError(f"{place}: found a file, wanted a dataset for --blob-bytes")
