"""Expressions on reference pages: in words that a reader without Kaitai Struct understands."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
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
    [
        # names and what surrounds them
        ("n", "n"),
        ("part.whole.x", "part.whole.x"),
        ("parts[n].len", "len of element n of parts"),
        ("parts[n - 1].len", "len of element (n minus 1) of parts"),
        ("_root.n", "n of the outermost t"),
        ("part._parent", "the t around part"),
        ("part._io.size", "the size of the bytes of part"),
        ("part.as<part>.len", "len of part"),
        # numbers
        ("n - 4", "n minus 4"),
        ("-1", "-1"),
        ("-n", "minus n"),
        ("(n + 1) * 4", "(n plus 1) times 4"),
        ("n + 1 * 4", "n plus 1 times 4"),
        ("n - (4 - n)", "n minus (4 minus n)"),
        ("n * 4 / 3 + 1", "(n times 4 divided by 3, rounded down) plus 1"),
        ("real / 2.5", "real divided by 2.5"),
        ("n % 3", "the remainder of n divided by 3"),
        ("~n", "the inverted bits of n"),
        ("n | flags", "n bitwise-or flags"),
        ("n ^ 3 & flags", "n bitwise-xor bits 0 and 1 (0x3) of flags"),
        ("n << 8", "n shifted left by 8 bits"),
        ("n >> 1", "n shifted right by 1 bit"),
        ("n >> ns[0]", "n shifted right by (element 0 of ns) bits"),
        ("sizeof<part> + 1", "2 (bytes of part) plus 1"),
        # bits
        ("flags & 0x7800", "bits 11 to 14 (0x7800) of flags, left in place"),
        ("(flags & 0x7800) >> 11", "bits 11 to 14 (0x7800) of flags"),
        ("flags >> 11 & 15", "bits 11 to 14 (0x7800) of flags"),
        ("flags >> 15 & 1", "bit 15 (0x8000) of flags"),
        ("flags & 15", "bits 0 to 3 (0xf) of flags"),
        ("15 & flags", "bits 0 to 3 (0xf) of flags"),
        ("(flags & 0x7800) >> 10",
         "(bits 11 to 14 (0x7800) of flags, left in place) shifted right by 10 bits"),
        ("(flags & 5) >> 0",
         "(bits 0 and 2 (0x5) of flags, left in place) shifted right by 0 bits"),
        ("(flags & 15) << 4", "bits 0 to 3 (0xf) of flags shifted left by 4 bits"),
        # what the language knows of values
        ("pet.to_i", "the number of pet"),
        ("text.to_i", "the decimal number that text spells"),
        ("text.to_i(16)", "the number that text spells in base 16"),
        ("real.to_i", "the whole part of real"),
        ("flag.to_i", "(1 if flag is set, else 0)"),
        ("n.to_s", "the decimal digits of n"),
        ('raw.to_s("UTF-8")', "the text that raw is in UTF-8"),
        ("text.length", "the number of characters in text"),
        ("text.reverse", "the reversed text of text"),
        ("text.substring(1, n)", "the characters of text from 1 up to, not including, n"),
        ("raw.length", "the number of bytes in raw"),
        ("raw.first", "the first byte of raw"),
        ("ns.size", "the number of elements in ns"),
        ("ns.last", "the last element of ns"),
        ("ns.min", "the smallest element of ns"),
        ("ns.max", "the largest element of ns"),
        ('text + "!"', 'text followed by "!"'),
        ("[1, 0xab]", "the bytes 01 ab"),
        ("[1, n]", "the list 1, n"),
        # streams
        ("_io.size", "the size of the input"),
        ("_io.size - _io.pos", "the number of bytes left in the input"),
        ("_io.size - _io.pos - 4", "the number of bytes left in the input minus 4"),
        ("_io.size - part._io.pos",
         "the size of the input minus the position in the bytes of part"),
        ("(-_io.pos) % 4",
         "as many as are missing from the position in the input to the next multiple of 4"),
        ("(4 - n % 4) % 4", "as many as are missing from n to the next multiple of 4"),
        ("(4 - n % 3) % 4",
         "the remainder of (4 minus (the remainder of n divided by 3)) divided by 4"),
        # choices
        ("n == 1 ? 2 : 3", "2 if n is 1, else 3"),
        ("n == 1 ? 2 : n == 2 ? 4 : 3", "2 if n is 1, else 4 if n is 2, else 3"),
        ("(flag ? 1 : 2) + 3", "(1 if flag is set, else 2) plus 3"),
        ("pet == animal::cat", "whether pet is cat (1)"),
        ("pet == animal::yak", "whether pet is yak (65535)"),
        ("pet == animal::gnu", "whether pet is gnu (0x10000)"),
        ("not flag", "whether flag is not set"),
        ("n >= 97 and n <= 122", "whether n is from 97 to 122"),
        ("n >= 97 and flags <= 122", "whether n is at least 97 and flags is at most 122"),
        ("n > 97 and n <= 122", "whether n is greater than 97 and n is at most 122"),
        ("n == 1 or n >= 97 and n <= 122", "whether n is 1 or n is from 97 to 122"),
    ],
)  # fmt: skip
def test_an_expression_is_put_in_words(text: str, words: str) -> None:
    """The value of an expression is described in words, with names of fields as they are."""
    assert plain(phrase(*asked(text))) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("yes", "yes is true"),
        ("not yes", "yes is false"),
        ("flag", "flag is set"),
        ("flag == false", "flag is not set"),
        ("true", "always"),
        ("n >= 3 and n < 5", "n is at least 3 and n is less than 5"),
        ("n > 3 or n <= 1", "n is greater than 3 or n is at most 1"),
        ("n == 1 or flag and yes", "n is 1 or (flag is set and yes is true)"),
        ("(n == 1 or flag) and yes", "(n is 1 or flag is set) and yes is true"),
        ("not (n == 1 and yes)", "not (n is 1 and yes is true)"),
        ("not (n >= 3)", "n is less than 3"),
        ("n == 1 or n == 2 or n == 4", "n is 1, 2 or 4"),
        ("pet == animal::cat or pet == animal::dog", "pet is cat (1) or dog (2)"),
        ("n == 1 or flags == 2", "n is 1 or flags is 2"),
        ("flags & 0x8000 != 0", "bit 15 (0x8000) of flags is set"),
        ("flags & 0x8000 == 0x8000", "bit 15 (0x8000) of flags is set"),
        ("flags & 0x8000 == 0", "bit 15 (0x8000) of flags is clear"),
        ("flags >> 15 & 1 == 1", "bit 15 (0x8000) of flags is set"),
        ("flags & 5 == 0", "bits 0 and 2 (0x5) of flags are all clear"),
        ("flags & 5 != 0", "any of bits 0 and 2 (0x5) of flags is set"),
        ("flags & 5 == 5", "bits 0 and 2 (0x5) of flags are all set"),
        ("flags & 5 != 5", "bits 0 and 2 (0x5) of flags are not all set"),
        ("flags & 0xf0 == 0x20", "bits 4 to 7 (0xf0) of flags are 2"),
        ("flags & 0xf0 != 0x20", "bits 4 to 7 (0xf0) of flags are not 2"),
        ("flags >> 4 & 15 == 2", "bits 4 to 7 (0xf0) of flags are 2"),
        ("flags & 0xf0 == 0x21", "(bits 4 to 7 (0xf0) of flags, left in place) is 33"),
        ("_io.eof", "the input is at its end"),
        ("not _io.eof", "the input is not at its end"),
    ],
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
    [
        (1, "bit 0 (0x1)"),
        (0x8000, "bit 15 (0x8000)"),
        (3, "bits 0 and 1 (0x3)"),
        (0x7800, "bits 11 to 14 (0x7800)"),
        (0x8421, "bits 0, 5, 10 and 15 (0x8421)"),
        (0xFFFFFFFFFFFFFFFF, "bits 0 to 63 (0xffffffffffffffff)"),
    ],
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
    [
        ("type: u1", "u1 unsigned"),
        ("type: s2", "s2le signed, little-endian"),
        ("type: u8be", "u8be unsigned, big-endian"),
        ("type: f4", "f4le IEEE 754, little-endian"),
        ("type: u2, enum: animal", "u2le unsigned, little-endian, a value of animal"),
        ("contents: AB", 'always 41 42 ("AB")'),
        ("contents: [0]", "always 00"),
        ("size: 3", "bytes"),
        ("type: strz, encoding: UTF-8", "text in UTF-8"),
        ("type: r", "r"),
        ("type: r, size: n", "r, in these bytes alone"),
        ("type: 'p(n + 1, true)'", "p with a = n plus 1 (n + 1), b = true"),
        (
            "type: 'p(n + _index, true)', repeat: eos",
            "p with a = n plus i, where i numbers the elements from 0 (n + _index), b = true",
        ),
        (
            "size: n, type: {switch-on: n, cases: {1: r, 2: r, 0x20: 'p(n, false)'}}",
            (
                "depends on n, in these bytes alone: 1, 2: r 32 (0x20): p with a = n, b = false "
                "any other: bytes"
            ),
        ),
        (
            "type: {switch-on: n, cases: {1: u1, 2: u2}}",
            (
                "depends on n: 1: u1 unsigned 2: u2le unsigned, little-endian "
                "any other: nothing, no bytes"
            ),
        ),
    ],
)
def test_a_page_says_how_a_value_is_stored(text: str, words: str) -> None:
    """Types are in words: sign, byte order, the names of a number, cases with their numbers."""
    member, top = field(text)
    assert plain(stored(member.type, top)) == words


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("size: n", "n"),
        ("size: n - 1", "n minus 1 (n - 1)"),
        ("size-eos: true", "to the end of the input"),
        ("terminator: 0", "up to and including the next 00"),
        ("terminator: 0, consume: false", "up to the next 00"),
        ("type: u2, repeat: expr, repeat-expr: n", "2 \xd7 n"),
        ("type: u2, repeat: expr, repeat-expr: n + 1", "2 each"),
        ("type: u2, repeat: eos", "2 each"),
        ("type: b3", "3 bits"),
        ("type: 'p(n, true)'", ""),
    ],
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
    [
        ("type: u1, if: n > 2", ["only if n is greater than 2 (n > 2)"]),
        ("type: u1, repeat: eos", ["repeated to the end of the input"]),
        ("type: u1, repeat: expr, repeat-expr: n", ["repeated n times"]),
        (
            "type: u1, repeat: expr, repeat-expr: n * 2",
            ["repeated; how often: n times 2 (n * 2)"],
        ),
        (
            "type: r, repeat: until, repeat-until: _.q == 0 or _index == 9",
            [
                (
                    "repeated until q of the element just read is 0 or i is 9, where i numbers the "
                    "elements from 0 (_.q == 0 or _index == 9); that element is the last"
                )
            ],
        ),
        ("type: u1, valid: 3", ["always 3"]),
        ("type: u1, valid: 3, -loom-default: 3", ["always 3"]),
        ("type: u1, -loom-default: 3", ["writers put 3 if they have no other value"]),
        ("type: u1, valid: {min: 1, max: n + 1}", ["at least 1, at most n plus 1 (n + 1)"]),
        ("type: u1, valid: {any-of: [1, 2]}", ["one of 1, 2"]),
        ("type: u1, valid: {expr: _ > n}", ["always such that it is greater than n (_ > n)"]),
        (
            "type: u1, enum: animal, valid: {in-enum: true}",
            ["only values that the enum names"],
        ),
        ("terminator: 0", ["the terminator is not part of the value"]),
        ("terminator: 0, include: true", ["the terminator is part of the value"]),
        (
            "terminator: 0, consume: false, eos-error: false",
            [
                "the terminator is not part of the value",
                "the next field begins at the terminator",
                "the terminator may be missing at the end",
            ],
        ),
        (
            "size: 4, terminator: 0, pad-right: 0x20",
            [
                "filled up on the right with 20, which is not part of the value",
                "the value ends at the first 00, if there is one in these bytes",
                "the terminator is not part of the value",
            ],
        ),
        ("size: 4, process: zlib", ["compressed as a zlib stream (RFC 1950)"]),
        (
            "size: 4, process: xor(n)",
            [
                "decoded by xor of each byte with n",
                "a key of several bytes is used again and again",
            ],
        ),
        ("size: 4, process: rol(3)", ["decoded by rotating each byte left by 3 bits"]),
        ("size: 4, process: ror(n)", ["decoded by rotating each byte right by n bits"]),
        ("size: 4, process: a.b(1)", ["decoded by a.b(1), which is described elsewhere"]),
        ("type: u1, -loom-order: -2", ["records are sorted by this, descending: sort key 2"]),
        ("type: u1, -loom-column: false", []),
    ],
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
    [
        (
            "be",
            [
                "bit 7 (0x80) of byte 1",
                "bits 4 to 6 (0x70) of byte 1",
                "bits 2 to 11 (0xffc) of bytes 1 to 2 as a big-endian number",
                "bits 0 and 1 (0x3) of byte 2, a value of animal",
            ],
        ),
        (
            "le",
            [
                "bit 0 (0x1) of byte 1",
                "bits 1 to 3 (0xe) of byte 1",
                "bits 4 to 13 (0x3ff0) of bytes 1 to 2 as a little-endian number",
                "bits 6 and 7 (0xc0) of byte 2, a value of animal",
            ],
        ),
    ],
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
    [
        ("n + (flags - 192 << 8)", "n + ((flags - 192) << 8)"),
        ("flags & 0x8000 != 0", "(flags & 0x8000) != 0"),
        ("flags & 7 | 8 ^ 3 << 2", "(flags & 7) | (8 ^ (3 << 2))"),
        ("n << 2 + 1", "n << (2 + 1)"),
        ("n + 1 * 4 == 2 and flag or yes", "(n + 1 * 4 == 2 and flag) or yes"),
        ("flags & 0xf0 & n", "flags & 0xf0 & n"),
        ("n * 2 / 3 % 4 - 1", "n * 2 / 3 % 4 - 1"),
        ("n & -12", "n & -12"),
        ("flags & 0xf0 == 192 and n == 192", "(flags & 0xf0) == 0xc0 and n == 192"),
    ],
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
