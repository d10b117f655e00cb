"""Arrays of leaves that do not belong together are not merged into the array of their field.

They are merged by themselves: the row counts of a file are compared before.
"""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.support.lance_files import lance_field

from byteloom.errors import FormatError
from byteloom.lance.fields import Field, tree_of
from byteloom.lance.reader_choice import branches, leaf_type, merged
from byteloom.limits import DEFAULT_LIMITS

SHAPES = {
    "a struct": [("x", "struct", -1), ("a", "int32", 0), ("b", "string", 0)],
    "a map": [
        ("x", "map", -1),
        ("entries", "struct", 0),
        ("key", "string", 1),
        ("value", "large_list", 1),
        ("item", "int32", 3),
    ],
}


def field_of(shape: str) -> Field:
    """The field of a shape; keys and entries of maps are never null."""
    stored = [
        lance_field(name, kind, number, parent_id=parent, nullable=name not in {"key", "entries"})
        for number, (name, kind, parent) in enumerate(SHAPES[shape])
    ]
    return tree_of(stored, DEFAULT_LIMITS)[0]


def test_leaves_that_disagree_are_refused() -> None:
    """Leaves with different numbers of rows, or different list lengths, are refused."""
    field = field_of("a struct")
    leaves = [
        pa.array([{"a": 1}], leaf_type(branches(field)[0])),
        pa.array([{"b": "x"}] * 2, leaf_type(branches(field)[1])),
    ]
    with pytest.raises(FormatError, match=r"x: found columns of 1, 2 rows, wanted as many in each"):
        merged(field, leaves)
    field = field_of("a map")
    entries = [pa.array([[{"key": "a"}]], leaf_type(branches(field)[0]))]
    entries.append(pa.array([[]], leaf_type(branches(field)[1])))
    with pytest.raises(FormatError, match="x: found lists of other lengths"):
        merged(field, entries)
