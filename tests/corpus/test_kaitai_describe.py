"""`describe` explains every sample file of the Kaitai project's own formats, whole and damaged."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from rich.console import Console
from tests.support.corpus import corpus_cases

from byteloom.cli.formats.by_spec import report
from byteloom.cli.inputs.compiled_specs import compiled
from byteloom.cli.options.specs import SpecParts
from byteloom.cli.printing.hexdump import segments
from byteloom.cli.printing.tree import print_report
from byteloom.errors import ByteloomError
from byteloom.storage import open_source
from byteloom.wire import Folding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from byteloom.cli.printing.report import Report
    from byteloom.wire import Node


ELSEWHERE = frozenset(
    {"opaque_external_type", "process_custom", "process_custom_no_args", "process_term_struct"}
)
"""Formats that need classes of the suite's own, which are not on the path here."""


def samples(folder: Path) -> Iterator[Any]:
    """Yield each format with the sample file that its assertions are about."""
    for path in sorted((folder / "spec" / "ks").glob("*.kst")):
        test = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)  # noqa: S506  (safe)
        pair = folder / "formats" / f"{test['id']}.ksy", folder / "src" / test["data"]
        if pair[0].is_file():
            yield pytest.param(pair, id=path.stem)


@corpus_cases("kaitai", samples)
def test_every_byte_is_explained_however_much_there_is(case: tuple[Path, Path]) -> None:
    """A file cut off anywhere has a report in all views, which lists each of its bytes once."""
    spec, file = case
    data = file.read_bytes()
    if spec.stem in ELSEWHERE:
        with pytest.raises(ByteloomError, match="found no module"), compiled(spec):
            pass
        return
    with compiled(spec, SpecParts([spec.parent / "ks_path"])) as format_:
        for size in {len(data), len(data) // 2, 1, 0}:
            hold(report(format_, open_source(data[:size]), {}, folding=Folding()))


def hold(found: Report) -> None:
    """Check that a report covers every byte and prints in all views."""
    assert covered(found.root) == found.source.size
    for part in found.decoded:
        assert covered(part.root) == len(part.load())
    json.dumps(found.json(), allow_nan=False)
    print_report(found, Console(file=io.StringIO(), width=1_000), depth=100, full=False)


def covered(root: Node) -> int:
    """Return the end of a dump after checking that it has no gaps and overlaps."""
    at = 0
    for part in segments(root):
        assert part.start == at
        at = part.end
    return at
