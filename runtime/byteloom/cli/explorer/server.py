"""A server of one page to one person on this machine, and the folded runs that the page asks for.

- It listens on 127.0.0.1 only, and answers only if the path begins with a token that nobody
  else knows and the name of the host is this machine's, so that no other page can ask through a
  browser.
- It reads the file and writes nothing.
- A folded run is not kept in memory: a request for a part of it, some hundred fields, reads the
  file once more, by the same rules, with a window where the part is.
"""

from __future__ import annotations

import re
import secrets
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from byteloom.cli.explorer.document import Shapes, document_of
from byteloom.cli.explorer.page import MOST_SHOWN, PAGE, SERVED, page_of
from byteloom.cli.printing.report import prepare
from byteloom.cli.printing.value_text import json_text
from byteloom.errors import ByteloomError
from byteloom.wire.nodes import Folding, Window

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.cli.explorer.document import Excerpts
    from byteloom.cli.printing.report import Report
    from byteloom.wire import Node

__all__ = ["Explorer", "Runs"]


class _Run(NamedTuple):
    """A folded run.

    windows  the windows that it is in, the outermost first: none for a run of the page itself
    number   its number among the runs of a read with these windows
    """

    windows: tuple[Window, ...]
    number: int


class Runs:
    """The folded runs of one page, by the numbers that the page knows them by."""

    def __init__(self, explain: Callable[[Folding], Report], excerpts: Excerpts) -> None:
        """Read by *explain*, whose trees fold as it is asked."""
        self._explain, self._excerpts = explain, excerpts
        self._numbers: dict[_Run, int] = {}
        self._runs: list[tuple[_Run, int]] = []  # each with what it folds

    def document(self, report: Report, folding: Folding) -> dict[str, Any]:
        """Return what the page shows of *report*, whose trees were folded by *folding*."""
        return document_of(report, self._excerpts, self._numbering((), folding))

    def fields(self, number: int, skip: int) -> dict[str, Any] | None:
        """Return the fields of run *number* after the first *skip*, and the lines of their specs.

        None  where there is no such run, or the file does not have it any more
        """
        if number >= len(self._runs) or skip >= self._runs[number][1]:
            return None
        run, size = self._runs[number]
        count = min(size - skip, MOST_SHOWN)
        windows = (*run.windows, Window(run.number, skip, count))
        folding = Folding(windows=windows)
        prepare(self._explain(folding))
        if folding.shown is None or len(folding.shown[1]) < count:
            return None
        above, nodes = folding.shown
        shapes = Shapes(self._excerpts, self._numbering(windows, folding))
        return {"nodes": [shapes.of(each, above.record) for each in nodes], "lines": shapes.lines}

    def _numbering(
        self, windows: tuple[Window, ...], folding: Folding
    ) -> Callable[[Node], int | None]:
        """Return the function that numbers the nodes of folded runs; None for other nodes."""
        places = {id(node): at for at, node in enumerate(folding.runs)}

        def number(node: Node) -> int | None:
            if id(node) not in places:
                return None
            run = _Run(windows, places[id(node)])
            if run not in self._numbers:
                self._numbers[run] = len(self._runs)
                self._runs.append((run, node.more))
            return self._numbers[run]

        return number


_HOST: Final = "127.0.0.1"
_PLAIN: Final = "text/plain; charset=utf-8"
_BYTES: Final = re.compile(r"bytes/([0-9]{1,9})/([0-9]{1,15})")
"""The path of a page of bytes: the number of the part, that of the page."""
_FIELDS: Final = re.compile(r"fields/([0-9]{1,9})/([0-9]{1,15})")
"""The path of folded fields: the number of the run, how many of its fields the page has."""

_Answer: TypeAlias = tuple[HTTPStatus, str, bytes]
"""Status, type and body."""

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # the rest is in the page's head
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Explorer(ThreadingHTTPServer):
    """Serves the page of one document, and the bytes that it asks for."""

    daemon_threads = True

    def __init__(
        self,
        document: dict[str, Any],
        read: Callable[[int, int, int], bytes],
        fields: Callable[[int, int], dict[str, Any] | None],
        *,
        port: int,
    ) -> None:
        """Listen, on a free port where *port* is 0; `OSError` where it is taken.

        read    fetches bytes: the number of the part, the offset, the size
        fields  fetches folded fields: the number of the run, how many of its fields to skip
        """
        super().__init__((_HOST, port), _Handler)
        self._base = f"/{secrets.token_urlsafe(16)}/"
        self._page = page_of(document, SERVED).encode()
        self._parts = document["parts"]
        self._read, self._fields_of, self._lock = read, fields, Lock()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{_HOST}:{self.server_address[1]}{self._base}"

    def answer(self, host: str, path: str) -> _Answer:
        """Return the status, the type and the body for a request."""
        port = self.server_address[1]
        secret, rest = path[: len(self._base)], path[len(self._base) :]
        known = host in {f"{_HOST}:{port}", f"localhost:{port}"}
        if not known or not secrets.compare_digest(secret.encode(), self._base.encode()):
            return _nothing("There is nothing here.")
        if not rest:
            return HTTPStatus.OK, "text/html; charset=utf-8", self._page
        for form, answer in ((_BYTES, self._bytes), (_FIELDS, self._fields)):
            if numbers := form.fullmatch(rest):
                return self._locked(answer, *map(int, numbers.groups()))
        return _nothing("No such page.")

    def _locked(self, answer: Callable[[int, int], _Answer], *numbers: int) -> _Answer:
        """Return one answer at a time; an error of reading is its body."""
        try:
            with self._lock:
                return answer(*numbers)
        except ByteloomError as error:
            return HTTPStatus.INTERNAL_SERVER_ERROR, _PLAIN, str(error).encode()

    def _bytes(self, number: int, page: int) -> _Answer:
        """Return one page of bytes of a part."""
        part = self._parts[number] if number < len(self._parts) else None
        if part is None or page * PAGE >= part["size"]:
            return _nothing("There are no such bytes.")
        size = min(PAGE, part["size"] - page * PAGE)
        data = self._read(number, part["start"] + page * PAGE, size)
        return HTTPStatus.OK, "application/octet-stream", data

    def _fields(self, run: int, skip: int) -> _Answer:
        """Return some of the fields of a folded run."""
        found = self._fields_of(run, skip)
        if found is None:
            return _nothing("There are no such fields, or the file has changed.")
        return HTTPStatus.OK, "application/json", json_text(found).encode()


def _nothing(why: str) -> _Answer:
    return HTTPStatus.NOT_FOUND, _PLAIN, why.encode()


class _Handler(BaseHTTPRequestHandler):
    """Writes the answers of an `Explorer`."""

    server: Explorer
    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds for a request to come, so that an idle connection ends

    def do_GET(self) -> None:
        """Answer."""
        status, kind, body = self.server.answer(self.headers.get("Host", ""), self.path)
        with suppress(ConnectionError):  # the page was closed meanwhile
            self.send_response(status)
            for name, value in {**_HEADERS, "Content-Type": kind}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def version_string(self) -> str:
        """Return the header ``Server``, which does not reveal the version of Python."""
        return "byteloom"

    def log_message(self, *_: object) -> None:
        """Log nothing: nobody needs the requests of one page."""
