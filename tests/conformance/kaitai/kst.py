"""One ``.kst`` file: data to read, and what has to hold of it, in order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import kaitaistruct
from tests.conformance.kaitai.compare import Differs, expect_equal
from tests.conformance.kaitai.evaluate import EnumValue, Evaluator
from tests.conformance.kaitai.forms import Form, all_specs
from tests.conformance.kaitai.modules import include_dirs

from byteloom.errors import ByteloomError
from byteloom_codegen.frontend.parser import parse_expression
from byteloom_codegen.frontend.place import Place
from byteloom_codegen.frontend.yaml_tree import parse
from byteloom_codegen.load import load_spec

if TYPE_CHECKING:
    from pathlib import Path

    from byteloom_codegen.model import EnumSpec, Spec

__all__ = ["run_kst"]

_TYPES = {"bytes": bytes, "str": str, "strz": str, "bool": bool}


def run_kst(suite: Path, path: Path, form: Form) -> None:
    """Read the data of *path* through *form*, and raise where an assertion does not hold."""
    test = Place(*parse(path.read_text(encoding="utf-8"), str(path)))
    folder = suite / "formats"
    imports = [
        load_spec(folder / f"{each.text()}.ksy", include_dirs=include_dirs(suite))
        for each in (test["imports"].items() if "imports" in test else ())
    ]
    data = suite / "src" / test["data"].text()
    if "exception" in test:
        _expect_error(test["exception"], form, lambda: _read(form, data, imports))
        return
    try:
        record = form.read(data, imports)
    except ByteloomError:
        if form.spec.top.debug and not form.official:
            return  # what a debugged record holds before it fails: ours are whole, or not at all
        raise
    evaluator = Evaluator(form, record)
    for each in test["asserts"].items() if "asserts" in test else ():
        _hold(each, evaluator, form, [form.spec, *imports])


def _read(form: Form, data: Path, imports: list[Spec]) -> None:
    failure = getattr(form.read(data, imports), "_failure", None)
    if failure is not None:
        raise failure


def _hold(place: Place, evaluator: Evaluator, form: Form, specs: list[Spec]) -> None:
    actual = parse_expression(place["actual"])
    if "exception" in place:
        _expect_error(place["exception"], form, lambda: evaluator(actual))
        return
    wanted = evaluator(parse_expression(place["expected"]))
    labels = [
        each
        for each in (wanted if isinstance(wanted, list) else [wanted])
        if isinstance(each, EnumValue)
    ]
    members = {
        (each.names, each.label): form.enum_member(_enum(specs, each.names), each.label)
        for each in labels
    }
    if isinstance(wanted, list):
        wanted = [
            members[each.names, each.label] if isinstance(each, EnumValue) else each
            for each in wanted
        ]
    try:
        expect_equal(evaluator(actual), wanted, members)
    except Exception as error:
        error.add_note(f"in {place['actual'].text()}")
        raise


def _expect_error(place: Place, form: Form, call: Any) -> None:
    """Raise unless *call* raises the exception that *place* names, with its type and message."""
    text = place["type"].text() if place.is_map else place.text()
    match = re.fullmatch(r"(\w+)(?:<(.+)>)?", text.strip())
    if match is None:
        raise place.error("not the name of an exception")
    try:
        call()
    except form.error(match[1]) as error:
        message = place["message"].text() if "message" in place and form.official else ""
        _expect_detail(error, match[2], message)
        return
    raise Differs(f"nothing raised, wanted {text}")


def _expect_detail(error: Exception, type_: str | None, message: str) -> None:
    if message not in str(error):
        raise Differs(f"message {str(error)!r}, wanted {message!r}")
    if type_ is None or not isinstance(error, kaitaistruct.ValidationFailedError):
        return
    number = re.fullmatch(r"([usbf])\d+(?:le|be)?", type_)
    kind = (float if number[1] == "f" else int) if number else _TYPES.get(type_)
    actual = getattr(error, "actual", None)
    if kind is not None and not isinstance(actual, kind):
        raise Differs(f"an error about {actual!r}, wanted one about {type_}")


def _enum(specs: list[Spec], names: tuple[str, ...]) -> EnumSpec:
    """Find an enum by its path from a top type, or from the top type of the first spec."""
    known = {each.name: each for spec in specs for each in all_specs(spec)}
    known[specs[0].name] = specs[0]
    here = known[names[0]].top if names[0] in known else specs[0].top
    rest = names[1:] if names[0] in known else names
    for name in rest[:-1]:
        here = here.types[name]
    return here.enums[rest[-1]]
