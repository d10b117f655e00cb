"""Drop-in classes of read-write mode, without another compiler: read, checked and written."""

from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.everyday import FILES, files
from tests.support.rewriting import emit_read_write, faults, rewritten
from tests.support.strangers import FORMATS, specs
from tests.support.tools import complaints

_NOT_IN_A_FIELD: Final = {
    "bmp": "bits that fill up a row of pixels",
    "sqlite": "what deleted cells left in a page",
    "tar": "bytes after the zero that ends a text",
}
"""Bytes in a record's own stream that no field holds: the official interface writes zeros."""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What becomes of each everyday file that is read, checked and written."""
    folder = tmp_path_factory.mktemp("read_write")
    for name in ("modules", "files"):
        (folder / name).mkdir()
    emit_read_write(sorted(FORMATS.glob("*.ksy")), folder / "modules", [])
    for name, number in files():
        (folder / "files" / f"{name}.{number}.bin").write_bytes(FILES[name][number]())
    return rewritten(folder / "modules", folder / "files", folder / "out.json", changes=False)


@pytest.mark.parametrize(("name", "number"), files())
def test_a_file_that_is_written_reads_as_the_same(
    outcomes: dict[str, Any], name: str, number: int
) -> None:
    """All fields and parse instances are equal after a file is written and read again."""
    assert outcomes[f"{name}.{number}.bin"]["same"] is True


@pytest.mark.parametrize(("name", "number"), files())
def test_what_fields_hold_is_written_where_it_was_read(
    outcomes: dict[str, Any], name: str, number: int
) -> None:
    """Every byte written is that of the file, except for bits that no field holds."""
    found = faults(outcomes[f"{name}.{number}.bin"]["written"], FILES[name][number]())
    assert bool(found) == (name in _NOT_IN_A_FIELD)


def test_a_formatter_changes_nothing(tmp_path: Path) -> None:
    """Generated read-write modules are as ruff formats them by default."""
    emit_read_write(specs(), tmp_path, [])
    assert not complaints("format", tmp_path)
