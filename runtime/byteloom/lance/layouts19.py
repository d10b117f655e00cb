"""Convert layouts of version 2.1 by releases 0.19 to 0.25 to today's messages.

- If all levels are 0, one value describes them; they are left out here.
- The number of values, which the layout lacks, is the number of the page's rows, or follows from
  its bytes.
- The bits of the items of fixed-size lists are those of a whole list.

Source: specs/lance/encodings19.proto, specs/lance/SOURCE.md
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from byteloom.errors import ByteloomError, FormatError, Unsupported
from byteloom.lance.layouts26 import flat, inline_bitpacking
from byteloom.lance.units import LEVEL_BITS
from byteloom_generated.lance import encodings21 as today
from byteloom_generated.lance.encodings19 import PageLayout

if TYPE_CHECKING:
    from collections.abc import Callable

    from byteloom.lance.column_metadata import Page
    from byteloom.limits import Limits

__all__ = ["layout19"]

_BYTE: Final = 8
_OFFSET: Final = 32
_NULLABLE: Final = int(today.RepDefLayer.REPDEF_NULLABLE_ITEM)


def layout19(page: Page, limits: Limits, path: str) -> today.PageLayout:
    """Return the layout of *page* in today's form.

    Args:
        path: Its name in errors.

    Raises:
        FormatError: For damage.
        Unsupported: For an encoding that pages of these releases do not have.
    """
    data, at = page.encoding.data, page.at
    try:
        stored = PageLayout.parse(data, limits=limits)
    except ByteloomError:  # parsed again for an error that names the page
        stored = PageLayout.parse(data, limits=limits, origin=page.encoding_at, path=path)
    kind = stored.WhichOneof("layout")
    if kind == "mini_block_layout":
        layout = _mini_block(stored.mini_block_layout, page, path)
        return today.PageLayout(mini_block_layout=layout)
    if kind == "full_zip_layout":
        return today.PageLayout(full_zip_layout=_full_zip(stored.full_zip_layout, page, path))
    if kind == "all_null_layout":
        layers = list(stored.all_null_layout.layers)
        return today.PageLayout(constant_layout=today.ConstantLayout(layers=layers))
    raise FormatError(path, at, "nothing", "a layout")


def _mini_block(stored: Any, page: Page, path: str) -> today.MiniBlockLayout:
    encodings: dict[str, Any] = {}
    for name in ("rep_compression", "def_compression"):
        if _has_levels(getattr(stored, name), page, f"{path}.{name}"):
            encodings[name] = flat(LEVEL_BITS)
    if stored.HasField("dictionary"):
        encodings["dictionary"] = _encoding(stored.dictionary, page, f"{path}.dictionary")
    layers = list(stored.layers) or ([_NULLABLE] if "def_compression" in encodings else [])
    return today.MiniBlockLayout(
        value_compression=_encoding(stored.value_compression, page, f"{path}.value_compression"),
        layers=layers,
        num_buffers=1,
        repetition_index_depth=stored.repetition_index_depth,
        num_items=stored.num_items or page.length,
        **encodings,
    )


def _has_levels(stored: Any, page: Page, path: str) -> bool:
    """Whether levels are stored; otherwise they are all 0."""
    kind = stored.WhichOneof("array_encoding")
    if kind == "constant" and not any(stored.constant.value):
        return False
    if kind != "flat" or stored.flat.bits_per_value != LEVEL_BITS:
        raise Unsupported(path, page.at, kind or "no encoding", "levels of 16 bits, or none")
    return True


def _full_zip(stored: Any, page: Page, path: str) -> today.FullZipLayout:
    """Return the layout of entries of one size, whose number follows from the buffer's size."""
    path = f"{path}.value_compression"
    if stored.bits_rep:
        raise Unsupported(path, page.at, "lists", "values without lists")
    value = _encoding(stored.value_compression, page, path)
    bits = _bits(value, page, path)
    if not 0 < bits < 1 << 31 or bits % _BYTE or len(page.buffers) != 1:
        raise FormatError(
            path, page.at, f"{bits} bits in {len(page.buffers)} buffers", "bytes in one"
        )
    if stored.bits_def > LEVEL_BITS:
        raise FormatError(path, page.at, stored.bits_def, f"at most {LEVEL_BITS} bits of levels")
    width = bits // _BYTE + (stored.bits_def + _BYTE - 1) // _BYTE
    size = page.buffers[0][1]
    if size % width:
        raise FormatError(path, page.at, f"{size} bytes", f"a multiple of {width}")
    return today.FullZipLayout(
        bits_def=stored.bits_def,
        bits_per_value=bits,
        num_items=size // width,
        num_visible_items=size // width,
        value_compression=value,
        layers=list(stored.layers) or ([_NULLABLE] if stored.bits_def else []),
    )


def _bits(value: today.CompressiveEncoding, page: Page, path: str) -> int:
    """The bits of a value of fixed width."""
    kind = value.WhichOneof("compression")
    if kind == "flat":
        return value.flat.bits_per_value
    if kind == "fixed_size_list":
        lists = value.fixed_size_list
        return lists.items_per_value * lists.values.flat.bits_per_value
    raise Unsupported(path, page.at, str(kind), "values of fixed width")


def _encoding(stored: Any, page: Page, path: str) -> today.CompressiveEncoding:
    """Return the compressive encoding for an array encoding."""
    kind = stored.WhichOneof("array_encoding")
    if kind not in _ENCODINGS:
        raise Unsupported(path, page.at, kind or "no encoding", "an encoding of values")
    return _ENCODINGS[kind](getattr(stored, kind), page, f"{path}.{kind}")


def _stored_flat(stored: Any, *_: object) -> today.CompressiveEncoding:
    return flat(stored.bits_per_value)


def _fixed_size_list(stored: Any, page: Page, path: str) -> today.CompressiveEncoding:
    size = stored.dimension
    if stored.items.WhichOneof("array_encoding") != "flat" or not size:
        raise Unsupported(f"{path}.items", page.at, "items of another encoding", "flat items")
    bits, rest = divmod(stored.items.flat.bits_per_value, size)
    if rest or bits % _BYTE:
        wanted = f"whole bytes for each of {size} items"
        raise Unsupported(f"{path}.items", page.at, f"{bits} bits", wanted)
    lists = today.FixedSizeList(items_per_value=size, values=flat(bits))
    return today.CompressiveEncoding(fixed_size_list=lists)


def _variable(stored: Any, *_: object) -> today.CompressiveEncoding:
    bits = getattr(stored, "bits_per_offset", _OFFSET) or _OFFSET
    return today.CompressiveEncoding(variable=today.Variable(offsets=flat(bits)))


def _packed_struct(stored: Any, page: Page, path: str) -> today.CompressiveEncoding:
    packed = today.PackedStruct(
        bits_per_value=list(stored.bits_per_values),
        values=_encoding(stored.flat, page, f"{path}.flat"),
    )
    return today.CompressiveEncoding(packed_struct=packed)


_ENCODINGS: Final[dict[str, Callable[..., today.CompressiveEncoding]]] = {
    "flat": _stored_flat,
    "fixed_size_list": _fixed_size_list,
    "inline_bitpacking": inline_bitpacking,
    "variable": _variable,
    "packed_struct": _packed_struct,
    "text_block": _variable,
    "early_packed_struct": _packed_struct,
}
