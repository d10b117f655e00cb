"""Names and magics of HFile's blocks and entries are in its specs, and nowhere else in code.

What is compared are internal tables.
"""

from __future__ import annotations

from tests.support.literals import RUNTIME, literals

from byteloom.hfile import info_entries
from byteloom.hfile.blocks import MAGICS, TYPE_NAMES
from byteloom_generated.hfile.info_entries import INFO_ENTRIES

ROOMS = [*RUNTIME.glob("hfile/**/*.py"), *RUNTIME.glob("kernels/hfile_*.py")]


def test_magics_of_blocks_are_those_of_the_spec() -> None:
    """No module of the runtime spells out the magic of a block, as bytes or as a number."""
    magics: set[object] = {*MAGICS.values(), *TYPE_NAMES}
    assert b"DATABLK*" in magics
    assert not [path.name for path in RUNTIME.rglob("*.py") if literals(path) & magics]


PAIRS = {
    **dict.fromkeys(["hfile.AVG_KEY_LEN", "hfile.AVG_VALUE_LEN", "hfile.MAX_TAGS_LEN"], 4),
    **dict.fromkeys(["hfile.CREATE_TIME_TS", "hfile.LEN_OF_BIGGEST_CELL"], 8),
    **dict.fromkeys(["hfile.LASTKEY", "hfile.KEY_OF_BIGGEST_CELL", "hfile.TAGS_COMPRESSED"]),
    **dict.fromkeys(["DATA_BLOCK_ENCODING", "INDEX_BLOCK_ENCODING"]),
    "MAX_MEMSTORE_TS_KEY": 8,
    "KEY_VALUE_VERSION": 4,
    "EARLIEST_PUT_TS": 8,
    "TIMERANGE": None,
    "MAX_SEQ_ID_KEY": 8,
    "BLOOM_FILTER_TYPE": None,
    "BLOOM_FILTER_PARAM": 4,
    "LAST_BLOOM_KEY": None,
    "DELETE_FAMILY_COUNT": 8,
    "minRecordKey": None,
    "maxRecordKey": None,
    "bloomFilterTypeCode": None,
    "schema": None,
}
"""Names in HBase's and Hudi's source, and the bytes of those that are numbers."""


def test_entries_of_the_file_info_are_those_of_hbase_and_hudi() -> None:
    """The table of file info entries has every name in use, and the width of its number."""
    assert {each.name: each.size for each in INFO_ENTRIES} == PAIRS
    assert info_entries.numbers({b"KEY_VALUE_VERSION": 1, b"EARLIEST_PUT_TS": -2}) == {
        b"KEY_VALUE_VERSION": b"\0\0\0\1",
        b"EARLIEST_PUT_TS": b"\xff" * 7 + b"\xfe",
    }


def test_names_of_the_file_info_are_those_of_the_spec() -> None:
    """No module of `byteloom.hfile` spells out a name of the file info as bytes."""
    names: set[object] = {each.name.encode() for each in INFO_ENTRIES}
    assert not [path.name for path in ROOMS if literals(path) & names]
