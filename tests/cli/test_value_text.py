"""The command line shows values whole up to a length, and abridges longer ones."""

import pytest

from byteloom.cli.printing.value_text import counted, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"a" * 48, f'"{"a" * 48}"'),
        (b"a" * 49, f'"{"a" * 48}…"'),
        (b"\0" * 16, " ".join(["00"] * 16)),
        (b"\0" * 17, " ".join(["00"] * 16) + "…"),
        (b"a" * 47 + b"\0", " ".join(["61"] * 16) + "…"),
        (b"a" * 48 + b"\0", f'"{"a" * 48}…"'),
        (b"", ""),
        (b'TRABLK"$', r'"TRABLK\"$"'),
        (b"a\\b", r'"a\\b"'),
        ("é" * 48, repr("é" * 48)),
        ("é" * 49, repr("é" * 48) + "…"),
        ([1] * 16, f"[{', '.join('1' * 16)}]"),
        ([1] * 17, f"[{', '.join('1' * 16)}, …]"),
        (1234.5678, "1234.5678"),
        (2.0, "2.0"),
        (None, "None"),
    ],
)
def test_long_values_are_abridged(value: object, text: str) -> None:
    """Text is cut at 48 characters, bytes at 48 or at 16 in hex, lists at 16; numbers are whole."""
    assert shown(value) == text


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 blocks"), (1, "1 block"), (2, "2 blocks"), (1000, "1,000 blocks")]
)
def test_counts_have_their_plural(count: int, text: str) -> None:
    """A count has a plural noun, except for 1."""
    assert counted(count, "block") == text
