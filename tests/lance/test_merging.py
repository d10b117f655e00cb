"""Arrays of leaves are merged into the array of their field."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.drawn import examples
from tests.support.lance_files import lance_field

from byteloom.errors import FormatError
from byteloom.lance.fields import Field, tree_of
from byteloom.lance.readers import branches, leaf_type, merged
from byteloom.lance.types import arrow_field
from byteloom.limits import DEFAULT_LIMITS

SHAPES = {
    "a leaf": [("x", "int32", -1)],
    "a struct": [("x", "struct", -1), ("a", "int32", 0), ("b", "string", 0)],
    "lists of structs": [
        ("x", "list.struct", -1),
        ("item", "struct", 0),
        ("a", "int32", 1),
        ("b", "list", 1),
        ("item", "struct", 3),
        ("c", "int8", 4),
        ("d", "bool", 4),
    ],
    "a map": [
        ("x", "map", -1),
        ("entries", "struct", 0),
        ("key", "string", 1),
        ("value", "large_list", 1),
        ("item", "int32", 3),
    ],
    "fixed lists of structs": [
        ("x", "fixed_size_list:struct:2", -1),
        ("item", "struct", 0),
        ("a", "int32", 1),
        ("b", "int32", 1),
    ],
    "structs of structs": [
        ("x", "struct", -1),
        ("s", "struct", 0),
        ("a", "int32", 1),
        ("b", "int32", 1),
        ("c", "int32", 0),
    ],
}


def field_of(shape: str) -> Field:
    """The field of a shape; keys and entries of maps are never null."""
    stored = [
        lance_field(name, kind, number, parent_id=parent, nullable=name not in {"key", "entries"})
        for number, (name, kind, parent) in enumerate(SHAPES[shape])
    ]
    return tree_of(stored, DEFAULT_LIMITS)[0]


def values(type_: pa.DataType, *, nullable: bool = True) -> st.SearchStrategy[Any]:
    """Values of a type, nulls at every level among them."""
    found: st.SearchStrategy[Any]
    if pa.types.is_struct(type_):
        found = st.fixed_dictionaries(
            {each.name: values(each.type, nullable=each.nullable) for each in type_}
        )
    elif pa.types.is_map(type_):
        found = st.lists(
            st.tuples(values(type_.key_type, nullable=False), values(type_.item_type)), max_size=3
        )
    elif pa.types.is_fixed_size_list(type_):
        size = type_.list_size
        found = st.lists(values(type_.value_type), min_size=size, max_size=size)
    elif pa.types.is_nested(type_):
        found = st.lists(values(type_.value_type), max_size=3)
    elif pa.types.is_boolean(type_):
        found = st.booleans()
    else:
        found = st.text(max_size=2) if pa.types.is_string(type_) else st.integers(0, 99)
    return st.none() | found if nullable else found


def narrowed(array: pa.Array, field: Field, branch: tuple[Field, ...]) -> pa.Array:
    """The array of one leaf: the same without the other leaves."""
    type_ = leaf_type(branch)
    if len(branch) == 1:
        return array
    count, child = len(array), branch[1]
    if field.is_struct:
        at = [each.id for each in field.children].index(child.id)
        inner = narrowed(array.field(at), child, branch[1:])
        return pa.StructArray.from_arrays([inner], fields=[type_.field(0)], mask=array.is_null())
    if pa.types.is_fixed_size_list(type_):
        inner = narrowed(array.values, child, branch[1:])
        return pa.Array.from_buffers(type_, count, array.buffers()[:1], children=[inner])
    if pa.types.is_map(array.type):
        entries = pa.StructArray.from_arrays(
            [array.keys, array.items], fields=[array.type.key_field, array.type.item_field]
        )
        inner = narrowed(entries, child, branch[1:])
    else:
        inner = narrowed(array.values, child, branch[1:])
    return pa.Array.from_buffers(type_, count, array.buffers()[:2], children=[inner])


@pytest.mark.parametrize("shape", SHAPES)
@examples(0.5)
@given(data=st.data())
def test_leaves_are_put_together(shape: str, data: st.DataObject) -> None:
    """Merging all leaves of an array gives the array again, whole or in part."""
    field = field_of(shape)
    type_ = arrow_field(field).type
    array = pa.array(data.draw(st.lists(values(type_), max_size=12)), type_)
    leaves = [narrowed(array, field, branch) for branch in branches(field)]
    whole = merged(field, leaves)
    whole.validate(full=True)
    assert whole.to_pylist() == array.to_pylist()
    start = data.draw(st.integers(0, len(array)))
    part = merged(field, [each[start:] for each in leaves])
    part.validate(full=True)
    assert part.to_pylist() == array.to_pylist()[start:]


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
