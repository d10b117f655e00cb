"""Jobs: work over whole tables and warehouses, divided among the executors of a session.

- `audit`: checks every file of every format in a warehouse: a table of findings.
- `ndv`: distinct values of the columns of an Iceberg table, as Theta sketches in a Puffin file.
- `plan`: the data files that a query of an Iceberg table reads, as a DataFrame.
- `to_lance`: rows of an Iceberg table as a version of a Lance dataset.
- `to_hfile`: rows of a DataFrame as sorted HFiles, in which `byteloom.hfile.HFileFolder` finds
  keys.

Each can be run again after it failed or was killed: its result appears whole or not at all.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from byteloom.spark.jobs.auditing import audit
    from byteloom.spark.jobs.hfile_index import to_hfile
    from byteloom.spark.jobs.lance_export import to_lance
    from byteloom.spark.jobs.planning import plan
    from byteloom.spark.jobs.sketching import ndv

__all__ = ["audit", "ndv", "plan", "to_hfile", "to_lance"]

_LATER: Final = {
    "audit": "auditing",
    "ndv": "sketching",
    "plan": "planning",
    "to_hfile": "hfile_index",
    "to_lance": "lance_export",
}
"""Modules of the jobs; no module has a job's name, since importing it would replace the job."""


def __getattr__(name: str) -> Any:
    """Load a job on first use: most of them load pyspark."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_LATER[name]}"), name))


def __dir__() -> list[str]:
    return __all__
