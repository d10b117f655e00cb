"""How many examples a property draws whose examples cost more, or less, than others'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["examples"]


def examples(share: float, **options: Any) -> Callable[[Any], Any]:
    """Draw *share* of the profile's number of examples, 2 at least.

    options  of hypothesis' settings, beside that
    """
    return settings(max_examples=max(2, round(settings().max_examples * share)), **options)
