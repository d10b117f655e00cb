"""What a reference page says of a field without a doc: what other fields follow from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.specs import loaded

from byteloom_codegen.reference.prose import plain
from byteloom_codegen.reference.view import page_view

if TYPE_CHECKING:
    from byteloom_codegen.reference.view import Page

BODY = """\
  endian: le
seq:
  - {id: head, type: head}
  - {id: size_itself, type: u1}
  - {id: size_less, type: u1}
  - {id: each_size, type: u1}
  - {id: count, type: u1}
  - {id: kind, type: u1}
  - {id: flag, type: u1}
  - {id: told, type: u1, doc: Its own words.}
  - {id: nothing, type: u1}
  - {id: a, size: size_itself}
  - {id: b, size: size_less - 1}
  - {id: c, size: each_size, repeat: expr, repeat-expr: count}
  - {id: d, size: head.len, type: {switch-on: kind, cases: {1: inner, 2: inner}}}
  - {id: e, type: u1, if: flag == 1}
  - {id: f, type: u1, if: flag == 1 or flag == 2}
  - {id: g, size: told}
  - {id: own, type: own}
types:
  head: {seq: [{id: len, type: u1}, {id: is_on, type: b1}, {id: offset, type: u4}]}
  inner: {seq: [{id: x, size: _root.head.len, if: _root.head.is_on}]}
  own:
    params: [{id: n, type: u1}]
    seq: [{id: x, size: n}]
    instances:
      far: {pos: _root.head.offset, size: twice}
      twice: {value: n * 2}
"""


def meanings(page: Page, section: int) -> dict[str, str]:
    """Return what a page says of the members of one of its types, where the spec is silent."""
    found = page.sections[section]
    rows = (*found.params, *found.fields, *found.elsewhere, *found.computed)
    return {row.name: plain(row.role) for row in rows}


@pytest.fixture(scope="module")
def page() -> Page:
    """Return the page of the spec above."""
    return page_view(loaded(BODY.replace("{id: own, type: own}", "{id: own, type: own(1)}")), "x")


@pytest.mark.parametrize(
    ("section", "field", "said"),
    [
        (0, "size_itself", "The size of a in bytes."),
        (0, "size_less", "The size of b depends on it."),
        (0, "each_size", "The size of each of c in bytes."),
        (0, "count", "The number of c."),
        (0, "kind", "Which type d has."),
        (0, "flag", "Whether e, f are there depends on it."),
        (0, "told", ""),
        (0, "nothing", ""),
        (0, "head", ""),
        (1, "len", "The size of d of t, x of inner in bytes."),
        (1, "is_on", "Whether x of inner is there."),
        (1, "offset", "Where far of own begins."),
        (3, "n", "The size of x in bytes."),
        (3, "twice", "The size of far in bytes."),
    ],
)
def test_a_field_without_a_doc_means_what_others_take_from_it(
    page: Page, section: int, field: str, said: str
) -> None:
    """Sizes, counts, places, types and conditions of others give a field its meaning."""
    assert meanings(page, section)[field] == said


def test_of_many_fields_the_first_four_are_named() -> None:
    """A flag that decides about many fields names a few of them, and how many more there are."""
    fields = "".join(f"  - {{id: x{number}, type: u1, if: on}}\n" for number in range(7))
    page = page_view(loaded(f"seq:\n  - {{id: on, type: b1}}\n{fields}"), "x")
    assert meanings(page, 0)["on"] == "Whether x0, x1, x2, x3 and 3 more are there."
