"""Plans of `byteloom scan`, made from specs and kept on disk for later commands.

- A plan is found by what it was made of: the bytes of the spec and its place, the options, and the
  generator's own code.  It lists the files that the spec imports, with digests of their bytes, and
  the places where others would have been found first.
- One that is damaged, or of which a file has changed, is made again.
- Where nothing can be kept, as in a home that is read-only, plans are made for each command.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Any, Final

import typer

from byteloom.cli.inputs.generated_modules import keep_file, kept_file
from byteloom.cli.printing.advice import generator_imports
from byteloom.cli.printing.value_text import json_text
from byteloom.columns.scan_plan import ScanPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from byteloom.cli.options.specs import SpecParts

__all__ = ["ScanRequest", "make", "planned"]

_SETTLED: Final = 100_000_000
"""A file that changed within this many nanoseconds before it was read may have changed again."""


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """The input of a plan: a spec, and the options that matter.

    is_open  whether types may be classes that are written elsewhere
    columns  the names of those that are needed; None for all
    """

    spec: Path
    include: Sequence[Path]
    records: str | None
    is_open: bool
    columns: Sequence[str] | None = None

    @property
    def folders(self) -> list[Path]:
        """The folders in which absolute imports are looked up."""
        others = os.environ.get("KSPATH", "").split(os.pathsep)
        return [*self.include, *map(Path, filter(None, others))]

    def key(self) -> str | None:
        """Return the name of the plan for this; None if the spec cannot be read."""
        data, code = _bytes_of(self.spec), _code()
        if data is None or code is None:
            return None
        places = [str(each.absolute()) for each in (self.spec, *self.folders)]
        about = json_text([places, self.records, self.is_open, self.columns, sys.version_info[:2]])
        return _digest(data, code.encode(), about.encode())


def planned(
    request: ScanRequest, make: Callable[[], tuple[ScanPlan, list[Path] | None]]
) -> ScanPlan:
    """Return the plan for a request, one that was kept or a new one.

    make  returns a new plan and the files that it was made of; None for one that is not to be kept
    """
    key = request.key()
    found = None if key is None else _kept(key)
    if found is not None:
        return found
    start = time_ns()
    plan, files = make()
    if key is not None and files is not None and key == request.key():
        known = [(str(each.absolute()), _stamp(each, start)) for each in files]
        if all(stamp for _, stamp in known):
            first = [str(each.absolute()) for each in _searched_before(files, request.folders)]
            text = json_text({"plan": asdict(plan), "files": known, "absent": first})
            keep_file(f"scan-{key}", "plan.json", _signed(text))
    return plan


def make(
    request: ScanRequest, parts: SpecParts
) -> tuple[ScanPlan, list[Path] | None, dict[str, Any]]:
    """Return a new plan, the files that it is made of, and the parameters of the outermost record.

    returns  None in place of files for a spec with parameters: its plan does not say which
    errors   `typer.Exit`: mistakes in the spec, which are printed; `typer.BadParameter`
    """
    with generator_imports():
        from byteloom.cli.inputs.compiled_specs import loaded, params_of
        from byteloom_codegen.scanners.refusals import NotScannableError
        from byteloom_codegen.scanners.scan_modules import ChoiceError, choose, scan_modules
    specs = loaded(request.spec, request.include, is_open=request.is_open)
    params = params_of(specs[0], parts)
    try:
        where = choose(specs[0], request.records)
    except ChoiceError as error:
        raise typer.BadParameter(str(error), param_hint="--records") from error
    try:
        plan = ScanPlan.of(asdict(scan_modules(specs, where, request.columns)))
    except NotScannableError as error:
        reason = str(error) if where else f"{error}, and no field repeats: nothing to list"
        raise typer.BadParameter(reason, param_hint="--spec") from error
    files = None if specs[0].top.params else [Path(each.file) for each in specs]
    return plan, files, params


def _kept(key: str) -> ScanPlan | None:
    data = kept_file(f"scan-{key}", "plan.json")
    try:
        found = json.loads(_unsigned(data or b""))
        for place, stamp in found["files"]:
            if _digest(_bytes_of(Path(place)) or b"") != stamp:
                return None
        if any(map(os.path.lexists, found["absent"])):
            return None
        return ScanPlan.of(found["plan"])
    except (ValueError, KeyError, TypeError):
        return None


def _signed(text: str) -> bytes:
    data = text.encode()
    return _digest(data).encode() + b"\n" + data


def _unsigned(kept: bytes) -> bytes:
    signature, _, data = kept.partition(b"\n")
    if signature != _digest(data).encode():
        raise ValueError("damaged")
    return data


def _stamp(path: Path, start: int) -> str:
    """Return the digest of a file; "" if it may have changed since *start*."""
    try:
        if path.stat().st_mtime_ns > start - _SETTLED:
            return ""
    except OSError:
        return ""
    data = _bytes_of(path)
    return "" if data is None else _digest(data)


def _searched_before(files: list[Path], folders: list[Path]) -> list[Path]:
    """Return places where an import would have been found before one of *files* was."""
    found = []
    for file in files:
        for number, folder in enumerate(folders):
            if file.absolute().is_relative_to(folder.absolute()):
                name = file.absolute().relative_to(folder.absolute())
                found += [each / name for each in folders[:number]]
    return found


def _bytes_of(path: Path) -> bytes | None:
    """Return the bytes of a regular file; None for anything else."""
    try:
        return path.read_bytes() if path.is_file() else None
    except (OSError, ValueError):
        return None


def _code() -> str | None:
    """Return a digest of the generator's code, and of this module; None without a generator."""
    found = find_spec("byteloom_codegen")
    if found is None or found.origin is None:
        return None
    files = [
        Path(folder) / name
        for folder, _, names in os.walk(Path(found.origin).parent)
        for name in names
        if name.endswith((".py", ".jinja"))
    ]
    return _digest(*(each.read_bytes() for each in [*sorted(files), Path(__file__)]))


def _digest(*parts: bytes) -> str:
    total = blake2b(digest_size=16)
    for each in parts:
        total.update(b"%d:" % len(each) + each)
    return total.hexdigest()
