"""The examples of a folder of specs, tried on what is generated from them in a tree.

They notice most faults of a layout in a hundredth of the time that tests of the library take: what
they need is imported once, by the process whose forks try them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from tests.codegen import test_vectors as claims
from tests.support import vectors

import byteloom_generated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["refuted"]

_CLAIMS: Final[dict[str, list[Callable[[Any], None]]]] = {
    "value": [
        claims.test_a_value_reads_and_writes_back_byte_for_byte,
        claims.test_every_shorter_prefix_is_refused,
    ],
    "reads_as": [
        claims.test_a_tolerated_form_reads_and_is_never_written,
        claims.test_every_shorter_prefix_is_refused,
    ],
    "refused": [claims.test_a_wrong_form_is_refused_by_name],
}


def refuted(tree: Path, folder: str) -> str | None:
    """Return the name of the first claim that is wrong of the records of *tree*, None for none.

    folder  of the specs whose examples are tried; its generated modules are imported anew
    """
    package = byteloom_generated.__name__
    byteloom_generated.__path__ = [str(tree / "generated" / package)]
    for name in [name for name in sys.modules if name.startswith(f"{package}.{folder}")]:
        del sys.modules[name]
    vectors.vectors_of.cache_clear()
    name = claims.__name__
    try:
        for each in vectors.vectors_of(vectors.SPECS / folder / "vectors.yaml"):
            extra = [claims.test_what_is_left_out_has_the_default_of_the_spec] * bool(each.defaults)
            for claim in [*_CLAIMS[each.outcome], *extra] if each.record else []:
                name = f"{claim.__name__}[{each.id}]"
                claim(each)
    except BaseException:  # noqa: BLE001  whatever it is, the fault is noticed; pytest has its own
        return name
    return None
