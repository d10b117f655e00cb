"""Writing Puffin files: what they contain, and what is left after a failure."""

from __future__ import annotations

import errno
import io
import os
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.puffin_files import blob, puffin

import byteloom
from byteloom.errors import FormatError, StorageError, Unsupported
from byteloom.puffin import BlobMetadata, PuffinWriter
from byteloom.puffin import open as open_puffin

if TYPE_CHECKING:
    from pathlib import Path

ONE: dict[str, Any] = {
    "type": "a", "data": b"abc", "fields": [1], "snapshot_id": 2, "sequence_number": 1,
}  # fmt: skip

text = st.text(st.characters(codec="utf-8"), max_size=10)
properties = st.dictionaries(text, text, max_size=3)
longs = st.integers(-(1 << 63), (1 << 63) - 1)
blobs = st.fixed_dictionaries(
    {
        "type": text,
        "data": st.binary(max_size=100),
        "fields": st.lists(st.integers(-(1 << 31), (1 << 31) - 1), max_size=3),
        "snapshot_id": longs,
        "sequence_number": longs,
        "compression": st.sampled_from([None, "lz4", "zstd"]),
        "properties": properties,
    }
)


def written(*blobs: dict[str, Any], **options: Any) -> bytes:
    """Return a file with these blobs."""
    file = io.BytesIO()
    with PuffinWriter(file, **options) as writer:
        for each in blobs:
            writer.add(**each)
    return file.getvalue()


@given(st.lists(blobs, max_size=4), properties, st.booleans())
def test_what_is_written_is_read(
    wanted: list[dict[str, Any]], message: dict[str, str], compressed: bool
) -> None:
    """Contents, metadata and properties are read as written, with any codec and either footer."""
    data = written(*wanted, properties=message, compress_footer=compressed)
    with open_puffin(data) as file:
        file.verify()
        assert file.properties == {"created-by": f"byteloom {byteloom.__version__}"} | message
        assert file.read_many(file.blobs) == [each["data"] for each in wanted]
        for found, each in zip(file.blobs, wanted, strict=True):
            names = ["type", "fields", "snapshot_id", "sequence_number", "properties"]
            assert [getattr(found, name) for name in names] == [each[name] for name in names]
            assert found.compression_codec == each["compression"]
        assert file.footer.payload_is_compressed == compressed


def test_bytes_are_those_of_the_spec() -> None:
    """The smallest file has exactly the bytes of the spec."""
    assert written(created_by=None) == (b'PFA1PFA1{"blobs":[]}\x0c\x00\x00\x00\x00\x00\x00\x00PFA1')


def test_a_writer_returns_what_table_metadata_needs() -> None:
    """A writer reports the sizes of file and footer, and each blob as in the footer."""
    file = io.BytesIO()
    with PuffinWriter(file) as writer:
        added = writer.add(**ONE)
    read = open_puffin(file)
    assert (writer.file_size, writer.footer_size) == (read.size, read.footer_size)
    assert writer.blobs == read.blobs == [added]


