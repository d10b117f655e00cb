"""How large the streams of records are, where a record is in one of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from byteloom_codegen.model import OpaqueType, Process, UserType

__all__ = ["has_inner_size", "has_outer_size", "keeps_length"]


def keeps_length(process: Process | None) -> bool:
    """Return whether a process keeps the number of bytes."""
    return process is None or process.name in {"xor", "rol", "ror"}


def has_inner_size(type_: UserType | OpaqueType) -> bool:
    """Return whether a program has to set the size of the stream, which nothing else gives."""
    how = type_.delimiting
    if how is None or not keeps_length(type_.process):
        return how is not None
    return how.is_filled_up and not has_outer_size(type_)


def has_outer_size(type_: UserType | OpaqueType) -> bool:
    """Return whether a program has to set the size of a record that a terminator ends."""
    how = type_.delimiting
    return how is not None and how.size is None and not how.size_eos
