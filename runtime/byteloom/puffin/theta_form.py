"""Read and write the bytes of a compact Theta sketch.

- Layouts come from the generated records; this module has the rules that a layout cannot say.
- The preamble is written as by datasketches-java: one word for an empty sketch or a single hash,
  two for an exact sketch, three with theta.
- Every compact form is read: serial versions 1 and 2 from before 2015, 3 by Java and by C++, 4
  with its hashes as packed differences.

Source: https://datasketches.apache.org/docs/Theta/ThetaSketches.html
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from byteloom.errors import FormatError, Unsupported
from byteloom.wire import Reader
from byteloom_generated.puffin.theta_sketch import CompressedThetaSketch, ThetaFlags
from byteloom_generated.puffin.theta_sketch import ThetaSketch as PlainForm

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_THETA", "SEED_HASH", "compose", "parse"]

MAX_THETA: Final = (1 << 63) - 1
SEED_HASH: Final = 37836
"""The hash of seed 9001, with which all Iceberg sketches are made."""

_NAME: Final = PlainForm.NAME
_WITH_COUNT: Final = 2
_WITH_THETA: Final = PlainForm.MOST["num_preamble_words"]
"""Preamble words of a sketch with theta."""

_WITH_FLAGS: Final = 3
_COMPRESSED: Final = b"\x04"
"""The serial version of sketches with packed differences."""

_ORDINARY: Final = Struct("<BBBxxBHIxxxxQ")
"""The first three words of a sketch: number of preamble words, serial version, family, flags, seed
hash, number of hashes, theta.
"""


def _flags(*, are_set: bool, is_ordered: bool) -> int:
    """Return the byte of flags that say how to read a sketch."""
    flags = ThetaFlags(
        is_big_endian=are_set, is_read_only=False, is_empty=are_set, is_compact=False,
        is_ordered=is_ordered, is_single=False,
    )  # fmt: skip
    return flags.to_bytes()[0]


_FAMILY: Final = 3
"""The number of the family of compact sketches."""

_TELLING: Final = _flags(are_set=True, is_ordered=True)
_ORDERED: Final = _flags(are_set=False, is_ordered=True)

_Parts: TypeAlias = "tuple[NDArray[np.uint64], int, bool]"


def compose(hashes: NDArray[np.uint64], theta: int, *, is_empty: bool) -> bytes:
    """Return the bytes of a sketch with ascending *hashes*."""
    is_whole = theta == MAX_THETA
    is_single = is_whole and len(hashes) == 1
    words = 1 if is_empty or is_single else _WITH_COUNT if is_whole else _WITH_THETA
    return PlainForm(
        num_preamble_words=words,
        flags=ThetaFlags(is_empty=is_empty, is_single=is_single),
        seed_hash=0 if is_empty else SEED_HASH,
        num_hashes=len(hashes) if words >= _WITH_COUNT else None,
        sampling_probability=1.0 if words >= _WITH_COUNT else None,
        theta=theta if words >= _WITH_THETA else None,
        hashes=hashes.astype("<u8").tobytes(),
    ).to_bytes()


def parse(data: bytes) -> _Parts:
    """Return ascending hashes, theta, and whether the sketch is empty."""
    parts = _ordinary(data)
    if parts is None:
        r = Reader(data)
        parts = _compressed(r) if data[1:2] == _COMPRESSED else _plain(r)
        if not r.eof:
            raise FormatError(_NAME, r.offset, f"{r.left} bytes after its end", "none")
    hashes, theta, is_empty = parts
    _check(hashes, theta, is_empty=is_empty)
    hashes.setflags(write=False)
    return hashes, theta, is_empty


def _ordinary(data: bytes) -> _Parts | None:
    """Return the parts of a sketch in the usual form, in a tenth of the record's time."""
    if len(data) < _ORDINARY.size:
        return None
    words, version, family, flags, seed_hash, count, theta = _ORDINARY.unpack_from(data)
    wanted = _WITH_THETA, _WITH_FLAGS, _FAMILY, _ORDERED, SEED_HASH, len(data)
    start = _ORDINARY.size
    if (words, version, family, flags & _TELLING, seed_hash, start + 8 * count) != wanted:
        return None
    return np.frombuffer(data, "<u8", count, start).astype(np.uint64, copy=False), theta, False


