"""Changes of rows: found by a filter or by keys, then deleted, replaced or written again.

A change goes down this list: `verbs` has what `Table` offers; `selection` finds the rows, by a
filter or by `key_lookup`; `written_changes` writes delete files that name them, or data files again
with `new_rows`, whose values `assignments` may give; `committing` makes a snapshot of these files.
`key_files` deletes by keys without finding rows, and `dry_runs` says what a change would do.

Source: Iceberg table spec, "Row-level Deletes".
"""
