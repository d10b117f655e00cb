"""Make the plan of a scan from its spec."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from byteloom.cli.describe import loaded, params_of
from byteloom.cli.scan_plans import Plan, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.cli.scan_plans import Asked
    from byteloom_codegen.model import Spec
    from byteloom_codegen.scanners.paths import Repeated

__all__ = ["make"]


def make(asked: Asked, param: Sequence[str]) -> tuple[Plan, list[Path] | None, dict[str, Any]]:
    """Return a plan, the files that it is made of, and the parameters of the outermost record.

    param    the parameters that are given
    returns  None in place of files for a spec with parameters: its plan does not say which
    errors   `typer.Exit`: mistakes in the spec, which are printed; `typer.BadParameter`
    """
    specs = loaded(asked.spec, asked.include, is_open=asked.is_open)
    params = params_of(specs[0], param)
    plan = _plan(specs, asked.records)
    files = None if specs[0].top.params else [Path(each.file) for each in specs]
    return plan, files, params


def _plan(specs: Sequence[Spec], path: str | None) -> Plan:
    from byteloom_codegen.python.emit import emit
    from byteloom_codegen.python.names import ClassNames, module_name
    from byteloom_codegen.scanners.chosen import ChoiceError, choose, chosen_scanner
    from byteloom_codegen.scanners.refusals import NotScannableError

    spec = specs[0]
    try:
        where = choose(spec, path)
    except ChoiceError as error:
        raise typer.BadParameter(str(error), param_hint="--records") from error
    try:
        made = chosen_scanner(spec, where)
    except NotScannableError as error:
        reason = str(error) if where else f"{error}, and no field repeats: nothing to list"
        raise typer.BadParameter(reason, param_hint="--spec") from error
    classes = {
        id(one): (module_name(each.name), names.of(one))
        for each in specs
        for names in (ClassNames(each),)
        for one in each.top.walk()
    }
    return Plan(
        modules={module_name(each.name): emit(each, Path(each.file).name) for each in specs},
        top=classes[id(spec.top)],
        scanner=(f"{module_name(spec.name)}_scan", made.text),
        scan=made.scan,
        why=made.why,
        steps=None if where is None else tuple(_steps(where, classes)),
        streams=where is not None and where.streams,
    )


def _steps(where: Repeated, classes: dict[int, tuple[str, str]]) -> list[Step]:
    return [
        Step(each.name, each.attribute, None if each.type is None else classes[id(each.type)])
        for each in where.steps
    ]
