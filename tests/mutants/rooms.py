"""The tests that belong to a file; the critical files, which read untrusted bytes or prune."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["is_critical", "is_drawn", "own_tests", "published", "room_of"]


def _iceberg(names: str) -> str:
    """The files of Iceberg's tests that are tried first; all others follow."""
    return " ".join(f"iceberg/test_{name}.py" for name in names.split()) + " | iceberg"


_TESTS: Final = {
    "runtime/byteloom/avro/*": (
        "avro parity/test_avro*.py iceberg/test_reading_avro.py iceberg/test_manifests.py"
        " | iceberg/test_reading_avro_limits.py hudi"
    ),
    "runtime/byteloom/cli/*": (
        "cli | hudi/test_queries.py hudi/test_audit.py codegen/test_compat.py"
        " codegen/test_messages.py codegen/test_reference.py iceberg/test_catalogs.py"
        " lance/test_as_of.py"
    ),
    "runtime/byteloom/hfile/*": "hfile parity/test_hfile*.py",
    "runtime/byteloom/hudi/*": "hudi",
    "runtime/byteloom/iceberg/expressions/*": _iceberg(
        "expressions* text literals pruning deep exact_edges row_group_stats values"
    ),
    "runtime/byteloom/iceberg/evolution/*": _iceberg("evolution evolving schema spec_data"),
    "runtime/byteloom/iceberg/file_types/*": _iceberg("file_types variants reading"),
    "runtime/byteloom/iceberg/manifests/*": _iceberg(
        "manifest* exact_edges hostile invalid_text new_fields untidy"
    ),
    "runtime/byteloom/iceberg/metadata/*": _iceberg("metadata* catalogs hostile schema"),
    "runtime/byteloom/iceberg/metadata_tables/*": _iceberg("metadata position_deletes docs"),
    "runtime/byteloom/iceberg/planning/*": _iceberg(
        "planning* manifest_pruning changelogs count* exact_edges metadata partitions"
    ),
    "runtime/byteloom/iceberg/reading/*": _iceberg(
        "reading* required row_group_stats slices small_files variants wide_files exact_edges"
    ),
    "runtime/byteloom/iceberg/transforms/*": _iceberg("transforms partitions slices spec_data"),
    "runtime/byteloom/iceberg/types/*": _iceberg("values schema spec_data file_types"),
    "runtime/byteloom/iceberg/values/*": _iceberg("values literals spec_data manifest_columns"),
    "runtime/byteloom/iceberg/verification/*": _iceberg("verify* untidy count* required"),
    "runtime/byteloom/iceberg/*": _iceberg("schema metadata text"),
    "runtime/byteloom/lance/*": "lance | parity/test_lance*.py",
    "runtime/byteloom/orc/*": "orc parity/test_orc.py iceberg/test_reading_orc*.py",
    "runtime/byteloom/parquet/*": "parquet iceberg/test_small_files.py",
    "runtime/byteloom/puffin/*": "puffin codecs parity/test_puffin.py",
    "runtime/byteloom/storage/*": "storage puffin/test_places.py",
    "runtime/byteloom/verification/hudi_*": "hudi/test_log*.py cli/test_hudi_logs.py",
    "runtime/byteloom/verification/*": "cli/test_verify.py iceberg/test_verify*.py hfile",
    "runtime/byteloom/native/intrinsics.py": "parity/test_lance_bit_packing.py native",
    "runtime/byteloom/native/*": "native parity/test_integers.py | columns wire codegen",
    **dict.fromkeys(
        ["runtime/byteloom/documents/json_record.py", "runtime/byteloom/documents/json_kinds.py"],
        "documents codegen/test_tables.py"
        " iceberg/test_published_tables.py"
        " iceberg/test_schema.py"
        " iceberg/test_metadata*.py"
        " | iceberg/test_spec_data.py iceberg/test_evolution*.py puffin",
    ),
    "runtime/byteloom/arrow/*": "arrow hfile lance iceberg",
    "runtime/byteloom/codecs/*": "codecs puffin parity/test_puffin.py hfile/test_codecs.py",
    "runtime/byteloom/columns/*": "columns wire scanners walks | codegen hfile",
    "runtime/byteloom/documents/*": "documents | codegen puffin hfile lance",
    "runtime/byteloom/editing/*": "editing | wire conformance/test_drawn_edits.py",
    "runtime/byteloom/files/*": "files puffin hfile",
    "runtime/byteloom/wire/*": (
        "wire editing columns parity/test_integers.py test_denial_of_service.py test_redaction.py"
        " | codegen puffin"
    ),
    "runtime/byteloom/kernels/hfile_*": (
        "parity/test_hfile*.py hfile/test_bloom.py hfile/test_encoded.py"
        " hfile/test_lookup.py hfile/test_seek.py | hfile"
    ),
    "runtime/byteloom/kernels/hudi.py": (
        "hudi/test_keys.py hudi/test_snapshot.py hudi/test_merge.py hudi/test_combine.py | hudi"
    ),
    "runtime/byteloom/kernels/parquet_*": (
        "parquet parity/test_parquet_footers.py | iceberg/test_small_files.py"
    ),
    "runtime/byteloom/kernels/avro_*": (
        "avro parity/test_avro*.py iceberg/test_reading_avro.py iceberg/test_manifests.py"
        " | iceberg/test_reading_avro_limits.py hudi"
    ),
    "runtime/byteloom/kernels/lance_*": "parity/test_lance*.py | lance",
    "runtime/byteloom/kernels/compressed_blocks.py": "avro parquet/test_codecs.py",
    "runtime/byteloom/kernels/orc_*": (
        "orc parity/test_orc.py | iceberg/test_reading_orc_stripes.py"
    ),
    "runtime/byteloom/kernels/thrift.py": "parquet parity/test_parquet_footers.py",
    "runtime/byteloom/kernels/manifests.py": "iceberg/test_manifest*.py iceberg/test_planning.py",
    "runtime/byteloom/kernels/variant*": "iceberg/test_variants.py parity/test_variants.py",
    "runtime/byteloom/kernels/kmv.py": "puffin/test_theta*.py",
    "runtime/byteloom/kernels/transforms.py": (
        "iceberg/test_transforms.py iceberg/test_partitions.py"
    ),
    "runtime/byteloom/kernels/murmur3*": "puffin/test_theta*.py",
    "runtime/byteloom/kernels/*": (
        "iceberg/test_transforms.py iceberg/test_spec_data.py iceberg/test_planning.py"
        " iceberg/test_reading_deletes.py"
        " iceberg/test_reading_dictionaries.py iceberg/test_exact_edges.py | iceberg puffin avro"
    ),
    "runtime/byteloom/*": ("storage wire files puffin test_house.py test_redaction.py"),
    "codegen/*": "codegen wire cli/test_generate.py conformance/test_formats.py",
    "specs/avro/*": (
        "codegen/test_vectors.py avro parity/test_avro_blocks.py"
        " | iceberg/test_reading_avro.py iceberg/test_manifests.py"
    ),
    "specs/hfile/hudi*": ("parity/test_hudi_logs.py hudi/test_log_verification.py | hudi"),
    "specs/hfile/*.proto": "documents/test_message_fields.py hfile",
    "specs/hfile/*": (
        "parity/test_hfile*.py hfile/test_damage.py hfile/test_encoded.py hfile/test_bloom.py"
        " codegen/test_vectors.py | hfile hudi"
    ),
    "specs/puffin/*": "puffin parity/test_puffin.py codegen/test_vectors.py",
    "specs/iceberg/*": _iceberg(
        "published_tables spec_data spec_page values file_types evolution transforms expressions*"
    ),
    "specs/lance/*.proto": "documents/test_message_fields.py lance",
    "specs/lance/*": "codegen/test_vectors.py parity/test_lance*.py | lance",
    "specs/orc/*": (
        "documents/test_message_fields.py orc parity/test_orc.py"
        " iceberg/test_reading_orc_stripes.py"
    ),
    "specs/parquet/*": "parquet parity/test_parquet_footers.py",
}
"""Files, folders and patterns below `tests`; the first pattern that fits a file of code decides.

What follows a bar is tried where nothing before it notices a fault.
"""

