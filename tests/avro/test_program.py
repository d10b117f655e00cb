"""Any Avro schema compiles to a program or raises a `ByteloomError`; names are resolved."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.avro.builder import Want
from byteloom.avro.container import open_avro
from byteloom.avro.filled_columns import slot_numbers
from byteloom.avro.nodes import Plain, Record, Union
from byteloom.avro.program import compile_blocks, compile_chosen, compile_values
from byteloom.datafiles.avro_program import compile_records
from byteloom.errors import ByteloomError, FormatError, LimitExceeded, Truncated, Unsupported

PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
ODD = (
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.sampled_from(["", "a", "x.a"])
)
LEAVES = ODD | st.sampled_from([*PRIMITIVES, "record", "array", "map", "fixed", "enum", "error"])
KEYS = st.sampled_from(
    ["type", "name", "namespace", "fields", "items", "values", "size", "symbols", "logicalType"]
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


def record(*fields: tuple[str, Any], name: str = "r", **more: Any) -> dict[str, Any]:
    """Return the schema of a record."""
    held = [{"name": field, "type": of} for field, of in fields]
    return {"type": "record", "name": name, "fields": held, **more}


@given(SCHEMAS)
def test_no_schema_ends_in_an_error_of_another_family(schema: Any) -> None:
    """Compiling any schema, of a value, a record or a field, raises only a `ByteloomError`."""
    for of in (schema, record(("a", schema))):
        for compiled in (compile_values, compile_blocks):
            with suppress(ByteloomError):
                compiled(of)
        with suppress(ByteloomError):
            compile_records(of, lambda _: True)


@pytest.mark.parametrize(
    "second",
    [
        "n.inner",
        "inner",
        record(("b", "inner"), name="other"),
        record(("b", "n.inner"), name="m.o"),
    ],
    ids=str,
)
def test_types_are_known_by_their_names(second: Any) -> None:
    """A type is found by its full name, and by its short name inside its namespace."""
    inner = record(("x", "int"), name="inner")
    program = compile_values(record(("a", inner), ("c", second), namespace="n"))
    assert program.names == ["a.x", "c.x" if isinstance(second, str) else "c.b.x", "value"]


def test_a_type_without_its_namespace_is_still_known() -> None:
    """A type defined by its full name is found by its short name, as some writers expect."""
    inner = record(("x", "int"), name="n.inner")
    assert len(compile_values(record(("a", inner), ("c", "inner"))).code) == 3
    with pytest.raises(FormatError, match="a type that Avro has or that was named before"):
        compile_values(record(("a", inner), ("c", "m.inner")))


@pytest.mark.parametrize("name", ["r", "n.r"])
def test_a_type_inside_itself_is_refused(name: str) -> None:
    """A recursive type is refused, whether it is used by its short or its full name."""
    with pytest.raises(Unsupported, match="inside itself"):
        compile_blocks(record(("a", ["null", {"type": "array", "items": name}]), namespace="n"))


def test_what_nobody_asks_for_has_no_columns() -> None:
    """A field that is not asked for is skipped and has no column."""
    schema = record(
        ("a", ["int", "string", "long"]), ("b", "int"), ("c", {"type": "map", "values": "int"})
    )
    program = compile_values(schema, lambda field: field["name"] == "b")
    assert isinstance(program.root, Record)
    (field,) = program.root.fields
    assert (field.name, field.node) == ("b", Plain("int", 0))
    assert (program.levels, len(program.code)) == ([0], (1 + 3) + 1 + 4 + 1)


def test_a_union_has_a_column_where_something_chosen_is_in_it() -> None:
    """Of unions that are only looked into, those with a chosen field note their branch."""
    pair = record(("x", "int"), ("y", "int"), name="pair")
    schema = record(
        ("a", ["null", record(("p", pair), name="outer")]),
        ("b", ["null", record(("z", "int"), name="other")]),
        ("c", ["null", "int"]),
        ("d", ["null", "pair"]),
    )

    def choose(_: dict[str, Any], path: tuple[str, ...]) -> Want:
        return Want.KEEP if path in {("a", "p", "x"), ("d", "y")} else Want.LOOK

    program = compile_chosen(schema, choose, 0, is_prefixed=False)
    assert isinstance(program.root, Record)
    nodes = {each.name: each.node for each in program.root.fields}
    columns = {name: each.column for name, each in nodes.items() if isinstance(each, Union)}
    assert columns == {"a": 1, "b": -1, "c": -1, "d": 3}


@pytest.mark.parametrize("depth", [198, 199])
def test_types_inside_types_end_before_the_stack_does(depth: int) -> None:
    """Types may be nested 200 deep; deeper ones are refused."""
    schema: Any = "int"
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    if depth < 199:
        assert len(compile_records(record(("a", schema)), lambda _: True).steps.bodies) == depth + 1
    else:
        with pytest.raises(
            LimitExceeded, match=r"avro\.schema: found a deeper type, wanted at most 200 types"
        ):
            compile_records(record(("a", schema)), lambda _: True)


def test_unions_have_as_many_branches_as_the_limit_and_no_more() -> None:
    """The unions of a schema may have 65,536 branches together."""
    most = 1 << 16
    assert len(compile_values(record(("a", ["null"] * (most - 1)), ("b", ["int"]))).jumps) == most
    with pytest.raises(LimitExceeded, match=r"^schema: found more, wanted at most 65536 branches"):
        compile_values(record(("a", ["null"] * (most - 1)), ("b", ["int", "null"])))


@pytest.mark.parametrize(
    "keys", [[], [1], [3, 11, 19, 27], [*range(100)], [8, 0, 16, 1], [0, 1 << 31]]
)
def test_each_key_has_its_slot(keys: list[int]) -> None:
    """Each key is found in the hash table, even if several keys share a place in it."""
    table = slot_numbers(keys)
    assert len(table) > len(keys)
    for slot, key in enumerate(keys):
        at = key % len(table)
        while table[at].tolist()[0] != key:
            assert table[at, 1] >= 0
            at = (at + 1) % len(table)
        assert table[at, 1] == slot
    assert np.count_nonzero(table[:, 1] >= 0) == len(keys)


@pytest.mark.parametrize(
    "nothing",
    ["null", record(), {"type": "fixed", "name": "f", "size": 0}, record(("x", "null"))],
    ids=str,
)
def test_lists_of_nothing_are_refused(nothing: Any) -> None:
    """Lists of items that take no bytes are refused, as there could be any number of items."""
    with pytest.raises(Unsupported, match="no bytes"):
        compile_values({"type": "array", "items": nothing})
    with pytest.raises(Unsupported, match="no bytes"):
        compile_blocks(record(("a", nothing), name="top"))
    compile_values({"type": "map", "values": nothing})


def test_an_error_names_the_field() -> None:
    """The path in an error begins at the schema, or in a data file at the file."""
    schema = record(("a", record(("b", "strange"), name="inner")))
    with pytest.raises(FormatError, match=r"^schema\.a\.b: found 'strange'"):
        compile_blocks(schema)
    with pytest.raises(FormatError, match=r"^avro\.schema\.a\.b: found 'strange'"):
        compile_records(schema, lambda _: True)
    several = record(("a", ["int", "string"]))
    with pytest.raises(Unsupported, match=r"^avro\.schema\.a: found a union of 2"):
        compile_records(several, lambda _: True)
    compile_records(several, lambda _: False)


def test_fixed_types_have_sizes_of_31_bits() -> None:
    """A fixed type has a size of at most 31 bits; other sizes and non-integers are refused."""
    schema = {"type": "fixed", "name": "f"}
    for size in (0, (1 << 31) - 1):
        root = compile_values(schema | {"size": size}).root
        assert isinstance(root, Plain)
        assert (root.type, root.size) == ("fixed", size)
    for wrong in (-1, 1 << 31, True, 1.0, None):
        with pytest.raises(FormatError, match="wanted the size of a fixed type"):
            compile_values(schema | {"size": wrong})


@pytest.mark.parametrize(
    ("data", "kind", "found"),
    [
        (b"PAR1....", Unsupported, "a Parquet file"),
        (b"AGS1....", Unsupported, "an AES-GCM stream"),
        (b"Obj\2....", FormatError, r"b'Obj\\x02'"),
        (b"abcdefgh", FormatError, "b'abcd'"),
        (b"Ob", Truncated, "2 bytes left"),
    ],
)
def test_what_is_no_avro_file_is_named(data: bytes, kind: type[FormatError], found: str) -> None:
    """A file that is not Avro is refused, and named as another known format by its first bytes."""
    with pytest.raises(
        FormatError, match=rf"^avro\.header\.magic at byte 0 .*found {found}"
    ) as caught:
        open_avro(data)
    assert type(caught.value) is kind
