"""Manifests are decoded to what a plain reader of their schema gives, and refused alike."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from byteloom.errors import FormatError
from byteloom.iceberg import NestedField, StructType, parse_primitive
from byteloom.iceberg.file_types import to_avro
from byteloom.iceberg.manifests import fields
from byteloom.iceberg.manifests.containers import Container
from byteloom.iceberg.manifests.decoding import Wanted
from byteloom.iceberg.manifests.fields import entry_type, list_type

if TYPE_CHECKING:
    from random import Random

    from byteloom.iceberg.manifests.decoding import Decoded

PARTITION = StructType(
    (
        NestedField(1000, "day", parse_primitive("int"), required=False),
        NestedField(1001, "name", parse_primitive("string"), required=False),
        NestedField(1002, "part", parse_primitive("double"), required=True),
    )
)
STATS = {each.id: each.kind for each in fields.ENTRY if each.kind.startswith("map")}
SLOTS = (1, 2, 40)
PAIRS = {"type": "record", "name": "pair", "fields": [{"name": "a", "type": "string"}]}
UNKNOWN: list[Any] = [
    "boolean",
    {"type": "array", "items": {"type": "map", "values": "long"}},
    ["long", "null", {"type": "array", "items": PAIRS}],
    {"type": "array", "items": "null"},
    {"type": "map", "values": "string"},
]


def schema_of(version: int, unknown: int) -> dict[str, Any]:
    """The schema of entries with an unknown field, or of the rows of a list."""
    if unknown < 0:
        return to_avro(list_type(version), "manifest_file")
    schema = to_avro(entry_type(version, PARTITION), "manifest_entry")
    schema["fields"].insert(1, {"name": "unknown", "type": UNKNOWN[unknown]})
    return schema


def wanted_of(schema: dict[str, Any], how: int) -> Wanted:
    """All columns, those of a scan, or those and the statistics of some columns."""
    if schema["name"] == "manifest_file":
        return Wanted({each.id: each.kind for each in (*fields.LIST, *fields.SUMMARY)})
    kinds = {each.id: each.kind for each in fields.ENTRY if how == 0 or each.id not in STATS}
    kinds |= dict.fromkeys((1000, 1001, 1002), "any")
    if how == 2:
        kinds |= {key: kind.replace("map", "slot") for key, kind in STATS.items()}
    return Wanted(kinds, SLOTS)


def number(value: int) -> bytes:
    """A number in Avro's form."""
    bits, out = (value << 1 ^ value >> 63) & (1 << 64) - 1, bytearray()
    while bits > 0x7F:
        out.append(bits & 0x7F | 0x80)
        bits >>= 7
    return bytes([*out, bits])


def written(of: Any, by: Random) -> bytes:  # noqa: PLR0911  (a kind each)
    """A random value, its lists in blocks of any length, with and without their sizes."""
    if isinstance(of, list):
        branch = by.randrange(len(of))
        return number(branch) + written(of[branch], by)
    kind = of["type"] if isinstance(of, dict) else of
    if kind == "record":
        return b"".join(written(each["type"], by) for each in of["fields"])
    if kind in {"array", "map"}:
        out, item = b"", of["items"] if kind == "array" else of["values"]
        for _ in range(by.randrange(3)):
            key = [written("string", by) if kind == "map" else b"" for _ in range(by.randint(1, 4))]
            held = b"".join(each + written(item, by) for each in key)
            sized = by.random() < 0.5
            out += number(-len(key)) + number(len(held)) if sized else number(len(key))
            out += held
        return out + b"\0"
    if kind in {"int", "long"}:
        few = by.choice((3, 60, 1 << 20, 1 << (31 if kind == "int" else 63)))
        return number(by.randrange(-few, few))
    if kind in {"float", "double"}:
        return by.randbytes(4 if kind == "float" else 8)
    if kind == "boolean":
        return bytes([by.randrange(2)])
    size = by.choice((0, 3, 90)) if kind in {"bytes", "string"} else 0
    return number(size) + by.randbytes(size) if kind in {"bytes", "string"} else b""


