"""PyIceberg's Puffin reader on our files."""

from __future__ import annotations

import io
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.table.puffin import PuffinFile

from byteloom.puffin import PuffinWriter
from byteloom.puffin import open as open_puffin

text = st.text(st.characters(codec="utf-8"), max_size=10)
blobs = st.fixed_dictionaries(
    {
        "type": text,
        "data": st.binary(min_size=1, max_size=100),
        "fields": st.lists(st.integers(0, (1 << 31) - 1), max_size=3),
        "snapshot_id": st.integers(-1, (1 << 63) - 1),
        "sequence_number": st.integers(-1, (1 << 63) - 1),
        "compression": st.sampled_from([None, "zstd"]),
        "properties": st.dictionaries(text, text, max_size=2),
    }
)


@given(st.lists(blobs, max_size=4), st.dictionaries(text, text, max_size=2))
def test_pyiceberg_finds_what_we_wrote(
    wanted: list[dict[str, Any]], properties: dict[str, str]
) -> None:
    """PyIceberg reads the metadata and contents of our Puffin files, in the codecs that it has."""
    file = io.BytesIO()
    with PuffinWriter(file, properties=properties) as writer:
        for each in wanted:
            writer.add(**each)
    theirs, ours = PuffinFile(file.getvalue()), open_puffin(file)
    assert theirs.footer.properties == ours.properties
    assert len(theirs.footer.blobs) == len(wanted)
    for their_blob, our_blob, each in zip(theirs.footer.blobs, ours.blobs, wanted, strict=True):
        names = ["type", "fields", "snapshot_id", "sequence_number", "offset", "length"]
        assert [getattr(their_blob, name) for name in names] == [
            getattr(our_blob, name) for name in names
        ]
        assert their_blob.compression_codec == our_blob.compression_codec
        assert their_blob.properties == our_blob.properties
        assert theirs.get_blob_payload(their_blob) == each["data"]
