"""REST catalogs that Java Iceberg serves, and a line to them that loses answers."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

from pyiceberg.catalog.rest import RestCatalog
from tests.support.java_tables import LiveTable

if TYPE_CHECKING:
    from tests.support.java_tables import JavaIceberg

    from byteloom.iceberg import Table

__all__ = ["Line", "RestServer", "line_to", "rest_catalog"]

_KEPT: Final = {"content-type", "accept"}


def rest_catalog(uri: str) -> RestCatalog:
    """Return pyiceberg's client of the server at a URI."""
    return RestCatalog("served", uri=uri)


class RestServer:
    """A REST catalog without tables, with a namespace ``shop``; Java answers for it."""

    def __init__(self, java: JavaIceberg, warehouse: Path) -> None:
        """Start it; the server that the same Java served before ends."""
        self._java = java
        self.port: int = java.order("serve", warehouse=warehouse)["port"]
        self.uri = f"http://127.0.0.1:{self.port}"
        self.catalog = rest_catalog(self.uri)
        self.catalog.create_namespace("shop")

    def java(self, table: Table) -> LiveTable:
        """Return a table as Java has it in the catalog now, to be read and changed by Java."""
        made = LiveTable(self._java, Path(table.metadata.location))
        made.order("load", table=table.name)
        return made


class Line:
    """Between a client and a server; what is planned for the next commits happens to them.

    Attributes:
        uri: Where the server seems to be.
        plan: For each of the next commits what becomes of it: ``lost`` (made, and the line dies),
            ``refused`` (the line dies before), ``late`` (made some time after the line has died),
            or a status that is answered: alone in place of the commit, negative after it is made.
        commits: How many were asked for.
    """

    def __init__(self, uri: str) -> None:
        """Begin without a plan."""
        self.uri = uri
        self.plan: list[str | int] = []
        self.commits = 0
        self.held: list[Callable[[], Any]] = []


@contextmanager
def line_to(port: int) -> Iterator[Line]:
    """Yield a line to the server at a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

        def handle_one(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            fate: str | int | None = None
            if self.command == "POST" and "/tables/" in self.path:
                line.commits += 1
                fate = line.plan.pop(0) if line.plan else None
            if fate == "late":
                line.held.append(lambda: self._passed_on(body))
            status, data = 0, b""
            if fate is None or fate == "lost" or (isinstance(fate, int) and fate < 0):
                status, data = self._passed_on(body)
            if isinstance(fate, str):
                self.close_connection = True
                return
            if fate is not None:
                status, data = (
                    abs(fate),
                    b'{"error":{"message":"m","type":"t","code":%d}}' % abs(fate),
                )
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_GET = do_HEAD = do_POST = do_DELETE = handle_one  # noqa: N815  names of the library

        def _passed_on(self, body: bytes) -> tuple[int, bytes]:
            headers = {key: each for key, each in self.headers.items() if key.lower() in _KEPT}
            with closing(http.client.HTTPConnection("127.0.0.1", port)) as to:
                to.request(self.command, self.path, body, headers)
                answer = to.getresponse()
                return answer.status, answer.read()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        line = Line(f"http://127.0.0.1:{server.server_port}")
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield line
        finally:
            server.shutdown()
