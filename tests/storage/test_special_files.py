"""Opening a path that is not a regular file never blocks, and the error says what it is."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from byteloom import hfile, lance, puffin
from byteloom.errors import StorageError
from byteloom.hudi import MetadataTable
from byteloom.iceberg import open_table
from byteloom.storage import Folder, open_source
from byteloom.storage.native import local_file
from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.load import load_spec
from byteloom_generated.puffin.puffin import Puffin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 300
"""Seconds until a call that waits is interrupted."""


@pytest.fixture(autouse=True)
def _impatient() -> Iterator[None]:
    """Interrupt a test that waits for the writer of a named pipe."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _pipe(place: Path) -> None:
    os.mkfifo(place)


def _socket(place: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        here = Path.cwd()
        os.chdir(place.parent)  # the path of a socket is 100 characters long at most
        try:
            listening.bind(place.name)
        finally:
            os.chdir(here)


def _device(place: Path) -> None:
    place.symlink_to("/dev/zero")


def _folder(place: Path) -> None:
    place.mkdir()


def _link_to_itself(place: Path) -> None:
    place.symlink_to(place.name)


SPECIAL: list[tuple[Callable[[Path], None], str]] = [
    (_pipe, "found a named pipe, wanted a regular file"),
    (_socket, "found a socket, wanted a regular file"),
    (_device, "found a device, wanted a regular file"),
    (_folder, "found a directory, wanted a regular file"),
    (_link_to_itself, "Too many levels of symbolic links"),
]
special = pytest.mark.parametrize(
    ("make", "reason"), SPECIAL, ids=[make.__name__.strip("_") for make, _ in SPECIAL]
)


@special
@pytest.mark.parametrize(
    "opening", [open_source, local_file, hfile.open, puffin.open, lance.open, Puffin.from_file]
)
def test_what_is_no_file_is_named(
    make: Callable[[Path], None], reason: str, opening: Callable[[str], Any], tmp_path: Path
) -> None:
    """Opening a special file in any way is an error at once that says what it is."""
    make(tmp_path / "x.metadata.json")
    with pytest.raises(StorageError, match=f"x.metadata.json: {reason}"):
        opening(str(tmp_path / "x.metadata.json"))


@special
def test_a_table_whose_metadata_is_no_file(
    make: Callable[[Path], None], reason: str, tmp_path: Path
) -> None:
    """Table metadata that is a special file is an error with its path and what it is."""
    make(tmp_path / "v1.metadata.json")
    with pytest.raises(StorageError, match=f"v1.metadata.json: {reason}"):
        open_table(tmp_path / "v1.metadata.json")


@special
def test_a_table_that_is_neither_a_file_nor_a_folder(
    make: Callable[[Path], None], reason: str, tmp_path: Path
) -> None:
    """A special file of any name, given as a table, is an error that says what it is."""
    make(tmp_path / "orders")
    wanted = "orders: no metadata file in " if make is _folder else f"orders.*: .*{reason}"
    with pytest.raises(StorageError, match=wanted):
        open_table(tmp_path / "orders")


@special
def test_a_lance_dataset_with_a_data_file_that_is_none(
    make: Callable[[Path], None], reason: str, tmp_path: Path
) -> None:
    """A special file in the place of a dataset's data file is an error when rows are read."""
    lance.write_dataset(tmp_path / "rows", pa.table({"x": [1, 2]}))
    (file,) = (tmp_path / "rows/data").iterdir()
    file.unlink()
    make(file)
    with pytest.raises(StorageError, match=f"{file.name}: {reason}"):
        lance.open_dataset(tmp_path / "rows").to_table()


def test_only_folders_are_listed_as_folders(tmp_path: Path) -> None:
    """Pipes, sockets and links that lead nowhere are neither files nor folders."""
    for number, (make, _) in enumerate(SPECIAL):
        if make is not _device:  # a link to a device is one, and nothing but its size says so
            make(tmp_path / str(number))
    folder = Folder(tmp_path)
    assert (folder.files(), folder.folders()) == ({}, ["3"])


def test_a_hudi_table_with_a_pipe_as_its_properties(tmp_path: Path) -> None:
    """Opening a Hudi table whose properties are a named pipe is an error, and does not block."""
    (tmp_path / ".hoodie").mkdir()
    os.mkfifo(tmp_path / ".hoodie/hoodie.properties")
    with pytest.raises(StorageError, match=r"hoodie.properties: found a named pipe"):
        MetadataTable.open(tmp_path)


def test_a_spec_that_is_a_pipe(tmp_path: Path) -> None:
    """Loading a spec that is a named pipe is an error, and does not block."""
    os.mkfifo(tmp_path / "x.ksy")
    with pytest.raises(SpecErrors, match=r"x\.ksy.*cannot be read: not a regular file"):
        load_spec(tmp_path / "x.ksy")
