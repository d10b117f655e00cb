"""Scan planning: which files of a snapshot must be read, and with which deletes.

A scan goes down this list: `planned_scan` has what it asks for; `planner`, or `changes` for a
changelog, makes a `plan` of manifests, some at a time, by what `pruning` keeps of their entries and
by the delete files that `delete_index` matches; `splits` packs pieces of files into groups, one for
each worker; `parts` joins plans, limits them and cuts out the files of a group. `scan_columns`
chooses the columns, and `explaining` says why a file is read.

Source: Iceberg table spec, "Scan Planning".
"""
