"""Parameters of a record are given as `name=value` on the command line."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from byteloom.cli.inputs.compiled_specs import parameters
from byteloom_codegen.load import load_text

SPEC: Final = load_text(
    """
meta: {id: t, endian: le}
params:
  - {id: flag, type: bool}
  - {id: count, type: u2}
  - {id: form, type: u1, enum: forms}
  - {id: factor, type: f8}
  - {id: name, type: str}
  - {id: key, type: bytes}
enums: {forms: {3: small, 9: large}}
seq: [{id: a, type: u1}]
""",
    "t.ksy",
)
GIVEN: Final = {
    "flag": "true",
    "count": "7",
    "form": "small",
    "factor": "0.5",
    "name": "a=b",
    "key": "00ff",
}


def read(**changes: str | None) -> dict[str, Any]:
    """Return the parameters, with some of them changed or left out."""
    given = {**GIVEN, **changes}
    texts = [f"{name}={value}" for name, value in given.items() if value is not None]
    return parameters(SPEC.top, texts)


def test_each_parameter_is_a_value_of_its_type() -> None:
    """Each parameter is converted to its type; text may have any characters, bytes are hex."""
    assert read() == {
        "flag": True,
        "count": 7,
        "form": 3,
        "factor": 0.5,
        "name": "a=b",
        "key": b"\x00\xff",
    }


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("flag", "false", False),
        ("count", "0x10", 16),
        ("count", "0", 0),
        ("form", "large", 9),
        ("form", "9", 9),
        ("form", "0x4", 4),
        ("key", "", b""),
    ],
)
def test_numbers_are_written_as_in_python(name: str, text: str, value: object) -> None:
    """Numbers are written as in Python, and enum values also by name."""
    assert read(**{name: text})[name] == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("flag", "1"),
        ("flag", "True"),
        ("count", "x"),
        ("form", "huge"),
        ("factor", ""),
        ("key", "0"),
    ],
)
def test_values_of_another_type_are_refused(name: str, text: str) -> None:
    """A value of another type is refused by the parameter's name."""
    wanted = f"{name}: found {text!r}, wanted a value of its type"
    with pytest.raises(ValueError, match=f"^{re.escape(wanted)}$"):
        read(**{name: text})


def test_parameters_that_are_missing_or_unknown_are_refused() -> None:
    """Missing and unknown parameters are refused; the error lists those that exist."""
    with pytest.raises(ValueError, match=r"^t wants flag=\.\.\., key=\.\.\.$"):
        read(flag=None, key=None)
    names = "flag, count, form, factor, name, key"
    with pytest.raises(ValueError, match=f"^found size, wanted one of: {names}$"):
        read(size="1")
