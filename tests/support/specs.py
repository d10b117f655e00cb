"""Short ways to load little specs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from byteloom_codegen.errors import SpecError, SpecErrors
from byteloom_codegen.load import load_text
from byteloom_codegen.model import Spec, ValueInstance

if TYPE_CHECKING:
    from byteloom_codegen.expressions import Expression

__all__ = ["expression", "loaded", "mistake", "mistakes"]


def loaded(body: str) -> Spec:
    """Return the model of a spec named ``t`` with this *body*."""
    return load_text(f"meta:\n  id: t\n{body}", "t.ksy")


def mistakes(body: str) -> list[SpecError]:
    """Return all mistakes of a spec named ``t`` whose *body* begins in line 3."""
    with pytest.raises(SpecErrors) as caught:
        loaded(body)
    return list(caught.value.errors)


def mistake(body: str) -> str:
    """Return the text of the only mistake, without the name of the file."""
    found = mistakes(body)
    assert len(found) == 1, [str(each) for each in found]
    return str(found[0]).removeprefix("t.ksy:")


def expression(source: str, body: str = "") -> Expression:
    """Return the typed expression of a calculated value; *body* is the rest of the spec."""
    quoted = source.replace("'", "''")
    found = loaded(f"instances:\n  x:\n    value: '{quoted}'\n{body}").top.member("x")
    assert isinstance(found, ValueInstance)
    return found.value
