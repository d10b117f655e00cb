"""Reading: from the tasks of a plan to Arrow batches, with deletes applied.

A scan goes down this list: `batches` makes its rows, or their number, of the tasks of its plan;
`threads` reads several tasks at a time; `task` reads one, or several small ones as one
(`small_files`), and `task_rows` has the rows that deletes and filters leave of it. All tasks of a
scan share a `read_context`, whose `table_files` opens files.

Deletes are in `position_deletes`, `small_deletes` and `equality_deletes`, whose content `cache`
keeps; the columns of a batch in `column_projection`, `conversion`, `variants` and
`metadata_columns`. `hints` compares a file with its manifest entry. `found_rows` returns the places
of rows instead of the rows, for changes of rows; `explaining` says how files would be read.

Source: Iceberg table spec, "Column Projection", "Row-level Deletes", "Scan Planning".
"""