def test_numpy_integers_are_integers() -> None:
    """NumPy integers are accepted as ids."""
    data = written(ONE | {"fields": np.array([3, 4]), "snapshot_id": np.int64(5)})
    assert open_puffin(data).blobs[0].fields == [3, 4]


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"type": 5}, "blobs[0].type"),
        ({"type": "\ud800"}, "blobs[0].type"),
        ({"fields": [1 << 31]}, "blobs[0].fields[0]"),
        ({"fields": [1.5]}, "blobs[0].fields[0]"),
        ({"fields": [True]}, "blobs[0].fields[0]"),
        ({"snapshot_id": None}, "blobs[0].snapshot-id"),
        ({"sequence_number": 1 << 63}, "blobs[0].sequence-number"),
        ({"properties": {"ndv": 5}}, "blobs[0].properties.ndv"),
        ({"properties": {5: "ndv"}}, "blobs[0].properties"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_and_the_writer_lives_on(
    wrong: dict[str, Any], path: str
) -> None:
    """The error for a value out of range names the field, and no byte of the blob is written."""
    file = io.BytesIO()
    with PuffinWriter(file) as writer:
        with pytest.raises(FormatError) as refused:
            writer.add(**ONE | wrong)
        writer.add(**ONE)
    assert refused.value.path == path
    assert file.getvalue() == written(ONE)


def test_an_unknown_codec_is_refused() -> None:
    """A writer refuses a codec that the spec does not list."""
    with pytest.raises(Unsupported, match="wanted one of lz4, zstd"):
        written(ONE | {"compression": "gzip"})


def test_wrong_properties_of_the_file_are_refused() -> None:
    """A property of a file that is not text is refused by its name."""
    with pytest.raises(FormatError, match=r"properties\.a: found 1, wanted a string"):
        written(properties={"a": 1})


def fail_after_one(path: Path) -> None:
    """Write one blob, and fail with the second."""
    with PuffinWriter(path) as writer:
        writer.add(**ONE)
        writer.add(**ONE | {"type": None})


class TestFailure:
    def test_an_exception_leaves_nothing(self, tmp_path: Path) -> None:
        """A writer that fails leaves neither the file nor a temporary one."""
        with pytest.raises(FormatError, match=r"^blobs\[1\]\.type: found null"):
            fail_after_one(tmp_path / "file")
        assert not list(tmp_path.iterdir())

    def test_an_exception_keeps_the_old_file(self, tmp_path: Path) -> None:
        """A writer that fails leaves the old file unchanged, and no temporary one."""
        (tmp_path / "file").write_bytes(b"old")
        with pytest.raises(FormatError, match=r"^blobs\[1\]\.type: found null"):
            fail_after_one(tmp_path / "file")
        assert [each.name for each in tmp_path.iterdir()] == ["file"]
        assert (tmp_path / "file").read_bytes() == b"old"

    def test_a_finished_writer_is_finished(self, tmp_path: Path) -> None:
        """A finished writer refuses more blobs and a second footer, and its file stays as it is."""
        with PuffinWriter(tmp_path / "file") as writer:
            writer.add(**ONE)
            writer.finish()
            with open_puffin(written(ONE)) as other:
                copied = partial(writer.copy, other, other.blobs[0])
                for more in (lambda: writer.add(**ONE), copied, writer.finish):
                    with pytest.raises(StorageError, match="finished"):
                        more()
        writer.abort()
        assert (tmp_path / "file").read_bytes() == written(ONE)

    def test_a_full_disk_gives_the_file_up(self) -> None:
        """A full disk raises the disk's error, and the writer cannot be finished afterwards."""

        class Full(io.BytesIO):
            def write(self, _: object, /) -> int:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        writer = PuffinWriter(Full())
        with pytest.raises(StorageError, match="No space left"):
            writer.finish()
        with pytest.raises(StorageError, match="the writer is closed"):
            writer.finish()


class TestRewriting:
    def test_a_file_written_anew_is_the_same(self) -> None:
        """A copy has the same stored blobs, properties, unknown fields and flags."""
        source = written(
            ONE | {"compression": "zstd"}, ONE | {"compression": "lz4"}, ONE, compress_footer=True
        )
        with open_puffin(source) as file:
            again = io.BytesIO()
            with PuffinWriter(again, like=file) as writer:
                for each in file.blobs:
                    writer.copy(file, each)
        assert again.getvalue() == source

    def test_reserved_flags_survive(self) -> None:
        """Flags that a newer writer set are kept in a copy."""
        source = puffin(b'{"blobs":[],"new":[1]}', flags=0xABCDEF00)
        again = io.BytesIO()
        PuffinWriter(again, like=open_puffin(source), created_by=None).finish()
        assert again.getvalue() == source

    def test_a_blob_of_an_unknown_codec_can_be_copied(self) -> None:
        """A blob of an unknown codec is copied without decompression."""
        source = open_puffin(puffin({"blobs": [blob(4, 2, compression_codec="new", x=1)]}, b"??"))
        copy = io.BytesIO()
        with PuffinWriter(copy) as writer:
            writer.add(**ONE)
            copied = writer.copy(source, source.blobs[0])
        assert copied == BlobMetadata(
            type="a", fields=[1], snapshot_id=2, sequence_number=1,
            offset=7, length=2, compression_codec="new", extra={"x": 1},
        )  # fmt: skip
        assert open_puffin(copy).read_stored(copied) == b"??"
