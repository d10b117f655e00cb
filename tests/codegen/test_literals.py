"""Numbers of specs that Python, or the field that they belong to, cannot represent."""

import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
from tests.support.tools import complaints

from byteloom.errors import FormatError
from byteloom_codegen.kaitaistruct import emit as emit_drop_in
from byteloom_codegen.load import load_text
from byteloom_codegen.python.module import emit

_HEAD: Final = "meta: {id: sample, endian: le}\n"


def printed(text: str, form: str) -> str:
    """Return the module of a spec given as text, without its ``meta``."""
    spec = load_text(_HEAD + text)
    return emit(spec, "sample.ksy") if form == "records" else emit_drop_in(spec)["sample.py"]


def module_of(text: str, form: str) -> Any:
    """Run the module of a spec given as text."""
    module = ModuleType(f"literals_{form}")
    sys.modules[module.__name__] = module  # where dataclasses look names up
    exec(compile(printed(text, form), "sample.py", "exec"), vars(module))  # noqa: S102  (the test)
    return module


@pytest.mark.parametrize("form", ["records", "drop_in"])
@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("1e308", 1e308),
        ("1.5e+300", 1.5e300),
        ("0.00001", 1e-5),
        ("100000000000000000000.5", 1e20),
        ("1e400", math.inf),
        ("-1e400", -math.inf),
    ],
)
def test_floats_keep_their_value_and_need_no_formatting(
    literal: str, value: float, form: str, tmp_path: Path
) -> None:
    """Floats are printed as ruff writes them; one beyond the range of floats is infinite."""
    text = f"instances: {{x: {{value: '{literal}'}}}}"
    assert module_of(text, form).Sample.from_bytes(b"").x == value
    file = tmp_path / "sample.py"
    file.write_text(printed(text, form))
    assert not complaints("format", file)


_WIDE: Final = (
    "seq: [{id: x, type: u8, enum: e}]\n"
    "enums: {e: {18446744073709551615: top, 0xfffffffffffffffff: past, -1: below}}"
)


@pytest.mark.parametrize("form", ["records", "drop_in"])
def test_labels_take_values_that_no_field_has(form: str) -> None:
    """An enum may serve fields of several widths, and values that are calculated."""
    module = module_of(_WIDE, form)
    cls = module.E if form == "records" else module.Sample.E
    assert sorted(cls) == [-1, 2**64 - 1, 2**68 - 1]
    assert module.Sample.from_bytes(b"\xff" * 8).x == 2**64 - 1


@pytest.mark.parametrize("label", ["PAST", "BELOW"])
def test_a_label_that_does_not_fit_is_not_written(label: str) -> None:
    """The error for an enum label outside its field's range gives that range."""
    module = module_of(_WIDE, "records")
    record = module.Sample(x=module.E[label])
    with pytest.raises(FormatError, match=r"sample\.x: .* wanted an integer from 0 to 1844674407"):
        record.to_bytes()
