"""An edit in a view of bytes reaches the fields that have them, or is refused."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from tests.support.modules import read

from byteloom.errors import FormatError

_ARCHIVE = """
seq:
  - {id: num_files, type: u1}
  - {id: files, type: file, repeat: expr, repeat-expr: num_files}
  - {id: num_entries, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num_entries}
types:
  file:
    seq:
      - {id: len_name, type: u1}
      - {id: name, size: len_name}
      - {id: num_tags, type: u1}
      - {id: tags, type: tag, repeat: expr, repeat-expr: num_tags}
  tag: {seq: [{id: letter, size: 1}]}
  entry:
    seq: [{id: ofs, type: u1}, {id: len, type: u1}]
    instances:
      header: {io: _root._io, pos: ofs, type: file}
      bytes: {io: _root._io, pos: ofs, size: len}
"""
_FILES = b"\2" + b"\2ab\2xy" + b"\3cde\1z" + b"\2" + b"\1\6" + b"\7\6"


def _archive() -> Any:
    return read(_ARCHIVE, _FILES)


@pytest.mark.parametrize("read_before", [False, True])
def test_an_edit_of_a_view_reaches_the_sequence_and_offsets_follow(read_before: bool) -> None:
    """A longer name in a view is the name in sequence; positions and sizes of views follow."""
    archive = _archive()
    if read_before:
        assert [each.bytes_ for each in archive.entries] == [b"\2ab\2xy", b"\3cde\1z"]
    archive.entries[0].header.name = b"longer"
    data = b"\2" + b"\6longer\2xy" + b"\3cde\1z" + b"\2" + b"\1\x0a" + b"\x0b\6"
    assert archive.to_bytes() == data
    assert archive.files[0].name == b"longer"
    archive.entries[0].header.name = b"a"
    assert archive.to_bytes() == b"\2" + b"\1a\2xy" + b"\3cde\1z" + b"\2" + b"\1\5" + b"\6\6"


def test_an_element_added_to_a_view_is_added_to_the_list() -> None:
    """An element at the end of a list in a view is one at the end of the list in sequence."""
    archive = _archive()
    archive.entries[0].header.tags += deepcopy(archive.files[1].tags)
    assert archive.to_bytes() == (b"\2" + b"\2ab\3xyz" + b"\3cde\1z" + b"\2" + b"\1\7" + b"\x08\6")
    assert [each.letter for each in archive.files[0].tags] == [b"x", b"y", b"z"]


def test_an_element_gone_from_the_end_of_a_view_is_gone_from_the_list() -> None:
    """The last element can go; another would leave its index to the next, and is refused."""
    archive = _archive()
    del archive.entries[0].header.tags[1]
    assert archive.to_bytes() == b"\2" + b"\2ab\1x" + b"\3cde\1z" + b"\2" + b"\1\5" + b"\6\6"
    archive = _archive()
    del archive.entries[0].header.tags[0]
    with pytest.raises(FormatError, match="header"):
        archive.to_bytes()


def test_edits_that_contradict_each_other_are_refused_and_nothing_is_carried() -> None:
    """A view and the sequence with different edits of the same bytes are refused as they are."""
    archive = _archive()
    archive.entries[0].header.name, archive.files[0].name = b"one", b"two"
    with pytest.raises(FormatError, match="header"):
        archive.to_bytes()
    assert (archive.entries[0].header.name, archive.files[0].name) == (b"one", b"two")


def test_what_was_carried_is_taken_back_if_the_record_is_refused() -> None:
    """A view whose edit cannot be written leaves the sequence as it was."""
    archive = _archive()
    archive.entries[0].header.name = b"a" * 254
    with pytest.raises(FormatError, match="header"):
        archive.to_bytes()
    assert archive.files[0].name == b"ab"
    assert archive.entries[0].header.name == b"a" * 254


_NAMES = """
seq:
  - {id: ofs_names, type: u1}
  - {id: len_names, type: u1}
  - {id: ofs_symbols, type: u1}
  - {id: len_symbols, type: u1}
instances:
  names: {pos: ofs_names, size: len_names, type: names}
  symbols: {pos: ofs_symbols, size: len_symbols, type: symbols}
types:
  names: {seq: [{id: texts, type: strz, repeat: eos}]}
  symbols: {seq: [{id: all, type: symbol, repeat: eos}]}
  symbol:
    seq: [{id: at, type: u1}]
    instances:
      name: {io: _root._io, pos: _root.ofs_names + at, type: strz}
"""
_SYMBOLS = b"\4\7\x0b\3" + b"ab\0cde\0" + b"\3\0\3"


def test_numbers_in_parts_that_were_not_read_follow() -> None:
    """A longer text moves the offsets of symbols, including those not read, and no other number."""
    table: Any = read(_NAMES, _SYMBOLS)
    table.names.texts[0] = "longer"
    assert table.to_bytes() == b"\4\x0b\x0f\3" + b"longer\0cde\0" + b"\7\0\7"


def test_a_name_edited_through_a_symbol_is_edited_in_the_table() -> None:
    """A text seen through an offset is edited where it is; texts after it move."""
    table: Any = read(_NAMES, _SYMBOLS)
    assert table.names.texts == ["ab", "cde"]
    table.symbols.all[1].name = "abc"
    assert table.to_bytes() == b"\4\x08\x0c\3" + b"abc\0cde\0" + b"\4\0\4"
    assert table.names.texts == ["abc", "cde"]


def test_bytes_that_are_a_derived_length_in_sequence_are_not_carried() -> None:
    """An edit of bytes that are a length in sequence is refused: the length follows its text."""
    archive = _archive()
    archive.entries[0].len = 1
    assert archive.entries[0].bytes_ == b"\2"
    archive = type(archive).from_bytes(archive.to_bytes())
    archive.entries[0].bytes_ = b"\1"
    with pytest.raises(FormatError, match="bytes: found bytes 1 to 2, where the fields before it"):
        archive.to_bytes()
