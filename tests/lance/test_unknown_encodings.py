"""Pages whose encoding has a name that the version of the file does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from byteloom import lance
from byteloom.errors import FormatError, Unsupported

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {"2.0": b"/lance.encodings.ArrayEncoding", "2.2": b"/lance.encodings21.PageLayout"}


@pytest.mark.parametrize("version", NAMES)
def test_a_damaged_name_of_an_encoding_is_damage(tmp_path: Path, version: str) -> None:
    """The error names the page, the name that was found, and that of the file's version."""
    path = tmp_path / "a.lance"
    with lance.LanceWriter(path, pa.schema({"x": pa.int64()}), version=version) as writer:
        writer.write(pa.table({"x": [1, 2, 3]}))
    name = NAMES[version]
    data = path.read_bytes()
    assert data.count(name) >= 1
    path.write_bytes(data.replace(name, name[:-1] + b"!"))
    with lance.open(path) as file, pytest.raises(FormatError) as refused:
        file.scan().to_table()
    assert type(refused.value) is not Unsupported
    assert refused.value.path == "columns[0].pages[0].encoding"
    assert (refused.value.found, refused.value.wanted) == (f"{name[:-1].decode()}!", name.decode())
