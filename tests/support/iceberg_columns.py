"""Columns of schemas as JSON, drawn: sound ones, and those that something is wrong with."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ["COLUMNS", "LAST", "LIST", "PLAIN", "POINT", "SOUND", "WITH_NESTED"]

LAST = 2_147_483_647
PLAIN = {"id": 1, "name": "a", "required": False, "type": "int"}
POINT = {"type": "struct", "fields": [{"id": 7, "name": "x", "required": True, "type": "int"}]}
LIST = {"type": "list", "element-id": 8, "element": POINT, "element-required": False}

IDS = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 7, LAST, LAST + 1, -1, True, 1.5, "1", None])
NAMES = st.sampled_from(["a", "A", "b", "c", "a.x", "p.x", "d", "e", "f", 1, None])
TYPES = st.sampled_from(["int", "long", "unknown", " int ", "int9", 3, POINT, LIST])
COLUMNS = st.fixed_dictionaries(
    {"id": IDS, "name": NAMES, "required": st.sampled_from([False, True, 0]), "type": TYPES},
    optional={
        "doc": st.sampled_from(["what it is", None, 5]),
        "initial-default": st.sampled_from([5, "x", None]),
        "write-default": st.sampled_from([5, "x", None]),
        "colour": st.just("red"),
    },
)
SOUND = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.integers(10, 99),
            "name": st.text("abcX.", min_size=1, max_size=3),
            "required": st.booleans(),
            "type": st.sampled_from(["int", "string", "date"]),
        },
        optional={"doc": st.text(max_size=2), "initial-default": st.none()},
    ),
    max_size=6,
    unique_by=(lambda each: each["id"], lambda each: each["name"]),
)
NESTED: st.SearchStrategy[list[dict[str, Any]]] = st.sampled_from(
    [[], *([{**PLAIN, "name": "p", "type": each}] for each in (POINT, LIST))]
)
WITH_NESTED: st.SearchStrategy[list[dict[str, Any]]] = st.tuples(SOUND, NESTED).flatmap(
    lambda drawn: st.permutations([*drawn[0], *drawn[1]])
)