@dataclass
class Plain:
    """Reads one value after the other, by the letter of Avro's specification."""

    data: bytes
    at: int = 0

    def number(self, most: int = 64, *, is_passed: bool = False) -> int:
        """An integer of at most *bits* bits; of a skipped one only the length counts."""
        bits = shift = 0
        while True:
            part = self.take(1)[0]
            bits |= (part & 0x7F) << shift
            if part < 0x80:
                break
            shift += 7
            if shift == 70:
                raise ValueError
        value = bits >> 1 ^ -(bits & 1)
        if not is_passed and not -1 << most - 1 <= value < 1 << most - 1:
            raise ValueError
        return value

    def take(self, size: int) -> bytes:
        """Some bytes."""
        if not 0 <= size <= len(self.data) - self.at:
            raise ValueError
        self.at += size
        return self.data[self.at - size : self.at]

    def value(  # noqa: PLR0911  (a kind each)
        self, of: Any, kinds: dict[int, str], *, is_at_once: bool = False
    ) -> Any:
        """A value; *kinds* is empty for one that is skipped."""
        if isinstance(of, list):
            branch = self.number()
            if not 0 <= branch < len(of):
                raise ValueError
            return self.value(of[branch], kinds)
        kind = of["type"] if isinstance(of, dict) else of
        if kind == "record":
            return {
                each["name"]: self.value(each["type"], kinds, is_at_once=is_at_once)
                for each in of["fields"]
            }
        if kind in {"array", "map"}:
            return list(self.items(of, kind, kinds))
        if kind in {"int", "long"}:
            most = 32 if kind == "int" and not is_at_once else 64
            return self.number(most, is_passed=is_at_once and not kinds)
        if kind in {"float", "double"}:
            return self.take(4 if kind == "float" else 8)
        if kind == "boolean":
            return (
                (0, 1)[self.take(1)[0]]
                if self.data[self.at : self.at + 1] < b"\2"
                else self.take(-1)
            )
        return self.take(self.number()) if kind in {"bytes", "string"} else None

    def items(self, of: Any, kind: str, kinds: dict[int, str]) -> Any:
        """The items of a list."""
        item = of["items"] if kind == "array" else of["values"]
        is_plain = "boolean" not in json.dumps(item) and "map" not in json.dumps(item)
        while (count := self.number()) != 0:
            if count < 0:
                count, size = -count, self.number()
                if not 0 <= size <= len(self.data) - self.at:
                    raise ValueError
            if item == "null":
                continue
            if count > len(self.data) - self.at:
                raise ValueError
            for _ in range(count):
                if kind == "map":
                    self.take(self.number())
                yield self.value(item, kinds, is_at_once=is_plain)


def by_plain(schema: Any, data: bytes, count: int, kinds: dict[int, str]) -> tuple[list[Any], Any]:
    """The records up to the first that is refused, and the places between which that is."""
    reader, found = Plain(data), []
    for _ in range(count):
        start = reader.at
        try:
            found.append(record(reader, schema, kinds))
        except (ValueError, IndexError):
            return found, (start, reader.at)
    return found, None if reader.at == len(data) else (reader.at, reader.at)


def record(reader: Plain, schema: Any, kinds: dict[int, str]) -> dict[int, Any]:
    """The wanted fields of a record by id, those of records inside of it among them."""
    found: dict[int, Any] = {}
    for each in schema["fields"]:
        of, key = each["type"], each.get("field-id", -1)
        if isinstance(of, dict) and of["type"] == "record":
            found |= record(reader, of, kinds)
            continue
        value = reader.value(of, kinds if key in kinds else {})
        if key in kinds:
            found[key] = value
    return found


def shown(decoded: Decoded, kinds: dict[int, str]) -> list[dict[int, Any]]:
    """The records as the plain reader has them."""
    inner = {each.id for each in fields.SUMMARY}
    own = {key: kind for key, kind in kinds.items() if decoded.has(key) and key not in inner}
    columns = {key: column(decoded, key, kind) for key, kind in own.items()}
    return [{key: held[row] for key, held in columns.items()} for row in range(decoded.rows)]