_REST: Final = "runtime/byteloom/*"
"""The pattern of what has no other."""

_PUBLISHED: Final = {
    "specs/iceberg/*.yaml": "iceberg/test_published_tables.py",
    "specs/parquet/*.yaml": "parquet/test_published_structs.py",
    "specs/lance/encodings.yaml": "lance/test_message_numbers.py",
    "specs/lance/*.proto": "lance/test_message_numbers.py",
    "specs/*/*.proto": "documents/test_message_fields.py",
}
"""Tests that compare whole tables, and messages, with what the format's own document says."""

_CRITICAL: Final = (
    "runtime/byteloom/avro/*",
    "runtime/byteloom/codecs/compression.py",
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


_UNDRAWN: Final = ("runtime/byteloom/spark/*",)
"""Files without faults: what Spark runs is imported by its own processes, which no fork reaches.

They take seconds to start, and where pyspark is not installed no test of theirs runs at all.
"""


def is_drawn(path: str) -> bool:
    """Return whether faults are put into a file."""
    return not any(fnmatch(path, pattern) for pattern in _UNDRAWN)


def room_of(path: str) -> str:
    """Return the pattern of *path*, a file below the root of the repository.

    A format without a pattern of its own, as a new one is, has the pattern of its folder.
    """
    room = next((pattern for pattern in _TESTS if fnmatch(path, pattern)), "")
    folder = path.rpartition("/")[0]
    if not room or (room == _REST and folder + "/*" != _REST):
        name = folder.rpartition("/")[2]
        if not room or (Path(__file__).parents[1] / name).is_dir():
            return f"{folder}/*"
    return room


def _tests_of(room: str) -> str:
    """Return the tests of a room; those of a format without a line are found by its name."""
    if room in _TESTS:
        return _TESTS[room]
    name = room.split("/")[-2]
    return f"codegen/test_vectors.py {name}" if room.startswith("specs/") else name


def own_tests(room: str, tree: Path) -> Iterator[list[str]]:
    """Yield lists of the files of a room's tests below *tree*, the nearest first."""
    yielded = set[str]()
    for part in _tests_of(room).split("|"):
        found = [each for name in part.split() for each in _files(tree / "tests", name)]
        names = [file.relative_to(tree).as_posix() for file in found]
        yield [name for name in dict.fromkeys(names) if name not in yielded]
        yielded.update(names)


def _files(folder: Path, name: str) -> list[Path]:
    """Return the files of tests that a file, a folder or a pattern names."""
    places = sorted(folder.glob(name))
    return [file for each in places for file in (sorted(each.rglob("test_*.py")) or [each])]


def published(path: str) -> str | None:
    """Return the test that compares a table with its format's document; None for other files."""
    found = (test for pattern, test in _PUBLISHED.items() if fnmatch(path, pattern))
    return next((f"tests/{test}" for test in found), None)


def is_critical(path: str) -> bool:
    """Whether a file reads untrusted bytes or decides what need not be read."""
    return any(fnmatch(path, pattern) for pattern in _CRITICAL)
