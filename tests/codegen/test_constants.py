"""Constants of a generated class: sizes, offsets, limits and magics."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.gallery import rows
from tests.support.modules import module_of

from byteloom.wire import TracingReader
from byteloom_codegen.load import load_text
from byteloom_codegen.python.module import emit

SIZES = {
    "type: u1": 1,
    "type: s2": 2,
    "type: u4be": 4,
    "type: f8": 8,
    "type: b8": 1,
    "type: b24": 3,
    "size: 5": 5,
    "contents: [1, 2, 3]": 3,
    "type: str, size: 3, encoding: ASCII": 3,
    "type: pair": 6,
    "type: u2, enum: kind": 2,
    "type: u2, repeat: expr, repeat-expr: 3": 6,
}
"""Fields of a fixed size, and the bytes of each."""

TYPES = """
types:
  pair: {seq: [{id: a, type: u2}, {id: b, type: u4}]}
enums:
  kind: {1: one}
"""


def sample(*fields: str) -> Any:
    """Return the class of a record with these fields, called a, b, ..."""
    seq = "".join(f"  - {{id: {chr(97 + at)}, {each}}}\n" for at, each in enumerate(fields))
    return module_of(f"seq:\n{seq}{TYPES}").Sample


@given(st.lists(st.sampled_from(sorted(SIZES)), min_size=2, max_size=6))
def test_fields_of_a_fixed_size_begin_at_their_places(fields: list[str]) -> None:
    """`PLACES` has the sums of the sizes before each field, where a reader finds them."""
    record = sample(*fields)
    places, at = {}, 0
    for number, each in enumerate(fields):
        places[chr(97 + number)] = at
        at += SIZES[each]
    assert (places, at) == (record.PLACES, record.SIZE)
    stored = [b"\1\2\3" if "contents" in each else bytes(SIZES[each]) for each in fields]
    reader = TracingReader(b"".join(stored))
    reader.record("sample", record.read)
    (node,) = reader.root.children
    starts = {each.name: each.start for each in reversed(node.children)}  # a list by its first item
    assert {name.partition("[")[0]: start for name, start in starts.items()} == places


@pytest.mark.parametrize(
    "fields",
    rows("constants", "a_record_without_fixed_places_has_none"),
)
def test_a_record_without_fixed_places_has_none(fields: list[str]) -> None:
    """A record with one field, or with fields of varying size or of bits, has no `PLACES`."""
    assert not hasattr(sample(*fields), "PLACES")


def test_greatest_values_are_those_of_the_rules() -> None:
    """`MOST` has the literal maximum of each field, but no calculated one."""
    rules = ["max: 9", "min: 3", "min: -1, max: 70", "max: a"]
    record = sample(*(f"type: s4, valid: {{{each}}}" for each in rules))
    assert record.MOST == {"a": 9, "c": 70}


def test_the_constants_of_the_readme_are_those_of_the_class() -> None:
    """The constants shown in `specs/README.md` are those of its example's class."""
    text = (Path(__file__).parents[2] / "specs/README.md").read_text(encoding="utf-8")
    part = text[text.index("## Constants") : text.index("## Vectors")]
    spec, said = part.split("```")[1:3]
    module = ModuleType("constants_of_the_readme")
    sys.modules[module.__name__] = module
    source = emit(load_text(spec.removeprefix("yaml"), "t.ksy"), "t.ksy")
    exec(compile(source, module.__name__, "exec"), vars(module))  # noqa: S102  (the test)
    record = module.T
    found = re.findall(r"`SIZE` (\d+)|`(\{.*?\})`|`(b\".*?\")`", said.replace("\n", " "))
    values = [ast.literal_eval("".join(each)) for each in found]
    assert values == [record.SIZE, record.PLACES, record.MOST, record.magic]
