"""Compiled templates are kept as Python keeps compiled modules: in ``__pycache__`` beside them.

To compile those that print records takes a fifth of the time that one spec takes.  What is kept
names the template's text, and the release of Python and of Jinja that compiled it; whatever differs
is compiled again.  A folder that cannot be written to is no error.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from pickle import UnpicklingError
from typing import TYPE_CHECKING, Final

from jinja2 import BytecodeCache, compiler

if TYPE_CHECKING:
    from jinja2.bccache import Bucket

__all__ = ["KeptTemplates"]

_COMPILER: Final = Path(compiler.__file__)


class KeptTemplates(BytecodeCache):
    """The compiled templates of one folder, for one set of options of their environment."""

    def __init__(self, folder: Path) -> None:
        """Take the folder that has the templates."""
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill *bucket* with a template that was kept; leave it as it is where there is none."""
        with suppress(OSError):
            kept = self._file(bucket).read_bytes()
            release = _release()
            if kept.startswith(release):
                with suppress(EOFError, ValueError, TypeError, UnpicklingError):
                    bucket.bytecode_from_string(kept[len(release) :])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the template in *bucket*."""
        if sys.dont_write_bytecode:
            return
        file = self._file(bucket)
        new = file.with_name(f".{file.name}.{os.getpid()}")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            new.write_bytes(_release() + bucket.bytecode_to_string())
            new.replace(file)

    def _file(self, bucket: Bucket) -> Path:
        return Path(cache_from_source(str(self._folder / f"{bucket.key}.jinja")))


def _release() -> bytes:
    """Return what differs between installed releases of Jinja."""
    found = _COMPILER.stat()
    return f"{found.st_size} {found.st_mtime_ns}\n".encode()
