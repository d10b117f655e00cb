"""`verify` of an Avro file checks that its blocks consist of the records that they count."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import fastavro
import pytest

from byteloom.avro.blocks import AvroBlocks
from byteloom.avro.checking import Checked, check_records
from byteloom.errors import FormatError
from byteloom.limits import DEFAULT_LIMITS
from byteloom.storage import open_source
from byteloom.verification import check

if TYPE_CHECKING:
    from pathlib import Path

NODE = {"type": "record", "name": "n", "fields": [{"name": "next", "type": ["null", "n"]}]}
PAIR = {
    "type": "record",
    "name": "pair",
    "fields": [{"name": "a", "type": "long"}, {"name": "b", "type": "string"}],
}


def written(place: Path, schema: Any, values: list[Any], codec: str = "null") -> Path:
    """Write a file of one block with fastavro."""
    with place.open("wb") as out:
        fastavro.writer(out, fastavro.parse_schema(schema), values, codec=codec)
    return place


def checked(place: Path) -> Checked:
    """Check a file."""
    with closing(open_source(place)) as source:
        return check_records(AvroBlocks(source, DEFAULT_LIMITS), DEFAULT_LIMITS)


def fields(*types: Any) -> Any:
    """Return the schema of a record."""
    named = [{"name": f"f{at}", "type": each} for at, each in enumerate(types)]
    return {"type": "record", "name": "r", "fields": named}


FIXED = {"type": "fixed", "name": "f", "size": 3}

SOUND: dict[str, tuple[Any, list[Any]]] = {
    "integers": (fields("int", "long", "boolean"), [(1, -(1 << 62), True)]),
    "floats": (fields("float", "double"), [(1.5, 2.5)]),
    "text": (fields("string", "bytes", FIXED), [("é", b"", b"abc")]),
    "enums": (fields({"type": "enum", "name": "e", "symbols": ["A", "B"]}), [("B",), ("A",)]),
    "unions": (fields(["null", "string", "long"]), [(None,), ("x",), (7,)]),
    "lists": (fields({"type": "array", "items": ["null", "int"]}), [([],), ([1, None],)]),
    "maps": (fields({"type": "map", "values": PAIR}), [({},), ({"k": {"a": 1, "b": "x"}},)]),
    "no record": ("long", [1, 2, 300]),
    "lists alone": ({"type": "array", "items": "string"}, [["a"], []]),
    "nulls alone": ("null", [None, None]),
    "no fields": (fields(), [(), ()]),
    "no records": (PAIR, []),
}  # fmt: skip


@pytest.mark.parametrize("codec", ["null", "deflate"])
@pytest.mark.parametrize("kind", SOUND)
def test_sound_records_are_counted(kind: str, codec: str, tmp_path: Path) -> None:
    """Records of every type, and values that are not records, are counted."""
    schema, rows = SOUND[kind]
    if isinstance(schema, dict) and schema["type"] == "record":
        names = [each["name"] for each in schema["fields"]]
        rows = [dict(zip(names, each, strict=True)) for each in rows]
    place = written(tmp_path / "x.avro", schema, rows, codec)
    assert checked(place) == Checked(len(rows), min(len(rows), 1))


def test_records_inside_themselves_are_not_decoded(tmp_path: Path) -> None:
    """Of a recursive schema the blocks are checked, and `verify` says that the records are not."""
    place = written(tmp_path / "x.avro", NODE, [{"next": {"next": None}}])
    assert checked(place) == Checked(1, 1, "n inside itself")
    assert (
        check(str(place)).summary
        == "Avro file, 1 record, 1 block (records not decoded: n inside itself)"
    )


B = "avro.blocks[0]"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (b"\4\x0c\2\2x\2\2y", b"\6\x0c\2\2x\2\2y", f"{B}.a at byte {{end}}"),
        (b"\4\x0c\2\2x\2\2y", b"\2\x0c\2\2x\2\2y", f"{B}.value at byte {{second}}"),
        (b"\2\2x\2\2y", b"\2\2x\2\4y", f"{B}.b at byte {{last}}"),
        (b"\2\2x\2\2y", b"\2\2x\2\0y", f"{B}.value at byte {{rest}}"),
        (b"\2\2x\2\2y", b"\2\1x\2\2y", f"{B}.b at byte {{text}}"),
        (b'"type": "long"', b'"type": "lung"', "schema.a at byte {schema}"),
    ],
)  # fmt: skip
def test_records_that_do_not_fit_are_damage(
    old: bytes, new: bytes, error: str, tmp_path: Path
) -> None:
    """More or fewer records than a block says, and lengths beyond it, are found at their place."""
    rows = [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}]
    place = written(tmp_path / "x.avro", PAIR, rows)
    data = place.read_bytes()
    start = data.index(b"\2\2x\2\2y")
    at = {
        "second": start + 3,
        "text": start + 1,
        "last": start + 4,
        "rest": start + 5,
        "end": start + 6,
    }
    place.write_bytes(data.replace(old, new, 1))
    with pytest.raises(FormatError) as raised:
        checked(place)
    expected = error.format(**at, schema=data.index(b'{"type"'))
    assert str(raised.value).startswith(expected)
    assert check(str(place)).status == "damaged"
