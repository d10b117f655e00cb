"""What two versions of a spec mean to each other: for files, for writers, for programs.

The rules all modules here obey:

- A difference is told once, where it is, with its place in both specs.
- What cannot be proved is doubted: two expressions are equal when their text is, after renaming.
- Docs, official names and clauses are no differences.

Types are paired by name, and where a paired field leads; fields by name, then by position and form.

findings  what a difference does, and to whom
pairing   which type, field, instance of one spec is which of the other
context   both specs and their pairs; expressions compared
storage   two types of values: the same bytes?
members   two fields, instances, parameters
rules     what a value has to be: looser, tighter?
enums     two enums
records   two types of records
compare   two specs
"""

from byteloom_codegen.compat.compare import compare
from byteloom_codegen.compat.findings import Aspect, Effect, Finding, Report, Verdict

__all__ = ["Aspect", "Effect", "Finding", "Report", "Verdict", "compare"]
