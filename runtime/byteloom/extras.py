"""The command that installs an extra of byteloom, from where byteloom itself was installed.

Installers note the place of a wheel or a checkout in ``direct_url.json``, and nothing if a package
comes from an index.

Source: https://packaging.python.org/en/latest/specifications/direct-url/
"""

from __future__ import annotations

import json
from shlex import quote
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

__all__ = ["installing"]


def installing(extra: str) -> str:
    """Return the command that installs *extra*: ``pip install '/src/byteloom[spark]'``."""
    return f"pip install {quote(f'{_origin()}[{extra}]')}"


def _origin() -> str:
    """Return the path or URL that byteloom was installed from; its name if that was an index."""
    # Imported late: slow to load and seldom needed.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        noted = distribution("byteloom").read_text("direct_url.json")
        document: Any = json.loads(noted or "{}")
    except (PackageNotFoundError, ValueError):
        return "byteloom"
    url = document.get("url", "") if isinstance(document, dict) else ""
    if not isinstance(url, str) or not url:
        return "byteloom"
    parts = urlsplit(url)
    return url2pathname(parts.path) if parts.scheme == "file" else url
