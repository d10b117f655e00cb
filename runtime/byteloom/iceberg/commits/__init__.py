"""Commits: new snapshots of a table, their summaries, and the catalogs that take them.

Every new snapshot goes down this list: a verb (`appending`, `replacing`, `adding_files`,
`cherry_picking`, or one of `byteloom.iceberg.row_changes`) is an `Operation`, which says on each
attempt what it adds and removes; `snapshots` writes its manifests, its list and its summary
(`filtering`, `merging`, `manifest_files`, `summaries`); `attempts` commits it, and does so again
after other writers, whose commits `validation` compares with it.

`references` and `evolving` change metadata alone. `transactions` collects the changes of several
verbs as `steps`. `applying` makes the metadata after a commit, `metadata_files` the bytes of its
file; `folder_catalog`, `sql_catalog` and `pyiceberg_catalog` put it in place, and `catalogs` says
which of them keeps a table.

Source: Iceberg table spec, "Optimistic Concurrency"; the REST catalog spec, ``TableUpdate``.
"""
