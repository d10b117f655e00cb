"""The inputs of commands about Lance: a file, or a version of a dataset."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from byteloom.cli.inputs import STANDARD_INPUT, opened
from byteloom.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.lance import Dataset, LanceFile

__all__ = ["Place", "Tag", "Version", "is_dataset", "opened_rows"]

Place: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE|DATASET",
        help="A path or a URL of a file, or of a dataset's folder; - is stdin.",
    ),
]
"""A Lance file or a dataset."""

Version: TypeAlias = Annotated[
    int | None,
    typer.Option("--version", metavar="NUMBER", help="A version of a dataset; default: newest."),
]
"""The number of a version."""

Tag: TypeAlias = Annotated[
    str | None, typer.Option("--tag", metavar="NAME", help="A version of a dataset, by its tag.")
]
"""The name of a version."""


def is_dataset(place: str) -> bool:
    """Whether *place* is a folder, which a Lance file is not."""
    if place in {STANDARD_INPUT, ""}:
        return False
    if "://" not in place:
        return Path(place).is_dir()
    from byteloom.lance.dataset.versions import FOLDER
    from byteloom.storage import Folder

    with suppress(StorageError):
        return FOLDER in Folder(place).folders()
    return False


@contextmanager
def opened_rows(
    place: str, version: int | None = None, tag: str | None = None
) -> Iterator[LanceFile | Dataset]:
    """Open what has rows for the block.

    raises  `StorageError` for a version or a tag of a file, which has none
    """
    from byteloom import lance

    if is_dataset(place):
        yield lance.open_dataset(place, version=version, tag=tag)
        return
    if version is not None or tag is not None:
        raise StorageError(f"{place}: found a file, wanted a dataset for --version and --tag")
    with opened(place) as source, lance.open(source) as file:
        yield file
