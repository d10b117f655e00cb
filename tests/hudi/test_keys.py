"""Keys of Hudi's indexes: how they are composed, and to which file group each is assigned."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.slices import sliced

from byteloom import hudi
from byteloom.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
FILE = "f1-0_0-1-1_20260101000000000.parquet"


def java_hash(text: str) -> int:
    """Return Java's hash of a text, unit by unit of UTF-16."""
    raw = text.encode("utf-16-le")
    value = 0
    for at in range(0, len(raw), 2):
        value = (31 * value + int.from_bytes(raw[at : at + 2], "little")) & 0xFFFFFFFF
    return ctypes.c_int32(value).value


@given(st.lists(TEXT, max_size=8), st.integers(1, 5000))
def test_file_groups_follow_javas_hash(texts: list[str], groups: int) -> None:
    """Any text, even beyond the BMP, is assigned to the file group that Java calculates."""
    wanted = [abs(java_hash(text)) % groups for text in texts]
    assert hudi.keys.file_groups(texts, groups).tolist() == wanted


def test_the_hash_without_a_positive_twin() -> None:
    """The smallest integer has no positive counterpart: the remainder, not the hash, is negated."""
    assert java_hash("polygenelubricants") == -(1 << 31)
    assert [hudi.keys.file_group("polygenelubricants", n) for n in (1, 2, 3, 7, 1000)] == [
        0, 0, 2, 2, 648,
    ]  # fmt: skip


def test_columns_of_text_are_dealt_in_one_call() -> None:
    """Slices and chunks of Arrow columns give the file groups of their single texts."""
    column = pa.array(["not this", "a", "é", "東京", "😀001"])[1:]
    wanted = [hudi.keys.file_group(text, 10) for text in column.to_pylist()]
    for form in (column, pa.chunked_array([column[:2], column[2:]]), column.cast(pa.binary())):
        assert hudi.keys.file_groups(form, 10).tolist() == wanted


@given(st.none() | TEXT, TEXT)
def test_secondary_keys_come_apart_again(value: str | None, record: str) -> None:
    """Any value and record key, with escapes, NUL or null, survive a secondary key."""
    key = hudi.keys.secondary_key(value, record)
    assert hudi.keys.split_secondary_key(key) == (value, record)
    assert key.startswith(hudi.keys.secondary_prefix(value))


@given(st.lists(st.tuples(st.none() | TEXT, TEXT), max_size=9))
def test_many_secondary_keys_come_apart_in_one_call(pairs: list[tuple[str | None, str]]) -> None:
    """A column of secondary keys splits into a column of values and one of record keys."""
    values, records = hudi.keys.split_secondary_keys(
        [hudi.keys.secondary_key(*pair) for pair in pairs]
    )
    assert list(zip(values.to_pylist(), records.to_pylist(), strict=True)) == pairs


@pytest.mark.parametrize("key", ["", "no separator", "escaped\\$", "a$b\\"])
def test_what_is_no_secondary_key_is_refused(key: str) -> None:
    """A secondary key without a separator, or with an unfinished escape, is refused."""
    with pytest.raises(FormatError, match=r"key\[1\]"):
        hudi.keys.split_secondary_keys(["a$b", key])


@pytest.mark.parametrize("text", ["\ud800", b"\xff"])
def test_text_that_is_not_unicode_is_refused(text: str | bytes) -> None:
    """Half a surrogate pair and invalid UTF-8 are refused as keys."""
    given = pa.array([text]) if isinstance(text, bytes) else [text]
    with pytest.raises(FormatError, match="wanted text"):
        hudi.keys.file_groups(given, 4)


def test_no_groups_are_refused() -> None:
    """A number of file groups of 0 is refused."""
    with pytest.raises(FormatError, match="1 or more"):
        hudi.keys.file_groups(["a"], 0)


def test_keys_of_statistics_are_made_of_each_other() -> None:
    """A key of statistics joins those of column, partition and file; no partition is ``.``."""
    whole = hudi.keys.column_stats_key("id", "p0", FILE)
    assert whole == "sLZoasJosec=Z+KNMU8CLlo=8RAqTLv8LHL+pXy/ZOjlNQ=="
    assert (
        hudi.keys.partition_stats_key("id", "p0") + hudi.keys.bloom_filter_key("", FILE)[12:]
        == whole
    )
    assert hudi.keys.bloom_filter_key("", FILE) == hudi.keys.bloom_filter_key(".", FILE)
    assert (
        hudi.keys.expression_partition_stats_key("id", "p0")
        == "sLZoasJosec=2CMHrhWVE9w=Z+KNMU8CLlo="
    )


