"""New data files of a table: rows are checked, partitioned, sorted and written with metrics."""
