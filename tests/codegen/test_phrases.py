"""Expressions on reference pages: in words that a reader without Kaitai Struct understands."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from tests.support.gallery import rows
from tests.support.modules import read
from tests.support.specs import loaded

from byteloom_codegen.model import Field, ValueInstance
from byteloom_codegen.reference.idioms import bits_of_mask
from byteloom_codegen.reference.phrases import condition, explained, formula, phrase
from byteloom_codegen.reference.places import bits_within, places, size_in_short, size_words
from byteloom_codegen.reference.prose import plain
from byteloom_codegen.reference.rows import rules
from byteloom_codegen.reference.view import page_view
from byteloom_codegen.reference.wording import stored

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression
    from byteloom_codegen.model import TypeSpec

BODY = """\
seq:
  - {id: n, type: u1}
  - {id: flags, type: u2}
  - {id: raw, size: 4}
  - {id: ns, type: u1, repeat: expr, repeat-expr: 3}
  - {id: text, type: strz, encoding: ASCII}
  - {id: pet, type: u1, enum: animal}
  - {id: flag, type: b1}
  - {id: real, type: f4}
  - {id: part, type: part}
  - {id: parts, type: part, repeat: eos}
types:
  part: {seq: [{id: len, type: u1}, {id: whole, type: inner}]}
  inner: {seq: [{id: x, type: u1}]}
enums:
  animal: {1: cat, 2: dog, 3: no_index, 65535: yak, 65536: gnu}
"""


def asked(text: str) -> tuple[Expression, TypeSpec]:
    """Return an expression of the spec above, and its top type."""
    values = f"instances:\n  yes: {{value: n == 1}}\n  x: {{value: {json.dumps(text)}}}\n"
    top = loaded(f"  endian: le\n{BODY}{values}").top
    found = top.member("x")
    assert isinstance(found, ValueInstance)
    return found.value, top


@pytest.mark.parametrize(
    ("text", "words"),
    rows("phrases", "expressions"),
)
def test_an_expression_is_put_in_words(text: str, words: str) -> None:
    """The value of an expression is described in words, with names of fields as they are."""
    assert plain(phrase(*asked(text))) == words


@pytest.mark.parametrize(
    ("text", "words"),
    rows("phrases", "conditions"),
)
def test_a_condition_is_put_in_words(text: str, words: str) -> None:
    """A condition says when it is met, with the bits of a mask by their numbers."""
    node, top = asked(text)
    assert plain(condition(node, top)).removesuffix(f" ({formula(node)})") == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pet == animal::no_index", "whether pet is no_index (3) (pet == animal::no_index)"),
        ("n", "n"),
        ("12", "12"),
        ("part.whole.x", "part.whole.x"),
        ("yes", "yes"),
        ("n - 4", "n minus 4 (n - 4)"),
        ("flags & 0x8000", "bit 15 (0x8000) of flags, left in place (flags & 0x8000)"),
        ("pet == animal::cat", "whether pet is cat (1) (pet == animal::cat)"),
        (" + ".join(["flags"] * 60), " + ".join(["flags"] * 60)),
        (str([1000, *range(60)]), str([1000, *range(60)])),
    ],
)
def test_words_have_their_formula_beside_them(text: str, words: str) -> None:
    """Words have their formula beside them, unless both are the same.

    A sum of very many parts, or a long list, is its formula alone.
    """
    assert plain(explained(*asked(text))) == words


@pytest.mark.parametrize(
    ("mask", "words"),
    rows("phrases", "masks"),
)
def test_a_mask_is_shown_as_its_bits(mask: int, words: str) -> None:
    """Bits have their numbers, from the lowest, and the mask in hexadecimal."""
    assert bits_of_mask(mask) == words


FIELD = "  endian: le\nseq:\n  - {{id: n, type: u1}}\n  - {{id: x, {field}}}\n"
TYPES = """\
types:
  p: {params: [{id: a, type: u1}, {id: b, type: bool}], seq: [{id: q, size: a}]}
  r: {seq: [{id: q, type: u1}]}
enums:
  animal: {1: cat, 0x20: dog}
"""


def field(text: str) -> tuple[Field, TypeSpec]:
    """Return a field whose keys are *text*, and its type."""
    top = loaded(FIELD.format(field=text) + TYPES).top
    return top.seq[1], top


@pytest.mark.parametrize(
    ("text", "words"),
    rows("phrases", "stored"),
)
def test_a_page_says_how_a_value_is_stored(text: str, words: str) -> None:
    """Types are in words: sign, byte order, the names of a number, cases with their numbers."""
    member, top = field(text)
    assert plain(stored(member.type, top)) == words


@pytest.mark.parametrize(
    ("text", "size"),
    rows("phrases", "sizes"),
)
def test_a_page_says_how_long_a_field_is(text: str, size: str) -> None:
    """Sizes are in words, with the end that they reach to; a list has the size of an element."""
    assert plain(size_words(*field(text))) == size


@pytest.mark.parametrize(("type_", "size"), [("u1", "1 byte each"), ("u2", "2 bytes each")])
def test_a_picture_says_how_long_an_element_is(type_: str, size: str) -> None:
    """A picture has the size of an element, with the unit in its number."""
    member, _ = field(f"type: {type_}, repeat: eos")
    assert plain(size_in_short(member)) == size


@pytest.mark.parametrize(
    ("text", "said"),
    rows("phrases", "rules"),
)
def test_a_page_says_the_rules_of_a_field(text: str, said: list[str]) -> None:
    """Conditions, repetitions, ends, processing and limits are sentences, with their formulas."""
    assert [plain(rule) for rule in rules(*field(text))] == said


def test_a_rule_is_said_once() -> None:
    """A value that is checked and derived by the same formula has one rule."""
    said = rules(*field("type: u1, valid: n + 1, -loom-derive: n + 1"))
    assert [plain(rule) for rule in said] == ["always n plus 1 (n + 1)"]


def test_what_only_byteloom_obeys_is_no_rule() -> None:
    """Keys that say nothing of the format are not on a page."""
    assert rules(*field("type: u1, -loom-column: false, -loom-arrow: int16")) == []


@pytest.mark.parametrize(
    ("order", "wanted"),
    rows("phrases", "bits"),
)
def test_bits_are_those_that_readers_take(order: str, wanted: list[str]) -> None:
    """The bits of a field are within its bytes as one number, and are where parsers find them."""
    body = (
        "seq:\n  - {id: n, type: u1}\n  - {id: a, type: b1}\n"
        "  - {id: b, type: b3}\n  - {id: c, type: b10}\n  - {id: d, type: b2, enum: animal}\n"
        "enums: {animal: {1: cat}}\n"
    )
    spec = loaded(f"  bit-endian: {order}\n{body}")
    assert [plain(row.form) for row in page_view(spec, "x").sections[0].fields[1:]] == wanted
    raw = bytes.fromhex("00a59c")
    suffixed = re.sub(r"type: (b\d+)", rf"type: \1{order}", body)
    record = read(suffixed, raw)
    for place in places(spec.top)[1:]:
        within = bits_within(place)
        assert within is not None
        held = raw[within.first : within.first + within.count]
        number = int.from_bytes(held, "little" if order == "le" else "big")
        found = number >> within.lowest & (1 << within.width) - 1
        assert found == int(getattr(record, place.field.name))


@pytest.mark.parametrize(
    ("text", "shown"),
    rows("phrases", "formulas"),
)
def test_a_formula_is_grouped_as_in_any_language(text: str, shown: str) -> None:
    """Operations on bits, which languages group otherwise, are in parentheses, masks in hex."""
    node, _ = asked(text)
    assert formula(node) == shown
