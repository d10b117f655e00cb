"""Pages of the explorer, of files made here, as tests need them: served, or standing alone."""

from __future__ import annotations

import json
import re
from contextlib import closing, contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

from byteloom import puffin
from byteloom.cli.explorer.document import Excerpts, document_of, reading
from byteloom.cli.explorer.server import Explorer, Runs
from byteloom.cli.formats import explain
from byteloom.cli.formats.by_spec import report as describe_report
from byteloom.cli.inputs.compiled_specs import compiled
from byteloom.cli.printing.report import prepare
from byteloom.storage import open_source
from byteloom.wire import Folding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from byteloom.cli.printing.report import Report

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
"""Text that would run in a page that takes text for HTML."""


PAGE = 4096
"""Bytes that a page shows, embeds and fetches together."""

LISTS = """
meta: {id: lists, endian: be}
seq:
  - {id: lists, type: list, repeat: eos}
types:
  list:
    seq:
      - {id: text, type: strz, encoding: ASCII}
      - {id: count, type: u2}
      - {id: items, type: item, repeat: expr, repeat-expr: count}
  item:
    seq:
      - {id: value, type: u1}
"""
"""A spec of lists of items."""


def puffin_file(path: Path, *, text: str = "plain", size: int = 12) -> Path:
    """Write a Puffin file of one blob of *size* bytes, whose type and property are *text*."""
    with puffin.PuffinWriter(path, properties={"note": text}) as writer:
        data = (bytes(range(251)) * (size // 251 + 1))[:size]
        writer.add(type=text, data=data, fields=[1], snapshot_id=1, sequence_number=1)
    return path


def lists_file(path: Path, count: int, *, last: int = 0, text: bytes = b"") -> Path:
    """Write a file of *count* lists by `LISTS`: empty, but the last has *last* items and *text*."""
    ends = text + b"\0" + last.to_bytes(2, "big") + bytes(each % 251 for each in range(last))
    path.write_bytes(bytes(3 * (count - 1)) + ends)
    return path


@contextmanager
def report_on(path: Path) -> Iterator[Report]:
    """Give the report on a file, which is open until the block ends."""
    with closing(open_source(path)) as source:
        report = explain(source)
        prepare(report)
        yield report


def document_on(path: Path) -> dict[str, Any]:
    """Return what the page shows of a file."""
    with report_on(path) as report:
        return document_of(report, Excerpts())


def shown_in(html: str) -> dict[str, Any]:
    """Return the document that a page holds."""
    (text,) = re.findall(r'<script type="application/json" id="document">(.*?)</script>', html)
    found: dict[str, Any] = json.loads(text)
    return found


@contextmanager
def served(path: Path) -> Iterator[Explorer]:
    """Serve the page of a file until the block ends."""
    with (
        closing(open_source(path)) as source,
        _serving(lambda folding: explain(source, folding=folding), Excerpts()) as server,
    ):
        yield server


@contextmanager
def served_lists(path: Path) -> Iterator[Explorer]:
    """Serve the page of a file of lists until the block ends."""
    with _explained_lists(path) as (explained, excerpts), _serving(explained, excerpts) as server:
        yield server


def document_of_lists(path: Path, folding: Folding) -> dict[str, Any]:
    """Return what a page that stands alone shows of a file of lists."""
    with _explained_lists(path) as (explained, excerpts):
        report = explained(folding)
        prepare(report)
        return document_of(report, excerpts)


@contextmanager
def _explained_lists(path: Path) -> Iterator[tuple[Callable[[Folding], Report], Excerpts]]:
    """Give what explains a file of lists, and the lines of its spec."""
    spec = path.with_name("lists.ksy")
    spec.write_text(LISTS)
    with compiled(spec) as format_, closing(open_source(path)) as source:
        yield (
            lambda folding: describe_report(format_, source, {}, folding=folding),
            format_.excerpts(),
        )


@contextmanager
def _serving(explained: Callable[[Folding], Report], excerpts: Excerpts) -> Iterator[Explorer]:
    """Serve the page of a report until the block ends."""
    folding, runs = Folding(), Runs(explained, excerpts)
    report = explained(folding)
    prepare(report)
    document = runs.document(report, folding)
    with Explorer(document, reading(report), runs.fields, port=0) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
