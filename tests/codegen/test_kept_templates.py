"""Compiled templates are kept beside their text, as Python keeps compiled modules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from jinja2 import Environment, FileSystemLoader

from byteloom_codegen.python.templates import KeptTemplates

if TYPE_CHECKING:
    from pathlib import Path

    from jinja2.bccache import Bucket


@pytest.fixture(autouse=True)
def _keeping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)


def made(folder: Path, text: str) -> str:
    """Return what a new program prints with the template *text*."""
    (folder / "t.jinja").write_text(text)
    loader, cache = FileSystemLoader(folder), KeptTemplates(folder)
    environment = Environment(loader=loader, bytecode_cache=cache, autoescape=True)
    return environment.get_template("t.jinja").render(a=5)


def compiled_now(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a new program compiles the template *text*."""
    compiled = []

    def keep(cache: KeptTemplates, bucket: Bucket) -> None:
        compiled.append(bucket)
        dump(cache, bucket)

    dump = KeptTemplates.dump_bytecode
    with monkeypatch.context() as patched:
        patched.setattr(KeptTemplates, "dump_bytecode", keep)
        assert made(folder, text) == text.replace("{{ a }}", "5")
    return bool(compiled)


def test_a_template_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next program takes the compiled template from ``__pycache__``."""
    assert compiled_now(tmp_path, "is {{ a }}", monkeypatch)
    (kept,) = (tmp_path / "__pycache__").iterdir()
    assert sys.implementation.cache_tag in kept.name
    assert not compiled_now(tmp_path, "is {{ a }}", monkeypatch)


def test_another_text_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template that was changed is printed as it is now."""
    assert compiled_now(tmp_path, "is {{ a }}", monkeypatch)
    assert compiled_now(tmp_path, "was {{ a }}", monkeypatch)
    assert not compiled_now(tmp_path, "was {{ a }}", monkeypatch)


def test_another_jinja_compiles_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another release of Jinja compiled is not used."""
    assert compiled_now(tmp_path, "is {{ a }}", monkeypatch)
    other = tmp_path / "compiler.py"
    other.write_text("another release")
    monkeypatch.setattr("byteloom_codegen.python.templates._COMPILER", other)
    assert compiled_now(tmp_path, "is {{ a }}", monkeypatch)
    assert not compiled_now(tmp_path, "is {{ a }}", monkeypatch)


@pytest.mark.parametrize("size", [0, 5, 40, 90, 150])
def test_a_kept_template_that_is_cut_off_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """A file that a full disk cut off does no harm."""
    assert compiled_now(tmp_path, "is {{ a }}", monkeypatch)
    (kept,) = (tmp_path / "__pycache__").iterdir()
    kept.write_bytes(kept.read_bytes()[:size])
    assert compiled_now(tmp_path, "is {{ a }}", monkeypatch)


def test_nothing_is_kept_where_python_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With PYTHONDONTWRITEBYTECODE no file is written."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert made(tmp_path, "is {{ a }}") == "is 5"
    assert [each.name for each in tmp_path.iterdir()] == ["t.jinja"]


def test_a_folder_that_takes_no_files_is_no_error(tmp_path: Path) -> None:
    """Templates are compiled each time where ``__pycache__`` cannot be made."""
    (tmp_path / "__pycache__").write_text("a file")
    assert made(tmp_path, "is {{ a }}") == "is 5"
    assert made(tmp_path, "is {{ a }}") == "is 5"
