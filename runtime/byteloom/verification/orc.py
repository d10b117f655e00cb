"""ORC files by themselves: the footer, the places of stripes and streams, and every row.

The rules:

- Stripes are between the header and the metadata, in their order, and do not overlap; the streams
  of a stripe fill its index and its data.
- Rows are read only if nothing else is wrong: they would repeat the finding.

Source: https://orc.apache.org/specification/ORCv1/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from byteloom.errors import ByteloomError, FormatError
from byteloom.files.kinds import ORC_MAGIC, cut_file
from byteloom.limits import DEFAULT_LIMITS
from byteloom.orc.layout import OrcLayout
from byteloom.orc.weights import check_kinds
from byteloom.verification.damage import Damage, counted
from byteloom.verification.data_rows import check_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from byteloom.storage import Source
    from byteloom_generated.orc.messages import StripeInformation

__all__ = ["verify"]

_FIRST: Final = len(ORC_MAGIC)


def verify(source: Source) -> str:
    """Check the footer, all stripes and their streams, and all rows.

    raises  the error of a file without a sound footer, or `Damage` with all errors
    """
    cut = cut_file(source)
    if cut is not None:
        raise cut
    layout = OrcLayout(source, DEFAULT_LIMITS)
    found: list[ByteloomError] = [*_of_types(layout), *_of_stripes(layout)]
    if not found:
        found += check_rows("orc", source)
    if found:
        raise Damage(found)
    columns = len(layout.types[0].subtypes)
    parts = [counted(layout.footer.numberOfRows, "row"), counted(len(layout.stripes), "stripe")]
    return ", ".join([*parts, counted(columns, "column")])


def _of_types(layout: OrcLayout) -> Iterator[FormatError]:
    """Yield what is wrong with the schema: each type but the row is inside one before it."""
    inside = {inner for each in layout.types for inner in each.subtypes}
    for number, each in enumerate(layout.types):
        path = f"orc.footer.types[{number}]"
        if number and number not in inside:
            yield FormatError(path, layout.start, "a type inside no other", "inside one")
        if any(not number < inner < len(layout.types) for inner in each.subtypes):
            wanted = f"{number + 1} to {len(layout.types) - 1}"
            yield FormatError(f"{path}.subtypes", layout.start, list(each.subtypes), wanted)
        if each.kind == each.Kind.STRUCT and len(each.fieldNames) != len(each.subtypes):
            wanted = f"{len(each.subtypes)}, one for each type inside"
            yield FormatError(f"{path}.fieldNames", layout.start, len(each.fieldNames), wanted)


def _of_stripes(layout: OrcLayout) -> Iterator[FormatError]:
    """Yield what is wrong with the stripes."""
    at, rows, end = _FIRST, 0, layout.start - layout.postscript.metadataLength
    for number, each in enumerate(layout.stripes):
        path = f"orc.footer.stripes[{number}]"
        size = each.indexLength + each.dataLength + each.footerLength
        rows += each.numberOfRows
        if not at <= each.offset <= end - size:
            found = f"{size} bytes at byte {each.offset}"
            wanted = f"a place between byte {at} and byte {end}"
            yield FormatError(path, layout.start, found, wanted)
            continue
        at = each.offset + size
        try:
            yield from _of_streams(layout, number, each)
        except FormatError as error:
            yield error
    if rows != layout.footer.numberOfRows:
        wanted = f"{rows}, the sum of all stripes"
        found = str(layout.footer.numberOfRows)
        yield FormatError("orc.footer.numberOfRows", layout.start, found, wanted)
    stated = layout.statistics()
    if stated and len(stated) != len(layout.stripes):
        wanted = f"{len(layout.stripes)}, one for each stripe"
        yield FormatError("orc.metadata.stripeStats", end, len(stated), wanted)


def _of_streams(layout: OrcLayout, number: int, stripe: StripeInformation) -> Iterator[FormatError]:
    """Yield what is wrong with the footer of a stripe."""
    streams = layout.streams(stripe).footer
    path, size = f"orc.stripes[{number}]", stripe.indexLength + stripe.dataLength
    check_kinds(layout.types, streams, range(len(layout.types)), path)
    held = sum(each.length for each in streams.streams)
    if held != size:
        found, wanted = f"{held} bytes", f"{size}, those of its index and its data"
        yield FormatError(f"{path}.streams", stripe.offset, found, wanted)
    if len(streams.columns) != len(layout.types):
        wanted = f"{len(layout.types)}, one for each type"
        yield FormatError(f"{path}.columns", stripe.offset, len(streams.columns), wanted)
