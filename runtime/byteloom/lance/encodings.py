"""Parse the descriptions of how pages are encoded: messages, by their types.

Source: specs/lance/encodings20.proto, specs/lance/encodings21.proto, specs/lance/encodings26.proto,
specs/lance/encodings19.proto
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from byteloom.errors import ByteloomError, FormatError
from byteloom.lance.layouts19 import layout19
from byteloom.lance.layouts26 import layout26
from byteloom_generated.lance.encodings20 import ArrayEncoding
from byteloom_generated.lance.encodings21 import PageLayout

if TYPE_CHECKING:
    from byteloom.lance.column_metadata import Page
    from byteloom.limits import Limits

__all__ = [
    "ARRAY_ENCODING",
    "COLUMN_ENCODING",
    "EARLY_PAGE_LAYOUT",
    "PAGE_LAYOUT",
    "array_encoding",
    "array_encoding_of",
    "has_early_chunks",
    "layout_of",
    "page_layout",
]

ARRAY_ENCODING: Final = "/lance.encodings.ArrayEncoding"
EARLY_PAGE_LAYOUT: Final = "/lance.encodings.PageLayout"
"""The message type of layouts in 2.1 by releases 0.19 to 0.32, with other numbers before 0.26."""

PAGE_LAYOUT: Final = "/lance.encodings21.PageLayout"

COLUMN_ENCODING: Final = "/lance.encodings.ColumnEncoding"
"""The message type of how a column as a whole is encoded."""

_SHORT: Final = 1 << 9
"""Most bytes of a layout that other pages are likely to share: it has no table of symbols."""


def array_encoding(page: Page, limits: Limits) -> ArrayEncoding:
    """Return the encoding of a page of 2.0, and of 2.1 by releases 0.16 to 0.18."""
    _check_type(page, ARRAY_ENCODING)
    data = page.encoding.data
    try:
        return array_encoding_of(data, limits)
    except ByteloomError:  # parsed again for an error that names the page
        path = f"{page.path}.encoding"
        return ArrayEncoding.parse(data, limits=limits, origin=page.encoding_at, path=path)


def array_encoding_of(data: bytes, limits: Limits) -> ArrayEncoding:
    """Return the encoding *data*: for a short one that of an equal message; it must not be changed.

    Raises:
        FormatError: For damage, without a place.
    """
    known = _known_array_encoding if len(data) <= _SHORT else _known_array_encoding.__wrapped__
    return known(data, limits)


@lru_cache(maxsize=256)
def _known_array_encoding(data: bytes, limits: Limits) -> ArrayEncoding:
    return ArrayEncoding.parse(data, limits=limits)


def page_layout(page: Page, limits: Limits) -> PageLayout:
    """Return the layout of a page from 2.1 on."""
    kind, data = page.encoding
    if kind == PAGE_LAYOUT:
        try:
            return layout_of(data, limits)
        except ByteloomError:
            pass  # parsed again for an error that names the page
    path = f"{page.path}.encoding"
    if kind == EARLY_PAGE_LAYOUT:
        found = layout26(data, limits, page.at, path)
        return layout19(page, limits, path) if found is None else found
    _check_type(page, PAGE_LAYOUT)
    return PageLayout.parse(data, limits=limits, origin=page.encoding_at, path=path)


def layout_of(data: bytes, limits: Limits) -> PageLayout:
    """Return the layout *data*: for a short one that of an equal message; it must not be changed.

    Raises:
        FormatError: For damage, without a place.
    """
    known = _known_layout if len(data) <= _SHORT else _known_layout.__wrapped__
    return known(data, limits)


@lru_cache(maxsize=256)
def _known_layout(data: bytes, limits: Limits) -> PageLayout:
    return PageLayout.parse(data, limits=limits)


def has_early_chunks(page: Page, limits: Limits) -> bool:
    """Whether the chunks of a page have the form of releases 0.19 to 0.25."""
    if page.encoding.type != EARLY_PAGE_LAYOUT:
        return False
    return layout26(page.encoding.data, limits, page.at, page.path) is None


def _check_type(page: Page, wanted: str) -> None:
    if page.encoding.type != wanted:
        found = page.encoding.type or "no encoding"
        raise FormatError(f"{page.path}.encoding", page.at, found, wanted)
