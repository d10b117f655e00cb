"""Scanners for the Kaitai project's formats give what records give of its sample files."""

from __future__ import annotations

import random
import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.corpus import corpus_cases
from tests.support.scanners import outcome, row_of, rows_of

from byteloom.wire import Reader
from byteloom_codegen.load import load_spec
from byteloom_codegen.python.module import emit
from byteloom_codegen.python.names import ClassNames, attribute_name
from byteloom_codegen.scanners.module import emit_scanners
from byteloom_codegen.scanners.targets import Target, targets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import ModuleType

    from byteloom_codegen.model import Spec


ELSEWHERE = {
    "opaque_external_type", "process_custom", "process_custom_no_args", "process_term_struct"
}  # fmt: skip
"""Formats whose modules import classes written by hand, which the suite keeps for each language."""


def formats(folder: Path) -> Iterator[Any]:
    """Yield each format of the suite that a spec describes whole."""
    for path in sorted((folder / "formats").glob("*.ksy")):
        if path.stem in ELSEWHERE:
            continue
        yield pytest.param(path, id=path.stem)


@corpus_cases("kaitai", formats)
def test_scanners_say_what_records_say(case: Path, tmp_path: Path) -> None:
    """Scanners give the rows or the error of records, on sample files, noise and small numbers."""
    spec = load_spec(case, include_dirs=[case.parent / "ks_path"])
    made = emit_scanners(spec, case.name, everything=True)
    if not made.text:
        assert made.refused or not targets_of(spec, everything=True)
        return
    records, scans = imported(spec, made.text, tmp_path / f"scanned_{case.stem}")
    refused = {error.location for error in made.refused}
    for target in targets_of(spec, everything=True):
        scan = getattr(scans, f"scan_{target.name}", None)
        if scan is None:
            assert refused
            continue
        read = reader_of(target, spec, records)
        for data in inputs(case.parents[1] / "src"):
            compare(scan, read, data)


def compare(scan: Callable[[bytes], Any], read: Callable[[bytes], Any], data: bytes) -> None:
    """Check that a scanner and its records have the same outcome."""
    schema: list[Any] = []

    def scanned() -> Any:
        batch = scan(data)
        schema.extend(batch.schema)
        return rows_of(batch)

    found = outcome(scanned)
    wanted = outcome(lambda: [row_of(each, schema) for each in read(data)])
    if isinstance(wanted, list) and isinstance(found, tuple):
        wanted = _error_of_an_instance(read(data), found)
    assert found == wanted, data


def _error_of_an_instance(records: list[Any], found: tuple[Any, ...]) -> Any:
    """Return the error of the instance that a scanner names, which records raise when asked."""
    path = re.search(r"\[(\d+)\]\.(\w+)", found[2])
    assert path is not None, found
    error = outcome(lambda: getattr(records[int(path[1])], attribute_name(path[2])))
    assert isinstance(error, tuple), found
    assert found[1].endswith(error[1].removeprefix(error[2])), (found, error)
    return error[0], *found[1:3], error[3]


def inputs(folder: Path) -> Iterator[bytes]:
    """Return sample files, noise, and bytes so small that they make sense as sizes."""
    yield from (path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())
    rng = random.Random(1)
    yield from (rng.randbytes(rng.randrange(80)) for _ in range(40))
    yield from (bytes(rng.choices(range(4), k=rng.randrange(60))) for _ in range(20))


def imported(spec: Spec, scanners: str, folder: Path) -> tuple[ModuleType, ModuleType]:
    """Return the record and scanner modules of *spec*, with the records that it imports."""
    folder.mkdir()
    (folder / "__init__.py").touch()
    specs, texts = [spec], {f"{spec.name}_scan": scanners}
    while specs:
        each = specs.pop()
        if each.name not in texts:
            texts[each.name] = emit(each, each.name)
            specs += each.imports
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    sys.path.insert(0, str(folder.parent))
    try:
        records, scans = (f"{folder.name}.{spec.name}{end}" for end in ("", "_scan"))
        return import_module(records), import_module(scans)
    finally:
        sys.path.remove(str(folder.parent))


def reader_of(target: Target, spec: Spec, records: ModuleType) -> Callable[[bytes], Any]:
    """Return a function that reads the same records by their classes."""
    names, field = ClassNames(spec), target.field
    if target.owner is not None:
        owner = getattr(records, names.of(target.owner))
        return lambda data: getattr(owner.from_bytes(data), attribute_name(field.name)) or []
    cls = getattr(records, names.of(field.type.type))  # type: ignore[union-attr]

    def run(data: bytes) -> list[Any]:
        r = Reader(data)
        return [r.record(field.name, cls.read) for _ in r.to_end(field.name)]

    return run
