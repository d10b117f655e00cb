"""ORC files put together of streams by hand, sound or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import zstandard
from tests.support.varints import folded, varint

from byteloom_generated.orc.messages import (
    ColumnEncoding,
    CompressionKind,
    Footer,
    PostScript,
    Stream,
    StringPair,
    StripeFooter,
    StripeInformation,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LONG_RUN", "TYPES", "Content", "orc_file", "same", "varint"]

Content: TypeAlias = "bytes | tuple[bytes, int]"
"""Bytes of a stream, or some and how often they come."""

LONG_RUN = 512
"""Values of a run, at most."""

TYPES = Type.Kind


def same(value: int, count: int, *, signed: bool = False) -> bytes:
    """Runs of version 2 of *count* values that are all the same; LONG_RUN of them take 4 bytes."""
    stored = varint(folded(value) if signed else value) + b"\0"
    whole = b"\xc1\xff" + stored
    rest = count % LONG_RUN
    last = bytes([0xC0 | rest - 1 >> 8, rest - 1 & 255]) + stored if rest else b""
    return whole * (count // LONG_RUN) + last


def orc_file(
    columns: Sequence[tuple[int, Sequence[int]]],
    rows: int,
    streams: Sequence[tuple[int, str, Content]],
    *,
    dictionaries: dict[int, int] | None = None,
    kinds: dict[int, str] | None = None,
    digits: dict[int, tuple[int, int]] | None = None,
    chunk: int = 0,
    encodings: int | None = None,
) -> bytes:
    """Return a file of one stripe.

    columns       kind and inner columns of each type but the row's, by their numbers from 1;
                  those that are inside no other are the columns ``c1``, ... with these ids
    streams       column, kind and content of each; those of kind ROW_INDEX come first
    dictionaries  the entries of columns that are kept as codes
    kinds         the encodings of columns that are not kept as by writers of runs of version 2
    digits        precision and scale of decimals
    chunk         bytes of the chunks that are compressed by Zstandard; 0 for none
    encodings     how many columns the stripe says the encoding of, the row included; None for all
    """
    kind = CompressionKind.ZSTD if chunk else CompressionKind.NONE
    inner = {each for _, held in columns for each in held}
    tops = [each for each in range(1, len(columns) + 1) if each not in inner]
    footer = Footer(headerLength=3, numberOfRows=rows)
    names = [f"c{each}" for each in tops]
    footer.types.append(Type(kind=TYPES.STRUCT, subtypes=tops, fieldNames=names))
    for number, (of, held) in enumerate(columns, 1):
        attribute = StringPair(key="iceberg.id", value=str(number))
        footer.types.append(Type(kind=of, subtypes=held, attributes=[attribute]))
        if number in (digits or {}):
            footer.types[-1].precision, footer.types[-1].scale = (digits or {})[number]
    data, said = b"ORC", StripeFooter(writerTimezone="UTC")
    for column, name, content in streams:
        piece, times = content if isinstance(content, tuple) else (content, 1)
        stored = _chunks(piece, chunk) * times
        data += stored
        said.streams.append(Stream(kind=Stream.Kind[name], column=column, length=len(stored)))
    for column in range(len(columns) + 1 if encodings is None else encodings):
        entries = (dictionaries or {}).get(column)
        is_row = column == 0 or columns[column - 1][0] == TYPES.STRUCT
        name = "DICTIONARY_V2" if entries is not None else "DIRECT" if is_row else "DIRECT_V2"
        name = (kinds or {}).get(column, name)
        encoding = ColumnEncoding(kind=ColumnEncoding.Kind[name], dictionarySize=entries or 0)
        said.columns.append(encoding)
    size = len(data) - 3
    index = sum(each.length for each in said.streams if each.kind == Stream.Kind.ROW_INDEX)
    footer.stripes.append(
        StripeInformation(offset=3, indexLength=index, dataLength=size - index, numberOfRows=rows)
    )
    stored = _chunks(said.SerializeToString(), chunk)
    footer.stripes[0].footerLength = len(stored)
    footer.contentLength = len(data) + len(stored) - 3
    end = _chunks(footer.SerializeToString(), chunk)
    tail = PostScript(
        footerLength=len(end),
        compression=kind,
        compressionBlockSize=chunk,
        version=[0, 12],
        metadataLength=0,
        writerVersion=6,
        magic="ORC",
    ).SerializeToString()
    return data + stored + end + tail + bytes([len(tail)])


def _chunks(data: bytes, size: int) -> bytes:
    """Chunks of *size* bytes, each compressed."""
    if not size:
        return data
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    packed = [zstandard.compress(each) for each in parts]
    return b"".join((len(each) << 1).to_bytes(3, "little") + each for each in packed)
