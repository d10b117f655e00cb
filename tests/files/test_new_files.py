"""Writers of every format: a file appears when it is finished, or leaves no trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from byteloom.errors import StorageError
from byteloom.hfile import HFileWriter
from byteloom.lance import LanceWriter
from byteloom.puffin import PuffinWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from byteloom.files.new_file import NewFile

WRITERS: list[Callable[[Path], NewFile]] = [
    HFileWriter,
    lambda path: LanceWriter(path, pa.schema([("number", pa.int64())])),
    PuffinWriter,
]

pytestmark = pytest.mark.parametrize("begin", WRITERS, ids=["hfile", "lance", "puffin"])


def test_a_finished_file_appears(begin: Callable[[Path], NewFile], tmp_path: Path) -> None:
    """Nothing has the name before the end; afterwards nothing else is in the folder."""
    path = tmp_path / "file"
    with begin(path):
        assert not path.exists()
        assert list(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == [path]


def test_an_abandoned_file_leaves_what_was_there(
    begin: Callable[[Path], NewFile], tmp_path: Path
) -> None:
    """After an error in the block, or `abort`, the older file has its content."""
    path = tmp_path / "file"
    path.write_bytes(b"older")
    with pytest.raises(KeyError), begin(path):
        raise KeyError
    begin(path).abort()
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"older"


def test_a_closed_writer_refuses_to_go_on(begin: Callable[[Path], NewFile], tmp_path: Path) -> None:
    """A writer that is finished or abandoned cannot be finished; to abandon it does nothing."""
    path = tmp_path / "file"
    for end in ("finish", "abort"):
        writer = begin(path)
        getattr(writer, end)()
        with pytest.raises(StorageError, match=r"/file: the writer is closed"):
            writer.finish()
        writer.abort()
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_may_be_closed_inside_its_block(
    begin: Callable[[Path], NewFile], tmp_path: Path
) -> None:
    """The end of the block neither finishes a finished file again, nor an abandoned one."""
    path = tmp_path / "file"
    with begin(path) as writer:
        writer.abort()
    assert not list(tmp_path.iterdir())
    with begin(path) as writer:
        writer.finish()
    assert list(tmp_path.iterdir()) == [path]


def test_a_dropped_writer_leaves_nothing(begin: Callable[[Path], NewFile], tmp_path: Path) -> None:
    """A writer that is dropped unfinished removes its temporary file, and warns."""
    writer = begin(tmp_path / "file")
    assert list(tmp_path.iterdir())
    with pytest.warns(ResourceWarning, match=r"/file: writer not finished, nothing written"):
        del writer
    assert not list(tmp_path.iterdir())
