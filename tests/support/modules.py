"""Modules generated from little specs, run at once."""

import linecache
import sys
from itertools import count
from types import ModuleType
from typing import Any

from byteloom_codegen.kaitaistruct.modules import emit_module as emit_drop_in
from byteloom_codegen.load import load_text
from byteloom_codegen.python.module import emit

__all__ = ["drop_in_of", "module_of", "read"]

_HEAD = "meta: {id: sample, endian: le, encoding: UTF-8}\n"
_numbers = count()


def module_of(text: str) -> ModuleType:
    """Compile a spec given as text, without its ``meta``, and run its module."""
    return _run(emit(load_text(_HEAD + text), "sample.ksy"))


def drop_in_of(text: str) -> ModuleType:
    """Do the same with the drop-in module of the spec."""
    return _run(emit_drop_in(load_text(_HEAD + text)))


def _run(source: str) -> ModuleType:
    module = ModuleType(f"sample_{next(_numbers)}")
    sys.modules[module.__name__] = module  # where dataclasses look names up
    lines = source.splitlines(keepends=True)
    linecache.cache[module.__name__] = len(source), None, lines, module.__name__
    exec(compile(source, module.__name__, "exec"), vars(module))  # noqa: S102  (the test)
    return module


def read(text: str, data: bytes) -> Any:
    """Read *data* with a spec given as text."""
    return module_of(text).Sample.from_bytes(data)
