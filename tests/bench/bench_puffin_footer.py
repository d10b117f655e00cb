"""Opening a Puffin file of 1,000 blobs, beside PyIceberg's `PuffinFile`."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import pytest
from pyiceberg.table.puffin import PuffinFile
from tests.support.puffin_files import puffin
from tests.support.speed import Side, compared, of_package, seconds

from byteloom.puffin import PuffinWriter
from byteloom.puffin import open as open_puffin

if TYPE_CHECKING:
    from collections.abc import Callable

BLOBS = 1_000


def by_our_writer() -> bytes:
    """Sketches of a thousand columns."""
    file = io.BytesIO()
    with PuffinWriter(file) as writer:
        for number in range(BLOBS):
            writer.add(
                type="apache-datasketches-theta-v1",
                data=b"x" * 40,
                fields=[number],
                snapshot_id=3055729675574597004,
                sequence_number=7,
                compression="zstd",
                properties={"ndv": str(number)},
            )
    return file.getvalue()


def with_blanks() -> bytes:
    """Sketches of a thousand columns, with JSON written by Python's `json`."""
    data = by_our_writer()
    with open_puffin(data) as file:
        return puffin(json.loads(file.footer.payload), data[4 : file.ofs_footer])


def with_keys_in_another_order() -> bytes:
    """Sketches of a thousand columns, with the keys of the JSON sorted."""
    data = by_our_writer()
    with open_puffin(data) as file:
        footer = json.dumps(json.loads(file.footer.payload), sort_keys=True).encode()
        return puffin(footer, data[4 : file.ofs_footer])


def with_an_unknown_field() -> bytes:
    """Sketches of a thousand columns, each blob with a field that the spec does not know."""
    data = by_our_writer()
    with open_puffin(data) as file:
        footer = json.loads(file.footer.payload)
        footer["blobs"] = [blob | {"x": 1} for blob in footer["blobs"]]
        return puffin(footer, data[4 : file.ofs_footer])


def with_more_properties() -> bytes:
    """Sketches of a thousand columns, each blob with four more properties, one not in ASCII."""
    data = by_our_writer()
    with open_puffin(data) as file:
        footer = json.loads(file.footer.payload)
        for blob in footer["blobs"]:
            blob["properties"] |= {"a": "1", "b": "2", "c": 'say "c"', "d": "ä" * 20}
        return puffin(footer, data[4 : file.ofs_footer])


def with_empty_values_spelt_out() -> bytes:
    """Sketches of a thousand columns, with empty properties and a codec of null."""
    data = by_our_writer()
    with open_puffin(data) as file:
        footer = json.loads(file.footer.payload)
        spelt_out: dict[str, object] = {"properties": {}, "compression-codec": None}
        footer["blobs"] = [blob | spelt_out for blob in footer["blobs"]]
        return puffin(footer, data[4 : file.ofs_footer])


@pytest.mark.bench
@pytest.mark.parametrize(
    "make",
    [
        by_our_writer,
        with_blanks,
        with_keys_in_another_order,
        with_more_properties,
        with_empty_values_spelt_out,
        with_an_unknown_field,
    ],
)
def test_footer_of_a_thousand_blobs(make: Callable[[], bytes]) -> None:
    """Prints the time to read typed metadata from the bytes of a file, checks included."""
    data = make()
    assert len(open_puffin(data).blobs) == len(PuffinFile(data).footer.blobs) == BLOBS
    compared(
        f"footer of 1,000 Puffin blobs, {make.__name__.replace('_', ' ')}",
        "ms",
        Side("byteloom", seconds(lambda: open_puffin(data), 30)),
        of_package("PyIceberg", "pyiceberg", seconds(lambda: PuffinFile(data), 30)),
    )
