"""A record of another type than its field's is refused, even where its bytes could be written."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.modules import module_of

from byteloom.errors import FormatError

_SPEC = """
seq:
  - {id: one, type: named}
  - {id: boxes, type: box, repeat: expr, repeat-expr: 2}
  - id: either
    type: {switch-on: one.kind, cases: {1: named, 2: box}}
types:
  named:
    seq:
      - {id: kind, type: u1}
  box:
    seq:
      - {id: inner, type: named}
"""


@pytest.fixture(scope="module")
def made() -> Any:
    """The module of the spec."""
    return module_of(_SPEC)


def sound(made: Any) -> Any:
    """A record whose parts all have their types."""
    one = made.Named(kind=1)
    boxes = [made.Box(inner=made.Named(kind=each)) for each in (7, 8)]
    return made.Sample(one=one, boxes=boxes, either=made.Named(kind=9))


def test_a_record_of_the_types_of_its_fields_is_written(made: Any) -> None:
    """Types that fit are accepted, in lists and switches as well."""
    assert sound(made).to_bytes() == b"\1\7\x08\x09"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda it, made: setattr(it, "one", made.Box(inner=made.Named(kind=1))),
            r"sample\.one: found a Box, wanted a Named",
        ),
        (
            lambda it, made: it.boxes.__setitem__(1, made.Named(kind=8)),
            r"sample\.boxes\[1\]: found a Named, wanted a Box",
        ),
        (
            lambda it, made: setattr(it.boxes[0], "inner", made.Box(inner=made.Named(kind=7))),
            r"sample\.boxes\[0\]\.inner: found a Box, wanted a Named",
        ),
    ],
    ids=["a field", "an element", "inside an element"],
)
def test_a_record_of_another_type_is_refused(made: Any, change: Any, message: str) -> None:
    """The error names the field, the type that it holds and the one that it has."""
    record = sound(made)
    change(record, made)
    with pytest.raises(FormatError, match=message):
        record.to_bytes()


def test_a_subclass_of_the_type_is_written(made: Any) -> None:
    """A record may be of a class that the user derived from the generated class."""
    record = sound(made)
    own = type("Own", (made.Named,), {"__slots__": ()})
    record.one = own(kind=1)
    assert record.to_bytes() == b"\1\7\x08\x09"
