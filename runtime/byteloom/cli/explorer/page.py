"""The page as one HTML file: nothing on it comes from elsewhere, and nothing else can run on it.

What a file holds reaches the page as JSON in a block that browsers do not run, and its script puts
it there as text, never as HTML.  The policy in the page's head lets just this script and this style
in, by their hashes.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, Final

from byteloom.cli.printing.value_text import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["MOST_SHOWN", "PAGE", "SERVED", "embedded", "page_of"]

PAGE: Final = 4096
"""Bytes that are shown, embedded and fetched together."""

SERVED: Final = {"url": "bytes", "fields": "fields"}
"""Where the page of a server fetches bytes and folded fields."""

MOST_SHOWN: Final = 300
"""Fields or records of a folded run that are fetched together."""

MOST_EMBEDDED: Final = 1024
"""Pages of bytes in an HTML file that stands alone: 4 MiB, a third more as text."""


def page_of(document: dict[str, Any], content: dict[str, Any]) -> str:
    """Return the page for a *document* of `document_of`.

    content  where the bytes are: `SERVED`, or ``{"pages": ...}`` by `embedded`
    """
    style, script = _asset("explorer.css"), _asset("explorer.js")
    connect = "'self'" if "url" in content else "'none'"
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)};"
        f" connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    return Template(_asset("explorer.html")).substitute(
        policy=policy,
        title=escape(document["file"]),
        style=style,
        script=script,
        document=_in_html({**document, "page": PAGE, "most": MOST_SHOWN, "content": content}),
    )


def embedded(
    document: dict[str, Any], read: Callable[[int, int, int], bytes]
) -> dict[str, dict[str, dict[str, str]]]:
    """Return the pages of bytes for an HTML file that stands alone, in base64, by part and number.

    read  fetches bytes: the number of the part, the offset, the size
    """
    pages: dict[str, dict[str, str]] = {}
    left = MOST_EMBEDDED
    for at, part in enumerate(document["parts"]):
        start, end = part["start"], part["start"] + part["size"]
        count = -(-part["size"] // PAGE)
        numbers = range(count) if count <= left else sorted(_wanted(part, left))
        left -= len(numbers)
        pages[str(at)] = {
            str(number): b64encode(
                read(at, first := start + number * PAGE, min(PAGE, end - first))
            ).decode("ascii")
            for number in numbers
        }
    return {"pages": pages}


def _wanted(part: dict[str, Any], most: int) -> set[int]:
    """Return the pages of a large part where its first fields begin and end, *most* at the most."""
    numbers: set[int] = set()
    for node in _leaves(part["nodes"]):
        for place in (node["s"], max(node["s"], node["e"] - 1)):
            if len(numbers) >= most:
                return numbers
            numbers.add((place - part["start"]) // PAGE)
    return numbers


def _leaves(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        if "c" in node:
            yield from _leaves(node["c"])
        elif node.get("p", True):
            yield node


def _in_html(document: dict[str, Any]) -> str:
    """Return *document* as JSON that cannot end the block of a page that it is in."""
    text = json_text(document)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
