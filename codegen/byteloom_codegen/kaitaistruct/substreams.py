"""How large the streams of records are, where a record is in one of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from byteloom_codegen.model import OpaqueType, Process, UserType

__all__ = ["has_inner_size", "has_outer_size", "keeps_length"]


def keeps_length(process: Process | None) -> bool:
    """Return whether as many bytes come out of a process as go in."""
    return process is None or process.name in {"xor", "rol", "ror"}


def has_inner_size(type_: UserType | OpaqueType) -> bool:
    """Return whether a program has to say how large the stream is: nothing else does."""
    how = type_.delimiting
    if how is None or not keeps_length(type_.process):
        return how is not None
    return how.is_filled_up and not has_outer_size(type_)


def has_outer_size(type_: UserType | OpaqueType) -> bool:
    """Return whether it has to say how many bytes the record takes: a terminator ends them."""
    how = type_.delimiting
    return how is not None and how.size is None and not how.size_eos