def _plain(r: Reader) -> _Parts:
    form = r.record(_NAME, PlainForm.read)
    _check_origin(form)
    hashes = np.frombuffer(form.hashes, "<u8").astype(np.uint64)
    if form.serial_version >= _WITH_FLAGS and not form.flags.is_ordered:
        hashes.sort()
    return hashes, MAX_THETA if form.theta is None else form.theta, _says_empty(form)


def _compressed(r: Reader) -> _Parts:
    form = r.record(_NAME, CompressedThetaSketch.read)
    _check_origin(form)
    theta = MAX_THETA if form.theta is None else form.theta
    return _unpacked(form), theta, form.flags.is_empty


def _says_empty(form: PlainForm) -> bool:
    """Return whether an old sketch is empty, since versions 1 and 2 have no flag for it."""
    if form.serial_version < _WITH_FLAGS:
        return not form.hashes and form.theta in {None, MAX_THETA}
    return form.flags.is_empty


def _check_origin(form: PlainForm | CompressedThetaSketch) -> None:
    """Refuse a sketch of a big-endian machine or of another seed."""
    if form.flags.is_big_endian:
        raise Unsupported(f"{_NAME}.flags.is_big_endian", 5, "True", "a little-endian sketch")
    nameless = form.serial_version == 1 or form.flags.is_empty
    if form.seed_hash != SEED_HASH and not (nameless and form.seed_hash == 0):
        raise FormatError(
            f"{_NAME}.seed_hash", 6, form.seed_hash, f"{SEED_HASH}, that of the default seed"
        )


def _check(hashes: NDArray[np.uint64], theta: int, *, is_empty: bool) -> None:
    """Refuse impossible sketches, whose estimates would be silently wrong."""
    if not 0 < theta <= MAX_THETA:
        raise FormatError(f"{_NAME}.theta", 16, theta, f"1 to {MAX_THETA}")
    if is_empty and (len(hashes) or theta != MAX_THETA):
        raise FormatError(
            f"{_NAME}.flags.is_empty", 5, f"True with {len(hashes)} hashes", "none, and no theta"
        )
    if len(hashes) == 0:
        return
    if not 0 < hashes.item(0) <= hashes.item(-1) < theta:
        raise FormatError(
            f"{_NAME}.hashes", None, f"{hashes[0]} to {hashes[-1]}", f"1 to {theta - 1}"
        )
    wrong = hashes[1:] <= hashes[:-1]
    if np.count_nonzero(wrong):  # in half the time of any()
        at = int(wrong.argmax()) + 1
        raise FormatError(
            f"{_NAME}.hashes[{at}]", None, int(hashes[at]), f"more than {hashes[at - 1]}, before it"
        )


def _unpacked(form: CompressedThetaSketch) -> NDArray[np.uint64]:
    """Return the hashes that *form* stores as differences."""
    count = 0 if form.num_hashes is None else form.num_hashes
    return np.cumsum(_wide(form.differences, count, form.width_bits), dtype=np.uint64)


def _wide(packed: bytes, count: int, width: int) -> NDArray[np.uint64]:
    """Return integers of *width* bits, the highest bit first, unpacked in bounded parts."""
    values = np.empty(count, np.uint64)
    data = np.frombuffer(packed, np.uint8)
    part = 1 << 15  # a multiple of 8, so that each part begins with a byte
    for start in range(0, count, part):
        rows = min(part, count - start)
        first = start * width // 8
        bits = np.unpackbits(data[first : first + (rows * width + 7) // 8], count=rows * width)
        words = np.zeros((rows, 64), np.uint8)
        words[:, 64 - width :] = bits.reshape(rows, width)
        values[start : start + rows] = np.packbits(words, axis=1).view(">u8").reshape(rows)
    return values
