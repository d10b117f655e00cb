"""Bloom filters of Hudi: of a file's record keys, in a meta block or in its metadata table.

- The kind is stored beside the filter: SIMPLE is one filter, DYNAMIC_V0 rows of filters with a
  bounded number of keys each; a key that passes the filter of any row may be in the file.
- Stored in meta blocks and Parquet footers it is base64; the metadata table keeps the same text.

Source: specs/hfile/hudi_bloom.ksy
"""

from __future__ import annotations

import base64
import math
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.errors import FormatError, Unsupported
from byteloom.hfile.bloom_keys import Binaries, Keys, keys_of
from byteloom.kernels import hfile_blooms
from byteloom.limits import DEFAULT_LIMITS, Limits
from byteloom_generated.hfile.hudi_bloom import Dynamic, Head, HudiBloom

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["DYNAMIC", "SIMPLE", "HudiBloomFilter", "build"]

SIMPLE: Final = "SIMPLE"
DYNAMIC: Final = "DYNAMIC_V0"

_HASH: Final = 1
"""The number of Murmur2, the only hash that Hudi uses."""


class HudiBloomFilter:
    """One Bloom filter of Hudi.

    Attributes:
        kind: SIMPLE or DYNAMIC_V0.
        record: As stored.
    """

    def __init__(self, text: bytes, kind: str, *, limits: Limits = DEFAULT_LIMITS) -> None:
        """Read the base64 *text* of a filter of *kind*.

        Raises:
            Unsupported: For other kinds.
            FormatError: For damage.
        """
        self.kind = kind
        raw = _decoded(text)
        self.record: HudiBloom | Dynamic
        if kind == SIMPLE:
            self.record = HudiBloom.from_bytes(raw, limits=limits)
            self._rows = [self.record]
        elif kind == DYNAMIC:
            self.record = Dynamic.from_bytes(raw, limits=limits)
            self._rows = self.record.rows
        else:
            raise Unsupported("bloomFilterTypeCode", None, kind, f"{SIMPLE} or {DYNAMIC}")

    def might_contain(self, keys: Binaries) -> NDArray[np.bool_]:
        """Return for each record key whether it may have been added."""
        asked = keys_of(keys)
        out = np.zeros(len(asked), np.bool_)
        for row in self._rows:
            bits = np.frombuffer(row.bits, np.uint8)
            hfile_blooms.ask_chain(*asked, bits, row.head.num_bits, row.head.num_hashes, out)
        return out


def build(
    keys: Binaries,
    kind: str = DYNAMIC,
    *,
    num_entries: int = 60_000,
    error_rate: float = 1e-9,
    max_entries: int = 100_000,
) -> bytes:
    """Return the base64 text of a filter of *keys*, bit for bit as Hudi makes it.

    Args:
        num_entries: Number of keys that the filter, or each row of a dynamic one, is designed
            for.
        error_rate: Share of absent keys that wrongly pass, at that number of keys.
        max_entries: Number of keys up to which a dynamic filter gets further rows.

    Raises:
        FormatError: For settings that give no filter, and for more than *max_entries* keys:
            Hudi then adds them to rows that it picks at random.
    """
    if kind not in {SIMPLE, DYNAMIC} or num_entries < 1 or not 0 < error_rate < 1:
        found = f"{kind}, {num_entries} keys, {error_rate}"
        raise FormatError("bloom", None, found, "a kind, keys, a rate between 0 and 1")
    added = keys_of(keys)
    num_bits = math.ceil(num_entries * (-math.log(error_rate) / math.log(2) ** 2))
    num_hashes = math.ceil(math.log(2) * num_bits / num_entries)
    head = Head(version=-1, num_hashes=num_hashes, hash_type=_HASH, num_bits=num_bits)
    if kind == SIMPLE:
        raw = _row(head, added, 0, len(added)).to_bytes()
    else:
        most = max(-(-max_entries // num_entries), 1) * num_entries
        if len(added) > most:
            raise FormatError("keys", None, len(added), f"at most {most} (max_entries)")
        starts = range(0, max(len(added), 1), num_entries)
        counts = [min(num_entries, len(added) - start) for start in starts]
        raw = Dynamic(
            head=head,
            keys_per_row=num_entries,
            keys_in_last_row=counts[-1],
            rows=[
                _row(head, added, start, count) for start, count in zip(starts, counts, strict=True)
            ],
        ).to_bytes()
    return base64.b64encode(raw)


def _row(head: Head, keys: Keys, first: int, count: int) -> HudiBloom:
    bits = np.zeros((head.num_bits + 7) // 8, np.uint8)
    hfile_blooms.add_chain(*keys, first, count, bits, head.num_bits, head.num_hashes)
    return HudiBloom(head=head, bits=bits.tobytes())


def _decoded(text: bytes) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise FormatError("bloom", None, text, "base64") from error
