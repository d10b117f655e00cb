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
from byteloom_codegen.reference.legend import legend
from byteloom_codegen.reference.phrases import condition, explained, formula, phrase
from byteloom_codegen.reference.places import bits_within, places, size_in_short, size_words
from byteloom_codegen.reference.prose import plain
from byteloom_codegen.reference.rows import rules
from byteloom_codegen.reference.stream_names import stream_name
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


STREAMS = """\
seq:
  - {id: shared, type: shared}
  - {id: own, type: own, size: 4}
  - {id: both, type: both}
types:
  shared: {seq: [{id: deep, type: deep}]}
  deep: {seq: [{id: x, type: u1}]}
  own: {seq: [{id: inside, type: inside}, {id: both, type: both}]}
  inside:
    seq: [{id: x, type: u1, if: "_io.size > 1"}]
    instances:
      here: {pos: 1, type: u1}
      there: {pos: 1, type: from_root, io: _root._io}
      around: {value: _parent.both.x}
      left: {value: _parent._io.pos}
  both: {seq: [{id: x, type: u1}]}
  from_root: {seq: [{id: x, type: u1}]}
  unused: {seq: [{id: x, type: unused}]}
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("shared", "the input"),
        ("deep", "the input"),
        ("own", "this record"),
        ("inside", "the enclosing own"),
        ("both", "the current stream"),
        ("from_root", "the input"),
        ("unused", "the input"),
    ],
)
def test_a_stream_has_a_name(name: str, words: str) -> None:
    """The stream of a record is the input, the record itself, or the one that it is part of."""
    assert plain(stream_name(loaded(STREAMS).top.types[name])) == words


def test_a_page_says_where_positions_count_from() -> None:
    """An instance with a position has the stream that it counts from, whichever it is."""
    page = page_view(loaded(STREAMS), "x")
    rows = {row.name: row for row in page.sections[4].elsewhere}
    assert plain(rows["here"].at) == "from the start of the enclosing own: 1"
    assert plain(rows["there"].at) == "from the start of the input: 1"
    values = {row.name: plain(row.form) for row in page.sections[4].computed}
    assert values["around"] == "both.x of the enclosing own (_parent.both.x)"
    assert values["left"] == "the position in the enclosing own (_parent._io.pos)"


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


def test_bits_after_a_variable_field_count_from_themselves() -> None:
    """Where the file decides the place of bits, they are numbered from the first byte of them."""
    spec = loaded("seq:\n  - {id: s, type: strz, encoding: ASCII}\n  - {id: a, type: b4}\n")
    row = page_view(spec, "x").sections[0].fields[1]
    assert plain(row.form) == "bits 4 to 7 (0xf0) of byte 0 of these bits"


def test_a_byte_order_that_the_file_decides_is_spelt_out() -> None:
    """Where a field decides the byte order, the page says by which value."""
    spec = loaded(
        "seq: [{id: mark, type: u1}, {id: body, type: body}]\ntypes:\n  body:\n    meta:\n"
        "      endian: {switch-on: _root.mark, cases: {0x49: le, 0x4d: be}}\n"
        "    seq: [{id: x, type: u2}]\n"
    )
    section = page_view(spec, "x").sections[1]
    said = "depends on mark of the outermost t (_root.mark): 73: little-endian 77: big-endian"
    assert plain(dict(section.facts)["Byte order"]) == said
    assert plain(section.fields[0].form) == "u2 unsigned, in the byte order of this record"


def test_a_page_explains_only_the_words_that_it_has() -> None:
    """The explanations at the top of a page are of what is on it."""
    plainest = legend(loaded("seq: [{id: a, size: 1}]\n"))
    assert len(plainest) == 3
    assert len(legend(loaded(STREAMS))) > 5
    text = " ".join(span.text for line in legend(loaded(STREAMS)) for span in line)
    assert "go back to where you were" in text
    assert "break a rule" not in text
    assert "Bit 0" not in text
    assert "text in UTF-8" not in text


@pytest.mark.parametrize(
    "field",
    [
        "{id: a, type: u1, valid: 1}",
        "{id: a, contents: [1]}",
        "{id: a, type: u1, -loom-derive: 1}",
    ],
)
def test_a_page_says_what_a_broken_rule_means(field: str) -> None:
    """Where a field has a rule, the page says that a reader refuses bytes that break it."""
    text = " ".join(span.text for line in legend(loaded(f"seq: [{field}]\n")) for span in line)
    assert "break a rule" in text
    assert text.count("a reader refuses them") == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("seq: [{id: a, size: 1}]\n", "Bytes that end within a record are damaged"),
        ("seq: [{id: a, size: 1, type: str, encoding: UTF-8}]\n", "others are damaged"),
        (
            "seq: [{id: a, type: u1}]\ninstances: {b: {value: a >> 4 & 3}}\n",
            "of 0x35 are 3",
        ),
    ],
)
def test_a_page_says_what_a_reader_refuses_and_what_bits_are(body: str, said: str) -> None:
    """Every page says that cut bytes are refused; invalid text, and bits, where there are any."""
    text = "".join(span.text for line in legend(loaded(body)) for span in line)
    assert said in text


@pytest.mark.parametrize(
    ("text", "shown"),
    rows("phrases", "formulas"),
)
def test_a_formula_is_grouped_as_in_any_language(text: str, shown: str) -> None:
    """Operations on bits, which languages group otherwise, are in parentheses, masks in hex."""
    node, _ = asked(text)
    assert formula(node) == shown


CYCLES = """\
seq: [{id: jumps, type: jumps}, {id: nests, type: nests}, {id: flat, type: flat}]
types:
  jumps:
    seq: [{id: ofs, type: u1}]
    instances: {on: {pos: ofs, type: between}}
  between: {seq: [{id: x, type: jumps}]}
  nests: {seq: [{id: n, type: u1}, {id: x, type: nests, if: n > 0}]}
  flat: {seq: [{id: x, type: leads}]}
  leads: {seq: [{id: x, type: nests}]}
"""


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, None),
        (1, "through between: offsets in damaged bytes may lead round in circles"),
        (2, "through jumps: offsets in damaged bytes may lead round in circles"),
        (3, "damaged bytes may nest it without end"),
        (4, None),
        (5, None),
    ],
)
def test_a_page_says_which_types_can_contain_themselves(number: int, said: str | None) -> None:
    """A type that contains itself, at an offset or not, says that a reader needs a limit."""
    facts = dict(page_view(loaded(CYCLES), "x").sections[number].facts)
    wanted = said and f"{said}, so a reader needs a limit for the depth"
    assert (plain(facts["Can contain itself"]) if "Can contain itself" in facts else None) == wanted
