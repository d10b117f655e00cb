"""Edit files of everyday formats and of hard specs, and write them: what readers have to judge."""

from __future__ import annotations

import importlib
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from tests.support.drawn_edits import Sample, Written
from tests.support.strangers import hard_inputs, hard_specs, inputs, specs, write_records

from byteloom.errors import ByteloomError
from byteloom.wire import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Case", "cases", "emit_records", "kind_of"]

_MOST = 20_000
"""Bytes of a file that is edited."""


class Case(NamedTuple):
    """The results of the edits of a file.

    name     its spec
    data     its bytes
    written  what was written, each as it has to be read
    refused  how many edits were refused
    """

    name: str
    data: bytes
    sample: Sample
    written: list[Written]
    refused: int


def emit_records(folder: Path) -> None:
    """Generate the records of all specs into *folder*."""
    write_records((*specs(), *hard_specs()), folder)


def kind_of(name: str) -> type[Record]:
    """Return the class of files of the spec *name*, whose module can be imported."""
    members = list(vars(importlib.import_module(name)).values())
    kinds = [each for each in members if isinstance(each, type) and issubclass(each, Record)]
    return next(each for each in kinds if vars(each).get("NAME") == name)


def cases(seed: str, most: int) -> Iterator[Case]:
    """Make *most* edits, drawn by *seed*, of each file, before and after its parts were read."""
    for number, (name, data) in enumerate((*inputs(), *hard_inputs())):
        if len(data) > _MOST:
            continue
        try:
            sample = Sample(kind_of(name), data)
        except ByteloomError:
            continue  # some are there to be refused
        edits = sample.edits(Random(f"{seed} {name} {number}"), most)
        found = [sample.written(each, read_before=read) for each in edits for read in (False, True)]
        written = [each for each in found if each is not None]
        yield Case(name, data, sample, written, len(found) - len(written))
