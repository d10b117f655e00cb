"""Describe encodings: the tree of a page's encoding on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ByteloomError
from byteloom.lance.encodings import (
    ARRAY_ENCODING,
    EARLY_PAGE_LAYOUT,
    PAGE_LAYOUT,
    has_early_chunks,
)
from byteloom_generated.lance import encodings19, encodings26
from byteloom_generated.lance.encodings20 import ArrayEncoding
from byteloom_generated.lance.encodings21 import PageLayout, RepDefLayer

if TYPE_CHECKING:
    from byteloom.documents.messages import Message
    from byteloom.lance.column_metadata import Page
    from byteloom.limits import Limits

__all__ = ["encoding_text"]

_KINDS: Final[dict[str, type[Message]]] = {
    ARRAY_ENCODING: ArrayEncoding,
    EARLY_PAGE_LAYOUT: encodings26.PageLayout,
    PAGE_LAYOUT: PageLayout,
}
_UNSAID: Final = frozenset(
    {"buffer", "symbol_table", "num_items", "num_visible_items", "num_buffers"}
)
"""Fields for places and sizes, which descriptions leave out."""

_PREFIX: Final = "REPDEF_"


def encoding_text(page: Page, limits: Limits) -> str:
    """Return how a page is encoded: ``nullable(no_nulls(flat(32)))``.

    Returns:
        The type of the encoding alone where it is unknown or damaged.
    """
    kind = _KINDS.get(page.encoding.type)
    if kind is None:
        return page.encoding.type or "none"
    try:
        if has_early_chunks(page, limits):
            kind = encodings19.PageLayout
        message = kind.parse(page.encoding.data, limits=limits)
    except ByteloomError:
        return f"{page.encoding.type} (damaged)"
    return _text(message)


def _text(message: Any) -> str:
    """Return a message as text: its fields, or the name of its variant with the fields of that."""
    oneofs = {each.name for group in message.DESCRIPTOR.oneofs for each in group.fields}
    is_choice = len(oneofs) == len(message.DESCRIPTOR.fields)
    parts = []
    for field, value in message.ListFields():
        name = field.name
        if name in _UNSAID or (name == "value" and field.message_type is None):
            continue
        if name == "layers":
            names = [
                RepDefLayer(each).name if each in list(RepDefLayer) else each for each in value
            ]
            text = ", ".join(str(each).removeprefix(_PREFIX).lower() for each in names)
            parts.append(f"layers=[{text}]")
        elif field.message_type is None:
            parts.append(_number(name, value))
        elif hasattr(value, "DESCRIPTOR"):
            inner = _text(value)
            parts.append(_named(name, inner, is_choice=is_choice))
        else:
            parts.append(f"{name}=[{', '.join(map(_item, value))}]")
    return ", ".join(parts)


def _item(message: Any) -> str:
    """Return a message in a list as text, in brackets if it has more than one field."""
    text = _text(message)
    return f"({text})" if len(message.ListFields()) > 1 else text


def _named(name: str, inner: str, *, is_choice: bool) -> str:
    if is_choice:
        return f"{name}({inner})" if inner else name
    if name in {"compression", "value"}:
        return inner
    return f"{name}={inner}" if inner else name


def _number(name: str, value: Any) -> str:
    """Return a number as text: alone if it is the width of a value, otherwise with its name."""
    if not isinstance(value, int | str | bool):
        value = list(value)
    return str(value) if name in {"bits_per_value", "scheme"} else f"{name}={value}"
