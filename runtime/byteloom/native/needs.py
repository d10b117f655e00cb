"""The objects of the Python process whose addresses the machine code of kernels needs."""

from __future__ import annotations

import pickle
from typing import Any, Final

import numpy as np

__all__ = ["DTYPES", "NEEDS", "objects"]

DTYPES: Final = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")
"""The types of arrays that kernels are compiled for."""


def _raise(pickled: bytes) -> None:
    """Raise the exception that numba pickled: its class, its arguments and its location."""
    kind, args, *_ = pickle.loads(pickled)  # noqa: S301  (made by the compiler, part of the code)
    raise kind(*(args or ()))


_OBJECTS: Final[dict[str, Any]] = {
    "NotImplemented": NotImplemented,
    "None": None,
    "tuple": tuple,
    "bool": bool,
    "float": float,
    "ndarray": np.ndarray,
    "np.bool": np.bool_,
    "np.uint64": np.uint64,
    "np.float64": np.float64,
    "raise": _raise,
    **{name: np.dtype(name) for name in DTYPES},
}
NEEDS: Final = tuple(_OBJECTS)
"""The names of the objects in the table of addresses that machine code reads, in order."""


def objects() -> list[Any]:
    """Return the objects that `NEEDS` names; they live as long as the process."""
    return list(_OBJECTS.values())
