"""The snapshot that new blobs of a Puffin file are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from byteloom.cli.options.groups import option_group

__all__ = ["BlobSnapshot", "blob_snapshot"]


@dataclass(frozen=True, slots=True)
class BlobSnapshot:
    """The id of a snapshot and its sequence number, -1 where there is none."""

    snapshot_id: Annotated[
        int,
        typer.Option("--snapshot-id", metavar="ID", help="The snapshot that blobs are about."),
    ] = -1
    sequence_number: Annotated[
        int, typer.Option("--sequence-number", metavar="NUMBER", help="Its sequence number.")
    ] = -1


blob_snapshot = option_group("snapshot", BlobSnapshot)
"""Gives a command these options, and passes it a `BlobSnapshot` as *snapshot*."""
