"""The quick look at a record notices every edit, even of what equality ignores."""

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.support.modules import module_of
from tests.support.strangers import imported_from, inputs, specs, write_records

from byteloom.editing.differences import edits, is_plainly_unedited
from byteloom.errors import ByteloomError
from byteloom.wire import Record

_SPEC = """
seq:
  - {id: num, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num}
  - {id: rest, size-eos: true}
types:
  entry:
    seq:
      - {id: ofs, type: u1}
      - {id: kind, type: kind}
    instances:
      body: {pos: ofs, size: 2}
      inner: {pos: ofs, type: kind}
      around: {pos: ofs, type: around}
  around: {instances: {inner: {pos: 6, size: 1}}}
  kind: {seq: [{id: value, type: u1}]}
"""
_DATA = b"\2\5\1\6\2abcd"


def _edit_body(sample: Any) -> None:
    sample.entries[1].body = b"XY"


def _edit_inner(sample: Any) -> None:
    sample.entries[0].inner.value = 7


def _edit_part_of_part(sample: Any) -> None:
    sample.entries[0].around.inner = b"Z"


def _edit_kind(sample: Any) -> None:
    sample.entries[1].kind.value = 9


def _drop(sample: Any) -> None:
    del sample.entries[1]


@pytest.mark.parametrize("edit", [_edit_body, _edit_inner, _edit_part_of_part, _edit_kind, _drop])
def test_an_edit_is_noticed(edit: Callable[[Any], None]) -> None:
    """A part that was read when asked, what is inside it, a field, a list: none is overlooked."""
    top: Any = module_of(_SPEC).Sample
    sample, as_read = top.from_bytes(_DATA), top.from_bytes(_DATA)
    edit(sample)
    assert not is_plainly_unedited(sample, as_read)


def test_what_was_only_read_is_no_edit() -> None:
    """Reading parts of a record is not an edit."""
    top: Any = module_of(_SPEC).Sample
    sample, as_read = top.from_bytes(_DATA), top.from_bytes(_DATA)
    assert is_plainly_unedited(sample, as_read)
    assert sample.entries[0].inner.value == sample.entries[0].body[0]
    assert sample.entries[0].around.inner == b"b"
    assert is_plainly_unedited(sample, as_read)


@pytest.fixture(scope="module")
def _modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have the records of all specs of strangers importable."""
    folder = tmp_path_factory.mktemp("unedited")
    write_records(specs(), folder)
    with imported_from(folder):
        yield


@pytest.mark.usefixtures("_modules")
def test_formats_of_strangers_are_seen_alike() -> None:
    """A record that the quick check calls unedited has no edits; most unedited records pass it."""
    seen = 0
    for name, data in inputs():
        members = vars(importlib.import_module(name)).values()
        cls: Any = next(
            each
            for each in members
            if isinstance(each, type)
            and issubclass(each, Record)
            and each.__dict__.get("NAME") == name
        )
        try:
            record, as_read = cls.from_bytes(data), cls.from_bytes(data)
        except ByteloomError:
            continue
        if is_plainly_unedited(record, as_read):
            assert not any(edits(record, as_read)), name
            seen += 1
    assert seen > 50
