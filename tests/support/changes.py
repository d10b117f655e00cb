"""Damage to drawn bytes: a byte is changed, left out or inserted, or the end is cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

__all__ = ["changed"]


@st.composite
def changed(draw: DrawFn, sound: SearchStrategy[bytes]) -> bytes:
    """Bytes of *sound* with one change."""
    data = draw(sound.filter(len))
    at, byte = draw(st.integers(0, len(data) - 1)), bytes((draw(st.integers(0, 255)),))
    return draw(
        st.sampled_from(
            (
                data[:at] + byte + data[at + 1 :],
                data[:at] + data[at + 1 :],
                data[:at],
                data[:at] + byte + data[at:],
            )
        )
    )
