# Written by byteloom-codegen from specs/hfile/info_entries.yaml; do not edit.
# To change it, edit that file and generate again.
"""The file info is pairs of a name and a value, both bytes; writers may add pairs
of their own. Numbers are big-endian and signed. Names that begin with `hfile.`
are reserved for the writer of the file itself.

Source: https://hudi.apache.org/docs/hfile_format#file-info-block
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["INFO_ENTRIES", "InfoEntry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InfoEntry:
    """One entry."""

    id: str
    """Its name in code."""

    name: str
    """Its name in the file."""

    doc: str
    """What it says."""

    size: int | None = None
    """Bytes of a number; nothing for other values."""


INFO_ENTRIES: Final = (
    InfoEntry(
        id="last_key",
        name="hfile.LASTKEY",
        doc="The key of the last cell; of Hudi's files its row.",
    ),
    InfoEntry(
        id="average_key",
        name="hfile.AVG_KEY_LEN",
        size=4,
        doc="Bytes of a key, on average and rounded down; Hudi counts rows.",
    ),
    InfoEntry(
        id="average_value",
        name="hfile.AVG_VALUE_LEN",
        size=4,
        doc="Bytes of a value, on average and rounded down.",
    ),
    InfoEntry(
        id="created",
        name="hfile.CREATE_TIME_TS",
        size=8,
        doc="Milliseconds since 1970 when the file was begun.",
    ),
    InfoEntry(
        id="biggest_key",
        name="hfile.KEY_OF_BIGGEST_CELL",
        doc="The key of the cell with the most bytes; since HBase 2.",
    ),
    InfoEntry(
        id="biggest_size",
        name="hfile.LEN_OF_BIGGEST_CELL",
        size=8,
        doc="Bytes of that cell without its sequence number, and four more.",
    ),
    InfoEntry(
        id="most_tags",
        name="hfile.MAX_TAGS_LEN",
        size=4,
        doc="The most bytes of tags that a cell has. Cells have tags only if the entry is there.",
    ),
    InfoEntry(
        id="packed_tags",
        name="hfile.TAGS_COMPRESSED",
        doc="One byte, not 0 if the tags of encoded blocks refer to a dictionary.",
    ),
    InfoEntry(
        id="encoding",
        name="DATA_BLOCK_ENCODING",
        doc="The encoding of data blocks, by name; NONE if the entry is missing.",
    ),
    InfoEntry(
        id="index_encoding",
        name="INDEX_BLOCK_ENCODING",
        doc="The same for index blocks.",
    ),
    InfoEntry(
        id="most_mvcc",
        name="MAX_MEMSTORE_TS_KEY",
        size=8,
        doc="The largest sequence number. If it is 0, each cell has the one byte 0.",
    ),
    InfoEntry(
        id="mvcc_version",
        name="KEY_VALUE_VERSION",
        size=4,
        doc="1 if cells end in a sequence number.",
    ),
    InfoEntry(
        id="bloom_kind",
        name="BLOOM_FILTER_TYPE",
        doc="What the Bloom filter hashes: ROW, ROWCOL or ROWPREFIX_FIXED_LENGTH.",
    ),
    InfoEntry(
        id="bloom_prefix",
        name="BLOOM_FILTER_PARAM",
        size=4,
        doc="Bytes of a prefix of a row.",
    ),
    InfoEntry(
        id="bloom_last",
        name="LAST_BLOOM_KEY",
        doc="The last key that was added to the Bloom filter.",
    ),
    InfoEntry(
        id="deleted_families",
        name="DELETE_FAMILY_COUNT",
        size=8,
        doc="Cells that delete a family.",
    ),
    InfoEntry(
        id="earliest_put",
        name="EARLIEST_PUT_TS",
        size=8,
        doc="The earliest timestamp of a put.",
    ),
    InfoEntry(
        id="time_range",
        name="TIMERANGE",
        doc="Between which times the cells are; HBase passes over the file where others are asked for.",
    ),
    InfoEntry(
        id="most_sequence",
        name="MAX_SEQ_ID_KEY",
        size=8,
        doc="The greatest sequence number of a write in the file, by which HBase orders files.",
    ),
    InfoEntry(
        id="hudi_first",
        name="minRecordKey",
        doc="The lowest record key of a file by Hudi.",
    ),
    InfoEntry(
        id="hudi_last",
        name="maxRecordKey",
        doc="The highest record key of a file by Hudi.",
    ),
    InfoEntry(
        id="hudi_bloom_kind",
        name="bloomFilterTypeCode",
        doc="The kind of Hudi's own Bloom filter, which is in a meta block.",
    ),
    InfoEntry(
        id="hudi_schema",
        name="schema",
        doc="The Avro schema of the values in a file by Hudi.",
    ),
)
"""What HBase writes, and what Hudi adds.

Source: https://hudi.apache.org/docs/hfile_format#file-info-block "File info"
"""
