"""Records as text are what `json` makes of the same values.

Records of formats have few of the values that are drawn here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.columns.record_texts import text_of_record


class Colour(IntEnum):
    """An enum whose labels are written in small letters."""

    RED = 1
    DARK_BLUE = 2


class Stored(bytes):
    """Bytes of a class of their own, as decompressed ones are."""


@dataclass
class Pair:
    """A record inside another; a keyword of Python is a field with a line after its name."""

    left: Any
    class_: Any
    hidden: int = field(default=0, init=False)


@dataclass
class Empty:
    """A record without fields."""


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.binary(),
    st.binary().map(Stored),
    st.sampled_from(Colour),
    st.builds(Empty),
)
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.builds(Pair, inner, inner), max_leaves=8
)


def document(value: Any) -> Any:
    """A value as dicts and lists."""
    match value:
        case Pair(left=left, class_=other):
            return {"left": document(left), "class": document(other)}
        case Empty():
            return {}
        case list():
            return [document(each) for each in value]
        case bytes():
            return value.hex()
        case Colour():
            return value.name.lower()
    return value


@given(left=values, other=values)
def test_a_record_is_the_text_that_json_makes(left: Any, other: Any) -> None:
    """Numbers, text, bytes, labels, lists and records are written as `json.dumps` writes them."""
    record = Pair(left, other)
    assert text_of_record(record) == json.dumps(document(record))


@pytest.mark.parametrize(
    ("value", "text"), [(float("nan"), '"nan"'), (float("-inf"), '"-inf"'), (1 + 2j, '"(1+2j)"')]
)
def test_what_json_lacks_is_text(value: Any, text: str) -> None:
    """Numbers that JSON cannot have, and values of other kinds, are written as strings."""
    assert text_of_record(Pair(value, None)) == f'{{"left": {text}, "class": null}}'
