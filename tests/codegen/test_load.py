"""A spec as written becomes a model in which everything is resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from byteloom_codegen import expressions as ast
from byteloom_codegen.errors import SpecErrors
from byteloom_codegen.load import load_spec, load_text
from byteloom_codegen.model import (
    BitsType,
    BytesType,
    ContentsType,
    EnumType,
    Field,
    Instance,
    IntType,
    StrType,
    SwitchType,
    UserType,
    ValidKind,
    ValueInstance,
)

if TYPE_CHECKING:
    from pathlib import Path

FOOTER = """
meta:
  id: tiny_puffin
  endian: le
  bit-endian: le
  encoding: UTF-8
instances:
  tail:
    pos: _io.size - 12
    type: tail
  footer:
    pos: _io.size - 12 - tail.len_payload
    type: footer(tail.len_payload)
types:
  tail:
    seq:
      - id: len_payload
        -orig-id: FooterPayloadSize
        type: s4
        valid: {min: 0}
      - id: compressed
        type: b1
      - id: reserved
        type: b31
        -loom-default: 0
      - id: kind
        type: u1
        enum: kinds
      - id: magic
        contents: PFA1
  footer:
    params:
      - {id: len_payload, type: s4}
    seq:
      - id: num_blobs
        type: u2
        -loom-derive: blobs.size
      - id: blobs
        type: blob
        repeat: expr
        repeat-expr: num_blobs
      - id: body
        size: len_payload
        type:
          switch-on: num_blobs
          cases:
            1: blob
            2: tail
      - id: crc
        type: u4
        -loom-crc: {algorithm: crc32, over: [num_blobs, body]}
      - id: name
        type: strz
        if: num_blobs > 0
    instances:
      is_empty:
        value: num_blobs == 0
  blob:
    seq:
      - {id: data, size-eos: true}
enums:
  kinds:
    1: first
    2: {id: second, doc: The other one.}
