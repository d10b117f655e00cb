"""Long expressions on reference pages: in words, with a line for each part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
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
    [
        (
            " and ".join(f"({LETTER.format(each)})" for each in range(4)),
            [
                "whether all of these are true:",
                *(
                    f"• element {each} of raw is from 65 to 90 or element {each} of raw is from "
                    "97 to 122"
                    for each in range(4)
                ),
            ],
        ),
        (
            " or ".join(f"of_the_first_kind == {each} and n != {each + 1}" for each in range(4)),
            [
                "whether at least one of these is true:",
                *(f"• of_the_first_kind is {each} and n is not {each + 1}" for each in range(4)),
            ],
        ),
        (
            f"not ({' or '.join(f'of_the_first_kind > {each} + n' for each in range(6))})",
            [
                "whether none of these is true:",
                *(f"• of_the_first_kind is greater than {each} plus n" for each in range(6)),
            ],
        ),
        (
            " or ".join(f"of_the_first_kind == {each}" for each in range(1000, 1030)),
            ["whether of_the_first_kind is one of these:", *(f"• {n}" for n in range(1000, 1030))],
        ),
        (
            (
                "n < 5 ? of_the_first_kind * of_another_kind : n < 9 ? of_another_kind"
                " : n == 10 ? of_the_first_kind + of_another_kind : of_the_first_kind"
            ),
            [
                "the first of these that applies:",
                "• if n is less than 5: of_the_first_kind times of_another_kind",
                "• if n is less than 9: of_another_kind",
                "• if n is 10: of_the_first_kind plus of_another_kind",
                "• otherwise: of_the_first_kind",
            ],
        ),
        (
            (
                "_io.size - _io.pos + of_the_first_kind * of_another_kind"
                " - (n + of_another_kind * 2) + of_the_first_kind * 3 + of_another_kind"
            ),
            [
                "the sum of:",
                "• the number of bytes left in the input",
                "• of_the_first_kind times of_another_kind",
                "• minus (n plus of_another_kind times 2)",
                "• of_the_first_kind times 3",
                "• of_another_kind",
            ],
        ),
        (
            f"of_another_kind + (n == 7 ? 0 : {' + '.join(['of_the_first_kind * n'] * 6)})",
            [
                "the sum of:",
                "• of_another_kind",
                "• the first of these that applies:",
                "◦ if n is 7: 0",
                "◦ otherwise: the sum of:",
                *["▪ of_the_first_kind times n"] * 6,
            ],
        ),
        (
            " | ".join(f"raw[{each}] << {8 * each + n}" for n in (0, 1) for each in range(2, 4)),
            [
                "all of these joined by bitwise-or:",
                "• element 2 of raw shifted left by 16 bits",
                "• element 3 of raw shifted left by 24 bits",
                "• element 2 of raw shifted left by 17 bits",
                "• element 3 of raw shifted left by 25 bits",
            ],
        ),
        (
            " + ".join(["name_of_the_file.substring(0, n)"] * 3),
            [
                "these texts one after the other:",
                *["• the characters of name_of_the_file from 0 up to, not including, n"] * 3,
            ],
        ),
    ],
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
