"""Places in the text of a JSON document."""

from __future__ import annotations

import json

import pytest
from tests.support.gallery import rows

from byteloom.documents.json_text import line_and_column, offset_of, offset_of_word

TEXT = json.dumps(
    {
        "a.b": [1, {"x": 2}],
        "a": {"b": "é", "c": [[], [7]]},
        "schemas": [{"schema-id": 3, "fields": [{"name": "id.x", "type": "int"}]}],
        "snapshots": [{"snapshot-id": 9}, {"snapshot-id": 0}],
    },
    indent=2,
    ensure_ascii=False,
).encode()


@pytest.mark.parametrize(
    ("path", "begins"),
    rows("json_places", "a_path_leads_to_the_byte_where_its_value_begins"),
)
def test_a_path_leads_to_the_byte_where_its_value_begins(path: str, begins: bytes) -> None:
    """Keys may have points in them, elements an id or a name; of what lacks, its object counts."""
    found = offset_of(TEXT, path)
    assert found is not None
    assert TEXT[found:].startswith(begins)


@pytest.mark.parametrize(
    ("text", "path"),
    [(TEXT, "x"), (TEXT, ""), (b"{", "a"), (b"\xff", "a"), (b'{"a" 1}', "a"), (b"", "")],
)
def test_what_is_not_there_has_no_place(text: bytes, path: str) -> None:
    """A path of which nothing is there, and text that is not JSON, have no place."""
    assert offset_of(text, path) is None


def test_a_search_that_would_take_long_is_left_out() -> None:
    """In a large document, deep paths are not looked up."""
    data = b'{"a": [1, "' + b"x" * (20 << 20) + b'"]}'
    assert offset_of(data, "a[0]") == 7
    assert offset_of(data, "a[0].b.c") is None


def test_a_word_is_found_outside_of_strings() -> None:
    """A number or a constant is found unless it is part of a text or of another number."""
    text = '{"NaN": "é NaN \\" NaN", "b": 1e99, "c": [1e9, NaN]}'
    data = text.encode()
    assert data[offset_of_word(text, "NaN") or 0 :] == b"NaN]}"
    assert data[offset_of_word(text, "1e9") or 0 :] == b"1e9, NaN]}"
    assert offset_of_word(text, "1e") is None


def test_lines_and_columns_count_from_one() -> None:
    """A place is counted as editors do, in characters."""
    data = "é\nab".encode()
    places = [line_and_column(data, at) for at in (0, 2, 3, 5)]
    assert places == [
        "line 1, column 1", "line 1, column 2", "line 2, column 1", "line 2, column 3",
    ]  # fmt: skip
