"""Check what the trailer and the file info state against the content of the file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from byteloom.errors import FormatError
from byteloom.hfile import info_entries
from byteloom.hfile.blocks import HEADER_SIZE, PLACES
from byteloom.hfile.info_entries import time_range
from byteloom.hfile.keys import row_of
from byteloom.hfile.trailer import SIZES, Trailer
from byteloom.hfile.verify.contents import Contents
from byteloom.hfile.verify.findings import Findings
from byteloom.hfile.verify.walk import FoundBlock

__all__ = [
    "check_counts",
    "check_fields",
    "check_file_info",
    "check_order",
    "check_previous",
    "check_sizes",
    "check_widths",
    "note_checksums",
]

_MINORS: Final = (0, 3)
_WORDS: Final = {
    *("org", "apache", "hadoop", "hbase", "hudi", "io", "storage", "common", "bootstrap", "index"),
    *("hfile", "util", "KeyValue", "CellComparator", "CellComparatorImpl", "Bytes"),
    *("HFileBootstrapIndex", "HoodieHFileReader", "HoodieHBaseKVComparator"),
}
"""Parts of the names of classes that order keys."""

_STORED: Final = tuple(
    f"org.apache.hadoop.hbase.KeyValue${name}Comparator" for name in ("KV", "Meta")
)
"""The names of the classes that HBase 2 stores."""

_AROUND: Final = (9, 21)
"""Bytes that Hudi counts for a cell besides its row and value: before 1.1, and since."""

_RANKS: Final = {
    "data": 0,
    "encoded_data": 0,
    "leaf_index": 0,
    "bloom_chunk": 0,
    "meta": 1,
    "intermediate_index": 2,
    "root_index": 3,
    "file_info": 4,
    "bloom_meta": 5,
    "delete_family_bloom_meta": 6,
}
"""The sections of a file, in their order, by the types of their blocks."""


def check_fields(
    trailer: Trailer, info: Mapping[bytes, bytes], findings: Findings, *, is_hbase: bool
) -> None:
    """Report absent fields that HBase always writes, unknown fields, and a misspelt class."""
    at = trailer.offset
    optional = {"encryption_key", "comparator_class_name"}  # reported with the trailer, if absent
    for name in sorted(trailer.absent - optional) if is_hbase else ():
        findings.add(f"trailer.{name}", at, "no such field", "one, as HBase always writes it")
    if trailer.minor not in _MINORS:
        findings.add("trailer.version.minor", at, trailer.minor, "0 or 3, as all writers have it")
    elif not trailer.minor and info_entries.BIGGEST_KEY in info:
        wanted = "3, as HBase writes with hfile.KEY_OF_BIGGEST_CELL"
        findings.add("trailer.version.minor", at, trailer.minor, wanted)
    for number in trailer.unknown:
        findings.add("trailer.fields", at, f"a field of number {number}", "1 to 13")
    name = trailer.comparator_class_name
    strange = set(name.replace("$", ".").split(".")[:-1]) - _WORDS
    if name and (strange or not name.startswith("org.apache.")):
        findings.add("trailer.comparator_class_name", at, name, "a class of HBase or Hudi")
    elif name and is_hbase and name not in _STORED:
        if name.startswith("org.apache.hudi."):
            note = f"made for Hudi: keys are ordered by {name}, which HBase does not have"
        else:
            note = f"keys ordered by {name}, a class name that HBase 2 does not use"
        findings.note(note)


def check_order(met: Sequence[FoundBlock], findings: Findings) -> None:
    """Report blocks that come after those of a later section."""
    highest = 0
    for each in met:
        rank = _RANKS.get(each.type, highest)
        if rank < highest:
            findings.add("block.magic", each.offset, each.type, "none after its section")
        highest = max(highest, rank)


def note_checksums(met: Sequence[FoundBlock], findings: Findings) -> None:
    """Note that damage in values goes unnoticed where blocks have no checksums."""
    kinds = {int(each.block.header.checksum_type) for each in met if each.block is not None}
    if 0 in kinds:
        findings.note("blocks without checksums: damage inside values goes unnoticed")


def check_previous(met: Sequence[FoundBlock], findings: Findings, *, is_hbase: bool) -> None:
    """Report wrong offsets of the previous block of a type; Hudi stores other values there."""
    before: dict[str, int] = defaultdict(lambda: -1)
    unknown = {each.offset for each in met if each.type == "unknown"}
    for each in met:
        wanted = before[each.type]
        before[each.type] = each.offset
        stated = each.block.header.ofs_previous if each.block is not None else wanted
        if stated == wanted or stated in unknown:
            continue
        if is_hbase or stated not in {each.offset, -1}:
            findings.add(
                "block.ofs_previous", each.offset + PLACES["ofs_previous"], stated, str(wanted)
            )
        elif stated == each.offset:
            findings.note("previous-block offsets are the blocks' own (Hudi up to 1.2)")


def check_counts(trailer: Trailer, contents: Contents, findings: Findings) -> None:
    """Check the number of cells, and where data begins and ends, against the data blocks."""
    at, parts = trailer.offset, contents.parts
    first, last = (parts[0].offset, parts[-1].offset) if parts else (None, None)
    stated = trailer.first_data_block_offset, trailer.last_data_block_offset
    findings.expect("trailer.first_data_block_offset", at, stated[0], first)
    findings.expect("trailer.last_data_block_offset", at, stated[1], last)
    if contents.is_complete:
        path, wanted = "trailer.entry_count", f"{contents.cells}, the number of cells"
        if trailer.entry_count != contents.cells:
            findings.add(path, at, trailer.entry_count, wanted)


def check_sizes(
    trailer: Trailer, met: Sequence[FoundBlock], contents: Contents, findings: Findings
) -> None:
    """Check the sums of sizes against the blocks; Hudi sums up keys and values instead."""
    if not contents.is_complete:
        return
    is_hbase = contents.is_hbase
    len_cells = contents.len_rows + contents.len_values
    sums = {len_cells + around * contents.cells for around in _AROUND}
    sizes = [(each.type, each.block.header.len_uncompressed) for each in met if each.block]
    roots = [size for kind, size in sizes if kind == "root_index"]
    below = [size for kind, size in sizes if kind in {"leaf_index", "intermediate_index"}]
    index = sum(below) + sum(roots[:1])
    stated = trailer.uncompressed_data_index_size
    if stated in sums and not is_hbase:
        findings.note("uncompressed_data_index_size counts keys and values (Hudi)")
    else:
        findings.expect("trailer.uncompressed_data_index_size", trailer.offset, stated, index)
    if is_hbase and trailer.total_uncompressed_bytes is not None:
        counted = [size + HEADER_SIZE for kind, size in sizes if kind != "intermediate_index"]
        total = sum(counted) - sum(size + HEADER_SIZE for size in roots[:1])
        wanted = total + SIZES[trailer.major]
        name = "trailer.total_uncompressed_bytes"
        findings.expect(name, trailer.offset, trailer.total_uncompressed_bytes, wanted)


def check_file_info(
    info: Mapping[bytes, bytes], at: int, contents: Contents, findings: Findings
) -> None:
    """Check the last key, the averages and the extremes against the cells.

    In Hudi's files the keys are rows.
    """
    if not contents.is_complete:
        return
    count = max(contents.cells, 1)
    last = contents.parts[-1].last if contents.parts else None
    if last and not contents.is_hbase:
        last = last[: 2 + len(row_of(last))]
    stated = info.get(info_entries.LAST_KEY)
    findings.expect("file_info.hfile.LASTKEY", at, stated or None, last)
    len_keys = contents.len_keys if contents.is_hbase else contents.len_rows
    wanted = {
        info_entries.AVERAGE_KEY: len_keys // count,
        info_entries.AVERAGE_VALUE: contents.len_values // count,
        info_entries.DELETED_FAMILIES: contents.deleted_families,
    }
    if contents.form.has_mvcc:
        wanted[info_entries.MOST_MVCC] = contents.mvcc
    if contents.form.has_tags:
        wanted[info_entries.MOST_TAGS] = contents.len_tags
    if contents.earliest_put is not None:
        wanted[info_entries.EARLIEST_PUT] = contents.earliest_put
    for name, value in wanted.items():
        if name in info:
            found = int.from_bytes(info[name], "big", signed=True)
            findings.expect(f"file_info.{name.decode()}", at, found, value)
    if contents.is_hbase:
        _check_sequence(info, at, findings)
        _check_times(info, at, contents, findings)


def check_widths(info: Mapping[bytes, bytes], at: int, findings: Findings) -> None:
    """Report numbers of the file info whose width is not the one that HBase reads."""
    for name, size in info_entries.SIZES.items():
        if name in info and len(info[name]) != size:
            path = f"file_info.{name.decode()}"
            findings.add(path, at, f"{len(info[name])} bytes", f"{size}, as HBase reads it")


def _check_sequence(info: Mapping[bytes, bytes], at: int, findings: Findings) -> None:
    """Check the number by which HBase orders files: of two cells with one key, it reads one."""
    name = info_entries.MOST_SEQUENCE
    number = int.from_bytes(info.get(name, b""), "big", signed=True)
    if number < 0:
        findings.add(f"file_info.{name.decode()}", at, number, "0 or more")


def _check_times(
    info: Mapping[bytes, bytes], at: int, contents: Contents, findings: Findings
) -> None:
    """Check that all cells are in the time range: HBase passes over a file by it."""
    stated, times = info.get(info_entries.TIME_RANGE), contents.times
    if stated is None:
        return
    path = f"file_info.{info_entries.TIME_RANGE.decode()}"
    try:
        first, last = time_range(stated)
    except FormatError as error:
        findings.add(path, at, error.found, "two numbers of 8 bytes")
        return
    if times is not None and not first <= times[0] <= times[1] <= last:
        wanted = f"{times[0]} to {times[1]} in it: HBase passes over cells of other times"
        findings.add(path, at, f"{first} to {last}", wanted)
