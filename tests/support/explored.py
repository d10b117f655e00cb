"""Pages of the explorer, of files made here, as tests need them: served, or standing alone."""

from __future__ import annotations

import json
import re
from contextlib import closing, contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any

from byteloom import puffin
from byteloom.cli.explorer.contents import reading
from byteloom.cli.explorer.document import document_of
from byteloom.cli.explorer.excerpts import Excerpts
from byteloom.cli.explorer.server import Explorer
from byteloom.cli.formats import explain
from byteloom.cli.show import prepare
from byteloom.storage import open_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from byteloom.cli.report import Report

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
"""Text that would run in a page that takes text for HTML."""


def puffin_file(path: Path, *, text: str = "plain", size: int = 12) -> Path:
    """Write a Puffin file of one blob of *size* bytes, whose type and property are *text*."""
    with puffin.PuffinWriter(path, properties={"note": text}) as writer:
        data = bytes(each % 251 for each in range(size))
        writer.add(type=text, data=data, fields=[1], snapshot_id=1, sequence_number=1)
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
        report_on(path) as report,
        Explorer(document_of(report, Excerpts()), reading(report), port=0) as server,
    ):
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
