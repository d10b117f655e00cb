"""Lines of reports equal those of rich's tables, at a fraction of their cost."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from byteloom.cli.printing.tree import _grid, _lines, cut, folded, print_lines, styled

TEXTS = st.text(st.sampled_from("ab 語é\u0301"), max_size=12)
LABELS = TEXTS.map("k".__add__)
PARTS = st.lists(st.tuples(TEXTS, st.sampled_from(["", "cyan", "dim"])), max_size=3)


def console(width: int, *, color: bool = False) -> Console:
    """Return a console that writes to memory."""
    system = "standard" if color else None
    return Console(file=io.StringIO(), width=width, color_system=system, force_terminal=color)  # type: ignore[arg-type]


def printed(out: Console) -> str:
    """Return what was written to a console of ours."""
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


@given(st.lists(st.tuples(LABELS, PARTS), max_size=4), st.integers(20, 80))
def test_labels_and_values_look_as_in_a_table(
    pairs: list[tuple[str, list[tuple[str, str]]]], width: int
) -> None:
    """Labels and values look as in rich's table, folded or not, with any characters."""
    ours, theirs = console(width), console(width)
    print_lines(folded(pairs, ours), ours)
    print_lines(_grid(pairs, theirs), theirs)
    assert printed(ours) == printed(theirs)


def test_lines_that_fit_are_not_given_to_a_table() -> None:
    """A value of exactly the width stays a line, and a longer one is folded."""
    out = console(10)
    assert len(folded([("key", [("12345", "")])], out)) == 1
    assert len(folded([("key", [("123456", "")])], out)) == 2
    assert "".join(part.text for part in folded([("key", [("1\n2", "")])], out)[0]) == r"key  1\n2"


def test_lines_end_where_the_console_does() -> None:
    """Lines that are too long are cut, and have no blanks at their end."""
    out = console(6)
    print_lines(
        [styled([("ab", "dim"), ("     cd", "")], out), styled([("語語語語", "")], out)], out
    )
    assert printed(out) == "ab\n語語語\n"


def test_styles_are_those_of_the_parts() -> None:
    """On a terminal, labels are dim and parts have their own style."""
    out = console(20, color=True)
    print_lines(folded([("k", [("v", "cyan")])], out), out)
    assert printed(out) == "\x1b[2mk  \x1b[0m\x1b[36mv\x1b[0m\n"


def test_a_cut_text_has_a_sign_and_is_one_line() -> None:
    """A text that is cut is one line, with a sign in its last cell."""
    assert [cut("abcd", width) for width in (4, 3, 1)] == ["abcd", "ab…", "…"]
    assert cut("語語", 3) == "語…"
    assert cut("a\nb\a", 9) == "a b"


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (1, ["ab,", "cde,", "f"]),
        (7, ["ab,", "cde, f"]),
        (8, ["ab, cde,", "f"]),
        (10, ["ab, cde,", "f"]),
        (11, ["ab, cde, f"]),
    ],
)
def test_terms_fill_lines_up_to_their_width(width: int, lines: list[str]) -> None:
    """A line has as many terms as fit with the comma after them, and at least one."""
    assert _lines(["ab", "cde", "f"], width) == lines
    assert _lines([], width) == []
