"""Open files close a source that they opened themselves, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.support.puffin_files import puffin
from tests.support.written_lance import written

from byteloom import hfile, lance
from byteloom.errors import ByteloomError
from byteloom.puffin import PuffinFile
from byteloom.puffin import open as open_puffin
from byteloom.storage.sources import LocalSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _hfile(path: Path) -> None:
    with hfile.HFileWriter(path) as writer:
        writer.add(b"row", b"value", family=b"f", timestamp=1)


KINDS: dict[str, tuple[Callable[[Path], object], Any, Any]] = {
    "puffin": (lambda path: path.write_bytes(puffin()), PuffinFile, open_puffin),
    "lance": (
        lambda path: path.write_bytes(written(pa.table({"a": [1]}), "2.1")),
        lance.LanceFile,
        lance.open,
    ),
    "hfile": (_hfile, hfile.HFile, hfile.open),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["made", "opened"])
def test_a_source_of_the_caller_stays_open(kind: str, how: str, tmp_path: Path) -> None:
    """A file made of a source, or opened by it, leaves that source open when it is closed."""
    write, made, opened = KINDS[kind]
    write(tmp_path / "file")
    source = LocalSource(tmp_path / "file")
    with (made if how == "made" else opened)(source) as file:
        assert file.source is source
    assert len(source.read(0, 4)) == 4
    source.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_that_a_file_opened_is_closed_with_it(kind: str, tmp_path: Path) -> None:
    """A file that was opened by its name can no longer be read when it is closed."""
    write, _, opened = KINDS[kind]
    write(tmp_path / "file")
    with opened(tmp_path / "file") as file:
        pass
    with pytest.raises((ByteloomError, ValueError), match="closed"):
        file.source.read(0, 4)
