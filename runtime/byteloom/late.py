"""Modules of others that are imported when something of theirs is first used.

Each takes 3 to 80 milliseconds to import, where a command on a small file takes 100 in all and
needs few of them. A module of byteloom imports the name at its top, and uses it like the module
itself:

    from byteloom.late import pa
    ...
    return pa.table(columns)

A facade whose methods need rooms of byteloom that most programs never enter names them by
`LateModule` in the same way.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = [
    "LateModule",
    "cramjam",
    "crc32c",
    "descriptor_pb2",
    "descriptor_pool",
    "difflib",
    "isal_zlib",
    "llvm",
    "lz4_block",
    "lz4_frame",
    "lzallright",
    "message_factory",
    "numba",
    "pa",
    "pa_csv",
    "pa_dataset",
    "pa_fs",
    "pa_orc",
    "pc",
    "pq",
    "protobuf_message",
    "rich_filesize",
    "rich_progress",
    "rich_table",
    "rich_text",
    "tempfile",
    "unknown_fields",
    "zstandard",
]


class LateModule:
    """A module that is imported when one of its attributes is first asked for."""

    def __init__(self, name: str) -> None:
        """Remember the module's full name."""
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        """Return an attribute of the module, and keep it to be found at once next time."""
        if attribute.startswith("__"):  # asked for by what looks through a module's names
            raise AttributeError(attribute)
        found = getattr(import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found


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
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, unknown_fields
    from google.protobuf import message as protobuf_message
    from isal import isal_zlib
else:
    cramjam = LateModule("cramjam")
    crc32c = LateModule("crc32c")
    descriptor_pb2 = LateModule("google.protobuf.descriptor_pb2")
    descriptor_pool = LateModule("google.protobuf.descriptor_pool")
    difflib = LateModule("difflib")
    isal_zlib = LateModule("isal.isal_zlib")
    llvm = LateModule("llvmlite.binding")
    lz4_block = LateModule("lz4.block")
    lz4_frame = LateModule("lz4.frame")
    lzallright = LateModule("lzallright")
    message_factory = LateModule("google.protobuf.message_factory")
    numba = LateModule("numba")
    pa = LateModule("pyarrow")
    pa_csv = LateModule("pyarrow.csv")
    pa_dataset = LateModule("pyarrow.dataset")
    pa_fs = LateModule("pyarrow.fs")
    pa_orc = LateModule("pyarrow.orc")
    pc = LateModule("pyarrow.compute")
    pq = LateModule("pyarrow.parquet")
    protobuf_message = LateModule("google.protobuf.message")
    rich_filesize = LateModule("rich.filesize")
    rich_progress = LateModule("rich.progress")
    rich_table = LateModule("rich.table")
    rich_text = LateModule("rich.text")
    tempfile = LateModule("tempfile")
    unknown_fields = LateModule("google.protobuf.unknown_fields")
    zstandard = LateModule("zstandard")
