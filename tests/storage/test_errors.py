"""Errors report the file, the place in it, what was found and what was wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from byteloom.errors import (
    ByteloomError,
    FormatError,
    StorageError,
    beginning,
    count_of_bytes,
    count_of_elements,
    found_by,
)

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (FormatError(), ""),
        (FormatError("a.b"), "a.b"),
        (FormatError("a.b", 0), "a.b at byte 0 (0x0)"),
        (FormatError("", 31), "at byte 31 (0x1f)"),
        (FormatError("a", None, b"x", "b"), "a: found b'x', wanted b"),
        (FormatError("a", None, "x"), "a: found x"),
        (FormatError("a", None, "", "b"), "a: wanted b"),
        (FormatError("", None, 0, "1"), "found 0, wanted 1"),
        (FormatError("a", 1, 2, "3").in_file("f"), "f: a at byte 1 (0x1): found 2, wanted 3"),
        (FormatError("a").inside("r"), "r.a"),
        (FormatError("").inside("r"), "r"),
        (FormatError("[3].a").inside("r"), "r[3].a"),
    ],
)
def test_an_error_has_only_the_parts_that_are_known(error: FormatError, text: str) -> None:
    """An error is one line of the parts that are known, and its repr adds the class."""
    assert str(error) == text
    assert repr(error) == f"FormatError({text!r})"


@pytest.mark.parametrize(("length", "is_whole"), [(500, True), (501, False)])
def test_what_was_found_is_shown_up_to_500_characters(length: int, is_whole: bool) -> None:
    """An error shows 500 characters of what was found and their number; its attribute has all."""
    error = FormatError("a", None, "x" * length)
    shown = "x" * length if is_whole else f"{'x' * 500}... ({length} characters)"
    assert (str(error), len(str(error.found))) == (f"a: found {shown}", length)


@pytest.mark.parametrize("depth", [1, 20, 21, 50])
def test_a_path_is_shown_up_to_20_names(depth: int) -> None:
    """An error shows eight names at each end of a path deeper than 20; its attribute has all."""
    names = [f"n{number}" for number in range(depth)]
    error = FormatError(".".join(names), 3)
    middle = [f"..({depth - 16} more).."]
    shown = ".".join(names if depth <= 20 else [*names[:8], *middle, *names[-8:]])
    assert error.where == f"{shown} at byte 3 (0x3)"
    assert error.path == ".".join(names)


@pytest.mark.parametrize(
    ("path", "is_named"),
    [
        ("a.bin", True),
        ("/data/a.bin", True),
        ("s3:a.bin", True),
        ("a.bin[0]", True),
        ("a.bin: more", True),
        ("a.bin at byte", True),
        ("a.bin.field", True),
        ("aa.bin", False),
        ("a.bing", False),
        ("axbin", False),
        ("", False),
    ],
)
def test_a_file_is_named_once(path: str, is_named: bool) -> None:
    """The name of the file is added to an error unless the path already begins with it."""
    error = FormatError(path).in_file("a.bin")
    assert error.file == (None if is_named else "a.bin")
    assert error.in_file("other").file == ("other" if is_named else "a.bin")


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (0, r"\x00"), (10, r"\n"), (31, r"\x1f"), (32, " "), (126, "~"), (127, r"\x7f"),
        (159, r"\x9f"), (160, "\xa0"),
    ],
)  # fmt: skip
def test_control_characters_are_escaped(code: int, shown: str) -> None:
    """Control characters, which names of files may contain, are escaped in every error."""
    assert str(StorageError(f"a{chr(code)}b")) == f"a{shown}b"
    assert str(FormatError(f"a{chr(code)}b")) == f"a{shown}b"


def test_errors_show_no_secrets() -> None:
    """A token is masked in the text and in the repr of an error."""
    for error in (ByteloomError("token=abc"), FormatError("a", None, "token=abc")):
        assert "abc" not in f"{error} {error!r}"
        assert "token=***" in str(error)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: count_of_bytes(0), "0 bytes"),
        (lambda: count_of_bytes(1), "1 byte"),
        (lambda: count_of_bytes(2), "2 bytes"),
        (lambda: count_of_elements(1), "1 element"),
        (lambda: count_of_elements(0), "0 elements"),
        (lambda: count_of_elements(2, 0), "2 elements of at least 0 bytes"),
        (lambda: count_of_elements(1, 1), "1 element of at least 1 byte"),
        (lambda: found_by("it", ValueError(" a\n b ")), "it (ValueError: a b)"),
        (lambda: found_by("it", KeyError()), "it (KeyError)"),
        (lambda: found_by("it", ValueError("x" * 300)), f"it (ValueError: {'x' * 300})"),
        (lambda: found_by("it", ValueError("x" * 301)), f"it (ValueError: {'x' * 300}…)"),
        (lambda: beginning(b"x" * 40), f"b'{'x' * 40}'"),
        (lambda: beginning(b"x" * 41), f"b'{'x' * 40}'…"),
        (lambda: beginning("x" * 5, 4), "'xxxx'…"),
        (lambda: beginning([1, 2], 6), "[1, 2]"),
        (lambda: beginning([1, 23], 6), "[1, 23…"),
    ],
)
def test_phrases_of_errors(call: Callable[[], str], text: str) -> None:
    """Counts of one are singular, and a library's message becomes a line of 300 characters."""
    assert call() == text
