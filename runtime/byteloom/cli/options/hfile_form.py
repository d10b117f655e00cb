"""The options of ``byteloom hfile build`` that say how an HFile is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from byteloom.cli.options.groups import option_group
from byteloom.cli.options.keys import from_hex
from byteloom.cli.options.parsers import one_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from byteloom.hfile.writing import HFileWriter
    from byteloom.hfile.writing.profiles import Profile

__all__ = ["HFileForm", "hfile_form"]

_CODECS: Final = ("NONE", "GZ", "SNAPPY", "LZ4", "ZSTD", "BZIP2", "BROTLI", "LZO")
_ENCODINGS: Final = ("NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1")
_BLOOMS: Final = ("ROW", "ROWCOL", "DELETE_FAMILY")


@dataclass(frozen=True, slots=True)
class HFileForm:
    """How an HFile is written."""

    profile: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="hbase, or hudi for metadata tables.",
            autocompletion=one_of("hbase", "hudi"),
        ),
    ] = "hbase"
    codec: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="NONE, GZ, SNAPPY, LZ4, ZSTD, BZIP2, BROTLI or LZO.",
            autocompletion=one_of(*_CODECS),
        ),
    ] = None
    encoding: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="NONE, PREFIX, DIFF, FAST_DIFF or ROW_INDEX_V1.",
            autocompletion=one_of(*_ENCODINGS),
        ),
    ] = "NONE"
    bloom: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="ROW, ROWCOL, ROWPREFIX:LENGTH or DELETE_FAMILY.",
            autocompletion=one_of("ROW", "ROWCOL", "ROWPREFIX:", "DELETE_FAMILY"),
        ),
    ] = None
    block_size: Annotated[
        int | None, typer.Option(metavar="BYTES", help="The size at which a data block ends.")
    ] = None
    encoded_ratio: Annotated[
        float | None,
        typer.Option(metavar="PART", help="Ratio of encoded cells to block size."),
    ] = None
    max_uncompressed_size: Annotated[
        int | None,
        typer.Option(metavar="BYTES", help="With --by-compressed-size: the limit."),
    ] = None
    by_compressed_size: Annotated[
        bool,
        typer.Option("--by-compressed-size", help="Fill blocks up to their compressed size."),
    ] = False
    info: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=TEXT", help="More file info; @FILE reads the text from a file."),
    ] = None
    key: Annotated[
        str | None, typer.Option(metavar="HEX", help="Encrypt under this master key (AES).")
    ] = None

    def check(self) -> None:
        """Refuse unknown names, and sizes that do not go together; `typer.BadParameter`."""
        from byteloom.hfile.writing.profiles import PROFILES
        from byteloom.hfile.writing.settings import ENCODINGS, WRITABLE

        _check_known("--profile", self.profile, PROFILES)
        _check_known("--codec", (self.codec or "NONE").upper(), WRITABLE)
        _check_known("--encoding", self.encoding.upper(), ENCODINGS)
        if self.max_uncompressed_size is not None and not self.by_compressed_size:
            wanted = "wanted --by-compressed-size with it"
            raise typer.BadParameter(wanted, param_hint="--max-uncompressed-size")

    @property
    def files(self) -> list[str]:
        """The files from which file info is read."""
        return [text.partition("=@")[2] for text in self.info or () if "=@" in text]

    def open(self, output: str, *, file_info: dict[bytes, bytes], tags: bool) -> HFileWriter:
        """Return the writer of *output*.

        file_info  what `info` says, read from its files
        tags       whether cells have tags
        """
        from byteloom.hfile.writing import HFileWriter
        from byteloom.hfile.writing.writer import Options

        options = Options(encoding=self.encoding.upper(), tags=tags)
        if self.codec is not None:
            options["compression"] = self.codec.upper()
        if self.block_size is not None:
            options["block_size"] = self.block_size
        if self.encoded_ratio is not None:
            options["encoded_ratio"] = self.encoded_ratio
        if self.by_compressed_size:
            options["by_compressed_size"] = True
            options["max_uncompressed_size"] = self.max_uncompressed_size
        return HFileWriter(
            output,
            profile=cast("Profile", self.profile),  # the writer refuses all others
            blooms=[_bloom(each) for each in self.bloom or ()],
            file_info=file_info,
            key=from_hex(self.key),
            **options,
        )


hfile_form = option_group("form", HFileForm)
"""Gives a command these options, and passes it an `HFileForm` as *form*."""


def _check_known(option: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        msg = f"found {name!r}, wanted one of {', '.join(known)}"
        raise typer.BadParameter(msg, param_hint=option)


def _bloom(kind: str) -> Any:
    from byteloom.hfile.bloom_build import BloomBuilder

    name, _, length = kind.upper().partition(":")
    if not length:
        if name not in _BLOOMS:
            msg = f"{kind!r} is not one of {', '.join(_BLOOMS)}, ROWPREFIX:LENGTH"
            raise typer.BadParameter(msg, param_hint="--bloom")
        return name
    if name != "ROWPREFIX" or not length.isdecimal():
        raise typer.BadParameter(f"{kind!r}: wanted ROWPREFIX:LENGTH", param_hint="--bloom")
    return BloomBuilder("ROWPREFIX_FIXED_LENGTH", prefix_length=int(length))
