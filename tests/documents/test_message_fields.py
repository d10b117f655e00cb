"""Every field of every message has its number, type and label, as literal bytes show."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Final

import pytest
from tests.support.gallery import sections

import byteloom_generated.hfile.messages as hfile
import byteloom_generated.orc.messages as orc
from byteloom.errors import FormatError

MODULES: Final = {"hfile": hfile, "orc": orc}
MESSAGES: Final[dict[str, dict[str, Any]]] = sections("message_fields")["messages"]
"""Messages by name: bytes with all of their fields, in hex, and their values."""

ENUMS: Final[dict[str, dict[str, int]]] = sections("message_fields")["enums"]
"""The numbers of all values of each enum."""


def of(name: str) -> Any:
    """Return the class of a name."""
    module, _, rest = name.partition(".")
    return attrgetter(rest)(MODULES[module])


def plain(value: Any) -> Any:
    """Return a value, and of a message the fields that are present, by name."""
    if hasattr(value, "ListFields"):
        return {field.name: plain(held) for field, held in value.ListFields()}
    if isinstance(value, (str, bytes, int, float)):
        return value
    return [plain(each) for each in value]


@pytest.mark.parametrize("name", MESSAGES)
def test_all_fields_are_read_and_written(name: str) -> None:
    """Every field has its number, type and label: its bytes are read and written as listed."""
    data, fields = bytes.fromhex(MESSAGES[name]["bytes"]), MESSAGES[name]["fields"]
    message = of(name).parse(data)
    assert plain(message) == fields
    assert message.SerializeToString() == data
    assert {each.name for each in message.DESCRIPTOR.fields} == fields.keys()


@pytest.mark.parametrize("name", ENUMS)
def test_all_values_have_their_numbers(name: str) -> None:
    """Every enum has exactly the listed values and numbers."""
    assert {each.name: each.value for each in of(name)} == ENUMS[name]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("hfile.BytesBytesPair", "first"),
        ("hfile.BytesBytesPair", "second"),
        ("hfile.WrappedKey", "algorithm"),
        ("hfile.WrappedKey", "length"),
        ("hfile.WrappedKey", "data"),
    ],
)
def test_required_fields_are_there(name: str, field: str) -> None:
    """A message without a required field is refused by the name of the field."""
    message = of(name).parse(bytes.fromhex(MESSAGES[name]["bytes"]))
    message.ClearField(field)
    with pytest.raises(FormatError, match=field):
        of(name).parse(message.SerializePartialToString())


def test_absent_fields_have_their_defaults() -> None:
    """Absent fields have the defaults that are neither zero nor empty."""
    assert hfile.TrailerProto.parse(b"").compression_codec == hfile.Codec.NONE
    key = hfile.WrappedKey(algorithm="AES", length=16, data=b"k")
    assert key.hash_algorithm == "MD5"
    assert orc.PostScript.parse(b"").compressionBlockSize == 262_144
