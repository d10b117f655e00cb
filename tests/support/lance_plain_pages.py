"""Pages of Lance files read one value at a time, in plain Python; damage is a `ValueError`."""

from __future__ import annotations

from typing import Any

from tests.support.lance_plain import (
    INTEGERS,
    block_values,
    check,
    coded_texts,
    flat_values,
    number_at,
    unpacked,
)

__all__ = ["array_values", "constant_page", "full_zip_page"]


def _levels(encoding: Any, data: bytes, count: int) -> list[int]:
    """Levels of 16 bits, as they are or encoded."""
    found = (
        flat_values(16, data, count) if encoding is None else block_values(encoding, data, count)
    )
    return [int.from_bytes(each, "little") for each in found]


def full_zip_page(layout: Any, buffers: list[bytes], *, is_nullable: bool) -> list[Any]:
    """The values of a page of entries one after another, without lists; None for null."""
    data, found, at = buffers[0], list[Any](), 0
    control = -(-layout.bits_def // 8) if is_nullable else 0
    is_variable = layout.HasField("bits_per_offset")
    while at < len(data):
        # Bits above are those of repetition levels, which no column without lists has.
        level = int.from_bytes(data[at : at + control], "little") & (1 << layout.bits_def) - 1
        at += control
        check(level <= 1, at <= len(data))
        if level and is_variable:
            found.append(None)
            continue
        width = layout.bits_per_offset // 8 if is_variable else 0
        size = number_at(data, at, width) if is_variable else layout.bits_per_value // 8
        at += width
        check(0 <= size <= len(data) - at)
        found.append(None if level else data[at : at + size])
        at += size
    check(len(found) == layout.num_items)
    return found


def constant_page(layout: Any, buffers: list[bytes], count: int) -> list[Any]:
    """The one value of a page wherever it is not null; a value is bytes, or a list of buffers."""
    first = len(buffers) - 2 if len(buffers) > 1 else len(buffers)
    levels = [0] * count
    if len(buffers) > 1 and buffers[-1]:
        of = layout.def_compression if layout.HasField("def_compression") else None
        stored = layout.num_def_values if of else len(buffers[-1]) // 2
        check(of is not None or len(buffers[-1]) % 2 == 0)
        levels = _levels(of, buffers[-1], stored)
        check(len(levels) == count, max(levels, default=0) <= 1)
    value = layout.inline_value if layout.HasField("inline_value") else None
    if first:
        value = _stored_value(buffers[0])
    return [None if level else value for level in levels]


def _stored_value(data: bytes) -> bytes:
    """A text: the number of Arrow's buffers, their sizes, its offsets of 32 bits and its bytes."""
    check(len(data) >= 4)
    count = int.from_bytes(data[:4], "little")
    check(count in {1, 2}, len(data) >= 4 + 4 * count)
    sizes = [int.from_bytes(data[4 + 4 * at : 8 + 4 * at], "little") for at in range(count)]
    check(4 + 4 * count + sum(sizes) <= len(data))
    begin = 4 + 4 * count
    if count == 1:
        return data[begin : begin + sizes[0]]
    check(sizes[0] >= 8)
    low, high = (
        int.from_bytes(data[begin + at : begin + at + 4], "little", signed=True) for at in (0, 4)
    )
    check(0 <= low <= high <= sizes[1])
    begin += sizes[0]
    return data[begin + low : begin + high]


def array_values(  # noqa: PLR0911  a case for each encoding
    encoding: Any, buffers: list[bytes], count: int
) -> list[Any]:
    """The values of a page of version 2.0; None for null."""
    kind = encoding.WhichOneof("array_encoding")
    message = getattr(encoding, kind)
    match kind:
        case "flat":
            check(not message.HasField("compression"))
            data = buffers[message.buffer.buffer_index]
            return flat_values(message.bits_per_value, data, count)
        case "nullable":
            which = message.WhichOneof("nullability")
            if which == "all_nulls":
                return [None] * count
            inner = getattr(message, which)
            values = array_values(inner.values, buffers, count)
            if which == "no_nulls":
                return values
            valid = array_values(inner.validity, buffers, count)
            return [each if bit else None for each, bit in zip(values, valid, strict=True)]
        case "bitpacked_for_non_neg":
            width, bits = message.compressed_bits_per_value, message.uncompressed_bits_per_value
            data, size, found = buffers[message.buffer.buffer_index], INTEGERS * width // 8, []
            check(len(data) >= -(-count // INTEGERS) * size)
            for at in range(-(-count // INTEGERS)):
                found += unpacked(data[at * size : (at + 1) * size], bits, width)
            return [each.to_bytes(bits // 8, "little") for each in found[:count]]
        case "binary":
            return _texts20(message, buffers, count)
        case "fsst":
            values = array_values(message.binary, buffers, count)
            texts = iter(coded_texts(message.symbol_table, [v for v in values if v is not None]))
            return [None if value is None else next(texts) for value in values]
        case "dictionary":
            items = array_values(message.items, buffers, message.num_dictionary_items)
            numbers = [
                int.from_bytes(each, "little")
                for each in array_values(message.indices, buffers, count)
            ]
            check(max(numbers, default=0) <= len(items))
            return [items[each - 1] if each else None for each in numbers]
    raise NotImplementedError(kind)


def _texts20(message: Any, buffers: list[bytes], count: int) -> list[Any]:
    """Texts by where they end; those of nulls have an adjustment added."""
    found, before, most = list[Any](), 0, message.null_adjustment
    data = buffers[message.bytes.flat.buffer.buffer_index]
    for each in array_values(message.indices, buffers, count):
        end = int.from_bytes(each, "little", signed=True)
        is_null, end = end >= most, end % most
        check(before <= end <= len(data))
        found.append(None if is_null else data[before:end])
        before = end
    return found
