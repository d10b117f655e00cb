"""The module that explains files of a format, which `byteloom.verification.formats` recognises.

To add one, write a module beside this one with the function of `Explainer`, called as the format
is; it is imported when a file of its format is met, and not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from byteloom.errors import FormatError, Truncated, with_article
from byteloom.files.kinds import EMPTY_FILE, WEB, kind_of
from byteloom.verification.formats import FORMATS, recognise
from byteloom.wire.nodes import Folding

if TYPE_CHECKING:
    from byteloom.cli.printing.report import Report
    from byteloom.storage import Source

__all__ = ["Encrypted", "Explainer", "explain"]


class Explainer(Protocol):
    """The interface of a format's module."""

    def explain(self, source: Source, *, folding: Folding) -> Report:
        """Return everything about the file; damage is kept in the report, never raised.

        folding  what its trees fold
        """


class Encrypted(Protocol):
    """The interface of the module of a format with encrypted files, for callers with a key."""

    def explain(self, source: Source, *, folding: Folding, key: bytes) -> Report:
        """Return everything about the file."""


def explain(
    source: Source,
    *,
    folding: Folding | None = None,
    key: bytes | None = None,
    command: str = "describe",
) -> Report:
    """Return everything about *source*; an unknown format is an error.

    folding  which nodes its trees fold; by default those past what is readable
    command  which one the error names, for files of formats that a spec describes
    """
    folding = folding or Folding()
    known, kind = recognise(source), kind_of(source)
    if known is None:
        *titles, last = (known.title for known in FORMATS)
        wanted = f"one of these: {', '.join(titles)} or {last}"
        other = f"of any other format, `byteloom {command} FILE --spec SPEC.ksy`"
        found = source.read(0, min(8, source.size)) if source.size else EMPTY_FILE
        raise FormatError(source.name, 0, kind or found, f"{wanted}; {other}")
    if source.size == 0:
        raise Truncated(source.name, None, EMPTY_FILE, with_article(known.title))
    if kind in WEB:
        raise FormatError(source.name, 0, kind, with_article(known.title))
    module = import_module(f"{__name__}.{known.name}")
    if key is None or not known.takes_key:
        return cast("Explainer", module).explain(source, folding=folding)
    return cast("Encrypted", module).explain(source, folding=folding, key=key)
