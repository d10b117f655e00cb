"""Compatibility of two versions of a spec: for files, for writers, for programs.

The rules all modules here obey:

- A difference is reported once, with its place in both specs.
- When in doubt, parts differ: two expressions are equal if their text is, after renaming.
- Docs, official names and clauses do not count.

Types are paired by name, or if paired fields have them; fields by name, then by position and form.

findings  what a difference does, and to whom
pairing   which type, field or instance of one spec corresponds to which of the other
context   both specs and their pairs; expressions compared
storage   two types of values: the same bytes?
members   two fields, instances, parameters
rules     what a value has to be: looser, tighter?
enums     two enums
records   two types of records
compare   two specs
"""

from byteloom_codegen.compat.comparison import compare
from byteloom_codegen.compat.findings import Aspect, Effect, Finding, Report, Verdict

__all__ = ["Aspect", "Effect", "Finding", "Report", "Verdict", "compare"]
