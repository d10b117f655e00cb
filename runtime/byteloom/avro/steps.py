"""The steps of a program in the form that the loop takes, with all lookups resolved.

Source: https://avro.apache.org/docs/1.12.0/specification/#binary-encoding
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from byteloom.avro.nodes import Frame, Program
from byteloom.kernels import avro_columns as ops

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["STEP", "resolved", "slot_numbers"]

STEP: Final = 8
"""Number of words in a step."""


def resolved(
    program: Program, base: NDArray[np.int64], room: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the steps in the form of `byteloom.kernels.avro_columns`, and the jumps of unions.

    base  the index where each column begins and the last one ends
    room  the number of rows that each level has room for
    """
    if program.frame is None:
        program.frame = _framed(program)
    frame = program.frame
    steps = frame.steps.copy()
    steps[frame.cells] = base[frame.columns]
    steps[frame.strides] = room[frame.levels]
    return steps, frame.branches


def _framed(program: Program) -> Frame:
    """Return the parts of a program that all its runs have in common."""
    op, a, b, c, following = np.array(program.code, np.int64).reshape(-1, 5).T
    levels = np.array([*program.levels, 0], np.int64)
    is_list = (op == ops.LIST) | (op == ops.NEXT)
    is_bulk = (op >= ops.NUMBERS) & (op <= ops.RUNS)
    is_slots = (op == ops.SLOT_NUMBER) | (op == ops.SLOT_RUN)
    column = np.where(is_list | is_bulk, b, a)
    is_kept = (column >= 0) & (op != ops.END) & (op != ops.PASS) & (op != ops.EMPTY)
    steps = np.zeros((len(op), STEP), np.int64)
    steps[:, 0], steps[:, 1], steps[:, 6], steps[:, 4] = op, -1, c, following * STEP
    steps[is_kept, 2] = levels[column[is_kept]]
    steps[:, 3] = np.where(is_list | is_bulk, a, b)
    steps[is_list, 6] = np.array(program.bodies or [0], np.int64)[a[is_list]] * STEP
    steps[op == ops.PASS, 7] = a[op == ops.PASS]
    kept, bulk = np.flatnonzero(is_kept) * STEP, np.flatnonzero(is_bulk) * STEP
    second = np.where(op == ops.SLOT_RUN, b, column + 1)[is_kept]
    return Frame(
        steps.ravel(),
        np.concatenate([kept + 1, kept + 5, bulk + 6, bulk + 7]),
        np.concatenate([column[is_kept], second, c[is_bulk], c[is_bulk] + 1]),
        np.flatnonzero(is_slots) * STEP + 3,
        levels[a[is_slots]],
        np.array(program.jumps or [0], np.int64) * STEP,
    )


def slot_numbers(keys: Sequence[int]) -> NDArray[np.int64]:
    """Return a table of the slots of *keys*, in which the loop looks up a key."""
    places = 1 << (2 * len(keys)).bit_length()
    table = np.full((places, 2), -1, np.int64)
    for slot, key in enumerate(keys):
        at = key % places
        while table[at, 1] >= 0:
            at = (at + 1) % places
        table[at] = key, slot
    return table
