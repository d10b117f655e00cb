"""The tables of protobuf fields are those of the published messages."""

import re
from pathlib import Path

import pytest

from byteloom.hfile.messages import PAIR, TRAILER, WRAPPED_KEY

PROTO = (Path(__file__).parents[2] / "specs/hfile/messages.proto").read_text()
_BYTES = 2


@pytest.mark.parametrize(
    ("message", "table"),
    [("TrailerProto", TRAILER), ("BytesBytesPair", PAIR), ("WrappedKey", WRAPPED_KEY)],
)
def test_numbers_names_and_kinds_are_those_of_the_proto(
    message: str, table: dict[int, tuple[str, int]]
) -> None:
    """Field by field; text and bytes stand behind a length, all others are varints."""
    body = PROTO.partition(f"message {message} {{")[2].partition("\n}")[0]
    found = re.findall(r"(?:optional|required) (\w+) (\w+) = (\d+)(?: \[.*\])?;", body)
    kinds = {"string": _BYTES, "bytes": _BYTES}
    assert table == {int(number): (name, kinds.get(kind, 0)) for kind, name, number in found}
