"""Texts without the secrets in them: what errors, reprs and the command line show.

Three things count as secrets:

- user info in a URL (``s3://KEY:SECRET@bucket``), but not the container of an Azure URL;
- parameters of a URL that sign it or grant access (``X-Amz-Signature``, ``sig``, ``token``);
- the value of a property whose name says so (``s3.secret-access-key``, ``hive.password``), and of
  every ``adls.*`` property, whose names also have accounts in them.

Data is never changed: attributes and columns have paths and properties as they are.
"""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

__all__ = [
    "MAY_HIDE",
    "REDACTED",
    "Properties",
    "RedactedRepr",
    "SchemaMetadata",
    "is_secret",
    "redacted",
    "shown_cause",
    "without_secrets",
]

REDACTED: Final = "***"
"""What is shown instead of a secret."""

_WORD: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")
_SECRETS: Final = frozenset({
    "password", "passwd", "pwd", "passphrase", "secret", "token", "credential", "credentials",
    "signature", "sig", "sas", "apikey", "accesskey", "secretkey", "privatekey", "authorization",
})  # fmt: skip
_KEYS: Final = frozenset({"access", "account", "api", "private", "secret", "shared", "signing"})
"""Words that make a key secret when they come right before the word ``key``."""

_URL: Final = re.compile(
    r"(?<![A-Za-z0-9+.-])(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://"
    r"(?P<user>[^/?#\s@\"'<>]+|[A-Z0-9]{16,}:[^@\s\"']+)@"
)
"""A URL up to its user info.  Amazon's keys may have slashes in them that should be
percent-encoded.
"""

_CONTAINERS: Final = frozenset({"abfs", "abfss", "wasb", "wasbs"})
_PARAMETER: Final = re.compile(
    r"(?P<start>[?&;](?P<name>[\w.%-]+)=)[^&;#\s\"'<>]+?(?=[:,)]{0,3}(?:[&;#\s\"'<>]|\Z))"
)
"""A parameter of a URL, without punctuation that follows the URL."""

_PROPERTY: Final = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]+)"
    r"(?P<between>(?:\\*[\"'])?\s*[:=]\s*\\*b?)"
    r"(?:(?P<quote>[\"'])(?:\\.|(?!(?P=quote))[^\\])*)",
    re.DOTALL,
)
"""A name and a quoted value; the name may be quoted, too."""

_PLAIN: Final = re.compile(
    r"(?<![\w.-])(?>(?P<parameter>(?<=[?&;]))?)(?P<name>[\w.-]+)(?P<between>\s*=\s*)"
    r"(?(parameter)(?!\*{3}))(?P<value>[^\s,;&\"'}\])]+?)(?=:?(?:[\s,;&\"'}\])]|\Z))"
)
"""A name and a value without quotes: only ``=`` makes a property of them.

The rest of a URL, after a parameter that is already hidden, is not part of its value.
"""

_INNER: Final = re.compile(r"(?<![\w.-])([\w.-]+)(?:=|%3[Dd])")
"""The name of a property inside the value of another one, as in ``q=token=secret``."""


MAY_HIDE: Final = f"(?i)@|adls|key|{'|'.join(sorted(_SECRETS))}"
"""A pattern that matches every text with a secret, and few others."""

_MAY_HIDE: Final = re.compile(MAY_HIDE)


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Return whether a property of this name holds a secret."""
    words = [each.lower() for each in _WORD.findall(name)]
    if words[:1] == ["adls"] and len(words) > 1:
        return True
    keys = (before in _KEYS for before, word in pairwise(words) if word == "key")
    return not _SECRETS.isdisjoint(words) or any(keys)


def redacted(text: str) -> str:
    """Return *text* with `REDACTED` in the place of each secret."""
    if _MAY_HIDE.search(text) is None:
        return text
    if "://" in text:
        text = _URL.sub(_without_user, text)
    if "=" in text:
        text = _PARAMETER.sub(_without_parameter, text)
        text = _PLAIN.sub(_without_property, text)
    if '"' in text or "'" in text:
        text = _PROPERTY.sub(_without_property, text)
    return text


def without_secrets(value: Any) -> Any:
    """Return a JSON value, or one like it, without the secrets in its texts and properties."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, list):
        return [without_secrets(each) for each in value]
    if isinstance(value, dict):
        return {
            key: REDACTED if _hides(key, each) else without_secrets(each)
            for key, each in value.items()
        }
    return value


def shown_cause(error: BaseException) -> BaseException | None:
    """Return *error* as the cause of another one; None if a traceback would show a secret of it."""
    link: BaseException | None = error
    while link is not None:
        if redacted(str(link)) != str(link):
            return None
        link = link.__cause__ or link.__context__
    return error


class Properties(dict[str, str]):
    """Properties whose repr has no secrets in it; their values are as they are."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The dict, with `REDACTED` in the place of each secret."""
        return repr(without_secrets(dict(self)))


class SchemaMetadata(dict[str, bytes]):
    """Metadata of an Arrow schema, whose repr has no secrets in it; its values are as they are."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The dict, with `REDACTED` in the place of each secret."""
        texts = without_secrets({key: each.decode("latin-1") for key, each in self.items()})
        return repr({key: each.encode("latin-1") for key, each in texts.items()})


class RedactedRepr:
    """A dataclass (``repr=False``) whose repr has no secrets in it."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Fields and values, as dataclasses show them."""
        shown = (each.name for each in fields(self) if each.repr)  # type: ignore[arg-type]
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return redacted(f"{type(self).__qualname__}({inside})")


def _hides(key: object, value: object) -> bool:
    return isinstance(value, str) and isinstance(key, str) and is_secret(key)


def _without_user(found: re.Match[str]) -> str:
    scheme, user = found["scheme"], found["user"]
    if scheme.lower() not in _CONTAINERS:
        return f"{scheme}://{REDACTED}@"
    container, colon, _ = user.partition(":")
    return f"{scheme}://{container}{colon}{REDACTED if colon else ''}@"


def _without_parameter(found: re.Match[str]) -> str:
    return f"{found['start']}{REDACTED}" if is_secret(found["name"]) else found[0]


def _without_property(found: re.Match[str]) -> str:
    if is_secret(found["name"]):
        return f"{found['name']}{found['between']}{found.groupdict().get('quote', '')}{REDACTED}"
    value = found.groupdict().get("value", "")
    for inner in _INNER.finditer(value):
        if is_secret(inner[1]):
            before = len(found[0]) - len(value)
            return f"{found[0][: before + inner.end()]}{REDACTED}"
    return found[0]
