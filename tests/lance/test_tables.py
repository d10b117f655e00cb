"""The tables of versions and encodings agree with the messages and with what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from byteloom_generated.lance.encodings import (
    ARRAY_ENCODINGS,
    COMPRESSIVE_ENCODINGS,
    PAGE_LAYOUTS,
    VERSIONS,
    Encoding,
)
from byteloom_generated.lance.encodings20 import ArrayEncoding
from byteloom_generated.lance.encodings21 import CompressiveEncoding, PageLayout
from byteloom_generated.lance.tail import Version as Pair

if TYPE_CHECKING:
    from byteloom.documents.messages import Message

BETAS = range(14, 22)
"""Array encodings that only early files of 2.1 have."""


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (ARRAY_ENCODINGS, ArrayEncoding),
        (PAGE_LAYOUTS, PageLayout),
        (COMPRESSIVE_ENCODINGS, CompressiveEncoding),
    ],
)
def test_a_table_has_the_fields_of_its_message(
    table: tuple[Encoding, ...], message: type[Message]
) -> None:
    """A table of encodings has all fields of its message, by number and name."""
    fields = {each.number: each.name for each in message.made().DESCRIPTOR.fields}
    left = BETAS if message is ArrayEncoding else range(0)
    known = {number: name for number, name in fields.items() if number not in left}
    assert {each.number: each.name for each in table} == known
    versions = {each.name for each in VERSIONS} | {""}
    assert {each.since for each in table} <= versions


def test_pairs_are_those_of_the_layout() -> None:
    """The layout of a pair of numbers maps each pair of the table to its version."""
    for each in VERSIONS:
        for text in (each.file_pair.rpartition(" ")[2], each.manifest_pair):
            major, minor = map(int, text.split("/"))
            assert Pair(major=major, minor=minor).format == each.name
