"""Modules of others that are imported when something of theirs is first used.

Each takes 3 to 80 milliseconds to import, where a command on a small file takes 100 in all and
needs few of them. A module of byteloom imports the name at its top, and uses it like the module
itself:

    from byteloom.late import pa
    ...
    return pa.table(columns)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "cramjam",
    "crc32c",
    "difflib",
    "isal_zlib",
    "llvm",
    "lz4_block",
    "lz4_frame",
    "lzallright",
    "numba",
    "pa",
    "pa_csv",
    "pa_dataset",
    "pa_fs",
    "pa_orc",
    "pc",
    "pq",
    "rich_filesize",
    "rich_progress",
    "rich_table",
    "rich_text",
    "tempfile",
    "zstandard",
]

if TYPE_CHECKING:
    import difflib
    import tempfile

    import cramjam
    import crc32c
    import llvmlite.binding as llvm
    import lz4.block as lz4_block
    import lz4.frame as lz4_frame
    import lzallright
    import numba
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pa_csv
    import pyarrow.dataset as pa_dataset
    import pyarrow.fs as pa_fs
    import pyarrow.orc as pa_orc
    import pyarrow.parquet as pq
    import rich.filesize as rich_filesize
    import rich.progress as rich_progress
    import rich.table as rich_table
    import rich.text as rich_text
    import zstandard
    from isal import isal_zlib
else:

    class _Late:
        """A module that is imported when one of its attributes is first asked for."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            """Return an attribute of the module, and keep it to be found at once next time."""
            if attribute.startswith("__"):  # asked for by what looks through a module's names
                raise AttributeError(attribute)
            found = getattr(import_module(self._name), attribute)
            setattr(self, attribute, found)
            return found

    cramjam = _Late("cramjam")
    crc32c = _Late("crc32c")
    difflib = _Late("difflib")
    isal_zlib = _Late("isal.isal_zlib")
    llvm = _Late("llvmlite.binding")
    lz4_block = _Late("lz4.block")
    lz4_frame = _Late("lz4.frame")
    lzallright = _Late("lzallright")
    numba = _Late("numba")
    pa = _Late("pyarrow")
    pa_csv = _Late("pyarrow.csv")
    pa_dataset = _Late("pyarrow.dataset")
    pa_fs = _Late("pyarrow.fs")
    pa_orc = _Late("pyarrow.orc")
    pc = _Late("pyarrow.compute")
    pq = _Late("pyarrow.parquet")
    rich_filesize = _Late("rich.filesize")
    rich_progress = _Late("rich.progress")
    rich_table = _Late("rich.table")
    rich_text = _Late("rich.text")
    tempfile = _Late("tempfile")
    zstandard = _Late("zstandard")