def test_file_ids_of_a_partitioned_record_index() -> None:
    """Characters that separate the parts of a file id are escaped in the partition."""
    assert hudi.keys.record_index_prefix("a=b/c_d-e") == "record-index-a%3Db%2Fc%5Fd%2De-"


@pytest.mark.parametrize(
    ("given", "because"),
    [
        ("abc", "keys: found 'abc', wanted a list of keys"),
        (b"abc", "keys: found b'abc', wanted a list of keys"),
        (5, "keys: found 5, wanted a list of keys"),
        (pa.array([1, 2]), "keys: found int64, wanted text"),
        (pa.array([True]).dictionary_encode(), "keys: found dictionary.*, wanted text"),
        ([1], "key: found 1, wanted text of valid Unicode"),
        ([None], "key: found None, wanted text of valid Unicode"),
    ],
)
def test_keys_are_a_list_of_text(given: Any, because: str) -> None:
    """A single text or numbers instead of a list of texts are refused as keys."""
    for function in (
        lambda: hudi.keys.file_groups(given, 10),
        lambda: hudi.keys.split_secondary_keys(given),
    ):
        with pytest.raises(FormatError, match=f"^{because}"):
            function()


@pytest.mark.parametrize("groups", [1.5, 10.0, None, "3", True, 0, -1])
def test_a_number_of_file_groups_is_a_whole_one(groups: Any) -> None:
    """The number of file groups is an integer from 1 up, of Python or of NumPy."""
    with pytest.raises(FormatError, match=r"^groups: found .*, wanted a number of file groups, 1"):
        hudi.keys.file_group("a", groups)
    number: Any = np.int32(10)
    assert hudi.keys.file_group("a", number) == hudi.keys.file_group("a", 10)


@pytest.mark.parametrize("text", [5, b"a", None, "\ud800"])
def test_parts_of_keys_are_text(text: Any) -> None:
    """Parts of keys are valid Unicode; only the value of a secondary key may be None."""
    makers: list[Callable[[], Any]] = [
        lambda: hudi.keys.secondary_key("v", text),
        lambda: hudi.keys.secondary_group("v", text, 10, version=2),
        lambda: hudi.keys.record_index_prefix(text),
        lambda: hudi.keys.escape_file_name(text),
        lambda: hudi.keys.column_stats_key(text, "p", "f"),
        lambda: hudi.keys.column_stats_key("c", text, "f"),
        lambda: hudi.keys.bloom_filter_key("p", text),
    ]
    if text is not None:
        makers += [
            lambda: hudi.keys.secondary_key(text, "k"),
            lambda: hudi.keys.secondary_prefix(text),
        ]
    for maker in makers:
        with pytest.raises(FormatError, match=r"^key: found .*, wanted text of valid Unicode"):
            maker()


def test_secondary_indexes_have_two_versions() -> None:
    """A secondary index has version 1 or 2; any other is refused."""
    with pytest.raises(FormatError, match=r"^version: found 3, wanted 1 or 2"):
        hudi.keys.secondary_group("v", "k", 10, version=3)


def test_keys_and_their_file_groups() -> None:
    """Each key of a slice is assigned to the same file group as alone."""
    texts = [f"é-{n}" * n for n in range(20)]
    found = hudi.keys.file_groups(sliced(pa.array(texts), nulls=False), 7)
    assert found.tolist() == [hudi.keys.file_group(text, 7) for text in texts]


def test_secondary_keys_that_come_apart() -> None:
    """Secondary keys of a slice split into the values, nulls included, and keys of that slice."""
    pairs = [(None if n % 4 == 1 else f"v$\\{n}", f"r-{n}") for n in range(21)]
    column = pa.array([hudi.keys.secondary_key(*pair) for pair in pairs])
    values, records = hudi.keys.split_secondary_keys(sliced(column, nulls=False))
    assert list(zip(values.to_pylist(), records.to_pylist(), strict=True)) == pairs


def test_secondary_groups_hash_the_whole_key_or_its_prefix() -> None:
    """Version 1 spreads the keys of a value over file groups; version 2 puts them into one."""
    records = [f"order-{number}" for number in range(100)]
    spread = {hudi.keys.secondary_group("NO", record, 10, version=1) for record in records}
    together = {hudi.keys.secondary_group("NO", record, 10, version=2) for record in records}
    assert spread == set(range(10))
    assert together == {hudi.keys.file_group(hudi.keys.secondary_prefix("NO"), 10)}


def test_secondary_groups_of_an_unknown_version_are_refused() -> None:
    """A version of the secondary index that hashes keys in an unknown way is an error."""
    with pytest.raises(FormatError, match="version: found 3, wanted 1 or 2"):
        hudi.keys.secondary_group("NO", "order-1", 10, version=3)
