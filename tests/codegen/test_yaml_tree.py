"""YAML as specs use it: text with positions, without guessed types, and with limits."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.gallery import rows

from byteloom_codegen.errors import SpecError
from byteloom_codegen.frontend.place import Place, integer
from byteloom_codegen.frontend.yaml_tree import parse


def place(text: str) -> Place:
    """Return the whole of *text*."""
    return Place(*parse(text, "t.ksy"))


def failure(text: str) -> str:
    """Return the error of *text* without the name of the file."""
    with pytest.raises(SpecError) as caught:
        parse(text, "t.ksy")
    return str(caught.value).removeprefix("t.ksy:")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("12", 12),
        ("-0x7f", -127),
        ("0x0253_f2f4", 0x0253F2F4),
        ("0o17", 15),
        ("0b101", 5),
        ("18446744073709551616", 2**64),
        ("012", 10),
        ("-0_12", -10),
        ("+012", 10),
        ("08", 8),
        ("0190", 190),
        ("1_", 1),
        ("1:30", None),
        ("0x", None),
        ("0b_", None),
        ("_1", None),
        ("9" * 10_000, None),
        ("yes", None),
        ("", None),
    ],
)
def test_integers_are_those_of_the_language(text: str, wanted: int | None) -> None:
    """Integers may have four bases, a zero before octal, and underscores, but not base sixty."""
    assert integer(text) == wanted


def test_words_stay_words() -> None:
    """``no`` and ``1:30`` are read as text; only true and false are booleans, in any case."""
    values = place("[no, yes, on, 1:30, 1e3, true, FALSE, null, '5', 0x10]").plain_value()
    assert values == ["no", "yes", "on", "1:30", 1000.0, True, False, None, "5", 16]


def test_every_value_and_key_knows_its_place() -> None:
    """Every value and key has its line and column, counted from 1, and its path."""
    value = place("a:\n  - b\n  - 'c': d\n")["a"]
    second = list(value.items())[1]
    assert str(value.key_location) == "t.ksy:1:1: /a"
    assert str(second["c"].key_location) == "t.ksy:3:5: /a/1/c"
    assert str(second["c"].location) == "t.ksy:3:10: /a/1/c"


def test_duplicate_keys_are_refused() -> None:
    """A repeated key is refused at its second place, whatever its quotes."""
    assert failure("a: 1\nb: 2\n'a': 3\n").startswith(
        "3:1: /: duplicate key 'a', first given in line 1"
    )


def test_merges_fill_in_what_is_missing() -> None:
    """A map's own keys win over merged ones, and earlier merged maps over later ones."""
    text = "d: &d {a: 1, b: 2}\ne: &e {b: 3, c: 4}\nx:\n  <<: [*d, *e]\n  a: 0\n"
    assert place(text)["x"].plain_value() == {"a": 0, "b": 2, "c": 4}


@pytest.mark.parametrize(
    ("text", "message"),
    rows("yaml_tree", "what_is_no_spec_is_refused_with_its_place"),
)
def test_what_is_no_spec_is_refused_with_its_place(text: str, message: str) -> None:
    """Invalid YAML, foreign tags, several documents and odd keys are refused with their place."""
    assert message in failure(text)


def test_depth_is_bounded() -> None:
    """A text of 100,000 nested brackets is refused by the limit of 100 levels."""
    assert "nested more than 100 deep" in failure("[" * 100_000)


def test_aliases_may_not_expand_without_end() -> None:
    """Aliases that expand exponentially are refused at once."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 40)]
    assert "aliases expand to more than" in failure("\n".join(lines))


@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*#|>'\"!? \n\t1")))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Any text is read or raises a SpecError."""
    with suppress(SpecError):
        assert place(text).location.line >= 1
