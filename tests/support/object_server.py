"""A server of objects on this machine, which takes requests of clients of GCS and of Azure.

It knows what a table needs: objects are created, also under a condition, read, listed and deleted.
Containers need no creation. The first name of a path is the bucket; of Azure's paths it is the
account, and the second one the container. S3 has a server of its own: moto.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

__all__ = ["ACCOUNT", "object_server"]

ACCOUNT: Final = "devstoreaccount1"
"""The account of Azure's paths."""

_DATE: Final = "Mon, 30 Nov 2026 08:00:00 GMT"


class _Server(ThreadingHTTPServer):
    """The objects by their paths."""

    request_queue_size = 100

    def __init__(self, *, is_careless: bool) -> None:
        self.is_careless = is_careless
        super().__init__(("127.0.0.1", 0), _Handler)
        self.kept: dict[str, bytes] = {}
        self.lock = Lock()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_new = self.headers.get("x-goog-if-generation-match") == "0"
        is_azure = self.headers.get("If-None-Match") == "*"
        with self.server.lock:
            is_asked = (is_new or is_azure) and not self.server.is_careless
            if is_asked and self._key in self.server.kept:
                self._answer(409 if is_azure else 412)
                return
            self.server.kept[self._key] = data
        self._answer(201 if is_azure else 200, tag=data)

    def do_GET(self) -> None:
        query = {key: each[0] for key, each in parse_qs(urlsplit(self.path).query).items()}
        if "list-type" in query or query.get("comp") == "list":
            self._list(query)
            return
        data = self.server.kept.get(self._key)
        if data is None:
            self._answer(404)
            return
        part = self.headers.get("Range") or self.headers.get("x-ms-range")
        if part is None:
            self._answer(200, data, tag=data)
            return
        first, _, last = part.removeprefix("bytes=").partition("-")
        start = int(first) if first else len(data) - int(last)
        end = min(int(last) + 1 if first and last else len(data), len(data))
        where = f"bytes {start}-{end - 1}/{len(data)}"
        self._answer(206, data[start:end], tag=data, headers={"Content-Range": where})

    def do_HEAD(self) -> None:
        data = self.server.kept.get(self._key)
        self._answer(404 if data is None else 200, data or b"", tag=data)

    def do_DELETE(self) -> None:
        is_there = self.server.kept.pop(self._key, None) is not None
        self._answer(404 if not is_there else 202 if self._is_azure else 204)

    @property
    def _key(self) -> str:
        return unquote(urlsplit(self.path).path).strip("/")

    @property
    def _is_azure(self) -> bool:
        return self._key.startswith(f"{ACCOUNT}/")

    def _list(self, query: dict[str, str]) -> None:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter")
        names, folders = [], set()
        with self.server.lock:
            known = sorted(self.server.kept.items())
        for key, data in known:
            name = key.removeprefix(f"{self._key}/")
            if name == key or not name.startswith(prefix):
                continue
            rest = name[len(prefix) :]
            if delimiter and delimiter in rest:
                folders.add(f"{prefix}{rest.partition(delimiter)[0]}{delimiter}")
            else:
                names.append((name, data))
        text = (_azure if self._is_azure else _gcs)(names, sorted(folders))
        self._answer(200, f'<?xml version="1.0" encoding="utf-8"?>{text}'.encode())

    def _answer(
        self,
        status: int,
        data: bytes = b"",
        *,
        tag: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Last-Modified", _DATE)
        if tag is not None:
            self.send_header("ETag", _etag(tag))
        for key, each in (headers or {}).items():
            self.send_header(key, each)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


@contextmanager
def object_server(*, is_careless: bool = False) -> Iterator[str]:
    """Yield the URL of a server without objects; a careless one ignores conditions."""
    with _Server(is_careless=is_careless) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def _etag(data: bytes) -> str:
    return f'"{md5(data, usedforsecurity=False).hexdigest()}"'


def _gcs(names: list[tuple[str, bytes]], folders: list[str]) -> str:
    """Return a listing by the XML interface of GCS."""
    items = "".join(
        f"<Contents><Key>{escape(name)}</Key><LastModified>2026-11-30T08:00:00.000Z</LastModified>"
        f"<ETag>{escape(_etag(data))}</ETag><Size>{len(data)}</Size></Contents>"
        for name, data in names
    )
    below = "".join(
        f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in folders
    )
    return f"<ListBucketResult><IsTruncated>false</IsTruncated>{items}{below}</ListBucketResult>"


def _azure(names: list[tuple[str, bytes]], folders: list[str]) -> str:
    """Return a listing by the interface of Azure's blobs."""
    items = "".join(
        f"<Blob><Name>{escape(name)}</Name><Properties><Last-Modified>{_DATE}</Last-Modified>"
        f"<Content-Length>{len(data)}</Content-Length><Content-Type>x</Content-Type>"
        f"<Etag>{escape(_etag(data))}</Etag></Properties></Blob>"
        for name, data in names
    )
    below = "".join(f"<BlobPrefix><Name>{escape(each)}</Name></BlobPrefix>" for each in folders)
    return f"<EnumerationResults><Blobs>{items}{below}</Blobs><NextMarker/></EnumerationResults>"
