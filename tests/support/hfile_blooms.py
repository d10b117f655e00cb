"""With which settings a Bloom filter of HBase was made, found by making it again."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from byteloom.hfile import BloomBuilder
from byteloom_generated.hfile.bloom import HashType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from byteloom.hfile.bloom import BloomFilter

__all__ = ["bloom_settings"]


def bloom_settings(
    entry: Mapping[str, Any], filter_: BloomFilter, cells: pa.Table, info: Mapping[bytes, bytes]
) -> dict[str, Any] | None:
    """Return the arguments of a `BloomBuilder` that makes the same filter of all *cells*, or None.

    entry  the line of the index of the corpus, which does not have the error rate and the folds
    """
    for each in _candidates(entry, filter_):
        made = BloomBuilder(filter_.kind, **each)
        if made._num_hashes == filter_.record.num_hashes and _is_rebuilt(
            filter_, made, cells, info
        ):
            return each
    return None


def _candidates(entry: Mapping[str, Any], filter_: BloomFilter) -> Iterator[dict[str, Any]]:
    """How a filter may have been made: with HBase's rate and folds, else with any others."""
    is_prefix = filter_.kind == "ROWPREFIX_FIXED_LENGTH"
    known = {
        "chunk_size": entry["bloom_block_size"],
        "hash_type": HashType(filter_.record.hash_type).name.lower(),
        "prefix_length": entry["bloom_prefix_length"] if is_prefix else None,
    }
    yield known
    rates = [number * 10**-power for power in range(1, 10) for number in range(1, 7)]
    for rate, fold in product(rates, range(11)):
        yield known | {"error_rate": rate, "max_fold": fold}


def _is_rebuilt(
    filter_: BloomFilter, made: BloomBuilder, cells: pa.Table, info: Mapping[bytes, bytes]
) -> bool:
    """Whether a builder makes of all cells what is stored."""
    if filter_.kind == "DELETE_FAMILY":
        cells = cells.filter(pc.field("type").isin([10, 14]))
    for start in range(0, len(cells), 37):
        part = cells.slice(start, 37)
        made.add(part["row"], part["qualifier"])
    chunks, stored = made.ready(closing=True), filter_.record.chunks
    if chunks != [(each.key, filter_.bits(n).tobytes()) for n, each in enumerate(stored)]:
        return False
    for each in stored:
        made.placed(each.offset, each.len_block)
    return made.metadata() == filter_.record.to_bytes() and made.file_info().items() <= info.items()
