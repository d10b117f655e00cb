"""Manifests of Lance datasets: one file for each version, with its schema and its fragments.

- The last 16 bytes say where the message is; indices and the transaction may precede it.
- A version whose flags require unknown features is refused.

Source: https://lance.org/format/table/
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, Truncated, Unsupported, count_of_bytes
from byteloom.files.kinds import LANCE, found_instead
from byteloom.lance.sized import read_framed
from byteloom.lance.tail_content import V0_1
from byteloom.moments import EPOCH
from byteloom_generated.lance.table import FeatureFlag, Manifest
from byteloom_generated.lance.tail import LegacyTail, Version

if TYPE_CHECKING:
    from datetime import datetime

    from byteloom.limits import Limits
    from byteloom.storage import Source

__all__ = ["check_flags", "read_manifest", "read_section", "time_of"]

_UNREAD: Final = FeatureFlag.MOVED_ROWS_WITH_STABLE_ROW_IDS | FeatureFlag.SEMANTIC_TYPES
_READ_FLAGS: Final = sum(FeatureFlag) & ~_UNREAD

_WANTED: Final = "a manifest, which ends in b'LANC': its end is missing, or it is another file"


def read_manifest(source: Source, limits: Limits) -> Manifest:
    """Return the manifest in its own file.

    Raises:
        FormatError: For damage.
        Unsupported: For one that needs a newer reader.
        LimitExceeded: For one larger than ``limits.metadata_size``.
    """
    end = source.read_tail(LegacyTail.SIZE)
    if not end.endswith(Version.magic):
        raise FormatError("manifest", None, found_instead(source, LANCE), _WANTED)
    if len(end) < LegacyTail.SIZE:
        wanted = f"at least {LegacyTail.SIZE} bytes in a manifest"
        raise Truncated("legacy_tail", None, count_of_bytes(source.size), wanted)
    at = source.size - LegacyTail.SIZE
    tail = LegacyTail.from_bytes(end, origin=at)
    if tail.version.format not in {"", V0_1}:
        found = f"{LANCE} of version {tail.version.format}, which has rows"
        raise FormatError("manifest", None, found, _WANTED)
    data, at = read_framed(source, tail.ofs_message, at, "manifest", limits)
    manifest = Manifest.parse(data, limits=limits, origin=at, path="manifest")
    check_flags("manifest.reader_feature_flags", at, manifest.reader_feature_flags, _READ_FLAGS)
    return manifest


def read_section(
    source: Source, manifest: Manifest, name: str, limits: Limits
) -> tuple[bytes, int]:
    """Return a message that is in the file of a manifest besides it, and its offset.

    Args:
        name: The name of the field of *manifest* that has its place.

    Raises:
        FormatError: For a place where there is no such message.
        LimitExceeded: It takes more than the limits allow.
    """
    path, end = f"manifest.{name}", source.size - LegacyTail.SIZE
    return read_framed(source, getattr(manifest, name), end, path, limits)


def time_of(manifest: Manifest) -> datetime | None:
    """Return the time of a version; None where the manifest lacks it."""
    if not manifest.HasField("timestamp"):
        return None
    stored: Any = manifest.timestamp
    try:
        return EPOCH + timedelta(seconds=stored.seconds, microseconds=stored.nanos // 1000)
    except OverflowError as error:
        path, wanted = "manifest.timestamp.seconds", "a moment of the years 1 to 9999"
        raise FormatError(path, None, stored.seconds, wanted) from error


def check_flags(path: str, at: int | None, flags: int, known: int) -> None:
    """Refuse feature flags that are not among the *known* ones.

    Args:
        path: Their name in errors.
        at: Where the manifest is in its file.
    """
    if others := flags & ~known:
        found, wanted = f"the flags {_named_flags(others)}", f"flags of {known:#x} alone"
        raise Unsupported(path, at, found, wanted)


def _named_flags(flags: int) -> str:
    """Return each of the flags as a number, with its meaning where that is known."""
    names = {each.value: each.name.lower().replace("_", " ") for each in FeatureFlag}
    bits = [1 << bit for bit in range(64) if flags >> bit & 1]
    return ", ".join(f"{each} ({names.get(each, 'unknown')})" for each in bits)
