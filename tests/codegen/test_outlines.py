"""Long expressions on reference pages: in words, with a line for each part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.gallery import rows
from tests.support.specs import loaded

from byteloom_codegen.model import ValueInstance
from byteloom_codegen.reference.phrases import condition, explained, formula
from byteloom_codegen.reference.prose import NEW_LINE, Words, plain

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import TypeSpec

BODY = """\
seq:
  - {id: n, type: u1}
  - {id: raw, size: 8}
  - {id: of_the_first_kind, type: u1}
  - {id: of_another_kind, type: u1}
  - {id: name_of_the_file, type: strz, encoding: ASCII}
"""


def asked(text: str) -> tuple[Expression, TypeSpec]:
    """Return an expression of the spec above, and its top type."""
    top = loaded(f"{BODY}instances:\n  x: {{value: {json.dumps(text)}}}\n").top
    found = top.member("x")
    assert isinstance(found, ValueInstance)
    return found.value, top


def lines(words: Words) -> list[str]:
    """Return the lines of words."""
    found: list[list[str]] = [[]]
    for word in words:
        if word is NEW_LINE:
            found.append([])
        else:
            found[-1].append(word.text)
    return ["".join(each) for each in found]


LETTER = "raw[{0}] >= 0x41 and raw[{0}] <= 0x5a or raw[{0}] >= 0x61 and raw[{0}] <= 0x7a"
"""The rule for each letter of the type of a PNG chunk."""


@pytest.mark.parametrize(
    ("text", "wanted"),
    rows("phrases", "outlines"),
)
def test_a_long_expression_has_a_line_for_each_part(text: str, wanted: list[str]) -> None:
    """An expression too long for a line is shown as a heading and a line for each part."""
    node, top = asked(text)
    assert lines(explained(node, top)) == [*wanted, f"({formula(node)})"]


def test_the_number_of_an_element_is_explained_after_all_parts() -> None:
    """What `i` is in a list has a line of its own."""
    sum_ = " + ".join(f"raw[_index] * {each} * of_the_first_kind" for each in range(4))
    node = loaded(
        f"{BODY}  - {{id: x, size: {json.dumps(sum_)}, repeat: expr, repeat-expr: 2}}\n"
    ).top.seq[-1]
    found = lines(explained(node.type.delimiting.size, node.owner))  # type: ignore[union-attr,arg-type]  # it has both
    assert found[0] == "the sum of:"
    assert found[-2] == "where i numbers the elements from 0"
    assert "where" not in found[-3]


def test_a_long_choice_between_conditions_is_asked_for_its_truth() -> None:
    """A rule that is a choice between conditions says which of them has to be true."""
    text = (
        "n < 5 ? of_the_first_kind > of_another_kind : n == 10 ? of_the_first_kind + "
        "of_another_kind > 20 : of_the_first_kind == 1"
    )
    node, top = asked(text)
    assert lines(condition(node, top))[:-1] == [
        "the first of these that applies is true:",
        "• if n is less than 5: of_the_first_kind is greater than of_another_kind",
        "• if n is 10: of_the_first_kind plus of_another_kind is greater than 20",
        "• otherwise: of_the_first_kind is 1",
    ]


@pytest.mark.parametrize(
    ("count", "is_divided"), [(48, True), (49, False)], ids=["the most lines", "another line"]
)
def test_an_outline_has_at_most_48_lines(count: int, is_divided: bool) -> None:
    """An expression of more parts is its formula alone."""
    node, top = asked(" + ".join(["of_the_first_kind"] * (count - 1)))
    assert (plain(explained(node, top)) != formula(node)) is is_divided


def test_a_part_that_cannot_be_divided_and_is_very_long_leaves_the_formula_alone() -> None:
    """Words that no line break makes easier to follow are left out."""
    node, top = asked(" * ".join(["of_the_first_kind"] * 20))
    assert plain(explained(node, top)) == formula(node)
