"""What a program of a manifest's schema consists of: steps, and where they bring what is wanted.

Source: Apache Avro specification, "Binary Encoding".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from byteloom.kernels.avro_records import Op

__all__ = ["Program", "Target"]

_FREE: Final = frozenset({Op.JUMP, Op.NEXT, Op.END})


@dataclass(frozen=True, slots=True)
class Target:
    """Where the values of a field go.

    kind    ``long``, ``view``, ``list``, ``map_long``, ``map_bytes``, ``slot_long``,
            ``slot_bytes``; ``any`` for a number or a view, as it is stored; ``rows`` for a list
            of records, whose wanted fields have rows of their own
    column  the column of that kind; of ``list``, ``map`` and ``rows`` that of *ends*
    valid   the column of flags that is set where the value is not null; -1 for none
    view    the column of views for ``any``
    """

    kind: str
    column: int
    valid: int = -1
    view: int = -1


@dataclass
class Program:
    """The steps, and what is known without running them.

    steps        int64[step, 4]
    present      ids of the wanted fields that the schema has
    always       flag columns of fields that are never null
    types        the Avro type of each wanted field, as JSON, without its null
    has_fixed    whether there are fixed values that are not of a logical type
    is_prefixed  whether these have their length before them
    """

    rows: list[list[int]] = field(default_factory=list)
    present: set[int] = field(default_factory=set)
    always: set[int] = field(default_factory=set)
    types: dict[int, Any] = field(default_factory=dict)
    has_fixed: bool = False
    is_prefixed: bool = False

    @property
    def steps(self) -> np.ndarray:
        """The table that the kernel runs."""
        return np.array(self.rows, dtype=np.int64).reshape(-1, 4)

    def least(self) -> int:
        """Return the bytes that a record takes at least: all steps but jumps lead forward."""
        least = [0] * (len(self.rows) + 1)
        for step in range(len(self.rows) - 1, -1, -1):
            operation, argument, target, _ = self.rows[step]
            behind = least[step + 1]
            if operation == Op.NULLABLE:
                behind = min(behind, least[target])
            elif operation == Op.UNION:
                behind = min(least[step + 1 : step + 1 + argument], default=0)
            elif operation in {Op.JUMP, Op.ARRAY}:
                behind = least[target]
            takes = argument if operation == Op.FIXED else operation not in _FREE
            least[step] = behind + takes
        return least[0]
