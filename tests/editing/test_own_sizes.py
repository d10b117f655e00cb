"""A position may depend on the size of the record around it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.modules import read

_SPEC = (Path(__file__).parents[1] / "cases/edits/hard_own_size.ksy").read_text()
_TEXT = _SPEC.partition("encoding: ASCII\n")[2]
_DATA = b"\x0a" + b"\1a\0\0\2" + b"\1b\2\0\2" + b"now!"


def test_a_part_that_begins_after_the_record_that_it_is_in_moves_with_its_size() -> None:
    """Bodies that begin after the header are written after it when a name in it grows."""
    archive: Any = read(_TEXT, _DATA)
    entries = archive.header.entries.all
    assert [each.body for each in entries] == [b"no", b"w!"]
    entries[0].name = "longer"
    assert archive.to_bytes() == b"\x0f" + b"\6longer\0\0\2" + b"\1b\2\0\2" + b"now!"


def test_the_size_of_a_record_is_known_when_parts_in_other_streams_were_read() -> None:
    """A derived length can be asked for, even after parts were read in the stream around it."""
    archive: Any = read(_TEXT, _DATA)
    assert archive.header.entries.all[1].body == b"w!"
    assert archive.header.len_entries == 10
