"""Specs with awkward names and texts become modules that ruff and mypy leave alone."""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
from tests.support.cli import byteloom
from tests.support.tools import complaints

if TYPE_CHECKING:
    from pathlib import Path

LONG: Final = "a" + "_long_name_of" * 4

_TEXT: Final = (
    "Back\\slash \\n \\u0041 \\N{DASH} \"quotes\" 'single' \"\"\"triple\"\"\" '''three''' {braces} "
    "%s {% jinja %} {{ x }} # hash\n\nunïcode 漢字 \u2028 tab\there, ends in a backslash\\"
)

_ERRORS: Final = sorted(
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", each).lower()
    for each in dir(builtins)
    if each[0].isupper() and each != "PythonFinalizationError"  # of Python 3.13 on
)
"""What types of a spec are called whose classes would have the names of Python's errors."""

SPECS: Final[dict[str, dict[str, Any]]] = {
    "long_names": {
        "seq": [
            {"id": LONG, "type": "u4"},
            {
                "id": f"{LONG}_two",
                "type": f"{LONG}_type",
                "repeat": "expr",
                "repeat-expr": f"{LONG} + {LONG}",
                "if": f"{LONG} > 3 and {LONG} < 100 or {LONG} == 7",
            },
            {
                "id": f"sw_{LONG}",
                "size": LONG,
                "type": {"switch-on": LONG, "cases": {1: f"{LONG}_type", "_": f"other_{LONG}"}},
            },
            {"id": f"e_{LONG}", "type": "u1", "enum": f"enum_{LONG}", "valid": {"in-enum": True}},
            {"id": f"v_{LONG}", "type": "u2", "valid": {"any-of": list(range(60))}},
        ],
        "types": {
            f"{LONG}_type": {"seq": [{"id": LONG, "size": 3}]},
            f"other_{LONG}": {"seq": [{"id": "x", "type": "strz"}]},
        },
        "enums": {f"enum_{LONG}": {number: f"m{number}_{LONG}" for number in range(5)}},
        "instances": {
            f"i_{LONG}": {"value": f"{LONG} * {LONG} - ({LONG} + 5) / 3 + {LONG} & 7"},
            f"j_{LONG}": {"pos": f"{LONG} + {LONG} + {LONG}", "type": f"{LONG}_type"},
        },
    },
    "texts": {
        "doc": f'{_TEXT}"',
        "seq": [
            {"id": "a", "type": "u1", "doc": _TEXT},
            {"id": "b", "type": "u1", "doc": '"'},
            {"id": "c", "type": "u1", "doc": '"""'},
            {"id": "d", "type": "u1", "doc": "\\"},
            {"id": "e", "type": "str", "size": 3, "valid": '"\\"\\\\\\""'},
            {"id": "f", "type": "str", "size": 3, "valid": '"\\"it\'s"'},
            {"id": "g", "contents": '"""\\\'ü'},
            {"id": "h", "type": "u1", "enum": "k", "doc": " ".join(["word" * 5] * 60)},
        ],
        "enums": {"k": {0: {"id": "z", "doc": _TEXT}, 1: {"id": "y", "doc": '"'}}},
    },
    "errors": {
        "seq": [{"id": f"a_{name}", "type": name} for name in _ERRORS],
        "types": {name: {"seq": [{"id": "x", "type": "u1"}]} for name in _ERRORS},
    },
}
"""Specs without their `meta`, by name."""

FORMS: Final = {
    "records": [],
    "drop_in": ["--api", "kaitaistruct"],
    "read_write": ["--api", "kaitaistruct", "--read-write"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate every spec in every form, each form in a folder of its own."""
    folder = tmp_path_factory.mktemp("awkward")
    for name, body in SPECS.items():
        meta = {"id": name, "endian": "le", "encoding": "UTF-8"}
        text = yaml.safe_dump({"meta": meta, **body}, sort_keys=False, allow_unicode=True)
        (folder / f"{name}.ksy").write_text(text, encoding="utf-8")
    for form, options in FORMS.items():
        outcome = byteloom("generate", folder, "-o", folder / form, *options)
        assert outcome.status == 0, outcome.err
    return folder


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SPECS)
def test_the_formatter_changes_nothing(made: Path, form: str, name: str) -> None:
    """`ruff format` leaves each module as it is."""
    assert not complaints("format", f"{form}/{name}.py", cwd=made)


@pytest.mark.parametrize("form", ["records", "drop_in"])
def test_mypy_has_nothing_to_say(made: Path, form: str) -> None:
    """`mypy --strict` finds nothing in any module."""
    assert not complaints("mypy", ".", cwd=made / form)
