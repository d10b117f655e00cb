"""What byteloom refuses of a container's records beyond what plain Kaitai Struct can say."""

import pytest

from byteloom.errors import FormatError
from byteloom_generated.avro.container import BlockHead


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"\x80" * 10 + b"\1\x0a", "num_objects at byte 0"),  # an eleventh byte
        (b"\2" + b"\xff" * 9 + b"\2", "len_objects at byte 1"),  # a 65th bit
    ],
)
def test_an_integer_of_more_than_64_bits_is_refused(data: bytes, place: str) -> None:
    """An integer has at most ten bytes and 64 bits; the error has its field and its place."""
    with pytest.raises(
        FormatError, match=rf"^block_head\.{place} .* an integer of variable length"
    ):
        BlockHead.from_bytes(data, whole=True)
