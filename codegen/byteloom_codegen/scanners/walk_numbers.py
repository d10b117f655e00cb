"""Numbers in a walk: loaded and stored as words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom_codegen.scanners.numbers import bits_source

if TYPE_CHECKING:
    from byteloom_codegen.model import BitsType, Endian

__all__ = [
    "LOADS", "bits_of_byte", "element", "load", "load_bits", "store", "store_into", "unequal",
]  # fmt: skip

_NAMES: Final = {
    (1, "be"): "byte",
    (2, "be"): "be16",
    (4, "be"): "be32",
    (8, "be"): "be64",
    (1, "le"): "byte",
    (2, "le"): "le16",
    (4, "le"): "le32",
    (8, "le"): "le64",
}
LOADS: Final = sorted({"copy", *_NAMES.values(), *(f"put_{name}" for name in _NAMES.values())})
"""The functions of the runtime that load and store words."""

_SIGNED: Final = {"be32", "be64", "le64"}
"""Those that return signed numbers; the others return unsigned ones."""


def _word(at: int, width: int, endian: Endian | None) -> str:
    name = _NAMES[width, endian or "be"]
    return f"{name}(base, at + {at})" if at else f"{name}(base, at)"


def load(at: int, width: int, endian: Endian | None, *, signed: bool) -> str:
    """Return the number of *width* bytes, *at* bytes after the place; words of 8 are signed."""
    name, source = _NAMES[width, endian or "be"], _word(at, width, endian)
    if signed and name not in _SIGNED:
        sign = hex(1 << 8 * width - 1)
        return f"({source} ^ {sign}) - {sign}"
    if not signed and width == 4 and name in _SIGNED:  # noqa: PLR2004  (bytes)
        return f"{source} & 0xFFFFFFFF"
    return source


def unequal(at: int, base: str, size: int) -> list[str]:
    """Return tests that *size* bytes, *at* bytes after the place, differ from those at *base*."""
    tests, done = [], 0
    while done < size:
        width = next(each for each in (8, 4, 2, 1) if done + each <= size)
        name = _NAMES[width, "le"]
        tests.append(f"{_word(at + done, width, 'le')} != {name}({base}, {done})")
        done += width
    return tests


def load_bits(first: int, type_: BitsType) -> str:
    """Return the bits of *type_* that begin *first* bits after the place.

    They are part of one word where that has the bytes that they are in, and else of each byte.
    """
    at, before = divmod(first, 8)
    width = -(-(before + type_.width) // 8)
    if (width, type_.endian) not in _NAMES:
        return bits_source(first, type_, lambda place: load(place, 1, None, signed=False))
    after = 8 * width - before - type_.width
    shift = before if type_.endian == "le" else after
    word = _word(at, width, type_.endian)
    shifted, mask = f"{word} >> {shift}" if shift else word, (1 << type_.width) - 1
    return shifted if before == after == 0 and width == 1 else f"{shifted} & 0x{mask:X}"


def store_into(form: str, index: str = "row") -> tuple[str, str]:
    """Return the function that stores a number of a column, and which byte of it gets the first.

    form   NumPy's
    index  the source of the row
    """
    width = int(form[1:])
    name = "put_byte" if width == 1 else f"put_le{8 * width}"
    return name, f"{width} * {index}" if width > 1 else index.strip("()")


def element(base: str, form: str, index: str = "row") -> str:
    """Return the number of a row in the column at *base*, an array of NumPy's *form*."""
    width, signed = int(form[1:]), form[0] == "i"
    name, at = _NAMES[width, "le"], f"{width} * {index}" if width > 1 else index.strip("()")
    if signed and name not in _SIGNED:
        sign = hex(1 << 8 * width - 1)
        return f"({name}({base}, {at}) ^ {sign}) - {sign}"
    if not signed and width == 4:  # noqa: PLR2004  (bytes)
        return f"{name}({base}, {at}) & 0xFFFFFFFF"
    return f"{name}({base}, {at})"


def store(at: int, width: int, endian: Endian | None, source: str) -> str:
    """Return what stores a number in *width* bytes, *at* bytes after the place."""
    name = _NAMES[width, endian or "be"]
    return f"put_{name}(base, at + {at}, {source})" if at else f"put_{name}(base, at, {source})"


def bits_of_byte(fields: list[tuple[str, int, BitsType]], number: int) -> str:
    """Return byte *number* of a run of bits, as `load_bits` takes them from it.

    fields  of each number in the run the source, the bit at which it begins, and its type
    """
    parts = []
    for source, first, type_ in fields:
        begin, end = max(first, 8 * number), min(first + type_.width, 8 * number + 8)
        if begin >= end:
            continue
        inside, taken, here = begin - 8 * number, begin - first, end - begin
        is_le = type_.endian == "le"
        below = inside if is_le else 8 - inside - here
        above = taken if is_le else type_.width - taken - here
        piece = f"{source} >> {above}" if above else source
        piece = f"{piece} & {(1 << here) - 1}" if here < type_.width else piece
        parts.append(
            f"({piece}) << {below}"
            if below and " " in piece
            else f"{piece} << {below}"
            if below
            else piece
        )
    return (
        " | ".join(f"({each})" if "&" in each and len(parts) > 1 else each for each in parts) or "0"
    )
