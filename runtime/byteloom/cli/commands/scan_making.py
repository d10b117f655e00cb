"""Make the plan of a scan from its spec."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from byteloom.cli.commands.describe import loaded, params_of
from byteloom.columns.scan_plan import ScanPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from byteloom.cli.inputs.scan_plans import Asked
    from byteloom_codegen.model import Spec

__all__ = ["make"]


def make(asked: Asked, param: Sequence[str]) -> tuple[ScanPlan, list[Path] | None, dict[str, Any]]:
    """Return a plan, the files that it is made of, and the parameters of the outermost record.

    param    the parameters that are given
    returns  None in place of files for a spec with parameters: its plan does not say which
    errors   `typer.Exit`: mistakes in the spec, which are printed; `typer.BadParameter`
    """
    specs = loaded(asked.spec, asked.include, is_open=asked.is_open)
    params = params_of(specs[0], param)
    plan = _plan(specs, asked)
    files = None if specs[0].top.params else [Path(each.file) for each in specs]
    return plan, files, params


def _plan(specs: Sequence[Spec], asked: Asked) -> ScanPlan:
    from byteloom_codegen.scanners.chosen import ChoiceError, choose
    from byteloom_codegen.scanners.refusals import NotScannableError
    from byteloom_codegen.scanners.scan_modules import scan_modules

    try:
        where = choose(specs[0], asked.records)
    except ChoiceError as error:
        raise typer.BadParameter(str(error), param_hint="--records") from error
    try:
        return ScanPlan.of(asdict(scan_modules(specs, where, asked.columns)))
    except NotScannableError as error:
        reason = str(error) if where else f"{error}, and no field repeats: nothing to list"
        raise typer.BadParameter(reason, param_hint="--spec") from error
