"""Verification: all checks of a file, a table or a dataset, whatever its format.

    check    checks one place, and returns a `Verdict`
    Verdict  a place's status, a summary of it, and everything that is wrong with it
    Search   finds the places to check below folders
    Damage   everything that is wrong with a file, as one error

`byteloom verify` prints verdicts; `byteloom.spark.audit` collects them in a cluster.
"""

from byteloom.verification.damage import Damage
from byteloom.verification.search import Search
from byteloom.verification.verdict import Verdict, check

__all__ = ["Damage", "Search", "Verdict", "check"]


def __dir__() -> list[str]:
    return __all__
