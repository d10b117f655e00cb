"""Errors about cells of compressed blocks: they name the block and the byte inside it."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.support import hfile_damage as damage

from byteloom import hfile
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_damaged_cell_is_placed_in_the_decompressed_block(tmp_path: Path) -> None:
    """The offset is that of the block; the text also says which byte of its content is wrong."""
    path = tmp_path / "a.hfile"
    with hfile.HFileWriter(path, compression="GZ", level=0) as writer:
        writer.write(pa.table({"row": ["a", "b", "c"], "value": ["1", "2", "3"]}))
    data = path.read_bytes()
    block = damage.places(data)[0]
    content = gzip.decompress(data[33 : block.len_data])
    size = len(content) // 3
    wrong = content[:size] + b"\xff\xff\xff\xff" + content[size + 4 :]  # the second cell's length
    stored = gzip.compress(wrong, 0, mtime=0)
    assert len(stored) == block.len_data - 33
    path.write_bytes(damage.patched(data, block, 33, stored))
    with hfile.open(path) as file, pytest.raises(FormatError) as refused:
        file.read()
    assert refused.value.path.startswith("data.cells[1].")
    assert refused.value.offset == 0
    place = f"at byte {size} of the decompressed block (bytes 0 to {block.size - 1} of the file)"
    assert place in str(refused.value)
