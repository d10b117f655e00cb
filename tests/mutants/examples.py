"""Quick checks of specs, without pytest: layouts by their examples, tables by documents of formats.

They notice most faults in a hundredth of the time that tests of the library take.
"""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.codegen import test_vectors as claims
from tests.support import vectors

import byteloom_generated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["contradicted", "refuted"]

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
    """Return the name of the first example that the records of *tree* fail; None if none does.

    folder  the folder of specs whose examples are tried; its generated modules are imported again
    """
    _leave_no_bytecode()
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


def contradicted(file: str) -> str | None:
    """Return the name of the first test of *file* that fails; None if none does.

    file  a file of tests without fixtures, below the working directory
    """
    _leave_no_bytecode()
    sys.path.insert(0, str(Path.cwd()))
    name = file
    try:
        module = import_module(file.removesuffix(".py").replace("/", "."))
        for test, arguments in _calls(module, []):
            name = f"{file}::{test.__name__}"
            test(**arguments)
    except BaseException:  # noqa: BLE001  as of `refuted`
        return name
    return None


def _leave_no_bytecode() -> None:
    """Leave none of what is imported: the next fault may have the same size and time as this one.

    Bytecode of this one would then pass for that of the next.
    """
    sys.dont_write_bytecode = True


def _calls(holder: Any, marks: list[Any]) -> Iterator[tuple[Callable[..., None], dict[str, Any]]]:
    """Yield each test of a module or a class, once for each set of its arguments."""
    for name, found in vars(holder).items():
        own = [*marks, *getattr(found, "pytestmark", [])]
        if isinstance(found, type) and name.startswith("Test"):
            yield from _calls(found, own)
        elif name.startswith("test_"):
            test = found if not isinstance(holder, type) else getattr(holder(), name)
            for run in product(*(_runs(mark.args) for mark in own)):
                yield test, {name: value for each in run for name, value in each.items()}


def _runs(parameters: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Return the sets of arguments of a mark `parametrize`."""
    names, values = parameters
    if isinstance(names, str):
        return [{names: value} for value in values]
    return [dict(zip(names, each, strict=True)) for each in values]
