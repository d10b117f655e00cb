"""Which tests are a file's own, and which files read untrusted bytes or prune."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Final

__all__ = ["is_compiled", "is_critical", "own_tests", "published", "room_of"]

_TESTS: Final = {
    "runtime/byteloom/avro/*": "avro iceberg/test_reading_avro.py hudi",
    "runtime/byteloom/cli/*": "cli",
    "runtime/byteloom/hfile/*": "hfile parity",
    "runtime/byteloom/hudi/*": "hudi",
    "runtime/byteloom/iceberg/*": "iceberg",
    "runtime/byteloom/lance/*": "lance",
    "runtime/byteloom/orc/*": "orc iceberg/test_reading_orc.py iceberg/test_reading_orc_stripes.py",
    "runtime/byteloom/parquet/*": "parquet iceberg/test_small_files.py",
    "runtime/byteloom/puffin/*": "puffin",
    "runtime/byteloom/storage/*": "storage puffin/test_places.py",
    "runtime/byteloom/wire/*": "wire codegen puffin test_denial_of_service.py",
    "runtime/byteloom/kernels/hfile_*": "hfile parity",
    "runtime/byteloom/kernels/hudi_*": "hudi",
    "runtime/byteloom/kernels/parquet_*": "parquet parity iceberg/test_small_files.py",
    "runtime/byteloom/kernels/avro_*": "avro iceberg hudi",
    "runtime/byteloom/kernels/lance_*": "lance parity",
    "runtime/byteloom/kernels/orc_*": "orc iceberg/test_reading_orc_stripes.py",
    "runtime/byteloom/kernels/thrift.py": "parquet parity",
    "runtime/byteloom/kernels/*": "iceberg puffin avro",
    "runtime/byteloom/*": "storage wire puffin hfile/test_codecs.py test_house.py",
    "codegen/*": "codegen wire cli/test_generate.py conformance/test_formats.py",
    "specs/hfile/*": "wire/test_message_fields.py hfile hudi parity codegen/test_vectors.py",
    "specs/puffin/*": "puffin codegen/test_vectors.py",
    "specs/iceberg/*": "iceberg",
    "specs/lance/*": "wire/test_message_fields.py lance codegen/test_vectors.py",
    "specs/orc/*": "wire/test_message_fields.py orc iceberg/test_reading_orc_stripes.py",
    "specs/parquet/*": "parquet parity/test_parquet_footers.py",
}
"""The first pattern that fits a file decides."""

_PUBLISHED: Final = {
    "specs/iceberg/*.yaml": "iceberg/test_published_tables.py",
    "specs/parquet/*.yaml": "parquet/test_published_structs.py",
}
"""Tests that compare whole tables with what the format's own document says."""

_CRITICAL: Final = (
    "runtime/byteloom/avro/*",
    "runtime/byteloom/compression.py",
    "runtime/byteloom/hfile/[!w]*",
    "runtime/byteloom/hudi/logs.py",
    "runtime/byteloom/iceberg/expressions/*",
    "runtime/byteloom/iceberg/file_types/*",
    "runtime/byteloom/iceberg/manifests/*",
    "runtime/byteloom/iceberg/metadata/*",
    "runtime/byteloom/iceberg/planning/*",
    "runtime/byteloom/iceberg/reading/*",
    "runtime/byteloom/kernels/*",
    "runtime/byteloom/lance/*",
    "runtime/byteloom/orc/*",
    "runtime/byteloom/parquet/*",
    "runtime/byteloom/puffin/*",
    "runtime/byteloom/wire/*reader*.py",
    "runtime/byteloom/wire/message*.py",
    "specs/*",
)

_COMPILED: Final = ("runtime/byteloom/kernels/*", "runtime/byteloom/wire/*", "codegen/*", "specs/*")


def room_of(path: str) -> str:
    """Return the pattern of *path*, a file below the root of the repository."""
    return next(pattern for pattern in _TESTS if fnmatch(path, pattern))


def own_tests(room: str) -> list[str]:
    """Return the folders and files of the tests of a room."""
    return [f"tests/{each}" for each in _TESTS[room].split()]


def published(path: str) -> str | None:
    """Return the test that compares a table with the format's own document, None for no table."""
    found = (test for pattern, test in _PUBLISHED.items() if fnmatch(path, pattern))
    return next((f"tests/{test}" for test in found), None)


def is_compiled(path: str) -> bool:
    """Whether machine code may be made of a file, or code that machine code is made of."""
    return any(fnmatch(path, pattern) for pattern in _COMPILED)


def is_critical(path: str) -> bool:
    """Whether a file reads untrusted bytes or decides what need not be read."""
    return any(fnmatch(path, pattern) for pattern in _CRITICAL)