"""


@pytest.fixture
def tiny() -> dict[str, Field | ValueInstance]:
    """Return the members of all types of the little spec, by ``type.member``."""
    spec = load_text(FOOTER)
    return {
        f"{each.name}.{member.name}": member
        for each in spec.top.walk()
        for member in (*each.seq, *each.instances)
    }


def test_defaults_are_applied(tiny: dict[str, Field | ValueInstance]) -> None:
    """Numbers have the byte order, bits the bit order, and text the encoding that `meta` sets."""
    assert tiny["tail.len_payload"].type == IntType(signed=True, width=4, endian="le")
    assert tiny["tail.reserved"].type == BitsType(31, "le")
    assert tiny["tail.compressed"].type == BitsType(1, "le", is_bool=True)
    name = tiny["footer.name"].type
    assert isinstance(name, StrType)
    assert name.encoding == "UTF-8"


def test_names_lead_to_what_they_name(tiny: dict[str, Field | ValueInstance]) -> None:
    """Names of types, enums and members are resolved to objects in the model."""
    blobs, kind = tiny["footer.blobs"], tiny["tail.kind"]
    assert isinstance(blobs.type, UserType)
    assert blobs.type.type.name == "blob"
    assert isinstance(kind.type, EnumType)
    assert [member.name for member in kind.type.enum.members] == ["first", "second"]
    assert isinstance(blobs, Field)
    assert blobs.repeat is not None
    assert isinstance(blobs.repeat.expression, ast.Name)
    assert blobs.repeat.expression.target is tiny["footer.num_blobs"]


def test_a_sized_switch_without_else_reads_bytes(tiny: dict[str, Field | ValueInstance]) -> None:
    """A switch with a size reads raw bytes for a value that has no case."""
    body = tiny["footer.body"].type
    assert isinstance(body, SwitchType)
    assert [case.on is None for case in body.cases] == [False, False, True]
    assert isinstance(body.cases[-1].type, BytesType)


def test_extension_keys_come_without_prefix(tiny: dict[str, Field | ValueInstance]) -> None:
    """Extension keys are in the model without prefix, as plain values or typed expressions."""
    assert tiny["tail.reserved"].loom == {"default": 0}
    assert tiny["footer.crc"].loom == {"crc": {"algorithm": "crc32", "over": ["num_blobs", "body"]}}
    derive = tiny["footer.num_blobs"].loom["derive"]
    assert isinstance(derive, ast.Attribute)
    assert derive.type == IntType()


def test_an_official_name_may_be_several() -> None:
    """Types, fields, instances and enum members may have several official names."""
    spec = load_text(
        "meta: {id: names}\n-orig-id: [A, B]\n"
        "seq: [{id: x, type: u1, enum: e, -orig-id: [C, D]}]\n"
        "instances: {y: {value: 1, -orig-id: [E]}}\n"
        "enums: {e: {1: {id: one, -orig-id: [F, G]}, 2: {id: two, -orig-id: H}, 3: {id: three}}}\n",
        "names.ksy",
    )
    top = spec.top
    assert top.orig_ids == ("A", "B")
    assert [each.orig_ids for each in (*top.seq, *top.instances)] == [("C", "D"), ("E",)]
    members = top.enums["e"].members
    assert [each.orig_ids for each in members] == [("F", "G"), ("H",), ()]


def test_other_facts_of_members(tiny: dict[str, Field | ValueInstance]) -> None:
    """The model has the magics, official names, conditions, positions and rules of members."""
    length, tail = tiny["tail.len_payload"], tiny["tiny_puffin.tail"]
    assert tiny["tail.magic"].type == ContentsType(b"PFA1")
    assert length.orig_ids == ("FooterPayloadSize",)
    assert length.valid is not None
    assert length.valid.kind is ValidKind.RANGE
    assert tiny["footer.name"].condition is not None
    assert isinstance(tail, Instance)
    assert isinstance(tail.pos, ast.BinaryOp)
    empty = tiny["footer.is_empty"]
    assert isinstance(empty, ValueInstance)
    assert type(empty.type).__name__ == "BoolType"


def test_a_parent_is_the_one_type_that_reads_a_record() -> None:
    """A type that one type reads has that parent; one that several read has none."""
    top = load_text(FOOTER).top
    assert isinstance(top.types["footer"].parent, UserType)
    assert top.types["footer"].parent.type is top
    assert type(top.types["tail"].parent).__name__ == "StructType"


def test_imports_are_found_beside_the_file_and_on_the_search_path(tmp_path: Path) -> None:
    """Relative imports start at the importing file, absolute ones on the search path."""
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "far.ksy").write_text("meta: {id: far}\nseq: [{id: a, type: u1}]\n")
    (tmp_path / "near.ksy").write_text("meta: {id: near, imports: main}\n")
    main = tmp_path / "main.ksy"
    main.write_text(
        "meta: {id: main, imports: [near, /far]}\nseq: [{id: a, type: near}, {id: b, type: far}]\n"
    )
    spec = load_spec(main, include_dirs=[tmp_path / "path"])
    assert [each.name for each in spec.imports] == ["near", "far"]
    assert [
        each.type.type.spec for each in spec.top.seq if isinstance(each.type, UserType)
    ] == spec.imports
    assert spec.imports[0].imports == [spec]


def test_all_mistakes_are_reported_with_their_places() -> None:
    """One run reports every mistake, by line, column and path, in order of the text."""
    text = (
        "meta: {id: t}\nseq:\n  - id: a\n    type: u2\n"
        "  - id: b\n    size: lenn\n  - id: len\n    type: u1\n"
    )
    with pytest.raises(SpecErrors) as caught:
        load_text(text, "t.ksy")
    first, second = str(caught.value).splitlines()
    assert first.startswith("t.ksy:4:11: /seq/0/type: unable to use type 'u2' without default")
    assert first.endswith("(u2le, u2be or meta/endian)")
    assert second == (
        "t.ksy:6:11: /seq/1/size: unable to access 'lenn' in t context (did you mean 'len'?)"
    )
