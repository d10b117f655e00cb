"""Generated code stays valid and well formatted, whatever the prose of a spec contains."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.tools import complaints

from byteloom_codegen.kaitaistruct import emit as emit_drop_in
from byteloom_codegen.load import load_text
from byteloom_codegen.python.module import emit

HOSTILE: Final = (
    '"', '""', '"""', '"a', 'a"', "'", "\\", "\\\\", "a\\", "\\N", "", " ", "\n", "\t", "a\tb",
    "\ta", "a\rb", "a\r\nb", "\r", "a\n\n\n\nb", "  a\n b", "a\n   b\n  c", "a\x0bb", "a\x0cb",
    "a\x85b", "a\u2028b", "a\xa0", "\xa0", "\u3000", "\ufeff", "a\x1b", "- a\n- b", "| a |\n\t| b",
    "x " * 60, "x" * 100, '"' * 90, "a\n\n    code\n\n    more\n", "# a", ">>> a", "a \\\nb",
    "\u200b", "\u202e", "e\u0301", "{{ a }}", "{% a %}", "\n\n    a\n", 'a\n"', "a\n\\", "    a",
    "- a\n\n\t- b\n", "\x7f", "a  \n  b  ",
)  # fmt: skip

FORMS: Final[dict[str, Callable[[str], str]]] = {
    "records": lambda text: emit(load_text(text), "sample.ksy"),
    "drop_in": lambda text: emit_drop_in(load_text(text))["sample.py"],
}


def spec(doc: str, reference: str) -> str:
    """Return a spec with *doc* and *reference* wherever prose may stand."""
    stated: dict[str, Any] = {"doc": doc, "doc-ref": reference}
    twice: dict[str, Any] = {"doc": doc, "doc-ref": [reference, reference]}
    text = {
        "meta": {"id": "sample", "title": doc},
        **twice,
        "params": [{"id": "p", "type": "u1", **stated}],
        "seq": [
            {"id": "n", "type": "u1", **stated},
            {"id": "a", "size": "n", **stated},
            {"id": "b", "type": "inner", **twice},
            {"id": "c", "type": "u1", "enum": "e", "if": "n > 0", **stated},
        ],
        "instances": {"v": {"value": "n + 1", **stated}, "w": {"pos": 0, "type": "u1", **twice}},
        "types": {"inner": {**stated, "seq": [{"contents": [1], **stated}]}, "empty": stated},
        "enums": {"e": {1: {"id": "one", **twice}, 2: {"id": "two"}}},
    }
    return yaml.safe_dump(text)


def wrong(texts: list[str], form: str, folder: Path) -> str:
    """Return what ruff would change in the modules of specs, or an empty text."""
    for number, text in enumerate(texts):
        source = FORMS[form](text)
        ast.parse(source)
        (folder / f"sample{number}.py").write_text(source, newline="")
    return complaints("format", folder)


@pytest.mark.parametrize("form", FORMS)
def test_known_traps_are_printed_as_a_formatter_leaves_them(form: str, tmp_path: Path) -> None:
    """Quotes, escapes and blanks in prose give code that a formatter leaves alone."""
    texts = [spec(doc, reference) for doc in HOSTILE for reference in ("a", doc)]
    assert not wrong(texts, form, tmp_path)


@pytest.mark.parametrize("form", FORMS)
@given(
    docs=st.lists(
        st.one_of(
            st.text(max_size=200),
            st.text(alphabet="\"'\\ \t\n\rab-|#", max_size=200),
            st.lists(st.sampled_from(HOSTILE), max_size=5).map("".join),
        ),
        min_size=8,
        max_size=8,
    )
)
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_prose_is_printed_as_a_formatter_leaves_it(
    form: str, docs: list[str], tmp_path: Path
) -> None:
    """Any text as prose gives a module that parses and that ruff leaves alone."""
    texts = [spec(doc, other) for doc, other in zip(docs, reversed(docs), strict=True)]
    assert not wrong(texts, form, tmp_path)
