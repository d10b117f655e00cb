"""Convert layouts of version 2.1 by releases 0.26 to 0.32 to today's messages.

Their layouts are today's, but array encodings describe the values; each of these is equivalent to
one or two compressive encodings.

Source: specs/lance/encodings26.proto, specs/lance/SOURCE.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import FormatError, LimitExceeded, Unsupported
from byteloom_generated.lance import encodings21 as today
from byteloom_generated.lance.encodings26 import PageLayout

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.limits import Limits

__all__ = ["flat", "inline_bitpacking", "layout26"]

_LENGTH_BITS: Final = 8
"""Bits of the lengths of runs."""

_SCHEMES: Final = {
    "lz4": today.CompressionScheme.COMPRESSION_ALGORITHM_LZ4,
    "zstd": today.CompressionScheme.COMPRESSION_ALGORITHM_ZSTD,
}


def layout26(data: bytes, limits: Limits, at: int, path: str) -> today.PageLayout | None:
    """Return the layout *data* in today's form; None for a layout by a release before 0.26.

    Args:
        at: Its offset in the file, for errors.
        path: Its name in errors.

    Raises:
        Unsupported: For an encoding that pages of these releases do not have.
        LimitExceeded: It takes more than the limits allow.
    """
    try:
        stored = PageLayout.parse(data, limits=limits, origin=at, path=path)
    except LimitExceeded:
        raise
    except FormatError:
        return None
    kind = stored.WhichOneof("layout")
    if not _is_complete(kind, stored):
        return None
    if kind == "mini_block_layout":
        return today.PageLayout(mini_block_layout=_mini_block(stored.mini_block_layout, at, path))
    if kind == "full_zip_layout":
        return today.PageLayout(full_zip_layout=_full_zip(stored.full_zip_layout, at, path))
    layers = list(stored.all_null_layout.layers)
    return today.PageLayout(constant_layout=today.ConstantLayout(layers=layers))


def _is_complete(kind: str | None, stored: PageLayout) -> bool:
    """Whether a layout has the fields that earlier releases lack."""
    if kind == "mini_block_layout":
        return stored.mini_block_layout.num_items > 0
    if kind == "full_zip_layout":
        return stored.full_zip_layout.HasField("value_compression")
    return kind == "all_null_layout" and bool(stored.all_null_layout.layers)


def _mini_block(stored: Any, at: int, path: str) -> today.MiniBlockLayout:
    encodings: dict[str, Any] = {
        name: _encoding(getattr(stored, name), at, f"{path}.{name}")
        for name in ("rep_compression", "def_compression", "value_compression", "dictionary")
        if stored.HasField(name)
    }
    return today.MiniBlockLayout(
        num_dictionary_items=stored.num_dictionary_items,
        layers=list(stored.layers),
        num_buffers=stored.num_buffers,
        repetition_index_depth=stored.repetition_index_depth,
        num_items=stored.num_items,
        **encodings,
    )


def _full_zip(stored: Any, at: int, path: str) -> today.FullZipLayout:
    details = stored.WhichOneof("details")
    value = _value(stored, at, f"{path}.value_compression")
    return today.FullZipLayout(
        bits_rep=stored.bits_rep,
        bits_def=stored.bits_def,
        num_items=stored.num_items,
        num_visible_items=stored.num_visible_items,
        value_compression=value,
        layers=list(stored.layers),
        **({details: getattr(stored, details)} if details else {}),
    )


def _value(stored: Any, at: int, path: str) -> today.CompressiveEncoding:
    """The encoding of values; releases 0.23 to 0.25 have another number for text.

    Later releases use that number for packed integers, which are never values here.
    """
    bits, encoding = stored.bits_per_offset, stored.value_compression
    if bits and encoding.WhichOneof("array_encoding") == "out_of_line_bitpacking":
        variable = today.Variable(offsets=flat(bits))
        return today.CompressiveEncoding(variable=variable)
    return _encoding(encoding, at, path)


def _encoding(stored: Any, at: int, path: str) -> today.CompressiveEncoding:
    """Return the compressive encoding for an array encoding."""
    kind = stored.WhichOneof("array_encoding")
    if kind not in _ENCODINGS:
        raise Unsupported(path, at, kind or "no encoding", "an encoding of chunks")
    return _ENCODINGS[kind](getattr(stored, kind), at, f"{path}.{kind}")


def flat(bits: int) -> today.CompressiveEncoding:
    """Return the encoding of unencoded values of *bits* bits each."""
    return today.CompressiveEncoding(flat=today.Flat(bits_per_value=bits))


def _stored_flat(stored: Any, at: int, path: str) -> today.CompressiveEncoding:
    if stored.HasField("compression"):
        raise Unsupported(f"{path}.compression", at, stored.compression.scheme, "none")
    return flat(stored.bits_per_value)


def _variable(stored: Any, *_: object) -> today.CompressiveEncoding:
    variable = today.Variable(offsets=flat(stored.bits_per_offset))
    return today.CompressiveEncoding(variable=variable)


def inline_bitpacking(stored: Any, *_: object) -> today.CompressiveEncoding:
    """Return the encoding of integers that are packed in chunks."""
    packed = today.InlineBitpacking(uncompressed_bits_per_value=stored.uncompressed_bits_per_value)
    return today.CompressiveEncoding(inline_bitpacking=packed)


def _out_of_line_bitpacking(stored: Any, *_: object) -> today.CompressiveEncoding:
    packed = today.OutOfLineBitpacking(
        uncompressed_bits_per_value=stored.uncompressed_bits_per_value,
        values=flat(stored.compressed_bits_per_value),
    )
    return today.CompressiveEncoding(out_of_line_bitpacking=packed)


def _fixed_size_list(stored: Any, at: int, path: str) -> today.CompressiveEncoding:
    lists = today.FixedSizeList(
        items_per_value=stored.dimension,
        values=_encoding(stored.items, at, f"{path}.items"),
        has_validity=stored.has_validity,
    )
    return today.CompressiveEncoding(fixed_size_list=lists)


def _fsst(stored: Any, at: int, path: str) -> today.CompressiveEncoding:
    values = _encoding(stored.binary, at, f"{path}.binary")
    fsst = today.Fsst(symbol_table=stored.symbol_table, values=values)
    return today.CompressiveEncoding(fsst=fsst)


def _packed_struct(stored: Any, at: int, path: str) -> today.CompressiveEncoding:
    packed = today.PackedStruct(
        bits_per_value=list(stored.bits_per_values),
        values=_encoding(stored.flat, at, f"{path}.flat"),
    )
    return today.CompressiveEncoding(packed_struct=packed)


def _rle(stored: Any, *_: object) -> today.CompressiveEncoding:
    runs = today.Rle(values=flat(stored.bits_per_value), run_lengths=flat(_LENGTH_BITS))
    return today.CompressiveEncoding(rle=runs)


def _byte_stream_split(stored: Any, *_: object) -> today.CompressiveEncoding:
    planes = today.ByteStreamSplit(values=flat(stored.bits_per_value))
    return today.CompressiveEncoding(byte_stream_split=planes)


def _general(stored: Any, at: int, path: str) -> today.CompressiveEncoding:
    inner = _encoding(stored.inner, at, f"{path}.inner")
    return _compressed(stored.compression.scheme, inner, at, path)


def _block(stored: Any, at: int, path: str) -> today.CompressiveEncoding:
    """Return the encoding of values of any length, each compressed on its own."""
    variable = today.CompressiveEncoding(variable=today.Variable(offsets=flat(32)))
    return _compressed(stored.scheme, variable, at, path)


def _compressed(
    scheme: str, inner: today.CompressiveEncoding, at: int, path: str
) -> today.CompressiveEncoding:
    if scheme not in _SCHEMES:
        raise Unsupported(f"{path}.scheme", at, scheme, " or ".join(_SCHEMES))
    compression = today.BufferCompression(scheme=_SCHEMES[scheme])
    return today.CompressiveEncoding(general=today.General(compression=compression, values=inner))


_ENCODINGS: Final[dict[str, Callable[..., today.CompressiveEncoding]]] = {
    "flat": _stored_flat,
    "fixed_size_list": _fixed_size_list,
    "fsst": _fsst,
    "inline_bitpacking": inline_bitpacking,
    "out_of_line_bitpacking": _out_of_line_bitpacking,
    "variable": _variable,
    "packed_struct_fixed_width_mini_block": _packed_struct,
    "block": _block,
    "rle": _rle,
    "general_mini_block": _general,
    "byte_stream_split": _byte_stream_split,
}
