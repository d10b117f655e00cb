"""Verification: report all that is wrong with an HFile, including what other readers ignore.

audit  the findings of one file, with where, found and wanted
Audit  its result: findings, notes, blocks and their verdicts
"""

from byteloom.hfile.verify.audit import Audit, audit, audit_source
from byteloom.hfile.verify.walk import FoundBlock

__all__ = ["Audit", "FoundBlock", "audit", "audit_source"]


def __dir__() -> list[str]:
    return __all__