def column(decoded: Decoded, key: int, kind: str) -> list[Any]:
    """The values of a field, None where it is null."""
    valid = decoded.is_valid(key).tolist()
    node = decoded.program.found[key].node
    if kind == "long" or (kind == "any" and getattr(node, "type", "") in {"int", "long"}):
        values = decoded.numbers(key)
        assert (values[~np.array(valid, np.bool_)] == -1).all()
        return [each if there else None for each, there in zip(values.tolist(), valid, strict=True)]
    if kind in {"view", "any"}:
        return texts(decoded, decoded.spans(key))
    if kind.startswith("slot"):
        return slots(decoded, key, kind)
    runs, items = decoded.runs(key), decoded.items(key)
    rows = zip(runs.starts.tolist(), runs.ends.tolist(), valid, strict=True)
    if kind == "rows":
        held = [
            column(decoded, each.id, each.kind) for each in fields.SUMMARY if decoded.has(each.id)
        ]
        names = [each.name for each in fields.SUMMARY if decoded.has(each.id)]
        inner = [dict(zip(names, each, strict=True)) for each in zip(*held, strict=True)]
        return [inner[start:end] if there else None for start, end, there in rows]
    made = [pair(decoded, kind, *each) for each in items.T.tolist()]
    return [made[start:end] if there else None for start, end, there in rows]


def pair(decoded: Decoded, kind: str, key: int, value: int) -> Any:
    """An item of a list or a map."""
    if kind == "list":
        return key
    place, size = value >> 32, value & 0xFFFF_FFFF
    held = decoded.data[place : place + size].tobytes() if kind == "map_bytes" else value
    return {"key": key, "value": held}


def texts(decoded: Decoded, spans: Any) -> list[Any]:
    """Runs of bytes."""
    held = zip(spans.places.tolist(), spans.sizes.tolist(), strict=True)
    return [decoded.data[at : at + size].tobytes() if size >= 0 else None for at, size in held]


def slots(decoded: Decoded, key: int, kind: str) -> list[Any]:
    """The values of a map for the columns that have slots."""
    held = [
        decoded.slot_numbers(key, slot).tolist()
        if kind == "slot_long"
        else texts(decoded, decoded.slot_spans(key, slot))
        for slot in range(len(SLOTS))
    ]
    return [list(each) for each in zip(*held, strict=True)]


def as_slots(rows: list[dict[int, Any]], kinds: dict[int, str]) -> list[dict[int, Any]]:
    """The plain reader's records with slots in place of maps; the last of repeated keys counts."""
    for row in rows:
        for key, kind in kinds.items():
            if kind.startswith("slot") and key in row:
                said = {each["key"]: each["value"] for each in row[key] or ()}
                none = -1 if kind == "slot_long" else None
                row[key] = [said.get(slot, none) for slot in SLOTS]
    return rows


@pytest.mark.parametrize("how", [0, 1, 2], ids=["all", "scan", "statistics"])
@given(
    version=st.integers(1, 3),
    unknown=st.integers(-1, 4),
    count=st.integers(0, 8),
    by=st.randoms(),
    data=st.data(),
)
def test_records_are_what_a_plain_reader_gives(
    *, how: int, version: int, unknown: int, count: int, by: Random, data: st.DataObject
) -> None:
    """Decoded records, whole or damaged, equal a plain reader's, up to the first refused one."""
    schema = schema_of(version, unknown)
    wanted = wanted_of(schema, how)
    held = bytearray(b"".join(written(schema, by) for _ in range(count)))
    for _ in range(data.draw(st.integers(0, 2)) if held else 0):
        held[data.draw(st.integers(0, len(held) - 1))] ^= data.draw(st.integers(1, 255))
    blocks = np.array([[count, 0, len(held)]], np.int64)
    content = Container(json.dumps(schema).encode(), np.frombuffer(bytes(held), np.uint8), blocks)
    rows, refused = by_plain(schema, bytes(held), count, wanted.kinds)
    if refused is None:
        assert shown(content.decode(wanted, {}), wanted.kinds) == as_slots(rows, wanted.kinds)
        return
    with pytest.raises(FormatError, match=rf"^records\[{len(rows)}\]") as caught:
        content.decode(wanted, {})
    assert refused[0] <= (caught.value.offset or 0) <= refused[1]
