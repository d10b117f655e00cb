"""Specs: compiled to records and to the drop-in form; what compiles is run on a sound input."""

from __future__ import annotations

import sys
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

import yaml
from tests.fuzz.mutations import damaged_bytes, damaged_document, damaged_text
from tests.fuzz.seeds import Seed
from tests.support.strangers import inputs, specs

from byteloom.errors import ByteloomError, FormatError
from byteloom.wire import Record
from byteloom_codegen.errors import SpecError, SpecErrors
from byteloom_codegen.kaitaistruct.modules import emit as emit_drop_in
from byteloom_codegen.load import load_text
from byteloom_codegen.python.module import emit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from random import Random

__all__ = ["seeds"]


def seeds(folder: Path) -> Iterator[Seed]:
    """Yield the specs of the tests that need no other spec."""
    del folder
    given: dict[str, bytes] = {}
    for name, data in inputs():
        given.setdefault(name, data)
    for path in specs():
        text = path.read_text(encoding="utf-8")
        if "imports:" not in text and "process:" not in text:
            reader = _Reader(given.get(path.stem, b""))
            yield Seed(path.stem, text.encode(), reader.read, damages=(_values, _lines, _lines))


def _values(chance: Random, text: bytes) -> bytes:
    """Return a spec with other values in its tree."""
    changed = damaged_document(chance, yaml.safe_load(text))
    try:
        return yaml.safe_dump(changed, sort_keys=False, allow_unicode=True).encode()
    except (UnicodeError, ValueError):  # a lone surrogate, a number of too many digits
        return damaged_bytes(chance, text)


def _lines(chance: Random, text: bytes) -> bytes:
    """Return a spec with a line dropped, doubled, moved in or out, or changed inside."""
    lines = text.decode().split("\n")
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(6)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[other])
    elif kind == 2:
        lines[at] = "  " + lines[at] if chance.random() < 0.5 else lines[at].removeprefix("  ")
    elif kind == 3:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 4 and ":" in lines[at] and ":" in lines[other]:
        lines[at] = lines[at].split(":", 1)[0] + ":" + lines[other].split(":", 1)[1]
    else:
        lines[at] = damaged_text(chance, lines[at])
    return "\n".join(lines).encode("utf-8", "replace")


class _Reader:
    """Compiles a spec and reads *data* by it."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, raw: bytes) -> int:
        try:
            spec = load_text(raw.decode("utf-8", "replace"))
            text = emit(spec, "fuzzed.ksy", flat=True)
            drop_in = emit_drop_in(spec)
        except (SpecError, SpecErrors) as error:
            raise FormatError("spec", None, "a mistake", "a spec") from error
        for name, module in drop_in.items():
            compile(module, name, "exec")
        self._run(text)
        return 0

    def _run(self, text: str) -> None:
        module: Any = ModuleType("fuzzed")
        sys.modules["fuzzed"] = module  # where dataclasses look their types up
        try:
            exec(compile(text, "fuzzed.py", "exec"), module.__dict__)  # noqa: S102  under test
        except ModuleNotFoundError:  # a class that is written elsewhere
            return
        record = next((each for each in vars(module).values() if _is_record(each)), None)
        if record is not None:
            with suppress(ByteloomError):
                record.from_bytes(self._data)


def _is_record(each: Any) -> bool:
    """Whether *each* is a class of the module that can be read without arguments."""
    if not isinstance(each, type) or each.__module__ != "fuzzed":
        return False
    return issubclass(each, Record)
