"""Reading: from the tasks of a plan to Arrow batches, with deletes applied.

A scan goes down this list: `batches` makes its rows, or their number, of the tasks of its plan;
`threads` reads several tasks at a time; `task` reads one, by what all share (`shared`);
`small_files` reads several as one; `table_files` opens files. Deletes are in `position_deletes`,
`small_deletes` and `equality_deletes`, the columns of a batch in `projection`, `conversion` and
`metadata_columns`.

Source: Iceberg table spec, "Column Projection", "Row-level Deletes", "Scan Planning".
"""
