"""What a caller may choose for a page, by metadata of its field, and what was chosen, with reasons.

- `lance-encoding:compression`: none, fsst, lz4 or zstd.
- `lance-encoding:compression-level`: of Zstandard.
- `lance-encoding:structural-encoding`: miniblock or fullzip.
- `lance-encoding:rle-threshold`: runs for each value, 0 to 1, below which runs are tried.
- `lance-encoding:bss`: off or on: numbers by the significance of their bytes.
- `lance-encoding:dict-divisor`: values of a page for each item of a dictionary, at least.
- `lance-encoding:dict-size-ratio`: share of the bytes of plain values that a dictionary takes.
- `lance-encoding:dict-values-compression`: of dictionaries: none, lz4 or zstd.
- `lance-encoding:dict-values-compression-level`: of Zstandard, in dictionaries.
- `lance-encoding:minichunk-size`: bytes of a chunk of values of any length, about.

Source: https://lance.org/format/file/encoding/#compression-configuration
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from byteloom.codecs.compression import compress_block
from byteloom.errors import FormatError
from byteloom.lance.sized import WIDTHS
from byteloom_generated.lance import encodings21 as e

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pyarrow as pa

    from byteloom_generated.lance.encodings20 import ArrayEncoding
    from byteloom_generated.lance.encodings21 import PageLayout

__all__ = ["Codec", "MadePage", "Options", "PlannedPage", "options_of"]

_PREFIX: Final = "lance-encoding:"
_NEWER: Final = "2.2"
_CODECS: Final = {
    "lz4": e.CompressionScheme.COMPRESSION_ALGORITHM_LZ4,
    "zstd": e.CompressionScheme.COMPRESSION_ALGORITHM_ZSTD,
}


@dataclass(frozen=True, slots=True)
class Codec:
    """A general codec.

    Attributes:
        name: ``lz4`` or ``zstd``.
        level: The level of Zstandard; None for its default.
    """

    name: str
    level: int | None = None

    def around(self, inner: e.CompressiveEncoding) -> e.CompressiveEncoding:
        """Return the encoding of values in *inner* that the codec has compressed."""
        message = e.BufferCompression(scheme=_CODECS[self.name])
        if self.level is not None:
            message.level = self.level
        return e.CompressiveEncoding(general=e.General(compression=message, values=inner))

    def compressed(self, data: np.ndarray) -> bytes:
        """Return *data* compressed, after its size: 32 bits for LZ4, 64 for Zstandard."""
        size = data.nbytes.to_bytes(WIDTHS[self.name], "little")
        return size + compress_block(self.name, data.data, self.level)


@dataclass(frozen=True, slots=True)
class Options:
    """Options for writing a leaf.

    Attributes:
        version: ``2.0``, of which only *compression* and *level* count, ``2.1`` or ``2.2``.
        compression: ``none``, ``fsst``, ``lz4`` or ``zstd``; empty for what makes values smallest.
        level: The level of Zstandard; None for its default.
        structure: ``miniblock`` or ``fullzip``; empty for what the size of values asks for.
        most_runs: Runs for each value, below which runs are tried.
        splits_bytes: Whether numbers are split by the significance of their bytes.
        dict_divisor: Values of a page for each item of a dictionary, at least.
        dict_ratio: Share of the bytes of plain values that a dictionary takes at most.
        dict_codec: What compresses dictionaries; empty for the usual of the version, or ``none``.
        dict_level: The level of Zstandard in dictionaries.
        chunk_size: Approximate bytes of a chunk of values of any length.
    """

    version: str
    compression: str = ""
    level: int | None = None
    structure: str = ""
    most_runs: float = 0.5
    splits_bytes: bool = False
    dict_divisor: int = 2
    dict_ratio: float = 0.8
    dict_codec: str = ""
    dict_level: int | None = None
    chunk_size: int = 4096

    @property
    def is_large(self) -> bool:
        """Whether words of chunks and sizes of their buffers have 32 bits."""
        return self.version >= _NEWER

    @property
    def has_runs_of_levels(self) -> bool:
        """Whether levels may be runs."""
        return self.version >= _NEWER

    @property
    def has_constants(self) -> bool:
        """Whether a page may have a single value other than null."""
        return self.version >= _NEWER

    @property
    def codec(self) -> Codec | None:
        """The codec that compresses values, if metadata names one."""
        return Codec(self.compression, self.level) if self.compression in _CODECS else None

    @property
    def dictionary_codec(self) -> Codec | None:
        """The codec that compresses dictionaries."""
        name = self.dict_codec or ("lz4" if self.version >= _NEWER else "none")
        return None if name == "none" else Codec(name, self.dict_level)

    @property
    def dictionary_bits(self) -> frozenset[int]:
        """Widths, in bits, of values for which dictionaries are made."""
        return frozenset({64, 128}) if self.version >= _NEWER else frozenset({128})


def options_of(field: pa.Field, path: str, version: str) -> Options:
    """Return the options for writing a leaf.

    Args:
        field: The field of the leaf.
        path: Its name in errors.

    Raises:
        FormatError: For invalid values of the format's own metadata.
    """
    found: dict[str, Any] = {}
    for key, value in (field.metadata or {}).items():
        name = key.decode().removeprefix(_PREFIX)
        if key.decode() != name and name in _KEYS:
            option, parse, wanted = _KEYS[name]
            try:
                found[option] = parse(value.decode())
            except ValueError as error:
                place = f"schema.{path}.metadata.{_PREFIX}{name}"
                raise FormatError(place, None, repr(value.decode()), wanted) from error
    return Options(version, **found)


def _one_of(*names: str) -> tuple[Callable[[str], str], str]:
    def parse(text: str) -> str:
        if text not in names:
            raise ValueError
        return text

    return parse, f"one of {', '.join(names)}"


def _number(
    kind: Callable[[str], float], least: float, most: float
) -> tuple[Callable[[str], float], str]:
    def parse(text: str) -> float:
        found = kind(text)
        if not least <= found <= most:
            raise ValueError
        return found

    return parse, f"a number from {least} to {most}"


def _switch() -> tuple[Callable[[str], bool], str]:
    parse, wanted = _one_of("off", "on", "auto")
    return (lambda text: parse(text) == "on"), wanted


_LEVELS: Final = _number(int, -7, 22)
_KEYS: Final = {
    "compression": ("compression", *_one_of("none", "fsst", *_CODECS)),
    "compression-level": ("level", *_LEVELS),
    "structural-encoding": ("structure", *_one_of("miniblock", "fullzip")),
    "rle-threshold": ("most_runs", *_number(float, 0, 1)),
    "bss": ("splits_bytes", *_switch()),
    "dict-divisor": ("dict_divisor", *_number(int, 1, 1 << 31)),
    "dict-size-ratio": ("dict_ratio", *_number(float, 0, 1)),
    "dict-values-compression": ("dict_codec", *_one_of("none", *_CODECS)),
    "dict-values-compression-level": ("dict_level", *_LEVELS),
    "minichunk-size": ("chunk_size", *_number(int, 64, 1 << 15)),
}


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page as it was written.

    Attributes:
        column: The name of the leaf: ``points.x``.
        first: The number of its first row.
        rows: Number of rows; in version 2.0, of items for a leaf in lists.
        layout: ``mini-block``, ``full-zip``, ``constant`` or ``null``; ``array`` in version 2.0.
        encoding: The encoding of the values: ``flat``, ``bit-packing``, ``runs``, ``dictionary``,
            ``fsst``, ...
        size: Bytes of its buffers.
        tried: For each encoding that was tried, the approximate bytes of the values.
        reason: Why this layout and encoding.
    """

    column: str
    first: int
    rows: int
    layout: str
    encoding: str
    size: int
    reason: str
    tried: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        """One line: where, what, how large, why."""
        where = f"{self.column}: rows {self.first} to {self.first + self.rows - 1}"
        return f"{where}: {self.layout} {self.encoding}, {self.size} bytes: {self.reason}"


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page before it is written.

    Attributes:
        encoding: How it is encoded.
        buffers: Its bytes.
        plan: Its rows, and the reason for its encoding.
        items: Number of items of each row that pages count as rows.
    """

    encoding: PageLayout | ArrayEncoding
    buffers: list[np.ndarray]
    plan: PlannedPage
    items: int = 1
